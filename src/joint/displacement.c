/* joint/displacement.c - the shift that goes with a turn.
 *
 *     V(w)    = I + a w~ + b w~ w~,    a = (1 - cos t)/t^2,  b = (t - sin t)/t^3,  t = |w|
 *     V(w)^-1 = I - w~/2 + d w~ w~,    d = (1 - (t/2) cot (t/2)) / t^2
 *
 * The plane is the special case w = (0, 0, w), v = (vx, vy, 0). */
#include "joint/displacement.h"

#include <math.h>

#include "joint/rotation.h"
#include "spatial/sincos.h"

static double polynomial(int n, const double *coefficient, double x)
{
    double sum = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        sum = sum * x + coefficient[i];
    }
    return sum;
}

/* (t - sin t) / t^3, by its series where the difference would cancel */
static double cubic_rest(double t)
{
    static const double series[] = { 1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800,
        1.0 / 1307674368000, -1.0 / 355687428096000 };
    if (t < 1.0) {
        return polynomial(8, series, t * t);
    }
    return (1.0 - soa_sinc(t)) / (t * t);
}

/* (1 - x cot x) / (4 x^2), x = t/2, by its series where the difference would cancel */
static double cotangent_rest(double t)
{
    static const double series[] = { 1.0 / 3, 1.0 / 45, 2.0 / 945, 1.0 / 4725, 2.0 / 93555, 1382.0 / 638512875,
        4.0 / 18243225, 3617.0 / 162820783125, 87734.0 / 38979295480125 };
    const double x = 0.5 * t;
    double s, c;
    if (x < 0.25) {
        return 0.25 * polynomial(9, series, x * x);
    }
    real_sincos(x, &s, &c);
    return (1.0 - x * c / s) / (t * t);
}

/* v + a w x v + b w x (w x v) */
static vec3 combine(vec3 w, vec3 v, double a, double b)
{
    const vec3 wv = vec3_cross(w, v);
    return vec3_scale_add(b, vec3_cross(w, wv), vec3_scale_add(a, wv, v));
}

vec3 soa_shift_exp(vec3 w, vec3 v)
{
    const double t = sqrt(vec3_dot(w, w));
    const double half = soa_sinc(0.5 * t);
    return combine(w, v, 0.5 * half * half, cubic_rest(t));
}

vec3 soa_shift_log(vec3 w, vec3 shift)
{
    const double t = sqrt(vec3_dot(w, w));
    return combine(w, shift, -0.5, cotangent_rest(t));
}

double soa_angle_wrap(double angle)
{
    const double pi = 0x1.921fb54442d18p+1;
    double h, lo;
    if (fabs(angle) <= pi) {
        return angle;
    }
    /* angle = n pi/2 + h + lo with n modulo 4 */
    const int64_t n = soa_reduce_angle(angle, &h, &lo);
    const double turn = n == 3 ? -1.0 : n == 2 && h > 0.0 ? -2.0 : (double)n;
    return turn * (0.5 * pi) + (h + (lo + turn * 0x1.1a62633145c07p-54));
}
