/* model/builtin_kit.c - the steps the built-in models are written with. */
#include <stdio.h>
#include <string.h>

#include "model/builtin.h"

int soa_kit_weld(soa_kit *kit, const char *name, int parent, const double at[3], const soa_inertia *inertia)
{
    soa_link link = soa_link_default(name, parent, SOA_FIXED);
    memcpy(link.joint.at.position, at, sizeof link.joint.at.position);
    link.inertia = *inertia;
    return soa_kit_link(kit, &link);
}

/* Mirrored in the x-z plane, a rotation about x or z changes its sign, one about
 * y keeps it. */
static void mirror(soa_part *part)
{
    part->at[1] = -part->at[1];
    part->com[1] = -part->com[1];
    part->turn[0] = -part->turn[0];
    part->turn[2] = -part->turn[2];
    if (part->axis == 'x' || part->axis == 'z') {
        const double lower = part->limit[0];
        part->limit[0] = -part->limit[1];
        part->limit[1] = -lower;
    }
}

static int add_part(soa_kit *kit, const soa_part *part, const char *prefix, int parent)
{
    char link_name[SOA_KIT_NAME], joint_name[SOA_KIT_NAME];
    const soa_joint_kind kind = part->axis == 'w' ? SOA_FIXED : SOA_REVOLUTE;

    snprintf(link_name, sizeof link_name, "%s%s", prefix, part->link);
    soa_link link = soa_link_default(link_name, parent, kind);
    link.joint.at = soa_pose_from_rpy(part->at, part->turn);
    if (part->joint != NULL) {
        snprintf(joint_name, sizeof joint_name, "%s%s", prefix, part->joint);
        link.joint.name = joint_name;
    }
    if (kind == SOA_REVOLUTE) {
        for (int i = 0; i < 3; i++) {
            link.joint.axis[i] = part->axis == "xyz"[i] ? 1.0 : 0.0;
        }
        link.joint.lower[0] = part->limit[0];
        link.joint.upper[0] = part->limit[1];
        link.joint.velocity[0] = part->velocity;
        link.joint.effort[0] = part->effort;
    }
    link.inertia = soa_box(part->mass, part->com, part->size);
    return soa_kit_link(kit, &link);
}

int soa_kit_parts(soa_kit *kit, const soa_part *part, int count, const char *prefix, int root, double side)
{
    int first = SOA_WORLD;
    for (int i = 0; i < count; i++) {
        soa_part row = part[i];
        if (side < 0.0) {
            mirror(&row);
        }
        const int index = add_part(kit, &row, prefix, row.parent < 0 ? root : first + row.parent);
        if (i == 0) {
            first = index;
        }
    }
    return first;
}

void soa_kit_mark(soa_kit *kit, const char *prefix, const char *name, int link, const double at[3])
{
    char full[SOA_KIT_NAME];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    soa_frame frame = soa_frame_default(full, link);
    memcpy(frame.at.position, at, sizeof frame.at.position);
    soa_kit_frame(kit, &frame);
}

void soa_kit_attach(soa_kit *kit, const char *builtin, const char *name, int link, const soa_pose *at)
{
    soa_model *part = NULL;
    soa_error *error = kit->outcome.error;
    if (soa_ok(&kit->outcome) && soa_keep(&kit->outcome, soa_model_builtin(builtin, kit->allocator, &part, error))) {
        soa_keep(&kit->outcome, soa_builder_attach(kit->builder, part, name, link, at, error));
    }
    soa_model_free(part);
}

soa_inertia soa_box(double mass, const double com[3], const double size[3])
{
    const double xx = size[0] * size[0], yy = size[1] * size[1], zz = size[2] * size[2];
    soa_inertia box = { .mass = mass };
    memcpy(box.com, com, sizeof box.com);
    box.moment[0] = mass / 12.0 * (yy + zz);
    box.moment[3] = mass / 12.0 * (xx + zz);
    box.moment[5] = mass / 12.0 * (xx + yy);
    return box;
}

soa_inertia soa_rod(double mass, const double com[3], double radius, double length)
{
    soa_inertia rod = { .mass = mass };
    memcpy(rod.com, com, sizeof rod.com);
    rod.moment[0] = mass / 12.0 * (3.0 * radius * radius + length * length);
    rod.moment[3] = rod.moment[0];
    rod.moment[5] = mass / 2.0 * radius * radius;
    return rod;
}
