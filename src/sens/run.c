/* sens/run.c - which kernels a workspace uses, and running them. */
#include "core/error.h"
#include "sens/kernels.h"

#define SOA_TABLE(unit) extern const soa_sens_table soa_sens_##unit;
SOA_TABLE(x1)
#if defined(__x86_64__)
SOA_TABLE(x1_fma)
SOA_TABLE(x4_fma)
SOA_TABLE(x8_fma)
#endif
#undef SOA_TABLE

static const soa_sens_table *table_one(void)
{
#if defined(__x86_64__)
    const soa_cpu cpu = soa_cpu_features();
    return cpu.fma && cpu.avx2 ? &soa_sens_x1_fma : &soa_sens_x1;
#else
    return &soa_sens_x1;
#endif
}

static const soa_sens_table *table_many(const soa_workspace *w)
{
#if defined(__x86_64__)
    if (w->lanes > 1) {
        return w->lanes == 8 ? &soa_sens_x8_fma : &soa_sens_x4_fma;
    }
#endif
    (void)w;
    return table_one();
}

soa_status soa_sens_run(
    soa_workspace *workspace, const soa_model *model, soa_sens_id kernel, int states, soa_call *call, soa_error *error)
{
    if (workspace->model == model && !workspace->wide) {
        return soa_fail(error, SOA_E_LIMIT, -1, "%d velocities; derivatives are made of models with at most %d",
            model->nv, SOA_WIDE_MOST);
    }
    const soa_sens_context context = { &table_many(workspace)->lanes, workspace->one, workspace->many };
    const soa_kernel_pair pair = { table_one()->kernel[kernel], NULL, &context };
    call->pitch = (size_t)model->nv;
    return soa_run_pair(workspace, model, pair, states, call, error);
}
