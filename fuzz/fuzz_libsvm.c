/* fuzz_libsvm.c - any bytes as LIBSVM text.
 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    return fuzz_reader("libsvm", data, n);
}
