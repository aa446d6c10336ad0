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

enum {
    MOST = GI_CERTIFICATE_ROWS,
    SAMPLE = GI_SPECTRUM_DENSE,
    STREAM = 0x70736463
};

gram_status gi_fit_check_rows(gi_run *run, const gram_machine *m)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    gi_points *sample = NULL;
    unsigned char *keep = NULL;
    size_t *row = NULL;
    gram_spectrum spectrum = {0};

    if (m->expansion.n > MOST &&
        !gi_program_reads_matrix(m->expansion.program)) {
        GI_TRY(GI_NEW_ZERO(run, keep, m->expansion.n));
        GI_TRY(GI_NEW(run, row, SAMPLE));
        for (size_t left = SAMPLE; left > 0;) {
            size_t i = gi_rng_below(&rng, m->expansion.n);

            left -= !keep[i];
            keep[i] = 1;
        }
        for (size_t i = 0, to = 0; i < m->expansion.n; i++)
            if (keep[i])
                row[to++] = i;
        GI_TRY(gi_points_select(run, m->expansion.program, m->expansion.x, row,
                                SAMPLE, &sample));
    }
    GI_TRY(gi_program_spectrum(run, m->expansion.program,
                               sample ? sample : m->expansion.x,
                               GI_SPECTRUM_DENSE, &spectrum));
    if (spectrum.psd < 0)
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "kernel \"%s\": its matrix on the rows has the "
                       "eigenvalue %.4g, so it is not positive semidefinite "
                       "(it can be allowed all the same)",
                       m->expansion.text, spectrum.min_eigenvalue));
done:
    gi_free(keep);
    gi_free(row);
    gi_points_free(sample);
    return status;
}
