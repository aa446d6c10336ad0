/* fuzz_arff.c - any bytes as an ARFF file.
 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    return fuzz_reader("arff", data, n);
}
