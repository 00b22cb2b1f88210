/* The inverse of the mass matrix on both sides of where its way of being made changes: elimination for small
 * models, sweeps for large ones and where elimination would lose digits. */
#include "dynamics/dense.h"
#include "dynamics/factors.h"
#include "dynamics/kit.h"

/* Ways to the base as long as elimination takes and longer, trees with fewer velocities and more, several roots,
 * a free base alone, and what a free base carries in one limb and in many. */
static const char *const MODELS[] = { "pendulum", "arm7", "chain:8", "chain:9", "chain:23", "chain:24", "chain:25",
    "satellite", "dual-arm", "quadruped", "hexapod", "humanoid", "tree:9,2", "tree:40,9", "tree:58,4", "tree:70,4" };
enum { NAMED = sizeof MODELS / sizeof MODELS[0], STATES = 11 };

/* Mass^-1 of the state by long arithmetic. */
static void exact_inverse(const kit *k, const double *q, double *inverse)
{
    const int nv = k->nv;
    num *M = calloc((size_t)nv * (size_t)nv, sizeof *M), *x = calloc((size_t)nv, sizeof *x);
    assert_non_null(M);
    assert_non_null(x);
    oracle o = oracle_at(k->m, q, NULL, NULL);
    oracle_mass(&o, M);
    assert_true(dense_factor(nv, M));
    for (int c = 0; c < nv; c++) {
        memset(x, 0, (size_t)nv * sizeof *x);
        x[c] = 1;
        dense_solve(nv, M, x);
        for (int r = 0; r < nv; r++) {
            inverse[r * nv + c] = (double)x[r];
        }
    }
    oracle_free(&o);
    free(M);
    free(x);
}

static void check_exact(kit *k, double tolerance)
{
    const int n = k->nv * k->nv;
    double *inverse = numbers(n), *expected = numbers(n);
    OK(k, soa_mass_inverse(k->m, k->w, 1, k->q, inverse, &k->error));
    exact_inverse(k, k->q, expected);
    NEAR(n, inverse, expected, tolerance);
    for (int i = 0; i < n; i++) {
        assert_memory_equal(&inverse[i], &inverse[i % k->nv * k->nv + i / k->nv], sizeof *inverse);
    }
    free(inverse);
    free(expected);
}

static void models_small_and_large(void **state)
{
    (void)state;
    int small = 0, large = 0;
    for (int i = 0; i < NAMED; i++) {
        kit k = kit_open(MODELS[i], 400 + (unsigned)i);
        soa_factors *factors;
        const soa_allocator allocator = soa_allocator_default();
        assert_true(soa_factors_new(k.m, &allocator, &factors));
        small += factors != NULL;
        large += factors == NULL;
        soa_release(&allocator, factors);
        check_exact(&k, 1e-12);
        kit_close(&k);
    }
    assert_true(small >= 10 && large >= 2);
}

/* Two wheels on one axle, the inboard one light. */
static const double WHEEL[2] = { 1e-9, 0.3 };

static void wheel(int link, soa_link *value)
{
    *value = soa_link_default(value->name, value->parent, SOA_REVOLUTE);
    value->inertia.mass = 1.0;
    value->inertia.moment[0] = value->inertia.moment[3] = value->inertia.moment[5] = WHEEL[link];
}

/* Mass = [a + b, b; b, b]: what elimination has of a is what the sum with b kept. So the sweeps take over. */
static void light_wheel_inboard_of_a_heavy_one(void **state)
{
    (void)state;
    kit k = kit_of(edited(builtin("chain:2"), wheel), 3);
    const double a = WHEEL[0], b = WHEEL[1], expected[4] = { 1.0 / a, -1.0 / a, -1.0 / a, 1.0 / a + 1.0 / b };
    double inverse[4];
    OK(&k, soa_mass_inverse(k.m, k.w, 1, k.q, inverse, &k.error));
    NEAR(4, inverse, expected, 1e-12);
    kit_close(&k);
}

/* The bits are those of single states in one lane, whatever the lanes and the layout. */
static void bits_in_any_lanes(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED; i++) {
        kit k = kit_open(MODELS[i], 500 + (unsigned)i);
        const int n = k.nv * k.nv;
        double *q = numbers(STATES * k.nq), *expected = numbers(STATES * n), *inverse = numbers(STATES * n);
        OK(&k, soa_workspace_set_lanes(k.w, 1, &k.error));
        for (int s = 0; s < STATES; s++) {
            soa_random_configuration(k.m, &k.seed, q + s * k.nq);
            OK(&k, soa_mass_inverse(k.m, k.w, 1, q + s * k.nq, expected + s * n, &k.error));
        }
        for (int lanes = 1; lanes <= 8; lanes *= 2) {
            if (soa_workspace_set_lanes(k.w, lanes, NULL) == SOA_OK) {
                memset(inverse, 0xff, (size_t)(STATES * n) * sizeof *inverse);
                OK(&k, soa_mass_inverse(k.m, k.w, STATES, q, inverse, &k.error));
                SAME(STATES * n, inverse, expected);
            }
        }
        free(q);
        free(expected);
        free(inverse);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_small_and_large),
        cmocka_unit_test(light_wheel_inboard_of_a_heavy_one),
        cmocka_unit_test(bits_in_any_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
