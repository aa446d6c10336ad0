/* builtin_after.c - parts from a machine after it was serviced; the pair of
 * builtin_before.c.
 *
 * length ~ N(50, 0.5^2) and width ~ N(20, 0.3^2) with correlation 0.3; weight
 * is the mixture of two normals at 8 -+ 0.2 m with deviation 0.2 s, m = 0.9 and
 * m^2 + s^2 = 1: two humps, yet mean 8 and deviation 0.2 as before.
 */
#include "data/builtin/builtin.h"

static gram_status text(gi_run *run, gi_buf *out)
{
    return gi_builtin_parts(run, out, 6, 0.3, 0.9);
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
