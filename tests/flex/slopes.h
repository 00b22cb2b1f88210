/* tests/flex/slopes.h - derivatives by differences of the eighth order: nothing of the library but soa_integrate. */
#ifndef SOA_TESTS_FLEX_SLOPES_H
#define SOA_TESTS_FLEX_SLOPES_H

#include <stdlib.h>
#include <string.h>

#include "soa/soa.h"

/* n numbers of y at q and v. */
typedef void slope_function(void *context, const double *q, const double *v, double *y);

/* Column c of dy/dq (by_v: dy/dv), n numbers: 4/5 d(h) - 1/5 d(2h) + 4/105 d(3h) - 1/280 d(4h), d(x) = (y(x) - y(-x)) / h. */
static inline void slope_column(const soa_model *m, slope_function *f, void *context, int n, const double *q,
    const double *v, bool by_v, int c, double *out)
{
    static const double weight[4] = { 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0 };
    const int nv = soa_model_nv(m), nq = soa_model_nq(m);
    double *y = calloc((size_t)(n + nq + 2 * nv), sizeof *y), *at_q = y + n, *at_v = at_q + nq, *unit = at_v + nv;
    const double h = 0.005;
    unit[c] = 1.0;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int p = 0; p < 8; p++) {
        const double sign = p % 2 == 0 ? 1.0 : -1.0, step = sign * h * (p / 2 + 1);
        memcpy(at_v, v, (size_t)nv * sizeof *v);
        if (by_v) {
            at_v[c] += step;
        }
        soa_integrate(m, q, unit, by_v ? 0.0 : step, at_q);
        f(context, at_q, at_v, y);
        for (int r = 0; r < n; r++) {
            out[r] += sign * weight[p / 2] * y[r] / h;
        }
    }
    free(y);
}

#endif
