/* What finish refuses of links, joints and trees: every rule, with its message. */
#include "two_links.h"

/* The model of two links; NULL with the error filled. */
static soa_model *build(const two *t, soa_error *error)
{
    soa_model *model = NULL;
    soa_builder *b = soa_builder_new(NULL);
    soa_error_clear(error);
    if (soa_builder_add_link(b, &t->base, NULL, error) == SOA_OK &&
        soa_builder_add_link(b, &t->arm, NULL, error) == SOA_OK) {
        soa_builder_finish(b, &model, error);
    }
    soa_builder_free(b);
    return model;
}

static void expect_refusal(const two *t, soa_status status, const char *words)
{
    soa_error error;
    soa_model *model = build(t, &error);
    assert_null(model);
    if (!strstr(error.text, words)) {
        print_error("expected \"%s\" in \"%s\"\n", words, error.text);
    }
    assert_non_null(strstr(error.text, words));
    assert_int_equal(error.status, status);
    assert_string_equal(error.file, "two.txt");
    assert_true(error.line == 10 || error.line == 11);
}

static void control_is_accepted(void **state)
{
    (void)state;
    const two t = two_links();
    soa_error error;
    soa_model *model = build(&t, &error);
    assert_non_null(model);
    assert_int_equal(soa_model_warnings(model), 0);
    assert_int_equal(soa_model_bodies(model), 2);
    soa_model_free(model);
}

static void bad_inertia_is_refused(void **state)
{
    (void)state;
    two t = two_links();
    t.arm.inertia.mass = -1.0;
    expect_refusal(&t, SOA_E_INERTIA, "mass -1 is negative");
    t.arm.inertia.mass = NAN;
    expect_refusal(&t, SOA_E_NUMBER, "must be finite");
    t = two_links();
    t.arm.inertia.com[1] = INFINITY;
    expect_refusal(&t, SOA_E_NUMBER, "must be finite");
    t = two_links();
    t.arm.inertia.moment[0] = -0.02;
    expect_refusal(&t, SOA_E_INERTIA, "not positive definite");
    t = two_links();
    t.arm.inertia.moment[1] = 0.1; /* off-diagonal too large */
    expect_refusal(&t, SOA_E_INERTIA, "not positive definite");
}

static void bad_joint_is_refused(void **state)
{
    (void)state;
    two t = two_links();
    t.arm.joint.axis[2] = 0.0;
    expect_refusal(&t, SOA_E_JOINT, "axis is zero; give a direction");
    t.arm.joint.axis[0] = NAN;
    expect_refusal(&t, SOA_E_NUMBER, "axis is not finite");
    static const double axes[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 2, -3 } };
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        t = two_links();
        t.arm.joint.kind = SOA_UNIVERSAL;
        memcpy(t.arm.joint.axis, axes[i], sizeof axes[i]);
        memcpy(t.arm.joint.axis2, axes[i], sizeof axes[i]);
        expect_refusal(&t, SOA_E_JOINT, "two axes are parallel");
    }
    t = two_links();
    t.arm.joint.kind = SOA_JOINT_KINDS;
    expect_refusal(&t, SOA_E_JOINT, "does not exist");
    t = two_links();
    t.arm.joint.lower[0] = 1.0;
    t.arm.joint.upper[0] = -1.0;
    expect_refusal(&t, SOA_E_JOINT, "lower limit 1 is above upper limit -1");
    t.arm.joint.upper[0] = NAN;
    expect_refusal(&t, SOA_E_NUMBER, "limit is not a number");
    t = two_links();
    t.arm.joint.velocity[0] = -2.0;
    expect_refusal(&t, SOA_E_JOINT, "must not be negative");
    t = two_links();
    t.arm.joint.damping = INFINITY;
    expect_refusal(&t, SOA_E_NUMBER, "must be finite");
    t = two_links();
    t.arm.joint.at.rotation[0][0] = 1.1;
    expect_refusal(&t, SOA_E_JOINT, "not a finite position and a rotation");
    t = two_links();
    t.arm.joint.child.rotation[2][2] = -1.0; /* a reflection */
    expect_refusal(&t, SOA_E_JOINT, "not a finite position and a rotation");
    t = two_links();
    t.arm.joint.kind = SOA_SPHERICAL;
    t.arm.joint.neutral[0] = 0.5;
    expect_refusal(&t, SOA_E_CONFIGURATION, "neutral configuration is not valid");
}

static void bad_rotor_is_refused(void **state)
{
    (void)state;
    two t = two_links();
    t.arm.joint.rotor.armature = -1.0;
    expect_refusal(&t, SOA_E_INERTIA, "must not be negative");
    t = two_links();
    t.arm.joint.rotor.spin = NAN;
    expect_refusal(&t, SOA_E_NUMBER, "rotor must be finite");
    t = two_links();
    t.arm.joint.rotor.spin = 1e-4;
    t.arm.joint.rotor.ratio = 100.0;
    t.arm.joint.rotor.axis[2] = 0.0;
    expect_refusal(&t, SOA_E_JOINT, "axis of its rotor is zero");
    t.arm.joint.rotor.axis[1] = -1e200;
    expect_refusal(&t, SOA_E_JOINT, "axis of its rotor is too long");
    t = two_links();
    t.arm.joint.kind = SOA_PLANAR;
    t.arm.joint.rotor.spin = 1e-4;
    t.arm.joint.rotor.ratio = 100.0;
    expect_refusal(&t, SOA_E_JOINT, "a planar joint cannot have a rotor");
}

/* One number of the arm after another is one that no link may have. */
static void bad_numbers_are_refused(void **state)
{
    static const struct {
        soa_joint_kind kind;
        size_t at;
        double value;
        soa_status status;
        const char *words;
    } cases[] = {
        { SOA_UNIVERSAL, offsetof(soa_link, joint.axis2[1]), NAN, SOA_E_NUMBER, "axis is not finite" },
        { SOA_UNIVERSAL, offsetof(soa_link, joint.axis2[0]), 1e200, SOA_E_JOINT, "axis2 is too long" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.axis[0]), 1e200, SOA_E_JOINT, "axis is too long; give a direction" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.lower[0]), INFINITY, SOA_E_NUMBER, "limit is not a number" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.upper[0]), -INFINITY, SOA_E_NUMBER, "limit is not a number" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.effort[0]), NAN, SOA_E_JOINT, "must not be negative" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.rotor.axis[0]), NAN, SOA_E_NUMBER, "rotor must be finite" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.rotor.com[2]), NAN, SOA_E_NUMBER, "rotor must be finite" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.rotor.spin), -1.0, SOA_E_INERTIA, "must not be negative" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.rotor.transverse), -1.0, SOA_E_INERTIA, "must not be negative" },
        { SOA_REVOLUTE, offsetof(soa_link, joint.rotor.mass), -1.0, SOA_E_INERTIA, "must not be negative" },
        { SOA_SPHERICAL, offsetof(soa_link, joint.neutral[3]), NAN, SOA_E_CONFIGURATION, "neutral configuration" },
        { SOA_REVOLUTE, offsetof(soa_link, inertia.moment[4]), INFINITY, SOA_E_NUMBER, "must be finite" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        two t = two_links();
        t.arm.joint.kind = cases[i].kind;
        t.arm.joint.axis2[0] = 1.0;
        t.arm.joint.neutral[0] = cases[i].kind == SOA_SPHERICAL;
        memcpy((char *)&t.arm + cases[i].at, &cases[i].value, sizeof cases[i].value);
        expect_refusal(&t, cases[i].status, cases[i].words);
    }
}

/* A rotor on a flexible link is a body more, which no link belongs to and no joint moves. */
static void rotors_on_flexible_links_are_held(void **state)
{
    (void)state;
    soa_model *chain, *model;
    soa_link arm = heavy("arm", 0, "elbow");
    assert_int_equal(soa_model_builtin("flexible-chain:2,3", NULL, &chain, NULL), SOA_OK);
    for (int i = 0; i < 4; i++) {
        soa_builder *b = soa_builder_new(NULL);
        assert_int_equal(soa_builder_attach(b, chain, NULL, SOA_WORLD, NULL, NULL), SOA_OK);
        for (arm.parent = 0; !soa_builder_link(b, arm.parent)->flexible; arm.parent++) {
        }
        arm.joint.rotor.mass = i == 1 ? 0.1 : 0.0, arm.joint.rotor.transverse = i == 2 ? 0.1 : 0.0;
        arm.joint.rotor.spin = arm.joint.rotor.ratio = i == 3 ? 2.0 : 0.0;
        assert_int_equal(soa_builder_add_link(b, &arm, NULL, NULL), SOA_OK);
        assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
        const int link = soa_model_find_link(model, "arm"), k = soa_model_link_body(model, link, NULL);
        const int on = soa_model_link_body(model, arm.parent, NULL);
        const soa_body body = soa_model_body(model, k), held = soa_model_body(model, body.parent);
        assert_int_equal(soa_model_bodies(model), soa_model_bodies(chain) + (i == 0 ? 1 : 2));
        assert_int_equal(soa_model_nv(model), soa_model_nv(chain) + 1);
        assert_true(soa_model_joint_body(model, link) == k && body.link == link && body.links == 1 && body.nv == 1);
        assert_int_equal(i == 0 ? body.parent : held.parent, on);
        assert_true(i == 0 || (held.link == link && held.links == 0 && held.nv == 0 && held.flexible));
        assert_true(i == 0 || held.inertia.mass == arm.joint.rotor.mass);
        assert_true(fabs(soa_model_mass(model) - soa_model_mass(chain) - 2.0 - arm.joint.rotor.mass) < 1e-12);
        soa_model_free(model);
        soa_builder_free(b);
    }
    soa_model_free(chain);
}

static void bad_trees_are_refused(void **state)
{
    (void)state;
    two t = two_links();
    t.arm.parent = 7;
    expect_refusal(&t, SOA_E_TREE, "its parent, link 7, does not exist");
    t.arm.parent = 1;
    expect_refusal(&t, SOA_E_TREE, "is its own parent");
    t.arm.parent = 0;
    t.base.parent = 1;
    expect_refusal(&t, SOA_E_TREE, "hangs on itself through its parents");
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    static char longest[SOA_MAX_NAME + 2];
    memset(longest, 'x', sizeof longest - 1);
    two t = two_links();
    t.arm.name = "base";
    expect_refusal(&t, SOA_E_NAME, "another link has this name");
    t.arm.name = "";
    expect_refusal(&t, SOA_E_NAME, "has no name");
    t.arm.name = longest;
    expect_refusal(&t, SOA_E_NAME, "longer than");
    t = two_links();
    t.arm.joint.name = "shoulder";
    expect_refusal(&t, SOA_E_NAME, "another joint has this name");
}

/* ---- remarks ------------------------------------------------------------------------ */

static void expect_warning(const two *t, const char *words)
{
    soa_error error;
    soa_model *model = build(t, &error);
    assert_non_null(model);
    assert_int_equal(soa_model_warnings(model), 1);
    const soa_warning *warning = soa_model_warning(model, 0);
    assert_non_null(strstr(warning->text, words));
    assert_string_equal(warning->source.file, "two.txt");
    soa_model_free(model);
}

/* Moments of a welded link are judged with those of its body; what nothing moves does no harm at all. */
static void inertia_is_judged_by_body(void **state)
{
    (void)state;
    two t = two_links();
    t.arm.joint.kind = SOA_FIXED;
    t.arm.inertia.moment[0] = -0.005;
    expect_warning(&t, "that of all links it is welded to is");
    t.arm.inertia.moment[0] = -0.05;
    expect_refusal(&t, SOA_E_INERTIA, "not positive definite");
    t.base.joint.kind = SOA_FIXED;
    expect_warning(&t, "nothing moves it");
}

/* 2 kg at a distance of 0.22 m: moments of 1e-16 kg m^2 are what rounding leaves. */
static void rounded_moments_are_none(void **state)
{
    (void)state;
    two t = two_links();
    const double small[6] = { 0.0, 0.0, 1e-16, 0.0, 0.0, 0.0 }, large[6] = { 0.0, 0.0, 1e-14, 0.0, 0.0, 0.0 };
    memcpy(t.arm.inertia.moment, small, sizeof small);
    expect_warning(&t, "a point mass");
    memcpy(t.arm.inertia.moment, large, sizeof large);
    expect_refusal(&t, SOA_E_INERTIA, "not positive definite");
}

static void odd_inertia_is_remarked(void **state)
{
    (void)state;
    two t = two_links();
    t.arm.inertia.moment[5] = 0.2;
    expect_warning(&t, "triangle inequality");
    t = two_links();
    memset(t.arm.inertia.moment, 0, sizeof t.arm.inertia.moment);
    expect_warning(&t, "zero moments of inertia");
    t = two_links();
    t.arm.inertia.moment[0] = 0.0;
    t.arm.inertia.moment[5] = 0.03;
    expect_warning(&t, "singular");
    t = two_links();
    t.arm.inertia = (soa_inertia){ 0 };
    expect_warning(&t, "'arm': its joint moves nothing that has mass");
    t.base.inertia = (soa_inertia){ 0 };
    expect_warning(&t, "no moving link has mass");
    t.arm.joint.rotor.armature = 0.1;
    soa_error error;
    soa_model *model = build(&t, &error);
    assert_int_equal(soa_model_warnings(model), 0);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_is_accepted),
        cmocka_unit_test(bad_inertia_is_refused),
        cmocka_unit_test(inertia_is_judged_by_body),
        cmocka_unit_test(rounded_moments_are_none),
        cmocka_unit_test(bad_joint_is_refused),
        cmocka_unit_test(bad_rotor_is_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(rotors_on_flexible_links_are_held),
        cmocka_unit_test(bad_trees_are_refused),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(odd_inertia_is_remarked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
