/* sens/derivatives.c - first derivatives of the dynamics: the API of soa/sens.h. */
#include "soa/sens.h"

#include "core/error.h"
#include "sens/kernels.h"

static soa_out square(const soa_model *m, double *y)
{
    return (soa_out){ y, (size_t)m->nv * (size_t)m->nv };
}

soa_status soa_inverse_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *f, double *dT_dq, double *dT_dv,
    double *dT_dvdot, soa_error *error)
{
    soa_call call = soa_call_of(model, q, v, vdot, "vdot", f);
    call.y = square(model, dT_dq);
    call.y2 = square(model, dT_dv);
    call.y3 = square(model, dT_dvdot);
    return soa_sens_run(workspace, model, SOA_SENS_inverse_derivatives, states, &call, error);
}

soa_status soa_forward_dynamics_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, const double *f, double *dvdot_dq, double *dvdot_dv,
    double *dvdot_dT, double *vdot, soa_error *error)
{
    soa_call call = soa_call_of(model, q, v, T, "T", f);
    call.y = square(model, dvdot_dq);
    call.y2 = square(model, dvdot_dv);
    call.y3 = square(model, dvdot_dT);
    call.y4 = soa_out_at(vdot, model->nv);
    return soa_sens_run(workspace, model, SOA_SENS_forward_derivatives, states, &call, error);
}

static soa_call call_at_points(const soa_model *m, int points, const soa_point *point, const double *q, const double *f)
{
    soa_call call = soa_call_of(m, q, NULL, NULL, NULL, NULL);
    call.points = points;
    call.point = point;
    call.g = soa_in_at(f, 6 * points);
    return call;
}

soa_status soa_point_force_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT_dq, double *dT_df,
    soa_error *error)
{
    soa_call call = call_at_points(model, points, point, q, f);
    call.y = square(model, dT_dq);
    call.y2 = soa_out_at(dT_df, 6 * points * model->nv);
    return soa_sens_run(workspace, model, SOA_SENS_point_force_derivatives, states, &call, error);
}

soa_status soa_point_acceleration_derivatives(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, double *dvdot_df, soa_error *error)
{
    soa_call call = call_at_points(model, points, point, q, NULL);
    call.y = soa_out_at(dvdot_df, 6 * points * model->nv);
    return soa_sens_run(workspace, model, SOA_SENS_point_acceleration_derivatives, states, &call, error);
}

soa_status soa_gravity_derivatives(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    double *dT_dg, double *dvdot_dg, soa_error *error)
{
    soa_call call = soa_call_of(model, q, NULL, NULL, NULL, NULL);
    call.y = soa_out_at(dT_dg, 3 * model->nv);
    call.y2 = soa_out_at(dvdot_dg, 3 * model->nv);
    return soa_sens_run(workspace, model, SOA_SENS_gravity_derivatives, states, &call, error);
}

soa_status soa_inverse_dynamics_second_derivatives(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, const double *x, double *qq, double *vq, double *vv,
    double *aq, soa_error *error)
{
    if (!x && model->nv > 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "second derivatives are summed with weights: give x");
    }
    soa_call call = soa_call_of(model, q, v, vdot, "vdot", NULL);
    call.x = soa_in_at(x, model->nv);
    call.y = square(model, qq);
    call.y2 = square(model, vq);
    call.y3 = square(model, vv);
    call.y4 = square(model, aq);
    return soa_sens_run(workspace, model, SOA_SENS_second_derivatives, states, &call, error);
}
