/* Compiled once for each lane width and profile: LANES and UNIT (plain_4, fma_8, ...) come from
 * the build. */
#include "joint/lanes.h"

#include "joint/joint.kernel.h"
#include "spatial/articulated.h"

#define NAME_2(a, b) a##b
#define NAME(a, b)   NAME_2(a, b)
#define TEXT_2(a)    #a
#define TEXT(a)      TEXT_2(a)

static int put(double *out, int n, const void *numbers, size_t size)
{
    memcpy(out + n * LANES, numbers, size);
    return n + (int)(size / sizeof(real));
}

/* As a statement: appends the numbers of an expression to the output. */
#define PUT(type, expression)                   \
    do {                                        \
        const type value = (expression);        \
        n = put(out, n, &value, sizeof(value)); \
    } while (0)

static int run_joints(const real *x, double *out, int n)
{
    for (int i = 0; i < 2 * SOA_JOINT_KINDS; i++) {
        const soa_joint_shape shape = { (soa_joint_kind)(i / 2), i % 2, 0.3, { 0.6, 0.0, 0.8 } };
        const pose X = joint_pose(&shape, x);
        PUT(pose, X);
        PUT(motion, joint_velocity(&shape, X, x + 8));
        PUT(motion, joint_bias(&shape, X, x + 8));
    }
    return n;
}

static int run_inertias(const real *x, pose X, motion V, double *out, int n)
{
    const rigid M = { x[20], { x[21], x[22], x[23] }, { x[24], x[25], x[26], x[27], x[28], x[29] } };
    const articulated P = {
        { x[30], x[31], x[32], x[33], x[34], x[35] },
        { x[36], x[37], x[38], x[39], x[40], x[41], x[42], x[43], x[44] },
        { x[45], x[46], x[47], x[48], x[49], x[50] },
    };
    const force u = articulated_column_wz(P), w = articulated_column_vz(P);
    const articulated r = articulated_downdate_revolute(P, u, force_scale(x[51], u));
    const articulated p = articulated_downdate_prismatic(P, w, force_scale(x[52], w));
    PUT(force, rigid_mul(M, V));
    PUT(rigid, rigid_shift(X, M));
    PUT(force, articulated_mul(P, V));
    PUT(articulated, articulated_add_rigid(articulated_shift(X, P), M));
    PUT(articulated, articulated_sub_outer(P, u, x[53]));
    PUT(articulated, articulated_shift_revolute(X, r));
    PUT(articulated, articulated_shift_prismatic(X, p));
    return n;
}

static int run(const double *in, double *out)
{
    real x[LANES_IN];
    for (int i = 0; i < LANES_IN; i++) {
        x[i] = real_load(in + i * LANES);
    }
    const soa_joint_shape shape = { SOA_FREE, false, 0.0, { 0.0, 0.0, 1.0 } };
    const pose X = joint_pose(&shape, x);
    const motion V = { { x[54], x[55], x[56] }, { x[57], x[58], x[59] } };
    const force f = { { x[8], x[9], x[10] }, { x[11], x[12], x[13] } };
    int n = 0;
    PUT(force, phi(X, f));
    PUT(motion, phi_t(X, V));
    PUT(force, phi_inv(X, f));
    PUT(motion, phi_t_inv(X, V));
    PUT(pose, pose_compose(X, pose_inverse(X)));
    PUT(motion, motion_cross(V, (motion){ f.n, f.f }));
    PUT(force, force_cross(V, f));
    PUT(real, power(f, V));
    PUT(real, real_sqrt(real_abs(x[60])));
    PUT(real, real_select(real_less(x[62], x[63]), x[62], x[63]));
    n = run_inertias(x, X, V, out, n);
    return run_joints(x, out, n);
}

static void sincos_block(const double *x, double *s, double *c)
{
    real sine, cosine;
    real_sincos(real_load(x), &sine, &cosine);
    real_store(s, sine);
    real_store(c, cosine);
}

const lanes_unit NAME(lanes_, UNIT) = { TEXT(UNIT), LANES, SOA_FMA, run, sincos_block };
