/* kernel_terms.h - a kernel taken apart: the terms of its outermost sum, and
 * the number in front.
 */
#ifndef GI_KERNEL_TERMS_H
#define GI_KERNEL_TERMS_H

#include "kernels/program/program.h"

/* The kernel times a number: "2.5*(...)"; a constant factor in front is
 * multiplied. */
gram_status gi_kernel_times(gi_run *run, const gram_kernel *k, double c,
                            gram_kernel **out);

/* The slot of the one open `?` that multiplies everything, as in ?*rbf or
 * ?*(rbf + linear), or -1. */
int gi_kernel_amplitude(const gram_kernel *k);

/* Does a number (not ?) multiply a term of the outermost sum, so that the
 * kernel's amplitude is a promise? */
int gi_kernel_has_amplitude(const gram_kernel *k);

/* The terms of the outermost sum as kernels of their own (a single one for
 * anything else; products over sums are not expanded).  The texts are columns
 * of --terms. */
gram_status gi_kernel_terms(gi_run *run, const gram_kernel *k,
                            gram_kernel ***out, size_t *count);
void gi_kernel_terms_free(gram_kernel **terms, size_t count);

#endif
