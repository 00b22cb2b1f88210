/* Names that are there are found by one call; one that is not can never pass for the world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/soa.h"

static soa_model *builtin(const char *name)
{
    soa_model *model;
    assert_int_equal(soa_model_builtin(name, NULL, &model, NULL), SOA_OK);
    return model;
}

static void points_by_name(void **state)
{
    (void)state;
    soa_model *model = builtin("dual-arm");
    soa_point point;
    assert_int_equal(soa_model_find_point(model, "world", &point, NULL), SOA_OK);
    assert_int_equal(point.link, SOA_WORLD);
    assert_int_equal(soa_model_find_point(model, "left/link7", &point, NULL), SOA_OK);
    assert_int_equal(point.link, soa_model_find_link(model, "left/link7"));
    const soa_frame *tool = soa_model_frame(model, soa_model_find_frame(model, "right/tool"));
    assert_int_equal(soa_model_find_point(model, "right/tool", &point, NULL), SOA_OK);
    assert_int_equal(point.link, tool->link);
    assert_memory_equal(&point.at, &tool->at, sizeof tool->at);
    soa_model_free(model);
}

/* A mistyped link is a status with the nearest name, and what was not found is refused by whoever is given it. */
static void what_is_not_there(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    soa_workspace *workspace;
    soa_error error;
    soa_point point;
    soa_body body;
    double q[7] = { 0 }, J[42];
    assert_int_equal(soa_model_find_point(model, "lnik7", &point, &error), SOA_E_NAME);
    assert_string_equal(error.text, "there is no link or frame 'lnik7'; did you mean 'link7'?");
    assert_int_equal(point.link, SOA_NONE);
    assert_int_equal(soa_model_find_point(model, "zzzz", &point, &error), SOA_E_NAME);
    assert_string_equal(error.text, "there is no link or frame 'zzzz'; give a name that the model has");
    assert_int_equal(soa_workspace_new(model, NULL, &workspace, NULL), SOA_OK);
    point = (soa_point){ soa_model_find_link(model, "lnik7"), soa_pose_identity() };
    assert_int_equal(soa_jacobian(model, workspace, 1, &point, SOA_AXES_MIXED, 1, q, J, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_link_body(model, SOA_NONE, NULL), SOA_NONE);
    assert_int_equal(soa_model_link_body(model, SOA_WORLD, NULL), SOA_WORLD);
    assert_int_equal(soa_model_body(model, 99).link, SOA_NONE);
    assert_int_equal(soa_model_find_body(model, "jiont3", &body, &error), SOA_E_NAME);
    assert_string_equal(error.text, "there is no joint 'jiont3'; did you mean 'joint3'?");
    assert_int_equal(body.link, SOA_NONE);
    assert_int_equal(soa_model_find_body(model, "link3", &body, &error), SOA_E_NAME);
    assert_string_equal(error.text, "there is no joint 'link3'; the joint of that link is 'joint3'");
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* Whatever a description hangs on a link that was not found is refused. */
static void nothing_hangs_on_none(void **state)
{
    (void)state;
    for (int what = 0; what < 4; what++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_model *model;
        const int none = soa_builder_find_link(b, "nowhere");
        const soa_link link = soa_link_default("a", what == 0 ? none : SOA_WORLD, SOA_REVOLUTE);
        const soa_frame frame = soa_frame_default("f", what == 1 ? none : SOA_WORLD);
        const soa_closure closure = soa_closure_default("c", SOA_CLOSE_SPHERICAL, 0, what == 2 ? none : SOA_WORLD);
        const soa_coupling coupling = { .link = 0, .driver = what == 3 ? soa_builder_find_joint(b, "no") : -1 };
        assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
        assert_int_equal(soa_builder_add_frame(b, &frame, NULL, NULL), SOA_OK);
        assert_int_equal(soa_builder_add_closure(b, &closure, NULL, NULL), SOA_OK);
        assert_int_equal(soa_builder_add_coupling(b, &coupling, NULL, NULL), SOA_OK);
        assert_int_not_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
        assert_null(model);
        soa_builder_free(b);
    }
}

static void coordinates_of_joints(void **state)
{
    (void)state;
    soa_model *model = builtin("satellite");
    soa_body body;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body is = soa_model_body(model, k);
        const soa_link *link = soa_model_link(model, is.link);
        assert_int_equal(soa_model_find_body(model, link->joint.name ? link->joint.name : link->name, &body, NULL), 0);
        assert_int_equal(body.q, is.q);
        assert_int_equal(body.v, is.v);
        assert_int_equal(body.link, is.link);
    }
    soa_model_free(model);
    soa_builder *b = soa_builder_new(NULL);
    soa_link weld = soa_link_default("plate", SOA_WORLD, SOA_FIXED);
    weld.joint.name = "bolt";
    assert_int_equal(soa_builder_add_link(b, &weld, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
    assert_int_equal(soa_model_find_body(model, "bolt", &body, NULL), SOA_E_JOINT);
    soa_builder_free(b);
    soa_model_free(model);
}

/* Without a model or a builder there is nothing, and no crash. */
static void null_is_a_status(void **state)
{
    (void)state;
    soa_model *model = NULL;
    soa_builder *b = soa_builder_new(NULL);
    soa_point point;
    soa_body body;
    double x[7] = { 0 };
    unsigned long long seed = 1;
    const soa_link link = soa_link_default("a", SOA_WORLD, SOA_FREE);
    soa_model_free(NULL);
    soa_builder_free(NULL);
    soa_builder_set_gravity(NULL, x);
    soa_builder_set_gravity(b, NULL);
    soa_model_gravity(NULL, x);
    assert_int_equal(soa_builder_set_name(NULL, "m", NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_set_name(b, NULL, NULL), SOA_E_NAME);
    assert_int_equal(soa_builder_add_link(NULL, &link, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_add_link(b, NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_add_frame(b, NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_add_coupling(b, NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_add_closure(b, NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_set_link(b, 0, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_add_configuration(NULL, "c", 0, NULL, 0, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_warn(NULL, link.source, NULL, "w"), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_attach(b, NULL, NULL, SOA_WORLD, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_finish(NULL, &model, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_finish(b, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_builtin(NULL, NULL, &model, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_builtin("arm7", NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_free_base(NULL, &model, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_find_point(NULL, "a", &point, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_find_body(NULL, "a", &body, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_model_find_link(NULL, "a"), SOA_NONE);
    assert_int_equal(soa_builder_find_joint(NULL, "a"), SOA_NONE);
    assert_int_equal(soa_builder_links(NULL), 0);
    assert_int_equal(soa_model_links(NULL) + soa_model_nq(NULL) + soa_model_frames(NULL), 0);
    assert_null(soa_model_name(NULL));
    assert_null(soa_model_link(NULL, 0));
    assert_int_equal(soa_model_link_body(NULL, 0, NULL), SOA_NONE);
    assert_int_equal(soa_check_configuration(NULL, x, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_normalize(NULL, x, NULL), SOA_E_ARGUMENT);
    soa_model_neutral(NULL, x);
    soa_integrate(NULL, x, x, 1.0, x);
    soa_difference(NULL, x, x, x);
    soa_random_configuration(NULL, &seed, x);
    assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
    assert_int_equal(soa_check_configuration(model, NULL, NULL), SOA_E_ARGUMENT);
    soa_model_neutral(model, NULL);
    soa_model_free(model);
    soa_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_by_name),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(nothing_hangs_on_none),
        cmocka_unit_test(coordinates_of_joints),
        cmocka_unit_test(null_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
