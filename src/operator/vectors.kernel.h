/* operator/vectors.kernel.h - the frames of vectors: of a point in world axes at the point, of a body in those of its link. */
#ifndef SOA_OPERATOR_VECTORS_KERNEL_H
#define SOA_OPERATOR_VECTORS_KERNEL_H

#include "soa/operator.h"
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

/* A body's vector taken to its link frame, or back from it; one without a side is in the link frame. */
KERNEL void turn_frame(bool to_link, soa_side side, pose link, real *x)
{
    force *f = (force *)(void *)x;
    motion *V = (motion *)(void *)x;
    if (side == SOA_SIDE_FORCE) {
        *f = to_link ? phi_inv(link, *f) : phi(link, *f);
    } else if (side == SOA_SIDE_MOTION) {
        *V = to_link ? phi_t(link, *V) : phi_t_inv(link, *V);
    }
}

#endif
