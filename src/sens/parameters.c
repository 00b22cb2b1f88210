/* sens/parameters.c - inertial parameters and inertias. */
#include "soa/parameters.h"

#include "model/model.h"
#include "spatial/rigid.h"

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
    for (int i = 0; model && parameters && i < model->description.link.count; i++) {
        soa_inertia_parameters(
            &soa_description_link(&model->description, i)->inertia, parameters + SOA_PARAMETERS * (size_t)i);
    }
}
