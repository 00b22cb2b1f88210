/* sens/derivatives.c - the functions of soa/sens.h, soa/christoffel.h, soa/parameters.h and soa/linear.h that take
 * states: each is one kernel. */
#include "core/error.h"
#include "operator/body_numbers.h"
#include "sens/sens_kernels.h"

/* ---- first and second derivatives -------------------------------------------------------------- */

soa_status soa_inverse_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *f, double *dT_dq, double *dT_dv,
    double *dT_dvdot, soa_error *error)
{
    soa_call call = { .q.at = q,
        .v.at = v,
        .u.at = vdot,
        .u_name = "vdot",
        .f.at = f,
        .y.at = dT_dq,
        .y2.at = dT_dv,
        .y3.at = dT_dvdot };
    return soa_sens_run(workspace, model, SOA_SENS_inverse_dynamics_derivatives, states, &call, error);
}

soa_status soa_forward_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, const double *f, double *dvdot_dq, double *dvdot_dv,
    double *dvdot_dT, double *vdot, soa_error *error)
{
    soa_call call = { .q.at = q,
        .v.at = v,
        .u.at = T,
        .u_name = "T",
        .f.at = f,
        .y.at = dvdot_dq,
        .y2.at = dvdot_dv,
        .y3.at = dvdot_dT,
        .y4.at = vdot };
    return soa_sens_run(workspace, model, SOA_SENS_forward_dynamics_derivatives, states, &call, error);
}

soa_status soa_point_force_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT_dq, double *dT_df,
    soa_error *error)
{
    soa_call call = { .points = points, .point = point, .q.at = q, .g.at = f, .y.at = dT_dq, .y2.at = dT_df };
    return soa_sens_run(workspace, model, SOA_SENS_point_force_derivatives, states, &call, error);
}

soa_status soa_point_acceleration_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, double *dvdot_df, soa_error *error)
{
    soa_call call = { .points = points, .point = point, .q.at = q, .y.at = dvdot_df };
    return soa_sens_run(workspace, model, SOA_SENS_point_acceleration_derivatives, states, &call, error);
}

soa_status soa_gravity_derivatives(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    double *dT_dg, double *dvdot_dg, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = dT_dg, .y2.at = dvdot_dg };
    return soa_sens_run(workspace, model, SOA_SENS_gravity_derivatives, states, &call, error);
}

soa_status soa_inverse_dynamics_second_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *x, double *qq, double *vq, double *vv,
    double *aq, soa_error *error)
{
    soa_call call = { .q.at = q,
        .v.at = v,
        .u.at = vdot,
        .u_name = "vdot",
        .x.at = x,
        .y.at = qq,
        .y2.at = vq,
        .y3.at = vv,
        .y4.at = aq };
    return soa_sens_run(workspace, model, SOA_SENS_inverse_dynamics_second_derivatives, states, &call, error);
}

/* ---- articulated quantities -------------------------------------------------------------------- */

int soa_articulated_stride(const soa_model *model)
{
    return model ? soa_block_stride(model) : 0;
}

soa_status soa_articulated_rates(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *P_dot, double *D_dot, double *G_dot, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .y.at = P_dot, .y2.at = D_dot, .y3.at = G_dot };
    return soa_sens_run(workspace, model, SOA_SENS_articulated_rates, states, &call, error);
}

soa_status soa_diagonal_equations(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, double *nu, double *eps, double *mu, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = T, .u_name = "T", .y.at = nu, .y2.at = eps, .y3.at = mu };
    return soa_sens_run(workspace, model, SOA_SENS_diagonal_equations, states, &call, error);
}

/* ---- mass matrix and Christoffel symbols ------------------------------------------------------- */

soa_status soa_mass_derivatives(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *dmass, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = dmass };
    return soa_sens_run(workspace, model, SOA_SENS_mass_derivatives, states, &call, error);
}

soa_status soa_mass_derivative(const soa_model *model, soa_workspace *workspace, int velocity, int states,
    const double *q, double *dmass, soa_error *error)
{
    if (model && (velocity < 0 || velocity >= model->nv)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "velocity %d does not exist; the model has %d", velocity, model->nv);
    }
    soa_call call = { .q.at = q, .option = velocity, .y.at = dmass };
    return soa_sens_run(workspace, model, SOA_SENS_mass_derivative, states, &call, error);
}

soa_status soa_mass_rate(const soa_model *model, soa_workspace *workspace, int states, const double *q, const double *x,
    double *rate, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = x, .y.at = rate };
    return soa_sens_run(workspace, model, SOA_SENS_mass_rate, states, &call, error);
}

soa_status soa_mass_product_derivative(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *derivative, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = x, .y.at = derivative };
    return soa_sens_run(workspace, model, SOA_SENS_mass_product_derivative, states, &call, error);
}

soa_status soa_christoffel(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *symbols, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = symbols };
    return soa_sens_run(workspace, model, SOA_SENS_christoffel, states, &call, error);
}

soa_status soa_christoffel_packed(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *symbols, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = symbols };
    return soa_sens_run(workspace, model, SOA_SENS_christoffel_packed, states, &call, error);
}

soa_status soa_christoffel_product(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, const double *y, double *product, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = x, .u.at = y, .u_name = "y", .y.at = product };
    return soa_sens_run(workspace, model, SOA_SENS_christoffel_product, states, &call, error);
}

/* ---- parameters -------------------------------------------------------------------------------- */

soa_status soa_regressor(const soa_model *model, soa_workspace *workspace, int states, const double *q, const double *v,
    const double *vdot, double *Y, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = vdot, .u_name = "vdot", .y.at = Y };
    return soa_sens_run(workspace, model, SOA_SENS_regressor, states, &call, error);
}

soa_status soa_forward_dynamics_parameters(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, double *dvdot_dpi, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = T, .u_name = "T", .y.at = dvdot_dpi };
    return soa_sens_run(workspace, model, SOA_SENS_forward_dynamics_parameters, states, &call, error);
}

soa_status soa_inverse_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *dT, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = vdot, .u_name = "vdot", .y.at = dT };
    return soa_sens_run(workspace, model, SOA_SENS_inverse_dynamics_placement, states, &call, error);
}

soa_status soa_forward_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, double *dvdot, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = T, .u_name = "T", .y.at = dvdot };
    return soa_sens_run(workspace, model, SOA_SENS_forward_dynamics_placement, states, &call, error);
}

soa_status soa_point_force_placement(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT, soa_error *error)
{
    soa_call call = { .points = points, .point = point, .q.at = q, .g.at = f, .y.at = dT };
    return soa_sens_run(workspace, model, SOA_SENS_point_force_placement, states, &call, error);
}

/* ---- linear models ----------------------------------------------------------------------------- */

soa_status soa_linear_model(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error)
{
    if (states > 0 && (!A || !B)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a linear model needs room for A and B");
    }
    soa_call call = {
        .q.at = q, .v.at = v, .u.at = T, .u_name = "T", .f.at = f, .y.at = A, .y2.at = B, .y3.at = C, .y4.at = D
    };
    return soa_sens_run(workspace, model, SOA_SENS_linear_model, states, &call, error);
}
