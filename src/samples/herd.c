/* herd.c - rows that stand for all rows: kernel herding.
 *
 * With mu(x) the mean of k(x, .) over all rows, row t + 1 is the one not yet
 * chosen that has the largest
 *
 *     mu(x) - sum over the t chosen ones s of k(x, s)/(t + 1)
 *
 * (Chen, Welling, Smola 2010): near many rows, far from those already chosen.
 * The distance of the m rows from all is the MMD of the two sets.
 *
 * Cost: one pass over the kernel for mu, one row of it for each row chosen.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "samples/test.h"
#include "operators/operator.h"

typedef struct herd {
    size_t n;
    double *mu;       /* per row */
    double *near;     /* per row: sum of k to those chosen */
    double *chosen_k; /* a row of the kernel */
    unsigned char *taken;
} herd;

static size_t next_row(const herd *h, size_t t)
{
    size_t best = SIZE_MAX;
    double most = -INFINITY;

    for (size_t i = 0; i < h->n; i++) {
        double value = h->mu[i] - h->near[i] / (double)(t + 1);

        if (!h->taken[i] && (best == SIZE_MAX || value > most)) {
            most = value;
            best = i;
        }
    }
    return best;
}

/* |mean over all - mean over the chosen|, from sums. */
static double distance_of(const herd *h, const size_t *row, size_t m)
{
    double all = 0, cross = 0, own = 0, square;

    for (size_t i = 0; i < h->n; i++)
        all += h->mu[i] / (double)h->n;
    for (size_t t = 0; t < m; t++) {
        cross += h->mu[row[t]] / (double)m;
        own += h->near[row[t]] / ((double)m * (double)m);
    }
    square = all - 2 * cross + own;
    return square > 0 ? sqrt(square) : 0;
}

static gram_status begin(gi_run *run, const gi_operator *K, herd *h)
{
    gram_status status;
    double *even = NULL;
    const size_t n = h->n;

    GI_TRY(GI_NEW(run, even, n));
    GI_TRY(GI_NEW(run, h->mu, n));
    GI_TRY(GI_NEW_ZERO(run, h->near, n));
    GI_TRY(GI_NEW(run, h->chosen_k, n));
    GI_TRY(GI_NEW_ZERO(run, h->taken, n));
    for (size_t i = 0; i < n; i++)
        even[i] = 1 / (double)n;
    GI_TRY(gi_operator_product(K, run, 0, even, 1, h->mu));
done:
    gi_free(even);
    return status;
}

static void end(herd *h)
{
    gi_free(h->mu);
    gi_free(h->near);
    gi_free(h->chosen_k);
    gi_free(h->taken);
}

gram_status gram_herd(const gram_table *table, const char *kernel,
                      gram_kernel_scale scale, size_t m, const gram_exec *exec,
                      size_t *row, double *distance)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_run quiet = run;
    gi_joined p = {0};
    gi_dict warnings = {0};
    gi_operator *K = NULL;
    herd h = {.n = table->rows};

    quiet.progress = NULL;
    if (m == 0 || m > table->rows)
        return gi_fail(GRAM_ERR_RANGE,
                       "m = %zu, must be from 1 to the number "
                       "of rows, %zu",
                       m, table->rows);
    GI_TRY(gi_check_choice("scale", (int)scale, 0, GRAM_KERNEL_SCALE_MINMAX));
    GI_TRY(gi_joined_join(&run, table, NULL, GRAM_MISSING_AUTO, &warnings, &p));
    GI_TRY(gi_joined_kernel(&run, kernel, scale, 1, &p));
    GI_TRY(gi_operator_new(&run, p.program, NULL, p.x, NULL, &K));
    GI_TRY(begin(&run, K, &h));
    for (size_t t = 0; t < m; t++) {
        row[t] = next_row(&h, t);
        h.taken[row[t]] = 1;
        GI_TRY(gi_operator_rows(K, &quiet, &gi_blas_double, &row[t], 1,
                                h.chosen_k, h.n));
        for (size_t i = 0; i < h.n; i++)
            h.near[i] += h.chosen_k[i];
        GI_TRY(gi_run_tick(&run, (double)(t + 1) / (double)m));
    }
    *distance = distance_of(&h, row, m);
done:
    end(&h);
    gi_operator_free(K);
    gi_joined_clear(&p);
    gi_dict_free(&warnings);
    return status;
}
