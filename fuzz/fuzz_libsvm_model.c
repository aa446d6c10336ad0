/* fuzz_libsvm_model.c - any bytes as a LIBSVM model file; one that is read is
 * printed and read again, to the same text, and the machine that it makes
 * predicts its own rows, or says why not.
 */
#include <stdlib.h>
#include <string.h>

#include "machines/files/libsvm_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The text of the model in the n bytes, or nothing if they hold none. */
static void print(gi_run *run, const void *data, size_t n, gi_buf *out)
{
    gi_input *in = NULL;
    gi_libsvm m = {0};

    if (gi_input_memory(run, "fuzz", data, n, &in) == GRAM_OK &&
        gi_libsvm_read(run, in, &m) == GRAM_OK &&
        gi_libsvm_print(run, &m, out) != GRAM_OK)
        gi_buf_free(out);
    gi_libsvm_free(&m);
    gi_input_free(in);
}

static void predict(gi_run *run, const gram_exec *exec, const void *data,
                    size_t n)
{
    gi_input *in = NULL;
    gram_machine *m = NULL;

    if (gi_input_memory(run, "fuzz", data, n, &in) == GRAM_OK &&
        gi_libsvm_load(run, in, &m) == GRAM_OK && m->expansion.n < 64 &&
        m->outputs.count < 64) {
        double *mean = calloc(m->expansion.n * m->outputs.count, sizeof *mean);
        int *label = calloc(m->expansion.n, sizeof *label);

        if (mean && label)
            gram_machine_predict(
                m, m->expansion.table, NULL, exec,
                &(gram_prediction){.mean = mean,
                                   .label = m->outputs.classes.count ? label
                                                                     : NULL});
        free(mean);
        free(label);
    }
    gram_machine_free(m);
    gi_input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const gram_exec exec = {.threads = 1, .memory = (size_t)256 << 20};
    GI_RUN(run, &exec);
    gi_buf once = {0}, twice = {0};

    print(&run, data, n, &once);
    if (once.n)
        print(&run, once.s, once.n, &twice);
    if (once.n != twice.n || (once.n && memcmp(once.s, twice.s, once.n) != 0))
        abort();
    if (once.n)
        predict(&run, &exec, data, n);
    gi_buf_free(&once);
    gi_buf_free(&twice);
    return 0;
}
