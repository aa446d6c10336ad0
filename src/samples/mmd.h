/* mmd.h - the parts of a two-sample test and what they hand to each other.
 *
 *     joined.c     both samples as one table, the kernel with its numbers
 *     bin_rows.c   the rows in a seeded order, cut into bins
 *     mmd.c        the statistic from sums, its variance, its null moments
 *     permute.c    labels drawn anew: bins, rows, wild weights
 *     null.c       gamma and spectral p-values
 *     aggregate.c  many widths at once
 *     blocks.c     block and linear estimators
 *     test.c       what was asked for, put together
 */
#ifndef GI_MMD_H
#define GI_MMD_H

#include "data/table/missing.h"
#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

/* --------------------------------------------------------- joined samples */

typedef struct gi_joined {
    gram_table *table; /* features: rows of the first sample, then second */
    const gram_table *sample[2]; /* as given, to tell which is at fault; NULL
                                    once the kernel is there */
    size_t m, n;
    gram_kernel *kernel; /* the structure of the program */
    gram_program *program;
    gi_points *x;   /* of the table, in double */
    gi_buf text;    /* from gi_joined_print() */
    gi_fills fills; /* what stands for missing cells */
} gi_joined;

/* Sentences that go into the report. */
gram_status gi_sentence_add(gi_run *run, gi_dict *to, const char *format, ...)
    GI_PRINTF(3, 4);

/* Both tables as one, missing cells by the policy; b NULL: a alone, n = 0. */
gram_status gi_joined_join(gi_run *run, const gram_table *a,
                           const gram_table *b, gram_missing missing,
                           gi_dict *warnings, gi_joined *out);

/* Kernel, program and points of the text, NULL: rbf, for the rows of out->table,
 * in place of those it has; open numbers from the median distance, those of
 * lengths times `widen`. */
gram_status gi_joined_kernel(gi_run *run, const char *text,
                             gram_kernel_scale scale, double widen,
                             gi_joined *out);

/* Multiply all lengths that were open by `factor`, and divide the inverse
 * lengths by it. */
void gi_joined_widen(const gi_joined *p, double factor);

/* Kernel, program and points of `from`, which has the same table. */
void gi_joined_take_kernel(gi_joined *p, gi_joined *from);

/* The text of the kernel with its numbers, in p->text. */
gram_status gi_joined_print(gi_run *run, gi_joined *p);

void gi_joined_clear(gi_joined *p);

/* Say what a kernel that is not characteristic cannot see.
 * (characteristic.c) */
gram_status gi_joined_warn(gi_run *run, const gi_joined *p, gi_dict *warnings);

/* Has the program a matrix from a file, whose rows must stay in order? */
int gi_joined_is_fixed(const gi_joined *p);

/* ------------------------------------------------------------------- bins */

/* The rows in the order in which they are computed: the first sample, in bins
 * of equal size and a rest, then the second.  Bins of equal size are permuted,
 * or "move". */
typedef struct gi_bin_rows {
    size_t m, n;
    size_t *row;   /* of the joined samples */
    gi_points *x;  /* in that order, in double */
    gi_points *at; /* the same rows in the precision of the tiles */
    gi_bins bins;
    size_t *start;    /* bins.start */
    size_t *moves;    /* bins that move: those of the first sample first */
    size_t moving;    /* how many */
    size_t moving_a;  /* of these, of the first sample */
    double *diagonal; /* k(x_i, x_i), in that order */
} gi_bin_rows;

/* bins = 1: one for each sample, and none moves; as many as rows: each row is a
 * bin; else about that many.  precision is as in gram_test_options. */
gram_status gi_bin_rows_new(gi_run *run, const gi_joined *p, size_t bins,
                            int precision, gi_bin_rows *out);
void gi_bin_rows_clear(gi_bin_rows *c);

/* -------------------------------------------------------------- statistic */

/* Sums over ordered pairs of different rows, by sample, and of k(x_i, x_i). */
typedef struct gi_mmd_sums {
    double xx, xy, yy; /* xy: x in the first, y in the second, once */
    double dx, dy;
} gi_mmd_sums;

double gi_mmd_value(const gi_mmd_sums *s, double m, double n,
                    gram_test_statistic kind);

typedef struct gi_mmd {
    gi_mmd_sums sums;
    double unbiased, biased;
    double variance;      /* of the unbiased one */
    double first;         /* its part of order 1/rows, times rows */
    double null_mean;     /* of the biased one, if P = Q */
    double null_variance; /* of both, if P = Q */
    double spread;        /* variance of k over pairs */
    double *witness;      /* per row, without the pair of it with itself */
} gi_mmd;

/* One pass over the kernel of all rows: the rows in `bins`, the sums over these
 * (two powers), row sums, and what follows from them. */
typedef struct gi_mmd_pass {
    gi_bin_rows c;
    double *sums, *rows, *witness;
    gi_mmd e;
} gi_mmd_pass;
gram_status gi_mmd_pass_new(gi_run *run, const gi_joined *p, size_t bins,
                            int precision, gi_mmd_pass *out);
void gi_mmd_pass_clear(gi_mmd_pass *pass);

/* Rows of each sample with which a test of level alpha detects this difference
 * with a power of 0.8. */
double gi_mmd_rows_needed(const gi_mmd *e, size_t m, size_t n, double alpha);

/* ----------------------------------------------------------- permutations */

typedef struct gi_labels {
    size_t count; /* labellings; number 0 is that of the data */
    size_t bins;
    double *in; /* count x bins: 1 in the first sample, else 0 */
} gi_labels;

/* count labellings of the bins of c. */
gram_status gi_labels_new(gi_run *run, const gi_bin_rows *c, size_t count,
                          gi_labels *out);
void gi_labels_clear(gi_labels *l);

/* The statistic for each labelling, from sums over bins. */
gram_status gi_labels_values(gi_run *run, const gi_labels *l,
                             const gi_bin_rows *c, const double *sums,
                             gram_test_statistic kind, double *values);

/* How many of values[1] .. values[count-1] are at least values[0], up to
 * `rounding` relative to `size`, that of the sums they are made of. */
size_t gi_count_extreme(const double *values, size_t count, double rounding,
                        double size);

typedef struct gi_permuted {
    double p_value;
    size_t count; /* permutations made */
} gi_permuted;

/* Permute single rows; `totals` are the row sums of the kernel. */
typedef struct gi_exact {
    gram_test_statistic kind;
    size_t permutations;
    double alpha;
    int sequential;
} gi_exact;
gram_status gi_permute_rows(gi_run *run, const gi_joined *p,
                            const gi_bin_rows *c, const gi_mmd *e,
                            const double *totals, const gi_exact *how,
                            gi_permuted *out);

/* The wild bootstrap; the rows of c are in the order of time. */
gram_status gi_permute_wild(gi_run *run, const gi_joined *p,
                            const gi_bin_rows *c, const gi_mmd *e, size_t draws,
                            double dependence, gi_permuted *out);

/* ------------------------------------------------------------ other nulls */

/* P(null >= the statistic): by a gamma distribution of the same moments. */
double gi_null_gamma(const gi_mmd *e);

/* By a weighted sum of squared normal deviates, drawn `draws` times; weights
 * are the eigenvalues of the kernel on a sample of the rows. */
gram_status gi_null_spectral(gi_run *run, const gi_joined *p, const gi_mmd *e,
                             size_t draws, double *p_value);

/* ------------------------------------------------------------- estimators */

/* Blocks of `size` rows of each sample: mean, standard error and p-value. */
gram_status gi_mmd_blocks(gi_run *run, const gi_joined *p, size_t size,
                          int precision, double *mean, double *error,
                          double *p_value);

/* ------------------------------------------------------------ aggregation */

typedef struct gi_aggregate {
    double p_value;
    size_t kernels, bins;
} gi_aggregate;

/* p, which has no kernel yet, gets the one that speaks most for a difference. */
gram_status gi_mmd_aggregate(gi_run *run, gi_joined *p,
                             const gram_test_options *o, gi_aggregate *out);

#endif
