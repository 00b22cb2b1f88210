/* sens/sens_run.c - which kernels a workspace uses, and running them. */
#include "core/error.h"
#include "sens/sens_kernels.h"
#include "sweep/units.h"

#define DECLARED(unit) extern const soa_sens_table soa_sens_##unit;
#define LISTED(unit)   [SOA_UNIT_##unit] = &soa_sens_##unit,
SOA_UNIT_LIST(DECLARED)
static const soa_sens_table *const tables[SOA_UNITS + 1] = { SOA_UNIT_LIST(LISTED) };

/* ---- inputs and outputs ------------------------------------------------------------------------- */

/* Numbers per state of the outputs of a function, by its arguments in soa/sens_batch.h. */
static void set_sizes(const soa_model *m, soa_sens_id kernel, soa_call *call)
{
    const ptrdiff_t nv = m->nv, bodies = m->bodies, links = m->description.link.count, points = call->points;
    soa_out *const y[] = { &call->y, &call->y2, &call->y3, &call->y4 };
    call->q.stride = (size_t)m->nq;
    call->v.stride = call->u.stride = call->x.stride = (size_t)nv;
    call->f.stride = 6 * (size_t)bodies;
    call->g.stride = 6 * (size_t)points;
    int i = 0;
#define NO_ARGUMENT(type, name)
#define NO_STATES
#define NO_INPUT(name, numbers)
#define SIZE(name, numbers) y[i++]->stride = (size_t)(numbers);
#define CASE(name)        \
    case SOA_SENS_##name: \
        SOA_BATCH_##name(NO_ARGUMENT, NO_STATES, NO_INPUT, SIZE) break;
    switch (kernel) { /* rows of equal sizes are expanded alike. NOLINTNEXTLINE(bugprone-branch-clone) */
        SOA_SENS_BATCH_LIST(CASE)
    case SOA_SENS_moving_columns:
    case SOA_SENS_KERNELS:
        break;
    }
#undef CASE
#undef SIZE
#undef NO_INPUT
#undef NO_STATES
#undef NO_ARGUMENT
}

/* The vector that a kernel cannot do without and the call has not, by its public name; NULL: there is none. */
static const char *missing_input(soa_sens_id kernel, const soa_call *call)
{
    switch (kernel) {
    case SOA_SENS_articulated_rates:
    case SOA_SENS_diagonal_equations:
        return call->v.at ? NULL : "v";
    case SOA_SENS_mass_rate:
    case SOA_SENS_mass_product_derivative:
        return call->v.at ? NULL : "x";
    case SOA_SENS_christoffel_product:
        return !call->v.at ? "x" : !call->u.at ? "y" : NULL;
    case SOA_SENS_inverse_dynamics_second_derivatives:
        return call->x.at ? NULL : "x";
    default:
        return NULL;
    }
}

static soa_status check_arrays(const soa_model *m, soa_sens_id kernel, const soa_call *call, soa_error *error)
{
    const char *missing = m->nv > 0 ? missing_input(kernel, call) : NULL;
    if (missing) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "the vector %s is missing; give %d numbers per state", missing, m->nv);
    }
    if (m->nv > 0 && !call->y.at && !call->y2.at && !call->y3.at && !call->y4.at) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "no output is wanted; give an array for at least one");
    }
    return SOA_OK;
}

/* What is a sum of products of the inputs is finite if they are small. */
static const soa_kernel_info *info_of(soa_sens_id kernel)
{
    static const soa_kernel_info divides = { .bound = SOA_UNBOUNDED }, sums = { .bound = SOA_BOUND_NOTHING };
    switch (kernel) {
    case SOA_SENS_inverse_dynamics_derivatives:
    case SOA_SENS_point_force_derivatives:
    case SOA_SENS_inverse_dynamics_second_derivatives:
    case SOA_SENS_mass_derivatives:
    case SOA_SENS_mass_derivative:
    case SOA_SENS_mass_rate:
    case SOA_SENS_mass_product_derivative:
    case SOA_SENS_christoffel:
    case SOA_SENS_christoffel_packed:
    case SOA_SENS_christoffel_product:
    case SOA_SENS_regressor:
    case SOA_SENS_inverse_dynamics_placement:
    case SOA_SENS_point_force_placement:
    case SOA_SENS_moving_columns:
        return &sums;
    default:
        return &divides;
    }
}

soa_status soa_sens_run(
    soa_workspace *workspace, const soa_model *model, soa_sens_id kernel, int states, soa_call *call, soa_error *error)
{
    if (!workspace || !model || workspace->model != model) {
        return soa_fail_states(error);
    }
    if (model->flexible) {
        const soa_status checked = check_arrays(model, kernel, call, error);
        set_sizes(model, kernel, call);
        return checked == SOA_OK ? soa_flexible_sens(workspace, kernel, states, call, error) : checked;
    }
    const bool of_states = kernel == SOA_SENS_articulated_rates || kernel == SOA_SENS_diagonal_equations;
    if (!of_states && !workspace->squares) {
        return soa_fail(error, SOA_E_LIMIT, -1, "%d velocities; derivatives are made of models with at most %d",
            model->nv, SOA_DERIVATIVES_MOST);
    }
    const soa_status status = check_arrays(model, kernel, call, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_cpu cpu = soa_cpu_features();
    const soa_sens_table *one = tables[soa_unit_for(cpu, 1)], *many = tables[soa_unit_for(cpu, workspace->lanes)];
    const soa_sens_context context = { &many->lanes, workspace->one, workspace->many };
    const soa_kernel_pair pair = { one->kernel[kernel], of_states && workspace->lanes > 1 ? many->kernel[kernel] : NULL,
        &context, info_of(kernel) };
    call->pitch = (size_t)model->nv;
    set_sizes(model, kernel, call);
    return soa_run_pair(workspace, model, &pair, states, call, error);
}
