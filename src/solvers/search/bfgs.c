/* bfgs.c - projected BFGS with an inverse Hessian that outlives the call.
 *
 * A variable is free unless it is at a bound with the slope pointing outward.
 * The step is p = -H_ff g_f over the free variables, no longer than `reach`,
 * cut at the bounds, halved or less by a parabola until it gains a share of
 * what the slope promises (Bertsekas 1982; Nocedal and Wright, 6.1).  The
 * search is over when the gain it predicts, g' H g / 2, is below the tolerance
 * twice in a row: H knows little of directions it has not gone, and the second
 * time it has gone them.
 *
 * Functions that differ in the sample of rows they are taken over have nearly
 * the same curvature per row: the next search, on more rows, begins where this
 * one has come to and with its H, and mostly needs two or three evaluations.
 *
 * Cost: O(variables^2) beside each evaluation.
 */
#include "solvers/search/bfgs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

/* The longest step in any variable; and how long it is at least in some while
 * nothing is known of the curvature. */
static const double reach = 1.5, first_reach = 0.3;

/* Share of the gain promised by the slope that a step must have. */
static const double share = 1e-4;

/* A step is cut at most so often, by these factors; where there is no value,
 * by the last one. */
enum { CUTS = 12 };
static const double least_cut = 0.1, most_cut = 0.5, blind_cut = 0.25;

/* Evaluations before the gain that is predicted is believed. */
enum { PATIENCE = 10 };

/* Where curvature is not positive, steps become longer by this. */
static const double stretch = 2;

typedef struct descent {
    const gi_objective *f;
    size_t m;
    double *H;
    double *x, *g, *p; /* here: slope and step */
    double *y, *h, *z; /* there; y becomes the point there */
    double value, left;
    size_t evaluations;
    int fresh; /* H has seen nothing yet */
} descent;

static double dot(const double *a, const double *b, size_t m)
{
    double sum = 0;

    for (size_t i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

static void forget(descent *d)
{
    memset(d->H, 0, d->m * d->m * sizeof *d->H);
    for (size_t i = 0; i < d->m; i++)
        d->H[i * d->m + i] = 1;
    d->fresh = 1;
}

static int is_free(const descent *d, size_t i)
{
    return !(d->x[i] <= d->f->lower[i] && d->g[i] >= 0) &&
           !(d->x[i] >= d->f->upper[i] && d->g[i] <= 0);
}

/* p, and what it promises to gain; 0 if there is nowhere to go. */
static double find_step(descent *d)
{
    double slope = 0;

    for (size_t i = 0; i < d->m; i++) {
        d->p[i] = 0;
        for (size_t j = 0; is_free(d, i) && j < d->m; j++)
            if (is_free(d, j))
                d->p[i] -= d->H[i * d->m + j] * d->g[j];
        slope += d->p[i] * d->g[i];
    }
    return -slope / 2;
}

static void limit_step(descent *d)
{
    double longest = 0, to;

    for (size_t i = 0; i < d->m; i++)
        longest = fmax(longest, fabs(d->p[i]));
    to = fmin(fmax(longest, d->fresh ? first_reach : 0), reach);
    for (size_t i = 0; i < d->m; i++)
        d->p[i] *= to / longest;
}

/* H after a step s with the change y of the slope (in d->p and d->y). */
static void learn(descent *d)
{
    const size_t m = d->m;
    const double *s = d->p, *y = d->y;
    double sy = dot(s, y, m), yy = dot(y, y, m), yHy;

    if (!(sy > 1e-10 * sqrt(dot(s, s, m) * yy))) {
        for (size_t i = 0; i < m * m; i++)
            d->H[i] *= stretch;
        return;
    }
    for (size_t i = 0; d->fresh && i < m; i++)
        d->H[i * m + i] = sy / yy;
    d->fresh = 0;
    for (size_t i = 0; i < m; i++)
        d->z[i] = dot(&d->H[i * m], y, m);
    yHy = dot(y, d->z, m);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            d->H[i * m + j] += (1 + yHy / sy) * s[i] * s[j] / sy -
                               (s[i] * d->z[j] + d->z[i] * s[j]) / sy;
}

/* One step along p; *moved is 0 if none gained anything, or evaluations have
 * run out. */
static gram_status step(descent *d, int *moved)
{
    double t = 1;
    gram_status status = GRAM_OK;

    *moved = 0;
    for (int cut = 0; cut < CUTS && d->evaluations < d->f->evaluations; cut++) {
        double promise = 0, there = NAN, part;

        for (size_t i = 0; i < d->m; i++) {
            d->y[i] = fmin(fmax(d->x[i] + t * d->p[i], d->f->lower[i]),
                           d->f->upper[i]);
            promise += d->g[i] * (d->y[i] - d->x[i]);
        }
        GI_TRY(d->f->at(d->f->user, d->y, &there, d->h));
        d->evaluations++;
        if (there <= d->value + share * promise) {
            for (size_t i = 0; i < d->m; i++) {
                d->p[i] = d->y[i] - d->x[i];
                d->x[i] = d->y[i];
                d->y[i] = d->h[i] - d->g[i];
                d->g[i] = d->h[i];
            }
            d->value = there;
            *moved = 1;
            break;
        }
        part = -promise / (2 * (there - d->value - promise));
        t *=
            isfinite(there) ? fmin(fmax(part, least_cut), most_cut) : blind_cut;
    }
done:
    return status;
}

/* Even twice the gain that is predicted is not enough. */
static int is_hopeless(const descent *d)
{
    return d->f->bar && d->evaluations >= PATIENCE &&
           d->value - 2 * d->left > *d->f->bar;
}

/* Until the gain that is left is small. */
static gram_status descend(descent *d, int *converged)
{
    int small = 0, moved = 1;
    gram_status status = GRAM_OK;

    for (;;) {
        d->left = find_step(d);
        small = d->left < d->f->tolerance && !d->fresh ? small + 1 : 0;
        if (small > 1 || !(d->left > 0) || is_hopeless(d))
            break;
        if (d->evaluations >= d->f->evaluations) {
            *converged = 0;
            break;
        }
        limit_step(d);
        GI_TRY(step(d, &moved));
        if (moved)
            learn(d);
        else if (d->fresh && d->evaluations < d->f->evaluations)
            break; /* what the slope promises is rounding error */
        else if (!d->fresh)
            forget(d);
    }
done:
    return status;
}

gram_status gi_bfgs(const gi_objective *f, double *x, double *value,
                    int *converged)
{
    const size_t m = f->variables;
    descent d = {.f = f, .m = m, .H = f->curvature, .x = x, .value = NAN};
    double *room = NULL;
    gram_status status;

    GI_TRY(GI_NEW(NULL, room, 5 * m));
    d.g = room;
    d.p = room + m;
    d.y = room + 2 * m;
    d.h = room + 3 * m;
    d.z = room + 4 * m;
    if (!(d.H[0] > 0))
        forget(&d);
    *converged = 1;
    GI_TRY(f->at(f->user, x, &d.value, d.g));
    d.evaluations = 1;
    if (isfinite(d.value))
        GI_TRY(descend(&d, converged));
    *value = isfinite(d.value) ? d.value : INFINITY;
done:
    gi_free(room);
    return status;
}
