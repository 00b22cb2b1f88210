/* core/cpu.c - what the processor can do. */
#include "soa/core.h"

soa_cpu soa_cpu_features(void)
{
    soa_cpu cpu = { false, false, false };
#if defined(__x86_64__) && defined(__GNUC__)
    cpu.fma = __builtin_cpu_supports("fma") != 0;
    cpu.avx2 = cpu.fma && __builtin_cpu_supports("avx2") != 0;
    cpu.avx512 = cpu.avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                 __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#elif defined(__aarch64__) && !defined(SOA_NO_FMA)
    cpu.fma = true;
#endif
    return cpu;
}
