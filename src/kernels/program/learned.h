/* learned.h - a kernel with numbers for its question marks.
 */
#ifndef GI_LEARNED_H
#define GI_LEARNED_H

#include "kernels/program/program.h"

/* The kernel with theta written in for every number that was open, and what
 * the maps of p have learned written in as well: text that means the same on
 * any table.  theta has p->thetas numbers. */
gram_status gi_kernel_learned(gi_run *run, const gram_program *p,
                              const double *theta, gram_kernel **out);

/* Its structure alone, gi_program_print_structure(), as a kernel. */
gram_status gi_program_structure(gi_run *run, const gram_program *p,
                                 gram_kernel **out);

#endif
