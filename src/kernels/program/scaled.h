/* scaled.h - scaling as a part of the kernel.
 */
#ifndef GI_SCALED_H
#define GI_SCALED_H

#include "kernels/program/program.h"

/* How columns are scaled; the kernel then has a map(standardize, .) or
 * map(minmax, .) in it. */
typedef enum gi_scaling {
    GI_SCALING_AUTO,     /* around leaves whose scale no number fixes */
    GI_SCALING_NONE,     /* as written */
    GI_SCALING_STANDARD, /* around all leaves that look at numbers */
    GI_SCALING_MINMAX
} gi_scaling;

/* The kernel of the text with these maps put in (where there are no numbers,
 * or a map is around already, nothing is).  Never around periodic, cos, delta,
 * metric, precomputed, map or weight; around min, intersection and chi2 only
 * minmax; a leaf with a number for gamma, length, ... is left alone by AUTO. */
gram_status gi_kernel_scaled(gi_run *run, const gram_kernel *k,
                             gi_scaling scaling, gram_kernel **out);

/* The program of such a kernel, numbers open; what is wrong is said of `text`,
 * which it was made from, not of what was put in. */
gram_status gi_program_new_scaled(gi_run *run, const gram_kernel *scaled,
                                  const char *text, const gram_table *t,
                                  gram_program **out);

#endif
