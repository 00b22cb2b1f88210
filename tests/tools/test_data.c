/* Models that `soa emit --data` wrote as constants, against the same ones loaded: every bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "soa/io.h"
#include "soa/soa.h"

extern const soa_model constant_tree, constant_arm7, constant_hexapod, constant_gears, constant_crane, constant_chain;

enum { STATES = 4, MOST = 512 };

static void assert_same(int n, const double *x, const double *y)
{
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
}

/* Dynamics and kinematics of both. */
static void compare_states(const soa_model *constant, const soa_model *loaded)
{
    static double q[MOST], v[MOST], T[MOST], y[2][MOST * 8];
    soa_workspace *workspace[2] = { NULL, NULL };
    const soa_allocator allocator = soa_allocator_default();
    const soa_model *model[2] = { constant, loaded };
    const int nv = soa_model_nv(loaded);
    unsigned long long seed = 3;
    assert_int_equal(soa_model_nv(constant), nv);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(soa_workspace_new(model[i], &allocator, &workspace[i], NULL), SOA_OK);
    }
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(constant, &seed, q);
        for (int k = 0; k < nv; k++) {
            v[k] = soa_model_random_number(&seed), T[k] = soa_model_random_number(&seed);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(soa_forward_dynamics(model[i], workspace[i], 1, q, v, T, NULL, y[i], NULL), SOA_OK);
            assert_int_equal(soa_inverse_dynamics(model[i], workspace[i], 1, q, v, T, NULL, y[i] + nv, NULL), SOA_OK);
            assert_int_equal(
                soa_kinematics(model[i], workspace[i], 1, q, v, NULL, y[i] + 2 * nv, NULL, NULL, NULL), SOA_OK);
        }
        assert_same(2 * nv + 12 * soa_model_links(loaded), y[0], y[1]);
    }
    soa_workspace_free(workspace[0]);
    soa_workspace_free(workspace[1]);
}

/* What the user said, by number. */
static void compare_description(const soa_model *constant, const soa_model *loaded)
{
    assert_int_equal(soa_model_links(constant), soa_model_links(loaded));
    assert_int_equal(soa_model_frames(constant), soa_model_frames(loaded));
    assert_int_equal(soa_model_couplings(constant), soa_model_couplings(loaded));
    assert_int_equal(soa_model_closures(constant), soa_model_closures(loaded));
    for (int i = 0; i < soa_model_links(loaded); i++) {
        const soa_link *a = soa_model_link(constant, i), *b = soa_model_link(loaded, i);
        assert_string_equal(a->name, b->name);
        assert_same(SOA_JOINT_MAX_NV, a->joint.upper, b->joint.upper);
        assert_same(10, &a->inertia.mass, &b->inertia.mass);
    }
    for (int i = 0; i < soa_model_configurations(loaded); i++) {
        assert_same(
            soa_model_nq(loaded), soa_model_configuration(constant, i)->q, soa_model_configuration(loaded, i)->q);
    }
}

static void compare(const soa_model *constant, soa_model *loaded)
{
    compare_states(constant, loaded);
    compare_description(constant, loaded);
    soa_model_free(loaded);
}

static soa_model *builtin(const char *name)
{
    soa_model *model = NULL;
    assert_int_equal(soa_model_builtin(name, NULL, &model, NULL), SOA_OK);
    return model;
}

static void test_builtin(void **state)
{
    (void)state;
    compare(&constant_tree, builtin("tree:12,6"));
    compare(&constant_arm7, builtin("arm7"));
    compare(&constant_hexapod, builtin("hexapod"));
}

/* Elastic forces and derivatives of a constant. */
static void compare_flexible(const soa_model *constant, const soa_model *loaded)
{
    static double q[MOST], v[MOST], y[2][MOST * MOST];
    const soa_model *model[2] = { constant, loaded };
    const int nv = soa_model_nv(loaded);
    const soa_allocator allocator = soa_allocator_default();
    unsigned long long seed = 5;
    soa_random_configuration(loaded, &seed, q);
    for (int i = 0; i < nv; i++) {
        v[i] = soa_model_random_number(&seed);
    }
    for (int i = 0; i < 2; i++) {
        soa_workspace *workspace = NULL;
        soa_force force[16];
        soa_forces *set = NULL;
        const int forces = soa_forces_of_model(model[i], 16, force);
        assert_true(forces > 0 && forces <= 16);
        assert_int_equal(soa_workspace_new(model[i], &allocator, &workspace, NULL), SOA_OK);
        assert_int_equal(soa_forces_new(model[i], forces, force, &allocator, &set, NULL), SOA_OK);
        assert_int_equal(soa_forces_apply(set, 0.0, q, v, y[i], NULL, NULL, NULL), SOA_OK);
        assert_int_equal(
            soa_inverse_dynamics_derivatives(model[i], workspace, 1, q, v, NULL, NULL, y[i] + nv, NULL, NULL, NULL),
            SOA_OK);
        soa_forces_free(set);
        soa_workspace_free(workspace);
    }
    assert_same(nv + nv * nv, y[0], y[1]);
}

static void test_flexible(void **state)
{
    (void)state;
    soa_model *crane = NULL, *chain = builtin("flexible-chain:5,8");
    assert_int_equal(soa_load(SOA_SOURCE "/examples/models/crane-boom.yaml", NULL, &crane, NULL), SOA_OK);
    compare_flexible(&constant_crane, crane);
    compare_flexible(&constant_chain, chain);
    compare(&constant_crane, crane);
    compare(&constant_chain, chain);
}

/* Closures and couplings of a constant act as those of a model that was loaded. */
static void test_closed(void **state)
{
    (void)state;
    soa_model *gears = NULL;
    assert_int_equal(soa_load(SOA_SOURCE "/examples/models/gears.yaml", NULL, &gears, NULL), SOA_OK);
    compare_description(&constant_gears, gears);
    const soa_model *model[2] = { &constant_gears, gears };
    const soa_allocator allocator = soa_allocator_default();
    double q[MOST], v[MOST] = { 0.0 }, vdot[2][MOST];
    soa_model_neutral(gears, q);
    for (int i = 0; i < 2; i++) {
        soa_closures *set = NULL;
        assert_int_equal(soa_closures_new(1, &model[i], NULL, &allocator, &set, NULL), SOA_OK);
        assert_int_equal(soa_closure_project(set, SOA_METRIC_MASS, 0.0, 1, q, v, NULL, NULL), SOA_OK);
        assert_int_equal(soa_closed_forward_dynamics(set, 1, q, v, NULL, NULL, vdot[i], NULL, NULL, NULL), SOA_OK);
        soa_closures_free(set);
    }
    assert_same(soa_model_nv(gears), vdot[0], vdot[1]);
    soa_model_free(gears);
}

/* The model has no heap to give: a workspace without an allocator of its own is refused. */
static void test_no_heap(void **state)
{
    (void)state;
    soa_workspace *workspace = NULL;
    assert_int_equal(soa_workspace_new(&constant_arm7, NULL, &workspace, NULL), SOA_E_MEMORY);
    assert_null(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_flexible),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_no_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
