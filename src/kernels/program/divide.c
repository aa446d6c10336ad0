/* divide.c - sparse blocks on their way through maps.
 *
 * A zero that is not stored must stay zero, so a map can only divide: feature j
 * by one number, which the map learns from the numbers of that feature.  They
 * are brought together by a counting sort, and divided before the next map
 * learns.  A feature that a later table is the first to have was zero all the
 * time, and is divided by 1.
 *
 * Cost: O(entries + features) for each map.
 */
#include <math.h>

#include "base/mem.h"
#include "kernels/program/gather.h"

/* The entries of a block, feature by feature, each in the order of the rows. */
typedef struct sorted {
    size_t *start; /* per feature, and one more */
    double *entry;
} sorted;

static gram_status sort_entries(gi_run *run, const gi_sparse *s, size_t rows,
                                sorted *out)
{
    gram_status status = GRAM_OK;
    size_t count = s->start[rows];

    GI_TRY(GI_NEW_ZERO(run, out->start, s->width + 2));
    GI_TRY(GI_NEW(run, out->entry, count));
    /* start[j + 1] is where the next entry of feature j goes */
    for (size_t e = 0; e < count; e++)
        out->start[s->index[e] + 2]++;
    for (size_t j = 0; j < s->width; j++)
        out->start[j + 2] += out->start[j + 1];
    for (size_t e = 0; e < count; e++)
        out->entry[out->start[s->index[e] + 1]++] = s->entries[e];
done:
    return status;
}

static gram_status learn(gi_run *run, const gi_map *map, const sorted *x,
                         size_t features, size_t rows, gi_state *s)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, s->divisor, features));
    s->features = features;
    for (size_t j = 0; j < features; j++)
        s->divisor[j] =
            map->class_->divisor(map->arg, x->entry + x->start[j],
                                 x->start[j + 1] - x->start[j], rows);
done:
    return status;
}

/* A feature that the map has not met was zero all the time. */
static double divisor_of(const gi_state *s, size_t feature)
{
    return feature < s->features ? s->divisor[feature] : 1;
}

gram_status gi_divisors_learn(const gram_program *p, gi_view *v,
                              const gram_table *t)
{
    gram_status status = GRAM_OK;
    const gi_column *c = NULL;
    sorted x = {0};

    GI_TRY(gi_source_find(&p->source[v->sparse], t, &c));
    GI_TRY(sort_entries(p->run, &c->sparse, t->rows, &x));
    for (size_t m = 0; m < v->maps; m++) {
        gi_state *s = &v->state[m];

        if (!v->map[m]->state)
            GI_TRY(learn(p->run, v->map[m], &x, c->sparse.width, t->rows, s));
        for (size_t j = 0; j < c->sparse.width; j++)
            for (size_t e = x.start[j]; e < x.start[j + 1]; e++)
                x.entry[e] /= divisor_of(s, j);
    }
done:
    gi_free(x.start);
    gi_free(x.entry);
    return status;
}

gram_status gi_divisors_apply(const gi_view *v, size_t rows,
                              const size_t *start, const unsigned *index,
                              double *entries)
{
    for (size_t m = 0; m < v->maps; m++)
        for (size_t i = 0; i < rows; i++)
            for (size_t e = start[i]; e < start[i + 1]; e++) {
                entries[e] /= divisor_of(&v->state[m], index[e]);
                if (!isfinite(entries[e]))
                    return gi_fail(GRAM_ERR_RANGE,
                                   "row %zu, map %s: the result is not a "
                                   "finite number",
                                   i + 1, v->map[m]->class_->name);
            }
    return GRAM_OK;
}
