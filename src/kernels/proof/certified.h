/* certified.h - kernels that are refuted are refused. */
#ifndef GI_CERTIFIED_H
#define GI_CERTIFIED_H

#include "kernels/expression/kernel.h"

/* Fails if the kernel is refuted, with what to take instead.  *unknown is set if
 * it is not certified either, so that its matrix on the rows must be checked. */
gram_status gi_kernel_certified(gi_run *run, const gram_kernel *k,
                                int *unknown);

#endif
