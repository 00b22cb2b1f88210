/* spatial/atan2.c - atan by reduction to |t| <= tan(pi/8) and one polynomial. */
#include "spatial/atan2.h"

#include <math.h>

#define COEFFICIENTS 12

/* atan t = t + t z a(z), z = t^2; |error| < 2^-64 relative for |t| <= tan(pi/8) */
static double atan_polynomial_rest(double t)
{
    static const double a[COEFFICIENTS] = { -0x1.5555555555554p-2, 0x1.9999999999585p-3, -0x1.249249246f669p-3,
        0x1.c71c71b462191p-4, -0x1.745d1451f1defp-4, 0x1.3b13651e0e0f7p-4, -0x1.110bee9d862b0p-4, 0x1.e168039c1663dp-5,
        -0x1.ab3e0c68f2370p-5, 0x1.6feeaad7ce197p-5, -0x1.0feeedcf2c3a7p-5, 0x1.e8c1415ee8295p-7 };
    const double z = t * t;
    double sum = a[COEFFICIENTS - 1];
    for (int i = COEFFICIENTS - 2; i >= 0; i--) {
        sum = sum * z + a[i];
    }
    return t * z * sum;
}

/* atan (small / large) for 0 <= small <= large, 0 < large, as hi + *lo. */
static double atan_ratio(double small, double large, double *lo)
{
    const double quarter_pi = 0x1.921fb54442d18p-1, quarter_pi_lo = 0x1.1a62633145c07p-55;
    const double tan_pi_8 = 0x1.a827999fcef32p-2;
    if (small <= tan_pi_8 * large) {
        const double t = small / large;
        *lo = atan_polynomial_rest(t);
        return t;
    }
    const double t = (small - large) / (small + large);
    const double hi = quarter_pi + t;
    *lo = (t - (hi - quarter_pi)) + (atan_polynomial_rest(t) + quarter_pi_lo);
    return hi;
}

/* a b, a in [0, inf]: neither too large to add nor so small that a ratio loses bits. */
static void scale_pair(double *a, double *b)
{
    const double most = *a > *b ? *a : *b;
    const double scale = most > 0x1p1000 ? 0x1p-100 : most < 0x1p-900 ? 0x1p100 : 1.0;
    *a *= scale;
    *b *= scale;
}

double soa_atan2(double y, double x)
{
    const double half_pi = 0x1.921fb54442d18p+0, half_pi_lo = 0x1.1a62633145c07p-54;
    const double pi = 0x1.921fb54442d18p+1, pi_lo = 0x1.1a62633145c07p-53;
    double a = fabs(x), b = fabs(y), hi, lo = 0.0;
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    if (isinf(a) && isinf(b)) {
        a = b = 1.0;
    }
    scale_pair(&a, &b);
    if (b == 0.0 || isinf(a)) {
        hi = 0.0;
    } else if (b <= a) {
        hi = atan_ratio(b, a, &lo);
    } else {
        const double t = isinf(b) ? 0.0 : atan_ratio(a, b, &lo);
        hi = half_pi - t;
        lo = ((half_pi - hi) - t) - lo + half_pi_lo;
    }
    if (signbit(x)) {
        const double angle = pi - hi;
        lo = ((pi - angle) - hi) - lo + pi_lo;
        hi = angle;
    }
    return copysign(hi + lo, y);
}
