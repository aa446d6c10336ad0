/* grid.c - points of a grid over open numbers, or points at random.
 */
#include "machines/select/grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "kernels/program/unknowns.h"
#include "machines/select/select.h"

enum {
    VALUES = 5,   /* of a number without candidates */
    MIDDLE = 2,   /* the one that is its start */
    LARGE = 125,  /* a grid with more points is not tried, but */
    RANDOM = 50,  /* so many points at random */
    LAMBDAS = 10, /* without candidates */
    MOST_TRIES = 4096,
    STREAM = 0x67726964
};

static size_t choices(const gi_fit *f, const gi_unknown *u)
{
    return (int)u->slot == f->hold ? 1
           : u->candidates         ? u->candidate_count
                                   : VALUES;
}

static double choice(const gi_fit *f, const gi_unknown *u, size_t i)
{
    double x;

    if ((int)u->slot == f->hold)
        return 1;
    if (u->candidates)
        return u->candidates[i];
    x = u->log ? u->start * pow(10, ((double)i - MIDDLE) / 2)
               : u->lower + (u->upper - u->lower) * (double)i / (VALUES - 1);
    return fmin(fmax(x, u->lower), u->upper);
}

/* Points of the grid, and whether all of them were written down. */
static size_t grid_points(const gi_fit *f, int *written)
{
    size_t count = 1;

    *written = 1;
    for (size_t u = 0; u < f->unknowns; u++) {
        *written &=
            f->unknown[u].candidates || (int)f->unknown[u].slot == f->hold;
        if (count <= MOST_TRIES)
            count *= choices(f, &f->unknown[u]);
    }
    return count;
}

/* Random points: as many as asked for, or where a grid would be too large. */
static size_t random_tries(const gi_fit *f)
{
    int written;
    size_t points = grid_points(f, &written);

    if (gi_select_searched(f) == 0)
        return 0;
    return f->o->tries > 0              ? f->o->tries
           : !written && points > LARGE ? RANDOM
                                        : 0;
}

size_t gi_grid_tries(const gi_fit *f)
{
    size_t tries = random_tries(f);
    int written;

    return tries > 0 ? tries : grid_points(f, &written);
}

size_t gi_grid_lambda_count(const gi_fit *f)
{
    return !isnan(f->lambda.value) ? 1
           : f->lambda.candidate   ? f->lambda.count
                                   : LAMBDAS;
}

/* A value at random: a candidate, or from within the bounds. */
static double draw(const gi_fit *f, const gi_unknown *u, double random)
{
    if ((int)u->slot == f->hold || u->candidates)
        return choice(f, u, (size_t)(random * (double)choices(f, u)));
    return u->log ? u->lower * pow(u->upper / u->lower, random)
                  : u->lower + (u->upper - u->lower) * random;
}

/* Try k: the digits of k in the grid, or draws from a stream of its own. */
void gi_grid_theta(const gi_fit *f, size_t k)
{
    gi_rng rng = gi_rng_new(f->run->seed, STREAM + k);

    for (size_t i = 0; i < f->unknowns; i++) {
        const gi_unknown *u = &f->unknown[i];
        size_t count = choices(f, u);

        f->theta[u->theta] = random_tries(f) > 0
                                 ? draw(f, u, gi_rng_uniform(&rng))
                                 : choice(f, u, k % count);
        k /= count;
    }
}

static int compare_descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

void gi_grid_lambdas(const gi_fit *f, double scale, double *out)
{
    const gi_lambda *given = &f->lambda;
    size_t count = gi_grid_lambda_count(f);
    double lowest = gi_machine_is_squared(f->m) ? -5 : -4, highest = 2;

    for (size_t j = 0; j < count; j++)
        out[j] = !isnan(given->value) ? given->value
                 : given->candidate
                     ? given->candidate[j]
                     : scale * pow(10, lowest + (highest - lowest) * (double)j /
                                                    (LAMBDAS - 1));
    qsort(out, count, sizeof *out, compare_descending);
}

gram_status gi_grid_check(const gi_fit *f)
{
    if (f->lambda.value == 0)
        return gi_fail(GRAM_ERR_RANGE,
                       "lambda = 0, must be positive for cross-validation");
    if (gi_grid_tries(f) > MOST_TRIES && f->o->tries == 0)
        return gi_fail(GRAM_ERR_RANGE,
                       "cross-validation: the grid has more than %d kernels; "
                       "give candidates, ?[...], or a number of tries",
                       (int)MOST_TRIES);
    return GRAM_OK;
}

/* ------------------------------------------------------------------- cells */

gram_status gi_grid_kernel(const gi_fit *f, gi_buf *text)
{
    if (!f->o->known && !f->o->found)
        return GRAM_OK;
    return gi_program_print(f->run, f->program, f->theta, text);
}

int gi_grid_known(const gi_fit *f, const char *kernel, const double *lambda,
                  size_t count, double *error)
{
    if (!f->o->known)
        return 0;
    for (size_t j = 0; j < count; j++)
        if (!f->o->known(f->o->cell_user, kernel, lambda[j], &error[j]))
            return 0;
    return 1;
}

void gi_grid_found(const gi_fit *f, const char *kernel, const double *lambda,
                   size_t count, const double *error)
{
    for (size_t j = 0; f->o->found && j < count; j++)
        f->o->found(f->o->cell_user, kernel, lambda[j], error[j]);
}
