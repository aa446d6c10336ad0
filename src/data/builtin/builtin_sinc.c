/* builtin_sinc.c - y = sin(x)/x with normal noise, x uniform on [-10, 10].
 */
#include "data/builtin/builtin.h"

#include <math.h>

#include "base/rng.h"

enum { SEED = 3, ROWS = 200 };

static const double noise = 0.1;

static gram_status text(gi_run *run, gi_buf *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(SEED, 0);

    GI_TRY(gi_buf_printf(run, out, "x,y\n"));
    for (int i = 0; i < ROWS; i++) {
        double x = 20 * gi_rng_uniform(&rng) - 10;
        double y = x != 0 ? sin(x) / x : 1;

        GI_TRY(gi_builtin_number(run, out, x, 4, ','));
        GI_TRY(gi_builtin_number(run, out, y + noise * gi_rng_normal(&rng), 4,
                                 '\n'));
    }
done:
    return status;
}

const gi_builtin gi_builtin_sinc = {
    .info =
        {
            .name = "sinc",
            .brief = "sin(x)/x on [-10, 10] with noise of deviation 0.1",
            .target = "y",
            .origin = "generated, seed 3",
        },
    .format = "csv",
    .text = text,
};
