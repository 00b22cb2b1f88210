/* closure/dispatch.c - which kernels a processor runs. */
#include "closure/closure.h"

#define TABLES(unit) extern const soa_closure_table soa_closure_table_##unit;
#define CROSS(unit)  extern const soa_cross_table soa_closure_cross_##unit;
TABLES(x1)
CROSS(x1)
#if defined(__x86_64__)
TABLES(x1_fma)
TABLES(x1_avx512)
CROSS(x4_fma)
CROSS(x8_fma)
#elif defined(__wasm_simd128__)
CROSS(x2_simd128)
#endif
#undef TABLES
#undef CROSS

const soa_closure_table *soa_closure_kernels(soa_cpu cpu)
{
#if defined(__x86_64__)
    if (cpu.avx512) {
        return &soa_closure_table_x1_avx512;
    }
    return cpu.fma && cpu.avx2 ? &soa_closure_table_x1_fma : &soa_closure_table_x1;
#else
    (void)cpu;
    return &soa_closure_table_x1;
#endif
}

const soa_cross_table *soa_closure_cross(soa_cpu cpu)
{
#if defined(__x86_64__)
    if (cpu.avx512) {
        return &soa_closure_cross_x8_fma;
    }
    if (cpu.fma && cpu.avx2) {
        return &soa_closure_cross_x4_fma;
    }
    return &soa_closure_cross_x1;
#elif defined(__wasm_simd128__)
    (void)cpu;
    return &soa_closure_cross_x2_simd128;
#else
    (void)cpu;
    return &soa_closure_cross_x1;
#endif
}
