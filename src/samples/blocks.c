/* blocks.c - the mean of unbiased statistics of blocks of rows.
 *
 * Blocks share no rows, so their statistics are independent and the mean is
 * nearly normal whatever P and Q are (Zaremba, Gretton, Blaschko: B-test,
 * 2013); with two rows of each sample in a block it is the linear-time
 * statistic (Gretton et al. 2012, section 6).  It needs no permutations and
 * O(n block) time, and has less power.
 *
 * Small blocks are computed several at a time, as bins of one run.
 */
#include <math.h>

#include "base/distributions.h"
#include "base/limits.h"
#include "base/mem.h"
#include "kernels/engine/block.h"
#include "samples/mmd.h"

/* Rows of a run; a block of more rows has a run of its own. */
enum { ROWS = GI_TEST_BLOCK_ROWS };

/* The statistics of blocks first .. first+count-1 of `size` rows each. */
static gram_status some_blocks(gi_run *run, const gi_joined *p,
                               const gi_bin_rows *c, size_t size, size_t first,
                               size_t count, double *values)
{
    gram_status status = GRAM_OK;
    const size_t bins = 2 * count;
    size_t *row = NULL, *start = NULL;
    double *sums = NULL;
    gi_points *x = NULL, *at = NULL;

    GI_TRY(GI_NEW(run, row, bins * size));
    GI_TRY(GI_NEW(run, start, bins + 1));
    GI_TRY(GI_NEW(run, sums, bins * bins));
    for (size_t i = 0; i < count * size; i++) {
        row[i] = first * size + i;
        row[count * size + i] = c->m + first * size + i;
    }
    for (size_t g = 0; g <= bins; g++)
        start[g] = g * size;
    GI_TRY(gi_points_select(run, p->program, c->x, row, bins * size, &x));
    GI_TRY(gi_points_view(run, x, c->at->precision, &at));
    GI_TRY(gi_engine_bins(run, p->program, at,
                          &(gi_bins){bins, start, count * size}, 1, sums,
                          NULL));
    for (size_t g = 0; g < count; g++) {
        size_t h = count + g;
        gi_mmd_sums k = {sums[g * bins + g], sums[g * bins + h],
                         sums[h * bins + h], 0, 0};

        values[g] =
            gi_mmd_value(&k, (double)size, (double)size, GRAM_TEST_UNBIASED);
    }
done:
    gi_points_free(at);
    gi_points_free(x);
    gi_free(row);
    gi_free(start);
    gi_free(sums);
    return status;
}

static void mean_and_error(const double *values, size_t n, double *mean,
                           double *error)
{
    double sum = 0, squares = 0, count = (double)n;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / count) * (values[i] - sum / count);
    *mean = sum / count;
    *error = sqrt(squares / (count - 1) / count);
}

gram_status gi_mmd_blocks(gi_run *run, const gi_joined *p, size_t size,
                          int precision, double *mean, double *error,
                          double *p_value)
{
    gram_status status = GRAM_OK;
    const size_t fewer = p->m < p->n ? p->m : p->n, blocks = fewer / size;
    const size_t most = ROWS / (2 * size) ? ROWS / (2 * size) : 1;
    gi_bin_rows c = {0};
    double *values = NULL;

    if (gi_joined_is_fixed(p))
        return gi_fail(GRAM_ERR_SHAPE, "blocks: take parts of the rows, which "
                                       "a matrix from a file does not allow");
    if (blocks < 2)
        return gi_fail(GRAM_ERR_SHAPE,
                       "blocks of %zu rows: samples of %zu and %zu rows have "
                       "%zu of them, must have 2 or more",
                       size, p->m, p->n, blocks);
    GI_TRY(GI_NEW(run, values, blocks));
    GI_TRY(gi_bin_rows_new(run, p, 1, precision, &c));
    for (size_t g = 0; g < blocks; g += most) {
        size_t count = g + most < blocks ? most : blocks - g;
        gi_run part = gi_run_share(run, (double)g / (double)blocks,
                                   (double)(g + count) / (double)blocks);

        GI_TRY(some_blocks(&part, p, &c, size, g, count, values + g));
    }
    mean_and_error(values, blocks, mean, error);
    *p_value = *error > 0 ? gi_normal_tail(*mean / *error) : 1;
done:
    gi_bin_rows_clear(&c);
    gi_free(values);
    return status;
}
