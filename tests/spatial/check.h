/* tests/spatial/check.h - comparisons and random inputs of the tests. */
#ifndef SOA_TEST_CHECK_H
#define SOA_TEST_CHECK_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/random.h"

#define EPS     DBL_EPSILON
#define PI      3.14159265358979323846
#define HALF_PI 1.57079632679489661923

/* |a - b| <= tolerance; false for NaN. */
#define CHECK_NEAR(a, b, tolerance)                                                                                  \
    do {                                                                                                             \
        const double check_a = (a), check_b = (b), check_t = (tolerance);                                            \
        if (!(fabs(check_a - check_b) <= check_t)) {                                                                 \
            fail_msg(                                                                                                \
                "%s = %.17g, %s = %.17g, difference %g > %g", #a, check_a, #b, check_b, check_a - check_b, check_t); \
        }                                                                                                            \
    } while (0)

static inline void random_fill(unsigned long long *seed, int n, double *a)
{
    for (int i = 0; i < n; i++) {
        a[i] = soa_random_next(seed);
    }
}

#endif
