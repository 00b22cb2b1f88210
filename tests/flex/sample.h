/* tests/flex/sample.h - a random tree of rigid and flexible links at a random state, with the mechanics of its particles. */
#ifndef SOA_TESTS_FLEX_SAMPLE_H
#define SOA_TESTS_FLEX_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flex/particles.h"

enum { MOST = 120 };

typedef struct sample {
    tree t;
    soa_workspace *w;
    int nq, nv;
    double q[MOST], v[MOST], vd[MOST], mass[MOST * MOST], T[MOST];
    soa_error error;
} sample;

static inline sample sample_open(unsigned long long seed, bool floating)
{
    sample s = { .t = tree_make(seed, floating, 20.0) };
    s.nq = soa_model_nq(s.t.model);
    s.nv = soa_model_nv(s.t.model);
    assert_true(s.nq <= MOST);
    assert_int_equal(soa_workspace_new(s.t.model, NULL, &s.w, &s.error), SOA_OK);
    soa_random_configuration(s.t.model, &seed, s.q);
    for (int k = 0; k < soa_model_bodies(s.t.model); k++) {
        const soa_body body = soa_model_body(s.t.model, k);
        for (int i = 0; body.flexible && i < body.nv; i++) {
            s.q[body.q + i] = 0.5 * rnd(&seed);
        }
    }
    for (int i = 0; i < s.nv; i++) {
        s.v[i] = rnd(&seed);
        s.vd[i] = rnd(&seed);
    }
    particle_mechanics(&s.t, s.q, s.v, s.vd, s.mass, s.T);
    return s;
}

static inline void sample_close(sample *s)
{
    soa_workspace_free(s->w);
    soa_model_free(s->t.model);
}

static inline void near_all(const char *what, int number, int n, const double *x, const double *y, double tolerance)
{
    double size = 1e-3, worst = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(y[i]));
        worst = !(fabs(x[i] - y[i]) <= worst) ? fabs(x[i] - y[i]) : worst;
    }
    if (!(worst <= tolerance * size)) {
        for (int i = 0; i < n && n < 40; i++) {
            print_message("%d: %.12g %.12g\n", i, x[i], y[i]);
        }
        fail_msg("tree %d: %s is off by %g of %g", number, what, worst, size);
    }
}

#define OK(call) assert_int_equal(call, SOA_OK)

#endif
