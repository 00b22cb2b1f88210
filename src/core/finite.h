/* core/finite.h - whether many numbers are finite, or far from the ends of the range, in one look. */
#ifndef SOA_CORE_FINITE_H
#define SOA_CORE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef double soa_two __attribute__((vector_size(16)));

static inline soa_two soa_load_two(const double *x)
{
    soa_two y;
    memcpy(&y, x, sizeof y);
    return y;
}

/* x - x is zero for a finite x and NaN for any other, and NaN stays in the sum. */
static inline bool soa_all_finite(const double *x, size_t n)
{
    soa_two a = { 0.0, 0.0 }, b = a;
    size_t i = 0;
    for (; i + 3 < n; i += 4) {
        const soa_two y = soa_load_two(x + i), z = soa_load_two(x + i + 2);
        a += y - y;
        b += z - z;
    }
    a += b;
    double taint = a[0] + a[1];
    for (; i < n; i++) {
        taint += x[i] - x[i];
    }
    return taint == 0.0;
}

/* Products of a few numbers that are small are finite, and so are sums of such products. */
#define SOA_SMALL 1e40

/* The sum of squares is below that of SOA_SMALL; false if a number is not finite. */
static inline bool soa_all_small(const double *x, size_t n)
{
    soa_two a = { 0.0, 0.0 }, b = a;
    size_t i = 0;
    for (; i + 3 < n; i += 4) {
        const soa_two y = soa_load_two(x + i), z = soa_load_two(x + i + 2);
        a += y * y;
        b += z * z;
    }
    a += b;
    double sum = a[0] + a[1];
    for (; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sum < SOA_SMALL * SOA_SMALL;
}

#endif
