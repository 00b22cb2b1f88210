/* First derivatives of inverse and forward dynamics against differences of the dynamics themselves. */
#include "sens/published.h"

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
        check_forward(&k, 1e-9);
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

/* Mass dvdot_dx = -dT_dx where vdot is what T makes: whatever way they are made. */
static void check_large(kit *k)
{
    const int n = k->nv;
    double *f[3] = { numbers(n * n), numbers(n * n), numbers(n * n) }, *i[2] = { numbers(n * n), numbers(n * n) };
    double *vdot = numbers(n), *x = numbers(n), *y = numbers(n), *column = numbers(n);
    OK(k, soa_forward_dynamics_derivatives(k->m, k->w, 1, k->q, k->v, k->T, k->f, f[0], f[1], f[2], vdot, &k->error));
    OK(k, soa_inverse_dynamics_derivatives(k->m, k->w, 1, k->q, k->v, vdot, k->f, i[0], i[1], NULL, &k->error));
    for (int j = 0; j < n; j++) {
        for (int m = 0; m < 3; m++) {
            for (int r = 0; r < n; r++) {
                x[r] = f[m][r * n + j];
                column[r] = m < 2 ? -i[m][r * n + j] : r == j ? 1.0 : 0.0;
            }
            OK(k, soa_mass_multiply(k->m, k->w, 1, k->q, x, y, &k->error));
            NEAR(n, y, column, 1e-9);
        }
    }
    for (int m = 0; m < 3; m++) {
        free(f[m]);
    }
    free(i[0]);
    free(i[1]);
    free(vdot);
    free(x);
    free(y);
    free(column);
}

static void small_and_large(void **state)
{
    (void)state;
    const int bodies[] = { 60, 127, 129, 160 };
    for (int i = 0; i < 4; i++) {
        kit k = kit_tree(bodies[i], 5);
        check_large(&k);
        kit_close(&k);
    }
}

static void too_many_velocities(void **state)
{
    (void)state;
    kit k = kit_open("chain:4097", 1);
    double one = 0.0;
    assert_int_equal(
        soa_inverse_dynamics_derivatives(k.m, k.w, 1, k.q, NULL, NULL, NULL, &one, NULL, NULL, &k.error), SOA_E_LIMIT);
    kit_close(&k);
}

static void check_file(kit *k)
{
    check_inverse(k, 1e-9);
    check_forward(k, 1e-9);
    check_large(k);
}

static void robots_of_files(void **state)
{
    (void)state;
    with_published_robots(check_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_of_robots),
        cmocka_unit_test(inverse_of_trees),
        cmocka_unit_test(forward_of_trees),
        cmocka_unit_test(small_and_large),
        cmocka_unit_test(too_many_velocities),
        cmocka_unit_test(robots_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
