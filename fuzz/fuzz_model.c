/* fuzz_model.c - model files: the bytes are the body of one, behind a header
 * and before a checksum that fit, so that what is inside is reached; a model
 * that is read must predict its own rows, or say why not.  Version 2 begins with
 * the name of a chunk, version 1 with a length.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "machines/machine.h"
#include "machines/files/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void put(unsigned char *at, uint64_t x, size_t bytes)
{
    for (size_t b = 0; b < bytes; b++)
        at[b] = (unsigned char)(x >> (8 * b));
}

static void predict(const gram_machine *m)
{
    const gram_exec exec = {.threads = 1, .memory = (size_t)256 << 20};
    size_t classes = gram_machine_report(m)->classes;
    double *mean = calloc(m->expansion.n * m->outputs.count + 1, sizeof *mean);
    double *more =
        calloc(m->expansion.n * (m->outputs.count + classes) + 1, sizeof *more);
    int *label = calloc(m->expansion.n + 1, sizeof *label);
    gram_prediction out = {.mean = mean};

    if (classes > 0) {
        out.label = label;
        out.proba = more;
    } else {
        out.std = more;
    }
    if (mean && more && label && m->expansion.n < 64)
        gram_machine_predict(m, m->expansion.table, NULL, &exec, &out);
    free(mean);
    free(more);
    free(label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const gram_exec exec = {.threads = 1, .memory = (size_t)256 << 20};
    GI_RUN(run, &exec);
    unsigned char *file = malloc(n + 28);
    gi_input *in = NULL;
    gram_machine *m = NULL;

    if (!file)
        return 0;
    memcpy(file, "GRAM\r\n\x1a\n", 8);
    put(file + 8, n > 1 && data[1] >= 'a' ? 2 : 1, 8);
    put(file + 16, n, 8);
    memcpy(file + 24, data, n);
    put(file + 24 + n, crc32(0, file, (uInt)(n + 24)), 4);
    if (gi_input_memory(&run, "fuzz", file, n + 28, &in) == GRAM_OK &&
        gi_model_read(&run, in, &m) == GRAM_OK)
        predict(m);
    gram_machine_free(m);
    gi_input_free(in);
    free(file);
    return 0;
}
