/* spectrum.h - what the matrix of a kernel on data looks like.
 */
#ifndef GI_SPECTRUM_H
#define GI_SPECTRUM_H

#include "base/limits.h"
#include "kernels/program/program.h"

/* gram_kernel_spectrum() of a program on its rows; all eigenvalues of up to
 * `dense` of them. */
gram_status gi_program_spectrum(gi_run *run, const gram_program *p,
                                const gi_points *x, size_t dense,
                                gram_spectrum *out);

#endif
