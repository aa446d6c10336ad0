/* points.c - the rows of a table, gathered for all views of a program.
 *
 * Views that no instruction looks at are passed over.  A sparse block is
 * copied as it is; its features have no limit, so that a table may have ones
 * that the first table has not: they were zero there.
 */
#include "kernels/program/points.h"

#include <string.h>

#include "base/mem.h"
#include "kernels/program/gather.h"

/* ------------------------------------------------------------------ sparse */

/* Features of a sparse block are matched by their place, so names must agree
 * as far as both have them. */
static gram_status check_features(const gi_source *s, const gi_column *c)
{
    for (size_t j = 0;
         c->sparse.names && j < s->levels.count && j < c->sparse.width; j++)
        if (strcmp(c->sparse.names[j], gi_dict_at(&s->levels, j)) != 0)
            return gi_fail(GRAM_ERR_NAME,
                           "column \"%s\": feature %zu is called \"%s\", it "
                           "was \"%s\" in the first table",
                           c->name, j + 1, c->sparse.names[j],
                           gi_dict_at(&s->levels, j));
    return GRAM_OK;
}

/* The first row with an entry below 0, or `rows`. */
static size_t find_negative(const gi_sparse *s, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->entries[k] < 0)
                return i;
    return rows;
}

static gram_status check_sparse(const gi_view *v, const gi_column *c,
                                size_t rows)
{
    size_t i = v->nonnegative ? find_negative(&c->sparse, rows) : rows;

    if (i < rows)
        return gi_fail(GRAM_ERR_RANGE,
                       "row %zu, column \"%s\": a number below 0, %s takes "
                       "numbers of at least 0",
                       i + 1, c->name, v->nonnegative);
    return GRAM_OK;
}

static gram_status gather_sparse(gi_run *run, const gram_program *p,
                                 const gi_view *v, const gram_table *t,
                                 gi_rows *out)
{
    gram_status status = GRAM_OK;
    const gi_source *source = &p->source[v->sparse];
    const gi_column *c = NULL;
    const gi_sparse *s;
    size_t n;

    GI_TRY(gi_source_find(source, t, &c));
    GI_TRY(check_features(source, c));
    GI_TRY(check_sparse(v, c, t->rows));
    s = &c->sparse;
    n = s->start[t->rows];
    GI_TRY(GI_NEW(run, out->start, t->rows + 1));
    GI_TRY(GI_NEW(run, out->index, n));
    GI_TRY(GI_NEW(run, out->entries, n));
    memcpy(out->start, s->start, (t->rows + 1) * sizeof *out->start);
    if (n) {
        memcpy(out->index, s->index, n * sizeof *out->index);
        memcpy(out->entries, s->entries, n * sizeof *out->entries);
    }
    GI_TRY(gi_divisors_apply(v, t->rows, out->start, out->index, out->entries));
    out->sparse_width = v->sparse_width;
    for (size_t i = 0; i < t->rows; i++)
        if (s->start[i + 1] > s->start[i] &&
            s->index[s->start[i + 1] - 1] >= out->sparse_width)
            out->sparse_width = (size_t)s->index[s->start[i + 1] - 1] + 1;
    out->known_width = out->sparse_width;
done:
    return status;
}

/* ------------------------------------------------------------------ points */

static int is_used(const gram_program *p, size_t view)
{
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].view == (int)view)
            return 1;
    return 0;
}

static gram_status gather_view(gi_run *run, const gram_program *p,
                               const gi_view *v, const gram_table *t,
                               int unseen, gi_rows *out)
{
    gram_status status = GRAM_OK;

    if (v->width > 0) {
        GI_TRY(
            gi_alloc(run, &out->dense, t->rows, v->width * sizeof *out->dense));
        GI_TRY(gi_view_gather(run, p, v, t, unseen, out->dense));
    }
    if (v->sparse >= 0)
        GI_TRY(gather_sparse(run, p, v, t, out));
    if (unseen)
        GI_TRY(gi_unseen_add(run, p, v, t, out));
done:
    return status;
}

static gram_status new_points(gi_run *run, const gram_program *p,
                              const gram_table *t, gi_precision precision,
                              int unseen, gi_points **out)
{
    gram_status status = GRAM_OK;
    gi_points *x = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, x, 1));
    x->rows = t->rows;
    x->precision = precision;
    x->table = t->serial;
    GI_TRY(GI_NEW_ZERO(run, x->view, p->views));
    x->views = p->views;
    for (size_t v = 0; v < p->views; v++)
        if (is_used(p, v))
            GI_TRY(gather_view(run, p, &p->view[v], t, unseen, &x->view[v]));
    *out = x;
    x = NULL;
done:
    gi_points_free(x);
    return gi_table_context(status, t);
}

gram_status gi_points_new(gi_run *run, const gram_program *p,
                          const gram_table *t, gi_precision precision,
                          gi_points **out)
{
    return new_points(run, p, t, precision, 0, out);
}

gram_status gi_points_new_unseen(gi_run *run, const gram_program *p,
                                 const gram_table *t, gi_precision precision,
                                 gi_points **out)
{
    return new_points(run, p, t, precision, 1, out);
}

static gram_status select_dense(gi_run *run, const double *from, size_t width,
                                const size_t *row, size_t m, double **out)
{
    gram_status status;

    GI_TRY(gi_alloc(run, out, m, width * sizeof **out));
    for (size_t i = 0; i < m; i++)
        memcpy(*out + i * width, from + row[i] * width, width * sizeof **out);
done:
    return status;
}

static gram_status select_sparse(gi_run *run, const gi_rows *from,
                                 const size_t *row, size_t m, gi_rows *out)
{
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, out->start, m + 1));
    for (size_t i = 0; i < m; i++)
        out->start[i + 1] =
            out->start[i] + from->start[row[i] + 1] - from->start[row[i]];
    GI_TRY(GI_NEW(run, out->index, out->start[m]));
    GI_TRY(GI_NEW(run, out->entries, out->start[m]));
    for (size_t i = 0; i < m; i++) {
        size_t at = from->start[row[i]], to = out->start[i];
        size_t n = out->start[i + 1] - to;

        if (n == 0)
            continue;
        memcpy(out->index + to, from->index + at, n * sizeof *out->index);
        memcpy(out->entries + to, from->entries + at, n * sizeof *out->entries);
    }
    out->sparse_width = from->sparse_width;
    out->known_width = from->known_width;
done:
    return status;
}

gram_status gi_points_select(gi_run *run, const gram_program *p,
                             const gi_points *x, const size_t *row, size_t m,
                             gi_points **out)
{
    gram_status status;
    gi_points *y = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, y, 1));
    y->rows = m;
    y->precision = x->precision;
    y->table = x->table;
    if (gi_program_addresses_rows(p)) {
        GI_TRY(GI_NEW(run, y->number, m));
        for (size_t i = 0; i < m; i++)
            y->number[i] = gi_points_number(x, row[i]);
    }
    GI_TRY(GI_NEW_ZERO(run, y->view, x->views));
    y->views = x->views;
    for (size_t v = 0; v < x->views; v++) {
        const gi_rows *from = &x->view[v];

        if (from->dense)
            GI_TRY(select_dense(run, from->dense, p->view[v].width, row, m,
                                &y->view[v].dense));
        if (from->start)
            GI_TRY(select_sparse(run, from, row, m, &y->view[v]));
    }
    *out = y;
    y = NULL;
done:
    gi_points_free(y);
    return status;
}

gram_status gi_points_view(gi_run *run, const gi_points *x,
                           gi_precision precision, gi_points **out)
{
    gram_status status;
    gi_points *y = NULL;

    *out = NULL;
    GI_TRY(GI_NEW(run, y, 1));
    *y = *x;
    y->precision = precision;
    y->borrowed = 1;
    *out = y;
done:
    return status;
}

void gi_points_free(gi_points *x)
{
    if (!x)
        return;
    for (size_t v = 0; !x->borrowed && v < x->views; v++) {
        gi_free(x->view[v].dense);
        gi_free(x->view[v].start);
        gi_free(x->view[v].index);
        gi_free(x->view[v].entries);
    }
    if (!x->borrowed) {
        gi_free(x->view);
        gi_free(x->number);
    }
    gi_free(x);
}

size_t gi_points_rows(const gi_points *x)
{
    return x->rows;
}

/* ------------------------------------------------------------------ checks */

/* Selected rows are among those of a table that was checked. */
static gram_status check_matrix(const gi_matrix *m, const gi_points *x,
                                const gi_points *t)
{
    const int symmetric = !t;
    const size_t rows = x->number ? m->rows : x->rows;
    const size_t cols = symmetric ? rows : t->number ? m->cols : t->rows;

    if (m->rows != rows || m->cols != cols)
        return gi_fail(GRAM_ERR_SHAPE,
                       "%s: a matrix of %zu x %zu, the rows at hand need "
                       "%zu x %zu",
                       m->path, m->rows, m->cols, rows, cols);
    if (symmetric && !m->symmetric)
        return gi_fail(GRAM_ERR_SHAPE,
                       "%s: not a symmetric matrix, as of one table it must "
                       "be",
                       m->path);
    return GRAM_OK;
}

/* Every feature of the points must have its weight. */
static gram_status check_weights(const gram_program *p, const gi_op *op,
                                 const gi_points *x)
{
    const gi_view *v = &p->view[op->view];

    if (v->sparse < 0 || x->view[op->view].known_width <= v->sparse_width)
        return GRAM_OK;
    return gi_fail(GRAM_ERR_SHAPE,
                   "column \"%s\": feature %zu has no weight of its own, the "
                   "first table has %zu features",
                   p->source[v->sparse].name, x->view[op->view].known_width,
                   v->sparse_width);
}

gram_status gi_points_check(const gram_program *p, const gi_points *x,
                            const gi_points *t)
{
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < p->ops; i++) {
        const gi_op *op = &p->op[i];

        if (op->code == GI_OP_MATRIX)
            GI_TRY(check_matrix(op->matrix, x, t));
        if (op->view >= 0 && t && gi_unseen_clash(x, t, (size_t)op->view))
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "two tables with levels or features that the first "
                           "table has not, which may be the same"));
        if (op->view >= 0 && op->slot >= 0 && op->code != GI_OP_COLUMNS) {
            GI_TRY(check_weights(p, op, x));
            GI_TRY(check_weights(p, op, t ? t : x));
        }
    }
done:
    return status;
}
