/* unknowns.h - where to look for the numbers that are open.
 */
#ifndef GI_UNKNOWNS_H
#define GI_UNKNOWNS_H

#include "kernels/program/program.h"

/* A number of theta that a criterion learns. */
typedef struct gi_unknown {
    size_t theta; /* its index */
    size_t slot;
    int log;                  /* search its logarithm (it is positive) */
    double start;             /* by heuristic: ?0.5, or the data */
    double lower, upper;      /* sensible bounds, start inside */
    const double *candidates; /* ?[...] of the kernel, or NULL */
    size_t candidate_count;
} gi_unknown;

/* The open numbers of p, with starts from the rows: gamma and length from the
 * median distance of a sample of the rows the leaf sees (per column with ard),
 * period from range and spacing, amplitudes 1, exponents and offsets their
 * defaults.  Constant columns get a bounded, harmless range.  Seeded by
 * run->seed.  Cost: O(rows columns). */
gram_status gi_unknowns_new(gi_run *run, const gram_program *p,
                            const gi_points *x, gi_unknown **out,
                            size_t *count);

#endif
