/* gather.c - the dense rows of a view, gathered from a table.
 *
 * A row goes through a short pipe: the cells of its number and date columns,
 * the maps one after the other, then the categories beside them (one-hot over
 * sqrt 2, so that two different ones are at distance 1, or codes), then the
 * factor of a metric.  Rows are independent: they are cut among the threads,
 * and the first bad one is found by its number, then read again for its
 * sentence, so neither numbers nor messages depend on the threads.
 *
 * Cost: O(rows * columns), and one more pass for each map that learns.
 */
#include "kernels/program/gather.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"

/* Columns are read CHUNK rows at a time, so that a cache line of a column is
 * used up while the lines of the rows it goes to are at hand. */
enum { CHUNK = GI_GATHER_CHUNK_ROWS, CELLS_PARALLEL = GI_GATHER_SERIAL_CELLS };

/* A column of the table at hand as one source of the view. */
typedef struct input {
    const gi_source *source;
    const gi_column *column;
    unsigned feature; /* of a sparse block, if source->block */
    int *code;        /* category: the program's code of each level, or -1 */
} input;

typedef struct gather {
    gi_run *run;
    const gram_program *p;
    const gi_view *view;
    const gram_table *t;
    input *number, *category;
    size_t numbers, categories;
    int unseen;    /* levels need not be known */
    size_t maps;   /* how many to apply */
    int whole;     /* also what comes behind the maps */
    size_t widest; /* numbers of a row anywhere in the pipe */
    size_t width;  /* of a row at its end */
    double *out;
} gather;

/* Why a row is refused. */
typedef struct fault {
    enum { MISSING, UNSEEN, OUTSIDE, OVERFLOWS, NEGATIVE } kind;
    const char *column; /* NULL if maps hide it */
    const char *map;    /* the one that refuses, or the last one */
    const char *what;   /* the level; the reason of the map */
    double value;
} fault;

/* ----------------------------------------------------------------- inputs */

static int find_name(const char *const *names, size_t count, const char *name,
                     unsigned *at)
{
    for (size_t j = 0; j < count; j++)
        if (strcmp(names[j], name) == 0) {
            *at = (unsigned)j;
            return 1;
        }
    return 0;
}

int gi_feature_find(const gi_column *c, const char *name, unsigned *feature)
{
    size_t index;

    if (c->type != GRAM_TYPE_SPARSE)
        return 0;
    if (c->sparse.names)
        return find_name(c->sparse.names, c->sparse.width, name, feature);
    if (gi_column_classify(name, &index) != GI_COLUMN_INDEX || *name == '0' ||
        index > c->sparse.width)
        return 0;
    *feature = (unsigned)(index - 1);
    return 1;
}

gram_status gi_source_find(const gi_source *s, const gram_table *t,
                           const gi_column **out)
{
    gram_status status = GRAM_OK;
    gram_type type = s->block ? GRAM_TYPE_SPARSE : s->type;
    size_t j;

    GI_TRY(gram_table_find(t, s->block ? s->block : s->name, &j));
    *out = &t->column[j];
    if ((*out)->type != type)
        status = gi_fail(GRAM_ERR_SHAPE,
                         "column \"%s\" is of type %s, must be %s as it was "
                         "before",
                         (*out)->name, gram_type_name((*out)->type),
                         gram_type_name(type));
done:
    return status;
}

gram_status gi_levels_find(gi_run *run, const gi_source *s, const gi_column *c,
                           int unseen, int **code)
{
    gram_status status = GRAM_OK;
    int next = (int)s->levels.count;

    GI_TRY(GI_NEW(run, *code, c->level_count));
    for (size_t k = 0; k < c->level_count; k++) {
        int known =
            gi_dict_find(&s->levels, c->levels[k], strlen(c->levels[k]));

        (*code)[k] = known < 0 && unseen ? next++ : known;
    }
done:
    return status;
}

static gram_status open_input(const gather *g, const gi_source *s, input *in)
{
    gram_status status = GRAM_OK;
    const gi_column *c;

    *in = (input){.source = s, .feature = s->feature};
    GI_TRY(gi_source_find(s, g->t, &in->column));
    c = in->column;
    if (s->block && c->sparse.names &&
        !gi_feature_find(c, s->name, &in->feature))
        GI_TRY(gi_fail(GRAM_ERR_NAME, "column \"%s\" has no feature \"%s\"",
                       c->name, s->name));
    if (s->type == GRAM_TYPE_CATEGORY)
        GI_TRY(gi_levels_find(g->run, s, c, g->unseen, &in->code));
done:
    return status;
}

static void close_gather(gather *g)
{
    for (size_t i = 0; i < g->categories; i++)
        gi_free(g->category[i].code);
    gi_free(g->category);
    gi_free(g->number);
}

/* The width of a row behind the first `maps` maps. */
static size_t width_behind(const gather *g, size_t maps)
{
    size_t d = g->numbers;

    for (size_t m = 0; m < maps; m++)
        d = gi_map_width(g->view->map[m], d);
    return d;
}

static size_t codes_width(const gather *g)
{
    size_t width = 0;

    for (size_t i = 0; i < g->categories; i++)
        width += g->view->exact ? 1 : g->category[i].source->levels.count;
    return width;
}

static gram_status open_gather(gi_run *run, const gram_program *p,
                               const gi_view *v, const gram_table *t,
                               int unseen, gather *g)
{
    gram_status status = GRAM_OK;

    *g = (gather){.run = run, .p = p, .view = v, .t = t, .unseen = unseen};
    GI_TRY(GI_NEW(run, g->number, v->count));
    GI_TRY(GI_NEW(run, g->category, v->count));
    for (size_t i = 0; i < v->count; i++) {
        const gi_source *s = &p->source[v->source[i]];

        if (s->type == GRAM_TYPE_CATEGORY)
            GI_TRY(open_input(g, s, &g->category[g->categories++]));
        else if (s->type != GRAM_TYPE_SPARSE)
            GI_TRY(open_input(g, s, &g->number[g->numbers++]));
    }
    for (size_t m = 0; m <= v->maps; m++) {
        size_t d = width_behind(g, m) + (m == v->maps ? codes_width(g) : 0);

        g->widest = d > g->widest ? d : g->widest;
    }
done:
    return status;
}

/* ------------------------------------------------------------------- rows */

/* Entry `feature` of row i of a sparse block, 0 if it is not stored. */
static double sparse_cell(const gi_sparse *s, size_t i, unsigned feature)
{
    size_t low = s->start[i], high = s->start[i + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->index[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->start[i + 1] && s->index[low] == feature ? s->entries[low]
                                                             : 0;
}

/* The number cells of rows first, first + 1, ... */
static void read_cells(const gather *g, size_t first, size_t rows, double *x,
                       size_t ld)
{
    for (size_t k = 0; k < g->numbers; k++) {
        const input *in = &g->number[k];
        const double *cell = in->column->values;

        for (size_t r = 0; r < rows; r++)
            x[r * ld + k] =
                cell ? cell[first + r]
                     : sparse_cell(&in->column->sparse, first + r, in->feature);
    }
}

static int check_cells(const gather *g, const double *x, fault *f)
{
    for (size_t k = 0; k < g->numbers; k++)
        if (isnan(x[k])) {
            *f = (fault){.kind = MISSING, .column = g->number[k].source->name};
            return 0;
        }
    return 1;
}

static int read_categories(const gather *g, size_t i, double *x, fault *f)
{
    for (size_t k = 0; k < g->categories; k++) {
        const input *in = &g->category[k];
        int cell = in->column->codes[i], code = cell < 0 ? -1 : in->code[cell];
        size_t levels = in->source->levels.count;

        if (code < 0) {
            *f = (fault){.kind = cell < 0 ? MISSING : UNSEEN,
                         .column = in->source->name,
                         .what = cell < 0 ? "" : in->column->levels[cell]};
            return 0;
        }
        if (g->view->exact) {
            *x++ = code;
            continue;
        }
        memset(x, 0, levels * sizeof *x);
        if ((size_t)code < levels)
            x[code] = M_SQRT1_2;
        x += levels;
    }
    return 1;
}

/* *x, *d numbers, through the maps, from one half of scratch to the other. */
static int apply_maps(const gather *g, const double **x, size_t *d,
                      double *scratch, fault *f)
{
    for (size_t m = 0; m < g->maps; m++) {
        const gi_map *map = g->view->map[m];
        size_t width = gi_map_width(map, *d);
        double *to = scratch + m % 2 * g->widest;

        *f = (fault){.kind = OUTSIDE, .map = map->class_->name};
        if (!map->class_->apply(map->arg, g->view->state[m].list, *x, *d, to,
                                &f->what))
            return 0;
        f->kind = OVERFLOWS;
        for (size_t k = 0; k < width; k++)
            if (!isfinite(to[k]))
                return 0;
        *x = to;
        *d = width;
    }
    return 1;
}

static int check_domain(const gather *g, const double *x, fault *f)
{
    const gi_view *v = g->view;

    for (size_t k = 0; v->nonnegative && k < v->width; k++)
        if (x[k] < 0) {
            *f = (fault){.kind = NEGATIVE, .value = x[k]};
            if (v->maps)
                f->map = v->map[v->maps - 1]->class_->name;
            else
                f->column = g->number[k].source->name;
            return 0;
        }
    return 1;
}

static void transform(const gi_matrix *F, const double *x, double *out)
{
    for (size_t r = 0; r < F->rows; r++) {
        double sum = 0;

        for (size_t k = 0; k < F->cols; k++)
            sum += F->data[r * F->cols + k] * x[k];
        out[r] = sum;
    }
}

/* Row i, whose number cells are x, into `out`; scratch has room for three of
 * the widest rows. */
static int gather_row(const gather *g, size_t i, const double *x,
                      double *scratch, double *out, fault *f)
{
    const gi_matrix *F = g->whole ? g->view->metric : NULL;
    double *row = F ? scratch + 2 * g->widest : out;
    size_t d = g->numbers;

    if (!check_cells(g, x, f) || !apply_maps(g, &x, &d, scratch, f))
        return 0;
    if (x != row)
        memcpy(row, x, d * sizeof *row);
    if (!g->whole)
        return 1;
    if (!read_categories(g, i, row + d, f))
        return 0;
    if (!F)
        return check_domain(g, row, f);
    transform(F, row, out);
    return 1;
}

/* At most CHUNK rows; the number of the first bad one, or g->t->rows. */
static size_t gather_chunk(const gather *g, size_t first, size_t rows,
                           double *scratch, fault *f)
{
    int direct = g->maps == 0 && !(g->whole && g->view->metric);
    double *out = g->out + first * g->width;
    double *x = direct ? out : scratch + 3 * g->widest;
    size_t ld = direct ? g->width : g->numbers;

    read_cells(g, first, rows, x, ld);
    for (size_t r = 0; r < rows; r++)
        if (!gather_row(g, first + r, x + r * ld, scratch, out + r * g->width,
                        f))
            return first + r;
    return g->t->rows;
}

static gram_status refuse(const gather *g, size_t i, const fault *f)
{
    const char *kernel = g->view->nonnegative;

    switch (f->kind) {
    case MISSING:
        return gi_fail(GRAM_ERR_RANGE,
                       "row %zu, column \"%s\": " GI_MISSING_CELL, i + 1,
                       f->column);
    case UNSEEN:
        return gi_fail(GRAM_ERR_RANGE,
                       "row %zu, column \"%s\": \"%s\" is not a level of the "
                       "first table",
                       i + 1, f->column, f->what);
    case OUTSIDE:
        return gi_fail(GRAM_ERR_RANGE, "row %zu, map %s: %s", i + 1, f->map,
                       f->what);
    case OVERFLOWS:
        return gi_fail(GRAM_ERR_RANGE,
                       "row %zu, map %s: the result is not a finite number",
                       i + 1, f->map);
    case NEGATIVE:
        break;
    }
    if (f->map)
        return gi_fail(GRAM_ERR_RANGE,
                       "row %zu: %g behind map %s, %s takes numbers of at "
                       "least 0",
                       i + 1, f->value, f->map, kernel);
    return gi_fail(GRAM_ERR_RANGE,
                   "row %zu, column \"%s\": %g, %s takes numbers of at least "
                   "0",
                   i + 1, f->column, f->value, kernel);
}

/* All rows into g->out. */
static gram_status gather_rows(gather *g)
{
    gram_status status = GRAM_OK;
    size_t rows = g->t->rows, bad, room = (CHUNK + 3) * g->widest;
    /* Waking threads costs more than a small table takes. */
    int threads = rows * g->widest < CELLS_PARALLEL ? 1 : g->run->threads;
    atomic_size_t first = rows; /* that is bad */
    double *scratch = NULL;

    GI_TRY(GI_NEW(g->run, scratch, (size_t)threads * room));
    GI_PARALLEL_FOR(threads)
    for (size_t i = 0; i < rows; i += CHUNK) {
        double *mine = scratch + (size_t)gi_thread_number() * room;
        fault f;
        size_t at =
            gather_chunk(g, i, rows - i < CHUNK ? rows - i : CHUNK, mine, &f);

        gi_atomic_min(&first, at);
    }
    bad = atomic_load(&first);
    if (bad < rows) {
        fault f = {0};

        gather_chunk(g, bad, 1, scratch, &f);
        status = refuse(g, bad, &f);
    }
done:
    gi_free(scratch);
    return status;
}

/* ------------------------------------------------------------------ states */

/* Map m learns from what comes out of those before it. */
static gram_status learn_lists(gather *g, size_t m, gi_state *s)
{
    gram_status status = GRAM_OK;
    const gi_map *map = g->view->map[m];
    size_t n = gi_map_state_size(map, s->columns);

    if (n == 0)
        return status;
    g->maps = m;
    g->width = s->columns;
    GI_TRY(gi_alloc(g->run, &g->out, g->t->rows, g->width * sizeof *g->out));
    GI_TRY(gather_rows(g));
    GI_TRY(GI_NEW(g->run, s->list, n));
    s->length = n;
    GI_TRY(gi_map_learn(g->run, map, g->out, g->t->rows, s->columns, s->list));
done:
    gi_free(g->out);
    g->out = NULL;
    return status;
}

gram_status gi_view_learn(const gram_program *p, gi_view *v,
                          const gram_table *t)
{
    gram_status status = GRAM_OK;
    gather g = {0};

    if (v->maps == 0)
        return status;
    GI_TRY(open_gather(p->run, p, v, t, 0, &g));
    for (size_t m = 0; m < v->maps; m++) {
        gi_state *s = &v->state[m];

        s->columns = width_behind(&g, m);
        if (v->map[m]->state)
            GI_TRY(gi_state_read(p->run, p->kernel->spec, v->map[m], s->columns,
                                 v->sparse >= 0, s));
        else
            GI_TRY(learn_lists(&g, m, s));
    }
    if (v->sparse >= 0)
        GI_TRY(gi_divisors_learn(p, v, t));
done:
    close_gather(&g);
    return status;
}

/* ------------------------------------------------------------------- views */

gram_status gi_view_gather(gi_run *run, const gram_program *p, const gi_view *v,
                           const gram_table *t, int unseen, double *out)
{
    gram_status status = GRAM_OK;
    gather g = {0};

    GI_TRY(open_gather(run, p, v, t, unseen, &g));
    g.maps = v->maps;
    g.whole = 1;
    g.width = v->width;
    g.out = out;
    GI_TRY(gather_rows(&g));
done:
    close_gather(&g);
    return status;
}
