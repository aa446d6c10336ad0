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
 * The terms alone go with it, each as it would if it were the whole kernel,
 * as long as they are not far behind: where one of them is better on more rows
 * than the whole kernel has come to be, the whole begins again from there.  So
 * do equal lengths.  A path is cheap enough to go from the first sample to all
 * rows.
 */
#include "base/limits.h"
#include "solvers/path/criterion.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "solvers/search/ladder.h"
#include "solvers/search/shortlist.h"
#include "solvers/search/starts.h"

enum {
    FIRST_ROWS = GI_SEARCH_FIRST_ROWS,
    SAMPLE_STEPS = 60, /* evaluations at most, on a sample */
    FINAL_STEPS = 300, /* and on all rows */
    USUAL = 10,        /* evaluations of a start, as most need */
    USUAL_AGAIN = 5,   /* and from where one has ended */
    SAMPLE_STREAM = 0x5ea
};

/* Gain of evidence that ends a search: of many on the first sample, on others,
 * on all rows. */
static const double coarse = 0.1, rough = 0.02, fine = 1e-3;

/* A search that will end farther behind the kept ones, to all appearances, is
 * not finished. */
static const double hopeless = 5;

/* Equal lengths are given up when their evidence is behind by more than this
 * and 1 for each number that they lack: that much comes by chance. */
static const double margin = 10;

/* And terms alone when it is behind by more than this for each row, too. */
static const double apart = 0.1;

/* Where a term joins others, its amplitude is multiplied by one of these. */
static const double joins[] = {1, 0.05};
enum { JOINS = sizeof joins / sizeof *joins };

/* How far searches go on the rows there are. */
typedef struct stage {
    size_t steps;
    double tolerance;
} stage;

typedef struct field {
    gi_search_space v;
    gi_ladder ladder;
    size_t *order;      /* rows, shuffled */
    gi_shortlist *part; /* of every part of the kernel */
    gi_shortlist tied;  /* of the part that is looked at, with ties */
    size_t tries;       /* of that part so far */
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
    gi_problem all = f->v.s->problem;
    gi_row_subset *rows = &f->v.rows;
    size_t *row = NULL;
    gram_status status = GRAM_OK;

    if (f->v.K && f->v.K->rows == m)
        goto done;
    gi_row_subset_free(rows);
    f->v.K = NULL;
    GI_TRY(GI_NEW(run, row, m));
    memcpy(row, f->order, m * sizeof *row);
    qsort(row, m, sizeof *row, compare_sizes);
    all.K = f->v.s->K;
    GI_TRY(gi_row_subset_new(run, &all, row, m, rows));
    f->v.K = rows->K ? rows->K : f->v.s->K;
done:
    gi_free(row);
    return status;
}

/* ----------------------------------------------------------------- searches */

/* A search from the spot behind the kept ones. */
static gram_status try(gi_run *run, field *f, gi_shortlist *p)
{
    gi_spot *next = &p->spot[p->kept];
    const double bar =
        p->spot[GI_KEPT - 1].value + hopeless * gi_search_space_unit(&f->v);
    gi_run one = gi_run_step(run, f->tries++, GI_STARTS);
    gram_status status = GRAM_OK;

    GI_TRY(gi_search_space_climb(&one, &f->v, SAMPLE_STEPS, coarse,
                                 p->kept == GI_KEPT ? &bar : NULL, next));
    gi_shortlist_keep(p);
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
    return part == whole_of(f) || f->ladder.parts <= 4 ? GI_STARTS : 1;
}

static gram_status try_starts(gi_run *run, field *f, size_t part, size_t choice,
                              const gi_face *face, gi_shortlist *to)
{
    double *other = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, other, f->v.variables));
    for (size_t i = 0; i < starts_of(f, part); i++) {
        gi_spot *next = &to->spot[to->kept];

        gi_start_at(&f->v, face, i, next->x);
        if (!gi_start_is_new(&f->v, face, i, next->x, other))
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
static void dim(const gi_search_space *v, const gi_face *face, double factor,
                double *x)
{
    for (size_t k = 0; k < v->opens; k++)
        if (face->at[k] == GI_OFF)
            x[k] = fmin(fmax(x[k] + log(factor), v->lower[k]), v->upper[k]);
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
    gi_shortlist *to = &f->part[part];
    gram_status status = GRAM_OK;

    f->tied.kept = 0;
    f->tries = 0;
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

        gi_start_at(&f->v, free_, 0, next->x);
        join(f, joins[i], next);
        next->choice = choice;
        gi_spot_put(next, free_);
        GI_TRY(try(run, f, to));
    }
    if (f->tied.kept > 0 && f->tied.spot[0].value < to->alike.value)
        gi_spot_copy(&f->v, &f->tied.spot[0], tied, &to->alike);
done:
    return status;
}

/* All starts of all parts and choices; the best are kept. */
static gram_status begin(gi_run *run, field *f)
{
    gi_search_space *v = &f->v;
    const size_t parts = f->ladder.parts, all = v->choices * parts;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < all; i++) {
        gi_run part = gi_run_share(run, (double)i / (double)all,
                                   (double)(i + 1) / (double)all);

        GI_TRY(try_part(&part, f, i % parts, i / parts));
    }
    for (size_t i = 0; i < parts; i++)
        for (size_t k = f->part[i].kept; k <= GI_KEPT; k++)
            f->part[i].spot[k].value = INFINITY;
done:
    return status;
}

/* ---------------------------------------------------------------- more rows */

static const gi_spot *best_of(const field *f)
{
    const gi_spot *best = gi_shortlist_best(&f->part[0]);

    for (size_t i = 1; i < f->ladder.parts; i++)
        if (gi_shortlist_best(&f->part[i])->value < best->value)
            best = gi_shortlist_best(&f->part[i]);
    return best;
}

/* Is a spot so far behind that it is given up?  Numbers that it lacks, and
 * `chance`, may make up for the rest. */
static int is_behind(const field *f, const gi_spot *spot, size_t variables,
                     double chance, double best)
{
    double lacks;

    if (!isfinite(spot->value))
        return 1;
    lacks = (double)(variables - spot->face->variables);
    return spot->value - best > (chance + lacks) * gi_search_space_unit(&f->v);
}

/* What is behind is at no place from now on. */
static void give_up(field *f)
{
    const double best = best_of(f)->value;
    const double chance = margin + apart * (double)f->v.rows.problem.n;

    for (size_t i = 0; i < f->ladder.parts; i++) {
        gi_shortlist *p = &f->part[i];
        const gi_spot *here = gi_shortlist_best(p);

        if (is_behind(f, &p->alike, f->ladder.free[i].variables, margin,
                      here->value))
            p->alike.value = INFINITY;
        if (i < whole_of(f) && is_behind(f, here, f->v.variables, chance, best))
            gi_shortlist_clear(p);
    }
}

/* A path has no bar: a look, before it costs many evaluations. */
static gram_status look(gi_run *run, field *f, const gi_spot *best,
                        gi_spot *spot, int *behind)
{
    gram_status status = GRAM_OK;

    *behind = 0;
    if (!f->v.by_path)
        goto done;
    GI_TRY(gi_search_space_climb(run, &f->v, 1, fine, NULL, spot));
    *behind = is_behind(f, spot, f->v.variables, margin, best->value);
done:
    return status;
}

/* A part begins again from a spot within it, with amplitudes that are off there
 * small. */
static gram_status begin_again(gi_run *run, field *f, const stage *at,
                               size_t part, const gi_spot *from)
{
    gi_shortlist *p = &f->part[part];
    gram_status status;

    gi_spot_copy(&f->v, from, &f->ladder.free[part], &p->spot[1]);
    dim(&f->v, from->face, joins[JOINS - 1], p->spot[1].x);
    GI_TRY(gi_search_space_climb(run, &f->v, at->steps, at->tolerance, NULL,
                                 &p->spot[1]));
    gi_shortlist_lead(p, 1);
done:
    return status;
}

/* Equal lengths; where they are better, the part begins again. */
static gram_status go_on_alike(gi_run *run, field *f, const stage *at,
                               size_t part)
{
    gi_shortlist *p = &f->part[part];
    const double bar = p->spot[0].value;
    int behind;
    gram_status status;

    GI_TRY(look(run, f, &p->spot[0], &p->alike, &behind));
    if (behind)
        goto done;
    GI_TRY(gi_search_space_climb(run, &f->v, at->steps, at->tolerance, &bar,
                                 &p->alike));
    if (p->alike.value < bar)
        GI_TRY(begin_again(run, f, at, part, &p->alike));
done:
    return status;
}

/* The searches of a part that were kept, on the rows there are now, as if the
 * part were the whole kernel; then only the best is. */
static gram_status go_on_part(gi_run *run, field *f, const stage *at,
                              size_t part)
{
    gi_shortlist *p = &f->part[part];
    const double all = (double)p->kept;
    const int ties = isfinite(p->alike.value);
    gram_status status = GRAM_OK;

    p->alike.value = INFINITY; /* it was on other rows */
    for (size_t i = 0; i < p->kept; i++) {
        gi_run one = gi_run_share(run, (double)i / all, (double)(i + 1) / all);

        GI_TRY(gi_search_space_climb(&one, &f->v, at->steps, at->tolerance,
                                     NULL, &p->spot[i]));
        gi_shortlist_lead(p, i);
    }
    p->kept = 1;
    if (ties)
        GI_TRY(go_on_alike(run, f, at, part));
done:
    return status;
}

/* All that is left goes on, on the rows there are now, the whole kernel first;
 * where a part is better, the whole begins again from there. */
static gram_status go_on(gi_run *run, field *f, const stage *at)
{
    const size_t whole = whole_of(f);
    gi_run first = gi_run_share(run, 0, whole > 0 ? 0.6 : 1);
    gi_run rest = gi_run_share(run, 0.6, 1);
    const gi_spot *best;
    int behind;
    gram_status status;

    give_up(f);
    GI_TRY(go_on_part(&first, f, at, whole));
    best = gi_shortlist_best(&f->part[whole]);
    for (size_t i = 0; i < whole; i++) {
        gi_shortlist *p = &f->part[i];

        if (p->kept == 0)
            continue;
        GI_TRY(look(&rest, f, best, &p->spot[0], &behind));
        if (behind)
            gi_shortlist_clear(p);
        else
            GI_TRY(go_on_part(&rest, f, at, i));
    }
    best = best_of(f);
    if (best != gi_shortlist_best(&f->part[whole]))
        GI_TRY(begin_again(&rest, f, at, whole, best));
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
        work += work_of(GI_KEPT * USUAL_AGAIN, rows);
    }
    return work;
}

/* On more and more rows, up to `most`. */
static gram_status grow(gi_run *run, field *f, size_t rows, size_t most)
{
    const size_t steps = f->v.s->evaluations;
    const stage sample = {SAMPLE_STEPS, rough};
    const stage final = {steps ? steps : FINAL_STEPS, fine};
    const double all = work_left(f, rows, most);
    gi_run last;
    gram_status status;

    while (grows(f, rows, most)) {
        double done = 1 - work_left(f, rows, most) / all;
        gi_run part =
            gi_run_share(run, done, 1 - work_left(f, 2 * rows, most) / all);

        rows *= 2;
        GI_TRY(set_rows(run, f, rows));
        GI_TRY(go_on(&part, f, &sample));
    }
    GI_TRY(set_rows(run, f, most));
    last = gi_run_share(run, 1 - work_left(f, rows, most) / all, 1);
    GI_TRY(go_on(&last, f, &final));
done:
    return status;
}

/* ---------------------------------------------------------------------- run */

static gram_status new_field(gi_run *run, const gi_search *s, field *f)
{
    const size_t n = s->problem.n;
    gi_rng rng = gi_rng_new(run->seed, SAMPLE_STREAM);
    gram_status status;

    GI_TRY(gi_search_space_new(run, s, &f->v));
    GI_TRY(GI_NEW(run, f->order, n));
    for (size_t i = 0; i < n; i++)
        f->order[i] = i;
    gi_rng_shuffle(&rng, f->order, n);
done:
    return status;
}

/* When the variables are known. */
static gram_status new_shortlists(gi_run *run, field *f)
{
    gram_status status;

    GI_TRY(gi_ladder_new(run, &f->v, &f->ladder));
    GI_TRY(GI_NEW_ZERO(run, f->part, f->ladder.parts));
    for (size_t i = 0; i < f->ladder.parts; i++)
        GI_TRY(gi_shortlist_new(run, &f->v, &f->part[i]));
    GI_TRY(gi_shortlist_new(run, &f->v, &f->tied));
done:
    return status;
}

static void free_field(field *f)
{
    for (size_t i = 0; f->part && i < f->ladder.parts; i++)
        gi_shortlist_free(&f->part[i]);
    gi_shortlist_free(&f->tied);
    gi_free(f->part);
    gi_ladder_free(&f->ladder);
    gi_search_space_free(&f->v);
    gi_free(f->order);
}

/* The first number of one by itself that is at a bound, or -1. */
static int find_edge(const gi_search_space *v, const gi_spot *best)
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
    const double start = gi_clock();
    const size_t n = s->problem.n;
    gi_run first, rest;
    field f = {0};
    const gi_spot *best;
    size_t most = s->most ? least(s->most, n) : n;
    size_t rows = least(s->subset ? s->subset : FIRST_ROWS, most);
    double share;
    gram_status status;

    GI_TRY(new_field(run, s, &f));
    if (f.v.opens == 0)
        rows = most;
    first = gi_run_quiet(run);
    GI_TRY(set_rows(&first, &f, rows));
    GI_TRY(gi_search_space_measure(&first, &f.v, most));
    GI_TRY(new_shortlists(run, &f));
    share = work_of(f.v.choices * GI_STARTS * USUAL, rows);
    share = f.v.opens > 0 ? share / (share + work_left(&f, rows, most)) : 1;
    first = gi_run_share(run, 0, share);
    rest = gi_run_share(run, share, 1);
    GI_TRY(begin(&first, &f));
    if (f.v.variables > 0)
        GI_TRY(grow(&rest, &f, rows, most));
    best = best_of(&f);
    if (!isfinite(best->value))
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "search: the criterion has no value wherever it was "
                       "tried, there are too few rows or K + lambda D is not "
                       "positive definite"));
    gi_search_space_theta(&f.v, best, theta);
    *found = (gi_found){.lambda = best->lambda,
                        .value = best->criterion,
                        .evaluations = f.v.evaluations,
                        .rows = most,
                        .converged = best->converged,
                        .lambda_edge = f.v.variables > f.v.opens
                                           ? gi_spot_edge(&f.v, best, f.v.opens)
                                           : 0,
                        .edge = find_edge(&f.v, best),
                        .seconds = gi_clock() - start};
done:
    free_field(&f);
    return status;
}
