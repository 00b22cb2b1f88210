/* expr/joint_rates.kernel.h - what of one joint depends on q, and its derivatives.
 *
 * A derivative is along one coordinate i or along two, first i and then j: the set of those
 * that a part of a product takes is a mask of FIRST and SECOND, and
 *     (A B)_S = sum of A_T B_U over all T, U that make up S.
 * With h_i the column of H* of a coordinate in the body's frame, all along coordinates of its own joint:
 *     phi(p,k)_i = phi S[h_i],   phi_ij = phi (S[h_j] S[h_i] + S[h_i,j]),   S[z]* = -z~
 *     h_,i = -h_i~ h for a column fixed inboard, else 0 */
#ifndef SOA_EXPR_JOINT_RATES_KERNEL_H
#define SOA_EXPR_JOINT_RATES_KERNEL_H

#include "expr/steps.kernel.h"

enum { NEITHER = 0, FIRST = 1, SECOND = 2, BOTH = 3, MASKS = 4 };

/* The mask of all coordinates of an instruction. */
KERNEL int all_along(const soa_step *i)
{
    return i->along.count == 2 ? BOTH : FIRST;
}

/* The coordinate of FIRST or SECOND. */
KERNEL const soa_graph_coordinate *coordinate_of(const machine *m, const soa_step *i, int one)
{
    return soa_graph_coordinate_at(m->run->graph, i->along.at[one == SECOND]);
}

/* Whether the instruction is a rate in time: then all joints move, each by its own velocity. */
KERNEL bool in_time(const machine *m, const soa_step *i)
{
    return coordinate_of(m, i, FIRST)->by == SOA_BY_TIME;
}

/* Whether all coordinates of the mask move the joint of body k. */
KERNEL bool own(const machine *m, const soa_step *i, int k, int mask)
{
    return in_time(m, i) || ((!(mask & FIRST) || coordinate_of(m, i, FIRST)->body == k) &&
                                (!(mask & SECOND) || coordinate_of(m, i, SECOND)->body == k));
}

/* Whether all coordinates of the mask lie so to body k: SOA_CARRIES, SOA_MOVES. */
KERNEL bool lie(const machine *m, const soa_step *i, int k, int mask, unsigned char flag)
{
    const int bodies = m->call->model->bodies;
    return (!(mask & FIRST) || m->run->lies[i->along.at[0] * bodies + k] & flag) &&
           (!(mask & SECOND) || m->run->lies[i->along.at[1] * bodies + k] & flag);
}

/* Whether body k moves with all coordinates of the instruction. */
KERNEL bool moved(const machine *m, const soa_step *i, int k)
{
    return lie(m, i, k, all_along(i), SOA_MOVES);
}

/* Subsets of a mask, one after another from itself down to NEITHER. */
#define SUBSETS(part, mask)             \
    int part = (mask), part##_left = 1; \
    part##_left;                        \
    part##_left = part != 0, part = (part - 1) & (mask)

/* ---- columns of H* ------------------------------------------------------------------------------ */

/* The column of a coordinate of the joint of body k; in time H* beta. */
static inline motion axis_of(const machine *m, const soa_step *i, int k, int one)
{
    BODY;
    if (!in_time(m, i)) {
        return joint_column(m->w, body, coordinate_of(m, i, one)->velocity - body->v);
    }
    motion sum = motion_zero();
    for (int c = 0; c < body->nv; c++) {
        sum = motion_scale_add(in_get(m->call, m->call->v, (size_t)(body->v + c)), joint_column(m->w, body, c), sum);
    }
    return sum;
}

/* Column c of H*(k), or its derivative. */
static inline motion column_along(const machine *m, const soa_step *i, int k, int c, int mask)
{
    const soa_body_data *body = &m->call->model->body[k];
    const motion h = joint_column(m->w, body, c);
    if (mask == NEITHER) {
        return h;
    }
    if (!column_inboard(body, c) || !own(m, i, k, mask)) {
        return motion_zero();
    }
    if (mask != BOTH) {
        return motion_cross(h, axis_of(m, i, k, mask));
    }
    const motion h_i = axis_of(m, i, k, FIRST), h_j = axis_of(m, i, k, SECOND);
    const int first = coordinate_of(m, i, FIRST)->velocity - body->v;
    const motion turned = motion_cross(h_i, motion_cross(h_j, h));
    return motion_sub(turned, motion_cross(column_along(m, i, k, first, SECOND), h));
}

/* ---- phi(p,k) --------------------------------------------------------------------------------------- */

/* S f, where phi_mask = phi S. */
static inline force turned_force(const machine *m, const soa_step *i, int k, int mask, force f)
{
    if (mask == NEITHER) {
        return f;
    }
    if (!own(m, i, k, mask)) {
        return force_zero();
    }
    if (mask != BOTH) {
        return force_cross(axis_of(m, i, k, mask), f);
    }
    const int first = coordinate_of(m, i, FIRST)->velocity - m->call->model->body[k].v;
    const force twice = force_cross(axis_of(m, i, k, SECOND), force_cross(axis_of(m, i, k, FIRST), f));
    return force_add(twice, force_cross(column_along(m, i, k, first, SECOND), f));
}

/* S* V, where phi_mask = phi S. */
static inline motion turned_motion(const machine *m, const soa_step *i, int k, int mask, motion V)
{
    if (mask == NEITHER) {
        return V;
    }
    if (!own(m, i, k, mask)) {
        return motion_zero();
    }
    if (mask != BOTH) {
        return motion_cross(V, axis_of(m, i, k, mask));
    }
    const int first = coordinate_of(m, i, FIRST)->velocity - m->call->model->body[k].v;
    const motion twice = motion_cross(axis_of(m, i, k, FIRST), motion_cross(axis_of(m, i, k, SECOND), V));
    return motion_sub(twice, motion_cross(column_along(m, i, k, first, SECOND), V));
}

#endif
