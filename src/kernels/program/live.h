/* live.h - what is left of a program when some of its numbers are 0.
 */
#ifndef GI_LIVE_H
#define GI_LIVE_H

#include "kernels/program/program.h"

/* What is left of p when the numbers of theta marked in `off` are 0: live marks
 * those that still matter (both p->thetas long), and *any is 0 if nothing is
 * left but 0. */
gram_status gi_program_live(gi_run *run, const gram_program *p,
                            const unsigned char *off, unsigned char *live,
                            int *any);

#endif
