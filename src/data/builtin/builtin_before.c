/* builtin_before.c - parts from a machine before it was serviced; the pair of
 * builtin_after.c.
 *
 * length ~ N(50, 0.5^2) and width ~ N(20, 0.3^2) with correlation 0.7; weight
 * ~ N(8, 0.2^2) on its own.  Every column has the mean and the deviation of
 * its partner in `after`, so that tests of means and variances see nothing.
 */
#include "data/builtin/builtin.h"

#include <math.h>

#include "base/rng.h"

enum { ROWS = 500 };

gram_status gi_builtin_parts(gi_run *run, gi_buf *out, uint64_t seed,
                             double correlation, double hump)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(seed, 0);
    double rest = sqrt(1 - correlation * correlation);
    double narrow = sqrt(1 - hump * hump);

    GI_TRY(gi_buf_printf(run, out, "length,width,weight\n"));
    for (int i = 0; i < ROWS; i++) {
        double a = gi_rng_normal(&rng), b = gi_rng_normal(&rng);
        double side = hump > 0 && gi_rng_below(&rng, 2) ? hump : -hump;
        double c = side + narrow * gi_rng_normal(&rng);

        b = correlation * a + rest * b;
        GI_TRY(gi_builtin_number(run, out, 50 + 0.5 * a, 3, ','));
        GI_TRY(gi_builtin_number(run, out, 20 + 0.3 * b, 3, ','));
        GI_TRY(gi_builtin_number(run, out, 8 + 0.2 * c, 3, '\n'));
    }
done:
    return status;
}

static gram_status text(gi_run *run, gi_buf *out)
{
    return gi_builtin_parts(run, out, 5, 0.7, 0);
}

const gi_builtin gi_builtin_before = {
    .info =
        {
            .name = "before",
            .brief = "500 parts made before a service; a pair with \"after\"",
            .origin = "generated, seed 5",
        },
    .format = "csv",
    .text = text,
};
