/* smo_cache.c - rows of K in slots, which stand side by side in slabs.
 *
 * A slot is taken when a row first comes, until the budget is reached; then
 * the row that was longest not asked for is overwritten.  Missing rows are
 * computed as one block, since a block of rows runs at the speed of a matrix
 * product and a single row does not.  Where K is a matrix in memory already
 * nothing is copied.
 */
#include "solvers/svm/smo_cache.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

/* Bytes of a slab, about. */
enum { SLAB = GI_SMO_SLAB_BYTES };

struct gi_smo_cache {
    const gi_operator *K;
    size_t ld;       /* floats of a slot */
    size_t per_slab; /* slots */
    size_t slots, most;
    size_t slabs;
    float **slab;
    size_t *slot_of;        /* per row, or `most` */
    size_t *row_of;         /* per slot */
    size_t *before, *after; /* per slot: neighbours by time, most: the ends */
    size_t oldest, newest;
    size_t computed;
    size_t *missing; /* rows to be computed, and where to */
    void **place;
};

static gram_status new_tables(gi_run *run, gi_smo_cache *c)
{
    const size_t n = c->K->rows;
    gram_status status;

    GI_TRY(
        GI_NEW_ZERO(run, c->slab, (c->most + c->per_slab - 1) / c->per_slab));
    GI_TRY(GI_NEW(run, c->slot_of, n));
    GI_TRY(GI_NEW(run, c->row_of, c->most));
    GI_TRY(GI_NEW(run, c->before, c->most));
    GI_TRY(GI_NEW(run, c->after, c->most));
    GI_TRY(GI_NEW(run, c->missing, c->most));
    GI_TRY(GI_NEW(run, c->place, c->most));
    for (size_t i = 0; i < n; i++)
        c->slot_of[i] = c->most;
    c->oldest = c->newest = c->most;
done:
    return status;
}

gram_status gi_smo_cache_new(gi_run *run, const gi_operator *K, size_t bytes,
                             gi_smo_cache **out)
{
    gi_smo_cache *c = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, c, 1));
    c->K = K;
    c->ld = (K->cols + 15) / 16 * 16;
    c->most = bytes / (c->ld * sizeof(float));
    if (c->most < GI_SMO_ROWS_LEAST)
        c->most = GI_SMO_ROWS_LEAST;
    c->most = gi_min_size(c->most, K->rows);
    c->per_slab = gi_min_size(SLAB / (c->ld * sizeof(float)) + 1, c->most);
    if (!K->single)
        GI_TRY(new_tables(run, c));
    *out = c;
    c = NULL;
done:
    gi_smo_cache_free(c);
    return status;
}

void gi_smo_cache_free(gi_smo_cache *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->slabs; i++)
        gi_free(c->slab[i]);
    gi_free(c->slab);
    gi_free(c->slot_of);
    gi_free(c->row_of);
    gi_free(c->before);
    gi_free(c->after);
    gi_free(c->missing);
    gi_free(c->place);
    gi_free(c);
}

size_t gi_smo_cache_most(const gi_smo_cache *c)
{
    return c->K->single ? c->K->rows : c->most;
}

size_t gi_smo_cache_computed(const gi_smo_cache *c)
{
    return c->computed;
}

/* ------------------------------------------------------------ order of time */

static void leave(gi_smo_cache *c, size_t s)
{
    size_t b = c->before[s], a = c->after[s];

    *(b < c->most ? &c->after[b] : &c->oldest) = a;
    *(a < c->most ? &c->before[a] : &c->newest) = b;
}

static void enter(gi_smo_cache *c, size_t s)
{
    c->before[s] = c->newest;
    c->after[s] = c->most;
    *(c->newest < c->most ? &c->after[c->newest] : &c->oldest) = s;
    c->newest = s;
}

/* -------------------------------------------------------------------- slots */

static float *slot(const gi_smo_cache *c, size_t s)
{
    return c->slab[s / c->per_slab] + s % c->per_slab * c->ld;
}

/* A slot that nobody needs now. */
static gram_status take_slot(gi_run *run, gi_smo_cache *c, size_t *out)
{
    gram_status status = GRAM_OK;

    if (c->slots < c->most) {
        if (c->slots == c->slabs * c->per_slab) {
            size_t rows = gi_min_size(c->per_slab, c->most - c->slots);

            GI_TRY(GI_NEW(run, c->slab[c->slabs], rows * c->ld));
            c->slabs++;
        }
        *out = c->slots++;
    } else {
        *out = c->oldest;
        leave(c, *out);
        c->slot_of[c->row_of[*out]] = c->most;
    }
done:
    return status;
}

gram_status gi_smo_cache_rows(gi_run *run, gi_smo_cache *c, const size_t *row,
                              size_t m, const float **out)
{
    size_t missing = 0;
    gram_status status = GRAM_OK;

    for (size_t i = 0; c->K->single && i < m; i++)
        out[i] = c->K->single + row[i] * c->K->single_ld;
    if (c->K->single)
        return GRAM_OK;
    for (size_t i = 0; i < m; i++) {
        size_t s = c->slot_of[row[i]];

        if (s == c->most)
            continue;
        leave(c, s);
        enter(c, s);
    }
    for (size_t i = 0; i < m; i++) {
        size_t s = c->slot_of[row[i]];

        if (s == c->most) {
            GI_TRY(take_slot(run, c, &s));
            c->slot_of[row[i]] = s;
            c->row_of[s] = row[i];
            enter(c, s);
            c->missing[missing] = row[i];
            c->place[missing++] = slot(c, s);
        }
        out[i] = slot(c, s);
    }
    c->computed += missing;
    GI_TRY(gi_operator_rows_at(c->K, run, &gi_blas_single, c->missing, missing,
                               c->place));
done:
    return status;
}
