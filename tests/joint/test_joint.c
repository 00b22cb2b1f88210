/* Every joint kind, forward and reversed: pose, map and bias by numerical differentiation; the
 * configuration space by laws. */
#include "spatial/check.h"

#include <stdlib.h>

#include "joint/displacement.h"
#include "joint/joint.kernel.h"
#include "joint/rotation.h"

#define SHAPES 24
#define TRIALS 20

static unsigned long long seed = 17;

/* Every kind, forward and reversed, universal with several first axes. */
static soa_joint_shape shape_number(int i)
{
    const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0.6, 0, 0.8 } };
    const int kind = i / 2 < SOA_JOINT_KINDS ? i / 2 : SOA_UNIVERSAL;
    const double *a = axes[i / 2 < SOA_JOINT_KINDS ? 0 : i / 2 - SOA_JOINT_KINDS + 1];
    return (soa_joint_shape){ (soa_joint_kind)kind, i % 2, 0.3, { a[0], a[1], a[2] } };
}

static void no_limits(double lower[6], double upper[6])
{
    for (int i = 0; i < 6; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
}

static void random_q(const soa_joint_shape *shape, double *q)
{
    double lower[6], upper[6];
    no_limits(lower, upper);
    soa_joint_random(shape, lower, upper, &seed, q);
}

static void pose_numbers(const soa_joint_shape *shape, const double *q, double x[12])
{
    const pose X = joint_pose(shape, q);
    memcpy(x, &X, sizeof X);
}

/* The relative velocity in outboard axes at time t on the path that integrates beta from q:
 * (R* dR/dt, R* dl/dt), the derivatives by central differences of sixth order. */
static void measured_velocity(const soa_joint_shape *shape, const double *q, const double *beta, double t, double V[6])
{
    const double h = 4e-3, weight[3] = { 3.0 / 4, -3.0 / 20, 1.0 / 60 };
    double X[12], x[12], rate[12] = { 0 }, qk[7];
    soa_joint_integrate(shape, q, beta, t, qk);
    pose_numbers(shape, qk, X);
    for (int k = -3; k <= 3; k++) {
        soa_joint_integrate(shape, q, beta, t + k * h, qk);
        pose_numbers(shape, qk, x);
        for (int i = 0; i < 12 && k != 0; i++) {
            rate[i] += (k < 0 ? -1 : 1) * weight[abs(k) - 1] * x[i] / h;
        }
    }
    double W[3][3];
    for (int i = 0; i < 3; i++) {
        V[3 + i] = 0;
        for (int k = 0; k < 3; k++) {
            V[3 + i] += X[3 * k + i] * rate[9 + k];
        }
        for (int j = 0; j < 3; j++) {
            W[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                W[i][j] += X[3 * k + i] * rate[3 * k + j];
            }
        }
    }
    V[0] = (W[2][1] - W[1][2]) / 2;
    V[1] = (W[0][2] - W[2][0]) / 2;
    V[2] = (W[1][0] - W[0][1]) / 2;
}

static motion velocity(const soa_joint_shape *shape, const double *q, const double *beta)
{
    return joint_velocity(shape, joint_pose(shape, q), beta);
}

/* dX/dt = X (H* beta)~ along the whole path, so integrate is exact for a constant beta. */
static void map_is_the_rate_of_the_pose(void **state)
{
    const double times[] = { 0, 0.2, 1, 2.5 };
    (void)state;
    for (int i = 0; i < SHAPES * TRIALS; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        double q[7], qt[7], beta[6], V[6];
        random_q(&shape, q);
        random_fill(&seed, 6, beta);
        for (int k = 0; k < 4; k++) {
            measured_velocity(&shape, q, beta, times[k], V);
            soa_joint_integrate(&shape, q, beta, times[k], qt);
            const motion U = velocity(&shape, qt, beta);
            for (int j = 0; j < 6; j++) {
                CHECK_NEAR((&U.w.x)[j], V[j], 2e-11);
            }
        }
    }
}

/* d/dt (H* beta) = H* betadot + bias */
static void bias_is_the_rate_of_the_map(void **state)
{
    const double h = 4e-3, weight[3] = { 3.0 / 4, -3.0 / 20, 1.0 / 60 };
    (void)state;
    for (int i = 0; i < SHAPES * TRIALS; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        double q[7], beta[6], beta_dot[6], measured[6] = { 0 };
        random_q(&shape, q);
        random_fill(&seed, 6, beta);
        random_fill(&seed, 6, beta_dot);
        for (int k = -3; k <= 3; k++) {
            double qk[7], beta_k[6];
            soa_joint_integrate(&shape, q, beta, k * h, qk); /* exact to first order, which is all that counts */
            for (int j = 0; j < 6; j++) {
                beta_k[j] = beta[j] + k * h * beta_dot[j];
            }
            const motion V = velocity(&shape, qk, beta_k);
            for (int j = 0; j < 6 && k != 0; j++) {
                measured[j] += (k < 0 ? -1 : 1) * weight[abs(k) - 1] * (&V.w.x)[j] / h;
            }
        }
        const pose X = joint_pose(&shape, q);
        const motion a = motion_add(joint_velocity(&shape, X, beta_dot), joint_bias(&shape, X, beta));
        for (int j = 0; j < 6; j++) {
            CHECK_NEAR((&a.w.x)[j], measured[j], 2e-11);
        }
        if (!joint_has_bias(&shape)) {
            const motion zero = joint_bias(&shape, X, beta);
            for (int j = 0; j < 6; j++) {
                assert_true((&zero.w.x)[j] == 0.0);
            }
        }
    }
}

/* The pose of each kind as joint.h says, built from the turns and slides of the API. */
static soa_pose expected_pose(const soa_joint_shape *shape, const double *q)
{
    const double z[3] = { 0, 0, 1 }, o[3] = { 0, 0, 0 };
    const double slide[3] = { 0, 0, shape->kind == SOA_HELICAL ? 0.3 * q[0] : q[0] };
    const double along[3] = { 0, 0, q[1] }, in_plane[3] = { q[0], q[1], 0 };
    soa_pose a, b;
    switch (shape->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        return soa_pose_from_axis_angle(o, z, q[0]);
    case SOA_PRISMATIC:
        return soa_pose_from_axis_angle(slide, z, 0);
    case SOA_HELICAL:
        return soa_pose_from_axis_angle(slide, z, q[0]);
    case SOA_UNIVERSAL:
        a = soa_pose_from_axis_angle(o, shape->axis1, q[0]);
        b = soa_pose_from_axis_angle(o, z, q[1]);
        return soa_pose_compose(&a, &b);
    case SOA_CYLINDRICAL:
        return soa_pose_from_axis_angle(along, z, q[0]);
    case SOA_PLANAR:
        return soa_pose_from_axis_angle(in_plane, z, q[2]);
    case SOA_SPHERICAL:
        return soa_pose_from_quaternion(o, q);
    case SOA_FREE:
        return soa_pose_from_quaternion(q + 4, q);
    default:
        return soa_pose_identity();
    }
}

static void poses_are_as_documented(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES * TRIALS; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        double q[7], x[12];
        random_q(&shape, q);
        soa_pose expected = expected_pose(&shape, q);
        if (shape.reversed) {
            expected = soa_pose_inverse(&expected);
        }
        pose_numbers(&shape, q, x);
        for (int j = 0; j < 9; j++) {
            CHECK_NEAR(x[j], expected.rotation[j / 3][j % 3], 8 * EPS);
        }
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(x[9 + j], expected.position[j], 16 * EPS);
        }
    }
}

/* The q at which both sides of a joint coincide. */
static void neutral(soa_joint_kind kind, double *q)
{
    for (int i = 0; i < soa_joint_kind_nq(kind); i++) {
        q[i] = i == 0 && (kind == SOA_SPHERICAL || kind == SOA_FREE) ? 1.0 : 0.0;
    }
}

static void neutral_is_the_identity(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        const soa_joint_shape shape = shape_number(i);
        const double identity[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
        double q[7] = { 9, 9, 9, 9, 9, 9, 9 }, x[12];
        neutral(shape.kind, q);
        pose_numbers(&shape, q, x);
        for (int j = 0; j < 12; j++) {
            assert_true(x[j] == identity[j]);
        }
        motion H_t[6];
        assert_int_equal(joint_map(&shape, joint_pose(&shape, q), H_t), soa_joint_kind_nv(shape.kind));
    }
}

/* difference(q, integrate(q, v)) = v for turns below pi: tiny, middling and almost pi. */
static void difference_inverts_integrate(void **state)
{
    const double sizes[] = { 0, 1e-200, 1e-12, 1e-7, 1e-3, 0.1, 0.49, 0.51, 0.99, 1.01, 2, 3.1, PI - 1e-7 };
    (void)state;
    for (int i = 0; i < SHAPES * TRIALS * 13; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        const int nv = soa_joint_kind_nv(shape.kind);
        const double size = sizes[i / SHAPES % 13];
        double q[7], q1[7], v[6], back[6];
        random_q(&shape, q);
        random_fill(&seed, 6, v);
        const int first = shape.kind == SOA_PLANAR ? 2 : 0; /* of the angular velocities */
        double length = 0;
        for (int j = first; j < 3; j++) {
            length += v[j] * v[j];
        }
        for (int j = first; j < 3; j++) {
            v[j] *= size / sqrt(length);
        }
        soa_joint_integrate(&shape, q, v, 1, q1);
        soa_joint_difference(&shape, q, q1, back);
        for (int j = 0; j < nv; j++) {
            CHECK_NEAR(back[j], v[j], size > 3.14 ? 1e-7 : 64 * EPS);
        }
    }
}

/* The rates of the coordinates are the slopes of integrate(q, v, t) at t = 0. */
static void rates_are_slopes(void **state)
{
    const double h = 1e-5;
    (void)state;
    for (int i = 0; i < SHAPES * 10; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        double q[7], before[7], after[7], rate[7], v[6];
        random_q(&shape, q);
        random_fill(&seed, 6, v);
        soa_joint_rates(&shape, q, v, rate);
        soa_joint_integrate(&shape, q, v, -h, before);
        soa_joint_integrate(&shape, q, v, h, after);
        for (int j = 0; j < soa_joint_kind_nq(shape.kind); j++) {
            CHECK_NEAR((after[j] - before[j]) / (2 * h), rate[j], 1e-7);
        }
    }
}

/* How the rates change along a second motion, but for what only makes a quaternion longer. */
static void changes_of_rates_are_slopes(void **state)
{
    const double h = 1e-5;
    (void)state;
    for (int i = 0; i < SHAPES * 10; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        const bool turns = shape.kind == SOA_SPHERICAL || shape.kind == SOA_FREE;
        double q[7], v[6], along[6], rate[7], at[7], side[2][7], change[7] = { 0 }, slope[7], radial = 0.0;
        random_q(&shape, q);
        random_fill(&seed, 6, v);
        random_fill(&seed, 6, along);
        soa_joint_rates_change(&shape, q, v, along, change);
        soa_joint_rates(&shape, q, along, rate);
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < soa_joint_kind_nq(shape.kind); j++) {
                at[j] = q[j] + (2 * k - 1) * h * rate[j];
            }
            soa_joint_rates(&shape, at, v, side[k]);
        }
        for (int j = 0; j < soa_joint_kind_nq(shape.kind); j++) {
            slope[j] = (side[1][j] - side[0][j]) / (2 * h);
            radial += turns && j < 4 ? slope[j] * q[j] : 0.0;
        }
        for (int j = 0; j < soa_joint_kind_nq(shape.kind); j++) {
            CHECK_NEAR(slope[j] - (turns && j < 4 ? radial * q[j] : 0.0), change[j], 1e-7);
        }
    }
}

/* Small turns keep their relative accuracy when the body begins unturned. */
static void small_turns_are_relative(void **state)
{
    (void)state;
    for (int kind = SOA_SPHERICAL; kind <= SOA_FREE; kind++) {
        for (double size = 1e-300; size < 1; size *= 1e10) {
            const soa_joint_shape shape = { .kind = (soa_joint_kind)kind };
            double q[7], q1[7], v[6] = { size, -2 * size, 0.5 * size, 0, 0, 0 }, back[6];
            neutral(shape.kind, q);
            soa_joint_integrate(&shape, q, v, 1, q1);
            soa_joint_difference(&shape, q, q1, back);
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(back[j] / v[j], 1, 8 * EPS);
            }
        }
    }
}

/* integrate(q0, difference(q0, q1)) has the pose of q1 for any two, half turns among them. */
static void integrate_inverts_difference(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES * TRIALS; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        double q0[7], q1[7], q2[7], v[6], x1[12], x2[12];
        random_q(&shape, q0);
        random_q(&shape, q1);
        if (i % 3 == 0 && (shape.kind == SOA_SPHERICAL || shape.kind == SOA_FREE)) {
            const double half_turn[4] = { -q0[1], q0[0], q0[3], -q0[2] }; /* q0 times i */
            memcpy(q1, half_turn, sizeof half_turn);
        }
        if (shape.kind == SOA_PLANAR) {
            q1[2] += i % 5 * 2 * PI;
        }
        soa_joint_difference(&shape, q0, q1, v);
        soa_joint_integrate(&shape, q0, v, 1, q2);
        pose_numbers(&shape, q1, x1);
        pose_numbers(&shape, q2, x2);
        for (int j = 0; j < 12; j++) {
            CHECK_NEAR(x1[j], x2[j], 64 * EPS);
        }
        for (int j = 0; j < 3 && (shape.kind == SOA_SPHERICAL || shape.kind == SOA_FREE); j++) {
            assert_true(fabs(v[j]) <= PI * (1 + 2 * EPS));
        }
        assert_true(shape.kind != SOA_PLANAR || fabs(v[2]) <= PI * (1 + 2 * EPS));
        soa_joint_integrate(&shape, q0, v, 1, q0); /* in place */
        assert_memory_equal(q0, q2, sizeof(double) * (size_t)soa_joint_kind_nq(shape.kind));
    }
}

static void bad_configurations_are_refused(void **state)
{
    (void)state;
    double no_quaternion[4] = { 1, 0, NAN, 0 };
    assert_false(soa_quaternion_normalize(no_quaternion));
    for (int i = 0; i < SHAPES; i++) {
        const soa_joint_shape shape = shape_number(i);
        const int nq = soa_joint_kind_nq(shape.kind);
        double q[7], kept[7];
        random_q(&shape, q);
        assert_int_equal(soa_joint_check(&shape, q), SOA_OK);
        for (int j = 0; j < 2 * nq; j++) {
            memcpy(kept, q, sizeof q);
            kept[j / 2] = j % 2 ? NAN : -INFINITY;
            double bad[7];
            memcpy(bad, kept, sizeof bad);
            assert_int_equal(soa_joint_check(&shape, bad), SOA_E_NUMBER);
            assert_int_equal(soa_joint_normalize(&shape, bad), SOA_E_NUMBER);
            assert_memory_equal(bad, kept, sizeof(double) * (size_t)nq);
        }
        if (shape.kind == SOA_SPHERICAL || shape.kind == SOA_FREE) {
            double zero[7] = { 0 }, near[7], far[7];
            for (int j = 0; j < 7; j++) {
                near[j] = j < 4 ? q[j] * (1 + 5e-7) : 1;
                far[j] = j < 4 ? q[j] * (1 + 2e-6) : 1;
            }
            assert_int_equal(soa_joint_check(&shape, near), SOA_OK);
            assert_int_equal(soa_joint_check(&shape, far), SOA_E_CONFIGURATION);
            assert_int_equal(soa_joint_normalize(&shape, zero), SOA_E_CONFIGURATION);
            assert_int_equal(soa_joint_normalize(&shape, far), SOA_OK);
            for (int j = 0; j < 4; j++) {
                CHECK_NEAR(far[j], q[j], 4 * EPS);
            }
        }
    }
}

/* Whole turns are taken off an angle to the last digit: it is less n times 2 pi, which long double knows, 2 pi being a sum of
 * two numbers and n small. */
static void angles_are_wrapped(void **state)
{
    const long double turn = 0x1.921fb54442d18p+2L, turn_lo = 0x1.1a62633145c07p-52L;
    (void)state;
    for (int i = 0; i < 5000; i++) {
        double x;
        random_fill(&seed, 1, &x);
        const double angle = (i % 2 == 0 ? 100.0 : 7.0) * x, y = soa_angle_wrap(angle);
        const long double n = rintl((long double)angle / turn), left = ((long double)angle - n * turn) - n * turn_lo;
        const double ulp = nextafter(fabs(y), INFINITY) - fabs(y);
        assert_true(fabsl(y - left) <= ulp);
    }
}

/* Without limits an angle goes all the way round and a length one metre either way. */
static void random_is_an_angle_or_a_length(void **state)
{
    static const struct {
        soa_joint_kind kind;
        bool slides[3];
    } joint[] = { { SOA_REVOLUTE, { false } }, { SOA_PRISMATIC, { true } }, { SOA_CYLINDRICAL, { false, true } },
        { SOA_PLANAR, { true, true, false } } };
    const double lower[6] = { -INFINITY, -INFINITY, -INFINITY }, upper[6] = { INFINITY, INFINITY, INFINITY };
    (void)state;
    for (size_t k = 0; k < sizeof joint / sizeof joint[0]; k++) {
        const soa_joint_shape shape = { .kind = joint[k].kind };
        double largest[3] = { 0 }, q[7];
        for (int i = 0; i < 200; i++) {
            soa_joint_random(&shape, lower, upper, &seed, q);
            for (int j = 0; j < soa_joint_kind_nq(shape.kind); j++) {
                largest[j] = fmax(largest[j], fabs(q[j]));
            }
        }
        for (int j = 0; j < soa_joint_kind_nq(shape.kind); j++) {
            assert_true(joint[k].slides[j] ? largest[j] <= 1.0 : largest[j] > 2.0 && largest[j] <= PI);
        }
    }
}

static void random_stays_inside_limits(void **state)
{
    const double limits[][2] = { { -0.5, 0.25 }, { 2, 2 }, { 5, 6 }, { 5, INFINITY }, { -INFINITY, -7 },
        { -INFINITY, INFINITY }, { 0, INFINITY } };
    (void)state;
    for (int i = 0; i < SHAPES * TRIALS * 7; i++) {
        const soa_joint_shape shape = shape_number(i % SHAPES);
        const double low = limits[i / SHAPES % 7][0], high = limits[i / SHAPES % 7][1];
        double lower[6], upper[6], q[7];
        for (int j = 0; j < 6; j++) {
            lower[j] = low;
            upper[j] = high;
        }
        soa_joint_random(&shape, lower, upper, &seed, q);
        if (shape.kind == SOA_SPHERICAL && high > 0) {
            const double none[4] = { 1, 0, 0, 0 };
            double v[3];
            soa_joint_difference(&shape, none, q, v);
            assert_true(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) <= high + 1e-12);
        }
        const int nq = soa_joint_kind_nq(shape.kind);
        for (int j = shape.kind == SOA_FREE ? 4 : shape.kind == SOA_SPHERICAL ? 4 : 0; j < nq; j++) {
            assert_true(q[j] >= low && q[j] <= high && isfinite(q[j]));
            assert_true(!isinf(low) || !isinf(high) || fabs(q[j]) <= PI);
        }
        assert_true(soa_joint_check(&shape, q) == SOA_OK || (shape.kind == SOA_SPHERICAL && high < 0));
    }
}

/* A joint that may move does, also where its limits begin just as far off as a joint without limits goes. */
static void random_moves(void **state)
{
    static const struct {
        soa_joint_kind kind;
        double low, high;
    } joint[] = { { SOA_PRISMATIC, 1.0, INFINITY }, { SOA_PRISMATIC, -INFINITY, -1.0 }, { SOA_PRISMATIC, 1.0, 5.0 },
        { SOA_PRISMATIC, -5.0, -1.0 }, { SOA_PRISMATIC, -1.0, 1.0 }, { SOA_REVOLUTE, PI, INFINITY },
        { SOA_REVOLUTE, -2 * PI, -PI } };
    (void)state;
    for (size_t k = 0; k < sizeof joint / sizeof joint[0]; k++) {
        const soa_joint_shape shape = { .kind = joint[k].kind };
        double least = INFINITY, most = -INFINITY, q;
        for (int i = 0; i < 200; i++) {
            soa_joint_random(&shape, &joint[k].low, &joint[k].high, &seed, &q);
            least = fmin(least, q);
            most = fmax(most, q);
        }
        assert_true(least >= joint[k].low && most <= joint[k].high);
        assert_true(most - least > 0.9 && most - least <= 2 * PI);
    }
}

static void kinds_are_found_by_text(void **state)
{
    (void)state;
    for (int k = 0; k < SOA_JOINT_KINDS; k++) {
        assert_int_equal(soa_joint_kind_find(soa_joint_kind_text((soa_joint_kind)k)), k);
        assert_in_range(soa_joint_kind_nq((soa_joint_kind)k), soa_joint_kind_nv((soa_joint_kind)k), SOA_JOINT_MAX_NQ);
    }
    assert_int_equal(soa_joint_kind_find("hinge"), SOA_JOINT_KINDS);
    assert_int_equal(soa_joint_kind_find(NULL), SOA_JOINT_KINDS);
    assert_int_equal(soa_joint_kind_nq(SOA_JOINT_KINDS), 0);
    assert_int_equal(soa_joint_kind_nv((soa_joint_kind)99), 0);
    assert_string_equal(soa_joint_kind_text(SOA_JOINT_KINDS), "unknown joint kind");
    assert_string_equal(soa_joint_kind_coordinates(SOA_FIXED), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_as_documented),
        cmocka_unit_test(neutral_is_the_identity),
        cmocka_unit_test(map_is_the_rate_of_the_pose),
        cmocka_unit_test(bias_is_the_rate_of_the_map),
        cmocka_unit_test(difference_inverts_integrate),
        cmocka_unit_test(rates_are_slopes),
        cmocka_unit_test(changes_of_rates_are_slopes),
        cmocka_unit_test(small_turns_are_relative),
        cmocka_unit_test(integrate_inverts_difference),
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(random_is_an_angle_or_a_length),
        cmocka_unit_test(random_stays_inside_limits),
        cmocka_unit_test(angles_are_wrapped),
        cmocka_unit_test(random_moves),
        cmocka_unit_test(kinds_are_found_by_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
