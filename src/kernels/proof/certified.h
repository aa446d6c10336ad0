/* certified.h - kernels that are refuted are refused. */
#ifndef GI_CERTIFIED_H
#define GI_CERTIFIED_H

#include "kernels/expression/kernel.h"

/* Fails if a rule refutes the kernel, with what to take instead; *unknown if no
 * rule certifies it either, so that its matrix on rows must tell. */
gram_status gi_kernel_certified(gi_run *run, const gram_kernel *k,
                                int *unknown);

#endif
