/* certified.c - kernels that are refuted are refused. */
#include "kernels/proof/certified.h"

gram_status gi_kernel_certified(gi_run *run, const gram_kernel *k, int *unknown)
{
    gram_status status = GRAM_OK;
    gram_proof *proof = NULL;
    gram_proof_step step, deepest;

    GI_TRY(gi_proof_new(run, k, &proof));
    *unknown = gram_proof_psd(proof) == 0;
    if (gram_proof_psd(proof) >= 0)
        goto done;
    deepest = gram_proof_at(proof, 0);
    for (size_t i = 1; i < gram_proof_count(proof); i++) {
        step = gram_proof_at(proof, i);
        if (step.psd < 0 && step.depth > deepest.depth)
            deepest = step;
    }
    GI_TRY(gi_fail(
        GRAM_ERR_RANGE, "kernel \"%s\" is not positive semidefinite: %s%s%s",
        deepest.text, deepest.why, deepest.instead ? "; instead: " : "",
        deepest.instead ? deepest.instead : ""));
done:
    gram_proof_free(proof);
    return status;
}
