/* model/model.c - asking a model. */
#include "model/model.h"

#include <string.h>

const char *soa_model_name(const soa_model *model)
{
    return model ? model->description.name : NULL;
}

void soa_model_gravity(const soa_model *model, double gravity[3])
{
    if (model && gravity) {
        memcpy(gravity, model->description.gravity, sizeof model->description.gravity);
    }
}

double soa_model_mass(const soa_model *model)
{
    return model ? model->mass : 0.0;
}

int soa_model_nq(const soa_model *model)
{
    return model ? model->nq : 0;
}

int soa_model_nv(const soa_model *model)
{
    return model ? model->nv : 0;
}

int soa_model_bodies(const soa_model *model)
{
    return model ? model->bodies : 0;
}

int soa_model_links(const soa_model *model)
{
    return model ? model->description.link.count : 0;
}

int soa_model_frames(const soa_model *model)
{
    return model ? model->description.frame.count : 0;
}

int soa_model_couplings(const soa_model *model)
{
    return model ? model->description.coupling.count : 0;
}

int soa_model_closures(const soa_model *model)
{
    return model ? model->description.closure.count : 0;
}

int soa_model_geometries(const soa_model *model)
{
    return model ? model->description.geometry.count : 0;
}

int soa_model_configurations(const soa_model *model)
{
    return model ? model->description.configuration.count : 0;
}

int soa_model_warnings(const soa_model *model)
{
    return model ? model->description.warning.count : 0;
}

static const void *item(const soa_array *array, int index)
{
    return index >= 0 && index < array->count ? soa_array_at(array, index) : NULL;
}

const soa_link *soa_model_link(const soa_model *model, int link)
{
    return model ? item(&model->description.link, link) : NULL;
}

const soa_frame *soa_model_frame(const soa_model *model, int frame)
{
    return model ? item(&model->description.frame, frame) : NULL;
}

const soa_coupling *soa_model_coupling(const soa_model *model, int coupling)
{
    return model ? item(&model->description.coupling, coupling) : NULL;
}

const soa_closure *soa_model_closure(const soa_model *model, int closure)
{
    return model ? item(&model->description.closure, closure) : NULL;
}

const soa_geometry *soa_model_geometry(const soa_model *model, int geometry)
{
    return model ? item(&model->description.geometry, geometry) : NULL;
}

const soa_configuration *soa_model_configuration(const soa_model *model, int configuration)
{
    return model ? item(&model->description.configuration, configuration) : NULL;
}

const soa_warning *soa_model_warning(const soa_model *model, int warning)
{
    return model ? item(&model->description.warning, warning) : NULL;
}

soa_body soa_model_body(const soa_model *model, int body)
{
    if (!model || body < 0 || body >= model->bodies) {
        return (soa_body){ .parent = SOA_NONE, .link = SOA_NONE };
    }
    const soa_body_data *b = &model->body[body];
    return (soa_body){ .parent = b->parent,
        .link = b->rest->link,
        .kind = b->rest->shape.kind,
        .q = b->q,
        .v = b->v,
        .nq = b->rest->nq,
        .nv = b->nv,
        .links = b->rest->links,
        .flexible = b->joint_class == SOA_CLASS_MODAL,
        .inertia = b->rest->link_inertia };
}

int soa_model_link_body(const soa_model *model, int link, soa_pose *at)
{
    soa_link_place place = { link == SOA_WORLD ? SOA_WORLD : SOA_NONE, soa_pose_identity() };
    if (model && link >= 0 && link < model->description.link.count) {
        place = model->place[link];
    }
    if (at && place.body < 0) {
        *at = place.at;
    } else if (at && model->body[place.body].rest->link == link) {
        *at = soa_pose_identity();
    } else if (at) {
        const soa_pose frame_inv = soa_pose_inverse(&model->body[place.body].rest->frame);
        *at = soa_pose_compose(&frame_inv, &place.at);
    }
    return place.body;
}
