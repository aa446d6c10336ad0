/* search.c - the best numbers of a kernel.
 *
 * Numbers with candidates are enumerated: alone, on all rows; around a search
 * of other numbers on the first sample only, and the best stay.
 *
 * Criteria have several optima.  Searches begin on a sample of the rows, at
 * five starts, each first with all lengths of a leaf alike, and the best go on
 * with all lengths free; so does every term of a sum alone, and the sum begins
 * also where its terms have ended (ladder.h).  The best two go on with twice
 * as many rows, the better of these with twice as many again, up to all.  A
 * step costs an eighth of one on the next sample, and the last search begins
 * near its end with the curvature found before (bfgs.h).
 *
 * The best spots of the kernels that are contained in this one go with it, as
 * long as they are close: where one of them is better on more rows than the
 * whole kernel has come to be, the whole kernel begins again from there.  A
 * path is cheap enough to go from the first sample to all rows.
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
#include "solvers/ladder.h"

enum {
    FIRST_ROWS = GI_SEARCH_FIRST_ROWS,
    SAMPLE_STEPS = 60, /* evaluations at most, on a sample */
    FINAL_STEPS = 300, /* and on all rows */
    KEPT = 2,          /* searches that leave the first sample */
    USUAL = 10,        /* evaluations of a start, as most need */
    USUAL_AGAIN = 5,   /* and from where one has ended */
    SAMPLE_STREAM = 0x5ea
};

/* Gain of evidence that ends a search: of many on the first sample, on others,
 * on all rows. */
static const double coarse = 0.1, rough = 0.02, fine = 1e-3;

/* Searches that end closer than this have found the same. */
static const double same = 1e-3;

/* A search that will end farther behind the kept ones, to all appearances, is
 * not finished. */
static const double hopeless = 5;

/* A kernel within this one is given up when its evidence is behind by more
 * than this and 1 for each number that it lacks: that much comes by chance. */
static const double margin = 10;

/* Where a term joins others, its amplitude is multiplied by one of these. */
static const double joins[] = {1, 0.05};
enum { JOINS = sizeof joins / sizeof *joins };

/* What numbers that set a length are multiplied by, and lambda relative to its
 * scale.  On eight sets of real data these five reached the best optimum of
 * thirty such starts.  From the second on leaves take turns with the factors:
 * equal leaves that begin equal would stay so. */
static const struct {
    double factor, lambda;
} starts[] = {{1, 1e-2}, {0.3, 1e-3}, {3, 1}, {10, 0.1}, {0.1, 0.1}};
enum { STARTS = sizeof starts / sizeof *starts };

/* The best spots of a face, the best first, and room for one more. */
typedef struct pool {
    gi_spot spot[KEPT + 1];
    size_t kept;
} pool;

typedef struct field {
    gi_space v;
    gi_ladder ladder;
    size_t *order;         /* rows, shuffled */
    pool *part;            /* of every part of the kernel */
    pool tied;             /* of the part that is looked at, with ties */
    gi_spot alike;         /* the whole kernel's best with ties */
    unsigned char *behind; /* kernels within this one that are given up */
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

static void start_at(const gi_space *v, const gi_face *face, size_t start,
                     double *x)
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
        x[v->opens] = log(starts[start].lambda * face->scale);
    for (size_t k = 0; k < v->variables; k++)
        x[k] = within(x[k], v->lower[k], v->upper[k]);
}

/* x is that of a start; was there one like it, on this face, before? */
static int is_new(const gi_space *v, const gi_face *face, size_t start,
                  const double *x, double *other)
{
    for (size_t i = 0; i < start; i++) {
        size_t k = 0;

        start_at(v, face, i, other);
        while (k < v->variables && (!gi_face_has(face, k) || x[k] == other[k]))
            k++;
        if (k == v->variables)
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

static gram_status new_pool(gi_run *run, const gi_space *v, pool *p)
{
    gram_status status = GRAM_OK;

    for (size_t i = 0; i <= KEPT; i++)
        GI_TRY(gi_spot_new(run, v, &p->spot[i]));
done:
    return status;
}

static void free_pool(pool *p)
{
    for (size_t i = 0; i <= KEPT; i++)
        gi_spot_free(&p->spot[i]);
}

/* Take the spot behind the kept ones among them, unless it is the worst of too
 * many or has come to the optimum of another. */
static void keep(pool *p)
{
    gi_spot *s = p->spot;

    for (size_t i = p->kept; i > 0 && s[i].value < s[i - 1].value; i--)
        swap(&s[i], &s[i - 1]);
    for (size_t i = 0; i < p->kept; i++)
        if (s[i + 1].value - s[i].value < same) {
            for (size_t j = i + 1; j < p->kept; j++)
                swap(&s[j], &s[j + 1]);
            return;
        }
    p->kept += p->kept < KEPT;
}

/* A search from the spot behind the kept ones. */
static gram_status try(gi_run *run, field *f, pool *p)
{
    gi_spot *next = &p->spot[p->kept];
    const double bar =
        p->spot[KEPT - 1].value + hopeless * gi_space_unit(&f->v);
    gram_status status = GRAM_OK;

    GI_TRY(gi_space_climb(run, &f->v, SAMPLE_STEPS, coarse,
                          p->kept == KEPT ? &bar : NULL, next));
    keep(p);
done:
    return status;
}

static size_t whole_of(const field *f)
{
    return f->ladder.parts - 1;
}

/* With several parts fewer starts for each. */
static size_t starts_of(const field *f, size_t part)
{
    return part == whole_of(f) || f->ladder.parts <= 4 ? STARTS : 1;
}

static gram_status try_starts(gi_run *run, field *f, size_t part, size_t choice,
                              const gi_face *face, pool *to)
{
    double *other = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, other, f->v.variables));
    for (size_t i = 0; i < starts_of(f, part); i++) {
        gi_spot *next = &to->spot[to->kept];

        start_at(&f->v, face, i, next->x);
        if (!is_new(&f->v, face, i, next->x, other))
            continue;
        next->choice = choice;
        gi_spot_put(next, face);
        GI_TRY(try(run, f, to));
    }
done:
    gi_free(other);
    return status;
}

/* The part, but for the whole kernel, that sees a variable and has come
 * farthest; parts: none. */
static size_t best_part(const field *f, size_t variable)
{
    size_t best = f->ladder.parts;

    for (size_t p = 0; p < whole_of(f); p++)
        if (gi_face_has(&f->ladder.free[p], variable) && f->part[p].kept > 0 &&
            (best == f->ladder.parts ||
             f->part[p].spot[0].value < f->part[best].spot[0].value))
            best = p;
    return best;
}

/* Multiply the amplitudes that are off on a face. */
static void dim(const gi_space *v, const gi_face *face, double factor,
                double *x)
{
    for (size_t k = 0; k < v->opens; k++)
        if (face->at[k] == GI_OFF)
            x[k] = within(x[k] + log(factor), v->lower[k], v->upper[k]);
}

/* The parts put together, each variable as the best that sees it has it.
 * Amplitudes that are off in the best of all are multiplied. */
static void join(const field *f, double factor, gi_spot *spot)
{
    size_t first = f->ladder.parts;

    for (size_t k = 0; k < f->v.variables; k++) {
        size_t p = best_part(f, k);

        if (p < f->ladder.parts &&
            (first == f->ladder.parts ||
             f->part[p].spot[0].value < f->part[first].spot[0].value))
            first = p;
        if (p < f->ladder.parts)
            spot->x[k] = f->part[p].spot[0].x[k];
    }
    if (first < f->ladder.parts)
        dim(&f->v, &f->ladder.free[first], factor, spot->x);
}

/* All starts of a part for a choice of candidates. */
static gram_status try_part(gi_run *run, field *f, size_t part, size_t choice)
{
    const gi_face *free_ = &f->ladder.free[part], *tied = &f->ladder.tied[part];
    int ties = tied->variables < free_->variables;
    int joined = part == whole_of(f) && part > 0;
    pool *to = &f->part[part];
    gram_status status = GRAM_OK;

    f->tied.kept = 0;
    GI_TRY(try_starts(run, f, part, choice, ties ? tied : free_,
                      ties ? &f->tied : to));
    for (size_t i = 0; i < f->tied.kept; i++) {
        gi_spot_copy(&f->v, &f->tied.spot[i], free_, &to->spot[to->kept]);
        GI_TRY(try(run, f, to));
    }
    if (ties)
        GI_TRY(try_starts(run, f, part, choice, free_, to));
    for (size_t i = 0; joined && i < JOINS; i++) {
        gi_spot *next = &to->spot[to->kept];

        start_at(&f->v, free_, 0, next->x);
        join(f, joins[i], next);
        next->choice = choice;
        gi_spot_put(next, free_);
        GI_TRY(try(run, f, to));
    }
    if (part == whole_of(f) && f->tied.kept > 0 &&
        f->tied.spot[0].value < f->alike.value)
        gi_spot_copy(&f->v, &f->tied.spot[0], tied, &f->alike);
done:
    return status;
}

/* All starts of all parts and choices; the best are kept. */
static gram_status begin(gi_run *run, field *f)
{
    gi_space *v = &f->v;
    const size_t parts = f->ladder.parts, all = v->choices * parts;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < all; i++) {
        gi_run part = gi_run_part(run, (double)i / (double)all,
                                  (double)(i + 1) / (double)all);

        GI_TRY(try_part(&part, f, i % parts, i / parts));
    }
    for (size_t i = 0; i < parts; i++)
        for (size_t k = f->part[i].kept; k <= KEPT; k++)
            f->part[i].spot[k].value = INFINITY;
done:
    return status;
}

/* ---------------------------------------------------------------- more rows */

/* The best spots of kernels within this one. */
static size_t withins(const field *f)
{
    return whole_of(f) * KEPT + 1;
}

static gi_spot *within_of(field *f, size_t i)
{
    return i + 1 < withins(f) ? &f->part[i / KEPT].spot[i % KEPT] : &f->alike;
}

static gi_spot *best_of(field *f)
{
    gi_spot *best = &f->part[whole_of(f)].spot[0];

    for (size_t i = 0; i < withins(f); i++)
        if (within_of(f, i)->value < best->value)
            best = within_of(f, i);
    return best;
}

/* Is it so far behind that it is given up? */
static int is_behind(const field *f, const gi_spot *within, const gi_spot *best)
{
    double lacks;

    if (!isfinite(within->value))
        return 1;
    lacks = (double)(f->v.variables - within->face->variables);
    return within->value - best->value >
           (margin + lacks) * gi_space_unit(&f->v);
}

/* The searches that were kept, on the rows there are now; then only the best
 * is. */
static gram_status go_on_whole(gi_run *run, field *f, size_t steps,
                               double tolerance)
{
    pool *p = &f->part[whole_of(f)];
    const double all = (double)p->kept;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < p->kept; i++) {
        gi_run part = gi_run_part(run, (double)i / all, (double)(i + 1) / all);

        GI_TRY(
            gi_space_climb(&part, &f->v, steps, tolerance, NULL, &p->spot[i]));
        if (p->spot[i].value < p->spot[0].value)
            swap(&p->spot[0], &p->spot[i]);
    }
    p->kept = 1;
done:
    return status;
}

/* A kernel within this one; where it is better, the whole begins again. */
static gram_status go_on_within(gi_run *run, field *f, size_t steps,
                                double tolerance, gi_spot *within)
{
    pool *p = &f->part[whole_of(f)];
    double bar = best_of(f)->value;
    gram_status status = GRAM_OK;

    if (f->v.by_path) { /* a look, before it costs many evaluations */
        GI_TRY(gi_space_climb(run, &f->v, 1, tolerance, NULL, within));
        if (is_behind(f, within, best_of(f)))
            goto done;
    }
    GI_TRY(gi_space_climb(run, &f->v, steps, tolerance, &bar, within));
    if (within->value >= bar)
        goto done;
    gi_spot_copy(&f->v, within, &f->ladder.free[whole_of(f)], &p->spot[1]);
    dim(&f->v, within->face, joins[JOINS - 1], p->spot[1].x);
    GI_TRY(gi_space_climb(run, &f->v, steps, tolerance, NULL, &p->spot[1]));
    if (p->spot[1].value < p->spot[0].value)
        swap(&p->spot[0], &p->spot[1]);
done:
    return status;
}

/* All that is left goes on, on the rows there are now. */
static gram_status go_on(gi_run *run, field *f, size_t steps, double tolerance)
{
    gi_run first = gi_run_part(run, 0, 0.8), rest = gi_run_part(run, 0.8, 1);
    const gi_spot *best = best_of(f);
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < withins(f); i++)
        f->behind[i] = (unsigned char)is_behind(f, within_of(f, i), best);
    for (size_t i = 0; i < withins(f); i++) /* on other rows it was */
        within_of(f, i)->value = INFINITY;
    GI_TRY(go_on_whole(&first, f, steps, tolerance));
    for (size_t i = 0; i < withins(f); i++)
        if (!f->behind[i])
            GI_TRY(go_on_within(&rest, f, steps, tolerance, within_of(f, i)));
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

/* Bounds of lambda are relative to what a part is measured by; those of the
 * whole kernel are around all of them. */
static void set_lambda_bounds(field *f)
{
    gi_space *v = &f->v;
    const size_t k = v->opens;
    const double lower = k < v->variables ? v->lower[k] : 0;
    const double upper = k < v->variables ? v->upper[k] : 0;

    for (size_t i = 0; k < v->variables && i < f->ladder.parts; i++) {
        gi_face *face[] = {&f->ladder.tied[i], &f->ladder.free[i]};
        const double shift = log(face[0]->scale / v->scale);

        v->lower[k] = fmin(v->lower[k], lower + shift);
        v->upper[k] = fmax(v->upper[k], upper + shift);
        for (size_t j = 0; j < 2; j++) {
            size_t at = face[j]->at[k];

            face[j]->lower[at] = i == whole_of(f) ? v->lower[k] : lower + shift;
            face[j]->upper[at] = i == whole_of(f) ? v->upper[k] : upper + shift;
        }
    }
}

/* When the variables are known. */
static gram_status new_pools(gi_run *run, field *f)
{
    gram_status status;

    GI_TRY(gi_ladder_new(run, &f->v, &f->ladder));
    set_lambda_bounds(f);
    GI_TRY(GI_NEW(run, f->behind, withins(f)));
    GI_TRY(GI_NEW_ZERO(run, f->part, f->ladder.parts));
    for (size_t i = 0; i < f->ladder.parts; i++)
        GI_TRY(new_pool(run, &f->v, &f->part[i]));
    GI_TRY(new_pool(run, &f->v, &f->tied));
    GI_TRY(gi_spot_new(run, &f->v, &f->alike));
done:
    return status;
}

static void free_field(field *f)
{
    for (size_t i = 0; f->part && i < f->ladder.parts; i++)
        free_pool(&f->part[i]);
    free_pool(&f->tied);
    gi_spot_free(&f->alike);
    gi_free(f->part);
    gi_free(f->behind);
    gi_ladder_free(&f->ladder);
    gi_space_free(&f->v);
    gi_free(f->order);
}

/* The first number of one by itself that is at a bound, or -1. */
static int find_edge(const gi_space *v, const gi_spot *best)
{
    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &v->s->unknown[v->open[k]];
        const gi_slot *slot = &v->s->program->kernel->slot[u->slot];

        if (slot->param && !slot->per_column && gi_spot_edge(v, best, k))
            return (int)v->open[k];
    }
    return -1;
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
    const gi_spot *best;
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
    GI_TRY(new_pools(run, &f));
    share = work_of(f.v.choices * STARTS * USUAL, rows);
    share = f.v.opens > 0 ? share / (share + work_left(&f, rows, most)) : 1;
    first = gi_run_part(run, 0, share);
    rest = gi_run_part(run, share, 1);
    GI_TRY(begin(&first, &f));
    if (f.v.variables > 0)
        GI_TRY(grow(&rest, &f, rows, most));
    best = best_of(&f);
    if (!isfinite(best->value))
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "search: the criterion has no value wherever it was "
                       "tried, there are too few rows or K + lambda D is not "
                       "positive definite"));
    gi_space_theta(&f.v, best, theta);
    *found = (gi_found){.lambda = best->lambda,
                        .value = best->criterion,
                        .evaluations = f.v.evaluations,
                        .rows = most,
                        .converged = best->converged,
                        .lambda_edge = f.v.variables > f.v.opens
                                           ? gi_spot_edge(&f.v, best, f.v.opens)
                                           : 0,
                        .edge = find_edge(&f.v, best),
                        .seconds = omp_get_wtime() - start};
done:
    free_field(&f);
    return status;
}
