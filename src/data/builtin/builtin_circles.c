/* builtin_circles.c - a small circle inside a large one.
 *
 * Radius 1/2 and 1, angles uniform, normal noise on both coordinates.  The
 * classes have the same centre: only a function of x^2 + y^2 separates them.
 */
#include "data/builtin/builtin.h"

#include <math.h>

#include "base/rng.h"

enum { SEED = 2, ROWS = 400 };

static const double pi = 3.14159265358979323846, noise = 0.1;

static gram_status text(gi_run *run, gi_buf *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(SEED, 0);

    GI_TRY(gi_buf_printf(run, out, "x,y,class\n"));
    for (int i = 0; i < ROWS; i++) {
        int outer = i % 2;
        double radius = outer ? 1 : 0.5;
        double t = 2 * pi * gi_rng_uniform(&rng);
        double x = radius * cos(t) + noise * gi_rng_normal(&rng);
        double y = radius * sin(t) + noise * gi_rng_normal(&rng);

        GI_TRY(gi_builtin_number(run, out, x, 3, ','));
        GI_TRY(gi_builtin_number(run, out, y, 3, ','));
        GI_TRY(gi_buf_printf(run, out, "%s\n", outer ? "outer" : "inner"));
    }
done:
    return status;
}

const gi_builtin gi_builtin_circles = {
    .info =
        {
            .name = "circles",
            .brief = "a circle inside a circle, with noise",
            .target = "class",
            .origin = "generated, seed 2",
        },
    .format = "csv",
    .text = text,
};
