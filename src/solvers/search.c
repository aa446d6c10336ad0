/* search.c - the best numbers of a kernel.
 *
 * Numbers with candidates are enumerated: alone, on all rows; around a search
 * of other numbers on the first sample only, and the best stay.
 *
 * Criteria have several optima.  Searches begin at five starts on a sample of
 * the rows; the best two go on with twice as many, the better of these with
 * twice as many again, up to all.  A step costs an eighth of one on the next
 * sample, and the last search begins near its end.  A path is cheap enough to
 * go from the first sample to all rows.
 */
#include "base/limits.h"
#include "solvers/criterion.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "solvers/space.h"

enum {
    FIRST_ROWS = GI_SEARCH_FIRST_ROWS,
    SAMPLE_STEPS = 40, /* evaluations at most, on a sample */
    FINAL_STEPS = 100, /* and on all rows */
    KEPT = 2,          /* searches that leave the first sample */
    USUAL = 10,        /* evaluations of a start, as most need */
    USUAL_AGAIN = 5,   /* and from where one has ended */
    SAMPLE_STREAM = 0x5ea
};

/* A step that gains less ends a search, on a sample and on all rows. */
static const double rough = 1e-5, fine = 1e-8;

/* Searches that end closer than this have found the same. */
static const double same = 1e-3;

/* What numbers that set a length are multiplied by, and lambda relative to its
 * scale.  On eight sets of real data these five reached the best optimum of
 * thirty such starts.  From the second on leaves take turns with the factors:
 * equal leaves that begin equal would stay so. */
static const struct {
    double factor, lambda;
} starts[] = {{1, 1e-2}, {0.3, 1e-3}, {3, 1}, {10, 0.1}, {0.1, 0.1}};
enum { STARTS = sizeof starts / sizeof *starts };

typedef struct field {
    gi_space v;
    size_t *order; /* rows, shuffled */
    gi_spot spot[KEPT + 1];
    size_t kept;
} field;

/* ------------------------------------------------------------------ samples */

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Take the first m rows of the shuffled order, in their own order. */
static gram_status set_rows(gi_run *run, field *f, size_t m)
{
    const gi_search *s = f->v.s;
    gi_sample *rows = &f->v.rows;
    size_t *row = NULL;
    gram_status status = GRAM_OK;

    if (rows->x && rows->problem.n == m)
        goto done;
    gi_sample_free(rows);
    GI_TRY(GI_NEW(run, row, m));
    memcpy(row, f->order, m * sizeof *row);
    qsort(row, m, sizeof *row, compare_sizes);
    GI_TRY(gi_sample_new(run, s->program, s->x, &s->problem, row, m, rows));
done:
    gi_free(row);
    return status;
}

/* A matrix from a file has a row for every row there is. */
static int can_sample(const gram_program *p)
{
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].code == GI_OP_MATRIX)
            return 0;
    return 1;
}

/* ------------------------------------------------------------------- starts */

static double within(double x, double lower, double upper)
{
    return fmin(fmax(x, lower), upper);
}

static void start_at(const gi_space *v, size_t start, double *x)
{
    const gi_slot *slots = v->s->program->kernel->slot;
    size_t leaf = 0, last = SIZE_MAX;

    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &v->s->unknown[v->open[k]];
        const gram_param *param = slots[u->slot].param;
        double factor = 1;

        if (param && param->per_column) { /* it sets a length */
            leaf += u->slot != last && last != SIZE_MAX;
            last = u->slot;
            factor = starts[start ? (start + leaf) % STARTS : 0].factor;
        }
        x[k] = u->log ? log(u->start * factor) : u->start;
    }
    if (v->variables > v->opens)
        x[v->opens] = log(starts[start].lambda * v->scale);
    for (size_t k = 0; k < v->variables; k++)
        x[k] = within(x[k], v->lower[k], v->upper[k]);
}

/* x is that of a start; was there one like it before? */
static int is_new(const gi_space *v, size_t start, const double *x,
                  double *other)
{
    for (size_t i = 0; i < start; i++) {
        start_at(v, i, other);
        if (memcmp(x, other, v->variables * sizeof *x) == 0)
            return 0;
    }
    return 1;
}

/* ----------------------------------------------------------------- searches */

static void swap(gi_spot *a, gi_spot *b)
{
    gi_spot other = *a;

    *a = *b;
    *b = other;
}

/* Take the spot behind the kept ones among them, unless it is the worst of too
 * many or has come to the optimum of another. */
static void keep(field *f)
{
    gi_spot *s = f->spot;

    for (size_t i = f->kept; i > 0 && s[i].value < s[i - 1].value; i--)
        swap(&s[i], &s[i - 1]);
    for (size_t i = 0; i < f->kept; i++)
        if (s[i + 1].value - s[i].value < same) {
            for (size_t j = i + 1; j < f->kept; j++)
                swap(&s[j], &s[j + 1]);
            return;
        }
    f->kept += f->kept < KEPT;
}

/* All starts of all choices; the best are kept. */
static gram_status begin(gi_run *run, field *f)
{
    gi_space *v = &f->v;
    const double all = (double)(v->choices * STARTS);
    double *other = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, other, v->variables));
    for (size_t i = 0; i <= KEPT; i++)
        GI_TRY(GI_NEW(run, f->spot[i].x, v->variables));
    for (size_t i = 0; i < v->choices * STARTS; i++) {
        gi_run part = gi_run_part(run, (double)i / all, (double)(i + 1) / all);
        gi_spot *next = &f->spot[f->kept];

        next->choice = i / STARTS;
        start_at(v, i % STARTS, next->x);
        if (!is_new(v, i % STARTS, next->x, other))
            continue;
        GI_TRY(gi_space_climb(&part, v, SAMPLE_STEPS, rough, next));
        keep(f);
    }
done:
    gi_free(other);
    return status;
}

/* The spots that were kept go on, on as many rows as there are now; then only
 * the best is. */
static gram_status go_on(gi_run *run, field *f, size_t steps, double tolerance)
{
    const double all = (double)f->kept;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < f->kept; i++) {
        gi_run part = gi_run_part(run, (double)i / all, (double)(i + 1) / all);

        GI_TRY(gi_space_climb(&part, &f->v, steps, tolerance, &f->spot[i]));
        if (f->spot[i].value < f->spot[0].value)
            swap(&f->spot[0], &f->spot[i]);
    }
    f->kept = 1;
done:
    return status;
}

static int grows(const field *f, size_t rows, size_t most)
{
    return !f->v.by_path && 3 * rows < most;
}

/* The work of a search on so many rows, whose steps take O(rows^3). */
static double work_of(size_t steps, size_t rows)
{
    return (double)steps * pow((double)rows, 3);
}

/* The work that is left when searches on `rows` rows begin to grow. */
static double work_left(const field *f, size_t rows, size_t most)
{
    double work = work_of(USUAL_AGAIN, most);

    while (grows(f, rows, most)) {
        rows *= 2;
        work += work_of(KEPT * USUAL_AGAIN, rows);
    }
    return work;
}

/* On more and more rows, up to `most`. */
static gram_status grow(gi_run *run, field *f, size_t rows, size_t most)
{
    const size_t steps = f->v.s->evaluations;
    const double all = work_left(f, rows, most);
    gi_run last;
    gram_status status;

    while (grows(f, rows, most)) {
        double done = 1 - work_left(f, rows, most) / all;
        gi_run part =
            gi_run_part(run, done, 1 - work_left(f, 2 * rows, most) / all);

        rows *= 2;
        GI_TRY(set_rows(run, f, rows));
        GI_TRY(go_on(&part, f, SAMPLE_STEPS, rough));
    }
    GI_TRY(set_rows(run, f, most));
    last = gi_run_part(run, 1 - work_left(f, rows, most) / all, 1);
    GI_TRY(go_on(&last, f, steps ? steps : FINAL_STEPS, fine));
done:
    return status;
}

/* ---------------------------------------------------------------------- run */

static gram_status new_field(gi_run *run, const gi_search *s, field *f)
{
    const size_t n = s->problem.n;
    gi_rng rng = gi_rng_new(run->seed, SAMPLE_STREAM);
    gram_status status;

    GI_TRY(gi_space_new(run, s, &f->v));
    GI_TRY(GI_NEW(run, f->order, n));
    for (size_t i = 0; i < n; i++)
        f->order[i] = i;
    gi_rng_shuffle(&rng, f->order, n);
done:
    return status;
}

static void free_field(field *f)
{
    gi_space_free(&f->v);
    for (size_t i = 0; i <= KEPT; i++)
        gi_free(f->spot[i].x);
    gi_free(f->order);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

gram_status gi_search_run(gi_run *run, const gi_search *s, double *theta,
                          gi_found *found)
{
    const double start = omp_get_wtime();
    const size_t n = s->problem.n;
    gi_run first, rest;
    field f = {0};
    size_t most = can_sample(s->program) && s->most ? least(s->most, n) : n;
    size_t rows = least(s->subset ? s->subset : FIRST_ROWS, most);
    double share;
    gram_status status;

    GI_TRY(new_field(run, s, &f));
    if (!can_sample(s->program) || f.v.opens == 0)
        rows = most;
    first = gi_run_quiet(run);
    GI_TRY(set_rows(&first, &f, rows));
    GI_TRY(gi_space_measure(&first, &f.v, most));
    share = work_of(f.v.choices * STARTS * USUAL, rows);
    share = f.v.opens > 0 ? share / (share + work_left(&f, rows, most)) : 1;
    first = gi_run_part(run, 0, share);
    rest = gi_run_part(run, share, 1);
    GI_TRY(begin(&first, &f));
    if (f.v.opens > 0)
        GI_TRY(grow(&rest, &f, rows, most));
    if (!isfinite(f.spot[0].value))
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "search: the criterion has no value wherever it was "
                       "tried, there are too few rows or K + lambda D is not "
                       "positive definite"));
    gi_space_theta(&f.v, &f.spot[0], theta);
    *found = (gi_found){.lambda = f.spot[0].lambda,
                        .value = f.spot[0].criterion,
                        .evaluations = f.v.evaluations,
                        .rows = most,
                        .converged = f.spot[0].converged,
                        .seconds = omp_get_wtime() - start};
done:
    free_field(&f);
    return status;
}
