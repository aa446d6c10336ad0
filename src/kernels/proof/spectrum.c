/* spectrum.c - the numerical side of a certificate: eigenvalues of the matrix
 * K of a kernel on the rows of a table.
 *
 * Up to GI_SPECTRUM_DENSE rows all eigenvalues are computed, beyond it the
 * extreme ones by Lanczos, with K applied tile by tile and never stored.  An
 * eigenvalue computed as t with residual r has an error of at most
 *
 *     r + n u max|lambda|,
 *
 * and K is PSD up to rounding if min lambda >= -10 n u max|lambda|, since
 * entries are themselves rounded.  Trap: for Lanczos r bounds the distance to
 * some eigenvalue; that this is the smallest one is very likely, not certain.
 */
#include "kernels/proof/spectrum.h"

#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "kernels/engine/engine.h"
#include "kernels/program/points.h"
#include "linalg/dense/eigen.h"
#include "linalg/iterative/lanczos.h"

/* Products at most, and the relative error at which they may end before. */
enum { STEPS = 100 };
static const double tolerance = 1e-3;

/* Up to this, relative to the largest entry of the diagonal or of all, entries
 * are nearly 0 or nearly equal; and in an identity one row in so many may have
 * an entry that is far from 0, as duplicates have. */
static const double nearly = 1e-6;
enum { DUPLICATES = 10 };

/* What one task has found of the entries. */
typedef struct range {
    double min, max;
    size_t far; /* above the diagonal and not nearly 0 */
} range;

typedef struct spectrum {
    gi_run *run;
    const gram_program *program;
    const gi_points *x;
    size_t n;
    double top; /* largest entry of the diagonal */
    range *range;
    gi_run inner; /* of one product */
    size_t products;
} spectrum;

static double rounding(const spectrum *s, const gram_spectrum *out)
{
    return (double)s->n * DBL_EPSILON *
           fmax(fabs(out->min_eigenvalue), fabs(out->max_eigenvalue));
}

/* ---------------------------------------------------------------- entries */

static gram_status take(void *user, size_t task, const gi_tile *tile)
{
    const spectrum *s = user;
    range *r = s->range + task;
    const double *value = tile->value;

    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->cols; j++) {
            double k = value[i * tile->ld + j];
            int above = tile->row + i < tile->col + j;

            r->min = k < r->min ? k : r->min;
            r->max = k > r->max ? k : r->max;
            r->far += above && fabs(k) > nearly * s->top;
        }
    return GRAM_OK;
}

/* Is the matrix nearly an identity, or nearly constant, as with a length that is
 * much too small or too large? */
static gram_status look_at_entries(spectrum *s, gram_spectrum *out)
{
    gram_status status = GRAM_OK;
    size_t tasks = gi_engine_tasks(s->n, s->n, 1), far = 0;
    gi_consumer consumer = {take, s};
    double *diagonal = NULL, min = INFINITY, max = -INFINITY;

    GI_TRY(GI_NEW(s->run, diagonal, s->n));
    GI_TRY(gi_engine_diagonal(&s->inner, s->program, NULL, s->x, diagonal));
    s->top = 0;
    for (size_t i = 0; i < s->n; i++)
        s->top = fmax(s->top, diagonal[i]);
    GI_TRY(GI_NEW(s->run, s->range, tasks));
    for (size_t t = 0; t < tasks; t++)
        s->range[t] = (range){INFINITY, -INFINITY, 0};
    GI_TRY(gi_engine_run(&s->inner, s->program, NULL, s->x, NULL, &consumer));
    for (size_t t = 0; t < tasks; t++) {
        min = fmin(min, s->range[t].min);
        max = fmax(max, s->range[t].max);
        far += s->range[t].far;
    }
    if (s->n > 1) {
        out->identity = s->top > 0 && 2 * far <= s->n / DUPLICATES;
        out->constant = max - min <= nearly * fmax(fabs(min), fabs(max));
    }
done:
    gi_free(diagonal);
    return status;
}

/* ------------------------------------------------------------ eigenvalues */

static gram_status all_eigenvalues(spectrum *s, gram_spectrum *out)
{
    gram_status status = GRAM_OK;
    double *K = NULL, *values = NULL, floor;
    size_t n = s->n;

    GI_TRY(GI_NEW(s->run, K, n * n));
    GI_TRY(GI_NEW(s->run, values, n));
    GI_TRY(gi_engine_store(&s->inner, s->program, s->x, NULL, K, n));
    GI_TRY(gi_run_tick(s->run, 0.1));
    GI_TRY(gi_eigen_symmetric(s->run, n, K, n, 0, values));
    out->min_eigenvalue = values[0];
    out->max_eigenvalue = values[n - 1];
    out->exact = 1;
    floor = rounding(s, out);
    out->error = floor;
    for (size_t i = 0; i < n; i++)
        out->rank += values[i] > floor;
done:
    gi_free(values);
    gi_free(K);
    return status;
}

static gram_status apply(void *user, const double *v, double *out)
{
    spectrum *s = user;

    s->products++;
    s->inner.last = -1; /* each counts from 0 */
    return gi_engine_product(&s->inner, s->program, s->x, NULL, v, 1, out);
}

static gram_status extreme_eigenvalues(spectrum *s, gram_spectrum *out)
{
    gram_status status = GRAM_OK;
    gi_lanczos ritz = {0};

    GI_TRY(
        gi_lanczos_extremes(s->run, s->n, apply, s, STEPS, tolerance, &ritz));
    out->min_eigenvalue = ritz.min;
    out->max_eigenvalue = ritz.max;
    out->error = ritz.min_error + rounding(s, out);
done:
    return status;
}

static void judge(const spectrum *s, gram_spectrum *out)
{
    double residual = out->error - rounding(s, out);
    double least = -10 * rounding(s, out);

    if (out->min_eigenvalue + residual < least)
        out->psd = -1;
    else
        out->psd = out->min_eigenvalue - residual >= least;
    if (out->min_eigenvalue > out->error)
        out->condition = out->max_eigenvalue / out->min_eigenvalue;
    else
        out->condition = out->exact ? INFINITY : NAN;
}

/* ----------------------------------------------------------------- public */

/* Progress of a part of the work, as one of all products there may be. */
static int progress(void *user, double done)
{
    const spectrum *s = user;

    return gi_run_tick(s->run, ((double)s->products + done) / (STEPS + 1)) !=
           GRAM_OK;
}

gram_status gi_program_spectrum(gi_run *run, const gram_program *p,
                                const gi_points *x, size_t dense,
                                gram_spectrum *out)
{
    gram_status status = GRAM_OK;
    gram_spectrum found = {0};
    spectrum s = {.run = run,
                  .program = p,
                  .x = x,
                  .n = gi_points_rows(x),
                  .inner = *run};

    s.inner.progress = progress;
    s.inner.user = &s;
    GI_TRY(look_at_entries(&s, &found));
    if (s.n <= dense)
        GI_TRY(all_eigenvalues(&s, &found));
    else
        GI_TRY(extreme_eigenvalues(&s, &found));
    judge(&s, &found);
    *out = found;
done:
    gi_free(s.range);
    return status;
}

gram_status gram_kernel_spectrum(const gram_kernel *k, const gram_table *a,
                                 const gram_exec *exec, gram_spectrum *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_program *p = NULL;
    gi_points *x = NULL;

    GI_TRY(gi_program_new(&run, k, a, 0, &p));
    GI_TRY(gi_points_new(&run, p, a, GI_DOUBLE, &x));
    GI_TRY(gi_program_spectrum(&run, p, x, GI_SPECTRUM_DENSE, out));
done:
    gi_points_free(x);
    gi_program_free(p);
    return status;
}
