/* closure/dispatch.c - which kernels a processor runs. */
#include "closure/closure.h"
#include "sweep/units.h"

#define SOLVER(unit)  extern const soa_closure_table soa_closure_table_##unit;
#define SOLVES(unit)  [SOA_UNIT_##unit] = &soa_closure_table_##unit,
#define CROSSER(unit) extern const soa_cross_table soa_closure_cross_##unit;
#define CROSSES(unit) [SOA_UNIT_##unit] = &soa_closure_cross_##unit,
SOA_UNITS_ONE(SOLVER)
SOA_UNITS_AVX512(SOLVER)
SOA_UNIT_LIST(CROSSER)
#define MANY(unit)     extern const soa_states_table soa_closure_states_##unit;
#define HAS_MANY(unit) [SOA_UNIT_##unit] = &soa_closure_states_##unit,
SOA_UNITS_MANY(MANY)

const soa_closure_table *soa_closure_kernels(soa_cpu cpu)
{
    static const soa_closure_table *const tables[SOA_UNITS] = { SOA_UNITS_ONE(SOLVES) SOA_UNITS_AVX512(SOLVES) };
    return tables[soa_unit_for_one(cpu)];
}

const soa_cross_table *soa_closure_cross(soa_cpu cpu)
{
    static const soa_cross_table *const tables[SOA_UNITS] = { SOA_UNIT_LIST(CROSSES) };
    return tables[soa_unit_for(cpu, soa_unit_lanes(cpu))];
}

const soa_states_table *soa_states_kernels(soa_cpu cpu, int lanes)
{
    static const soa_states_table *const tables[SOA_UNITS + 1] = { SOA_UNITS_MANY(HAS_MANY) };
    return tables[soa_unit_for(cpu, lanes)];
}
