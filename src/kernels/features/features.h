/* features.h - explicit feature maps inside the library: in blocks of rows,
 * and sparse where the kernel is linear in a sparse block.
 */
#ifndef GI_FEATURES_H
#define GI_FEATURES_H

#include "kernels/program/program.h"
#include "linalg/sparse/csr.h"

typedef struct gi_features gi_features;

/* The map of p at theta (NULL: the program's values); keeps both.  It need not
 * exist, and that is no error: there may be no finite one, or it has more than
 * `most` features; then their count is 0.  Other numbers may change that. */
gram_status gi_features_new(gi_run *run, const gram_program *p,
                            const double *theta, size_t most,
                            gi_features **out);
void gi_features_free(gi_features *f);
void gi_features_set(gi_features *f, const double *theta);
int gi_features_exist(const gi_features *f);
size_t gi_features_count(const gi_features *f);

/* F[i*ld + j] = phi_j(row + i of x), for `rows` rows, on all threads. */
gram_status gi_features_rows(gi_run *run, const gi_features *f,
                             const gi_points *x, size_t row, size_t rows,
                             double *F, size_t ld);

/* Is phi(x) a multiple of the cells of a sparse block (and of dense columns
 * beside it), so that it is best kept sparse?  gi_features_csr() gives the whole
 * matrix of such features. */
int gi_features_sparse(const gi_features *f);
gram_status gi_features_csr(gi_run *run, const gi_features *f,
                            const gi_points *x, gi_csr *out);

#endif
