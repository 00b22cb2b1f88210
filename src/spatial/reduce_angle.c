/* spatial/reduce_angle.c - reduction of large angles modulo pi/2 (Payne and Hanek).
 *
 * Exact integer arithmetic, then double-double: the same bits on every machine.
 * x = m 2^e with an integer m; only those digits of 2/pi are multiplied with m
 * that matter for the last two bits of n and for 190 bits after the point. */
#include "spatial/sincos.h"

#include <math.h>

#define DIGITS   8  /* of 2/pi taken */
#define PRODUCT  10 /* DIGITS and the two of m */
#define FRACTION 6  /* digits kept of the product, after the multiples of 4 are dropped */

/* 2/pi = sum digit[i] 2^(-32 (i + 1)) */
static const uint32_t two_over_pi[] = { 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d };

/* product, which is zero, becomes m * digit[0 .. DIGITS-1], least digit first */
static void multiply(uint64_t m, const uint32_t *digit, uint32_t product[PRODUCT + 1])
{
    const uint64_t half[2] = { m & 0xffffffffu, m >> 32 };
    for (int j = 0; j < 2; j++) {
        uint64_t carry = 0;
        for (int i = 0; i < DIGITS; i++) {
            carry += half[j] * digit[DIGITS - 1 - i] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product[DIGITS + j] = (uint32_t)carry;
    }
}

/* Bits bit .. bit + 31 of the product. */
static uint32_t window(const uint32_t product[PRODUCT + 1], int bit)
{
    const uint64_t pair = product[bit / 32] | (uint64_t)product[bit / 32 + 1] << 32;
    return (uint32_t)(pair >> (bit % 32));
}

/* hi + lo = the sum of f[i] 2^(-32 (i + 1)), to about 106 bits */
static double fraction_to_double(const uint32_t f[FRACTION], double *lo)
{
    double hi = 0.0, scale = 0x1p-32;
    *lo = 0.0;
    for (int i = 0; i < FRACTION; i++, scale *= 0x1p-32) {
        const double digit = f[i] * scale;
        const double sum = hi + digit;
        *lo += digit - (sum - hi);
        hi = sum;
    }
    return hi;
}

/* Veltkamp: the upper 26 bits */
static double upper_half(double a)
{
    const double c = 0x8000001p0 * a;
    return c - (c - a);
}

/* (a + a_lo) pi/2 */
static double times_half_pi(double a, double a_lo, double *lo)
{
    const double P = 0x1.921fb54442d18p+0, P_lo = 0x1.1a62633145c07p-54;
    const double a1 = upper_half(a), a2 = a - a1, p1 = upper_half(P), p2 = P - p1;
    const double product = a * P;
    const double error = ((a1 * p1 - product) + a1 * p2 + a2 * p1) + a2 * p2;
    const double tail = error + (a * P_lo + a_lo * P);
    const double h = product + tail;
    *lo = tail - (h - product);
    return h;
}

int64_t soa_reduce_angle(double x, double *h, double *lo)
{
    uint64_t bits;
    uint32_t product[PRODUCT + 1] = { 0 }, f[FRACTION];
    *lo = 0.0;
    *h = x - x;
    if (!isfinite(x) || x == 0.0) {
        return 0;
    }
    memcpy(&bits, &x, sizeof bits);
    const int e = (int)(bits >> 52 & 0x7ff) - 1075;
    if (e < -64) { /* |x| < 1/2: nothing to take off */
        *h = x;
        return 0;
    }
    const int first = e < 2 ? 0 : (e - 2) / 32;
    multiply((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52, two_over_pi + first, product);

    /* The point of the product stands before bit 32 (first + DIGITS) - e; two bits more are n. */
    const int point = 32 * (first + DIGITS) - e;
    uint64_t n = window(product, point) & 3;
    for (int i = 0; i < FRACTION; i++) {
        f[i] = window(product, point - 32 * (i + 1));
    }
    const bool above_half = f[0] >> 31;
    if (above_half) { /* n + 1 and the fraction less one: its negative is the two's complement */
        n++;
        uint64_t carry = 1;
        for (int i = FRACTION - 1; i >= 0; i--) {
            carry += (uint32_t)~f[i];
            f[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    double fraction_lo;
    const double fraction = fraction_to_double(f, &fraction_lo);
    *h = times_half_pi(fraction, fraction_lo, lo);
    if (above_half != (x < 0.0)) {
        *h = -*h;
        *lo = -*lo;
    }
    return x < 0.0 ? (int64_t)(4 - (n & 3)) & 3 : (int64_t)(n & 3);
}

/* sin and cos of one number, for spatial/dual.h. */
void soa_sincos(double x, double *sine, double *cosine);
void soa_sincos(double x, double *sine, double *cosine)
{
    real_sincos(x, sine, cosine);
}
