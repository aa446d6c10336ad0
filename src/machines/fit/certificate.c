/* certificate.c - kernels that a machine refuses, since they are not positive
 * semidefinite.
 *
 * A kernel that is refuted is never taken.  Of one that no rule certifies
 * (precomputed, a callback, sigmoid) the matrix on the training rows must be
 * PSD up to rounding: all of it up to MOST rows, else that of a sample of them.
 * A precomputed matrix belongs to its rows and is looked at as a whole.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "kernels/proof/spectrum.h"
#include "machines/fit.h"
#include "data/table/subset.h"

enum {
    MOST = GI_CERTIFICATE_ROWS,
    SAMPLE = GI_SPECTRUM_DENSE,
    STREAM = 0x70736463
};

gram_status gi_fit_check_rows(gi_run *run, const gram_machine *m)
{
    gram_status status = GRAM_OK;
    const gram_table *t = m->table;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    gram_table *sample = NULL;
    unsigned char *keep = NULL;
    gram_spectrum spectrum = {0};

    if (t->rows > MOST && !gi_program_reads_matrix(m->program)) {
        GI_TRY(GI_NEW_ZERO(run, keep, t->rows));
        for (size_t left = SAMPLE; left > 0;) {
            size_t i = gi_rng_below(&rng, t->rows);

            left -= !keep[i];
            keep[i] = 1;
        }
        GI_TRY(gi_table_subset(run, t, NULL, keep, &sample));
    }
    GI_TRY(gi_kernel_spectrum(run, m->kernel, sample ? sample : t,
                              GI_SPECTRUM_DENSE, &spectrum));
    if (spectrum.psd < 0)
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "kernel \"%s\": its matrix on the rows has the "
                       "eigenvalue %.4g, so it is not positive semidefinite "
                       "(it can be allowed all the same)",
                       gram_kernel_text(m->kernel), spectrum.min_eigenvalue));
done:
    gi_free(keep);
    gram_table_free(sample);
    return status;
}
