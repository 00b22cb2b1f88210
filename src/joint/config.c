/* joint/config.c - moving on the configuration space of every joint kind. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "joint/displacement.h"
#include "joint/joint.h"
#include "joint/joint.kernel.h"
#include "joint/rotation.h"
#include "spatial/sincos.h"

#define PI 0x1.921fb54442d18p+1

/* Whether q begins with a quaternion. */
static bool has_quaternion(soa_joint_kind kind)
{
    return kind == SOA_SPHERICAL || kind == SOA_FREE;
}

static vec3 turn_z(double c, double s, vec3 v)
{
    return (vec3){ c * v.x - s * v.y, s * v.x + c * v.y, v.z };
}

/* ---- integrate ------------------------------------------------------------------ */

static void integrate_planar(const double *q, const double *beta, double dt, double *q_out)
{
    const vec3 w = { 0.0, 0.0, dt * beta[2] };
    const vec3 v = { dt * beta[0], dt * beta[1], 0.0 };
    double s, c;
    real_sincos(q[2], &s, &c);
    const vec3 shift = turn_z(c, s, soa_shift_exp(w, v));
    q_out[0] = q[0] + shift.x;
    q_out[1] = q[1] + shift.y;
    q_out[2] = q[2] + w.z;
}

static void integrate_rotation(const double *q, vec3 w, double *q_out)
{
    double step[4];
    soa_quaternion_exp(w, step);
    soa_quaternion_multiply(q, step, q_out);
    (void)soa_quaternion_normalize(q_out); /* a non-finite q stays non-finite: soa_joint_check refuses it */
}

static void integrate_free(const double *q, const double *beta, double dt, double *q_out)
{
    const vec3 w = vec3_scale(dt, vec3_set(beta)), v = vec3_scale(dt, vec3_set(beta + 3));
    const vec3 shift = soa_quaternion_turn(q, soa_shift_exp(w, v));
    integrate_rotation(q, w, q_out);
    q_out[4] = q[4] + shift.x;
    q_out[5] = q[5] + shift.y;
    q_out[6] = q[6] + shift.z;
}

void soa_joint_integrate(const soa_joint_shape *shape, const double *q, const double *beta, double dt, double *q_out)
{
    if (shape->kind == SOA_PLANAR) {
        integrate_planar(q, beta, dt, q_out);
    } else if (shape->kind == SOA_SPHERICAL) {
        integrate_rotation(q, vec3_scale(dt, vec3_set(beta)), q_out);
    } else if (shape->kind == SOA_FREE) {
        integrate_free(q, beta, dt, q_out);
    } else {
        for (int i = 0; i < soa_joint_kind_nq(shape->kind); i++) {
            q_out[i] = q[i] + dt * beta[i];
        }
    }
}

/* ---- rates ---------------------------------------------------------------------- */

static void free_rate(const double *q, const double *beta, double *rate)
{
    double unit[4] = { q[0], q[1], q[2], q[3] };
    (void)soa_quaternion_normalize(unit); /* a zero quaternion is refused by soa_joint_check */
    const vec3 shift = soa_quaternion_turn(unit, vec3_set(beta + 3));
    quaternion_rate(q, beta, rate);
    rate[4] = shift.x;
    rate[5] = shift.y;
    rate[6] = shift.z;
}

void soa_joint_rates(const soa_joint_shape *shape, const double *q, const double *beta, double *rate)
{
    if (shape->kind == SOA_PLANAR) {
        double s, c;
        real_sincos(q[2], &s, &c);
        const vec3 shift = turn_z(c, s, (vec3){ beta[0], beta[1], 0.0 });
        rate[0] = shift.x;
        rate[1] = shift.y;
        rate[2] = beta[2];
    } else if (shape->kind == SOA_SPHERICAL) {
        quaternion_rate(q, beta, rate);
    } else if (shape->kind == SOA_FREE) {
        free_rate(q, beta, rate);
    } else {
        memcpy(rate, beta, (size_t)soa_joint_kind_nq(shape->kind) * sizeof *rate);
    }
}

void soa_joint_rates_change(
    const soa_joint_shape *shape, const double *q, const double *beta, const double *along, double *change)
{
    const bool free = shape->kind == SOA_FREE;
    if (shape->kind == SOA_PLANAR) {
        soa_joint_rates(shape, q, (const double[3]){ -along[2] * beta[1], along[2] * beta[0], 0.0 }, change);
    } else if (free || shape->kind == SOA_SPHERICAL) {
        const vec3 w = vec3_set(along), both = vec3_scale(0.5, vec3_cross(w, vec3_set(beta)));
        const vec3 shift = free ? vec3_cross(w, vec3_set(beta + 3)) : vec3_zero();
        soa_joint_rates(shape, q, (const double[6]){ both.x, both.y, both.z, shift.x, shift.y, shift.z }, change);
    }
}

/* ---- difference ----------------------------------------------------------------- */

static void difference_planar(const double *q0, const double *q1, double *beta)
{
    const vec3 w = { 0.0, 0.0, soa_angle_wrap(q1[2] - q0[2]) };
    const vec3 d = { q1[0] - q0[0], q1[1] - q0[1], 0.0 };
    double s, c;
    real_sincos(q0[2], &s, &c);
    const vec3 v = soa_shift_log(w, turn_z(c, -s, d));
    beta[0] = v.x;
    beta[1] = v.y;
    beta[2] = w.z;
}

static vec3 difference_rotation(const double *q0, const double *q1, double *beta)
{
    double turn[4];
    soa_quaternion_between(q0, q1, turn);
    const vec3 w = soa_quaternion_log(turn);
    beta[0] = w.x;
    beta[1] = w.y;
    beta[2] = w.z;
    return w;
}

static void difference_free(const double *q0, const double *q1, double *beta)
{
    const vec3 d = { q1[4] - q0[4], q1[5] - q0[5], q1[6] - q0[6] };
    const vec3 shift = soa_quaternion_turn_back(q0, d);
    const vec3 w = difference_rotation(q0, q1, beta);
    const vec3 v = soa_shift_log(w, shift);
    beta[3] = v.x;
    beta[4] = v.y;
    beta[5] = v.z;
}

void soa_joint_difference(const soa_joint_shape *shape, const double *q0, const double *q1, double *beta)
{
    if (shape->kind == SOA_PLANAR) {
        difference_planar(q0, q1, beta);
    } else if (shape->kind == SOA_SPHERICAL) {
        (void)difference_rotation(q0, q1, beta);
    } else if (shape->kind == SOA_FREE) {
        difference_free(q0, q1, beta);
    } else {
        for (int i = 0; i < soa_joint_kind_nq(shape->kind); i++) {
            beta[i] = q1[i] - q0[i];
        }
    }
}

/* ---- valid q -------------------------------------------------------------------- */

static bool is_finite(const soa_joint_shape *shape, const double *q)
{
    bool finite = true;
    for (int i = 0; i < soa_joint_kind_nq(shape->kind); i++) {
        finite = finite && isfinite(q[i]);
    }
    return finite;
}

soa_status soa_joint_check(const soa_joint_shape *shape, const double *q)
{
    const double tolerance = 1e-6;
    if (!is_finite(shape, q)) {
        return SOA_E_NUMBER;
    }
    if (has_quaternion(shape->kind)) {
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        return fabs(length - 1.0) <= tolerance ? SOA_OK : SOA_E_CONFIGURATION;
    }
    return SOA_OK;
}

/* Whether a quaternion is of unit length but for rounding. */
static bool is_unit(const double q[4])
{
    return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) <= 16.0 * DBL_EPSILON;
}

/* Twice is as once, to the last bit: files keep what was normalised before. */
soa_status soa_joint_normalize(const soa_joint_shape *shape, double *q)
{
    if (!is_finite(shape, q)) {
        return SOA_E_NUMBER;
    }
    if (has_quaternion(shape->kind) && !is_unit(q) && !soa_quaternion_normalize(q)) {
        return SOA_E_CONFIGURATION;
    }
    return SOA_OK;
}

/* ---- random --------------------------------------------------------------------- */

/* Between the limits and, where there is no limit, within range of zero or of the other limit. */
static double random_within(unsigned long long *seed, double lower, double upper, double range)
{
    const double low = fmax(lower, upper <= -range ? upper - range : -range);
    const double high = fmin(upper, lower >= range ? lower + range : range);
    return fmin(fmax(soa_random_between(seed, low, high), low), high);
}

/* Uniform in the unit ball of that dimension, away from its centre, then unit length. */
static void random_direction(unsigned long long *seed, int n, double *a)
{
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < n; i++) {
            a[i] = soa_random_next(seed);
            square += a[i] * a[i];
        }
    } while (square > 1.0 || square < 0.01);
    for (int i = 0; i < n; i++) {
        a[i] /= sqrt(square);
    }
}

/* A rotation by at most `angle`: axis uniform, angle the largest of three as in a ball. */
static void random_rotation(unsigned long long *seed, double angle, double q[4])
{
    double axis[3], share = 0.0;
    if (!(angle < PI)) {
        random_direction(seed, 4, q);
        return;
    }
    random_direction(seed, 3, axis);
    for (int i = 0; i < 3; i++) {
        share = fmax(share, fabs(soa_random_next(seed)));
    }
    soa_quaternion_exp(vec3_scale(share * angle, vec3_set(axis)), q);
}

void soa_joint_random(
    const soa_joint_shape *shape, const double *lower, const double *upper, unsigned long long *seed, double *q)
{
    const soa_joint_kind kind = shape->kind;
    if (kind == SOA_SPHERICAL) {
        random_rotation(seed, upper[0], q);
        return;
    }
    if (kind == SOA_FREE) {
        random_rotation(seed, PI, q);
        for (int i = 3; i < 6; i++) {
            q[i + 1] = random_within(seed, lower[i], upper[i], 1.0);
        }
        return;
    }
    for (int i = 0; i < soa_joint_kind_nq(kind); i++) {
        const bool slide =
            kind == SOA_PRISMATIC || (kind == SOA_CYLINDRICAL && i == 1) || (kind == SOA_PLANAR && i < 2);
        q[i] = random_within(seed, lower[i], upper[i], slide ? 1.0 : PI);
    }
}
