/* sens/articulated.c - changes of the articulated quantities, and [DIAG]: the API of soa/sens.h. */
#include "soa/sens.h"

#include "core/error.h"
#include "sens/kernels.h"

/* Both need a motion. */
static soa_status fail_motion(soa_error *error)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1, "the articulated quantities change along a motion: give v");
}

soa_status soa_articulated_rates(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *P_dot, double *D_dot, double *G_dot, soa_error *error)
{
    if (!v && model->nv > 0) {
        return fail_motion(error);
    }
    soa_call call = soa_call_of(model, q, v, NULL, NULL, NULL);
    call.y = soa_out_at(P_dot, 36 * model->bodies);
    call.y2 = soa_out_at(D_dot, 6 * model->nv);
    call.y3 = soa_out_at(G_dot, 6 * model->nv);
    return soa_sens_run(workspace, model, SOA_SENS_articulated_rates, states, &call, error);
}

soa_status soa_diagonal_equations(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, double *nu, double *eps, double *mu, soa_error *error)
{
    if (!v && model->nv > 0) {
        return fail_motion(error);
    }
    soa_call call = soa_call_of(model, q, v, T, "T", NULL);
    call.y = soa_out_at(nu, model->nv);
    call.y2 = soa_out_at(eps, model->nv);
    call.y3 = soa_out_at(mu, model->nv);
    return soa_sens_run(workspace, model, SOA_SENS_diagonal_equations, states, &call, error);
}
