/* Second derivatives of inverse dynamics against differences of the first ones. */
#include "sens/published.h"

#include "soa/sens.h"

/* Weights of the sum: T of the kit. */
static void sum_columns(const kit *k, const double *matrix, double *sum)
{
    for (int j = 0; j < k->nv; j++) {
        sum[j] = 0.0;
        for (int i = 0; i < k->nv; i++) {
            sum[j] += k->T[i] * matrix[i * k->nv + j];
        }
    }
}

static void gradient(kit *k, int which, const double *q, const double *v, const double *u, double *y)
{
    double *m[3] = { NULL, NULL, NULL };
    m[which] = numbers(k->nv * k->nv);
    OK(k, soa_inverse_dynamics_derivatives(k->m, k->w, 1, q, v, u, NULL, m[0], m[1], m[2], &k->error));
    sum_columns(k, m[which], y);
    free(m[which]);
}

static void by_q(kit *k, const double *q, const double *v, const double *u, double *y)
{
    gradient(k, 0, q, v, u, y);
}

static void by_v(kit *k, const double *q, const double *v, const double *u, double *y)
{
    gradient(k, 1, q, v, u, y);
}

static void by_vdot(kit *k, const double *q, const double *v, const double *u, double *y)
{
    gradient(k, 2, q, v, u, y);
}

static void check_second(kit *k, double tolerance)
{
    const int n = k->nv * k->nv;
    double *qq = numbers(n), *vq = numbers(n), *vv = numbers(n), *aq = numbers(n);
    OK(k, soa_inverse_dynamics_second_derivatives(k->m, k->w, 1, k->q, k->v, k->a, k->T, qq, vq, vv, aq, &k->error));
    double *expected[4] = { differences(k, by_q, BY_Q, k->a, k->nv), differences(k, by_v, BY_Q, k->a, k->nv),
        differences(k, by_v, BY_V, k->a, k->nv), differences(k, by_vdot, BY_Q, k->a, k->nv) };
    NEAR(n, aq, expected[3], tolerance);
    NEAR(n, vv, expected[2], tolerance);
    NEAR(n, vq, expected[1], tolerance);
    NEAR(n, qq, expected[0], tolerance);
    for (int i = 0; i < 4; i++) {
        free(expected[i]);
    }
    free(qq);
    free(vq);
    free(vv);
    free(aq);
}

static void second_of_trees(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        kit k = kit_random_tree(seed);
        check_second(&k, 1e-9);
        kit_close(&k);
    }
}

static void second_of_robots(void **state)
{
    (void)state;
    const char *name[] = { "arm7", "quadruped", "humanoid" };
    for (int i = 0; i < 3; i++) {
        kit k = kit_open(name[i], 3);
        check_second(&k, 1e-9);
        kit_close(&k);
    }
}

static void check_file(kit *k)
{
    check_second(k, 1e-9);
}

static void second_of_files(void **state)
{
    (void)state;
    with_published_robots(check_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_of_robots),
        cmocka_unit_test(second_of_trees),
        cmocka_unit_test(second_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
