/* A model as URDF: what is written reads back and moves alike. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "io/urdf_build.h"
#include "io/urdf_same.h"
#include "io/urdf_texts.h"
#include "model/model.h"

static const double half_turn = 3.14159265358979323846;

static const soa_link *link_of(const soa_model *model, const char *name)
{
    const soa_link *link = soa_model_link(model, soa_model_find_link(model, name));
    assert_non_null(link);
    return link;
}

static void assert_vector(const double *v, double x, double y, double z)
{
    assert_true(fabs(v[0] - x) < 1e-15 && fabs(v[1] - y) < 1e-15 && fabs(v[2] - z) < 1e-15);
}

/* ---- what is written -------------------------------------------------------------- */

static void texts_come_back(void **state)
{
    (void)state;
    static const char *const text[] = {
        ROBOT(LINK("a")),
        ROBOT(BODY("a &lt;&quot;&#10;", SOLID)),
        ROBOT(BODY("a", "<origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/>" SOLID) BODY("b", SOLID) BODY("c", SOLID)
                JOINT("j", "revolute", "a", "b", "<origin xyz='1 2 3' rpy='0.3 1.5707963267948966 -2'/>" LIMITS)
                    JOINT("k", "prismatic", "b", "c",
                        LIMITS "<axis xyz='1 2 3'/><mimic joint='j' multiplier='0.1' offset='-3'/>"
                               "<dynamics damping='1' friction='2'/>")),
        ROBOT(LINK("w") BODY("a", SOLID) BODY("b", SOLID) BODY("c", SOLID) JOINT("i", "floating", "w", "a", "")
                JOINT("j", "planar", "a", "b", "<axis xyz='0 1 0'/>") JOINT("k", "continuous", "b", "c",
                    "<limit effort='1' velocity='2'/>") "<transmission><joint name='k'/>"
                                                        "<mechanicalReduction>7</mechanicalReduction></transmission>"),
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        soa_model *model;
        soa_error error;
        assert_int_equal(load_urdf(text[i], &model, &error), SOA_OK);
        soa_model *back = read_back(model);
        assert_same(model, back);
        soa_model_free(model);
        soa_model_free(back);
    }
}

/* A slide without limits keeps none; a hinge without becomes continuous. */
static void no_limits_stay_none(void **state)
{
    (void)state;
    soa_builder *builder = soa_builder_new(NULL);
    const soa_link base = soa_link_default("base", SOA_WORLD, SOA_FIXED);
    add(builder, &base);
    soa_link slide = solid("slide", 0, SOA_PRISMATIC);
    slide.joint.lower[0] = -2.0;
    add(builder, &slide);
    soa_link hinge = solid("hinge", 0, SOA_REVOLUTE);
    add(builder, &hinge);
    soa_model *model = finish(builder);
    soa_model *back = read_back(model);
    const soa_joint *joint = &link_of(back, "slide")->joint;
    assert_true(joint->lower[0] == -2.0 && joint->upper[0] == INFINITY && joint->velocity[0] == INFINITY);
    assert_string_equal(joint->name, "slide_joint");
    assert_int_equal(link_of(back, "hinge")->joint.kind, SOA_CONTINUOUS);
    assert_int_equal(soa_model_warnings(back), 0);
    soa_model_free(model);
    soa_model_free(back);
}

/* Link b stands 0.1 beyond its hinge; URDF places it at the hinge. */
static void a_link_beside_its_joint_is_moved_there(void **state)
{
    (void)state;
    soa_builder *builder = soa_builder_new(NULL);
    const soa_link base = solid("a", SOA_WORLD, SOA_FIXED);
    add(builder, &base);
    soa_link b = solid("b", 0, SOA_CONTINUOUS);
    b.joint.name = "b_joint";
    b.joint.at = shift(0, 0, 1);
    b.joint.child = shift(0.1, 0, 0);
    b.inertia.com[0] = 0.2;
    add(builder, &b);
    soa_link c = solid("c", 1, SOA_CONTINUOUS);
    c.joint.at = shift(0.5, 0, 0);
    add(builder, &c);
    soa_frame tip = soa_frame_default("tip", 1);
    tip.at = shift(0, 0.25, 0);
    assert_int_equal(soa_builder_add_frame(builder, &tip, NULL, NULL), SOA_OK);
    soa_model *model = finish(builder);
    soa_model *back = read_back(model);
    assert_vector(link_of(back, "b")->joint.at.position, 0, 0, 1);
    assert_vector(link_of(back, "b")->inertia.com, 0.1 + 0.2, 0, 0);
    assert_vector(link_of(back, "c")->joint.at.position, 0.1 + 0.5, 0, 0);
    const soa_link *frame = link_of(back, "tip");
    assert_int_equal(frame->joint.kind, SOA_FIXED);
    assert_int_equal(frame->flags, SOA_LINK_NO_INERTIA);
    assert_int_equal(frame->parent, soa_model_find_link(back, "b"));
    assert_vector(frame->joint.at.position, 0.1, 0.25, 0);
    soa_model_free(model);
    soa_model_free(back);
}

/* A weld has no moving side: its link stays where it is. */
static void a_welded_link_stays(void **state)
{
    (void)state;
    soa_builder *builder = soa_builder_new(NULL);
    const soa_link base = solid("a", SOA_WORLD, SOA_FIXED);
    add(builder, &base);
    soa_link b = solid("b", 0, SOA_FIXED);
    b.joint.at = soa_pose_from_axis_angle((double[3]){ 1, 0, 0 }, (double[3]){ 0, 0, 1 }, half_turn / 2);
    b.joint.child = shift(1, 0, 0);
    b.inertia.com[0] = 0.5;
    add(builder, &b);
    soa_model *model = finish(builder);
    soa_model *back = read_back(model);
    assert_vector(link_of(back, "b")->joint.at.position, 1, 1, 0);
    assert_vector(link_of(back, "b")->inertia.com, 0.5, 0, 0);
    soa_model_free(model);
    soa_model_free(back);
}

/* q = reference is the pose `at`: URDF's q = 0 lies a reference before it; and a
 * reversed joint goes about the opposite axis. */
static void reference_and_reversal_move_the_origin(void **state)
{
    (void)state;
    soa_builder *builder = soa_builder_new(NULL);
    const soa_link base = solid("a", SOA_WORLD, SOA_FIXED);
    add(builder, &base);
    soa_link hinge = solid("b", 0, SOA_CONTINUOUS);
    hinge.joint.reference = half_turn / 2;
    add(builder, &hinge);
    soa_link slide = solid("c", 0, SOA_PRISMATIC);
    slide.joint.axis[2] = 2.0;
    slide.joint.reference = 0.5;
    slide.joint.reversed = true;
    add(builder, &slide);
    soa_model *model = finish(builder);
    soa_model *back = read_back(model);
    const soa_joint *b = &link_of(back, "b")->joint;
    assert_vector(b->at.rotation[0], 0, 1, 0); /* a quarter turn back about z */
    assert_vector(b->at.rotation[1], -1, 0, 0);
    const soa_joint *c = &link_of(back, "c")->joint;
    assert_vector(c->at.position, 0, 0, 0.5);
    assert_true(c->axis[2] < 0.0 && c->axis[0] == 0.0 && c->axis[1] == 0.0);
    soa_model_free(model);
    soa_model_free(back);
}

/* The moving side of a body's joint in the fixed one. */
static soa_pose joint_pose(const soa_body_data *body, const double *q)
{
    const double z[3] = { 0, 0, 1 };
    switch (body->rest->shape.kind) {
    case SOA_PRISMATIC:
        return shift(0, 0, q[0]);
    case SOA_PLANAR:
        return soa_pose_from_axis_angle((double[3]){ q[0], q[1], 0 }, z, q[2]);
    case SOA_FREE:
        return soa_pose_from_quaternion(q + 4, q);
    default:
        return soa_pose_from_axis_angle((double[3]){ 0 }, z, q[0]);
    }
}

/* A link in the world at q. */
static soa_pose link_pose(const soa_model *m, int link, const double *q)
{
    soa_pose pose = m->place[link].at;
    for (int k = m->place[link].body; k >= 0; k = m->body[k].parent) {
        const soa_pose moved = joint_pose(&m->body[k], q + m->body[k].q);
        pose = soa_pose_compose(&moved, &pose);
        pose = soa_pose_compose(&m->body[k].rest->at, &pose);
    }
    return pose;
}

/* A tree of every kind that URDF has, each joint with a reference, some reversed,
 * each link beside its joint. */
static soa_model *crooked_tree(void)
{
    static const soa_joint_kind kind[] = { SOA_FREE, SOA_REVOLUTE, SOA_PRISMATIC, SOA_FIXED, SOA_CONTINUOUS, SOA_PLANAR,
        SOA_PRISMATIC, SOA_REVOLUTE };
    soa_builder *builder = soa_builder_new(NULL);
    unsigned long long seed = 7;
    for (int k = 0; k < 8; k++) {
        char name[16];
        snprintf(name, sizeof name, "l%d", k);
        soa_link link = solid(name, k == 0 ? SOA_WORLD : (k - 1) / 2, kind[k]);
        double number[16];
        for (int i = 0; i < 16; i++) {
            number[i] = soa_model_random_number(&seed);
        }
        link.joint.at = soa_pose_from_rpy(number, number + 3);
        link.joint.child = soa_pose_from_rpy(number + 6, number + 9);
        memcpy(link.joint.axis, number + 12, sizeof link.joint.axis);
        link.joint.reference = soa_joint_kind_nq(kind[k]) == 1 ? number[15] : 0.0;
        link.joint.reversed = soa_joint_kind_nq(kind[k]) == 1 && k % 2 == 0;
        add(builder, &link);
    }
    return finish(builder);
}

/* At any q the written links stand at the joints of the model's. */
static void written_links_move_alike(void **state)
{
    (void)state;
    soa_model *model = crooked_tree();
    soa_model *back = read_back(model);
    assert_int_equal(soa_model_nq(model), soa_model_nq(back));
    unsigned long long seed = 11;
    double q[32];
    soa_random_configuration(model, &seed, q);
    for (int k = 0; k < soa_model_links(model); k++) {
        const soa_link *link = soa_model_link(model, k);
        const soa_pose here = link_pose(model, k, q);
        soa_pose there = link_pose(back, soa_model_find_link(back, link->name), q);
        if (link->joint.kind != SOA_FIXED) {
            there = soa_pose_compose(&there, &link->joint.child);
        }
        assert_near("link position", 1e-13, 3, here.position, there.position);
        assert_near("link rotation", 1e-13, 9, &here.rotation[0][0], &there.rotation[0][0]);
    }
    soa_model_free(model);
    soa_model_free(back);
}

/* What hangs on the world but by one weld in place gets a link for the world. */
static void world_becomes_a_link(void **state)
{
    (void)state;
    soa_builder *builder = soa_builder_new(NULL);
    soa_link a = solid("a", SOA_WORLD, SOA_FREE);
    a.joint.name = "float";
    add(builder, &a);
    soa_link b = solid("b", SOA_WORLD, SOA_FIXED);
    b.joint.at = shift(0, 0, 2);
    add(builder, &b);
    soa_model *model = finish(builder);
    soa_model *back = read_back(model);
    assert_int_equal(soa_model_links(back), 3);
    assert_string_equal(soa_model_link(back, 0)->name, "world");
    assert_int_equal(link_of(back, "a")->joint.kind, SOA_FREE);
    assert_string_equal(link_of(back, "a")->joint.name, "float");
    assert_vector(link_of(back, "b")->joint.at.position, 0, 0, 2);
    assert_true(soa_model_mass(back) == soa_model_mass(model));
    soa_model *again = read_back(back);
    assert_same(back, again);
    soa_model_free(model);
    soa_model_free(back);
    soa_model_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(no_limits_stay_none),
        cmocka_unit_test(a_link_beside_its_joint_is_moved_there),
        cmocka_unit_test(a_welded_link_stays),
        cmocka_unit_test(reference_and_reversal_move_the_origin),
        cmocka_unit_test(written_links_move_alike),
        cmocka_unit_test(world_becomes_a_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
