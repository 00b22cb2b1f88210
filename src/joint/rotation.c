/* joint/rotation.c - exponential and logarithm of rotations. */
#include "joint/rotation.h"

#include <math.h>

#include "joint/joint.kernel.h"
#include "spatial/atan2.h"

void soa_quaternion_multiply(const double a[4], const double b[4], double r[4])
{
    const vec3 u = { a[1], a[2], a[3] }, v = { b[1], b[2], b[3] };
    const vec3 n = vec3_cross_add(u, v, vec3_scale_add(a[0], v, vec3_scale(b[0], u)));
    r[0] = a[0] * b[0] - vec3_dot(u, v);
    r[1] = n.x;
    r[2] = n.y;
    r[3] = n.z;
}

void soa_quaternion_between(const double a[4], const double b[4], double r[4])
{
    const double inverse[4] = { a[0], -a[1], -a[2], -a[3] };
    soa_quaternion_multiply(inverse, b, r);
}

double soa_log_curve(vec3 x)
{
    const double t2 = vec3_dot(x, x), t = sqrt(t2);
    return t2 < 1e-8 ? 1.0 / 12.0 + t2 / 720.0 : (1.0 - 0.5 * t / tan(0.5 * t)) / t2;
}

double soa_sinc(double x)
{
    double s, c;
    real_sincos(x, &s, &c);
    return x == 0.0 ? 1.0 : s / x;
}

/* q = (cos(t/2), u sin(t/2)/t), t = |u| */
void soa_quaternion_exp(vec3 u, double q[4])
{
    const double half = 0.5 * sqrt(vec3_dot(u, u));
    const double k = 0.5 * soa_sinc(half);
    double s;
    real_sincos(half, &s, &q[0]);
    q[1] = k * u.x;
    q[2] = k * u.y;
    q[3] = k * u.z;
}

/* u = 2 atan2(|v|, w) v/|v|; atan2 is accurate at both ends, where acos is not. */
vec3 soa_quaternion_log(const double q[4])
{
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    const double w = sign * q[0];
    const vec3 v = { sign * q[1], sign * q[2], sign * q[3] };
    const double length = sqrt(vec3_dot(v, v));
    const double tiny = 0x1p-400; /* below, the squares lose bits and the angle is 2 |v| / w */
    return vec3_scale(length > tiny ? 2.0 * soa_atan2(length, w) / length : 2.0 / w, v);
}

vec3 soa_quaternion_turn(const double q[4], vec3 v)
{
    return mat3_mul_vec(rotation_of_quaternion(q), v);
}

vec3 soa_quaternion_turn_back(const double q[4], vec3 v)
{
    return mat3_t_mul_vec(rotation_of_quaternion(q), v);
}

bool soa_quaternion_normalize(double q[4])
{
    double most = 0.0, square = 0.0, unit[4];
    for (int i = 0; i < 4; i++) {
        if (!isfinite(q[i])) {
            return false;
        }
        most = fabs(q[i]) > most ? fabs(q[i]) : most;
    }
    if (most == 0.0) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        unit[i] = q[i] / most;
        square += unit[i] * unit[i];
    }
    const double length = sqrt(square);
    for (int i = 0; i < 4; i++) {
        q[i] = unit[i] / length;
    }
    return true;
}
