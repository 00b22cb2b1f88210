/* tests/io/test_yaml_round.c - write, read, write: the same text, and every bit of the description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml_round.h"

/* ---- models of every kind and field -------------------------------------------- */

static double any(unsigned long long *seed)
{
    const double x = soa_model_random_number(seed);
    return x < -0.9 ? -0.0 : x < -0.8 ? x * 1e-300 : x > 0.9 ? x * 1e20 : x;
}

static soa_pose any_pose(unsigned long long *seed)
{
    const double position[3] = { any(seed), any(seed), any(seed) };
    const double quaternion[4] = { 1.5 + soa_model_random_number(seed), soa_model_random_number(seed),
        soa_model_random_number(seed), soa_model_random_number(seed) };
    return soa_model_random_number(seed) < -0.5 ? soa_pose_identity() : soa_pose_from_quaternion(position, quaternion);
}

static void fill(unsigned long long *seed, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = any(seed);
    }
}

static void any_limits(unsigned long long *seed, soa_joint *joint)
{
    for (int i = 0; i < SOA_JOINT_MAX_NV; i++) {
        joint->lower[i] = soa_model_random_number(seed) < 0.0 ? -INFINITY : soa_model_random_number(seed) - 1.0;
        joint->upper[i] = soa_model_random_number(seed) < 0.0 ? INFINITY : soa_model_random_number(seed) + 1.0;
        joint->velocity[i] = soa_model_random_number(seed) < 0.0 ? INFINITY : fabs(any(seed));
        joint->effort[i] = soa_model_random_number(seed) < 0.0 ? INFINITY : fabs(any(seed));
    }
}

static void any_neutral(unsigned long long *seed, soa_joint *joint)
{
    fill(seed, joint->neutral, SOA_JOINT_MAX_NQ);
    if (soa_joint_kind_nq(joint->kind) >= 4) {
        const double quaternion[4] = { 0.5, -0.5, 0.5, -0.5 };
        memcpy(joint->neutral, quaternion, sizeof quaternion);
    }
}

static void any_joint(unsigned long long *seed, soa_joint *joint)
{
    joint->at = any_pose(seed);
    joint->child = any_pose(seed);
    const double axis[3] = { soa_model_random_number(seed), 1.0, soa_model_random_number(seed) },
                 axis2[3] = { 1.0, soa_model_random_number(seed), -0.0 };
    memcpy(joint->axis, axis, sizeof axis);
    memcpy(joint->axis2, axis2, sizeof axis2);
    joint->pitch = any(seed);
    joint->reference = any(seed);
    joint->reversed = soa_model_random_number(seed) > 0.0;
    joint->damping = any(seed);
    joint->friction = any(seed);
    joint->stiffness = any(seed);
    joint->spring_reference = any(seed);
    any_limits(seed, joint);
    any_neutral(seed, joint);
    if (soa_joint_kind_nv(joint->kind) == 1) {
        joint->rotor = (soa_rotor){ .armature = fabs(any(seed)),
            .ratio = any(seed),
            .axis = { 0.1, 0.2, 0.3 },
            .spin = fabs(any(seed)),
            .transverse = fabs(any(seed)),
            .mass = fabs(any(seed)) };
        fill(seed, joint->rotor.com, 3);
    }
}

/* Names no reader may mistake for something else. */
static const char *const names[] = { "plain", "with space", "true", "12", "1e5", "-", "a: b", "#x", "it's",
    "say \"so\"", "back\\slash", "tab\there", "line\nbreak", "\xc3\xa9t\xc3\xa9", "\xe2\x80\xa8", "\xef\xbb\xbf",
    "\x7f", "\x01", "\xf0\x9f\xa4\x96", "system/part", "{a}", "[b]", "&c", "*d", "!e", "%f", "@g", "`h", "null", "~",
    "a, b", "- i", "? j", "| k", "> l", " lead", "trail ", "\xc2\x85", "\xc2\xa0", "none", "world", "'", "\"", "a#b",
    "a:b", "...", "---" };

enum { NAMES = sizeof names / sizeof names[0] };

static soa_builder *builder_with_links(unsigned long long *seed)
{
    soa_error error;
    soa_builder *b = soa_builder_new(NULL);
    assert_non_null(b);
    assert_int_equal(soa_builder_set_name(b, "all: kinds", &error), SOA_OK);
    soa_builder_set_gravity(b, (const double[]){ 0.1, -0.0, 1.0 / 3.0 });
    for (int i = 0; i < NAMES; i++) {
        /* Parents before and after: link i hangs on i + 1 in the first half, on i - 1 from there on. */
        const int parent = i < NAMES / 2 ? i + 1 : i == NAMES / 2 ? SOA_WORLD : i - 1;
        soa_link link = soa_link_default(names[i], parent, (soa_joint_kind)(i % SOA_JOINT_KINDS));
        any_joint(seed, &link.joint);
        link.joint.name = i % 7 == 3 ? NULL : names[NAMES - 1 - i];
        link.flags = (unsigned)i % 8;
        link.inertia.mass = fabs(any(seed));
        fill(seed, link.inertia.com, 3);
        link.inertia.moment[0] = 3.0 + soa_model_random_number(seed);
        link.inertia.moment[1] = 0.1 * soa_model_random_number(seed);
        link.inertia.moment[3] = 3.0 + soa_model_random_number(seed);
        link.inertia.moment[5] = 3.0 + soa_model_random_number(seed);
        assert_int_equal(soa_builder_add_link(b, &link, NULL, &error), SOA_OK);
    }
    return b;
}

static void add_frames_and_closures(soa_builder *b, unsigned long long *seed)
{
    soa_error error;
    for (int i = 0; i < NAMES; i++) {
        soa_frame frame = soa_frame_default(names[i], i % 5 == 0 ? SOA_WORLD : i);
        frame.at = any_pose(seed);
        assert_int_equal(soa_builder_add_frame(b, &frame, NULL, &error), SOA_OK);
        soa_geometry g = soa_geometry_default(i % 6 == 0 ? SOA_WORLD : i, (soa_shape)(i % SOA_SHAPES));
        g.name = i % 2 ? names[i] : NULL;
        g.mesh = g.shape == SOA_SHAPE_MESH ? names[i] : NULL;
        g.material = i % 3 ? names[NAMES - 1 - i] : NULL;
        g.at = any_pose(seed);
        for (int j = 0; j < soa_shape_sizes(g.shape) && i % 4; j++) {
            g.size[j] = fabs(any(seed));
        }
        g.colored = i % 5 == 0;
        g.color[i % 4] = g.colored ? 1.0 / 3.0 : 0.0;
        g.visual = i % 2;
        g.collision = i % 3 == 0;
        assert_int_equal(soa_builder_add_geometry(b, &g, NULL, &error), SOA_OK);
        soa_closure closure = soa_closure_default(i % 3 ? names[i] : NULL, (soa_closure_kind)(i % SOA_CLOSURE_KINDS),
            i % 4 == 0 ? SOA_WORLD : i, (i + 1) % NAMES);
        closure.at_a = any_pose(seed);
        closure.at_b = any_pose(seed);
        closure.friction = fabs(any(seed));
        closure.distance = 1e-300 + fabs(any(seed));
        closure.inactive = i % 2 == 0;
        closure.twist = fabs(any(seed));
        closure.one_sided = i % 3 == 0;
        if (closure.kind == SOA_CLOSE_SLIDING) {
            closure.slip[0] = 1.0 + soa_model_random_number(seed);
        }
        if (closure.kind == SOA_CLOSE_GENERAL) {
            closure.rows = 2;
            closure.nonholonomic = true;
            for (int j = 0; j < 12; j++) {
                closure.Q[j / 6][j % 6] = soa_model_random_number(seed);
            }
        }
        assert_int_equal(soa_builder_add_closure(b, &closure, NULL, &error), SOA_OK);
    }
}

static void add_couplings(soa_builder *b, unsigned long long *seed)
{
    soa_error error;
    int driver = -1;
    for (int i = 0; i < NAMES; i++) {
        if (soa_joint_kind_nq(soa_builder_link(b, i)->joint.kind) == 1) {
            soa_coupling coupling = { .name = i % 2 ? names[i] : NULL, .link = i, .driver = driver };
            fill(seed, coupling.coefficient, 1 + i % SOA_COUPLING_TERMS);
            assert_int_equal(soa_builder_add_coupling(b, &coupling, NULL, &error), SOA_OK);
            driver = i;
        }
    }
}

static void add_configurations(soa_builder *b, unsigned long long *seed)
{
    soa_error error;
    for (int item = 0; item < 3; item++) {
        double q[NAMES * SOA_JOINT_MAX_NQ], v[NAMES * SOA_JOINT_MAX_NV];
        int nq = 0, nv = 0;
        for (int i = 0; i < NAMES; i++) {
            const soa_joint_kind kind = soa_builder_link(b, i)->joint.kind;
            fill(seed, q + nq, soa_joint_kind_nq(kind));
            if (soa_joint_kind_nq(kind) >= 4) {
                /* Of unit length only nearly, as every quaternion with a history. */
                const double x = soa_model_random_number(seed), s = sin(x) / sqrt(3.0);
                const double unit[4] = { cos(x), s, -s, s };
                memcpy(q + nq, unit, sizeof unit);
            }
            fill(seed, v + nv, soa_joint_kind_nv(kind));
            nq += soa_joint_kind_nq(kind);
            nv += soa_joint_kind_nv(kind);
        }
        assert_int_equal(
            soa_builder_add_configuration(b, names[item], nq, q, nv, item == 1 ? NULL : v, &error), SOA_OK);
    }
}

static void every_kind_and_field_comes_back(void **state)
{
    (void)state;
    for (unsigned long long trial = 1; trial <= 20; trial++) {
        unsigned long long seed = trial;
        soa_model *model;
        soa_error error;
        soa_builder *b = builder_with_links(&seed);
        add_frames_and_closures(b, &seed);
        add_couplings(b, &seed);
        add_configurations(b, &seed);
        if (soa_builder_finish(b, &model, &error) != SOA_OK) {
            fail_with("finish", &error);
        }
        check_round_trip(model, "every kind");
        soa_model_free(model);
        soa_builder_free(b);
    }
}

/* The comparison itself must see a change of one bit. */
static void comparison_sees_one_bit(void **state)
{
    (void)state;
    static const char form[] = "soa: 1\nlinks: [{name: a, joint: {type: revolute, damping: %s}, mass: 1}]\n";
    soa_model *model[2];
    for (int i = 0; i < 2; i++) {
        char text[200], where[100];
        snprintf(text, sizeof text, form, i ? "0.30000000000000004" : "0.3");
        assert_int_equal(soa_load_text(SOA_YAML, text, strlen(text), NULL, NULL, &model[i], NULL), SOA_OK);
        assert_true(same_model(model[i], model[i], where, sizeof where));
    }
    char where[100];
    assert_false(same_model(model[0], model[1], where, sizeof where));
    assert_string_equal(where, "link 0: damping");
    soa_model_free(model[0]);
    soa_model_free(model[1]);
}

static void names_that_are_not_utf8_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "\xff", "a\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
        "\xf8" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_link link = soa_link_default(bad[i], SOA_WORLD, SOA_FIXED);
        soa_model *model;
        soa_error error;
        char *text;
        size_t length;
        assert_int_equal(soa_builder_add_link(b, &link, NULL, &error), SOA_OK);
        assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
        assert_int_equal(soa_write(model, SOA_YAML, NULL, &text, &length, &error), SOA_E_UNSUPPORTED);
        assert_non_null(strstr(error.text, "is not UTF-8 or has control characters, which YAML cannot say; rename it"));
        assert_null(text);
        soa_model_free(model);
        soa_builder_free(b);
    }
}

/* Only what differs from the default is written, and nothing that is not finite. */
static void defaults_are_not_written(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_link hinge = soa_link_default("a", SOA_WORLD, SOA_REVOLUTE), ball = soa_link_default("b", 0, SOA_SPHERICAL);
    soa_model *model;
    char *text;
    size_t length;
    hinge.inertia.mass = ball.inertia.mass = 1.0;
    ball.joint.axis[0] = NAN; /* a ball has no axis */
    hinge.joint.damping = 0.5;
    assert_int_equal(soa_builder_add_link(b, &hinge, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &ball, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
    assert_int_equal(soa_write(model, SOA_YAML, NULL, &text, &length, NULL), SOA_OK);
    assert_non_null(strstr(text, "    joint: {type: revolute, damping: 0.5}\n"));
    assert_non_null(strstr(text, "    joint: {type: spherical}\n"));
    soa_text_free(NULL, text);
    soa_model_free(model);
    soa_builder_free(b);
}

static void builtins_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < soa_builtins(); i++) {
        char name[64];
        soa_model *model;
        soa_error error;
        snprintf(name, sizeof name, "%s", soa_builtin_name(i));
        char *parameter = strchr(name, ':');
        if (parameter) {
            strcpy(parameter, strchr(parameter, ',') ? ":40,7" : ":30");
        }
        if (soa_model_builtin(name, NULL, &model, &error) != SOA_OK) {
            fail_with(name, &error);
        }
        check_round_trip(model, name);
        soa_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_and_field_comes_back),
        cmocka_unit_test(comparison_sees_one_bit),
        cmocka_unit_test(names_that_are_not_utf8_are_refused),
        cmocka_unit_test(defaults_are_not_written),
        cmocka_unit_test(builtins_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
