/* model/model.c - asking a model. */
#include "model/model.h"

#include <string.h>

const char *soa_model_name(const soa_model *model)
{
    return model->description.name;
}

void soa_model_gravity(const soa_model *model, double gravity[3])
{
    memcpy(gravity, model->description.gravity, sizeof model->description.gravity);
}

double soa_model_mass(const soa_model *model)
{
    return model->mass;
}

int soa_model_nq(const soa_model *model)
{
    return model->nq;
}

int soa_model_nv(const soa_model *model)
{
    return model->nv;
}

int soa_model_bodies(const soa_model *model)
{
    return model->bodies;
}

int soa_model_links(const soa_model *model)
{
    return model->description.link.count;
}

int soa_model_frames(const soa_model *model)
{
    return model->description.frame.count;
}

int soa_model_couplings(const soa_model *model)
{
    return model->description.coupling.count;
}

int soa_model_closures(const soa_model *model)
{
    return model->description.closure.count;
}

int soa_model_configurations(const soa_model *model)
{
    return model->description.configuration.count;
}

int soa_model_warnings(const soa_model *model)
{
    return model->description.warning.count;
}

static const void *item(const soa_array *array, int index)
{
    return index >= 0 && index < array->count ? soa_array_at(array, index) : NULL;
}

const soa_link *soa_model_link(const soa_model *model, int link)
{
    return item(&model->description.link, link);
}

const soa_frame *soa_model_frame(const soa_model *model, int frame)
{
    return item(&model->description.frame, frame);
}

const soa_coupling *soa_model_coupling(const soa_model *model, int coupling)
{
    return item(&model->description.coupling, coupling);
}

const soa_closure *soa_model_closure(const soa_model *model, int closure)
{
    return item(&model->description.closure, closure);
}

const soa_configuration *soa_model_configuration(const soa_model *model, int configuration)
{
    return item(&model->description.configuration, configuration);
}

const soa_warning *soa_model_warning(const soa_model *model, int warning)
{
    return item(&model->description.warning, warning);
}

soa_body soa_model_body(const soa_model *model, int body)
{
    if (body < 0 || body >= model->bodies) {
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
        .inertia = b->rest->link_inertia };
}

int soa_model_link_body(const soa_model *model, int link, soa_pose *at)
{
    const soa_link_place place =
        link >= 0 && link < model->description.link.count
            ? model->place[link]
            : (soa_link_place){ link == SOA_WORLD ? SOA_WORLD : SOA_NONE, soa_pose_identity() };
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
