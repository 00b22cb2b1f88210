/* model/free_base.c - a model whose base floats: its root link on a free joint. */
#include <string.h>

#include "core/error.h"
#include "model/model.h"

/* The one link that hangs on the world by a weld or a free joint. */
static soa_status find_root(const soa_model *model, int *root, soa_error *error)
{
    *root = -1;
    for (int i = 0; i < model->description.link.count; i++) {
        const soa_link *link = soa_description_link(&model->description, i);
        if (link->parent != SOA_WORLD) {
            continue;
        }
        if (*root >= 0) {
            const soa_link *first = soa_description_link(&model->description, *root);
            return soa_fail_source(error, SOA_E_TREE, link->source,
                "links '%s' and '%s' both hang on the world: no one of them is the base; join them by a weld",
                first->name, link->name);
        }
        if (link->joint.kind != SOA_FIXED && link->joint.kind != SOA_FREE) {
            return soa_fail_source(error, SOA_E_TREE, link->source,
                "link '%s' hangs on the world by a %s joint: there is no base to be freed; give it a welded base link",
                link->name, soa_joint_kind_text(link->joint.kind));
        }
        *root = i;
    }
    return SOA_OK;
}

/* The root welded to the world, on a free joint that stands at neutral where the weld held it. */
static soa_status free_link(soa_builder *builder, int root, soa_error *error)
{
    soa_link link = *soa_builder_link(builder, root);
    if (link.joint.kind == SOA_FREE) {
        return SOA_OK;
    }
    const soa_pose place = soa_pose_compose(&link.joint.at, &link.joint.child);
    const int taken = soa_builder_find_joint(builder, "base");
    link.joint = soa_joint_default(taken < 0 || taken == root ? "base" : "base/free", SOA_FREE);
    link.joint.source = link.source;
    soa_pose_quaternion(&place, link.joint.neutral);
    memcpy(link.joint.neutral + 4, place.position, sizeof place.position);
    return soa_builder_set_link(builder, root, &link, error);
}

/* q and v of a configuration joint by joint in the order of the links, the freed base at rest at neutral. */
static void raw_configuration(const soa_model *m, const soa_builder *b, int configuration, double *q, double *v)
{
    const soa_configuration *from = soa_model_configuration(m, configuration);
    for (int i = 0; i < m->description.link.count; i++) {
        const soa_link *link = soa_builder_link(b, i);
        const size_t nq = (size_t)soa_joint_kind_nq(link->joint.kind), nv = (size_t)soa_joint_kind_nv(link->joint.kind);
        if (soa_description_link(&m->description, i)->joint.kind == SOA_FIXED) {
            memcpy(q, link->joint.neutral, nq * sizeof *q);
            memset(v, 0, nv * sizeof *v);
        } else {
            const soa_body_data *body = &m->body[m->place[i].body];
            memcpy(q, from->q + body->q, nq * sizeof *q);
            if (from->v) {
                memcpy(v, from->v + body->v, nv * sizeof *v);
            }
        }
        q += nq;
        v += nv;
    }
}

static soa_status copy_configurations(const soa_model *m, soa_builder *builder, soa_error *error)
{
    const size_t room = (size_t)m->nq + SOA_JOINT_MAX_NQ;
    double *q = soa_allocate(&m->allocator, 2 * room, sizeof *q);
    if (!q) {
        return soa_fail_memory(error);
    }
    int nq = 0, nv = 0;
    for (int i = 0; i < soa_builder_links(builder); i++) {
        nq += soa_joint_kind_nq(soa_builder_link(builder, i)->joint.kind);
        nv += soa_joint_kind_nv(soa_builder_link(builder, i)->joint.kind);
    }
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < m->description.configuration.count; i++) {
        const soa_configuration *from = soa_model_configuration(m, i);
        raw_configuration(m, builder, i, q, q + room);
        status = soa_builder_add_configuration(builder, from->name, nq, q, nv, from->v ? q + room : NULL, error);
    }
    soa_release(&m->allocator, q);
    return status;
}

/* The model again with that gravity and, if root is not SOA_NONE, with that link on a free joint. */
static soa_status make_again(
    const soa_model *model, const double gravity[3], int root, soa_model **out, soa_error *error)
{
    soa_builder *builder = soa_builder_new(&model->allocator);
    if (!builder) {
        return soa_fail_memory(error);
    }
    soa_builder_set_gravity(builder, gravity);
    soa_status status = soa_builder_set_name(builder, model->description.name, error);
    SOA_NEXT(status, soa_builder_attach(builder, model, NULL, SOA_WORLD, NULL, error));
    status = status == SOA_OK && root != SOA_NONE ? free_link(builder, root, error) : status;
    SOA_NEXT(status, copy_configurations(model, builder, error));
    SOA_NEXT(status, soa_builder_finish(builder, out, error));
    soa_builder_free(builder);
    return status;
}

soa_status soa_model_free_base(const soa_model *model, soa_model **out, soa_error *error)
{
    int root;
    if (!model || !out) {
        return soa_fail_null(error, model ? "the place of the result" : "the model");
    }
    *out = NULL;
    const soa_status status = find_root(model, &root, error);
    return status == SOA_OK ? make_again(model, model->description.gravity, root, out, error) : status;
}

soa_status soa_model_with_gravity(const soa_model *model, const double gravity[3], soa_model **out, soa_error *error)
{
    if (!model || !gravity || !out) {
        return soa_fail_null(error, !model ? "the model" : out ? "the gravity" : "the place of the result");
    }
    *out = NULL;
    return make_again(model, gravity, SOA_NONE, out, error);
}
