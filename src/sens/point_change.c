/* sens/point_change.c - how points of a system change along its velocities. */
#include "sens/point_change.h"

#include <string.h>

#include "sens/flexible_sens.h"
#include "sens/turning.h"
#include "spatial/cross.h"

soa_status soa_moving_begin(const soa_moving_system *s, soa_error *error)
{
    const soa_model *m = s->model;
    soa_call call = { .q.at = s->q, .v.at = s->v, .u.at = s->vdot, .u_name = "vdot" };
    call.y = soa_out_at(s->column, SOA_MOVING_COLUMN * m->nv);
    call.y2 = soa_out_at(s->body, SOA_MOVING_BODY * m->bodies);
    return m->flexible ? SOA_OK : soa_sens_run(s->workspace, m, SOA_SENS_moving_columns, 1, &call, error);
}

soa_status soa_moving_place(const soa_moving_system *s, const soa_point *point, soa_moving_point *x, soa_error *error)
{
    memset(x->slope, 0, sizeof x->slope);
    return soa_point_kinematics(
        s->model, s->workspace, 1, point, 1, s->q, s->v, s->vdot, x->number, x->number + 12, x->number + 18, error);
}

/* ---- rigid links --------------------------------------------------------------------------------- */

static motion read_motion(const double *x)
{
    return (motion){ vec3_set(x), vec3_set(x + 3) };
}

static void write_vec3(double *to, vec3 x)
{
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
}

/* A motion at the origin of a tree, seen at l. */
static motion shifted(motion S, vec3 l)
{
    return (motion){ S.w, vec3_cross_add(S.w, l, S.v) };
}

/* What is outboard of some joint moves along S, and its velocity and acceleration change by dV and dA beside that; all are
 * spatial vectors where the end is. */
static void change_end(soa_moving_point *e, motion S, motion dV, motion dA)
{
    const motion V = read_motion(e->number + 12), a = read_motion(e->number + 18);
    const vec3 v = vec3_cross_add(V.w, S.v, dV.v);
    vec3 dv = vec3_cross_add(a.w, S.v, dA.v);
    dv = vec3_add(dv, vec3_add(vec3_cross(dV.w, V.v), vec3_cross(V.w, v)));
    for (int c = 0; c < 3; c++) {
        const double *R = e->number + c;
        const vec3 turned = vec3_cross(S.w, (vec3){ R[0], R[3], R[6] });
        e->slope[c] = turned.x, e->slope[3 + c] = turned.y, e->slope[6 + c] = turned.z;
    }
    write_vec3(e->slope + 9, S.v);
    write_vec3(e->slope + 12, dV.w), write_vec3(e->slope + 15, v);
    write_vec3(e->slope + 18, dA.w), write_vec3(e->slope + 21, dv);
}

/* Along S, with S1 and S2 of sweep/fields.h:  dV = S x V + S1,  dA = S x A + S1 x V + S2. */
static void move_end(soa_moving_point *e, motion S, motion S1, motion S2)
{
    const motion V = read_motion(e->number + 12);
    motion A = read_motion(e->number + 18);
    A.v = vec3_sub(A.v, vec3_cross(V.w, V.v));
    const motion dA = motion_add(motion_cross(S, A), motion_cross(S1, V));
    change_end(e, S, motion_add(motion_cross(S, V), S1), motion_add(dA, S2));
}

motion soa_placed_motion(const soa_moving_system *s, int k, int i)
{
    const double *x = s->body + (size_t)k * SOA_MOVING_BODY + SOA_MOVING_JOINT;
    return motion_of_frame((pose){ { x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8] }, vec3_set(x + 9) }, i);
}

/* A displacement of the frame of a joint is as another velocity there, with V and A of the parent. */
static void displace(const soa_moving_system *s, int k, int i, vec3 l, soa_moving_point *e)
{
    const int p = s->model->body[k].parent;
    const double *parent = p < 0 ? NULL : s->body + (size_t)p * SOA_MOVING_BODY;
    const motion V = parent ? read_motion(parent) : motion_zero();
    const motion A = parent ? read_motion(parent + SOA_MOVING_A) : motion_zero();
    const motion S = soa_placed_motion(s, k, i), S1 = motion_cross(V, S);
    const motion S2 = motion_add(motion_cross(A, S), motion_cross(V, S1));
    move_end(e, shifted(S, l), shifted(S1, l), shifted(S2, l));
}

static void change_rigid(const soa_moving_system *s, soa_change_by by, int k, int i, soa_moving_point *e)
{
    const double *origin = s->body + (size_t)k * SOA_MOVING_BODY + SOA_MOVING_ORIGIN;
    const double *x = s->column + (size_t)(s->model->body[k].v + i) * SOA_MOVING_COLUMN;
    const vec3 l = vec3_sub(vec3_set(e->number + 9), vec3_set(origin));
    if (by == SOA_CHANGE_BY_PLACEMENT) {
        displace(s, k, i, l, e);
        return;
    }
    const motion S = shifted(read_motion(x), l);
    if (by == SOA_CHANGE_BY_Q) {
        move_end(e, S, shifted(read_motion(x + 6), l), shifted(read_motion(x + 12), l));
    } else {
        const motion V = read_motion(e->number + 12);
        change_end(e, motion_zero(), S, motion_add(shifted(read_motion(x + 18), l), motion_cross(S, V)));
    }
}

/* ---- any links ----------------------------------------------------------------------------------- */

void soa_moving_change(
    const soa_moving_system *s, const soa_point *point, soa_change_by by, int k, int i, soa_moving_point *x)
{
    if (!s->model->flexible) {
        change_rigid(s, by, k, i, x);
        return;
    }
    soa_dual_scene scene = { .w = s->workspace, .q = s->q, .v = s->v, .u = s->vdot };
    soa_dual_begin(&scene);
    double *y = scene.y;
    static const soa_dual_by by_what[] = { SOA_DUAL_BY_Q, SOA_DUAL_BY_V, SOA_DUAL_BY_PLACE };
    const int column = by == SOA_CHANGE_BY_PLACEMENT ? 6 * k + i : s->model->body[k].v + i;
    soa_dual_along_one(&scene, by_what[by], (size_t)column);
    soa_dual_run(&scene, SOA_KERNEL_kinematics,
        (soa_call){ .point = point, .points = 1, .y.at = y, .y2.at = y + 24, .y3.at = y + 36 });
    for (size_t n = 0; n < 24; n++) {
        x->slope[n] = soa_dual_slope(y, n);
    }
}
