/* model/check_massless.c - warns of bodies that no force can hold: nothing outboard of the joint has inertia. */
#include "core/error.h"
#include "model/model.h"

static bool has_inertia(const soa_body_data *body)
{
    for (int i = 0; i < 10; i++) {
        if (body->inertia[i] != 0.0) {
            return true;
        }
    }
    return body->armature != 0.0;
}

soa_status soa_check_massless(soa_model *m, soa_error *error)
{
    enum { TOLD_AT_MOST = 8 };
    soa_description *d = &m->description;
    if (m->bodies == 0) {
        return SOA_OK;
    }
    bool *heavy = soa_allocate(&m->allocator, (size_t)m->bodies, sizeof *heavy);
    if (!heavy) {
        return soa_fail_memory(error);
    }
    int massless = 0;
    for (int k = 0; k < m->bodies; k++) {
        heavy[k] = has_inertia(&m->body[k]);
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        if (heavy[k] && m->body[k].parent != SOA_WORLD) {
            heavy[m->body[k].parent] = true;
        }
        massless += !heavy[k];
    }
    bool told = true;
    const soa_source nowhere = { soa_description_link(d, m->body[0].rest->link)->source.file, 0 };
    if (massless == m->bodies) {
        told = soa_description_warn(d, &m->allocator, &m->arena, nowhere,
            "no moving link has mass: the model has kinematics, but no forward dynamics");
    } else if (massless > TOLD_AT_MOST) {
        told = soa_description_warn(d, &m->allocator, &m->arena, nowhere,
            "%d joints move nothing that has mass: forward dynamics is singular", massless);
    } else {
        for (int k = 0; told && k < m->bodies; k++) {
            const soa_link *link = soa_description_link(d, m->body[k].rest->link);
            told = heavy[k] ||
                   soa_description_warn(d, &m->allocator, &m->arena, link->source,
                       "link '%s': its joint moves nothing that has mass: forward dynamics is singular", link->name);
        }
    }
    soa_release(&m->allocator, heavy);
    return told ? SOA_OK : soa_fail_memory(error);
}
