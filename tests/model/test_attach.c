/* Models made of models: two arms on a torso, and whole-model configurations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "soa/model.h"

static soa_link heavy(const char *name, int parent, const char *joint)
{
    soa_link link = soa_link_default(name, parent, SOA_REVOLUTE);
    link.joint.name = joint;
    link.inertia = (soa_inertia){ 2.0, { 0.1, 0.0, 0.2 }, { 0.02, 0.0, 0.0, 0.03, 0.0, 0.2 } };
    return link;
}

/* upper on the world, lower on upper, lower follows upper; a frame, a closure, a reader's warning. */
static soa_model *arm(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const soa_link upper = heavy("upper", SOA_WORLD, "shoulder"), lower = heavy("lower", 0, "elbow");
    soa_frame tool = soa_frame_default("tool", 1), foot = soa_frame_default("foot", SOA_WORLD);
    const soa_coupling follow = { .name = "follow", .link = 1, .driver = 0, .coefficient = { 0, 2 } };
    const soa_closure pin = soa_closure_default("pin", SOA_CLOSE_SPHERICAL, 1, SOA_WORLD);
    soa_model *model;
    tool.at.position[0] = 0.5;
    assert_int_equal(soa_builder_add_link(b, &upper, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &lower, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_frame(b, &tool, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_frame(b, &foot, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_coupling(b, &follow, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_closure(b, &pin, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_warn(b, (soa_source){ "arm.txt", 3 }, NULL, "%d things skipped", 4), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
    soa_builder_free(b);
    return model;
}

static soa_model *torso_with_arms(const soa_model *part)
{
    soa_builder *b = soa_builder_new(NULL);
    const soa_link torso = heavy("torso", SOA_WORLD, "hip");
    const double left[3] = { 0, 0.3, 1 }, right[3] = { 0, -0.3, 1 }, rpy[3] = { 0.1, 0.2, 0.3 };
    const soa_pose at_left = soa_pose_from_rpy(left, rpy), at_right = soa_pose_from_rpy(right, rpy);
    soa_model *model;
    assert_int_equal(soa_builder_add_link(b, &torso, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_attach(b, part, "left", 0, &at_left, NULL), SOA_OK);
    assert_int_equal(soa_builder_attach(b, part, "right", 0, &at_right, NULL), SOA_OK);
    assert_int_equal(soa_builder_attach(b, part, "right", 0, &at_right, NULL), SOA_E_NAME);
    soa_builder_free(b);
    b = soa_builder_new(NULL);
    assert_int_equal(soa_builder_add_link(b, &torso, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_attach(b, part, "left", 0, &at_left, NULL), SOA_OK);
    assert_int_equal(soa_builder_attach(b, part, "right", 0, &at_right, NULL), SOA_OK);
    assert_int_equal(soa_builder_attach(b, part, "lost", 99, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
    soa_builder_free(b);
    return model;
}

static void two_arms_on_a_torso(void **state)
{
    (void)state;
    soa_model *part = arm();
    soa_model *m = torso_with_arms(part);
    assert_int_equal(soa_model_links(m), 5);
    assert_int_equal(soa_model_nv(m), 5);
    assert_true(soa_model_mass(m) == 10.0);
    const int lower = soa_model_find_link(m, "right/lower");
    assert_int_equal(soa_model_find_joint(m, "right/elbow"), lower);
    assert_int_equal(soa_model_link(m, lower)->parent, soa_model_find_link(m, "right/upper"));
    assert_int_equal(soa_model_find_link(m, "upper"), SOA_NONE);
    const soa_link *upper = soa_model_link(m, soa_model_find_link(m, "right/upper"));
    assert_int_equal(upper->parent, 0);
    assert_true(upper->joint.at.position[1] == -0.3);

    assert_int_equal(soa_model_couplings(m), 2);
    const soa_coupling *follow = soa_model_coupling(m, 1);
    assert_int_equal(follow->link, lower);
    assert_int_equal(follow->driver, soa_model_find_link(m, "right/upper"));
    assert_string_equal(follow->name, "right/follow");

    assert_int_equal(soa_model_closures(m), 2);
    const soa_closure *pin = soa_model_closure(m, 1);
    assert_int_equal(pin->a, lower);
    assert_int_equal(pin->b, 0); /* the part's world is now the torso */
    assert_true(pin->at_b.position[1] == -0.3);

    assert_int_equal(soa_model_frames(m), 4);
    const soa_frame *foot = soa_model_frame(m, soa_model_find_frame(m, "right/foot"));
    assert_int_equal(foot->link, 0);
    assert_true(foot->at.position[1] == -0.3);
    assert_int_equal(
        soa_model_frame(m, soa_model_find_frame(m, "left/tool"))->link, soa_model_find_link(m, "left/lower"));
    soa_model_free(part); /* nothing of the part is borrowed */
    assert_string_equal(soa_model_link(m, lower)->name, "right/lower");
    soa_model_free(m);
}

/* The reader's remark once per arm; what validation says once per link. */
static void remarks_are_not_doubled(void **state)
{
    (void)state;
    soa_model *part = arm();
    soa_model *m = torso_with_arms(part);
    int skipped = 0, triangle = 0;
    for (int i = 0; i < soa_model_warnings(m); i++) {
        skipped += strstr(soa_model_warning(m, i)->text, "4 things skipped") != NULL;
        triangle += strstr(soa_model_warning(m, i)->text, "triangle") != NULL;
    }
    assert_int_equal(skipped, 2);
    assert_int_equal(triangle, 5);
    assert_int_equal(soa_model_warnings(m), 7);
    soa_model_free(part);
    soa_model_free(m);
}

static void a_part_without_prefix_keeps_its_names(void **state)
{
    (void)state;
    soa_model *part = arm();
    soa_builder *b = soa_builder_new(NULL);
    soa_model *m;
    assert_int_equal(soa_builder_attach(b, part, NULL, SOA_WORLD, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &m, NULL), SOA_OK);
    assert_true(soa_model_find_link(m, "upper") == 0);
    assert_int_equal(soa_model_closure(m, 0)->b, SOA_WORLD);
    soa_builder_free(b);
    soa_model_free(part);
    soa_model_free(m);
}

/* ---- configurations of a whole model ----------------------------------------------------------- */

static soa_model *mixed(void)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_link base = heavy("base", SOA_WORLD, "float"), ball = heavy("ball", 0, "socket"),
             slider = heavy("slider", 1, "rail");
    base.joint = soa_joint_default("float", SOA_FREE);
    base.joint.neutral[6] = 0.7;
    ball.joint = soa_joint_default("socket", SOA_SPHERICAL);
    slider.joint = soa_joint_default("rail", SOA_PRISMATIC);
    slider.joint.reference = 0.25;
    slider.joint.lower[0] = 0.1;
    slider.joint.upper[0] = 0.3;
    soa_model *m;
    assert_int_equal(soa_builder_add_link(b, &base, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &ball, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &slider, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &m, NULL), SOA_OK);
    soa_builder_free(b);
    return m;
}

static void configurations_move_on_the_manifold(void **state)
{
    (void)state;
    enum { NQ = 12, NV = 10 };
    soa_model *m = mixed();
    soa_error error;
    double q[NQ], q1[NQ], v[NV], back[NV];
    assert_int_equal(soa_model_nq(m), NQ);
    assert_int_equal(soa_model_nv(m), NV);
    soa_model_neutral(m, q);
    const double neutral[NQ] = { 1, 0, 0, 0, 0, 0, 0.7, 1, 0, 0, 0, 0.25 };
    assert_memory_equal(q, neutral, sizeof q);

    unsigned long long seed = 2;
    for (int trial = 0; trial < 50; trial++) {
        soa_random_configuration(m, &seed, q);
        assert_int_equal(soa_check_configuration(m, q, &error), SOA_OK);
        assert_true(q[11] >= 0.1 && q[11] <= 0.3);
        for (int i = 0; i < NV; i++) {
            v[i] = soa_model_random_number(&seed);
        }
        soa_integrate(m, q, v, 0.5, q1);
        soa_difference(m, q, q1, back);
        for (int i = 0; i < NV; i++) {
            assert_true(fabs(back[i] - 0.5 * v[i]) < 1e-14);
        }
    }
    q[7] *= 1.01;
    q[8] *= 1.01;
    q[9] *= 1.01;
    q[10] *= 1.01;
    assert_int_equal(soa_check_configuration(m, q, &error), SOA_E_CONFIGURATION);
    assert_int_equal(error.body, 1);
    assert_non_null(strstr(error.text, "joint 'socket'"));
    assert_int_equal(soa_normalize(m, q, &error), SOA_OK);
    assert_int_equal(soa_check_configuration(m, q, &error), SOA_OK);
    q[11] = NAN;
    assert_int_equal(soa_check_configuration(m, q, &error), SOA_E_NUMBER);
    assert_int_equal(error.body, 2);
    soa_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_arms_on_a_torso),
        cmocka_unit_test(remarks_are_not_doubled),
        cmocka_unit_test(a_part_without_prefix_keeps_its_names),
        cmocka_unit_test(configurations_move_on_the_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
