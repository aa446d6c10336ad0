/* matrix.c - the public calls that turn a kernel and tables into numbers.
 *
 * Each compiles the kernel for the columns of the first table, gathers the
 * rows, and hands both to the engine.
 */
#include "base/mem.h"
#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

/* A kernel ready to run on the rows of one or two tables. */
typedef struct job {
    gram_program *p;
    gi_points *x;
    gi_points *t; /* NULL: x itself */
} job;

static void end(job *j)
{
    gi_points_free(j->x);
    gi_points_free(j->t);
    gi_program_free(j->p);
}

static gram_status begin(gi_run *run, const gram_kernel *k, const gram_table *a,
                         const gram_table *b, gi_precision precision, job *j)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_program_new(run, k, a, 0, &j->p));
    GI_TRY(gi_points_new(run, j->p, a, precision, &j->x));
    if (b && b != a)
        GI_TRY(gi_points_new(run, j->p, b, precision, &j->t));
done:
    return status;
}

static gram_status check_ld(size_t ld, size_t cols)
{
    if (ld < cols)
        return gi_fail(GRAM_ERR_SHAPE,
                       "rows of the matrix are %zu apart, must be at least "
                       "%zu",
                       ld, cols);
    return GRAM_OK;
}

static gram_status store(gi_run *run, const gram_kernel *k, const gram_table *a,
                         const gram_table *b, gi_precision precision, void *K,
                         size_t ld)
{
    gram_status status = GRAM_OK;
    job j = {0};

    GI_TRY(check_ld(ld, gram_table_rows(b ? b : a)));
    GI_TRY(begin(run, k, a, b, precision, &j));
    GI_TRY(gi_engine_store(run, j.p, j.x, j.t, K, ld));
done:
    end(&j);
    return status;
}

gram_status gram_kernel_matrix(const gram_kernel *k, const gram_table *a,
                               const gram_table *b, const gram_exec *exec,
                               double *K, size_t ld)
{
    GI_RUN(run, exec);

    return store(&run, k, a, b, GI_DOUBLE, K, ld);
}

gram_status gram_kernel_matrix_single(const gram_kernel *k, const gram_table *a,
                                      const gram_table *b,
                                      const gram_exec *exec, float *K,
                                      size_t ld)
{
    GI_RUN(run, exec);

    return store(&run, k, a, b, GI_SINGLE, K, ld);
}

gram_status gram_kernel_diagonal(const gram_kernel *k, const gram_table *a,
                                 const gram_exec *exec, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    job j = {0};

    GI_TRY(begin(&run, k, a, NULL, GI_DOUBLE, &j));
    GI_TRY(gi_engine_diagonal(&run, j.p, NULL, j.x, out));
done:
    end(&j);
    return status;
}

gram_status gram_kernel_product(const gram_kernel *k, const gram_table *a,
                                const gram_table *b, const gram_exec *exec,
                                int single, const double *V, size_t r,
                                double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    job j = {0};

    GI_TRY(begin(&run, k, a, b, single ? GI_SINGLE : GI_DOUBLE, &j));
    GI_TRY(gi_engine_product(&run, j.p, j.x, j.t, V, r, out));
done:
    end(&j);
    return status;
}

/* ---------------------------------------------------------------- gradient */

gram_status gram_kernel_param_layout(const gram_kernel *k, const gram_table *a,
                                     size_t *first)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, NULL);
    gram_program *p = NULL;

    GI_TRY(gi_program_new(&run, k, a, 1, &p));
    for (size_t s = 0; s < k->slots; s++)
        first[s] = (size_t)p->first_theta[s];
    first[k->slots] = p->thetas;
done:
    gi_program_free(p);
    return status;
}

/* The caller's G. */
typedef struct weights {
    const double *G;
    size_t ld;
} weights;

/* k is symmetric, so G counts by its symmetric part. */
static void seed(void *user, const gi_tile *tile, double *G)
{
    const weights *w = user;

    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->cols; j++) {
            size_t row = tile->row + i, col = tile->col + j;

            G[i * tile->ld + j] =
                0.5 * (w->G[row * w->ld + col] + w->G[col * w->ld + row]);
        }
}

gram_status gram_kernel_gradient(const gram_kernel *k, const gram_table *a,
                                 const gram_exec *exec, const double *G,
                                 size_t ld, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    weights w = {G, ld};
    double *grad = NULL;
    job j = {0};

    GI_TRY(check_ld(ld, gram_table_rows(a)));
    GI_TRY(begin(&run, k, a, NULL, GI_DOUBLE, &j));
    GI_TRY(GI_NEW_ZERO(&run, grad, j.p->thetas));
    GI_TRY(gi_engine_gradient(&run, j.p, NULL, j.x, NULL, seed, &w, grad));
    for (size_t m = 0; m < j.p->thetas; m++)
        out[m] = grad[m];
done:
    gi_free(grad);
    end(&j);
    return status;
}
