/* fuzz_npy.c - any bytes as .npy.
 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    return fuzz_reader("npy", data, n);
}
