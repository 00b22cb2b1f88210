/* Models written as MJCF: read back they are the same; what MJCF cannot say is refused. */
#include "io/mjcf_text.h"

static soa_model *read_back(const soa_model *model)
{
    soa_model *back;
    soa_error error;
    char *text;
    size_t length;
    if (soa_write(model, SOA_MJCF, NULL, &text, &length, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    if (soa_load_text(SOA_MJCF, text, length, "back.xml", NULL, &back, &error) != SOA_OK) {
        fail_msg("%d: %s\n%s", error.line, error.text, text);
    }
    soa_text_free(NULL, text);
    return back;
}

static void same_pose(const char *what, const soa_pose *a, const soa_pose *b)
{
    near_numbers(what, 1e-14, 9, &a->rotation[0][0], &b->rotation[0][0]);
    near_numbers(what, 1e-14, 3, a->position, b->position);
}

static void same_joint(const soa_joint *a, const soa_joint *b)
{
    const double x[] = { a->reference, a->lower[0], a->upper[0], a->damping, a->friction, a->stiffness,
        a->spring_reference, a->rotor.armature };
    const double y[] = { b->reference, b->lower[0], b->upper[0], b->damping, b->friction, b->stiffness,
        b->spring_reference, b->rotor.armature };
    assert_int_equal(a->kind, b->kind);
    assert_true(!a->name == !b->name && (!a->name || strcmp(a->name, b->name) == 0));
    near_numbers("figures", 0.0, 8, x, y);
    near_numbers("axis", 1e-14, 3, a->axis, b->axis);
    near_numbers("neutral", 1e-14, SOA_JOINT_MAX_NQ, a->neutral, b->neutral);
    same_pose("at", &a->at, &b->at);
    same_pose("child", &a->child, &b->child);
}

static void same(const soa_model *a, const soa_model *b)
{
    assert_int_equal(soa_model_links(a), soa_model_links(b));
    for (int i = 0; i < soa_model_links(a); i++) {
        const soa_link *x = soa_model_link(a, i), *y = soa_model_link(b, i);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->parent, y->parent);
        same_joint(&x->joint, &y->joint);
        near("mass", 0.0, x->inertia.mass, y->inertia.mass);
        near_numbers("com", 0.0, 3, x->inertia.com, y->inertia.com);
        near_numbers("moment", 1e-15, 6, x->inertia.moment, y->inertia.moment);
    }
    assert_int_equal(soa_model_closures(a), soa_model_closures(b));
    for (int i = 0; i < soa_model_closures(a); i++) {
        const soa_closure *x = soa_model_closure(a, i), *y = soa_model_closure(b, i);
        const soa_pose xb = soa_pose_inverse(&x->at_b), yb = soa_pose_inverse(&y->at_b);
        const soa_pose xa = soa_pose_compose(&x->at_a, &xb), ya = soa_pose_compose(&y->at_a, &yb);
        assert_int_equal(x->kind, y->kind);
        assert_true(x->a == y->a && x->b == y->b && x->inactive == y->inactive);
        same_pose("closure", &xa, &ya);
    }
    assert_int_equal(soa_model_couplings(a), soa_model_couplings(b));
    for (int i = 0; i < soa_model_couplings(a); i++) {
        const soa_coupling *x = soa_model_coupling(a, i), *y = soa_model_coupling(b, i);
        assert_true(x->link == y->link && x->driver == y->driver);
        near_numbers("coupling", 1e-13, SOA_COUPLING_TERMS, x->coefficient, y->coefficient);
    }
    assert_int_equal(soa_model_frames(a), soa_model_frames(b));
    for (int i = 0; i < soa_model_frames(a); i++) {
        const soa_frame *x = soa_model_frame(a, i), *y = soa_model_frame(b, soa_model_find_frame(b, x->name));
        assert_int_equal(x->link, y->link);
        same_pose("frame", &x->at, &y->at);
    }
    assert_int_equal(soa_model_configurations(a), soa_model_configurations(b));
    for (int i = 0; i < soa_model_configurations(a); i++) {
        const soa_configuration *x = soa_model_configuration(a, i), *y = soa_model_configuration(b, i);
        near_numbers("q", 1e-15, soa_model_nq(a), x->q, y->q);
        near_numbers("v", 1e-15, x->v ? soa_model_nv(a) : 0, x->v, y->v);
    }
}

static void everything(void **state)
{
    (void)state;
    soa_model *model = must_load(
        "<mujoco model=\"a &lt; b\"><compiler angle=\"radian\"/><option gravity=\"1 2 -3\"/><worldbody>"
        "<site name=\"here\" pos=\"1 1 1\" euler=\"0.1 0.2 0.3\"/>"
        "<body name=\"base\" pos=\"1 2 3\" euler=\"0.3 0.2 0.1\"><freejoint name=\"root\"/>"
        "<inertial pos=\"0.1 0.2 0.3\" mass=\"2\" fullinertia=\"2 2.5 3 0.1 0.2 0.3\"/>"
        "<body name=\"arm\" pos=\"0 1 0\" quat=\"1 2 3 4\"><joint name=\"x\" type=\"slide\" axis=\"1 1 0\" pos=\"1 0 "
        "0\"/>"
        "<joint name=\"h\" pos=\"0 2 0\" axis=\"0 3 4\" range=\"-1 2\" ref=\"0.5\" armature=\"0.1\" damping=\"0.2\""
        " frictionloss=\"0.3\" stiffness=\"4\" springref=\"0.25\"/>" INERTIAL "<site name=\"tip\" pos=\"0 0 1\"/>"
        "<body name=\"w\" pos=\"0 0 1\"><joint type=\"ball\" name=\"b\" pos=\"0 0 0.5\" range=\"0 1\"/>" INERTIAL
        "<body name=\"weld &quot;1&quot;\" pos=\"1 0 0\">" INERTIAL "</body></body></body>"
        "<body name=\"leg\"><joint name=\"k\" ref=\"-0.25\"/>" INERTIAL "</body></body></worldbody>"
        "<equality><connect name=\"loop\" body1=\"w\" body2=\"leg\" anchor=\"1 2 3\"/>"
        "<weld body1=\"arm\" body2=\"leg\" relpose=\"1 2 3 4 3 2 1\" anchor=\"3 2 1\" active=\"false\"/>"
        "<joint joint1=\"h\" joint2=\"k\" polycoef=\"1 2 3 4 5\"/></equality>"
        "<keyframe><key name=\"one\" qpos=\"1 2 3 0.6 0 0.8 0 0.1 0.2 0.8 0 0 0.6 0.3\""
        " qvel=\"1 2 3 4 5 6 7 8 9 10 11 12\"/></keyframe></mujoco>");
    soa_model *back = read_back(model);
    same(model, back);
    assert_string_equal(soa_model_name(back), "a < b");
    soa_model_free(back);
    soa_model_free(model);
}

/* ---- kinds MJCF has no joint for -------------------------------------------------------- */

static soa_model *of_kind(soa_joint_kind kind, void (*change)(soa_link *))
{
    soa_builder *builder = soa_builder_new(NULL);
    soa_link link = soa_link_default("l", SOA_WORLD, kind);
    link.inertia = (soa_inertia){ 1.0, { 0 }, { 1, 0, 0, 1, 0, 1 } };
    link.joint.name = "j";
    link.joint.axis2[0] = 1.0;
    if (change) {
        change(&link);
    }
    soa_model *model;
    soa_error error;
    assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    if (soa_builder_finish(builder, &model, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(builder);
    return model;
}

static void two_joints(void **state)
{
    (void)state;
    const double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 };
    soa_model *model = of_kind(SOA_UNIVERSAL, NULL), *back = read_back(model);
    assert_int_equal(soa_model_links(back), 2);
    near_numbers("first axis", 0.0, 3, soa_model_link(back, 0)->joint.axis, z);
    near_numbers("second axis", 0.0, 3, soa_model_link(back, 1)->joint.axis, x);
    soa_model_free(back);
    soa_model_free(model);
    model = of_kind(SOA_CYLINDRICAL, NULL);
    back = read_back(model);
    assert_int_equal(soa_model_link(back, 0)->joint.kind, SOA_CONTINUOUS);
    assert_int_equal(soa_model_link(back, 1)->joint.kind, SOA_PRISMATIC);
    soa_model_free(back);
    soa_model_free(model);
}

static void check_refused(soa_joint_kind kind, void (*change)(soa_link *), const char *words)
{
    soa_model *model = of_kind(kind, change);
    soa_error error;
    char *text = NULL;
    size_t length;
    assert_int_equal(soa_write(model, SOA_MJCF, NULL, &text, &length, &error), SOA_E_UNSUPPORTED);
    if (!strstr(error.text, words)) {
        fail_msg("%s", error.text);
    }
    soa_model_free(model);
}

static void with_rotor(soa_link *link)
{
    link->joint.rotor = (soa_rotor){ .ratio = 100.0, .spin = 1e-4, .axis = { 0, 0, 1 } };
}

static void with_offset(soa_link *link)
{
    link->joint.child.position[0] = 1.0;
}

static void refused(void **state)
{
    (void)state;
    check_refused(SOA_PLANAR, NULL, "planar");
    check_refused(SOA_HELICAL, NULL, "helical");
    check_refused(SOA_REVOLUTE, with_rotor, "rotor");
    check_refused(SOA_FREE, with_offset, "origin");
}

/* A reversed hinge turns the other way. */
static void reverse(soa_link *link)
{
    link->joint.reversed = true;
}

static void reversed(void **state)
{
    (void)state;
    soa_model *model = of_kind(SOA_REVOLUTE, reverse), *back = read_back(model);
    near("axis", 0.0, soa_model_link(back, 0)->joint.axis[2], -1.0);
    soa_model_free(back);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(two_joints),
        cmocka_unit_test(refused),
        cmocka_unit_test(reversed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
