/* model/model.c - asking a model. */
#include <string.h>

#include "model/description.h"

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

static const void *item(const soa_array *array, int index)
{
    return index >= 0 && index < array->count ? soa_array_at(array, index) : NULL;
}

#define LIST(list, plural, type)                                     \
    int soa_model_##plural(const soa_model *model)                   \
    {                                                                \
        return model ? model->description.list.count : 0;            \
    }                                                                \
    const type *soa_model_##list(const soa_model *model, int index)  \
    {                                                                \
        return model ? item(&model->description.list, index) : NULL; \
    }
SOA_ITEM_LIST(LIST)
LIST(configuration, configurations, soa_configuration)
#undef LIST

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

int soa_model_joint_body(const soa_model *model, int link)
{
    const bool there = model && link >= 0 && link < model->description.link.count;
    return there && soa_model_link(model, link)->joint.kind != SOA_FIXED ? soa_joint_body(model, link) : SOA_NONE;
}
