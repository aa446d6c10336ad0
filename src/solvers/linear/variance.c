/* variance.c - variances of f from a factor: k(x,x) - |L^-1 k|^2, and what is
 * not known of the intercept.
 *
 * With a factor of B = I + r K r the same holds for L^-1 r k, since
 * r B^-1 r = (K + R^-1)^-1, R = r^2.
 */
#include "solvers/linear/variance.h"

#include <math.h>

#include "base/mem.h"
#include "solvers/system.h"

/* out[j] -= |column j|^2 of the n x m matrix. */
static void subtract_squares(const gi_blas *blas, size_t n, size_t m,
                             const char *columns, double *row, double *out)
{
    for (size_t i = 0; i < n; i++) {
        blas->read(m, columns + i * m * blas->size, 1, row);
        for (size_t j = 0; j < m; j++)
            out[j] -= row[j] * row[j];
    }
}

/* Row i of the n x m matrix times root[i]. */
static void scale_rows(const gi_blas *blas, size_t n, size_t m,
                       const double *root, double *row, char *columns)
{
    for (size_t i = 0; i < n; i++) {
        char *at = columns + i * m * blas->size;

        blas->read(m, at, 1, row);
        for (size_t j = 0; j < m; j++)
            row[j] *= root[i];
        blas->write(m, row, at, 1);
    }
}

/* out += (1 - 1'A^-1 k)^2/(1'A^-1 1), what is not known of b. */
static gram_status add_intercept(gi_run *run, size_t n, const double *inverse,
                                 const gi_operator *T, double *out)
{
    double *dots = NULL, all = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, dots, T->rows));
    GI_TRY(gi_operator_product(T, run, 0, inverse, 1, dots));
    for (size_t i = 0; i < n; i++)
        all += inverse[i];
    for (size_t i = 0; i < T->rows; i++)
        out[i] += (1 - dots[i]) * (1 - dots[i]) / all;
done:
    gi_free(dots);
    return status;
}

gram_status gi_variance_by_factor(gi_run *run, const gi_problem *p,
                                  const gi_solution *s, const gi_operator *T,
                                  double *out)
{
    enum { ROWS = GI_SYSTEM_ROWS };
    const gi_blas *blas = s->factor ? gi_chol_blas(s->factor) : NULL;
    char *columns = NULL, *room = NULL;
    double row[ROWS];
    gram_status status;

    if (!s->factor)
        return gi_fail(GRAM_ERR_RANGE, "variances: the factor was not kept");
    GI_TRY(gi_alloc(run, &columns, p->n * ROWS, blas->size));
    GI_TRY(gi_alloc(run, &room, p->n * ROWS, blas->size));
    GI_TRY(gi_operator_prepare(T, run, blas));
    GI_TRY(gi_operator_diagonal(T, run, out));
    for (size_t i = 0; i < T->rows; i += ROWS) {
        size_t m = T->rows - i < ROWS ? T->rows - i : ROWS;
        gi_run part = gi_run_share(run, (double)i / (double)T->rows,
                                   (double)(i + m) / (double)T->rows);

        GI_TRY(gi_system_columns(run, T, blas, i, m, room, columns));
        if (s->root)
            scale_rows(blas, p->n, m, s->root, row, columns);
        GI_TRY(gi_chol_each(&part, s->factor, 0, m, columns, m));
        subtract_squares(blas, p->n, m, columns, row, out + i);
        for (size_t j = i; j < i + m; j++)
            out[j] = fmax(out[j], 0);
    }
    if (s->inverse_one)
        GI_TRY(add_intercept(run, p->n, s->inverse_one, T, out));
done:
    gi_free(room);
    gi_free(columns);
    return status;
}
