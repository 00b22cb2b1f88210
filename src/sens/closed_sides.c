/* sens/closed_sides.c - right-hand sides of the derivatives of closed systems: how all closures change.
 *
 * The multipliers of a closure push its ends with forces g at their origins. When an end moves, rows and forces change
 * (tie_dual.c) and so do the columns of the joints that move it:
 *     r1 gains d(F* lambda) = J* dg + d(J*) g,   r2 loses d(J vdot + bias). */
#include <string.h>

#include "core/error.h"
#include "sens/closed.h"
#include "soa/parameters.h"
#include "soa/sens.h"
#include "spatial/vec3.h"

static void write_vec3(double *to, vec3 x)
{
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
}

soa_moving_system soa_system_of_part(const soa_closed_state *s, const soa_part *part)
{
    return (soa_moving_system){ part->model, part->workspace, s->q + part->q, s->v ? s->v + part->v : NULL,
        s->vdot + part->v, s->column + (size_t)part->v * SOA_MOVING_COLUMN,
        s->body + (size_t)part->node * SOA_MOVING_BODY };
}

/* ---- one closure --------------------------------------------------------------------------------- */

/* A closure at the state. */
typedef struct tie_state {
    const soa_closed_state *s;
    const soa_tie *tie;
    soa_moving_point end[2];
    const soa_part *part[2]; /* NULL: the end does not move */
    soa_moving_system system[2];
    soa_point point[2];
    soa_change_by by;
} tie_state;

static soa_status tie_begin(const soa_closed_state *s, int i, soa_change_by by, tie_state *t, soa_error *error)
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
        t->system[side] = soa_system_of_part(s, part);
        status = soa_moving_place(&t->system[side], &t->point[side], &t->end[side], error);
        if (status == SOA_OK && by != SOA_CHANGE_BY_V) {
            status = soa_jacobian(
                part->model, part->workspace, 1, &t->point[side], SOA_AXES_MIXED, 1, s->q + part->q, J, error);
        }
    }
    return status;
}

/* r1 gains J* dg. */
static void add_pushes(const tie_state *t, const double dg[2][6], soa_closed_sides to, size_t column)
{
    for (int side = 0; side < 2 && t->by != SOA_CHANGE_BY_V; side++) {
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

static size_t column_of(const tie_state *t, const soa_part *part, int k, int i)
{
    return (size_t)(t->by == SOA_CHANGE_BY_PLACEMENT ? 6 * (part->node + k) + i : part->v + part->model->body[k].v + i);
}

static int columns_of_joint(const tie_state *t, const soa_part *part, int k)
{
    return t->by == SOA_CHANGE_BY_PLACEMENT ? 6 : part->model->body[k].nv;
}

/* The outermost body whose joint moves both ends alike, or -1: modes of a link move its nodes each in its own way. */
static int common_body(const tie_state *t)
{
    const soa_end *a = &t->tie->end[0], *b = &t->tie->end[1];
    if (t->part[0] != t->part[1] || !t->part[0]) {
        return -1;
    }
    const soa_model *m = t->part[0]->model;
    if (m->flexible && t->by == SOA_CHANGE_BY_PLACEMENT) {
        return -1; /* each end is moved by itself: how is not kept by body */
    }
    int k = soa_common_node(t->s->set, a->node, b->node);
    k = k == SOA_NO_NODE ? -1 : t->s->set->node[k].body;
    return k >= 0 && m->body[k].joint_class == SOA_CLASS_MODAL ? m->body[k].parent : k;
}

/* The joints from the body of one end inward, as far as they move it beside the other. */
static void add_end(tie_state *t, int side, int common, soa_closed_sides to)
{
    const soa_part *part = t->part[side];
    for (int k = t->tie->end[side].body; k != common; k = part->model->body[k].parent) {
        for (int i = 0; i < columns_of_joint(t, part, k); i++) {
            soa_moving_change(&t->system[side], &t->point[side], t->by, k, i, &t->end[side]);
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
            const vec3 turn = t->by == SOA_CHANGE_BY_PLACEMENT ? soa_placed_motion(&t->system[0], k, i).w
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
static soa_status add_forces(const soa_closed_state *s, const soa_part *part, soa_change_by by, int points,
    const soa_point *point, const double *g, soa_closed_sides to, soa_error *error)
{
    const soa_model *m = part->model;
    const bool placed = by == SOA_CHANGE_BY_PLACEMENT;
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

/* Where an external force on body k acts. */
static soa_point origin_of(const soa_model *m, int k)
{
    const soa_link *link = soa_description_link(&m->description, m->body[k].rest->link);
    return soa_holds_rotor(&m->body[k]) ? (soa_point){ link->parent, soa_pose_identity(), link->node }
                                        : (soa_point){ m->body[k].rest->link, soa_pose_identity(), SOA_LINK_FRAME };
}

enum { AT_ONCE = 4 }; /* points that every workspace has room for */

/* r1 gains d(J*) g of all forces on one system: those of closures and, where joints are displaced, external ones. */
static soa_status add_part(
    const soa_closed_state *s, int system, soa_change_by by, soa_closed_sides to, soa_error *error)
{
    const soa_closures *set = s->set;
    const soa_part *part = &set->part[system];
    const int ends = 2 * set->ties, external = by == SOA_CHANGE_BY_PLACEMENT && s->f ? part->model->bodies : 0;
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
        point[points] = end ? soa_end_point(set, i) : origin_of(part->model, i - ends);
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
static void add_coupling(const soa_closed_state *s, const soa_tie *tie, soa_change_by by, soa_closed_sides to)
{
    if (tie->end[1].node == SOA_NO_NODE || by == SOA_CHANGE_BY_PLACEMENT) {
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
    if (by == SOA_CHANGE_BY_V) {
        to.r2[row * to.columns + b] += 2.0 * slope[2] * rate;
    } else {
        to.r2[row * to.columns + b] += slope[2] * s->vdot[b] + slope[3] * rate * rate;
        to.r1[b * to.columns + b] -= slope[2] * s->lambda[row];
    }
}

soa_status soa_closed_add_sides(const soa_closed_state *s, soa_change_by by, soa_closed_sides to, soa_error *error)
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
            if (t.part[side] && !(by == SOA_CHANGE_BY_V && !s->v)) {
                add_end(&t, side, common, to);
            }
        }
        add_common(&t, by == SOA_CHANGE_BY_V ? -1 : common, (const double(*)[6])still.push, to);
    }
    for (int i = 0; by != SOA_CHANGE_BY_V && i < s->set->systems && status == SOA_OK; i++) {
        status = add_part(s, i, by, to, error);
    }
    return status;
}
