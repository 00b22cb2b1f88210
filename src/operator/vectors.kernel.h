/* operator/vectors.kernel.h - where points are on their bodies: a vector of a point is in world axes at the point. */
#ifndef SOA_OPERATOR_VECTORS_KERNEL_H
#define SOA_OPERATOR_VECTORS_KERNEL_H

#include "sweep/upsilon.kernel.h"

/* The body of a point, or SOA_WORLD. */
KERNEL int point_body(const soa_call *call, int i)
{
    const int link = call->point[i].link;
    return link == SOA_WORLD ? SOA_WORLD : call->model->place[link].body;
}

/* The frame of point i, axes of the world, in the frame of its body k. */
KERNEL pose point_pose(const soa_call *call, const vars *w, int i, int k)
{
    const soa_point *point = &call->point[i];
    const pose link = pose_set(&call->model->place[point->link].at);
    return (pose){ mat3_transpose(w->W[k].R), pose_point(link, vec3_set(point->at.position)) };
}

#endif
