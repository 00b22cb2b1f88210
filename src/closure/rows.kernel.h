/* closure/rows.kernel.h - the rows of closures at a state: W, its rate, bias and violation.
 *
 * With u, w the velocity of a relative to b at the origin of a, a row W = (W_w; W_v) says
 *     W_w . w + W_v . u = U,      and in accelerations, with alpha those of the bodies at that point,
 *     W (alpha_a - alpha_b) + dW_w/dt . w + dW_v/dt . u + W_v . (w x v_a) = dU/dt
 * Rows fixed in frame b have dW/dt = w_b x W. */
#ifndef SOA_CLOSURE_ROWS_KERNEL_H
#define SOA_CLOSURE_ROWS_KERNEL_H

#include "closure/row_forms.kernel.h"
#include "closure/solution.kernel.h"
#include "dynamics/kinematics.kernel.h"
#include "spatial/atan2.h"

/* ---- where the frames are ---------------------------------------------------------------------- */

static void place_end(const soa_closures *set, const soa_end *end, bool moving, end_place *e)
{
    const pose at = pose_set(&end->at);
    if (end->body == SOA_WORLD) {
        *e = (end_place){ at, motion_zero() };
        return;
    }
    const vars *w = part_vars(call_of(set, end->system));
    const pose *W = &w->W[end->body];
    const motion *V = &w->V[end->body];
    e->X.R = mat3_mul(W->R, at.R);
    e->X.l = pose_point(*W, at.l);
    if (moving) {
        e->V.w = mat3_mul_vec(W->R, V->w);
        e->V.v = mat3_mul_vec(W->R, vec3_cross_add(V->w, at.l, V->v));
    } else {
        e->V = motion_zero();
    }
}

#if defined(STATES)

/* Positions are asked for at one state at a time: soa_states_table.take. */
KERNEL void six_positions(const soa_closure *c, pose a, pose b, real e[6])
{
    (void)c, (void)a, (void)b;
    for (int i = 0; i < 6; i++) {
        e[i] = real_set(0.0);
    }
}

#else

/* ---- how far off ------------------------------------------------------------------------------------ */

/* The rotation vector of R: axis times angle. */
static vec3 rotation_vector(mat3 R)
{
    const vec3 s = { 0.5 * (R.zy - R.yz), 0.5 * (R.xz - R.zx), 0.5 * (R.yx - R.xy) }; /* sin(angle) axis */
    const double c = 0.5 * (R.xx + R.yy + R.zz - 1.0), square = vec3_dot(s, s);
    if (square < 1e-12 && c > 0.0) {
        return s;
    }
    const double length = sqrt(square), angle = soa_atan2(length, c);
    if (length > 1e-6) {
        return vec3_scale(angle / length, s);
    }
    /* half a turn: the axis is the largest column of R + I */
    vec3 axis = { R.xx + 1.0, R.yx, R.zx };
    if (R.yy > R.xx && R.yy >= R.zz) {
        axis = (vec3){ R.xy, R.yy + 1.0, R.zy };
    } else if (R.zz > R.xx) {
        axis = (vec3){ R.xz, R.yz, R.zz + 1.0 };
    }
    return vec3_scale(angle / sqrt(vec3_dot(axis, axis)), axis);
}

/* The shortest rotation vector that takes e to the unit vector d, in which e is axis i. */
static vec3 tilt_vector(int i, vec3 d)
{
    const vec3 e = { i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0 };
    const vec3 s = vec3_cross(e, d);
    const double square = vec3_dot(s, s), c = vec3_dot(e, d);
    if (square < 1e-12 && c > 0.0) {
        return s;
    }
    const double length = sqrt(square), angle = soa_atan2(length, c);
    if (length > 1e-12) {
        return vec3_scale(angle / length, s);
    }
    const vec3 across = { i == 2 ? angle : 0.0, i == 0 ? angle : 0.0, i == 1 ? angle : 0.0 };
    return across;
}

/* Positions of the six motions in axes of b, as far as the kind has them. */
KERNEL void six_positions(const soa_closure *c, pose a, pose b, double e[6])
{
    const mat3 R = mat3_mul(mat3_transpose(b.R), a.R);
    vec3 turn;
    switch (c->kind) {
    case SOA_CLOSE_REVOLUTE:
    case SOA_CLOSE_CYLINDRICAL:
        turn = tilt_vector(2, mat3_column_z(R));
        break;
    case SOA_CLOSE_LINE:
        turn = tilt_vector(0, mat3_column_x(R));
        break;
    case SOA_CLOSE_SOFT_FINGER:
        turn = vec3_zero();
        break;
    default:
        turn = rotation_vector(R);
    }
    put3(e, turn);
    put3(e + 3, mat3_t_mul_vec(b.R, vec3_sub(a.l, b.l)));
}

#endif

/* ---- rows ----------------------------------------------------------------------------------------- */

KERNEL ends_motion motion_of_ends(const place_numbers *p)
{
    return ends_motion_of(vec3_at(p->w_a), vec3_at(p->v_a), vec3_at(p->w_b), vec3_at(p->v_b));
}

/* One row with its rate; position is what the motion has come to. */
static void put_row(
    const soa_tie *tie, const place_numbers *p, int i, motion W, motion W_dot, real position, row_numbers *row)
{
    const ends_motion m = motion_of_ends(p);
    put3(row->W, W.w), put3(row->W + 3, W.v);
    put3(row->W_dot, W_dot.w), put3(row->W_dot + 3, W_dot.v);
    row->rolls = false;
    row->position = position - tie->position[i];
    row->velocity = vec3_dot_add(W.v, m.u, vec3_dot(W.w, m.w)) - tie->velocity[i];
    row->bias = form_bias(&m, W, W_dot) - tie->acceleration[i];
}

/* A row fixed in frame b, given there. */
static void put_fixed_row(
    const soa_tie *tie, const place_numbers *p, int i, mat3 R_b, const double Q[6], real position, row_numbers *row)
{
    const ends_motion m = motion_of_ends(p);
    const motion W = { mat3_mul_vec(R_b, vec3_set(Q)), mat3_mul_vec(R_b, vec3_set(Q + 3)) };
    put_row(tie, p, i, W, fixed_rate(&m, W), position, row);
}

/* z of b at right angles to x of a. */
static void put_universal_row(const soa_tie *tie, const place_numbers *p, int i, pose a, pose b, row_numbers *row)
{
    const vec3 x = mat3_column_x(a.R), z = mat3_column_z(b.R);
    const ends_motion m = motion_of_ends(p);
    motion W_dot;
    const motion W = universal_row(&m, x, z, &W_dot);
    put_row(tie, p, i, W, W_dot, vec3_dot(x, z), row);
}

KERNEL vec3 vec3_select(real_int mask, vec3 a, vec3 b)
{
    return (vec3){ real_select(mask, a.x, b.x), real_select(mask, a.y, b.y), real_select(mask, a.z, b.z) };
}

/* The distance of the origins. Where they meet any direction does. */
static void put_distance_row(const soa_tie *tie, const place_numbers *p, row_numbers *row)
{
    const vec3 r = vec3_at(p->r);
    const real length = real_sqrt(vec3_dot(r, r));
    const real_int apart = real_less(real_set(1e-9 * tie->closure.distance), length);
    const ends_motion m = motion_of_ends(p);
    motion W_dot = motion_zero();
    motion W = distance_row(&m, r, length, &W_dot);
    W.v = vec3_select(apart, W.v, (vec3){ real_set(1.0), real_set(0.0), real_set(0.0) });
    W_dot.v = vec3_select(apart, W_dot.v, vec3_zero());
    put_row(tie, p, 0, W, W_dot, length - tie->closure.distance, row);
}

static void general_rows(const soa_tie *tie, const place_numbers *p, mat3 R_b, const real e[6], row_numbers *row)
{
    for (int i = 0; i < tie->rows; i++) {
        const double *Q = tie->closure.Q[i];
        real position = real_set(0.0);
        for (int j = 0; j < 6 && !tie->closure.nonholonomic; j++) {
            position += Q[j] * e[j];
        }
        put_fixed_row(tie, p, i, R_b, Q, position, row + i);
        row[i].position = tie->closure.nonholonomic ? real_set(0.0) : row[i].position;
        row[i].rolls = tie->closure.nonholonomic;
    }
}

/* Rows along axes of b; `first` of the tie's rows come before them. */
KERNEL void axis_rows(
    const soa_tie *tie, const place_numbers *p, mat3 R_b, const real e[6], row_numbers *row, int first)
{
    const unsigned mask = soa_kind_mask(tie->closure.kind);
    const ends_motion m = motion_of_ends(p);
    const motion of_axes = axis_bias(&m, R_b);
    real velocity[6], bias[6], c[3][3];
    put3(velocity, mat3_t_mul_vec(R_b, m.w)), put3(velocity + 3, mat3_t_mul_vec(R_b, m.u));
    put3(bias, of_axes.w), put3(bias + 3, of_axes.v);
    put3(c[0], mat3_column_x(R_b)), put3(c[1], mat3_column_y(R_b)), put3(c[2], mat3_column_z(R_b));
    for (int j = 0, i = first; j < 6; j++) {
        if (!(mask >> j & 1u)) {
            continue;
        }
        const bool turns = j < 3;
        const vec3 axis = vec3_at(c[j % 3]);
        put3(row->W + (turns ? 0 : 3), axis), put3(row->W + (turns ? 3 : 0), vec3_zero());
        row->rolls = turns && tie->closure.kind == SOA_CLOSE_SOFT_FINGER;
        row->position = row->rolls ? real_set(0.0) : e[j] - tie->position[i];
        row->velocity = velocity[j] - tie->velocity[i];
        row->bias = bias[j] - tie->acceleration[i];
        row++;
        i++;
    }
}

/* dW/dt = w_b x W of rows along axes of b. */
static void axis_rates(const place_numbers *p, int rows, row_numbers *row)
{
    const vec3 w_b = vec3_at(p->w_b);
    for (int i = 0; i < rows; i++) {
        put3(row[i].W_dot, vec3_cross(w_b, vec3_at(row[i].W)));
        put3(row[i].W_dot + 3, vec3_cross(w_b, vec3_at(row[i].W + 3)));
    }
}

/* Rows of the components that the kind holds, and those that are special. */
KERNEL void closure_rows(const soa_tie *tie, const place_numbers *p, pose a, pose b, bool rates, row_numbers *row)
{
    real e[6];
    if (tie->closure.kind == SOA_CLOSE_DISTANCE) {
        put_distance_row(tie, p, row);
        return;
    }
    six_positions(&tie->closure, a, b, e);
    if (tie->closure.kind == SOA_CLOSE_GENERAL) {
        general_rows(tie, p, b.R, e, row);
        return;
    }
    int i = 0;
    if (tie->closure.kind == SOA_CLOSE_UNIVERSAL) {
        put_universal_row(tie, p, i++, a, b, row);
    }
    axis_rows(tie, p, b.R, e, row + i, i);
    if (rates) {
        axis_rates(p, tie->rows - i, row + i);
    }
}

/* beta(link) - slope beta(driver); the coefficients are in W. */
static void coupling_row(const soa_closures *set, const soa_tie *tie, row_numbers *row)
{
    const soa_call *a = call_of(set, tie->end[0].system), *b = call_of(set, tie->end[1].system);
    const bool driven = tie->end[1].node != SOA_NO_NODE;
    const real o = real_set(0.0);
    const real q = driven ? in_get(b, b->q, (size_t)b->model->body[tie->end[1].body].q) : o;
    const real rate = driven && b->v.at ? in_get(b, b->v, (size_t)tie->end[1].v) : o;
    const coupling_value y = coupling_at_driver(tie->joint.coefficient, q);
    const real own = a->v.at ? in_get(a, a->v, (size_t)tie->end[0].v) : o;
    memset(row->W, 0, sizeof row->W);
    memset(row->W_dot, 0, sizeof row->W_dot);
    row->rolls = false;
    row->W[0] = real_set(1.0);
    row->W[1] = driven ? -y.slope : o;
    row->W_dot[1] = driven ? -y.curve * rate : o;
    row->position = in_get(a, a->q, (size_t)a->model->body[tie->end[0].body].q) - y.value - tie->position[0];
    row->velocity = own - y.slope * rate - tie->velocity[0];
    row->bias = -y.curve * rate * rate - tie->acceleration[0];
}

/* Place and rows of a closure. */
static void tie_rows(soa_closures *set, int i, const end_place *a, const end_place *b, bool rates)
{
    const soa_tie *tie = &set->tie[i];
    const vec3 r = vec3_sub(a->X.l, b->X.l);
    place_numbers *p = place_at_hand(set, i);
    put3(p->p, a->X.l), put3(p->r, r);
    put3(p->w_a, a->V.w), put3(p->v_a, a->V.v);
    put3(p->w_b, b->V.w), put3(p->v_b, vec3_cross_add(b->V.w, r, b->V.v));
    put3(p->R_b[0], (vec3){ b->X.R.xx, b->X.R.xy, b->X.R.xz });
    put3(p->R_b[1], (vec3){ b->X.R.yx, b->X.R.yy, b->X.R.yz });
    put3(p->R_b[2], (vec3){ b->X.R.zx, b->X.R.zy, b->X.R.zz });
    closure_rows(tie, p, a->X, b->X, rates, row_at_hand(set, tie->first));
}

/* Places and rows of all enabled closures; W and V of their bodies are known. */
static void make_rows(soa_closures *set, bool moving, bool rates)
{
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        if (!tie->enabled) {
            continue;
        }
        if (tie->coupling) {
            coupling_row(set, tie, row_at_hand(set, tie->first));
            continue;
        }
        end_place a, b;
        place_end(set, &tie->end[0], moving, &a);
        place_end(set, &tie->end[1], moving, &b);
        tie_rows(set, i, &a, &b, rates);
    }
}

#if !defined(STATES)

static end_place end_of(const double pose_of_end[12], const double V[6])
{
    const double *x = pose_of_end;
    return (end_place){
        { { x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8] }, vec3_set(x + 9) },
        { vec3_set(V), vec3_set(V + 3) },
    };
}

static void coupling_at(soa_closures *set, int i, const soa_closed_input *in)
{
    const soa_tie *tie = &set->tie[i];
    for (int side = 0; side < 2; side++) {
        if (tie->end[side].node == SOA_NO_NODE) {
            continue;
        }
        soa_part *part = &set->part[tie->end[side].system];
        part->call.q.at = in->q + part->q;
        part->call.v.at = in->v ? in->v + part->v : NULL;
    }
    coupling_row(set, tie, &set->row[tie->first]);
}

static void rows_at(
    soa_closures *set, int i, const double *pose_a, const double *V_a, const double *pose_b, const double *V_b)
{
    const end_place a = end_of(pose_a, V_a), b = end_of(pose_b, V_b);
    tie_rows(set, i, &a, &b, true);
}

#endif

#endif
