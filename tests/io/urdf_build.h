/* tests/io/urdf_build.h - building small models for the writers. Include cmocka.h before. */
#ifndef SOA_TESTS_IO_URDF_BUILD_H
#define SOA_TESTS_IO_URDF_BUILD_H

#include "soa/model.h"

static inline soa_model *finish(soa_builder *builder)
{
    soa_model *model;
    soa_error error;
    if (soa_builder_finish(builder, &model, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(builder);
    return model;
}

static inline int add(soa_builder *builder, const soa_link *link)
{
    int index;
    assert_int_equal(soa_builder_add_link(builder, link, &index, NULL), SOA_OK);
    return index;
}

/* A link with mass 1 and unit moments at the origin. */
static inline soa_link solid(const char *name, int parent, soa_joint_kind kind)
{
    soa_link link = soa_link_default(name, parent, kind);
    link.inertia = (soa_inertia){ 1.0, { 0.0 }, { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
    return link;
}

static inline soa_pose shift(double x, double y, double z)
{
    soa_pose pose = soa_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.position[2] = z;
    return pose;
}

#endif
