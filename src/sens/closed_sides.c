/* sens/closed_sides.c - right-hand sides of the derivatives of closed systems: J, F, and how all closures change.
 *
 * The multipliers of a closure push its frame a with some force at its origin, and b against it. When an end moves, the
 * force turns, the point moves, and the columns of the joints outboard turn:
 *     d(F* lambda)_i = S_i dF + (S x S_i) F. */
#include <string.h>

#include "sens/sens_kernels.h"
#include "sens/tie.h"

/* A force at the origin of a, seen at the origin of the tree of an end. */
static force at_origin(const tie_motion *t, const end_motion *e, force f)
{
    const vec3 p = e == &t->end[0] ? e->X.l : vec3_add(e->X.l, t->r);
    return (force){ vec3_cross_add(p, f.f, f.n), f.f };
}

/* r1 of a column gains S_i f of all joints from the body of an end to the base. */
static void spread(const tie_motion *t, const end_motion *e, force f, soa_closed_sides to, size_t column)
{
    const soa_model *m = e->part->model;
    for (int k = e->end->body; k >= 0; k = m->body[k].parent) {
        for (int i = e->part->v + m->body[k].v; i < e->part->v + m->body[k].v + m->body[k].nv; i++) {
            const motion S = read_motion(t->state->column + (size_t)i * SOA_MOVING_COLUMN);
            to.r1[(size_t)i * to.columns + column] += power(f, S);
        }
    }
}

/* A column: some motion S of all that is outboard of the joint of a body, on the way to an end. */
typedef struct moved {
    motion S, S1, S2;
    int body;
    bool joint; /* the joint's own velocity: its columns that are fixed inboard stay */
    size_t column;
} moved;

/* r1 gains what F, the force on the end at the origin, does when the columns of joints outboard of `by` turn. */
static void turn_columns(const tie_motion *t, const end_motion *e, force F, const moved *by, soa_closed_sides to)
{
    const soa_model *m = e->part->model;
    for (int k = e->end->body; k >= by->body; k = m->body[k].parent) {
        for (int i = e->part->v + m->body[k].v; i < e->part->v + m->body[k].v + m->body[k].nv; i++) {
            const double *x = t->state->column + (size_t)i * SOA_MOVING_COLUMN;
            if (k == by->body && by->joint && (m->body[k].nv == 1 || x[SOA_MOVING_INBOARD] != 0.0)) {
                continue;
            }
            to.r1[(size_t)i * to.columns + by->column] += power(F, motion_cross(by->S, read_motion(x)));
        }
    }
}

/* What moving one end of a closure does to both sides. */
static void move_end(const tie_motion *t, int side, const moved *by, soa_closed_sides to)
{
    const end_motion *e = &t->end[side];
    const end_change still = { .theta = vec3_zero() }, moves = soa_change_along(e, by->S, by->S1, by->S2);
    const end_change *a = side == 0 ? &moves : &still, *b = side == 0 ? &still : &moves;
    double change[SOA_CLOSURE_MAX_ROWS];
    soa_row_changes(t, a, b, change);
    for (int i = 0; i < t->tie->rows; i++) {
        to.r2[(size_t)(t->tie->first + i) * to.columns + by->column] -= change[i];
    }
    const force on_a = soa_force_on_a(t);
    force dF = soa_force_change(t, a, b);
    for (int other = 0; other < 2; other++) {
        const end_motion *o = &t->end[other];
        if (o->end->node == SOA_NO_NODE) {
            continue;
        }
        force d = at_origin(t, o, dF);
        d.n = vec3_cross_add(a->p, on_a.f, d.n); /* it acts at the origin of a */
        spread(t, o, other == 0 ? d : force_scale(-1.0, d), to, by->column);
    }
    const force F = at_origin(t, e, on_a);
    turn_columns(t, e, side == 0 ? F : force_scale(-1.0, F), by, to);
}

/* ---- couplings ------------------------------------------------------------------------------------------ */

/* Derivatives 1 .. 3 of the polynomial at the driver. */
static void coupling_slopes(const soa_closed_state *s, const soa_tie *tie, double slope[4])
{
    const soa_part *b = &s->set->part[tie->end[1].system];
    const double q = s->q[b->q + b->model->body[tie->end[1].body].q];
    slope[0] = slope[1] = slope[2] = slope[3] = 0.0;
    for (int i = SOA_COUPLING_TERMS - 1; i >= 0; i--) {
        for (int k = 3; k > 0; k--) {
            slope[k] = slope[k] * q + k * slope[k - 1];
        }
        slope[0] = slope[0] * q + tie->joint.coefficient[i];
    }
}

/* The row is vdot_a - p' vdot_b - p'' v_b^2. */
static void coupling_by_q(const soa_closed_state *s, const soa_tie *tie, soa_closed_sides to)
{
    if (tie->end[1].node == SOA_NO_NODE) {
        return;
    }
    const size_t b = (size_t)(s->set->part[tie->end[1].system].v + tie->end[1].v), row = (size_t)tie->first;
    const double rate = s->v ? s->v[b] : 0.0;
    double slope[4];
    coupling_slopes(s, tie, slope);
    to.r2[row * to.columns + b] += slope[2] * s->vdot[b] + slope[3] * rate * rate;
    to.r1[b * to.columns + b] -= slope[2] * s->lambda[row];
}

/* ---- all closures --------------------------------------------------------------------------------------- */

static const soa_tie *enabled_tie(const soa_closed_state *s, int i)
{
    const soa_tie *tie = &s->set->tie[i];
    return tie->used && tie->enabled ? tie : NULL;
}

/* J and F, one end of a closure: sign 1 of a, -1 of b. */
static void tie_rows(const tie_motion *t, const end_motion *e, double sign, double *J, double *F)
{
    const soa_closed_state *s = t->state;
    const soa_model *m = e->part->model;
    for (int i = 0; i < t->tie->rows; i++) {
        const soa_row *row = &s->set->row[t->tie->first + i];
        const force W = at_origin(t, e, (force){ vec3_set(row->W), vec3_set(row->W + 3) });
        const force push = at_origin(t, e, soa_pushing_row(s, t->tie, i));
        const size_t at = (size_t)(t->tie->first + i) * (size_t)s->set->nv;
        for (int k = e->end->body; k >= 0; k = m->body[k].parent) {
            for (int c = e->part->v + m->body[k].v; c < e->part->v + m->body[k].v + m->body[k].nv; c++) {
                const motion S = read_motion(s->column + (size_t)c * SOA_MOVING_COLUMN);
                J[at + (size_t)c] += sign * power(W, S);
                F[at + (size_t)c] += sign * power(push, S);
            }
        }
    }
}

static void coupling_rows(const soa_closed_state *s, const soa_tie *tie, double *J, double *F)
{
    const soa_end *end[2] = { &tie->end[0], &tie->end[1] };
    for (int side = 0; side < 2; side++) {
        if (end[side]->node != SOA_NO_NODE) {
            const size_t c = (size_t)(s->set->part[end[side]->system].v + end[side]->v);
            const size_t at = (size_t)tie->first * (size_t)s->set->nv + c;
            J[at] += s->set->row[tie->first].W[side];
            F[at] += s->set->row[tie->first].W[side];
        }
    }
}

void soa_closed_rows(const soa_closed_state *s, double *J, double *F)
{
    const size_t numbers = (size_t)s->set->rows * (size_t)s->set->nv;
    memset(J, 0, numbers * sizeof *J);
    memset(F, 0, numbers * sizeof *F);
    for (int i = 0; i < s->set->ties; i++) {
        const soa_tie *tie = enabled_tie(s, i);
        if (tie && tie->coupling) {
            coupling_rows(s, tie, J, F);
        } else if (tie) {
            const tie_motion t = soa_tie_motion_of(s, tie);
            if (s->set->flexible) {
                soa_flexible_tie_rows(&t, J, F);
            }
            for (int side = 0; !s->set->flexible && side < 2; side++) {
                const end_motion *e = &t.end[side];
                if (e->part) {
                    tie_rows(&t, e, side == 0 ? 1.0 : -1.0, J, F);
                }
            }
        }
    }
}

/* All velocities from an end to the base. */
static void end_by_q(const tie_motion *t, int side, soa_closed_sides to)
{
    const end_motion *e = &t->end[side];
    for (int k = e->part ? e->end->body : -1; k >= 0; k = e->part->model->body[k].parent) {
        const soa_body_data *body = &e->part->model->body[k];
        for (int i = 0; i < body->nv; i++) {
            const size_t c = (size_t)(e->part->v + body->v + i);
            const double *x = t->state->column + c * SOA_MOVING_COLUMN;
            const moved by = { read_motion(x), read_motion(x + 6), read_motion(x + 12), k, true, c };
            move_end(t, side, &by, to);
        }
    }
}

void soa_closed_by_q(const soa_closed_state *s, soa_closed_sides to)
{
    for (int i = 0; i < s->set->ties; i++) {
        const soa_tie *tie = enabled_tie(s, i);
        if (tie && tie->coupling) {
            coupling_by_q(s, tie, to);
        } else if (tie) {
            const tie_motion t = soa_tie_motion_of(s, tie);
            for (int side = 0; side < 2; side++) {
                s->set->flexible ? soa_flexible_end_by(&t, side, false, to) : end_by_q(&t, side, to);
            }
        }
    }
}

static void end_by_v(const tie_motion *t, int side, soa_closed_sides to)
{
    const end_motion *e = &t->end[side];
    const end_change still = { .theta = vec3_zero() };
    for (int k = e->part ? e->end->body : -1; k >= 0; k = e->part->model->body[k].parent) {
        const soa_body_data *body = &e->part->model->body[k];
        for (int i = 0; i < body->nv; i++) {
            const size_t c = (size_t)(e->part->v + body->v + i);
            const double *x = t->state->column + c * SOA_MOVING_COLUMN;
            const end_change moves = soa_change_by_velocity(e, read_motion(x), read_motion(x + 18));
            double change[SOA_CLOSURE_MAX_ROWS];
            soa_row_changes(t, side == 0 ? &moves : &still, side == 0 ? &still : &moves, change);
            for (int r = 0; r < t->tie->rows; r++) {
                to.r2[(size_t)(t->tie->first + r) * to.columns + c] -= change[r];
            }
        }
    }
}

void soa_closed_by_v(const soa_closed_state *s, soa_closed_sides to)
{
    for (int i = 0; i < s->set->ties; i++) {
        const soa_tie *tie = enabled_tie(s, i);
        if (tie && !tie->coupling) {
            const tie_motion t = soa_tie_motion_of(s, tie);
            for (int side = 0; side < 2; side++) {
                s->set->flexible ? soa_flexible_end_by(&t, side, true, to) : end_by_v(&t, side, to);
            }
        } else if (tie && tie->end[1].node != SOA_NO_NODE && s->v) {
            const size_t b = (size_t)(s->set->part[tie->end[1].system].v + tie->end[1].v);
            double slope[4];
            coupling_slopes(s, tie, slope);
            to.r2[(size_t)tie->first * to.columns + b] += 2.0 * slope[2] * s->v[b];
        }
    }
}

/* Six displacements of each joint from an end to the base: about and along the axes of its frame. */
static void end_by_placement(const tie_motion *t, int side, soa_closed_sides to)
{
    const end_motion *e = &t->end[side];
    for (int k = e->part ? e->end->body : -1; k >= 0; k = e->part->model->body[k].parent) {
        const int node = e->part->node + k, p = e->part->model->body[k].parent;
        const pose at = read_pose(t->state->body + (size_t)node * SOA_MOVING_BODY + SOA_MOVING_JOINT);
        const double *parent = p < 0 ? NULL : t->state->body + (size_t)(e->part->node + p) * SOA_MOVING_BODY;
        const motion V = parent ? read_motion(parent + SOA_MOVING_V) : motion_zero();
        const motion A = parent ? read_motion(parent + SOA_MOVING_A) : motion_zero();
        const vec3 axis[3] = { mat3_column_x(at.R), mat3_column_y(at.R), mat3_column_z(at.R) };
        for (int i = 0; i < 6; i++) {
            moved by = { .body = k, .column = 6 * (size_t)node + (size_t)i };
            by.S = i < 3 ? (motion){ axis[i], vec3_cross(at.l, axis[i]) } : (motion){ vec3_zero(), axis[i - 3] };
            by.S1 = motion_cross(V, by.S);
            by.S2 = motion_add(motion_cross(A, by.S), motion_cross(V, by.S1));
            move_end(t, side, &by, to);
        }
    }
}

void soa_closed_by_placement(const soa_closed_state *s, soa_closed_sides to)
{
    for (int i = 0; i < s->set->ties; i++) {
        const soa_tie *tie = enabled_tie(s, i);
        if (tie && !tie->coupling) {
            const tie_motion t = soa_tie_motion_of(s, tie);
            end_by_placement(&t, 0, to);
            end_by_placement(&t, 1, to);
        }
    }
}
