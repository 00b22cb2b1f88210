/* tests/fuzz/fuzz_mjcf.c - any bytes as MJCF. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz(SOA_MJCF, data, size);
}
