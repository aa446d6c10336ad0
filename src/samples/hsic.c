/* hsic.c - are two sets of columns independent?
 *
 *     HSIC = tr(K H L H)/n^2 = |F'HG|^2/n^2
 *     K ~ FF',   L ~ GG',   H = I - 11'/n
 *
 * the squared MMD between the joint distribution and the product of its margins
 * (Gretton et al. 2008).  F and G come from a pivoted Cholesky factorisation,
 * up to a rest of the diagonal that is too small to matter, or to RANK columns.
 * Permuting the rows of G permutes y; F depends on x alone and G on y alone, so
 * the level is exact whatever the rank is.
 *
 * Cost: n rank^2 for each permutation, one matrix product.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "linalg/dense/blas.h"
#include "linalg/iterative/pivot.h"
#include "data/table/subset.h"
#include "samples/test.h"
#include "operators/operator.h"

enum { RANK = GI_HSIC_RANK, STREAM = 0x68736963 };

static const double tolerance = 1e-7;

/* ----------------------------------------------------------------- columns */

/* Mark the columns that the list names, "a,b". */
static gram_status mark_columns(gi_run *run, const gram_table *t,
                                const char *list, unsigned char *marks)
{
    gram_status status = GRAM_OK;
    char *name = NULL;

    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ","), j = 0;

        gi_free(name);
        name = NULL;
        GI_TRY(gi_strndup(run, s, n, &name));
        GI_TRY(gram_table_find(t, name, &j));
        marks[j] = 1;
        s += n;
        if (!*s)
            break;
    }
done:
    gi_free(name);
    return status;
}

/* The columns as one sample with a kernel. */
static gram_status side(gi_run *run, const gram_table *t, const char *list,
                        const gram_test_options *o, gi_dict *warnings,
                        gi_joined *out)
{
    gram_status status = GRAM_OK;
    unsigned char *marks = NULL;

    GI_TRY(GI_NEW_ZERO(run, marks, t->cols));
    GI_TRY(mark_columns(run, t, list, marks));
    GI_TRY(gi_table_subset(run, t, marks, NULL, &out->table));
    for (size_t j = 0; j < out->table->cols; j++)
        out->table->column[j].role = GRAM_ROLE_FEATURE;
    out->m = t->rows;
    GI_TRY(gi_joined_kernel(run, o->kernel, o->scale, 1, out));
    GI_TRY(gi_joined_warn(run, out, warnings));
done:
    gi_free(marks);
    return status;
}

/* ----------------------------------------------------------------- factors */

typedef struct factor {
    double *F; /* n x rank, columns centred */
    size_t rank;
} factor;

static gram_status rows_of(void *user, gi_run *run, const size_t *row, size_t m,
                           double *out, size_t ld)
{
    const gi_operator *K = user;

    return gi_operator_rows(K, run, &gi_blas_double, row, m, out, ld);
}

static void centre(double *F, size_t n, size_t rank)
{
    for (size_t k = 0; k < rank; k++) {
        double mean = 0;

        for (size_t i = 0; i < n; i++)
            mean += F[i * rank + k] / (double)n;
        for (size_t i = 0; i < n; i++)
            F[i * rank + k] -= mean;
    }
}

static gram_status factorise(gi_run *run, const gi_joined *p, factor *out)
{
    gram_status status = GRAM_OK;
    gi_operator *K = NULL;
    gi_pivot *pivot = NULL;
    double *diagonal = NULL;
    const size_t n = p->m;

    GI_TRY(gi_operator_new(run, p->program, NULL, p->x, NULL, &K));
    GI_TRY(GI_NEW(run, diagonal, n));
    GI_TRY(gi_operator_diagonal(K, run, diagonal));
    GI_TRY(gi_pivot_new(run, n, diagonal, rows_of, K, tolerance,
                        n < RANK ? n : RANK, &pivot));
    out->rank = pivot->rank;
    GI_TRY(GI_NEW(run, out->F, n * pivot->rank));
    for (size_t i = 0; i < n; i++)
        memcpy(out->F + i * pivot->rank, pivot->factor + i * pivot->ld,
               pivot->rank * sizeof *out->F);
    centre(out->F, n, out->rank);
done:
    gi_pivot_free(pivot);
    gi_operator_free(K);
    gi_free(diagonal);
    return status;
}

/* ------------------------------------------------------------ permutations */

typedef struct scratch {
    size_t *order;
    double *G, *product;
} scratch;

/* |F' G_b|^2/n^2, where row i of G_b is row order[i] of G; b = 0: in order. */
static double value(const gi_run *run, size_t n, const factor *f,
                    const factor *g, size_t b, const scratch *d)
{
    gi_rng rng = gi_rng_new(run->seed, STREAM + ((uint64_t)b << 32));
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        d->order[i] = i;
    if (b > 0)
        gi_rng_shuffle(&rng, d->order, n);
    for (size_t i = 0; i < n; i++)
        memcpy(d->G + i * g->rank, g->F + d->order[i] * g->rank,
               g->rank * sizeof *d->G);
    gi_blas_double.gemm(1, 0, f->rank, g->rank, n, 1, f->F, f->rank, d->G,
                        g->rank, 0, d->product, g->rank);
    for (size_t k = 0; k < f->rank * g->rank; k++)
        sum += d->product[k] * d->product[k];
    return sum / ((double)n * (double)n);
}

static gram_status permute(gi_run *run, size_t n, const factor *f,
                           const factor *g, size_t count, double *values)
{
    gram_status status = GRAM_OK;
    const size_t threads = (size_t)run->threads;
    scratch *d = NULL;

    gi_blas_start();
    GI_TRY(GI_NEW_ZERO(run, d, threads));
    for (size_t i = 0; i < threads; i++) {
        GI_TRY(GI_NEW(run, d[i].order, n));
        GI_TRY(GI_NEW(run, d[i].G, n * g->rank));
        GI_TRY(GI_NEW(run, d[i].product, f->rank * g->rank));
    }
    for (size_t from = 0; from < count; from += threads) {
        size_t some = count - from < threads ? count - from : threads;

        GI_PARALLEL_FOR(run->threads)
        for (size_t i = 0; i < some; i++)
            values[from + i] = value(run, n, f, g, from + i, &d[i]);
        GI_TRY(gi_run_tick(run, (double)(from + some) / (double)count));
    }
done:
    for (size_t i = 0; d && i < threads; i++) {
        gi_free(d[i].order);
        gi_free(d[i].G);
        gi_free(d[i].product);
    }
    gi_free(d);
    return status;
}

/* -------------------------------------------------------------------- test */

static gram_status measure(gi_run *run, const gi_joined *y,
                           const gram_test_options *o, gram_test *t)
{
    gram_status status = GRAM_OK;
    const gi_joined *x = &t->joined;
    const size_t count = o->permutations + 1;
    factor f = {0}, g = {0};
    double *values = NULL;
    size_t larger;

    GI_TRY(GI_NEW(run, values, count));
    GI_TRY(factorise(run, x, &f));
    GI_TRY(factorise(run, y, &g));
    GI_TRY(permute(run, x->m, &f, &g, count, values));
    larger = gi_count_extreme(values, count, 1e-12, 1);
    t->report.statistic = values[0];
    t->report.p_value = (1 + (double)larger) / (double)count;
done:
    gi_free(values);
    gi_free(f.F);
    gi_free(g.F);
    return status;
}

static gram_status check_independence(const gram_table *table, const char *x,
                                      const char *y)
{
    if (!x || !y || !*x || !*y)
        return gi_fail(GRAM_ERR_NAME, "independence: columns x and columns y "
                                      "must be named, as in \"a,b\" and \"c\"");
    if (table->rows < 4)
        return gi_fail(GRAM_ERR_SHAPE,
                       "independence: %zu row%s, must be 4 or more",
                       table->rows, table->rows == 1 ? "" : "s");
    return GRAM_OK;
}

gram_status gram_test_independence(const gram_table *table, const char *x,
                                   const char *y,
                                   const gram_test_options *options,
                                   const gram_exec *exec, gram_test **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    const double start = gi_clock();
    gram_test_options o;
    gram_test *t = NULL;
    gi_joined of_y = {0};

    *out = NULL;
    GI_TRY(gi_test_options_read(options, &o));
    GI_TRY(check_independence(table, x, y));
    GI_TRY(GI_NEW_ZERO(&run, t, 1));
    GI_TRY(side(&run, table, x, &o, &t->warnings, &t->joined));
    GI_TRY(side(&run, table, y, &o, &t->warnings, &of_y));
    t->report = (gram_test_report){
        .m = table->rows,
        .d = t->joined.program->sources + of_y.program->sources,
        .statistic_name = "hsic",
        .method = gi_test_methods[GRAM_TEST_PERMUTATION],
        .std_error = NAN,
        .alpha = o.alpha,
        .permutations = o.permutations,
        .bins = table->rows,
        .kernels = 1,
        .rows_needed = NAN};
    GI_TRY(measure(&run, &of_y, &o, t));
    GI_TRY(gi_joined_print(&run, &of_y));
    t->other = of_y.text;
    of_y.text = (gi_buf){0};
    GI_TRY(gi_test_refer(&run, t));
    t->report.seconds = gi_clock() - start;
    *out = t;
    t = NULL;
done:
    gi_joined_clear(&of_y);
    gram_test_free(t);
    if (*out)
        (*out)->report.peak_bytes = gi_run_peak(&run);
    return status;
}
