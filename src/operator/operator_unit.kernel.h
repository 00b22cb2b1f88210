/* operator/operator_unit.kernel.h - the kernels of soa_operators for one width, and their table.
 *
 * A unit defines LANES and UNIT and includes this file. */
#include "operator/operator_kernels.h"

#include "operator/apply_operator.kernel.h"
#include "operator/flexible_operators.kernel.h"

/* The operator, and its adjoint if it is another. */
static apply_function *const functions[SOA_OPERATORS][2] = {
    [SOA_OP_I] = { apply_nothing, apply_nothing },
    [SOA_OP_H] = { apply_H, apply_H_t },
    [SOA_OP_M] = { apply_M, apply_M },
    [SOA_OP_E_PHI] = { apply_E_phi, apply_E_phi_t },
    [SOA_OP_PHI] = { apply_phi, apply_phi_t },
    [SOA_OP_PHI_STRICT] = { apply_phi_strict, apply_phi_strict_t },
    [SOA_OP_B] = { apply_nothing, apply_nothing },
    [SOA_OP_J] = { apply_J, apply_J_t },
    [SOA_OP_R] = { apply_R, apply_R },
    [SOA_OP_P] = { apply_P, apply_P },
    [SOA_OP_D] = { apply_D, apply_D },
    [SOA_OP_D_INV] = { apply_D_inv, apply_D_inv },
    [SOA_OP_G] = { apply_G, apply_G_t },
    [SOA_OP_K] = { apply_K, apply_K_t },
    [SOA_OP_TAU] = { apply_tau, apply_tau_t },
    [SOA_OP_TAUBAR] = { apply_taubar, apply_taubar_t },
    [SOA_OP_E_PSI] = { apply_E_psi, apply_E_psi_t },
    [SOA_OP_PSI] = { apply_psi, apply_psi_t },
    [SOA_OP_PSI_STRICT] = { apply_psi_strict, apply_psi_strict_t },
    [SOA_OP_UPS] = { apply_Ups, apply_Ups },
    [SOA_OP_OMEGA] = { apply_Omega, apply_Omega },
    [SOA_OP_BRANCH] = { apply_X, apply_X },
    [SOA_OP_LAMBDA] = { apply_Omega, apply_Omega },
    [SOA_OP_MASS] = { apply_Mass, apply_Mass },
    [SOA_OP_MASS_INV] = { apply_Mass_inv, apply_Mass_inv },
    [SOA_OP_ARM] = { apply_Arm, apply_Arm },
    [SOA_OP_GAMMA] = { apply_Gamma, apply_Gamma_t },
    [SOA_OP_A] = { apply_nothing, apply_nothing }, /* no sweep: operators.c */
};

/* The variables of the sweeps, then one more force per body, or what flexible links need. */
static size_t work_size(const soa_model *model, int points)
{
    vars w;
    flexible_operators f;
    return vars_place(model, 0, NULL, &w) +
           (model->flexible ? flexible_place(model, points, NULL, &f) : (size_t)model->bodies * sizeof(force));
}

static char *behind_vars(const soa_call *call)
{
    vars unused;
    return (char *)call->work + vars_place(call->model, 0, NULL, &unused);
}

static registers registers_of(const soa_call *call, const vars *w)
{
    return (registers){ .x = w->x, .f = w->b, .g = (force *)(void *)behind_vars(call), .V = w->alpha };
}

static void set(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    if (call->model->flexible) {
        flexible_set(call, &w, behind_vars(call));
        return;
    }
    position_sweep(call, &w);
    placement_sweep(call, &w);
    composite_sweep(call, &w);
    articulated_sweep(call, &w);
    upsilon_sweep(call, &w);
}

static void joint_numbers(const soa_call *call, const registers *r, bool write)
{
    for (int i = 0; i < call->model->nv; i++) {
        if (write) {
            out_put(call, call->y, (size_t)i, r->x[i]);
        } else {
            r->x[i] = in_get(call, call->u, (size_t)i);
        }
    }
}

static void read_argument(const soa_call *call, const vars *w, const registers *r, const soa_operator_info *about)
{
    if (about->domain_space == SOA_SPACE_JOINT) {
        joint_numbers(call, r, false);
    } else if (about->domain_space == SOA_SPACE_POINT) {
        point_forces_in(call, w, r);
    } else if (about->domain_side == SOA_SIDE_FORCE) {
        body_forces_in(call, r);
    } else {
        body_motions_in(call, r);
    }
}

static void write_result(const soa_call *call, const vars *w, const registers *r, const soa_operator_info *about)
{
    if (about->codomain_space == SOA_SPACE_JOINT) {
        joint_numbers(call, r, true);
    } else if (about->codomain_space == SOA_SPACE_POINT) {
        point_motions_out(call, w, r);
    } else if (about->codomain_side == SOA_SIDE_FORCE) {
        body_forces_out(call, r);
    } else {
        body_motions_out(call, r);
    }
}

static void apply(soa_call *call)
{
    const vars w = vars_of(call);
    const registers r = registers_of(call, &w);
    const soa_operator op = (soa_operator)(call->option / 2);
    const bool adjoint = call->option % 2 != 0;
    const soa_operator_info about = soa_operator_about(op, adjoint);
    call_begin(call);
    if (call->model->flexible) {
        flexible_apply(call, behind_vars(call), op, adjoint);
        return;
    }
    read_argument(call, &w, &r, &about);
    functions[op][adjoint](call, &w, &r);
    write_result(call, &w, &r, &about);
}

#define TABLE_NAME_OF(unit) soa_operator_##unit
#define TABLE_NAME(unit)    TABLE_NAME_OF(unit)

extern const soa_operator_table TABLE_NAME(UNIT);
const soa_operator_table TABLE_NAME(UNIT) = { .size = work_size, .set = set, .apply = apply };
