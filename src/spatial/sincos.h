/* spatial/sincos.h - sine and cosine, the same bits on every machine of a profile.
 *
 * x = n pi/2 + h + lo with |h| <= pi/4 (Cody and Waite; beyond SINCOS_FAST by
 * soa_reduce_angle, lane by lane), then a polynomial each for sin and cos of h,
 * corrected to first order for lo. The error stays below 0.8 units in the last
 * place for every finite x; NaN and infinity give NaN. */
#ifndef SOA_SPATIAL_SINCOS_H
#define SOA_SPATIAL_SINCOS_H

#include "spatial/real.h"

/* Up to here the short reduction is exact enough: n has at most 20 bits. */
#define SINCOS_FAST 0x1p20

/* n (mod 4) of x = n pi/2 + h + lo for any finite x; h NaN if x is not finite. */
int64_t soa_reduce_angle(double x, double *h, double *lo);

/* ---- angles up to SINCOS_FAST; emitted programs have a copy of this part ---------------- */

typedef struct reduced_angle {
    real_bits n; /* modulo 4 */
    real h, lo;
} reduced_angle;

/* h and the error of the sum a + b, for a a multiple of the last place of b. */
KERNEL real sum_and_error(real a, real b, real *error)
{
    const real sum = a + b;
    *error = b - (sum - a);
    return sum;
}

/* For |x| <= SINCOS_FAST. pi/2 is cut such that n P1 is taken off exactly; with
 * FMA full words do, without each word has 33 bits so that n P is exact. */
KERNEL reduced_angle reduce_angle_fast(real x)
{
    const real two_over_pi = real_set(0x1.45f306dc9c883p-1), big = real_set(0x1.8p52);
    const real biased = real_fma(x, two_over_pi, big);
    const real n = biased - big;
    reduced_angle r;
    real error;
    r.n = bits_of_real(biased);
#if SOA_FMA
    const real P1 = real_set(0x1.921fb54442d18p+0), P2 = real_set(0x1.1a62633145c06p-54);
    const real P3 = real_set(0x1.c1cd129024e09p-107);
    const real nP2 = n * P2;
    r.h = sum_and_error(real_fnma(n, P1, x), -nP2, &error);
    r.lo = real_fnma(n, P3, error - real_fma(n, P2, -nP2));
#else
    const real P1 = real_set(0x1.921fb544p+0), P2 = real_set(0x1.0b4611a6p-34);
    const real P3 = real_set(0x1.3198a2ep-69), P4 = real_set(0x1.b839a252049c1p-104);
    real error2;
    r.h = sum_and_error(x - n * P1, -(n * P2), &error);
    r.h = sum_and_error(r.h, -(n * P3), &error2);
    r.lo = (error + error2) - n * P4;
#endif
    return r;
}

/* sin (h + lo) = h + h z s(z) + lo (1 - z/2), z = h^2; |error of s| < 2^-57 relative. */
KERNEL real sin_polynomial(real h, real lo, real z, real half_z)
{
    real s = real_fma(z, real_set(0x1.5d8b557e936e4p-33), real_set(-0x1.ae5e4b83a1e4dp-26));
    s = real_fma(z, s, real_set(0x1.71de35552b0e2p-19));
    s = real_fma(z, s, real_set(-0x1.a01a019be9214p-13));
    s = real_fma(z, s, real_set(0x1.111111110f730p-7));
    s = real_fma(z, s, real_set(-0x1.5555555555548p-3));
    return h + real_fma(h * z, s, real_fnma(half_z, lo, lo));
}

/* cos (h + lo) = 1 - z/2 + z^2 c(z) - h lo; |error of c| < 2^-63 relative. */
KERNEL real cos_polynomial(real h, real lo, real z, real half_z)
{
    const real one = real_set(1.0);
    const real w = one - half_z;
    const real rest = real_fnma(h, lo, (one - w) - half_z);
    real c = real_fma(z, real_set(-0x1.8fa638d0549f5p-37), real_set(0x1.1ee9db4dadf3bp-29));
    c = real_fma(z, c, real_set(-0x1.27e4f7f0f11bap-22));
    c = real_fma(z, c, real_set(0x1.a01a019c8e7bdp-16));
    c = real_fma(z, c, real_set(-0x1.6c16c16c15011p-10));
    c = real_fma(z, c, real_set(0x1.555555555554bp-5));
    return w + real_fma(z * z, c, rest);
}

/* sin and cos of h + lo, turned by n quarters. */
KERNEL void reduced_sincos(reduced_angle r, real *sine, real *cosine)
{
    const real z = r.h * r.h;
    const real half_z = real_set(0.5) * z;
    const real s = sin_polynomial(r.h, r.lo, z, half_z);
    const real c = cos_polynomial(r.h, r.lo, z, half_z);
    const real_int odd = -(real_int)(r.n & 1);
    const real_bits sign_s = (r.n & 2) << 62, sign_c = ((r.n + 1) & 2) << 62;
    *sine = real_of_bits(bits_of_real(real_select(odd, c, s)) ^ sign_s);
    *cosine = real_of_bits(bits_of_real(real_select(odd, s, c)) ^ sign_c);
}

/* ---- any angle ---------------------------------------------------------------------- */

/* The lanes whose x is large, replaced. */
#if defined(__GNUC__)
__attribute__((noinline, cold, unused))
#endif
static void
reduce_angle_large(const real *x, reduced_angle *r)
{
    for (int i = 0; i < LANES; i++) {
        const double xi = real_get(*x, i);
        if (!(xi >= -SINCOS_FAST && xi <= SINCOS_FAST)) {
            double h, lo;
            const uint64_t n = (uint64_t)soa_reduce_angle(xi, &h, &lo);
            r->h = real_put(r->h, i, h);
            r->lo = real_put(r->lo, i, lo);
#if LANES == 1
            r->n = n;
#else
            r->n[i] = n;
#endif
        }
    }
}

KERNEL void real_sincos(real x, real *sine, real *cosine)
{
    reduced_angle r = reduce_angle_fast(x);
    if (!real_all(real_less_equal(real_abs(x), real_set(SINCOS_FAST)))) {
        reduced_angle large = r;
        reduce_angle_large(&x, &large);
        r = large;
    }
    reduced_sincos(r, sine, cosine);
}

#endif
