/* split.c - a kernel of great power, chosen on some of the rows and used to test
 * the others.
 *
 * For many rows the power of the test grows with U / sd(U) (Sutherland et al.,
 * Generative models and model criticism via optimized MMD, 2017).  Of WIDTHS
 * widths around the median distance, the one with the largest ratio on a random
 * share of both samples is taken to test the remaining rows; since no row is
 * used for both, the level of the test is kept.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/table/subset.h"
#include "samples/test.h"

enum { WIDTHS = 9, STREAM = 0x6d6d7370 };

/* Mark `share` of the rows first .. first+rows-1. */
static gram_status mark_share(gi_run *run, gi_rng *rng, size_t first,
                              size_t rows, double share, unsigned char *keep,
                              size_t *marked)
{
    gram_status status = GRAM_OK;
    size_t *row = NULL, count = (size_t)(share * (double)rows);

    if (count < 2 || rows - count < 2)
        return gi_fail(GRAM_ERR_SHAPE,
                       "split: %g of %zu rows leaves %zu and %zu, both must be "
                       "2 or more",
                       share, rows, count, rows - count);
    GI_TRY(GI_NEW(run, row, rows));
    for (size_t i = 0; i < rows; i++)
        row[i] = first + i;
    gi_rng_shuffle(rng, row, rows);
    for (size_t i = 0; i < count; i++)
        keep[row[i]] = 1;
    *marked = count;
done:
    gi_free(row);
    return status;
}

/* U / sd(U). */
static gram_status power_ratio(gi_run *run, const gi_joined *p, int precision,
                               double *out)
{
    gram_status status = GRAM_OK;
    gi_mmd_pass l = {0};

    GI_TRY(gi_mmd_pass_new(run, p, 1, precision, &l));
    *out = l.e.variance > 0 ? l.e.unbiased / sqrt(l.e.variance) : -INFINITY;
done:
    gi_mmd_pass_clear(&l);
    return status;
}

/* The rows with keep[i] == which, without a kernel. */
static gram_status part_of(gi_run *run, const gi_joined *p,
                           const unsigned char *keep, int which, gi_joined *out)
{
    gram_status status = GRAM_OK;
    const size_t rows = p->m + p->n;
    unsigned char *mine = NULL;

    GI_TRY(GI_NEW(run, mine, rows));
    for (size_t i = 0; i < rows; i++) {
        mine[i] = keep[i] == which;
        *(i < p->m ? &out->m : &out->n) += mine[i];
    }
    GI_TRY(gi_table_subset(run, p->table, NULL, mine, &out->table));
done:
    gi_free(mine);
    return status;
}

/* The kernel of `from` with the numbers theta, for the rows of p. */
static gram_status carry_over(gi_run *run, gi_joined *from, const double *theta,
                              gi_joined *p)
{
    gram_status status = GRAM_OK;
    gram_program *q = from->program;
    gi_values values = {0};

    if (q->thetas)
        memcpy(q->theta, theta, q->thetas * sizeof *theta);
    GI_TRY(gi_values_of(run, q, &values));
    GI_TRY(
        gi_program_restore(run, from->kernel, &values, p->table, &p->program));
    GI_TRY(gi_points_new(run, p->program, p->table, GI_DOUBLE, &p->x));
    p->kernel = from->kernel;
    from->kernel = NULL;
done:
    gi_values_free(&values);
    return status;
}

gram_status gi_joined_split(gi_run *run, const gram_test_options *o,
                            gi_joined *p)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    gi_joined chooses = {0}, tests = {0};
    unsigned char *keep = NULL;
    double best = -INFINITY, *theta = NULL;
    size_t count;

    GI_TRY(GI_NEW_ZERO(run, keep, p->m + p->n));
    GI_TRY(mark_share(run, &rng, 0, p->m, o->split, keep, &count));
    GI_TRY(mark_share(run, &rng, p->m, p->n, o->split, keep, &count));
    GI_TRY(part_of(run, p, keep, 1, &chooses));
    GI_TRY(part_of(run, p, keep, 0, &tests));
    GI_TRY(gi_joined_kernel(run, o->kernel, o->scale, ldexp(1, WIDTHS / 2),
                            &chooses));
    count = chooses.program->thetas;
    GI_TRY(GI_NEW(run, theta, count));
    for (int w = 0; w < WIDTHS; w++) {
        double ratio = 0;

        GI_TRY(power_ratio(run, &chooses, o->precision, &ratio));
        if (w == 0 || ratio > best) {
            if (count)
                memcpy(theta, chooses.program->theta, count * sizeof *theta);
            best = ratio;
        }
        gi_joined_widen(&chooses, 0.5);
    }
    GI_TRY(carry_over(run, &chooses, theta, &tests));
    gi_joined_clear(p);
    *p = tests;
    tests = (gi_joined){0};
done:
    gi_free(theta);
    gi_free(keep);
    gi_joined_clear(&chooses);
    gi_joined_clear(&tests);
    return status;
}
