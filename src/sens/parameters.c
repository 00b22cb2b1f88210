/* sens/parameters.c - the API of soa/parameters.h. */
#include "soa/parameters.h"

#include "sens/kernels.h"
#include "spatial/rigid.h"

/* As in parameters.kernel.h. */
enum { OF_INVERSE = 0, OF_FORWARD = 1 };

void soa_inertia_parameters(const soa_inertia *inertia, double parameters[SOA_PARAMETERS])
{
    soa_rigid_numbers(inertia, parameters);
}

soa_inertia soa_inertia_from_parameters(const double p[SOA_PARAMETERS])
{
    soa_inertia inertia = { .mass = p[0] };
    for (int i = 0; p[0] != 0.0 && i < 3; i++) {
        inertia.com[i] = p[1 + i] / p[0];
    }
    const double *c = inertia.com, m = p[0];
    const double far[6] = { c[1] * c[1] + c[2] * c[2], -c[0] * c[1], -c[0] * c[2], c[0] * c[0] + c[2] * c[2],
        -c[1] * c[2], c[0] * c[0] + c[1] * c[1] };
    for (int i = 0; i < 6; i++) {
        inertia.moment[i] = p[4 + i] - m * far[i];
    }
    return inertia;
}

void soa_model_parameters(const soa_model *model, double *parameters)
{
    for (int i = 0; i < model->description.link.count; i++) {
        soa_inertia_parameters(
            &soa_description_link(&model->description, i)->inertia, parameters + SOA_PARAMETERS * (size_t)i);
    }
}

static soa_status run(soa_workspace *workspace, const soa_model *model, soa_sens_id kernel, int option, int states,
    soa_call *call, soa_error *error)
{
    call->option = option;
    return soa_sens_run(workspace, model, kernel, states, call, error);
}

static soa_out by_link(const soa_model *m, double *y)
{
    return (soa_out){ y, SOA_PARAMETERS * (size_t)m->description.link.count * (size_t)m->nv };
}

static soa_out by_joint(const soa_model *m, double *y)
{
    return (soa_out){ y, 6 * (size_t)m->bodies * (size_t)m->nv };
}

soa_status soa_regressor(const soa_model *model, soa_workspace *workspace, int states, const double *q, const double *v,
    const double *vdot, double *Y, soa_error *error)
{
    soa_call call = soa_call_of(model, q, v, vdot, "vdot", NULL);
    call.y = by_link(model, Y);
    return run(workspace, model, SOA_SENS_regressor, OF_INVERSE, states, &call, error);
}

soa_status soa_forward_dynamics_parameters(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, double *dvdot_dpi, soa_error *error)
{
    soa_call call = soa_call_of(model, q, v, T, "T", NULL);
    call.y = by_link(model, dvdot_dpi);
    return run(workspace, model, SOA_SENS_regressor, OF_FORWARD, states, &call, error);
}

soa_status soa_inverse_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *dT, soa_error *error)
{
    soa_call call = soa_call_of(model, q, v, vdot, "vdot", NULL);
    call.y = by_joint(model, dT);
    return run(workspace, model, SOA_SENS_placement_derivatives, OF_INVERSE, states, &call, error);
}

soa_status soa_forward_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, double *dvdot, soa_error *error)
{
    soa_call call = soa_call_of(model, q, v, T, "T", NULL);
    call.y = by_joint(model, dvdot);
    return run(workspace, model, SOA_SENS_placement_derivatives, OF_FORWARD, states, &call, error);
}

soa_status soa_point_force_placement(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT, soa_error *error)
{
    soa_call call = soa_call_of(model, q, NULL, NULL, NULL, NULL);
    call.points = points;
    call.point = point;
    call.g = soa_in_at(f, 6 * points);
    call.y = by_joint(model, dT);
    return soa_sens_run(workspace, model, SOA_SENS_point_force_placement, states, &call, error);
}
