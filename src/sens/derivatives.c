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
