/* builtin_after.c - parts from a machine after it was serviced; the pair of
 * builtin_before.c.
 *
 * length ~ N(50, 0.5^2) and width ~ N(20, 0.3^2) with correlation 0.3; weight
 * is the mixture of two normals at 8 -+ 0.2 m with deviation 0.2 s, where
 * m^2 + s^2 = 1: two humps, yet mean 8 and deviation 0.2 as before.
 */
#include "data/builtin/builtin.h"

#include <math.h>

#include "base/rng.h"

enum { SEED = 6, ROWS = 500 };

static const double correlation = 0.3;
static const double hump = 0.9; /* m */

static gram_status text(gi_run *run, gi_buf *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(SEED, 0);
    double rest = sqrt(1 - correlation * correlation);
    double narrow = sqrt(1 - hump * hump); /* s */

    GI_TRY(gi_buf_printf(run, out, "length,width,weight\n"));
    for (int i = 0; i < ROWS; i++) {
        double a = gi_rng_normal(&rng), b = gi_rng_normal(&rng);
        double side = gi_rng_below(&rng, 2) ? hump : -hump;
        double c = side + narrow * gi_rng_normal(&rng);

        b = correlation * a + rest * b;
        GI_TRY(gi_builtin_number(run, out, 50 + 0.5 * a, 3, ','));
        GI_TRY(gi_builtin_number(run, out, 20 + 0.3 * b, 3, ','));
        GI_TRY(gi_builtin_number(run, out, 8 + 0.2 * c, 3, '\n'));
    }
done:
    return status;
}

const gi_builtin gi_builtin_after = {
    .info =
        {
            .name = "after",
            .brief = "500 parts made after a service; a pair with \"before\"",
            .origin = "generated, seed 6",
        },
    .format = "csv",
    .text = text,
};
