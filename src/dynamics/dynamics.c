/* dynamics/dynamics.c - the API of soa/dynamics.h: each function is one kernel. */
#include "core/error.h"
#include "dynamics/kernels.h"

/* soa_call.option of inverse_dynamics, as in inverse.kernel.h */
enum { GRAVITY = 0, NO_GRAVITY = 1 };

soa_status soa_inverse_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *T, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = vdot, .u_name = "vdot", .f.at = f, .y.at = T };
    return soa_run(workspace, model, SOA_KERNEL_inverse_dynamics, states, &call, error);
}

soa_status soa_forward_dynamics_by(const soa_model *model, soa_workspace *workspace, soa_method method, int states,
    const double *q, const double *v, const double *T, const double *f, double *vdot, soa_error *error)
{
    static const soa_kernel_id kernel[] = {
        [SOA_FD_FASTEST] = SOA_KERNEL_forward_dynamics,
        [SOA_FD1] = SOA_KERNEL_forward_dynamics_1,
        [SOA_FD2] = SOA_KERNEL_forward_dynamics_2,
        [SOA_FD3] = SOA_KERNEL_forward_dynamics_3,
        [SOA_FD4] = SOA_KERNEL_forward_dynamics_4,
    };
    if ((unsigned)method >= sizeof kernel / sizeof kernel[0]) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "method %d does not exist; use one of soa_method", (int)method);
    }
    soa_call call = { .q.at = q, .v.at = v, .u.at = T, .u_name = "T", .f.at = f, .y.at = vdot };
    return soa_run(workspace, model, kernel[method], states, &call, error);
}

soa_status soa_forward_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *vdot, soa_error *error)
{
    return soa_forward_dynamics_by(model, workspace, SOA_FD_FASTEST, states, q, v, T, f, vdot, error);
}

/* Whether each joint is prescribed whole or not at all. */
static soa_status check_prescribed(const soa_model *m, const bool *prescribed, soa_error *error)
{
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        for (int i = 1; i < body->nv; i++) {
            if (prescribed[body->v + i] != prescribed[body->v]) {
                return soa_fail(error, SOA_E_ARGUMENT, k,
                    "the joint of link '%s' is prescribed in part; prescribe all of its velocities or none",
                    soa_description_link(&m->description, body->rest->link)->name);
            }
        }
    }
    return SOA_OK;
}

soa_status soa_hybrid_dynamics(const soa_model *model, soa_workspace *workspace, const bool *prescribed, int states,
    const double *q, const double *v, const double *f, double *T, double *vdot, soa_error *error)
{
    if (!model || !prescribed || !T || !vdot) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "hybrid dynamics needs a model, T, vdot and which of them are given");
    }
    const soa_status status = check_prescribed(model, prescribed, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_call call = { .q.at = q, .v.at = v, .f.at = f };
    call.y.at = T;
    call.y2.at = vdot;
    call.prescribed = prescribed;
    return soa_run(workspace, model, SOA_KERNEL_hybrid_dynamics, states, &call, error);
}

soa_status soa_bias_force(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error)
{
    return soa_inverse_dynamics(model, workspace, states, q, v, NULL, NULL, C, error);
}

soa_status soa_gravity_force(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *C, soa_error *error)
{
    return soa_inverse_dynamics(model, workspace, states, q, NULL, NULL, NULL, C, error);
}

soa_status soa_coriolis_force(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v };
    call.y.at = C;
    call.option = NO_GRAVITY;
    return soa_run(workspace, model, SOA_KERNEL_inverse_dynamics, states, &call, error);
}

soa_status soa_joint_forces(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *F, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = vdot, .u_name = "vdot", .f.at = f, .y.at = F };
    return soa_run(workspace, model, SOA_KERNEL_joint_forces, states, &call, error);
}

soa_status soa_mass_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *mass, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = mass };
    return soa_run(workspace, model, SOA_KERNEL_mass_matrix, states, &call, error);
}

soa_status soa_mass_inverse(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *inverse, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = inverse };
    return soa_run(workspace, model, SOA_KERNEL_mass_inverse, states, &call, error);
}

/* y = A x, A the mass matrix or its inverse. */
static soa_status multiply(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states,
    soa_call *call, double *y, soa_error *error)
{
    if (!call->u.at && model && model->nv > 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a product with the mass matrix or its inverse needs x");
    }
    call->y.at = y;
    return soa_run(workspace, model, kernel, states, call, error);
}

soa_status soa_mass_multiply(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *y, soa_error *error)
{
    soa_call call = { .q.at = q, .u.at = x, .u_name = "x" };
    return multiply(workspace, model, SOA_KERNEL_mass_multiply, states, &call, y, error);
}

soa_status soa_mass_solve(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *y, soa_error *error)
{
    soa_call call = { .q.at = q, .u.at = x, .u_name = "x" };
    return multiply(workspace, model, SOA_KERNEL_mass_solve, states, &call, y, error);
}

soa_status soa_coriolis_matrix(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .y.at = C };
    return soa_run(workspace, model, SOA_KERNEL_coriolis_matrix, states, &call, error);
}
