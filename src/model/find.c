/* model/find.c - links, joints, frames, points and bodies by name. */
#include <stdio.h>
#include <string.h>

#include "core/edits.h"
#include "core/error.h"
#include "model/model.h"

static int find(const soa_names *names, const char *name)
{
    const int number = soa_names_find(names, name);
    return number < 0 ? SOA_NONE : number;
}

int soa_model_find_link(const soa_model *model, const char *name)
{
    return model ? find(&model->description.link_name, name) : SOA_NONE;
}

int soa_model_find_joint(const soa_model *model, const char *name)
{
    return model ? find(&model->description.joint_name, name) : SOA_NONE;
}

int soa_model_find_frame(const soa_model *model, const char *name)
{
    return model ? find(&model->description.frame_name, name) : SOA_NONE;
}

int soa_builder_find_link(const soa_builder *builder, const char *name)
{
    return builder ? find(&builder->description.link_name, name) : SOA_NONE;
}

/* A joint that was renamed is still in the table under its old name. */
int soa_builder_find_joint(const soa_builder *builder, const char *name)
{
    const int link = builder ? find(&builder->description.joint_name, name) : SOA_NONE;
    const soa_link *found = soa_builder_link(builder, link);
    return found && found->joint.name && strcmp(found->joint.name, name) == 0 ? link : SOA_NONE;
}

int soa_builder_find_frame(const soa_builder *builder, const char *name)
{
    return builder ? find(&builder->description.frame_name, name) : SOA_NONE;
}

/* ---- by a name that must be there ------------------------------------------------- */

/* SOA_E_NAME: "there is no WHAT 'wanted'; did you mean 'found'?" */
static soa_status fail_unknown(const soa_nearest *near, const char *what, soa_error *error)
{
    if (near->found) {
        return soa_fail(
            error, SOA_E_NAME, -1, "there is no %s '%.80s'; did you mean '%.80s'?", what, near->wanted, near->found);
    }
    return soa_fail(
        error, SOA_E_NAME, -1, "there is no %s '%.80s'; give a name that the model has", what, near->wanted);
}

static bool is_virtual(const soa_link *link)
{
    return (link->flags & SOA_LINK_VIRTUAL) != 0;
}

static soa_status fail_point(const soa_description *d, const char *name, soa_error *error)
{
    soa_nearest near = soa_nearest_to(name);
    for (int i = 0; i < d->link.count; i++) {
        const soa_link *link = soa_array_at(&d->link, i);
        if (!is_virtual(link)) {
            soa_nearest_offer(&near, link->name);
        }
    }
    for (int i = 0; i < d->frame.count; i++) {
        soa_nearest_offer(&near, ((const soa_frame *)soa_array_at(&d->frame, i))->name);
    }
    return fail_unknown(&near, "link or frame", error);
}

soa_status soa_model_find_point(const soa_model *model, const char *name, soa_point *point, soa_error *error)
{
    if (!model || !name || !point) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a model, a name and a point are needed, but one is NULL");
    }
    const int link = soa_model_find_link(model, name), frame = soa_model_find_frame(model, name);
    *point = (soa_point){ SOA_NONE, soa_pose_identity() };
    if (link >= 0 && !is_virtual(soa_model_link(model, link))) {
        point->link = link;
    } else if (frame >= 0) {
        const soa_frame *f = soa_model_frame(model, frame);
        *point = (soa_point){ f->link, f->at, f->node };
    } else if (strcmp(name, "world") == 0) {
        point->link = SOA_WORLD;
    } else {
        return fail_point(&model->description, name, error);
    }
    return SOA_OK;
}

static soa_status fail_joint(const soa_model *model, const char *name, soa_error *error)
{
    const soa_link *same = soa_model_link(model, soa_model_find_link(model, name));
    if (same && same->joint.name) {
        return soa_fail(error, SOA_E_NAME, -1, "there is no joint '%.80s'; the joint of that link is '%.80s'", name,
            same->joint.name);
    }
    soa_nearest near = soa_nearest_to(name);
    for (int i = 0; i < soa_model_links(model); i++) {
        const soa_joint *joint = &soa_model_link(model, i)->joint;
        if (joint->name && joint->kind != SOA_FIXED) {
            soa_nearest_offer(&near, joint->name);
        }
    }
    return fail_unknown(&near, "joint", error);
}

/* The body of the modes of a link that are called "LINK/flex"; SOA_NONE: no such modes. */
static int find_modal(const soa_model *model, const char *name)
{
    static const char ending[] = "/flex";
    const size_t length = strlen(name), tail = sizeof ending - 1;
    char link[SOA_MAX_NAME + 1];
    if (length < tail || length - tail > SOA_MAX_NAME || strcmp(name + length - tail, ending) != 0) {
        return SOA_NONE;
    }
    memcpy(link, name, length - tail);
    link[length - tail] = 0;
    const int number = soa_model_find_link(model, link);
    return number >= 0 && soa_model_link(model, number)->flexible ? model->place[number].body : SOA_NONE;
}

soa_status soa_model_find_body(const soa_model *model, const char *joint, soa_body *body, soa_error *error)
{
    if (!model || !joint || !body) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a model, a name and a body are needed, but one is NULL");
    }
    int link = soa_model_find_joint(model, joint);
    const int modal = link < 0 ? find_modal(model, joint) : SOA_NONE;
    if (modal >= 0) {
        *body = soa_model_body(model, modal);
        return SOA_OK;
    }
    if (link < 0) {
        link = soa_model_find_link(model, joint);
        link = link >= 0 && !soa_model_link(model, link)->joint.name ? link : SOA_NONE;
    }
    *body = soa_model_body(model, SOA_NONE);
    if (link < 0) {
        return fail_joint(model, joint, error);
    }
    if (soa_model_link(model, link)->joint.kind == SOA_FIXED) {
        return soa_fail(
            error, SOA_E_JOINT, -1, "joint '%.80s' is fixed and has no numbers; name one that moves", joint);
    }
    *body = soa_model_body(model, soa_joint_body(model, link));
    return SOA_OK;
}
