/* tests/flex/slopes.h - derivatives by differences of the eighth order: nothing of the library but soa_integrate. */
#ifndef SOA_TESTS_FLEX_SLOPES_H
#define SOA_TESTS_FLEX_SLOPES_H

#include <stdlib.h>
#include <string.h>

#include "soa/soa.h"

/* n numbers of y at t. */
typedef void step_function(void *context, double t, double *y);

/* dy/dt at t = 0, n numbers: 4/5 d(h) - 1/5 d(2h) + 4/105 d(3h) - 1/280 d(4h), d(x) = (y(x) - y(-x)) / h. */
static inline void slope_at_zero(step_function *f, void *context, int n, double *out)
{
    static const double weight[4] = { 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0 };
    const double h = 0.005;
    double *y = calloc((size_t)n, sizeof *y);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int p = 0; p < 8; p++) {
        const double sign = p % 2 == 0 ? 1.0 : -1.0;
        f(context, sign * h * (p / 2 + 1), y);
        for (int r = 0; r < n; r++) {
            out[r] += sign * weight[p / 2] * y[r] / h;
        }
    }
    free(y);
}

/* n numbers of y at q and v. */
typedef void slope_function(void *context, const double *q, const double *v, double *y);

typedef struct slope_step {
    const soa_model *m;
    slope_function *f;
    void *context;
    const double *q, *v;
    bool by_v;
    int c;
    double *at_q, *at_v, *unit;
} slope_step;

static inline void slope_step_at(void *context, double t, double *y)
{
    const slope_step *s = context;
    memcpy(s->at_v, s->v, (size_t)soa_model_nv(s->m) * sizeof *s->v);
    if (s->by_v) {
        s->at_v[s->c] += t;
    }
    soa_integrate(s->m, s->q, s->unit, s->by_v ? 0.0 : t, s->at_q);
    s->f(s->context, s->at_q, s->at_v, y);
}

/* Column c of dy/dq (by_v: dy/dv), n numbers. */
static inline void slope_column(const soa_model *m, slope_function *f, void *context, int n, const double *q,
    const double *v, bool by_v, int c, double *out)
{
    const int nv = soa_model_nv(m), nq = soa_model_nq(m);
    double *room = calloc((size_t)(nq + 2 * nv), sizeof *room);
    slope_step s = { m, f, context, q, v, by_v, c, room, room + nq, room + nq + nv };
    s.unit[c] = 1.0;
    slope_at_zero(slope_step_at, &s, n, out);
    free(room);
}

#endif
