/* tests/dynamics/kit.h - a model, a workspace, a random state, and comparing.
 *
 * Comparisons are relative to the largest number of the expected array, or to 1
 * where all are smaller. */
#ifndef SOA_TESTS_DYNAMICS_KIT_H
#define SOA_TESTS_DYNAMICS_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "dynamics/oracle.h"

/* ---- comparing --------------------------------------------------------------------------- */

static inline void near_at(
    const char *file, int line, const char *what, int n, const double *x, const double *expected, double tolerance)
{
    double scale = 1.0;
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(expected[i]));
    }
    for (int i = 0; i < n; i++) {
        if (!(fabs(x[i] - expected[i]) <= tolerance * scale)) {
            print_error("%s[%d] = %.17g, expected %.17g: %.2e of %.2e\n", what, i, x[i], expected[i],
                fabs(x[i] - expected[i]), tolerance * scale);
            _fail(file, line);
        }
    }
}

#define NEAR(n, x, expected, tolerance) near_at(__FILE__, __LINE__, #x, n, x, expected, tolerance)

static inline void same_at(const char *file, int line, const char *what, size_t n, const double *x, const double *y)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&x[i], &y[i], sizeof x[i]) != 0) {
            print_error("%s[%zu] = %a, expected the same bits as %a\n", what, i, x[i], y[i]);
            _fail(file, line);
        }
    }
}

#define SAME(n, x, expected) same_at(__FILE__, __LINE__, #x, (size_t)(n), x, expected)

static inline void ok_at(const char *file, int line, soa_status status, const soa_error *error)
{
    if (status != SOA_OK) {
        print_error("%s: %s\n", soa_status_text(status), error->text);
        _fail(file, line);
    }
}

#define OK(kit, call) ok_at(__FILE__, __LINE__, (call), &(kit)->error)

/* ---- a model with a state ------------------------------------------------------------------ */

static inline double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline void random_numbers(unsigned long long *seed, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = soa_model_random_number(seed);
    }
}

typedef struct kit {
    soa_model *m;
    soa_workspace *w;
    soa_error error;
    int nq, nv, bodies, links;
    unsigned long long seed;
    double *q, *v, *a, *T, *f; /* a random state, accelerations, forces; f 6 per body */
} kit;

static inline void kit_random(kit *k)
{
    soa_random_configuration(k->m, &k->seed, k->q);
    random_numbers(&k->seed, k->nv, k->v);
    random_numbers(&k->seed, k->nv, k->a);
    random_numbers(&k->seed, k->nv, k->T);
    random_numbers(&k->seed, 6 * k->bodies, k->f);
}

/* Takes the model. */
static inline kit kit_of(soa_model *model, unsigned long long seed)
{
    kit k = { .m = model, .seed = seed };
    k.nq = soa_model_nq(k.m);
    k.nv = soa_model_nv(k.m);
    k.bodies = soa_model_bodies(k.m);
    k.links = soa_model_links(k.m);
    OK(&k, soa_workspace_new(k.m, NULL, &k.w, &k.error));
    k.q = numbers(k.nq);
    k.v = numbers(k.nv);
    k.a = numbers(k.nv);
    k.T = numbers(k.nv);
    k.f = numbers(6 * k.bodies);
    kit_random(&k);
    return k;
}

static inline soa_model *builtin(const char *name)
{
    soa_model *model;
    soa_error error;
    ok_at(__FILE__, __LINE__, soa_model_builtin(name, NULL, &model, &error), &error);
    return model;
}

static inline kit kit_open(const char *name, unsigned long long seed)
{
    return kit_of(builtin(name), seed);
}

static inline kit kit_tree(int bodies, int seed)
{
    char name[64];
    snprintf(name, sizeof name, "tree:%d,%d", bodies, seed);
    return kit_open(name, (unsigned long long)seed);
}

static inline void kit_close(kit *k)
{
    free(k->q);
    free(k->v);
    free(k->a);
    free(k->T);
    free(k->f);
    soa_workspace_free(k->w);
    soa_model_free(k->m);
}

/* The same model with every link changed by edit. Takes the model. */
static inline soa_model *edited(soa_model *from, void (*edit)(int link, soa_link *value))
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error = { .status = SOA_OK };
    double g[3];
    soa_model_gravity(from, g);
    soa_builder_set_gravity(b, g);
    for (int l = 0; l < soa_model_links(from); l++) {
        soa_link link = *soa_model_link(from, l);
        edit(l, &link);
        ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &link, NULL, &error), &error);
    }
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    soa_model_free(from);
    return model;
}

static inline void no_rotor(int link, soa_link *value)
{
    (void)link;
    memset(&value->joint.rotor, 0, sizeof value->joint.rotor);
}

/* Points on some links, one of them in the world if there are more than three. */
static inline void random_points(kit *k, int points, soa_point *point)
{
    for (int i = 0; i < points; i++) {
        double x[7];
        random_numbers(&k->seed, 7, x);
        const int link = (int)((soa_model_random_number(&k->seed) + 1.0) / 2.0 * k->links);
        point[i] = (soa_point){ i == 3 ? SOA_WORLD : link, soa_pose_from_quaternion(x, x + 3), SOA_LINK_FRAME };
    }
}

/* q, v, a along the motion at time t: v(t) = v + a t. */
static inline void moved(const kit *k, double t, double *q, double *v)
{
    double *mean = numbers(k->nv);
    for (int i = 0; i < k->nv; i++) {
        mean[i] = k->v[i] + 0.5 * t * k->a[i];
        v[i] = k->v[i] + t * k->a[i];
    }
    soa_integrate(k->m, k->q, mean, t, q);
    free(mean);
}

/* The rate of f by central differences of eighth order. f computes n numbers at time t. */
typedef void timed(void *context, double t, double *x);

static inline void rate_of(timed *f, void *context, double h, int n, double *rate)
{
    const double weight[4] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    double *plus = numbers(n), *minus = numbers(n);
    memset(rate, 0, (size_t)n * sizeof *rate);
    for (int s = 1; s <= 4; s++) {
        f(context, s * h, plus);
        f(context, -s * h, minus);
        for (int i = 0; i < n; i++) {
            rate[i] += weight[s - 1] * (plus[i] - minus[i]) / h;
        }
    }
    free(plus);
    free(minus);
}

#endif
