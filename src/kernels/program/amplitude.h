/* amplitude.h - the number that multiplies a kernel, or a term of its sum.
 */
#ifndef GI_KERNEL_AMPLITUDE_H
#define GI_KERNEL_AMPLITUDE_H

#include "kernels/expression/kernel.h"

/* The slot of the one open `?` that multiplies everything, as in ?*rbf or
 * ?*(rbf + linear), or -1. */
int gi_kernel_amplitude(const gram_kernel *k);

/* Does a number (not ?) multiply a term of the outermost sum, so that the
 * kernel's amplitude is a promise? */
int gi_kernel_has_amplitude(const gram_kernel *k);

#endif
