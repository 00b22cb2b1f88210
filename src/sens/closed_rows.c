/* sens/closed_rows.c - how the rows of closures change when a joint moves, or where it is.
 *
 * r = p_a - p_b from the origin of frame b to that of a; w, dw angular velocities and accelerations, L and N the
 * accelerations in axes that turn with b:
 *     L = r'' - 2 w_b x r' - dw_b x r + w_b x (w_b x r),   N = dw_a - dw_b - w_b x w_a.
 * Rows fixed in b say Q R_b* (N; L) = dU/dt, that of the universal kind (x_a . z_b)'' and of a distance |r|''.
 * When joints move along S all that is outboard follows: p, w, ... of the ends change, and with them each of these. */
#include <math.h>

#include "sens/sens_kernels.h"
#include "sens/tie.h"

/* ---- where everything is -------------------------------------------------------------------- */

static end_motion end_motion_of(const soa_closed_state *s, const soa_tie *tie, int side)
{
    const soa_end *end = &tie->end[side];
    end_motion e = { .end = end, .X = pose_set(&end->at) };
    if (end->node == SOA_NO_NODE) {
        return e;
    }
    e.part = &s->set->part[end->system];
    if (s->set->flexible) {
        const soa_point point = soa_end_point(s->set, 2 * (int)(tie - s->set->tie) + side);
        soa_flexible_end_motion(s, &point, &e);
        return e;
    }
    const double *body = s->body + (size_t)end->node * SOA_MOVING_BODY;
    e.X = pose_compose(read_pose(body), e.X);
    e.V = read_motion(body + SOA_MOVING_V);
    e.A = read_motion(body + SOA_MOVING_A);
    e.origin = vec3_set(body + SOA_MOVING_ORIGIN);
    e.v = vec3_cross_add(e.V.w, e.X.l, e.V.v);
    e.a = vec3_add(vec3_cross_add(e.A.w, e.X.l, e.A.v), vec3_cross(e.V.w, e.v));
    return e;
}

/* Rows that are not fixed in frame b: the first of the universal kind, and that of a distance. */
static bool special_row(const soa_tie *tie, int i)
{
    return tie->closure.kind == SOA_CLOSE_DISTANCE || (tie->closure.kind == SOA_CLOSE_UNIVERSAL && i == 0);
}

/* W of a row as its multiplier pushes: with the friction of what slides. */
force soa_pushing_row(const soa_closed_state *s, const soa_tie *tie, int i)
{
    const soa_row *row = &s->set->row[tie->first + i];
    force W = { vec3_set(row->W), vec3_set(row->W + 3) };
    if (tie->closure.kind == SOA_CLOSE_SLIDING) {
        const double *slip = tie->closure.slip, length = hypot(slip[0], slip[1]);
        const soa_tie_place *p = &s->set->place[row->tie];
        const double along[3] = { length > 0.0 ? slip[0] / length : 0.0, length > 0.0 ? slip[1] / length : 0.0, 0.0 };
        const vec3 in_world = mat3_mul_vec(mat3_set(p->R_b), vec3_set(along));
        W.f = vec3_scale_add(-tie->closure.friction, in_world, W.f);
    }
    return W;
}

tie_motion soa_tie_motion_of(const soa_closed_state *s, const soa_tie *tie)
{
    tie_motion t = { .state = s, .tie = tie, .end = { end_motion_of(s, tie, 0), end_motion_of(s, tie, 1) } };
    t.r = vec3_add(vec3_sub(t.end[0].X.l, t.end[1].X.l), vec3_sub(t.end[0].origin, t.end[1].origin));
    t.r_dot = vec3_sub(t.end[0].v, t.end[1].v);
    t.r_ddot = vec3_sub(t.end[0].a, t.end[1].a);
    for (int i = 0; i < tie->rows; i++) {
        const force W = soa_pushing_row(s, tie, i);
        if (!special_row(tie, i)) {
            t.n = vec3_scale_add(s->lambda[tie->first + i], W.n, t.n);
            t.f = vec3_scale_add(s->lambda[tie->first + i], W.f, t.f);
        }
    }
    return t;
}

/* The distance of the two origins; 0: they meet, and its direction is any. */
static double distance_of(const tie_motion *t)
{
    const double length = sqrt(vec3_dot(t->r, t->r));
    return length > 1e-9 * t->tie->closure.distance ? length : 0.0;
}

/* n = r / |r| */
static vec3 direction(const tie_motion *t)
{
    const double length = distance_of(t);
    return length > 0.0 ? vec3_scale(1.0 / length, t->r) : (vec3){ 1.0, 0.0, 0.0 };
}

/* dn = (dr - n (n . dr)) / |r| */
static vec3 direction_change(const tie_motion *t, vec3 n, vec3 dr)
{
    const double length = distance_of(t);
    return length > 0.0 ? vec3_scale(1.0 / length, vec3_scale_add(-vec3_dot(n, dr), n, dr)) : vec3_zero();
}

/* ---- changes of the ends ---------------------------------------------------------------------- */

/* How the frame of an end changes when V and A of its body change so. */
static end_change change_of(const end_motion *e, motion S, motion dV, motion dA)
{
    end_change d = { .theta = S.w, .p = vec3_cross_add(S.w, e->X.l, S.v), .w = dV.w, .dw = dA.w };
    d.v = vec3_add(vec3_cross_add(dV.w, e->X.l, dV.v), vec3_cross(e->V.w, d.p));
    d.a = vec3_add(vec3_cross_add(dA.w, e->X.l, dA.v), vec3_cross(e->A.w, d.p));
    d.a = vec3_add(d.a, vec3_add(vec3_cross(dV.w, e->v), vec3_cross(e->V.w, d.v)));
    return d;
}

/* How an end changes when what is outboard moves along S; S1, S2 as in sweep/fields.h. */
end_change soa_change_along(const end_motion *e, motion S, motion S1, motion S2)
{
    const motion dA = motion_add(motion_cross(S, e->A), motion_cross(S1, e->V));
    return change_of(e, S, motion_add(motion_cross(S, e->V), S1), motion_add(dA, S2));
}

/* How an end changes when the velocity along S does; S3 as in sweep/fields.h. */
end_change soa_change_by_velocity(const end_motion *e, motion S, motion S3)
{
    return change_of(e, motion_zero(), S, motion_add(S3, motion_cross(S, e->V)));
}

/* ---- changes of the rows ------------------------------------------------------------------------- */

/* An axis x of a frame with its two derivatives. */
typedef struct axis_motion {
    vec3 x, x_dot, x_ddot;
} axis_motion;

static axis_motion axis_of(const end_motion *e, vec3 x)
{
    axis_motion m = { .x = x, .x_dot = vec3_cross(e->V.w, x) };
    m.x_ddot = vec3_add(vec3_cross(e->A.w, x), vec3_cross(e->V.w, m.x_dot));
    return m;
}

static axis_motion axis_change(const end_motion *e, const axis_motion *m, const end_change *d)
{
    axis_motion c = { .x = vec3_cross(d->theta, m->x) };
    c.x_dot = vec3_add(vec3_cross(d->w, m->x), vec3_cross(e->V.w, c.x));
    c.x_ddot = vec3_add(vec3_cross(d->dw, m->x), vec3_cross(e->A.w, c.x));
    c.x_ddot = vec3_add(c.x_ddot, vec3_add(vec3_cross(d->w, m->x_dot), vec3_cross(e->V.w, c.x_dot)));
    return c;
}

/* Change of (x . z)''. */
static double universal_change(const tie_motion *t, const end_change *a, const end_change *b)
{
    const axis_motion x = axis_of(&t->end[0], mat3_column_x(t->end[0].X.R)),
                      z = axis_of(&t->end[1], mat3_column_z(t->end[1].X.R));
    const axis_motion dx = axis_change(&t->end[0], &x, a), dz = axis_change(&t->end[1], &z, b);
    return vec3_dot(dx.x_ddot, z.x) + vec3_dot(x.x_ddot, dz.x) + vec3_dot(dx.x, z.x_ddot) + vec3_dot(x.x, dz.x_ddot) +
           2.0 * (vec3_dot(dx.x_dot, z.x_dot) + vec3_dot(x.x_dot, dz.x_dot));
}

/* |r|''; and where the origins meet, r'' - w_b x r' - dw_b x r along any direction. */
static double distance_change(const tie_motion *t, const end_change *a, const end_change *b)
{
    const vec3 n = direction(t), dr = vec3_sub(a->p, b->p), dr_dot = vec3_sub(a->v, b->v);
    const vec3 dr_ddot = vec3_sub(a->a, b->a), dn = direction_change(t, n, dr);
    const double length = distance_of(t), s = vec3_dot(n, t->r_dot);
    if (!(length > 0.0)) {
        const vec3 turned = vec3_add(vec3_cross(b->w, t->r_dot), vec3_cross(t->end[1].V.w, dr_dot));
        const vec3 rest = vec3_add(vec3_cross(b->dw, t->r), vec3_cross(t->end[1].A.w, dr));
        return vec3_dot(n, vec3_sub(dr_ddot, vec3_add(turned, rest)));
    }
    const double ds = vec3_dot(dn, t->r_dot) + vec3_dot(n, dr_dot), across = vec3_dot(t->r_dot, t->r_dot) - s * s;
    return vec3_dot(dn, t->r_ddot) + vec3_dot(n, dr_ddot) + 2.0 * (vec3_dot(t->r_dot, dr_dot) - s * ds) / length -
           across * vec3_dot(n, dr) / (length * length);
}

/* R_b* (N; L) */
static void fixed_change(const tie_motion *t, const end_change *a, const end_change *b, double out[6])
{
    const vec3 w_b = t->end[1].V.w, dw_b = t->end[1].A.w, w_a = t->end[0].V.w;
    const vec3 dr = vec3_sub(a->p, b->p), dr_dot = vec3_sub(a->v, b->v), spin = vec3_cross(w_b, t->r);
    const vec3 d_spin = vec3_add(vec3_cross(b->w, t->r), vec3_cross(w_b, dr));
    const vec3 N = vec3_sub(vec3_sub(t->end[0].A.w, dw_b), vec3_cross(w_b, w_a));
    vec3 L = vec3_sub(t->r_ddot, vec3_scale(2.0, vec3_cross(w_b, t->r_dot)));
    L = vec3_add(vec3_sub(L, vec3_cross(dw_b, t->r)), vec3_cross(w_b, spin));
    const vec3 turned = vec3_add(vec3_cross(b->w, w_a), vec3_cross(w_b, a->w));
    const vec3 dN = vec3_sub(vec3_sub(a->dw, b->dw), turned);
    const vec3 d_coriolis = vec3_add(vec3_cross(b->w, t->r_dot), vec3_cross(w_b, dr_dot));
    const vec3 d_euler = vec3_add(vec3_cross(b->dw, t->r), vec3_cross(dw_b, dr));
    const vec3 d_centre = vec3_add(vec3_cross(b->w, spin), vec3_cross(w_b, d_spin));
    vec3 dL = vec3_sub(vec3_sub(a->a, b->a), vec3_scale(2.0, d_coriolis));
    dL = vec3_add(vec3_sub(dL, d_euler), d_centre);
    const vec3 n = mat3_t_mul_vec(t->end[1].X.R, vec3_sub(dN, vec3_cross(b->theta, N)));
    const vec3 l = mat3_t_mul_vec(t->end[1].X.R, vec3_sub(dL, vec3_cross(b->theta, L)));
    const double all[6] = { n.x, n.y, n.z, l.x, l.y, l.z };
    for (int i = 0; i < 6; i++) {
        out[i] = all[i];
    }
}

/* How the accelerations of all rows of the closure change when its ends do. */
void soa_row_changes(const tie_motion *t, const end_change *a, const end_change *b, double out[SOA_CLOSURE_MAX_ROWS])
{
    const soa_closure *c = &t->tie->closure;
    const unsigned mask = soa_kind_mask(c->kind);
    double six[6];
    int rows = 0;
    if (c->kind == SOA_CLOSE_DISTANCE) {
        out[0] = distance_change(t, a, b);
        return;
    }
    fixed_change(t, a, b, six);
    if (c->kind == SOA_CLOSE_UNIVERSAL) {
        out[rows++] = universal_change(t, a, b);
    }
    for (int i = 0; c->kind == SOA_CLOSE_GENERAL && i < t->tie->rows; i++) {
        out[i] = 0.0;
        for (int j = 0; j < 6; j++) {
            out[i] += c->Q[i][j] * six[j];
        }
    }
    for (int j = 0; j < 6; j++) {
        if (mask >> j & 1u) {
            out[rows++] = six[j];
        }
    }
}

/* ---- changes of what the multipliers do ------------------------------------------------------------ */

/* The whole force on a at its origin. */
force soa_force_on_a(const tie_motion *t)
{
    force F = { t->n, t->f };
    for (int i = 0; i < t->tie->rows; i++) {
        if (special_row(t->tie, i)) {
            const force W = soa_pushing_row(t->state, t->tie, i);
            F = force_scale_add(t->state->lambda[t->tie->first + i], W, F);
        }
    }
    return F;
}

force soa_force_change(const tie_motion *t, const end_change *a, const end_change *b)
{
    const double *lambda = t->state->lambda + t->tie->first;
    force d = { vec3_cross(b->theta, t->n), vec3_cross(b->theta, t->f) };
    if (t->tie->closure.kind == SOA_CLOSE_UNIVERSAL) {
        const vec3 x = mat3_column_x(t->end[0].X.R), z = mat3_column_z(t->end[1].X.R);
        const vec3 turned = vec3_add(vec3_cross(vec3_cross(a->theta, x), z), vec3_cross(x, vec3_cross(b->theta, z)));
        d.n = vec3_scale_add(lambda[0], turned, d.n);
    }
    if (t->tie->closure.kind == SOA_CLOSE_DISTANCE) {
        d.f = vec3_scale_add(lambda[0], direction_change(t, direction(t), vec3_sub(a->p, b->p)), d.f);
    }
    return d;
}
