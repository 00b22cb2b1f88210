/* sens/closed_sides.c - right-hand sides of the derivatives of closed systems: how all closures change.
 *
 * The multipliers of a closure push its ends with forces g at their origins. When an end moves, rows and forces change
 * (tie_dual.c) and so do the columns of the joints that move it:
 *     r1 gains d(F* lambda) = J* dg + d(J*) g,   r2 loses d(J vdot + bias). */
#include <string.h>

#include "core/error.h"
#include "sens/closed.h"
#include "sens/flexible_sens.h"
#include "sens/turning.h"
#include "soa/parameters.h"
#include "soa/sens.h"
#include "spatial/cross.h"

static const double *given(const double *x, int first)
{
    return x ? x + first : NULL;
}

/* ---- how an end changes ------------------------------------------------------------------------ */

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
static void change_end(soa_moving_end *e, motion S, motion dV, motion dA)
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
static void move_end(soa_moving_end *e, motion S, motion S1, motion S2)
{
    const motion V = read_motion(e->number + 12);
    motion A = read_motion(e->number + 18);
    A.v = vec3_sub(A.v, vec3_cross(V.w, V.v));
    const motion dA = motion_add(motion_cross(S, A), motion_cross(S1, V));
    change_end(e, S, motion_add(motion_cross(S, V), S1), motion_add(dA, S2));
}

/* ---- one closure --------------------------------------------------------------------------------- */

/* A closure at the state. */
typedef struct tie_state {
    const soa_closed_state *s;
    const soa_tie *tie;
    soa_moving_end end[2];
    const soa_part *part[2]; /* NULL: the end does not move */
    soa_point point[2];
    soa_closed_by by;
} tie_state;

static soa_status tie_begin(const soa_closed_state *s, int i, soa_closed_by by, tie_state *t, soa_error *error)
{
    *t = (tie_state){ .s = s, .tie = &s->set->tie[i], .by = by };
    soa_status status = SOA_OK;
    for (int side = 0; side < 2 && status == SOA_OK; side++) {
        const soa_end *end = &t->tie->end[side];
        double *x = t->end[side].number;
        memcpy(x, end->at.rotation, 9 * sizeof *x);
        memcpy(x + 9, end->at.position, 3 * sizeof *x);
        if (end->node == SOA_NO_NODE) {
            continue;
        }
        const soa_part *part = t->part[side] = &s->set->part[end->system];
        double *J = s->ends + (size_t)side * 6 * (size_t)s->set->nv;
        t->point[side] = soa_end_point(s->set, 2 * i + side);
        status = soa_point_kinematics(part->model, part->workspace, 1, &t->point[side], 1, s->q + part->q,
            given(s->v, part->v), s->vdot + part->v, x, x + 12, x + 18, error);
        if (status == SOA_OK && by != SOA_CLOSED_BY_V) {
            status = soa_jacobian(
                part->model, part->workspace, 1, &t->point[side], SOA_AXES_MIXED, 1, s->q + part->q, J, error);
        }
    }
    return status;
}

/* r1 gains J* dg. */
static void add_pushes(const tie_state *t, const double dg[2][6], soa_closed_sides to, size_t column)
{
    for (int side = 0; side < 2 && t->by != SOA_CLOSED_BY_V; side++) {
        const soa_part *part = t->part[side];
        const double *J = t->s->ends + (size_t)side * 6 * (size_t)t->s->set->nv, *g = dg[side];
        const size_t n = part ? (size_t)part->model->nv : 0;
        for (size_t i = 0; i < n; i++) {
            const double turn = J[i] * g[0] + J[n + i] * g[1] + J[2 * n + i] * g[2];
            const double shift = J[3 * n + i] * g[3] + J[4 * n + i] * g[4] + J[5 * n + i] * g[5];
            to.r1[((size_t)part->v + i) * to.columns + column] += turn + shift;
        }
    }
}

/* Both sides of a column, for the slopes that the ends have. */
static void add_change(const tie_state *t, soa_closed_sides to, size_t column)
{
    const soa_tie_change d = soa_tie_change_of(t->tie, t->s->lambda + t->tie->first, t->end);
    for (int i = 0; i < t->tie->rows; i++) {
        to.r2[(size_t)(t->tie->first + i) * to.columns + column] -= d.row[i];
    }
    add_pushes(t, d.push_slope, to, column);
}

/* Motion i of the frame of a node's joint. */
static motion placed_motion(const tie_state *t, int node, int i)
{
    const double *x = t->s->body + (size_t)node * SOA_MOVING_BODY + SOA_MOVING_JOINT;
    return motion_of_frame((pose){ { x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8] }, vec3_set(x + 9) }, i);
}

/* Column i of the joint of body k, about which the tree of an end moves or changes its velocity. */
static void rigid_column(tie_state *t, int side, int k, int i)
{
    soa_moving_end *e = &t->end[side];
    const soa_part *part = t->part[side];
    const double *body = t->s->body + (size_t)(part->node + k) * SOA_MOVING_BODY;
    const vec3 l = vec3_sub(vec3_set(e->number + 9), vec3_set(body + SOA_MOVING_ORIGIN));
    if (t->by ==
        SOA_CLOSED_BY_PLACEMENT) { /* as another velocity there, about or along the axes of the joint's frame */
        const int p = part->model->body[k].parent;
        const double *parent = t->s->body + (size_t)(part->node + p) * SOA_MOVING_BODY;
        const motion V = p < 0 ? motion_zero() : read_motion(parent);
        const motion A = p < 0 ? motion_zero() : read_motion(parent + SOA_MOVING_A);
        const motion S = placed_motion(t, part->node + k, i), S1 = motion_cross(V, S);
        const motion S2 = motion_add(motion_cross(A, S), motion_cross(V, S1));
        move_end(e, shifted(S, l), shifted(S1, l), shifted(S2, l));
        return;
    }
    const double *x = t->s->column + (size_t)(part->v + part->model->body[k].v + i) * SOA_MOVING_COLUMN;
    const motion S = shifted(read_motion(x), l);
    if (t->by == SOA_CLOSED_BY_Q) {
        move_end(e, S, shifted(read_motion(x + 6), l), shifted(read_motion(x + 12), l));
    } else {
        const motion V = read_motion(e->number + 12);
        change_end(e, motion_zero(), S, motion_add(shifted(read_motion(x + 18), l), motion_cross(S, V)));
    }
}

/* The same where models have flexible links: the kinematics of the point on numbers with slopes. */
static void flexible_column(tie_state *t, int side, soa_dual_scene *scene, size_t i)
{
    double *y = scene->y;
    soa_dual_along_one(scene, t->by == SOA_CLOSED_BY_V ? SOA_DUAL_BY_V : SOA_DUAL_BY_Q, i);
    soa_dual_run(scene, SOA_KERNEL_kinematics,
        (soa_call){ .point = &t->point[side], .points = 1, .y.at = y, .y2.at = y + 24, .y3.at = y + 36 });
    for (size_t k = 0; k < 24; k++) {
        t->end[side].slope[k] = soa_dual_slope(y, k);
    }
}

static size_t column_of(const tie_state *t, const soa_part *part, int k, int i)
{
    return (size_t)(t->by == SOA_CLOSED_BY_PLACEMENT ? 6 * (part->node + k) + i : part->v + part->model->body[k].v + i);
}

static int columns_of_joint(const tie_state *t, const soa_part *part, int k)
{
    return t->by == SOA_CLOSED_BY_PLACEMENT ? 6 : part->model->body[k].nv;
}

/* The outermost body whose joint moves both ends alike, or -1: modes of a link move its nodes each in its own way. */
static int common_body(const tie_state *t)
{
    const soa_end *a = &t->tie->end[0], *b = &t->tie->end[1];
    if (t->part[0] != t->part[1] || !t->part[0]) {
        return -1;
    }
    const soa_model *m = t->part[0]->model;
    int k = soa_common_node(t->s->set, a->node, b->node);
    k = k == SOA_NO_NODE ? -1 : t->s->set->node[k].body;
    return k >= 0 && m->body[k].joint_class == SOA_CLASS_MODAL ? m->body[k].parent : k;
}

/* The joints from the body of one end inward, as far as they move it beside the other. */
static void add_end(tie_state *t, int side, int common, soa_closed_sides to)
{
    const soa_closed_state *s = t->s;
    const soa_part *part = t->part[side];
    soa_dual_scene scene = { .w = part->workspace };
    if (s->set->flexible) {
        scene.q = s->q + part->q, scene.v = given(s->v, part->v), scene.u = s->vdot + part->v;
        soa_dual_begin(&scene);
    }
    for (int k = t->tie->end[side].body; k != common; k = part->model->body[k].parent) {
        for (int i = 0; i < columns_of_joint(t, part, k); i++) {
            if (s->set->flexible) {
                flexible_column(t, side, &scene, (size_t)(part->model->body[k].v + i));
            } else {
                rigid_column(t, side, k, i);
            }
            add_change(t, to, column_of(t, part, k, i));
        }
    }
    memset(t->end[side].slope, 0, sizeof t->end[side].slope);
}

/* Joints that move both ends alike: rows stay as they are, and forces turn with them. */
static void add_common(const tie_state *t, int common, const double push[2][6], soa_closed_sides to)
{
    const soa_part *part = t->part[0];
    const int n = common < 0 ? 0 : part->model->nv;
    for (int k = common; k >= 0; k = part->model->body[k].parent) {
        for (int i = 0; i < columns_of_joint(t, part, k); i++) {
            const double *J = t->s->ends + part->model->body[k].v + i;
            const vec3 turn = t->by == SOA_CLOSED_BY_PLACEMENT ? placed_motion(t, part->node + k, i).w
                                                               : (vec3){ J[0], J[n], J[2 * n] };
            double dg[2][6];
            for (int x = 0; x < 4; x++) {
                write_vec3(dg[x / 2] + x % 2 * 3, vec3_cross(turn, vec3_set(push[x / 2] + x % 2 * 3)));
            }
            add_pushes(t, (const double(*)[6])dg, to, column_of(t, part, k, i));
        }
    }
}

/* ---- forces at points ------------------------------------------------------------------------------ */

/* r1 gains d(J*) g of forces g that keep their numbers while their points move. */
static soa_status add_forces(const soa_closed_state *s, const soa_part *part, soa_closed_by by, int points,
    const soa_point *point, const double *g, soa_closed_sides to, soa_error *error)
{
    const soa_model *m = part->model;
    const bool placed = by == SOA_CLOSED_BY_PLACEMENT;
    const size_t nv = (size_t)m->nv, own = placed ? 6 * (size_t)m->bodies : nv;
    const size_t first = placed ? 6 * (size_t)part->node : (size_t)part->v;
    const double *q = s->q + part->q;
    if (points == 0) {
        return SOA_OK;
    }
    const soa_status status =
        placed ? soa_point_force_placement(m, part->workspace, points, point, 1, q, g, s->block, error)
               : soa_point_force_derivatives(m, part->workspace, points, point, 1, q, g, s->block, NULL, error);
    for (size_t e = 0; status == SOA_OK && e < nv * own; e++) {
        to.r1[((size_t)part->v + e / own) * to.columns + first + e % own] -= s->block[e];
    }
    return status;
}

enum { AT_ONCE = 4 }; /* points that every workspace has room for */

/* The same of all forces on one system: those of closures and, where joints are displaced, external ones. */
static soa_status add_part(
    const soa_closed_state *s, int system, soa_closed_by by, soa_closed_sides to, soa_error *error)
{
    const soa_closures *set = s->set;
    const soa_part *part = &set->part[system];
    const int ends = 2 * set->ties, external = by == SOA_CLOSED_BY_PLACEMENT && s->f ? part->model->bodies : 0;
    soa_point point[AT_ONCE];
    double g[6 * AT_ONCE];
    int points = 0;
    soa_status status = SOA_OK;
    for (int i = 0; i < ends + external && status == SOA_OK; i++) {
        const soa_tie *tie = &set->tie[i < ends ? i / 2 : 0];
        const soa_end *end = i < ends ? &tie->end[i % 2] : NULL;
        if (end && (!tie->enabled || tie->coupling || end->node == SOA_NO_NODE || end->system != system)) {
            continue;
        }
        const soa_point origin = { end ? 0 : part->model->body[i - ends].rest->link, soa_pose_identity() };
        point[points] = end ? soa_end_point(set, i) : origin;
        memcpy(g + 6 * (size_t)points++, end ? s->push + 6 * i : s->f + 6 * (part->node + i - ends), 6 * sizeof *g);
        if (points == AT_ONCE) {
            status = add_forces(s, part, by, points, point, g, to, error);
            points = 0;
        }
    }
    return status == SOA_OK ? add_forces(s, part, by, points, point, g, to, error) : status;
}

/* ---- couplings ------------------------------------------------------------------------------------------ */

/* The row is vdot_a - p' vdot_b - p'' v_b^2. */
static void add_coupling(const soa_closed_state *s, const soa_tie *tie, soa_closed_by by, soa_closed_sides to)
{
    if (tie->end[1].node == SOA_NO_NODE || by == SOA_CLOSED_BY_PLACEMENT) {
        return;
    }
    const soa_part *part = &s->set->part[tie->end[1].system];
    const size_t b = (size_t)(part->v + tie->end[1].v), row = (size_t)tie->first;
    const double q = s->q[part->q + part->model->body[tie->end[1].body].q], rate = s->v ? s->v[b] : 0.0;
    double slope[4] = { 0.0 }; /* the polynomial and its derivatives */
    for (int i = SOA_COUPLING_TERMS - 1; i >= 0; i--) {
        for (int k = 3; k > 0; k--) {
            slope[k] = slope[k] * q + k * slope[k - 1];
        }
        slope[0] = slope[0] * q + tie->joint.coefficient[i];
    }
    if (by == SOA_CLOSED_BY_V) {
        to.r2[row * to.columns + b] += 2.0 * slope[2] * rate;
    } else {
        to.r2[row * to.columns + b] += slope[2] * s->vdot[b] + slope[3] * rate * rate;
        to.r1[b * to.columns + b] -= slope[2] * s->lambda[row];
    }
}

soa_status soa_closed_add_sides(const soa_closed_state *s, soa_closed_by by, soa_closed_sides to, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < s->set->ties && status == SOA_OK; i++) {
        const soa_tie *tie = &s->set->tie[i];
        tie_state t;
        if (!tie->used || !tie->enabled) {
            continue;
        }
        if (tie->coupling) {
            add_coupling(s, tie, by, to);
            continue;
        }
        status = tie_begin(s, i, by, &t, error);
        const soa_tie_change still = soa_tie_change_of(tie, s->lambda + tie->first, t.end);
        memcpy(s->push + 12 * i, still.push, sizeof still.push);
        const int common = common_body(&t);
        for (int side = 0; side < 2 && status == SOA_OK; side++) {
            if (t.part[side] && !(by == SOA_CLOSED_BY_V && !s->v)) {
                add_end(&t, side, common, to);
            }
        }
        add_common(&t, by == SOA_CLOSED_BY_V ? -1 : common, (const double(*)[6])still.push, to);
    }
    for (int i = 0; by != SOA_CLOSED_BY_V && i < s->set->systems && status == SOA_OK; i++) {
        status = add_part(s, i, by, to, error);
    }
    return status;
}
