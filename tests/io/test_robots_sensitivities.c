/* Published robots: derivatives of the mass matrix and Christoffel symbols against differences of the mass matrix. */
#include "io/robots.h"
#include "sens/differences.h"
#include "soa/christoffel.h"

static const char *const FILES[] = { "ur5/ur5_robot.urdf", "panda/panda.urdf", "iiwa14_mjcf/iiwa14.xml",
    "kinova/kinova.urdf", "baxter/baxter.urdf", "anymal_c/anymal.urdf", "go2/go2.xml", "g1/g1.xml",
    "simple_humanoid/simple_humanoid.urdf" };

static void mass(kit *k, const double *q, const double *v, const double *u, double *M)
{
    (void)v, (void)u;
    OK(k, soa_mass_matrix(k->m, k->w, 1, q, M, &k->error));
}

/* dMass(j,l)/dq_i = C_j(i,l) + C_l(i,j), both of which are made in other ways. */
static void check_robot(kit *k)
{
    const int n = k->nv;
    double *d = numbers(n * n * n), *C = numbers(n * n * n), *by = differences(k, mass, BY_Q, k->a, n * n);
    double *expected = numbers(n * n * n), *sum = numbers(n * n * n);
    OK(k, soa_mass_derivatives(k->m, k->w, 1, k->q, d, &k->error));
    OK(k, soa_christoffel(k->m, k->w, 1, k->q, C, &k->error));
    for (int e = 0; e < n * n * n; e++) {
        const int i = e / n / n, j = e / n % n, l = e % n;
        expected[e] = by[(j * n + l) * n + i];
        sum[e] = C[(j * n + i) * n + l] + C[(l * n + i) * n + j];
    }
    NEAR(n * n * n, d, expected, 1e-9);
    NEAR(n * n * n, sum, expected, 1e-9);
    double *all[] = { d, C, by, expected, sum };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static void of_published_robots(void **state)
{
    (void)state;
    int found = 0;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        char path[ROBOTS_PATH];
        snprintf(path, sizeof path, SOA_ROBOTS "/%s", FILES[i]);
        FILE *file = fopen(path, "r");
        if (file) {
            fclose(file);
            kit k = kit_of(robots_load(FILES[i]), i + 1);
            check_robot(&k);
            kit_close(&k);
            found++;
        }
    }
    assert_true(found > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(of_published_robots) };
    return robots_missing() ? ROBOTS_SKIP : cmocka_run_group_tests(tests, NULL, NULL);
}
