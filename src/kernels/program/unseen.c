/* unseen.c - levels of categories that the first table has not.
 *
 * A level that nobody knew is unlike every other: had it been known, its
 * one-hot number would have been 0 in all rows of the first table.  So it is an
 * entry 1/sqrt 2 of a sparse block, as a feature that the first table has not
 * is one, behind the features of the block if the view has one.  Then inner
 * products with known levels are 0 and squared distances 1, nothing else
 * changes, and tables without such levels cost nothing.
 *
 * Level m (from 0) that is new in category c (from 0) of C is feature
 * known_width + m C + c.  What has one number per column has none for it; its
 * weight is the mean of those of the known levels.
 */
#include <math.h>

#include "base/mem.h"
#include "kernels/program/gather.h"
#include "kernels/program/points.h"

/* The categories of a view in a table. */
typedef struct categories {
    const gi_source **source;
    const int **cell; /* per category, the code of every row in the table */
    int **code;       /* and what the program calls it */
    size_t count;
} categories;

static void close_categories(categories *c)
{
    for (size_t k = 0; k < c->count; k++)
        gi_free(c->code[k]);
    gi_free(c->source);
    gi_free(c->cell);
    gi_free(c->code);
}

static gram_status open_categories(gi_run *run, const gram_program *p,
                                   const gi_view *v, const gram_table *t,
                                   categories *c)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, c->source, v->count));
    GI_TRY(GI_NEW(run, c->cell, v->count));
    GI_TRY(GI_NEW_ZERO(run, c->code, v->count));
    for (size_t i = 0; i < v->count; i++) {
        const gi_source *s = &p->source[v->source[i]];
        const gi_column *column = NULL;

        if (s->type != GRAM_TYPE_CATEGORY)
            continue;
        GI_TRY(gi_source_find(s, t, &column));
        c->source[c->count] = s;
        c->cell[c->count] = column->codes;
        GI_TRY(gi_levels_find(run, s, column, 1, &c->code[c->count++]));
    }
done:
    return status;
}

/* The features of row i, ascending, in `index`; how many. */
static size_t features_of(const categories *c, size_t i, unsigned *index)
{
    size_t n = 0;

    for (size_t k = 0; k < c->count; k++) {
        size_t known = c->source[k]->levels.count, at = n;
        int cell = c->cell[k][i];
        unsigned feature;

        if (cell < 0 || (size_t)c->code[k][cell] < known)
            continue;
        feature = (unsigned)(((size_t)c->code[k][cell] - known) * c->count + k);
        for (; at > 0 && index[at - 1] > feature; at--)
            index[at] = index[at - 1];
        index[at] = feature;
        n++;
    }
    return n;
}

/* The rows of r with the features behind their entries. */
static gram_status append(gi_run *run, const categories *c, size_t rows,
                          size_t more, gi_rows *r)
{
    gram_status status = GRAM_OK;
    size_t had = r->start ? r->start[rows] : 0, n = 0, *start = NULL;
    unsigned *index = NULL, *own = NULL;
    double *entries = NULL;

    GI_TRY(GI_NEW(run, start, rows + 1));
    GI_TRY(GI_NEW(run, index, had + more));
    GI_TRY(GI_NEW(run, entries, had + more));
    GI_TRY(GI_NEW(run, own, c->count));
    r->known_width = r->sparse_width;
    for (size_t i = 0; i < rows; i++) {
        size_t count = features_of(c, i, own);

        start[i] = n;
        for (size_t e = r->start ? r->start[i] : 0;
             r->start && e < r->start[i + 1]; e++, n++) {
            index[n] = r->index[e];
            entries[n] = r->entries[e];
        }
        for (size_t k = 0; k < count; k++, n++) {
            index[n] = (unsigned)r->known_width + own[k];
            entries[n] = M_SQRT1_2;
            if (index[n] >= r->sparse_width)
                r->sparse_width = (size_t)index[n] + 1;
        }
    }
    start[rows] = n;
    gi_free(r->start);
    gi_free(r->index);
    gi_free(r->entries);
    r->start = start;
    r->index = index;
    r->entries = entries;
    start = NULL;
    index = NULL;
    entries = NULL;
done:
    gi_free(start);
    gi_free(index);
    gi_free(entries);
    gi_free(own);
    return status;
}

gram_status gi_unseen_add(gi_run *run, const gram_program *p, const gi_view *v,
                          const gram_table *t, gi_rows *rows)
{
    gram_status status = GRAM_OK;
    categories c = {0};
    unsigned *room = NULL;
    size_t more = 0;

    if (v->exact || v->metric) /* codes; a matrix has no row for it */
        return status;
    GI_TRY(open_categories(run, p, v, t, &c));
    GI_TRY(GI_NEW(run, room, c.count));
    for (size_t i = 0; c.count > 0 && i < t->rows; i++)
        more += features_of(&c, i, room);
    if (more > 0)
        GI_TRY(append(run, &c, t->rows, more, rows));
done:
    gi_free(room);
    close_categories(&c);
    return status;
}

void gi_unseen_like(const gram_program *p, const gi_view *v,
                    const gi_rows *rows, size_t feature, size_t *first,
                    size_t *count)
{
    size_t number = 0, c, at = v->width;

    for (size_t i = 0; i < v->count; i++)
        number += p->source[v->source[i]].type == GRAM_TYPE_CATEGORY;
    *first = *count = 0;
    if (number == 0) /* then there is no such feature */
        return;
    c = (feature - rows->known_width) % number;
    /* categories come last: from the end of the row to the one that is c */
    for (size_t i = v->count; i-- > 0;) {
        const gi_source *s = &p->source[v->source[i]];

        if (s->type != GRAM_TYPE_CATEGORY)
            continue;
        at -= s->levels.count;
        if (--number == c) {
            *first = at;
            *count = s->levels.count;
            return;
        }
    }
}

int gi_unseen_clash(const gi_points *x, const gi_points *t, size_t view)
{
    const gi_rows *a = &x->view[view], *b = &t->view[view];

    if (x->table == t->table)
        return 0;
    return (a->sparse_width > a->known_width &&
            b->sparse_width > a->known_width) ||
           (b->sparse_width > b->known_width &&
            a->sparse_width > b->known_width);
}
