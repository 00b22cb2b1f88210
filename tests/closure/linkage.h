/* tests/closure/linkage.h - planar linkages in space, whose closure has rows that say nothing. */
#ifndef SOA_TESTS_CLOSURE_LINKAGE_H
#define SOA_TESTS_CLOSURE_LINKAGE_H

#include "closure/kit.h"

/* A planar linkage in the plane x, z, closed to the world at `ground`; as many bars as lengths. */
static inline soa_model *linkage(closed_kit *kit, int bars, const double *length, double ground)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    for (int i = 0; i < bars; i++) {
        char name[16], joint[16];
        (void)snprintf(name, sizeof name, "bar%d", i);
        (void)snprintf(joint, sizeof joint, "pin%d", i);
        soa_link link = soa_link_default(name, i - 1, SOA_REVOLUTE);
        link.joint.name = joint;
        link.joint.axis[1] = 1.0, link.joint.axis[2] = 0.0;
        link.joint.at.position[0] = i == 0 ? 0.0 : length[i - 1];
        link.inertia = (soa_inertia){ 1.0, { 0.5 * length[i], 0.0, 0.0 }, { 0.01, 0.0, 0.0, 0.1, 0.0, 0.1 } };
        OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
    }
    soa_closure c = soa_closure_default("ground", SOA_CLOSE_REVOLUTE, bars - 1, SOA_WORLD);
    const double turn[3] = { 1.0, 0.0, 0.0 }, end[3] = { length[bars - 1], 0.0, 0.0 }, at[3] = { ground, 0.0, 0.0 };
    c.at_a = soa_pose_from_axis_angle(end, turn, -1.5707963267948966);
    c.at_b = soa_pose_from_axis_angle(at, turn, -1.5707963267948966);
    OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

#endif
