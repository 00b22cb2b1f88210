/* sweep/units.h - the units that kernels are built as, and which of them a processor runs.
 *
 * A unit is one source file that includes kernels for a number of lanes and a set of instructions (x4_fma). A module
 * lists its tables by unit:
 *     static const soa_run_table *const tables[SOA_UNITS + 1] = { SOA_UNIT_LIST(LISTED) };
 * The last entry is NULL, for lanes that the processor does not have. */
#ifndef SOA_SWEEP_UNITS_H
#define SOA_SWEEP_UNITS_H

#include "soa/core.h"

/* Units for one lane, those of them that use AVX-512 and have the bits of x1_fma, which only some modules have, and units
 * for several lanes. */
#if defined(__x86_64__)
#define SOA_UNITS_ONE(X)    X(x1) X(x1_fma)
#define SOA_UNITS_AVX512(X) X(x1_avx512)
#define SOA_UNITS_MANY(X)   X(x4_fma) X(x8_fma)
#elif defined(__wasm_simd128__)
#define SOA_UNITS_ONE(X) X(x1)
#define SOA_UNITS_AVX512(X)
#define SOA_UNITS_MANY(X) X(x2_simd128)
#else
#define SOA_UNITS_ONE(X) X(x1)
#define SOA_UNITS_AVX512(X)
#define SOA_UNITS_MANY(X)
#endif
#define SOA_UNIT_LIST(X)     SOA_UNITS_ONE(X) SOA_UNITS_MANY(X)
#define SOA_ALL_UNIT_LIST(X) SOA_UNIT_LIST(X) SOA_UNITS_AVX512(X)

typedef enum soa_unit {
#define SOA_UNIT_NAME(unit) SOA_UNIT_##unit,
    SOA_ALL_UNIT_LIST(SOA_UNIT_NAME)
#undef SOA_UNIT_NAME
        SOA_UNITS
} soa_unit;

/* The unit for a number of lanes; SOA_UNITS: the processor does not have them. */
static inline soa_unit soa_unit_for(soa_cpu cpu, int lanes)
{
#if defined(__x86_64__)
    return lanes == 1                 ? (cpu.fma && cpu.avx2 ? SOA_UNIT_x1_fma : SOA_UNIT_x1)
           : lanes == 4 && cpu.avx2   ? SOA_UNIT_x4_fma
           : lanes == 8 && cpu.avx512 ? SOA_UNIT_x8_fma
                                      : SOA_UNITS;
#elif defined(__wasm_simd128__)
    (void)cpu;
    return lanes == 1 ? SOA_UNIT_x1 : lanes == 2 ? SOA_UNIT_x2_simd128 : SOA_UNITS;
#else
    (void)cpu;
    return lanes == 1 ? SOA_UNIT_x1 : SOA_UNITS;
#endif
}

/* The unit for one lane of a module that has x1_avx512. */
static inline soa_unit soa_unit_for_one(soa_cpu cpu)
{
#if defined(__x86_64__)
    if (cpu.avx512) {
        return SOA_UNIT_x1_avx512;
    }
#endif
    return soa_unit_for(cpu, 1);
}

/* The most lanes that the processor has. */
static inline int soa_unit_lanes(soa_cpu cpu)
{
    int lanes = 8;
    while (soa_unit_for(cpu, lanes) == SOA_UNITS) {
        lanes /= 2;
    }
    return lanes;
}

#endif
