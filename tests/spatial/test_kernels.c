/* Every kernel against its 6x6 matrix. */
#include "spatial/check.h"
#include "spatial/dense.h"

#include "spatial/articulated.h"
#include "spatial/cross.h"

#define TRIALS 200
#define TOL    (64 * EPS)

static unsigned long long seed;

static motion motion_of(const double x[6])
{
    return (motion){ vec3_set(x), vec3_set(x + 3) };
}

static force force_of(const double x[6])
{
    return (force){ vec3_set(x), vec3_set(x + 3) };
}

static void expect_motion(motion V, const double y[6])
{
    const double x[6] = { V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z };
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(x[i], y[i], TOL);
    }
}

static void expect_force(force f, const double y[6])
{
    expect_motion((motion){ f.n, f.f }, y);
}

static dense dense_of(articulated P)
{
    cross3 A = { { P.A.xx, P.A.xy, P.A.xz }, { P.A.xy, P.A.yy, P.A.yz }, { P.A.xz, P.A.yz, P.A.zz } };
    cross3 B = { { P.B.xx, P.B.xy, P.B.xz }, { P.B.yx, P.B.yy, P.B.yz }, { P.B.zx, P.B.zy, P.B.zz } };
    cross3 Bt = { { P.B.xx, P.B.yx, P.B.zx }, { P.B.xy, P.B.yy, P.B.zy }, { P.B.xz, P.B.yz, P.B.zz } };
    cross3 C = { { P.C.xx, P.C.xy, P.C.xz }, { P.C.xy, P.C.yy, P.C.yz }, { P.C.xz, P.C.yz, P.C.zz } };
    return dense_blocks(A, B, Bt, C);
}

static void expect_dense(articulated P, dense expected)
{
    const dense got = dense_of(P);
    for (int i = 0; i < 36; i++) {
        CHECK_NEAR(got.a[i / 6][i % 6], expected.a[i / 6][i % 6], 4 * TOL);
    }
}

/* A random rotation by Rodrigues' formula, written out. */
static soa_pose random_pose(void)
{
    double u[3], n, angle = 3 * soa_random_next(&seed);
    soa_pose X;
    random_fill(&seed, 3, u);
    random_fill(&seed, 3, X.position);
    n = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    cross3 t;
    const double a[3] = { u[0] / n, u[1] / n, u[2] / n };
    dense_tilde(a, t);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            X.rotation[i][j] = cos(angle) * (i == j) + sin(angle) * t[i][j] + (1 - cos(angle)) * a[i] * a[j];
        }
    }
    return X;
}

static articulated random_articulated(void)
{
    double x[21];
    random_fill(&seed, 21, x);
    return (
        articulated){ sym3_set(x), { x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14] }, sym3_set(x + 15) };
}

/* phi, phi*, and their inverses are the matrix [I l~; 0 I] diag(R, R), its transpose and inverses. */
static void shifts_of_vectors(void **state)
{
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        soa_pose Y = random_pose();
        const pose X = pose_set(&Y);
        const dense F = dense_phi(Y.rotation, Y.position);
        double x[6], y[6];
        random_fill(&seed, 6, x);
        dense_apply(F, x, y);
        expect_force(phi(X, force_of(x)), y);
        expect_force(phi_inv(X, force_of(y)), x);
        dense_apply(dense_transpose(F), x, y);
        expect_motion(phi_t(X, motion_of(x)), y);
        expect_motion(phi_t_inv(X, motion_of(y)), x);
    }
}

/* phi(a b) = phi(a) phi(b), and the inverse pose undoes. */
static void poses_compose(void **state)
{
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        soa_pose Y = random_pose(), Z = random_pose();
        const pose a = pose_set(&Y), b = pose_set(&Z);
        double x[6], y[6];
        random_fill(&seed, 6, x);
        dense_apply(dense_mul(dense_phi(Y.rotation, Y.position), dense_phi(Z.rotation, Z.position)), x, y);
        expect_force(phi(pose_compose(a, b), force_of(x)), y);
        expect_force(phi(pose_inverse(a), phi(a, force_of(x))), x);
        const double c = cos(x[0]), s = sin(x[0]);
        const mat3 Rz = { c, -s, 0, s, c, 0, 0, 0, 1 };
        const mat3 R1 = mat3_rotz(a.R, c, s), R2 = mat3_mul(a.R, Rz);
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR((&R1.xx)[i], (&R2.xx)[i], 4 * EPS);
        }
    }
}

static void vectors(void **state)
{
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        double x[6], y[6], z[6];
        random_fill(&seed, 6, x);
        random_fill(&seed, 6, y);
        const double s = soa_random_next(&seed);
        double sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += x[i] * y[i];
        }
        CHECK_NEAR(power(force_of(x), motion_of(y)), sum, 8 * EPS);
        for (int i = 0; i < 6; i++) {
            z[i] = s * x[i] + y[i];
        }
        expect_motion(motion_scale_add(s, motion_of(x), motion_of(y)), z);
        expect_motion(motion_add(motion_scale(s, motion_of(x)), motion_of(y)), z);
        expect_motion(motion_sub(motion_of(y), motion_neg(motion_scale(s, motion_of(x)))), z);
        expect_force(force_scale_add(s, force_of(x), force_of(y)), z);
        expect_force(force_add(force_scale(s, force_of(x)), force_of(y)), z);
        expect_force(force_sub(force_of(y), force_neg(force_scale(s, force_of(x)))), z);
    }
}

static void cross_products(void **state)
{
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        double z[6], x[6], y[6];
        random_fill(&seed, 6, z);
        random_fill(&seed, 6, x);
        dense_apply(dense_cross('~', z), x, y);
        expect_motion(motion_cross(motion_of(z), motion_of(x)), y);
        dense_apply(dense_cross('S', z), x, y);
        expect_force(force_cross(motion_of(z), force_of(x)), y);
    }
}

/* M V, M + N and phi M phi* of a rigid body given by mass, centre and moment about it. */
static void rigid_inertia(void **state)
{
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        soa_inertia I;
        random_fill(&seed, 10, &I.mass);
        const double m = I.mass, *c = I.com, *K = I.moment;
        const double h[3] = { m * c[0], m * c[1], m * c[2] };
        cross3 t, J = { { K[0], K[1], K[2] }, { K[1], K[3], K[4] }, { K[2], K[4], K[5] } };
        dense_tilde(c, t);
        for (int i = 0; i < 9; i++) { /* J = I - m p~ p~ */
            for (int k = 0; k < 3; k++) {
                J[i / 3][i % 3] -= m * t[i / 3][k] * t[k][i % 3];
            }
        }
        const dense D = dense_rigid(m, h, J);
        const rigid M = rigid_from_inertia(&I);
        double x[6], y[6];
        random_fill(&seed, 6, x);
        dense_apply(D, x, y);
        expect_force(rigid_mul(M, motion_of(x)), y);
        expect_dense(articulated_from_rigid(M), D);

        soa_pose Y = random_pose();
        const dense F = dense_phi(Y.rotation, Y.position);
        const rigid shifted = rigid_shift(pose_set(&Y), M);
        const dense E = dense_mul(F, dense_mul(D, dense_transpose(F)));
        expect_dense(articulated_from_rigid(shifted), E);
        dense sum = D;
        for (int i = 0; i < 36; i++) {
            sum.a[i / 6][i % 6] += E.a[i / 6][i % 6];
        }
        expect_dense(articulated_from_rigid(rigid_add(M, shifted)), sum);
        expect_dense(articulated_add_rigid(articulated_from_rigid(M), shifted), sum);
        expect_dense(articulated_add(articulated_from_rigid(M), articulated_from_rigid(shifted)), sum);
    }
}

static void articulated_inertia(void **state)
{
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const articulated P = random_articulated();
        soa_pose Y = random_pose();
        const dense D = dense_of(P), F = dense_phi(Y.rotation, Y.position);
        double x[6], y[6];
        random_fill(&seed, 6, x);
        dense_apply(D, x, y);
        expect_force(articulated_mul(P, motion_of(x)), y);
        expect_dense(articulated_sub_outer(P, force_of(x), y[0]), dense_sub_outer(D, x, y[0]));
        expect_dense(articulated_shift(pose_set(&Y), P), dense_mul(F, dense_mul(D, dense_transpose(F))));
    }
}

/* taubar P and its shift behind a joint about or along z: dense taubar = I - G H. */
static void behind_a_joint(int axis, bool revolute)
{
    for (int n = 0; n < TRIALS; n++) {
        articulated P = random_articulated();
        P.A.zz += 3, P.C.zz += 3;
        soa_pose Y = random_pose();
        const dense D = dense_of(P), F = dense_phi(Y.rotation, Y.position);
        dense taubar = { { { 0 } } };
        for (int i = 0; i < 6; i++) {
            taubar.a[i][i] += 1;
            taubar.a[i][axis] -= D.a[i][axis] / D.a[axis][axis];
        }
        const dense plus = dense_mul(taubar, D);
        const force u = revolute ? articulated_column_wz(P) : articulated_column_vz(P);
        const force g = force_scale(1 / D.a[axis][axis], u);
        const articulated P_plus =
            revolute ? articulated_downdate_revolute(P, u, g) : articulated_downdate_prismatic(P, u, g);
        expect_dense(P_plus, plus);
        const pose X = pose_set(&Y);
        expect_dense(revolute ? articulated_shift_revolute(X, P_plus) : articulated_shift_prismatic(X, P_plus),
            dense_mul(F, dense_mul(plus, dense_transpose(F))));
    }
}

static void behind_a_revolute_joint(void **state)
{
    (void)state;
    behind_a_joint(2, true);
}

static void behind_a_prismatic_joint(void **state)
{
    (void)state;
    behind_a_joint(5, false);
}

int main(void)
{
    seed = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(shifts_of_vectors),
        cmocka_unit_test(poses_compose),
        cmocka_unit_test(cross_products),
        cmocka_unit_test(rigid_inertia),
        cmocka_unit_test(articulated_inertia),
        cmocka_unit_test(behind_a_revolute_joint),
        cmocka_unit_test(behind_a_prismatic_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
