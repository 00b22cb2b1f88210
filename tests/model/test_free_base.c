/* A model whose base was freed is the same system on a free joint. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/soa.h"

enum { MOST = 64, LINKS = 64 };

static soa_model *builtin(const char *name)
{
    soa_model *model;
    assert_int_equal(soa_model_builtin(name, NULL, &model, NULL), SOA_OK);
    return model;
}

static soa_model *freed(const soa_model *model)
{
    soa_model *out;
    soa_error error;
    if (soa_model_free_base(model, &out, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    return out;
}

static void poses(const soa_model *model, const double *q, double *pose)
{
    soa_workspace *workspace;
    assert_int_equal(soa_workspace_new(model, NULL, &workspace, NULL), SOA_OK);
    assert_int_equal(soa_kinematics(model, workspace, 1, q, NULL, NULL, pose, NULL, NULL, NULL), SOA_OK);
    soa_workspace_free(workspace);
}

/* With the free joint at neutral every link stands where it stood, in every configuration. */
static void stands_where_it_stood(void **state)
{
    (void)state;
    static const char *const NAME[] = { "arm6", "arm7", "dual-arm" };
    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        soa_model *model = builtin(NAME[i]), *out = freed(model);
        const int links = soa_model_links(model);
        double was[12 * LINKS], is[12 * LINKS];
        assert_int_equal(soa_model_nv(out), soa_model_nv(model) + 6);
        assert_int_equal(soa_model_nq(out), soa_model_nq(model) + 7);
        assert_int_equal(soa_model_body(out, 0).kind, SOA_FREE);
        assert_string_equal(soa_model_link(out, soa_model_body(out, 0).link)->joint.name, "base");
        assert_int_equal(soa_model_frames(out), soa_model_frames(model));
        assert_int_equal(soa_model_configurations(out), soa_model_configurations(model));
        for (int c = 0; c < soa_model_configurations(model); c++) {
            poses(model, soa_model_configuration(model, c)->q, was);
            poses(out, soa_model_configuration(out, c)->q, is);
            for (int n = 0; n < 12 * links; n++) {
                assert_true(fabs(is[n] - was[n]) < 1e-14);
            }
        }
        soa_model_free(out);
        soa_model_free(model);
    }
}

/* What holds the base back is known: with its force on the free base nothing changes. */
static void moves_alike_when_held(void **state)
{
    (void)state;
    soa_model *model = builtin("arm6"), *out = freed(model);
    soa_workspace *w, *w_out;
    const int nv = soa_model_nv(model);
    double q[MOST], v[MOST] = { 0.0 }, vdot[MOST] = { 0.0 }, T[MOST], T_out[MOST];
    unsigned long long seed = 4;
    assert_int_equal(soa_workspace_new(model, NULL, &w, NULL), SOA_OK);
    assert_int_equal(soa_workspace_new(out, NULL, &w_out, NULL), SOA_OK);
    soa_model_neutral(out, q);
    soa_random_configuration(model, &seed, q + 7);
    for (int i = 0; i < nv; i++) {
        v[6 + i] = soa_model_random_number(&seed);
        vdot[6 + i] = soa_model_random_number(&seed);
    }
    assert_int_equal(soa_inverse_dynamics(model, w, 1, q + 7, v + 6, vdot + 6, NULL, T, NULL), SOA_OK);
    assert_int_equal(soa_inverse_dynamics(out, w_out, 1, q, v, vdot, NULL, T_out, NULL), SOA_OK);
    for (int i = 0; i < nv; i++) {
        assert_true(fabs(T_out[6 + i] - T[i]) < 1e-12);
    }
    soa_workspace_free(w);
    soa_workspace_free(w_out);
    soa_model_free(out);
    soa_model_free(model);
}

/* Velocities of a configuration go with their joints, though joints stand in another order than bodies. */
static void keeps_velocities(void **state)
{
    (void)state;
    soa_builder *builder = soa_builder_new(NULL);
    const soa_inertia solid = { .mass = 1.0, .moment = { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
    soa_link tip = soa_link_default("tip", 2, SOA_PRISMATIC), base = soa_link_default("base", SOA_WORLD, SOA_FIXED);
    soa_link arm = soa_link_default("arm", 1, SOA_CYLINDRICAL);
    soa_model *model;
    tip.inertia = base.inertia = arm.inertia = solid;
    assert_int_equal(soa_builder_add_link(builder, &tip, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(builder, &base, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(builder, &arm, NULL, NULL), SOA_OK);
    const double q[3] = { 0.1, 0.2, 0.3 }, v[3] = { 1.0, 2.0, 3.0 };
    assert_int_equal(soa_builder_add_configuration(builder, "moving", 3, q, 3, v, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(builder, &model, NULL), SOA_OK);
    soa_builder_free(builder);
    soa_model *out = freed(model);
    soa_body of_arm, of_tip, of_base;
    assert_int_equal(soa_model_find_body(out, "arm", &of_arm, NULL), SOA_OK);
    assert_int_equal(soa_model_find_body(out, "tip", &of_tip, NULL), SOA_OK);
    assert_int_equal(soa_model_find_body(out, "base", &of_base, NULL), SOA_OK);
    const soa_configuration *moving = soa_model_configuration(out, 0);
    assert_true(moving->v[of_tip.v] == 1.0);
    assert_true(moving->v[of_arm.v] == 2.0 && moving->v[of_arm.v + 1] == 3.0);
    assert_true(moving->q[of_arm.q] == 0.2 && moving->q[of_arm.q + 1] == 0.3);
    for (int i = 0; i < 6; i++) {
        assert_true(moving->v[of_base.v + i] == 0.0);
    }
    soa_model_free(out);
    soa_model_free(model);
}

static void leaves_a_free_base(void **state)
{
    (void)state;
    soa_model *model = builtin("quadruped"), *out = freed(model);
    assert_int_equal(soa_model_nv(out), soa_model_nv(model));
    assert_string_equal(soa_model_link(out, 0)->joint.name, soa_model_link(model, 0)->joint.name);
    soa_model_free(out);
    soa_model_free(model);
}

static soa_model *two_links(soa_joint_kind kind, int second_parent, const char *joint)
{
    soa_builder *builder = soa_builder_new(NULL);
    soa_link a = soa_link_default("a", SOA_WORLD, kind);
    soa_link b = soa_link_default("b", second_parent, second_parent < 0 ? SOA_FIXED : SOA_REVOLUTE);
    soa_model *model;
    a.inertia = b.inertia = (soa_inertia){ .mass = 1.0, .moment = { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
    b.joint.name = joint;
    assert_int_equal(soa_builder_add_link(builder, &a, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(builder, &b, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(builder, &model, NULL), SOA_OK);
    soa_builder_free(builder);
    return model;
}

static void finds_another_name(void **state)
{
    (void)state;
    soa_model *model = two_links(SOA_FIXED, 0, "base"), *out = freed(model);
    assert_string_equal(soa_model_link(out, 0)->joint.name, "base/free");
    assert_int_equal(soa_model_find_joint(out, "base"), 1);
    soa_model_free(out);
    soa_model_free(model);
}

static void refuses_what_has_no_base(void **state)
{
    (void)state;
    soa_error error;
    soa_model *out, *model = two_links(SOA_FIXED, SOA_WORLD, NULL);
    assert_int_equal(soa_model_free_base(model, &out, &error), SOA_E_TREE);
    assert_non_null(strstr(error.text, "'a' and 'b' both hang on the world"));
    assert_null(out);
    soa_model_free(model);
    model = two_links(SOA_REVOLUTE, 0, NULL);
    assert_int_equal(soa_model_free_base(model, &out, &error), SOA_E_TREE);
    assert_non_null(strstr(error.text, "'a' hangs on the world by a revolute joint"));
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_where_it_stood),
        cmocka_unit_test(moves_alike_when_held),
        cmocka_unit_test(keeps_velocities),
        cmocka_unit_test(leaves_a_free_base),
        cmocka_unit_test(finds_another_name),
        cmocka_unit_test(refuses_what_has_no_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
