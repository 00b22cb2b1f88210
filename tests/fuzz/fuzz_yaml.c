/* tests/fuzz/fuzz_yaml.c - any bytes as YAML. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz(SOA_YAML, data, size);
}
