/* First derivatives of inverse and forward dynamics against differences of the dynamics themselves. */
#include "sens/differences.h"

#include "soa/sens.h"

static void inverse(kit *k, const double *q, const double *v, const double *u, double *T)
{
    OK(k, soa_inverse_dynamics(k->m, k->w, 1, q, v, u, k->f, T, &k->error));
}

static void check_inverse(kit *k, double tolerance)
{
    const int n = k->nv * k->nv;
    double *y[3] = { numbers(n), numbers(n), numbers(n) };
    OK(k, soa_inverse_dynamics_derivatives(k->m, k->w, 1, k->q, k->v, k->a, k->f, y[0], y[1], y[2], &k->error));
    for (int by = 0; by < 3; by++) {
        double *expected = differences(k, inverse, (moves)by, k->a, k->nv);
        NEAR(n, y[by], expected, tolerance);
        free(expected);
        free(y[by]);
    }
}

static void forward(kit *k, const double *q, const double *v, const double *u, double *vdot)
{
    OK(k, soa_forward_dynamics(k->m, k->w, 1, q, v, u, k->f, vdot, &k->error));
}

static void check_forward(kit *k, double tolerance)
{
    const int n = k->nv * k->nv;
    double *y[3] = { numbers(n), numbers(n), numbers(n) }, *vdot = numbers(k->nv), *expected = numbers(k->nv);
    OK(k, soa_forward_dynamics_derivatives(k->m, k->w, 1, k->q, k->v, k->T, k->f, y[0], y[1], y[2], vdot, &k->error));
    forward(k, k->q, k->v, k->T, expected);
    NEAR(k->nv, vdot, expected, 1e-11);
    free(expected);
    free(vdot);
    for (int by = 0; by < 3; by++) {
        expected = differences(k, forward, (moves)by, k->T, k->nv);
        NEAR(n, y[by], expected, tolerance);
        free(expected);
        free(y[by]);
    }
}

static void forward_of_trees(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        kit k = kit_random_tree(seed);
        check_forward(&k, 1e-8);
        kit_close(&k);
    }
}

static void inverse_of_trees(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        kit k = kit_random_tree(seed);
        check_inverse(&k, 1e-9);
        kit_close(&k);
    }
}

static void inverse_of_robots(void **state)
{
    (void)state;
    const char *name[] = { "arm7", "quadruped", "humanoid" };
    for (int i = 0; i < 3; i++) {
        kit k = kit_open(name[i], 3);
        check_inverse(&k, 1e-9);
        check_forward(&k, 1e-9);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_of_robots),
        cmocka_unit_test(inverse_of_trees),
        cmocka_unit_test(forward_of_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
