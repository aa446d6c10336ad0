/* why.c - the training rows that speak most for a prediction: those with the
 * largest |alpha_i k(x_i, x)|.
 *
 * Rows of the kernel matrix are made a few at a time; of each the best are
 * kept in order by insertion, which is cheap since few of many rows enter.
 */
#include <math.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "machines/predict/predict.h"

enum { ROWS = GI_WHY_ROWS };

/* The `count` largest of |x|, in descending order, ties by index; what there
 * is not enough of is SIZE_MAX and 0. */
static void find_largest(const double *x, size_t n, size_t count, size_t *index,
                         double *value)
{
    for (size_t k = 0; k < count; k++) {
        index[k] = SIZE_MAX;
        value[k] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = count;

        if (index[count - 1] != SIZE_MAX && !(fabs(x[i]) > fabs(value[k - 1])))
            continue;
        for (; k > 0 &&
               (index[k - 1] == SIZE_MAX || fabs(x[i]) > fabs(value[k - 1]));
             k--)
            if (k < count) {
                index[k] = index[k - 1];
                value[k] = value[k - 1];
            }
        index[k] = i;
        value[k] = x[i];
    }
}

/* Where the answers of one row go: the caller's arrays, either NULL. */
static void hand_over(const gram_machine *m, size_t count, const size_t *index,
                      const double *value, size_t *row, double *part)
{
    for (size_t k = 0; row && k < count; k++)
        row[k] =
            index[k] == SIZE_MAX ? SIZE_MAX : (size_t)m->training.row[index[k]];
    for (size_t k = 0; part && k < count; k++)
        part[k] = value[k];
}

gram_status gi_predict_why(const gi_query *a, size_t count, size_t *row,
                           double *part)
{
    gram_status status = GRAM_OK;
    size_t n = a->m->expansion.n, pick[ROWS], *index = NULL;
    const double *alpha = NULL;
    double *own = NULL, *K = NULL, *value = NULL;

    GI_TRY(gi_machine_alpha(a->run, a->m, &alpha, &own));
    GI_TRY(GI_NEW(a->run, K, ROWS * n));
    GI_TRY(GI_NEW(a->run, index, ROWS * count));
    GI_TRY(GI_NEW(a->run, value, ROWS * count));
    for (size_t from = 0; from < a->rows; from += ROWS) {
        size_t m = a->rows - from < ROWS ? a->rows - from : ROWS;

        for (size_t i = 0; i < m; i++)
            pick[i] = from + i;
        GI_TRY(gi_operator_rows(a->T, a->run, &gi_blas_double, pick, m, K, n));
        GI_PARALLEL_FOR(a->run->threads)
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < n; j++)
                K[i * n + j] *= alpha[j];
            find_largest(K + i * n, n, count, index + i * count,
                         value + i * count);
            hand_over(a->m, count, index + i * count, value + i * count,
                      row ? row + (from + i) * count : NULL,
                      part ? part + (from + i) * count : NULL);
        }
        GI_TRY(gi_run_tick(a->run, (double)(from + m) / (double)a->rows));
    }
done:
    gi_free(own);
    gi_free(K);
    gi_free(index);
    gi_free(value);
    return status;
}
