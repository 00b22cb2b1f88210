/* tests/fuzz/fuzz_urdf.c - any bytes as URDF. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz(SOA_URDF, data, size);
}
