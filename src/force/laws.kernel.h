/* force/laws.kernel.h - the laws of force elements, written once on the type `num`.
 *
 * A unit defines LAW(name), num, num_sqrt, num_pow, num_asin, num_tan and num_real and includes this file: with num =
 * double for forces, with num = double complex for their derivatives by the complex step, which are exact to rounding.
 * Branches ask real parts alone. Vectors are in world axes. */

/* A frame and how it moves. */
typedef struct LAW(frame) {
    num R[3][3];
    num p[3];
    num w[3], v[3]; /* angular velocity, velocity of the origin */
} LAW(frame);

typedef struct LAW(wrench) {
    num moment[3], force[3]; /* at the origin of the frame */
} LAW(wrench);

/* ---- vectors ------------------------------------------------------------------------- */

static num LAW(dot)(const num a[3], const num b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void LAW(cross)(const num a[3], const num b[3], num r[3])
{
    const num x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    r[0] = x;
    r[1] = y;
    r[2] = z;
}

/* r = R x */
static void LAW(turn)(const num R[3][3], const num x[3], num r[3])
{
    for (int i = 0; i < 3; i++) {
        r[i] = LAW(dot)(R[i], x);
    }
}

/* r = R* x */
static void LAW(turn_back)(const num R[3][3], const num x[3], num r[3])
{
    for (int i = 0; i < 3; i++) {
        r[i] = R[0][i] * x[0] + R[1][i] * x[1] + R[2][i] * x[2];
    }
}

/* The force F at point c, as wrenches at the origins of both frames: F on a, -F on b. */
static void LAW(push)(
    const LAW(frame) * a, const LAW(frame) * b, const num c[3], const num F[3], LAW(wrench) * on_a, LAW(wrench) * on_b)
{
    num arm_a[3], arm_b[3], minus[3];
    for (int i = 0; i < 3; i++) {
        arm_a[i] = c[i] - a->p[i];
        arm_b[i] = c[i] - b->p[i];
        on_a->force[i] = F[i];
        minus[i] = on_b->force[i] = -F[i];
    }
    LAW(cross)(arm_a, F, on_a->moment);
    LAW(cross)(arm_b, minus, on_b->moment);
}

#include "force/joint_laws.kernel.h"

/* ---- points ------------------------------------------------------------------------------ */

/* [spring] F = -(stiffness (L - length) + damping dL/dt) u on a, u from b to a, L their distance. */
static num LAW(spring)(
    const soa_force *e, const LAW(frame) * a, const LAW(frame) * b, LAW(wrench) * on_a, LAW(wrench) * on_b)
{
    num u[3], rate[3], F[3];
    for (int i = 0; i < 3; i++) {
        u[i] = a->p[i] - b->p[i];
        rate[i] = a->v[i] - b->v[i];
    }
    const num L = num_sqrt(LAW(dot)(u, u)), stretch = L - e->length;
    const num tension = e->stiffness * stretch + e->damping * LAW(dot)(u, rate) / L;
    for (int i = 0; i < 3; i++) {
        F[i] = -tension * u[i] / L;
    }
    LAW(push)(a, b, a->p, F, on_a, on_b);
    return 0.5 * e->stiffness * stretch * stretch;
}

/* The rotation vector theta of the rotation from b to a in b's axes, and c of
 *     J^-* = I + theta~/2 + c theta~ theta~,   theta_dot = J^-1 w. */
static void LAW(rotation_vector)(const LAW(frame) * a, const LAW(frame) * b, num theta[3], num *c)
{
    num R[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R[i][j] = b->R[0][i] * a->R[0][j] + b->R[1][i] * a->R[1][j] + b->R[2][i] * a->R[2][j];
        }
    }
    theta[0] = 0.5 * (R[2][1] - R[1][2]);
    theta[1] = 0.5 * (R[0][2] - R[2][0]);
    theta[2] = 0.5 * (R[1][0] - R[0][1]);
    const num s2 = LAW(dot)(theta, theta), trace = R[0][0] + R[1][1] + R[2][2];
    const bool obtuse = num_real(trace) < 1.0;
    num scale = 1.0 + s2 / 6.0 + 0.075 * s2 * s2;
    *c = 1.0 / 12.0 + s2 / 720.0;
    if (num_real(s2) > 1e-8 || obtuse) {
        const num s = num_sqrt(s2), t = obtuse ? 3.14159265358979323846 - num_asin(s) : num_asin(s);
        scale = t / s;
        *c = (1.0 - 0.5 * t / num_tan(0.5 * t)) / (t * t);
    }
    for (int i = 0; i < 3; i++) {
        theta[i] = scale * theta[i];
    }
}

/* [bushing] in the axes of b, with d the place of a and theta its rotation vector:
 *     F = -(hold d + damp d_dot),   N = -(J^-* hold theta + damp w_rel). */
static num LAW(bushing)(
    const soa_force *e, const LAW(frame) * a, const LAW(frame) * b, LAW(wrench) * on_a, LAW(wrench) * on_b)
{
    num r[3], rate[3], spin[3], wr[3], d[3], d_dot[3], w[3], theta[3], c, F[3], N[3], load[3], once[3], twice[3];
    num energy = 0.0;
    LAW(rotation_vector)(a, b, theta, &c);
    for (int i = 0; i < 3; i++) {
        r[i] = a->p[i] - b->p[i];
    }
    LAW(cross)(b->w, r, wr);
    for (int i = 0; i < 3; i++) {
        rate[i] = a->v[i] - b->v[i] - wr[i];
        spin[i] = a->w[i] - b->w[i];
    }
    LAW(turn_back)(b->R, r, d);
    LAW(turn_back)(b->R, rate, d_dot);
    LAW(turn_back)(b->R, spin, w);
    for (int i = 0; i < 3; i++) {
        load[i] = e->hold[i] * theta[i];
        F[i] = -(e->hold[i + 3] * d[i] + e->damp[i + 3] * d_dot[i]);
        energy += 0.5 * (load[i] * theta[i] + e->hold[i + 3] * d[i] * d[i]);
    }
    LAW(cross)(theta, load, once);
    LAW(cross)(theta, once, twice);
    for (int i = 0; i < 3; i++) {
        N[i] = -(load[i] + 0.5 * once[i] + c * twice[i] + e->damp[i] * w[i]);
    }
    LAW(turn)(b->R, F, load);
    LAW(turn)(b->R, N, once);
    LAW(push)(a, b, a->p, load, on_a, on_b);
    for (int i = 0; i < 3; i++) {
        on_a->moment[i] += once[i];
        on_b->moment[i] -= once[i];
    }
    return energy;
}

#include "force/contact.kernel.h"

/* [wrench] as given, in the axes of the world or of a.  [drag] F = -(damping + value |v|) v. */
static num LAW(single)(const soa_force *e, const LAW(frame) * a, LAW(wrench) * on_a)
{
    num N[3], F[3];
    for (int i = 0; i < 3; i++) {
        N[i] = e->wrench[i];
        F[i] = e->wrench[i + 3];
    }
    if (e->kind == SOA_FORCE_DRAG) {
        const num square = LAW(dot)(a->v, a->v);
        const num size = num_real(square) > 0.0 ? num_sqrt(square) : 0.0;
        for (int i = 0; i < 3; i++) {
            on_a->force[i] = -(e->damping + e->value * size) * a->v[i];
        }
    } else if (e->in_body) {
        LAW(turn)(a->R, N, on_a->moment);
        LAW(turn)(a->R, F, on_a->force);
    } else {
        for (int i = 0; i < 3; i++) {
            on_a->moment[i] = N[i];
            on_a->force[i] = F[i];
        }
    }
    return 0.0;
}

/* The wrenches of an element at points, and what it has stored. */
static num LAW(point_law)(
    const soa_force *e, const LAW(frame) * a, const LAW(frame) * b, LAW(wrench) * on_a, LAW(wrench) * on_b)
{
    *on_a = *on_b = (LAW(wrench)){ { 0.0 }, { 0.0 } };
    switch (e->kind) {
    case SOA_FORCE_SPRING:
        return LAW(spring)(e, a, b, on_a, on_b);
    case SOA_FORCE_BUSHING:
        return LAW(bushing)(e, a, b, on_a, on_b);
    case SOA_FORCE_CONTACT:
        return LAW(contact)(e, a, b, on_a, on_b);
    default:
        return LAW(single)(e, a, on_a);
    }
}
