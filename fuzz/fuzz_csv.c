/* fuzz_csv.c - any bytes as comma-separated values.
 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    return fuzz_reader("csv", data, n);
}
