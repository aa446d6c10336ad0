/* views.c - from the columns named in an expression to views.
 *
 * A name is looked for among the columns, then among the features of sparse
 * blocks (those of LIBSVM files are called 1, 2, ...), and digits that are no
 * name are an index over all columns, the target included.  Patterns and
 * ranges take features only, so that a target is never learned from unless it
 * is named.  A column named twice is seen once.
 *
 * Equal views are one, which is what makes terms share inner products.
 *
 * Cost: O(columns) for each leaf of the expression.
 */
#include "kernels/program/views.h"

#include <string.h>

#include "base/mem.h"
#include "base/bind.h"
#include "kernels/program/gather.h"

/* Columns of the table, or features of its sparse blocks, as chosen. */
typedef struct choice {
    gi_run *run;
    const gi_spec *spec;
    const gram_table *t;
    struct pick {
        size_t column;
        const char *name; /* of the feature; NULL: the whole column */
        unsigned feature;
    } * pick;
    size_t count, room;
    unsigned char *taken; /* per column */
} choice;

/* -------------------------------------------------------- columns by name */

static gram_status add_pick(choice *c, struct pick pick)
{
    gram_status status = GRAM_OK;

    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 16;

        GI_TRY(GI_GROW(c->run, c->pick, room));
        c->room = room;
    }
    c->pick[c->count++] = pick;
done:
    return status;
}

static gram_status take(choice *c, size_t column)
{
    if (c->taken[column])
        return GRAM_OK;
    c->taken[column] = 1;
    return add_pick(c, (struct pick){.column = column});
}

static int is_feature(const gi_column *c)
{
    return c->role == GRAM_ROLE_FEATURE;
}

/* The feature of that name in a sparse block, if there is one. */
static gram_status take_feature(choice *c, const char *name, int *found)
{
    struct pick pick = {.name = name};

    while (pick.column < c->t->cols &&
           !gi_feature_find(&c->t->column[pick.column], name, &pick.feature))
        pick.column++;
    *found = pick.column < c->t->cols;
    for (size_t i = 0; i < c->count; i++)
        if (c->pick[i].name && strcmp(c->pick[i].name, name) == 0)
            return GRAM_OK;
    return *found ? add_pick(c, pick) : GRAM_OK;
}

static gram_status take_range(choice *c, const gi_column_item *item, int *found)
{
    gram_status status = GRAM_OK;

    if (item->to > c->t->cols)
        return gi_spec_fail(c->spec, item->at, GRAM_ERR_NAME,
                            "columns %zu:%zu, there are %zu", item->from,
                            item->to, c->t->cols);
    for (size_t j = item->from; j < item->to; j++)
        if (is_feature(&c->t->column[j])) {
            *found = 1;
            GI_TRY(take(c, j));
        }
done:
    return status;
}

static gram_status take_pattern(choice *c, const gi_column_item *item,
                                int *found)
{
    gram_status status = GRAM_OK;

    for (size_t j = 0; j < c->t->cols; j++)
        if (is_feature(&c->t->column[j]) &&
            gi_column_matches(item, c->t->column[j].name)) {
            *found = 1;
            GI_TRY(take(c, j));
        }
done:
    return status;
}

static gram_status take_name(choice *c, const gi_column_item *item, int *found)
{
    gram_status status = GRAM_OK;
    int j = gi_dict_find(&c->t->names, item->name, strlen(item->name));

    if (j >= 0) {
        *found = 1;
        return take(c, (size_t)j);
    }
    GI_TRY(take_feature(c, item->name, found));
    if (!*found && item->kind == GI_COLUMN_INDEX && item->from < c->t->cols) {
        *found = 1;
        GI_TRY(take(c, item->from));
    }
done:
    return status;
}

static gram_status no_column(const choice *c, const gi_column_item *item)
{
    char hint[256] = "";
    const char **names = NULL;
    gram_status status;

    if (item->kind == GI_COLUMN_RANGE)
        return gi_spec_fail(c->spec, item->at, GRAM_ERR_NAME,
                            "columns %zu:%zu are no features", item->from,
                            item->to);
    if (item->kind == GI_COLUMN_PATTERN)
        return gi_spec_fail(c->spec, item->at, GRAM_ERR_NAME,
                            "no feature fits \"%s\"", item->name);
    if (GI_NEW(c->run, names, c->t->cols) == GRAM_OK) {
        for (size_t j = 0; j < c->t->cols; j++)
            names[j] = c->t->column[j].name;
        gi_did_you_mean(item->name, names, c->t->cols, hint, sizeof hint);
    }
    status = gi_spec_fail(c->spec, item->at, GRAM_ERR_NAME,
                          "no column \"%s\"%s", item->name, hint);
    gi_free(names);
    return status;
}

static gram_status (*const takers[])(choice *, const gi_column_item *,
                                     int *) = {
    [GI_COLUMN_NAME] = take_name,
    [GI_COLUMN_INDEX] = take_name,
    [GI_COLUMN_RANGE] = take_range,
    [GI_COLUMN_PATTERN] = take_pattern,
};

static gram_status take_features(choice *c, const gi_need *need)
{
    gram_status status = GRAM_OK;

    for (size_t j = 0; j < c->t->cols; j++)
        if (is_feature(&c->t->column[j]))
            GI_TRY(take(c, j));
    if (c->count == 0)
        status = gi_fail(GRAM_ERR_SHAPE,
                         "%s looks at all features, the table has none",
                         need->kernel);
done:
    return status;
}

static int is_text(const choice *c, size_t i)
{
    return c->t->column[c->pick[i].column].type == GRAM_TYPE_TEXT;
}

/* The chosen columns that are text, or those that are not, as a list of the
 * language: "a,b,\"c d\"", the first few of them. */
static gram_status list_columns(const choice *c, int text, gi_buf *out)
{
    enum { ENOUGH = 200 }; /* bytes */
    gram_status status = GRAM_OK;

    GI_TRY(gi_buf_add(c->run, out, "", 0));
    for (size_t i = 0; i < c->count; i++) {
        const char *name = c->t->column[c->pick[i].column].name;
        const char *quote = gi_column_is_bare(name) ? "" : "\"";

        if (is_text(c, i) != text)
            continue;
        if (out->n > ENOUGH) {
            GI_TRY(gi_buf_printf(c->run, out, ",..."));
            break;
        }
        GI_TRY(gi_buf_printf(c->run, out, "%s%s%s%s", out->n ? "," : "", quote,
                             name, quote));
    }
done:
    return status;
}

/* Of all features: which are to blame, and the ways out.  `only` is the name
 * if there is one. */
static gram_status refuse_texts(const choice *c, const gi_need *need,
                                const char *only)
{
    gram_status status = GRAM_OK;
    gi_buf texts = {0}, others = {0}, way = {0};

    GI_TRY(list_columns(c, 1, &texts));
    GI_TRY(list_columns(c, 0, &others));
    if (others.n)
        GI_TRY(gi_buf_printf(c->run, &way,
                             ", or name the columns to read, as in %s[%s]",
                             need->kernel, others.s));
    status = gi_fail(GRAM_ERR_SHAPE,
                     only ? "column \"%s\" is text, %s reads numbers and "
                            "categories: leave it out (--drop %s)%s"
                          : "columns %s are text, %s reads numbers and "
                            "categories: leave them out (--drop %s)%s",
                     only ? only : texts.s, need->kernel, texts.s,
                     way.n ? way.s : "");
done:
    gi_buf_free(&texts);
    gi_buf_free(&others);
    gi_buf_free(&way);
    return status;
}

/* The kernels of this catalogue read numbers and categories. */
static gram_status check_types(const choice *c, const gi_need *need,
                               const gi_column_item *items)
{
    const char *name = NULL;
    size_t texts = 0;

    for (size_t i = 0; i < c->count; i++)
        if (is_text(c, i) && texts++ == 0)
            name = c->t->column[c->pick[i].column].name;
    if (texts && !items)
        return refuse_texts(c, need, texts == 1 ? name : NULL);
    if (texts)
        return gi_spec_fail(c->spec, items->at, GRAM_ERR_SHAPE,
                            "column \"%s\" is text, %s reads numbers and "
                            "categories: name other columns",
                            name, need->kernel);
    return GRAM_OK;
}

static gram_status choose(choice *c, const gi_column_item *items,
                          const gi_need *need)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW_ZERO(c->run, c->taken, c->t->cols));
    if (!items)
        GI_TRY(take_features(c, need));
    for (const gi_column_item *item = items; item; item = item->next) {
        int found = 0;

        GI_TRY(takers[item->kind](c, item, &found));
        if (!found)
            GI_TRY(no_column(c, item));
    }
    GI_TRY(check_types(c, need, items));
done:
    return gi_table_context(status, c->t);
}

/* ----------------------------------------------------------------- sources */

static gram_status add_strings(gi_run *run, gi_dict *dict,
                               const char *const *strings, size_t count)
{
    gram_status status = GRAM_OK;
    int code;

    for (size_t k = 0; k < count; k++)
        GI_TRY(gi_dict_add(run, dict, strings[k], strlen(strings[k]), &code));
done:
    return status;
}

static gram_status fill_source(gram_program *p, const gi_column *column,
                               const struct pick *pick, gi_source *s)
{
    gram_status status = GRAM_OK;
    const char *name = pick->name ? pick->name : column->name;

    s->type = pick->name ? GRAM_TYPE_NUMBER : column->type;
    s->feature = pick->feature;
    s->width = column->sparse.width;
    GI_TRY(gi_strndup(p->run, name, strlen(name), &s->name));
    if (pick->name)
        GI_TRY(
            gi_strndup(p->run, column->name, strlen(column->name), &s->block));
    else if (s->type == GRAM_TYPE_CATEGORY)
        GI_TRY(add_strings(p->run, &s->levels, column->levels,
                           column->level_count));
    else if (column->sparse.names)
        GI_TRY(add_strings(p->run, &s->levels, column->sparse.names,
                           column->sparse.width));
done:
    return status;
}

/* The source of a chosen column.  A name means one thing in one table, so
 * names are enough to find it. */
static gram_status source_of(gram_program *p, const gram_table *t,
                             const struct pick *pick, int *out)
{
    gram_status status = GRAM_OK;
    const gi_column *column = &t->column[pick->column];
    const char *name = pick->name ? pick->name : column->name;

    *out = gi_dict_find(&p->source_names, name, strlen(name));
    if (*out >= 0)
        return status;
    if (p->sources == p->sources_capacity) {
        size_t room = p->sources_capacity ? 2 * p->sources_capacity : 16;

        GI_TRY(GI_GROW(p->run, p->source, room));
        p->sources_capacity = room;
    }
    GI_TRY(gi_dict_add(p->run, &p->source_names, name, strlen(name), out));
    p->source[p->sources] = (gi_source){0};
    GI_TRY(fill_source(p, column, pick, &p->source[p->sources++]));
done:
    return status;
}

/* ------------------------------------------------------------------- views */

void gi_view_clear(gi_view *v)
{
    if (!v->metric) { /* else it is all borrowed */
        for (size_t m = 0; v->state && m < v->maps; m++)
            gi_state_clear(&v->state[m]);
        gi_free(v->state);
        gi_free(v->map);
        gi_free(v->source);
    }
    *v = (gi_view){0};
}

static gram_status collect_maps(gi_run *run, const gi_scope *scope, gi_view *v)
{
    gram_status status = GRAM_OK;
    size_t m = 0;

    for (const gi_scope *s = scope; s; s = s->outer)
        m += s->map != NULL;
    v->maps = m;
    GI_TRY(GI_NEW(run, v->map, m));
    GI_TRY(GI_NEW_ZERO(run, v->state, m));
    for (const gi_scope *s = scope; s; s = s->outer)
        if (s->map)
            v->map[--m] = s->map;
done:
    return status;
}

static gram_status add_sparse(const gram_program *p, const gi_need *need,
                              int source, gi_view *v)
{
    const gi_source *s = &p->source[source];

    if (v->sparse >= 0)
        return gi_spec_fail(p->kernel->spec, need->at, GRAM_ERR_SHAPE,
                            "columns \"%s\" and \"%s\" are both sparse, %s "
                            "takes one: add or multiply a kernel of each",
                            p->source[v->sparse].name, s->name, need->kernel);
    for (size_t m = 0; m < v->maps; m++)
        if (!v->map[m]->class_->divisor)
            return gi_spec_fail(p->kernel->spec, need->at, GRAM_ERR_SHAPE,
                                "column \"%s\" is sparse, map %s takes numbers",
                                s->name, v->map[m]->class_->name);
    v->sparse = source;
    v->sparse_width = s->width;
    return GRAM_OK;
}

/* Numbers of a row: those through the maps, then the categories. */
static gram_status measure(const gram_program *p, const gi_need *need,
                           gi_view *v)
{
    gram_status status = GRAM_OK;
    size_t numbers = 0, categories = 0;

    for (size_t i = 0; i < v->count; i++) {
        const gi_source *s = &p->source[v->source[i]];

        if (s->type == GRAM_TYPE_SPARSE)
            GI_TRY(add_sparse(p, need, v->source[i], v));
        else if (s->type == GRAM_TYPE_CATEGORY) {
            v->exact = need->exact;
            categories += need->exact ? 1 : s->levels.count;
        } else
            numbers++;
    }
    for (size_t m = 0; m < v->maps; m++)
        numbers = gi_map_width(v->map[m], numbers);
    v->width = numbers + categories;
done:
    return status;
}

static int same_numbers(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static int same_map(const gi_map *a, const gi_map *b)
{
    size_t params = gi_param_count(a->class_->params);

    if (a == b)
        return 1;
    if (a->class_ != b->class_ || !a->state != !b->state ||
        a->state_size != b->state_size)
        return 0;
    return (params == 0 || same_numbers(a->arg, b->arg, params)) &&
           (!a->state || same_numbers(a->state, b->state, a->state_size));
}

static int same_view(const gi_view *a, const gi_view *b)
{
    if (a->count != b->count || a->maps != b->maps || a->exact != b->exact ||
        a->metric != b->metric ||
        memcmp(a->source, b->source, a->count * sizeof *a->source) != 0)
        return 0;
    for (size_t m = 0; m < a->maps; m++)
        if (!same_map(a->map[m], b->map[m]))
            return 0;
    return 1;
}

/* The number of a view like v, or p->views. */
static size_t find_view(const gram_program *p, const gi_view *v)
{
    size_t i = 0;

    while (i < p->views && !same_view(&p->view[i], v))
        i++;
    return i;
}

/* Append v, whose memory is then the program's. */
static gram_status add_view(gram_program *p, gi_view *v)
{
    gram_status status = GRAM_OK;

    if (p->views == p->views_capacity) {
        size_t room = p->views_capacity ? 2 * p->views_capacity : 8;

        GI_TRY(GI_GROW(p->run, p->view, room));
        p->views_capacity = room;
    }
    p->view[p->views++] = *v;
    *v = (gi_view){0};
done:
    return status;
}

gram_status gi_view_find(gram_program *p, const gram_table *t,
                         const gi_scope *scope, const gi_need *need, int *view)
{
    gram_status status = GRAM_OK;
    choice c = {.run = p->run, .spec = p->kernel->spec, .t = t};
    gi_view v = {.sparse = -1};
    size_t i;

    GI_TRY(choose(&c, scope->columns, need));
    GI_TRY(GI_NEW(p->run, v.source, c.count));
    for (; v.count < c.count; v.count++)
        GI_TRY(source_of(p, t, &c.pick[v.count], &v.source[v.count]));
    GI_TRY(collect_maps(p->run, scope, &v));
    GI_TRY(measure(p, need, &v));
    i = find_view(p, &v);
    if (i == p->views) {
        GI_TRY(p->given ? gi_view_restore(p, &v) : gi_view_learn(p, &v, t));
        GI_TRY(add_view(p, &v));
    }
    /* Cells are checked once for all leaves that look at them. */
    if (need->nonnegative && !p->view[i].nonnegative)
        p->view[i].nonnegative = need->kernel;
    *view = (int)i;
done:
    gi_view_clear(&v);
    gi_free(c.pick);
    gi_free(c.taken);
    return status;
}

gram_status gi_view_transform(gram_program *p, int view, const gi_matrix *F,
                              int *out)
{
    gram_status status = GRAM_OK;
    gi_view v = p->view[view];
    size_t i;

    v.metric = F;
    v.width = F->rows;
    i = find_view(p, &v);
    if (i == p->views)
        GI_TRY(add_view(p, &v));
    *out = (int)i;
done:
    return status;
}
