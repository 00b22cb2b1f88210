/* Poses and inertias of the API against formulas written out with the C library. */
#include "spatial/check.h"

#include "soa/spatial.h"
#include "spatial/atan2.h"

static unsigned long long seed = 3;
static const double origin[3] = { 0, 0, 0 };

static void expect_same_rotation(const soa_pose *a, const soa_pose *b, double tolerance)
{
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(a->rotation[i / 3][i % 3], b->rotation[i / 3][i % 3], tolerance);
    }
}

/* Rz(yaw) Ry(pitch) Rx(roll) as three turns about axes. */
static soa_pose three_turns(const double rpy[3])
{
    const double x[3] = { 2, 0, 0 }, y[3] = { 0, 3, 0 }, z[3] = { 0, 0, 0.5 };
    const soa_pose Rx = soa_pose_from_axis_angle(origin, x, rpy[0]);
    const soa_pose Ry = soa_pose_from_axis_angle(origin, y, rpy[1]);
    const soa_pose Rz = soa_pose_from_axis_angle(origin, z, rpy[2]);
    const soa_pose Ryx = soa_pose_compose(&Ry, &Rx);
    return soa_pose_compose(&Rz, &Ryx);
}

static void turn_about_z(void **state)
{
    (void)state;
    const double z[3] = { 0, 0, 7 }, position[3] = { 1, 2, 3 };
    const soa_pose X = soa_pose_from_axis_angle(position, z, 0.3);
    const double expected[3][3] = { { cos(0.3), -sin(0.3), 0 }, { sin(0.3), cos(0.3), 0 }, { 0, 0, 1 } };
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(X.rotation[i / 3][i % 3], expected[i / 3][i % 3], 2 * EPS);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(X.position[i] == position[i]);
    }
}

static void rpy_is_three_turns_and_back(void **state)
{
    (void)state;
    for (int n = 0; n < 500; n++) {
        double rpy[3], back[3];
        random_fill(&seed, 3, rpy);
        rpy[0] *= 3, rpy[1] *= 1.5, rpy[2] *= 3;
        if (n % 4 == 0) { /* pitch of a right angle: only roll -+ yaw is defined */
            rpy[1] = n % 8 ? HALF_PI : -HALF_PI;
        }
        const soa_pose X = soa_pose_from_rpy(origin, rpy), Y = three_turns(rpy);
        expect_same_rotation(&X, &Y, 8 * EPS);
        soa_pose_rpy(&X, back);
        const soa_pose Z = soa_pose_from_rpy(origin, back);
        expect_same_rotation(&X, &Z, 8 * EPS);
        for (int i = 0; i < 3 && n % 4; i++) {
            CHECK_NEAR(back[i], rpy[i], 1e-13);
        }
    }
}

static void quaternion_is_axis_and_angle(void **state)
{
    (void)state;
    for (int n = 0; n < 500; n++) {
        double axis[3], back[4];
        random_fill(&seed, 3, axis);
        const double angle = n % 5 == 0 ? PI : n % 5 == 1 ? 1e-9 : 3.1 * soa_random_next(&seed);
        const double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        const double s = 1e3 * sin(angle / 2) / size;
        const double q[4] = { 1e3 * cos(angle / 2), s * axis[0], s * axis[1], s * axis[2] };
        const soa_pose X = soa_pose_from_quaternion(origin, q), Y = soa_pose_from_axis_angle(origin, axis, angle);
        expect_same_rotation(&X, &Y, 8 * EPS);
        soa_pose_quaternion(&X, back);
        assert_true(back[0] >= 0);
        const soa_pose Z = soa_pose_from_quaternion(origin, back);
        expect_same_rotation(&X, &Z, 8 * EPS);
    }
}

/* Of the two quaternions of half a turn about a positive axis, the one with that axis. */
static void half_turns_keep_their_axis(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        double axis[4] = { 0 }, back[4];
        axis[1 + i] = 1.0;
        const soa_pose X = soa_pose_from_quaternion(origin, axis);
        soa_pose_quaternion(&X, back);
        for (int n = 0; n < 4; n++) {
            assert_true(back[n] == axis[n]);
        }
    }
}

static void zero_and_infinite_directions_give_nan(void **state)
{
    (void)state;
    const double bad[3][4] = { { 0, 0, 0, 0 }, { 1, INFINITY, 0, 0 }, { 1, 0, NAN, 0 } };
    for (int n = 0; n < 3; n++) {
        const soa_pose X = soa_pose_from_quaternion(origin, bad[n]), Y = soa_pose_from_axis_angle(origin, bad[n], 1);
        for (int i = 0; i < 9; i++) {
            assert_true(isnan(X.rotation[i / 3][i % 3]));
            assert_true(isnan(Y.rotation[i / 3][i % 3]));
        }
    }
}

static void inverse_undoes(void **state)
{
    (void)state;
    const double rpy[3] = { 0.4, -1.1, 2.2 }, position[3] = { 1, -2, 0.5 };
    const soa_pose X = soa_pose_from_rpy(position, rpy), Y = soa_pose_inverse(&X), I = soa_pose_identity();
    const soa_pose XY = soa_pose_compose(&X, &Y);
    expect_same_rotation(&XY, &I, 4 * EPS);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(XY.position[i], 0, 8 * EPS);
    }
}

/* Two bodies made of point masses: sums over the points. */
static void inertia_of_point_masses(void **state)
{
    enum { POINTS = 4 };
    soa_inertia body[3];
    double mass[POINTS], x[POINTS][3];
    (void)state;
    random_fill(&seed, POINTS * 3, &x[0][0]);
    const double rpy[3] = { 0.7, 0.2, -2 }, position[3] = { 0.3, 1, -0.4 };
    const soa_pose X = soa_pose_from_rpy(position, rpy);
    for (int b = 0; b < 3; b++) { /* all points, the first two, the others */
        double m = 0, c[3] = { 0 }, I[6] = { 0 };
        for (int i = b == 2 ? 2 : 0; i < (b == 1 ? 2 : POINTS); i++) {
            mass[i] = 1 + i;
            m += mass[i];
            for (int k = 0; k < 3; k++) {
                c[k] += mass[i] * x[i][k];
            }
        }
        for (int i = b == 2 ? 2 : 0; i < (b == 1 ? 2 : POINTS); i++) {
            const double r[3] = { x[i][0] - c[0] / m, x[i][1] - c[1] / m, x[i][2] - c[2] / m };
            const double term[6] = { r[1] * r[1] + r[2] * r[2], -r[0] * r[1], -r[0] * r[2], r[0] * r[0] + r[2] * r[2],
                -r[1] * r[2], r[0] * r[0] + r[1] * r[1] };
            for (int k = 0; k < 6; k++) {
                I[k] += mass[i] * term[k];
            }
        }
        body[b] = (soa_inertia){ m, { c[0] / m, c[1] / m, c[2] / m }, { I[0], I[1], I[2], I[3], I[4], I[5] } };
    }
    const soa_inertia sum = soa_inertia_add(&body[1], &body[2]);
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR((&sum.mass)[i], (&body[0].mass)[i], 64 * EPS);
    }
    /* transformed and summed = summed and transformed; principal moments do not change */
    const soa_inertia a = soa_inertia_transform(&X, &body[1]), b = soa_inertia_transform(&X, &body[2]);
    const soa_inertia ab = soa_inertia_add(&a, &b), t = soa_inertia_transform(&X, &sum);
    double p[3], q[3];
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR((&ab.mass)[i], (&t.mass)[i], 128 * EPS);
    }
    soa_inertia_principal(&t, p);
    soa_inertia_principal(&sum, q);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(p[i], q[i], 128 * EPS);
    }
}

/* R diag(d) R* has the principal moments d, also if two are equal or one is tiny. */
static void principal_moments(void **state)
{
    const double d[][3] = { { 1, 2, 3 }, { 2, 2, 5 }, { 1e-9, 1, 1 }, { 4, 4, 4 }, { 0, 0, 0 },
        { 1e-200, 2e-200, 3e-200 } };
    (void)state;
    for (size_t n = 0; n < sizeof d / sizeof *d; n++) {
        const double rpy[3] = { 1, 0.3, -0.8 };
        const soa_pose X = soa_pose_from_rpy(origin, rpy);
        const soa_inertia I = { 1, { 0, 0, 0 }, { d[n][1], 0, 0, d[n][2], 0, d[n][0] } };
        const soa_inertia T = soa_inertia_transform(&X, &I);
        double p[3];
        soa_inertia_principal(&T, p);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(p[i], d[n][i], 16 * EPS * d[n][2]);
        }
    }
}

static void atan2_against_the_c_library(void **state)
{
    double worst = 0;
    (void)state;
    for (int n = 0; n < 200000; n++) {
        const double scale = n % 3 ? 1 : exp(300 * soa_random_next(&seed));
        const double y = scale * soa_random_next(&seed), x = soa_random_next(&seed);
        const long double exact = atan2l(y, x);
        const double rounded = fabs((double)exact);
        const double ulp = nextafter(rounded, INFINITY) - rounded;
        worst = fmax(worst, (double)fabsl((soa_atan2(y, x) - exact) / ulp));
    }
    print_message("atan2: largest error %.3f ulp\n", worst);
    assert_true(worst < 2);
    const double special[] = { 0.0, -0.0, 1, -1, INFINITY, -INFINITY, 1e308, 5e-324, -1.7e308 };
    for (int i = 0; i < 81; i++) {
        const double y = special[i / 9], x = special[i % 9];
        CHECK_NEAR(soa_atan2(y, x), atan2(y, x), 4 * EPS);
        assert_int_equal(signbit(soa_atan2(y, x)) != 0, signbit(atan2(y, x)) != 0);
    }
    assert_true(isnan(soa_atan2(NAN, 1)) && isnan(soa_atan2(1, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turn_about_z),
        cmocka_unit_test(rpy_is_three_turns_and_back),
        cmocka_unit_test(quaternion_is_axis_and_angle),
        cmocka_unit_test(half_turns_keep_their_axis),
        cmocka_unit_test(zero_and_infinite_directions_give_nan),
        cmocka_unit_test(inverse_undoes),
        cmocka_unit_test(inertia_of_point_masses),
        cmocka_unit_test(principal_moments),
        cmocka_unit_test(atan2_against_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
