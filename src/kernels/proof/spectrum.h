/* spectrum.h - what the matrix of a kernel on data looks like.
 */
#ifndef GI_SPECTRUM_H
#define GI_SPECTRUM_H

#include "base/limits.h"
#include "kernels/program/program.h"

/* gram_kernel_spectrum() with another limit. */
gram_status gi_kernel_spectrum(gi_run *run, const gram_kernel *k,
                               const gram_table *a, size_t dense,
                               gram_spectrum *out);

#endif
