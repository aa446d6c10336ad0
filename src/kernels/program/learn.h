/* learn.h - what fitting needs to know of a kernel, and new kernels made of
 * old ones: learned values set, columns scaled, terms taken apart.
 */
#ifndef GI_LEARN_H
#define GI_LEARN_H

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

/* The kernel with theta written in for every number that was open, and what
 * the maps of p have learned written in as well: text that means the same on
 * any table.  theta has p->thetas numbers. */
gram_status gi_kernel_learned(gi_run *run, const gram_program *p,
                              const double *theta, gram_kernel **out);

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

/* What is left of p when the numbers of theta marked in `off` are 0: live marks
 * those that still matter (both p->thetas long), and *any is 0 if nothing is
 * left but 0. */
gram_status gi_program_live(gi_run *run, const gram_program *p,
                            const unsigned char *off, unsigned char *live,
                            int *any);

/* O(n) structure: amplitude * k(s,t) of one number column. */
typedef struct gi_markov {
    gram_markov family;
    double amplitude, rate;
    int view; /* of the program: one dense column */
} gi_markov;

/* Is the whole program such a kernel, whatever its open numbers are?  1, and
 * *out at theta (NULL: the program's values; open numbers then NaN). */
int gi_markov_find(const gram_program *p, const double *theta, gi_markov *out);

#endif
