/* builtin_moons.c - two half circles that reach into each other.
 *
 * Upper: (cos t, sin t); lower: (1 - cos t, 1/2 - sin t), t uniform on
 * [0, pi], both with normal noise.  No straight line separates them.
 */
#include "data/builtin/builtin.h"

#include <math.h>

#include "base/rng.h"

enum { SEED = 1, ROWS = 400 };

static const double pi = 3.14159265358979323846, noise = 0.15;

static gram_status text(gi_run *run, gi_buf *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(SEED, 0);

    GI_TRY(gi_buf_printf(run, out, "x,y,class\n"));
    for (int i = 0; i < ROWS; i++) {
        int lower = i % 2;
        double t = pi * gi_rng_uniform(&rng);
        double x = lower ? 1 - cos(t) : cos(t);
        double y = lower ? 0.5 - sin(t) : sin(t);

        x += noise * gi_rng_normal(&rng);
        y += noise * gi_rng_normal(&rng);
        GI_TRY(gi_builtin_number(run, out, x, 3, ','));
        GI_TRY(gi_builtin_number(run, out, y, 3, ','));
        GI_TRY(gi_buf_printf(run, out, "%s\n", lower ? "lower" : "upper"));
    }
done:
    return status;
}

const gi_builtin gi_builtin_moons = {
    .info =
        {
            .name = "moons",
            .brief = "two moons: two interleaved half circles with noise",
            .target = "class",
            .origin = "generated, seed 1",
        },
    .format = "csv",
    .text = text,
};
