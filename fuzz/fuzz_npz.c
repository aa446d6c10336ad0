/* fuzz_npz.c - any bytes as .npz.
 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    return fuzz_reader("npz", data, n);
}
