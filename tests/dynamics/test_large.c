/* Models so large that sweeps take like joints together, and mind the memory they read.
 *
 * A forest of equal small trees has the forces of each tree; those of the small tree
 * were tested against the laws. */
#include "dynamics/kit.h"

enum { TREE_BODIES = 35, COPIES = 130 }; /* more bodies than lanes of states are used for */

static soa_model *forest(const soa_model *tree, int copies)
{
    soa_error error;
    soa_builder *builder = soa_builder_new(NULL);
    const int links = soa_model_links(tree);
    for (int i = 0; i < copies * links; i++) {
        char name[32], joint_name[32];
        soa_link link = *soa_model_link(tree, i % links);
        snprintf(name, sizeof name, "link%d", i);
        snprintf(joint_name, sizeof joint_name, "joint%d", i);
        link.name = name;
        link.joint.name = joint_name;
        link.parent = link.parent == SOA_WORLD ? SOA_WORLD : link.parent + i / links * links;
        ok_at(__FILE__, __LINE__, soa_builder_add_link(builder, &link, NULL, &error), &error);
    }
    soa_model *model;
    ok_at(__FILE__, __LINE__, soa_builder_finish(builder, &model, &error), &error);
    soa_builder_free(builder);
    return model;
}

/* The numbers of copy c, n of them, or none. */
static const double *copy_of(const double *x, int n, int c)
{
    return x ? x + (size_t)c * (size_t)n : NULL;
}

static void check_copies(kit *large, kit *small, const double *v, const double *a, const double *f)
{
    double *T = numbers(large->nv), *y = numbers(large->nv), *expected = numbers(small->nv);
    OK(large, soa_inverse_dynamics(large->m, large->w, 1, large->q, v, a, f, T, &large->error));
    OK(large, soa_forward_dynamics(large->m, large->w, 1, large->q, v, large->T, f, y, &large->error));
    for (int c = 0; c < COPIES; c++) {
        const double *q = copy_of(large->q, small->nq, c), *v_c = copy_of(v, small->nv, c);
        const double *f_c = copy_of(f, 6 * small->bodies, c);
        OK(small, soa_inverse_dynamics(
                      small->m, small->w, 1, q, v_c, copy_of(a, small->nv, c), f_c, expected, &small->error));
        NEAR(small->nv, T + c * small->nv, expected, 1e-12);
        OK(small, soa_forward_dynamics(
                      small->m, small->w, 1, q, v_c, copy_of(large->T, small->nv, c), f_c, expected, &small->error));
        NEAR(small->nv, y + c * small->nv, expected, 1e-9);
    }
    free(T);
    free(y);
    free(expected);
}

static void forests_have_the_forces_of_their_trees(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 3; seed++) {
        kit small = kit_tree(TREE_BODIES, seed), large = kit_of(forest(small.m, COPIES), 7);
        assert_int_equal(large.nv, COPIES * small.nv);
        assert_int_equal(soa_workspace_lanes(large.w), 1);
        check_copies(&large, &small, large.v, large.a, large.f);
        check_copies(&large, &small, large.v, large.a, NULL);
        check_copies(&large, &small, large.v, NULL, NULL);
        check_copies(&large, &small, NULL, large.a, large.f);
        kit_close(&small);
        kit_close(&large);
    }
}

/* The sweeps forward and inverse share no functions of joints with several dofs. */
static void forward_inverts_inverse(void **state)
{
    (void)state;
    static const char *const MODELS[] = { "tree:4097,3", "tree:6000,5", "chain:5000" };
    for (int i = 0; i < 3; i++) {
        kit k = kit_open(MODELS[i], 11);
        double *T = numbers(k.nv), *y = numbers(k.nv), *again = numbers(k.nv);
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, y, &k.error));
        OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, y, k.f, T, &k.error));
        NEAR(k.nv, T, k.T, 1e-6);
        OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, y, k.f, again, &k.error));
        SAME(k.nv, again, T);
        free(T);
        free(y);
        free(again);
        kit_close(&k);
    }
}

/* A number that is not finite is found at its body, whatever the order in which bodies are visited. */
static void bad_numbers_are_found(void **state)
{
    (void)state;
    kit k = kit_tree(5000, 2);
    double *T = numbers(k.nv);
    for (int i = 1; i < k.nv; i += k.nv / 7) {
        const double good = k.a[i];
        k.a[i] = NAN;
        assert_int_equal(soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, k.a, NULL, T, &k.error), SOA_E_NUMBER);
        assert_true(isnan(T[0]) && isnan(T[k.nv - 1]));
        k.a[i] = good;
    }
    OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, k.a, NULL, T, &k.error));
    free(T);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forests_have_the_forces_of_their_trees),
        cmocka_unit_test(forward_inverts_inverse),
        cmocka_unit_test(bad_numbers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
