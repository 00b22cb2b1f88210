/* tests/io/test_yaml.c - what native files say, field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "soa/io.h"

static soa_model *load(const char *text)
{
    soa_model *model;
    soa_error error;
    char message[1024];
    if (soa_load_text(SOA_YAML, text, strlen(text), NULL, NULL, &model, &error) != SOA_OK) {
        fail_msg("%s", soa_error_message(&error, message, sizeof message));
    }
    return model;
}

static const soa_link *link_of(const soa_model *model, const char *name)
{
    const soa_link *link = soa_model_link(model, soa_model_find_link(model, name));
    if (!link) {
        fail_msg("no link '%s'", name);
    }
    return link;
}

static void assert_numbers(const double *x, int n, const double *wanted)
{
    for (int i = 0; i < n; i++) {
        if (x[i] != wanted[i]) {
            fail_msg("number %d is %.17g, not %.17g", i, x[i], wanted[i]);
        }
    }
}

#define ASSERT_NUMBERS(x, n, ...) assert_numbers(x, n, (const double[]){ __VA_ARGS__ })

/* Two systems written here, closed by a grasp: the example of the contract. */
static const char two_boxes[] =
    "soa: 1\n"
    "name: two-boxes\n"
    "gravity: [0, 0, -1.62]\n"
    "systems:\n"
    "  - name: base\n"
    "    at: {xyz: [0, 0.3, 0], rpy: [0, 0, 0]}\n"
    "    bodies: [{name: plate, mass: 1}]\n"
    "  - name: box\n"
    "    free: true                           # a free joint named box/free\n"
    "    at: {xyz: [1, 2, 3]}\n"
    "    bodies:\n"
    "      - {name: body, mass: 2.0, com: [0, 0, 0], inertia: [0.02, 0, 0, 0.02, 0, 0.03]}\n"
    "      - {name: lid, parent: body, joint: {name: hinge, type: revolute, axis: [0, 1, 0], at: {xyz: [0, 0, 0.1]}}, "
    "mass: 0.2, com: [0, 0, 0], inertia: [0.001, 0, 0, 0.001, 0, 0.001]}\n"
    "closures:\n"
    "  - {name: grip-left,  kind: rigid,       a: base/plate,  b: box/body, at_a: {xyz: [0, 0, 0.1]}, at_b: {xyz: [0, "
    "0.1, 0], rpy: [0, 0, 0]}}\n"
    "  - {name: grip-right, kind: soft-finger, a: world, b: box/lid, at_b: {xyz: [0, -0.1, 0]}, friction: 0.6}\n";

static void systems_have_prefixed_parts(void **state)
{
    (void)state;
    soa_model *m = load(two_boxes);
    assert_string_equal(soa_model_name(m), "two-boxes");
    double gravity[3];
    soa_model_gravity(m, gravity);
    ASSERT_NUMBERS(gravity, 3, 0, 0, -1.62);
    assert_int_equal(soa_model_links(m), 3);
    assert_int_equal(soa_model_nq(m), 8);
    assert_int_equal(soa_model_nv(m), 7);
    const soa_link *plate = link_of(m, "base/plate");
    assert_int_equal(plate->joint.kind, SOA_FIXED);
    assert_null(plate->joint.name);
    ASSERT_NUMBERS(plate->joint.at.position, 3, 0, 0.3, 0);
    const soa_link *body = link_of(m, "box/body");
    assert_int_equal(body->joint.kind, SOA_FREE);
    assert_string_equal(body->joint.name, "box/free");
    assert_int_equal(body->parent, SOA_WORLD);
    ASSERT_NUMBERS(body->joint.at.position, 3, 1, 2, 3);
    ASSERT_NUMBERS(body->inertia.moment, 6, 0.02, 0, 0, 0.02, 0, 0.03);
    const soa_link *lid = link_of(m, "box/lid");
    assert_string_equal(lid->joint.name, "box/hinge");
    assert_int_equal(lid->parent, soa_model_find_link(m, "box/body"));
    ASSERT_NUMBERS(lid->joint.axis, 3, 0, 1, 0);
    assert_int_equal(lid->source.line, 13);
    soa_model_free(m);
}

static void closures_name_links_and_the_world(void **state)
{
    (void)state;
    soa_model *m = load(two_boxes);
    assert_int_equal(soa_model_closures(m), 2);
    const soa_closure *left = soa_model_closure(m, 0), *right = soa_model_closure(m, 1);
    assert_string_equal(left->name, "grip-left");
    assert_int_equal(left->kind, SOA_CLOSE_RIGID);
    assert_int_equal(left->a, soa_model_find_link(m, "base/plate"));
    assert_int_equal(left->b, soa_model_find_link(m, "box/body"));
    ASSERT_NUMBERS(left->at_a.position, 3, 0, 0, 0.1);
    ASSERT_NUMBERS(left->at_b.position, 3, 0, 0.1, 0);
    assert_false(left->inactive);
    assert_int_equal(right->kind, SOA_CLOSE_SOFT_FINGER);
    assert_int_equal(right->a, SOA_WORLD);
    ASSERT_NUMBERS(&right->friction, 1, 0.6);
    assert_int_equal(right->source.line, 16);
    soa_model_free(m);
}

static void closures_name_frames(void **state)
{
    (void)state;
    soa_model *m =
        load("soa: 1\nsystems:\n  - name: s\n    bodies: [{name: a, joint: {type: revolute}, mass: 1}]\n"
             "    frames: [{name: tip, link: a, at: {xyz: [1, 0, 0], rotation: [0, -1, 0, 1, 0, 0, 0, 0, 1]}}]\n"
             "closures:\n  - {kind: plane, a: s/tip, at_a: {xyz: [2, 0, 0]}}\n"
             "  - {kind: plane, a: s/tip, inactive: true}\n");
    const soa_closure *c = soa_model_closure(m, 0);
    assert_int_equal(c->a, 0);
    assert_int_equal(c->b, SOA_WORLD);
    assert_null(c->name);
    ASSERT_NUMBERS(c->at_a.position, 3, 1, 2, 0); /* two metres along x of the tip, which is y of the link */
    ASSERT_NUMBERS(c->at_a.rotation[0], 9, 0, -1, 0, 1, 0, 0, 0, 0, 1);
    assert_true(soa_model_closure(m, 1)->inactive);
    ASSERT_NUMBERS(soa_model_closure(m, 1)->at_a.position, 3, 1, 0, 0);
    soa_model_free(m);
}

static void closures_carry_their_details(void **state)
{
    (void)state;
    soa_model *m = load("soa: 1\nlinks: [{name: a, joint: {type: free}, mass: 1}]\nclosures:\n"
                        "  - {kind: general, a: a, nonholonomic: true, Q: [[0, 0, 0, 1, 0, 0], [0, 0, 2, 0, 3, 0]]}\n"
                        "  - {kind: sliding, a: a, slip: [0, -1, 0], friction: 0.3}\n"
                        "  - {kind: soft-finger, a: a, friction: 0.3, twist: 0.01}\n"
                        "  - {kind: line, a: a, one_sided: true}\n");
    const soa_closure *general = soa_model_closure(m, 0), *sliding = soa_model_closure(m, 1);
    assert_int_equal(general->rows, 2);
    assert_true(general->nonholonomic);
    ASSERT_NUMBERS(general->Q[0], 12, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 3, 0);
    ASSERT_NUMBERS(sliding->slip, 3, 0, -1, 0);
    assert_true(soa_model_closure(m, 2)->twist == 0.01);
    assert_true(soa_model_closure(m, 3)->one_sided);
    soa_model_free(m);
}

/* A system on a link of another; its own pose and that of its root's joint add up. */
static void systems_stand_on_others(void **state)
{
    (void)state;
    soa_model *m = load("soa: 1\nsystems:\n"
                        "  - {name: a, bodies: [{name: x, joint: {name: j, type: prismatic}, mass: 1}]}\n"
                        "  - name: b\n    on: a/x\n    at: {xyz: [1, 0, 0], rotation: [0, -1, 0, 1, 0, 0, 0, 0, 1]}\n"
                        "    bodies: [{name: y, joint: {name: j, type: revolute, at: {xyz: [2, 0, 0]}}, mass: 1}]\n"
                        "links: [{name: hat, parent: b/y}]\n");
    const soa_link *y = link_of(m, "b/y");
    assert_int_equal(y->parent, soa_model_find_link(m, "a/x"));
    ASSERT_NUMBERS(y->joint.at.position, 3, 1, 2, 0);
    assert_string_equal(y->joint.name, "b/j");
    assert_int_equal(link_of(m, "hat")->parent, soa_model_find_link(m, "b/y"));
    soa_model_free(m);
}

static void joints_have_every_field(void **state)
{
    (void)state;
    soa_model *m =
        load("soa: 1\nlinks:\n"
             "  - name: later\n    parent: first\n"
             "    joint: {name: screw, type: helical, axis: [0, 3, 4], pitch: 0.01, reference: 0.5, reversed: true,\n"
             "      child: {xyz: [7, 8, 9]}, lower: -1, upper: none, velocity: 2, effort: 3, damping: 4, friction: 5,\n"
             "      stiffness: 6, spring_reference: 7, rotor: {armature: 1, ratio: 2, axis: [0, 1, 0], spin: 3,\n"
             "      transverse: 4, mass: 5, com: [1, 2, 3]}}\n"
             "    mass: 1\n    flags: [virtual, unknown-mass]\n"
             "  - {name: first, joint: {type: universal, axis2: [0, 1, 0], lower: [none, -2], neutral: [0.1, 0.2]}, "
             "mass: 1}\n");
    const soa_link *later = link_of(m, "later");
    const soa_joint *j = &later->joint;
    assert_int_equal(later->parent, 1);
    assert_int_equal(later->flags, SOA_LINK_VIRTUAL | SOA_LINK_UNKNOWN_MASS);
    assert_int_equal(j->kind, SOA_HELICAL);
    ASSERT_NUMBERS(j->axis, 3, 0, 3, 4);
    ASSERT_NUMBERS(&j->pitch, 1, 0.01);
    ASSERT_NUMBERS(&j->reference, 1, 0.5);
    assert_true(j->reversed);
    ASSERT_NUMBERS(j->child.position, 3, 7, 8, 9);
    ASSERT_NUMBERS(j->lower, 1, -1);
    ASSERT_NUMBERS(j->upper, 1, INFINITY);
    ASSERT_NUMBERS(j->velocity, 1, 2);
    ASSERT_NUMBERS(j->effort, 1, 3);
    const double springs[] = { j->damping, j->friction, j->stiffness, j->spring_reference };
    ASSERT_NUMBERS(springs, 4, 4, 5, 6, 7);
    const soa_rotor *r = &j->rotor;
    const double rotor[] = { r->armature, r->ratio, r->spin, r->transverse, r->mass };
    ASSERT_NUMBERS(rotor, 5, 1, 2, 3, 4, 5);
    ASSERT_NUMBERS(r->axis, 3, 0, 1, 0);
    ASSERT_NUMBERS(r->com, 3, 1, 2, 3);
    const soa_joint *u = &link_of(m, "first")->joint;
    ASSERT_NUMBERS(u->axis, 3, 0, 0, 1);
    ASSERT_NUMBERS(u->axis2, 3, 0, 1, 0);
    ASSERT_NUMBERS(u->lower, 2, -INFINITY, -2);
    ASSERT_NUMBERS(u->neutral, 2, 0.1, 0.2);
    assert_null(u->name);
    soa_model_free(m);
}

static void builtins_are_systems(void **state)
{
    (void)state;
    soa_model *arm, *m = load("soa: 1\nsystems:\n  - {name: x, builtin: arm7, at: {xyz: [1, 0, 0]}}\n"
                              "  - {name: y, builtin: \"chain:3\"}\n");
    assert_int_equal(soa_model_builtin("arm7", NULL, &arm, NULL), SOA_OK);
    assert_int_equal(soa_model_nv(m), soa_model_nv(arm) + 3);
    char name[100];
    snprintf(name, sizeof name, "x/%s", soa_model_link(arm, 0)->name);
    assert_true(link_of(m, name)->joint.at.position[0] == soa_model_link(arm, 0)->joint.at.position[0] + 1.0);
    soa_model_free(arm);
    soa_model_free(m);
    const char *text = "soa: 1\nsystems:\n  - name: x\n    builtin: arm77\n";
    soa_error error;
    assert_int_not_equal(soa_load_text(SOA_YAML, text, strlen(text), NULL, NULL, &m, &error), SOA_OK);
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.text, "system 'x': "));
    assert_non_null(strstr(error.text, "arm77"));
}

/* The three ways to give the same turn of a quarter about z. */
static void poses_agree(void **state)
{
    (void)state;
    soa_model *m = load("soa: 1\nlinks:\n"
                        "  - {name: a, joint: {at: {rpy: [0, 0, 1.5707963267948966]}}}\n"
                        "  - {name: b, joint: {at: {quat: [2, 0, 0, 2]}}}\n"
                        "  - {name: c, joint: {at: {rotation: [0, -1, 0, 1, 0, 0, 0, 0, 1]}}}\n");
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 9; k++) {
            const double a = soa_model_link(m, i)->joint.at.rotation[k / 3][k % 3];
            assert_true(fabs(a - link_of(m, "c")->joint.at.rotation[k / 3][k % 3]) < 1e-15);
        }
    }
    soa_model_free(m);
}

static void couplings_and_configurations(void **state)
{
    (void)state;
    soa_model *m = load("soa: 1\nlinks:\n"
                        "  - {name: c, parent: b, joint: {type: revolute}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n"
                        "  - {name: b, parent: a, joint: {name: k, type: revolute, reference: 0.25}, mass: 1, inertia: "
                        "[1, 0, 0, 1, 0, 1]}\n"
                        "  - {name: a, joint: {name: j, type: free}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n"
                        "couplings:\n  - {link: c, driver: k, coefficients: [0.5, 2, 0, 1]}\n"
                        "configurations:\n"
                        "  - {name: by-joint, q: {j: [0, 1, 0, 0, 5, 6, 7]}, v: {k: 9}}\n"
                        "  - {name: by-link, q: [0.1, 0.2, 1, 0, 0, 0, 5, 6, 7]}\n");
    const soa_coupling *c = soa_model_coupling(m, 0);
    assert_int_equal(c->link, 0);
    assert_int_equal(c->driver, 1);
    ASSERT_NUMBERS(c->coefficient, 5, 0.5, 2, 0, 1, 0);
    /* In the model the order is a, b, c: parents before children. */
    const soa_configuration *by_joint = soa_model_configuration(m, 0), *by_link = soa_model_configuration(m, 1);
    assert_string_equal(by_joint->name, "by-joint");
    ASSERT_NUMBERS(by_joint->q, 9, 0, 1, 0, 0, 5, 6, 7, 0.25, 0);
    ASSERT_NUMBERS(by_joint->v, 8, 0, 0, 0, 0, 0, 0, 9, 0);
    ASSERT_NUMBERS(by_link->q, 9, 1, 0, 0, 0, 5, 6, 7, 0.2, 0.1);
    assert_null(by_link->v);
    soa_model_free(m);
}

/* A link called world is meant by that word; saying nothing means the inertial frame. */
static void a_link_may_be_called_world(void **state)
{
    (void)state;
    soa_model *m = load("soa: 1\nlinks: [{name: world}, {name: a, parent: world, joint: {type: revolute}, mass: 1}]\n"
                        "frames: [{name: f, link: world}, {name: g}]\n"
                        "closures: [{kind: rigid, a: a, b: world}, {kind: rigid, a: a}]\n");
    assert_int_equal(link_of(m, "a")->parent, 0);
    assert_int_equal(soa_model_frame(m, 0)->link, 0);
    assert_int_equal(soa_model_frame(m, 1)->link, SOA_WORLD);
    assert_int_equal(soa_model_closure(m, 0)->b, 0);
    assert_int_equal(soa_model_closure(m, 1)->b, SOA_WORLD);
    soa_model_free(m);
    m = load("soa: 1\nlinks: [{name: a, parent: world}]\nframes: [{name: f, link: world}]\n");
    assert_int_equal(link_of(m, "a")->parent, SOA_WORLD);
    assert_int_equal(soa_model_frame(m, 0)->link, SOA_WORLD);
    soa_model_free(m);
}

/* Every complete file on the page of the format loads. */
static void the_documented_example_loads(void **state)
{
    (void)state;
    FILE *file = fopen(SOA_SOURCE "/docs/native-format.md", "rb");
    assert_non_null(file);
    static char page[100000];
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    int examples = 0;
    for (char *at = page; (at = strstr(at, "```yaml\n")) != NULL; examples++) {
        at += strlen("```yaml\n");
        char *end = strstr(at, "\n```");
        assert_non_null(end);
        end[1] = '\0';
        soa_model *m = load(at);
        assert_int_equal(soa_model_find_joint(m, "box/free"), soa_model_find_link(m, "box/body"));
        assert_int_equal(soa_model_closure(m, 0)->a, soa_model_find_link(m, "arm/fore"));
        ASSERT_NUMBERS(soa_model_closure(m, 0)->at_a.position, 3, 0, 0, 0.3);
        soa_model_free(m);
        at = end + 2;
    }
    assert_int_equal(examples, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_prefixed_parts),
        cmocka_unit_test(closures_name_links_and_the_world),
        cmocka_unit_test(closures_name_frames),
        cmocka_unit_test(closures_carry_their_details),
        cmocka_unit_test(systems_stand_on_others),
        cmocka_unit_test(joints_have_every_field),
        cmocka_unit_test(builtins_are_systems),
        cmocka_unit_test(poses_agree),
        cmocka_unit_test(couplings_and_configurations),
        cmocka_unit_test(a_link_may_be_called_world),
        cmocka_unit_test(the_documented_example_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
