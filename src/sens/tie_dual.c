/* sens/tie_dual.c - a closure on numbers with slopes: how its rows accelerate, and how its multipliers push its ends.
 *
 * With alpha the spatial accelerations of both frames at the origin of a (closure/rows.kernel.h has the other symbols)
 *     W (alpha_a - alpha_b) + dW_w/dt . w + dW_v/dt . u + W_v . (w x v_a) = dU/dt,
 * and the ends are pushed, each at its own origin r apart, by the sum of lambda W:
 *     g_a = (n; f),   g_b = -(n + r x f; f). */
#include "spatial/dual.h"

#include "closure/row_forms.kernel.h"
#include "sens/closed.h"
#include "sens/flexible_sens.h"
#include "spatial/force.h"

/* A frame as soa_moving_point has it. */
typedef struct dual_end {
    mat3 R;
    vec3 p, w, v, dw, a;
} dual_end;

static vec3 vec3_at(const soa_moving_point *e, int i)
{
    const double *x = e->number + i, *s = e->slope + i;
    return (vec3){ real_of(x[0], SOA_DUAL_STEP * s[0]), real_of(x[1], SOA_DUAL_STEP * s[1]),
        real_of(x[2], SOA_DUAL_STEP * s[2]) };
}

static dual_end dual_end_of(const soa_moving_point *e)
{
    const vec3 x = vec3_at(e, 0), y = vec3_at(e, 3), z = vec3_at(e, 6);
    return (dual_end){ { x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z }, vec3_at(e, 9), vec3_at(e, 12), vec3_at(e, 15),
        vec3_at(e, 18), vec3_at(e, 21) };
}

/* Row i where it is fixed in frame b, given there. */
static void fixed_row(const soa_tie *tie, int i, double Q[6])
{
    const soa_closure *c = &tie->closure;
    const unsigned mask = soa_kind_mask(c->kind);
    int row = c->kind == SOA_CLOSE_UNIVERSAL ? 1 : 0;
    for (int j = 0; j < 6; j++) {
        const bool held = mask >> j & 1u;
        Q[j] = c->kind == SOA_CLOSE_GENERAL ? c->Q[i][j] : held && row == i ? 1.0 : 0.0;
        row += held;
    }
}

/* W of row i, and its rate. */
static motion row_of(
    const soa_tie *tie, int i, const ends_motion *m, const dual_end *a, const dual_end *b, motion *W_dot)
{
    const soa_closure *c = &tie->closure;
    double Q[6];
    if (c->kind == SOA_CLOSE_UNIVERSAL && i == 0) {
        return universal_row(m, mat3_column_x(a->R), mat3_column_z(b->R), W_dot);
    }
    if (c->kind == SOA_CLOSE_DISTANCE) {
        const vec3 r = vec3_sub(a->p, b->p);
        const real length = real_sqrt(vec3_dot(r, r));
        *W_dot = motion_zero();
        return creal(length) > 1e-9 * c->distance ? distance_row(m, r, length, W_dot)
                                                  : (motion){ vec3_zero(), { 1.0, 0.0, 0.0 } };
    }
    fixed_row(tie, i, Q);
    const motion W = { mat3_mul_vec(b->R, vec3_set(Q)), mat3_mul_vec(b->R, vec3_set(Q + 3)) };
    *W_dot = fixed_rate(m, W);
    return W;
}

/* The force on a for each unit of a row's multiplier: with the friction of what slides. */
static force push_of(const soa_tie *tie, motion W, const dual_end *b)
{
    force F = { W.w, W.v };
    if (tie->closure.kind == SOA_CLOSE_SLIDING) {
        double slip[3] = { 0.0 };
        soa_slip_direction(&tie->closure, slip);
        F.f = vec3_scale_add(real_set(-tie->closure.friction), mat3_mul_vec(b->R, vec3_set(slip)), F.f);
    }
    return F;
}

static void put_push(force F, double number[6], double slope[6])
{
    const real x[6] = { F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z };
    for (int i = 0; i < 6; i++) {
        number[i] = creal(x[i]);
        slope[i] = cimag(x[i]) / SOA_DUAL_STEP;
    }
}

soa_tie_change soa_tie_change_of(const soa_tie *tie, const double *lambda, const soa_moving_point end[2])
{
    const dual_end a = dual_end_of(&end[0]), b = dual_end_of(&end[1]);
    const vec3 r = vec3_sub(a.p, b.p);
    const ends_motion m = ends_motion_of(a.w, a.v, b.w, vec3_cross_add(b.w, r, b.v));
    const vec3 b_lin = vec3_cross_add(b.dw, r, vec3_sub(b.a, vec3_cross(b.w, b.v)));
    const motion alpha = { vec3_sub(a.dw, b.dw), vec3_sub(vec3_sub(a.a, vec3_cross(a.w, a.v)), b_lin) };
    force F = { vec3_zero(), vec3_zero() };
    soa_tie_change out;
    for (int i = 0; i < tie->rows; i++) {
        motion W_dot;
        const motion W = row_of(tie, i, &m, &a, &b, &W_dot);
        const real acceleration = vec3_dot(W.w, alpha.w) + vec3_dot(W.v, alpha.v) + form_bias(&m, W, W_dot);
        const force push = push_of(tie, W, &b);
        out.row[i] = cimag(acceleration) / SOA_DUAL_STEP;
        F.n = vec3_scale_add(real_set(lambda[i]), push.n, F.n);
        F.f = vec3_scale_add(real_set(lambda[i]), push.f, F.f);
    }
    put_push(F, out.push[0], out.push_slope[0]);
    F = (force){ vec3_neg(vec3_cross_add(r, F.f, F.n)), vec3_neg(F.f) };
    put_push(F, out.push[1], out.push_slope[1]);
    return out;
}
