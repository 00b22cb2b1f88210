/* tests/io/test_yaml_refusals.c - what native files must not say: status, line and message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soa/io.h"

#define HEAD "soa: 1\n"
#define LINK HEAD "links:\n  - {name: a"

typedef struct refusal {
    const char *text;
    int line;
    soa_status status;
    const char *message;
} refusal;

static void check(const refusal *r)
{
    soa_model *model = (soa_model *)r;
    soa_error error;
    const soa_status status = soa_load_text(SOA_YAML, r->text, strlen(r->text), "file.yaml", NULL, &model, &error);
    if (status != r->status || error.line != r->line || strcmp(error.text, r->message) != 0 || model != NULL) {
        print_error("text:\n%s\nwant %d, line %d: %s\ngot  %d, line %d: %s\n", r->text, (int)r->status, r->line,
            r->message, (int)status, error.line, error.text);
        soa_model_free(status == SOA_OK ? model : NULL);
        fail();
    }
    assert_string_equal(error.file, "file.yaml");
}

#define CHECK_ALL(list)                                             \
    for (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++) { \
        check(&(list)[i]);                                          \
    }

static void syntax_is_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { "", 1, SOA_E_SYNTAX, "the file is empty; begin it with \"soa: 1\"" },
        { "# only a remark\n", 1, SOA_E_SYNTAX, "the file is empty; begin it with \"soa: 1\"" },
        { "\n- 1\n", 2, SOA_E_SYNTAX, "the file is not a mapping; begin it with \"soa: 1\"" },
        { "word", 1, SOA_E_SYNTAX, "the file is not a mapping; begin it with \"soa: 1\"" },
        { "soa: 1\nname: \"a\\0b\"\n", 2, SOA_E_SYNTAX, "a text contains a NUL character; remove it" },
        { "soa: 1\n? [a]\n: 1\n", 2, SOA_E_SYNTAX, "a key must be a word, not a list or a mapping" },
        { "soa: 1\nname: x\nname: y\n", 3, SOA_E_SYNTAX, "key 'name' is there twice; remove one" },
        { "soa: 1\nname: &x y\n", 2, SOA_E_UNSUPPORTED, "anchors and tags are not read; write the value itself" },
        { "soa: 1\nlinks: &x [1]\n", 2, SOA_E_UNSUPPORTED, "anchors and tags are not read; write the value itself" },
        { "soa: 1\nlinks: !!seq [1]\n", 2, SOA_E_UNSUPPORTED, "anchors and tags are not read; write the value itself" },
        { "soa: 1\nname: *x\n", 2, SOA_E_UNSUPPORTED, "aliases are not read; write the value itself" },
        { "soa: 1\n---\nsoa: 1\n", 2, SOA_E_UNSUPPORTED, "a second document begins; keep one to a file" },
        { "soa: 1\nname: [\n", 3, SOA_E_SYNTAX,
            "not YAML: did not find expected node content while parsing a flow node" },
        { "soa: 1\nname: \"x\n", 3, SOA_E_SYNTAX,
            "not YAML: found unexpected end of stream while scanning a quoted scalar" },
        { "soa: 1\nname: \xff\n", 2, SOA_E_SYNTAX,
            "not YAML: invalid leading UTF-8 octet; save the file as UTF-8 text" },
    };
    CHECK_ALL(list)
}

static void heads_are_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { "name: x\n", 1, SOA_E_SYNTAX, "the format version is missing; begin the file with \"soa: 1\"" },
        { "name: x\nsoa: 2\n", 2, SOA_E_UNSUPPORTED, "format version '2' is not known; write \"soa: 1\"" },
        { "soa: [1]\n", 1, SOA_E_UNSUPPORTED, "format version '' is not known; write \"soa: 1\"" },
        { HEAD "sistems: []\n", 2, SOA_E_SYNTAX, "unknown key 'sistems'; did you mean 'systems'?" },
        { HEAD "zebra: 1\n", 2, SOA_E_SYNTAX,
            "unknown key 'zebra'; the keys here are soa, name, gravity, systems, links, frames, geometry, couplings, "
            "closures and configurations" },
        { HEAD "name:\n", 2, SOA_E_SYNTAX, "'name' is empty; give a word" },
        { HEAD "name: [a]\n", 2, SOA_E_SYNTAX, "'name' is a list; give a word" },
        { HEAD "gravity: [0, 0]\n", 2, SOA_E_SYNTAX, "'gravity' must be a list of 3 numbers" },
        { HEAD "gravity: [0, 0,\n .inf]\n", 3, SOA_E_NUMBER,
            "'gravity' is '.inf'; give a finite decimal number such as 0.5" },
        { HEAD "links: {}\n", 2, SOA_E_SYNTAX, "'links' must be a list" },
        { HEAD "links:\n  - 4\n", 3, SOA_E_SYNTAX, "link: 'links' must be a mapping such as {name: ...}, not a word" },
        { HEAD, 0, SOA_E_TREE, "the model has no links; add at least one" },
    };
    CHECK_ALL(list)
}

static void links_are_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { HEAD "systems:\n  - name: box\n    bodies:\n      - {name: body}\n      - {name: lid, parent: body,\n"
               "         mas: 0.2}\n",
            7, SOA_E_SYNTAX, "body 'lid': unknown key 'mas'; did you mean 'mass'?" },
        { HEAD "links:\n  - mass: 1\n", 3, SOA_E_SYNTAX, "link: 'name' is missing; give one" },
        { LINK ", mass: heavy}\n", 3, SOA_E_NUMBER,
            "link 'a': 'mass' is 'heavy'; give a finite decimal number such as 0.5" },
        { LINK ", mass: nan}\n", 3, SOA_E_NUMBER,
            "link 'a': 'mass' is 'nan'; give a finite decimal number such as 0.5" },
        { LINK ", mass: 1e999}\n", 3, SOA_E_NUMBER,
            "link 'a': 'mass' is '1e999'; give a finite decimal number such as 0.5" },
        { LINK ", mass: 0x10}\n", 3, SOA_E_NUMBER,
            "link 'a': 'mass' is '0x10'; give a finite decimal number such as 0.5" },
        { LINK ", mass: \"1\"}\n", 3, SOA_E_NUMBER,
            "link 'a': 'mass' is '1'; give a finite decimal number such as 0.5" },
        { LINK ", mass: [1]}\n", 3, SOA_E_NUMBER,
            "link 'a': 'mass' is 'a list'; give a finite decimal number such as 0.5" },
        { LINK ", mass: }\n", 3, SOA_E_NUMBER, "link 'a': 'mass' is ''; give a finite decimal number such as 0.5" },
        { LINK ", com: [1, 2, 3, 4]}\n", 3, SOA_E_SYNTAX, "link 'a': 'com' must be a list of 3 numbers" },
        { LINK ", inertia: 3}\n", 3, SOA_E_SYNTAX, "link 'a': 'inertia' must be a list of 6 numbers" },
        { LINK ", flags: [heavy]}\n", 3, SOA_E_NAME,
            "link 'a': 'flags' is 'heavy'; give virtual, no-inertia or unknown-mass" },
        { LINK ", parent: arm}\n  - {name: arn}\n", 3, SOA_E_NAME,
            "link 'a': link 'arm' does not exist; name one that does" },
        { LINK "}\n  - {name: a}\n", 4, SOA_E_NAME, "link 'a': another link has this name; rename one" },
        { LINK ", parent: a}\n", 3, SOA_E_TREE, "link 'a': is its own parent; hang it on another link or the world" },
        { LINK ", mass: -1}\n", 3, SOA_E_INERTIA, "link 'a': mass -1 is negative; give zero or more" },
    };
    CHECK_ALL(list)
}

static void joints_are_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { LINK ", joint: hinge}\n", 3, SOA_E_SYNTAX,
            "link 'a': 'joint' must be a mapping such as {name: ...}, not a word" },
        { LINK ", joint: {name: j, type: revolut}}\n", 3, SOA_E_NAME,
            "joint 'j': 'type' is 'revolut'; did you mean 'revolute'?" },
        { LINK ", joint: {type: ball}}\n", 3, SOA_E_NAME,
            "link 'a': 'type' is 'ball'; give fixed, revolute, continuous, prismatic, helical, universal, cylindrical, "
            "planar, spherical or free" },
        { LINK ", joint: {name: j, type: revolute, axs: [1, 0, 0]}}\n", 3, SOA_E_SYNTAX,
            "joint 'j': unknown key 'axs'; did you mean 'axis'?" },
        { LINK ", joint: {name: j, type: revolute, axis: [0, 0, 0]}}\n", 3, SOA_E_JOINT,
            "joint 'j': axis is zero; give a direction such as \"0 0 1\"" },
        { LINK ", joint: {name: j, type: revolute, axis: [1e200, 0, 0]}}\n", 3, SOA_E_JOINT,
            "joint 'j': axis is too long; give a direction such as \"0 0 1\"" },
        { LINK ", joint: {name: j, lower: 0}}\n", 3, SOA_E_JOINT,
            "joint 'j': a fixed joint has no 'lower'; remove it" },
        { LINK ", joint: {name: j, type: revolute, lower: [0, 1]}}\n", 3, SOA_E_JOINT,
            "joint 'j': 'lower' must be 1 number here, or the word none for each" },
        { LINK ", joint: {name: j, type: planar, upper: 1}}\n", 3, SOA_E_JOINT,
            "joint 'j': 'upper' must be a list of 3 numbers here, or the word none for each" },
        { LINK ", joint: {name: j, type: planar, upper: [1, no, 2]}}\n", 3, SOA_E_NUMBER,
            "joint 'j': 'upper' is 'no'; give a finite decimal number such as 0.5" },
        { LINK ", joint: {name: j, type: revolute, neutral: [1]}}\n", 3, SOA_E_JOINT,
            "joint 'j': a revolute joint has no 'neutral'; give 'reference' or nothing" },
        { LINK ", joint: {name: j, type: free, neutral: [1]}}\n", 3, SOA_E_SYNTAX,
            "joint 'j': 'neutral' must be a list of 7 numbers" },
        { LINK ", joint: {name: j, type: revolute, reversed: yes}}\n", 3, SOA_E_SYNTAX,
            "joint 'j': 'reversed' is 'yes'; give true or false" },
        { LINK ", joint: {name: j, rotor: {ration: 2}}}\n", 3, SOA_E_SYNTAX,
            "joint 'j': unknown key 'ration'; did you mean 'ratio'?" },
        { LINK ", joint: {name: j, at: [0, 0, 0]}}\n", 3, SOA_E_SYNTAX,
            "joint 'j': 'at' must be a mapping such as {xyz: ...}, not a list" },
        { LINK ", joint: {name: j, at: {xyz: [0, 0, 0], quat: [1, 0, 0, 0], rpy: [0, 0, 0]}}}\n", 3, SOA_E_SYNTAX,
            "joint 'j': 'at' has both 'rpy' and 'quat'; give one of them" },
        { LINK ", joint: {name: j, at: {quat: [0, 0, 0, 0]}}}\n", 3, SOA_E_NUMBER,
            "joint 'j': 'quat' is zero; give w, x, y, z such as [1, 0, 0, 0]" },
        { LINK ", joint: {name: j, at: {rotation: [2, 0, 0, 0, 1, 0, 0, 0, 1]}}}\n", 3, SOA_E_JOINT,
            "joint 'j': its placement is not a finite position and a rotation" },
        { LINK ", joint: {name: j, at: {rotation: [-1, 0, 0, 0, 1, 0, 0, 0, 1]}}}\n", 3, SOA_E_JOINT,
            "joint 'j': its placement is not a finite position and a rotation" },
    };
    CHECK_ALL(list)
}

#define SYSTEM HEAD "systems:\n  - {name: s"

static void systems_are_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { HEAD "systems:\n  - {bodies: []}\n", 3, SOA_E_SYNTAX, "system: 'name' is missing; give one" },
        { SYSTEM "}\n", 3, SOA_E_SYNTAX, "system 's': is empty; give a 'file', 'builtin' or 'bodies'" },
        { SYSTEM ", bodies: [], file: x.urdf}\n", 3, SOA_E_SYNTAX,
            "system 's': has both 'file' and 'bodies'; give one of them" },
        { SYSTEM ", file: no-such.urdf}\n", 3, SOA_E_FILE,
            "system 's': file 'no-such.urdf' does not exist; names are relative to this file" },
        { SYSTEM ", bodies: [{name: a}], on: t/a}\n", 3, SOA_E_NAME,
            "system 's': link 't/a' does not exist; name one that does" },
        { SYSTEM ", bodies: [{name: a}]}\n  - {name: t, bodies: [{name: a}], on: s/b}\n", 4, SOA_E_NAME,
            "system 't': link 's/b' does not exist; did you mean 's/a'?" },
        { SYSTEM ", bodies: [{name: a}]}\n  - {name: s, bodies: [{name: b}]}\n", 4, SOA_E_NAME,
            "system 's': another system has this name; rename one" },
        { SYSTEM ", free: true, bodies: [{name: a}, {name: b}]}\n", 3, SOA_E_TREE,
            "system 's': is free but has 2 bodies without a parent; let there be one" },
        { SYSTEM ", free: true, bodies: [{name: a, joint: {type: fixed}}]}\n", 3, SOA_E_JOINT,
            "body 'a': has a joint although its system is free; remove 'joint' or 'free'" },
        { SYSTEM ", bodies: [{name: a, parent: world}]}\n", 3, SOA_E_NAME,
            "body 'a': link 'world' does not exist; name one that does, without the system's name" },
        { SYSTEM ", bodies: [{name: a}, {name: b, parent: s/a}]}\n", 3, SOA_E_NAME,
            "body 'b': link 's/a' does not exist; name one that does, without the system's name" },
        { SYSTEM ", free: 1, bodies: [{name: a}]}\n", 3, SOA_E_SYNTAX,
            "system 's': 'free' is '1'; give true or false" },
    };
    CHECK_ALL(list)
}

#define TWO                                                                                                \
    HEAD "links:\n  - {name: a, joint: {name: j, type: revolute}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n" \
         "  - {name: b, joint: {name: k, type: free}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\n"

#define BENT       LINK ", joint: {name: j, type: revolute}, flexible: "
#define BEAM(rest) BENT "{beam: {length: 1, E: 1, G: 1, rho: 1, A: 1, Iy: 1, Iz: 1" rest "}, modes: 2}}\n"

static void flexible_links_are_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { BEAM(""), 3, SOA_E_SYNTAX, "link 'a': 'J' is missing; give one" },
        { BEAM(", J: [1, 2, x]"), 3, SOA_E_NUMBER, "link 'a': 'J' is 'x'; give a finite decimal number such as 0.5" },
        { BEAM(", J: []"), 3, SOA_E_SYNTAX,
            "link 'a': 'J' has 0 stations from root to tip, others have 1; give one number or as many for all" },
        { BEAM(", J: 1, elements: 1000000"), 3, SOA_E_LIMIT, "link 'a': 'elements' is 1000000; give 1 to 400" },
        { BEAM(", J: 1, axis: [0, 0, 0]"), 3, SOA_E_NUMBER,
            "link 'a': the axis of the beam is zero; give a direction such as x or [1, 0, 0]" },
        { BENT "{plate: {length: 1, width: 1, thickness: 1, elements: [1.5, 1]}, modes: 2}}\n", 3, SOA_E_NUMBER,
            "link 'a': 'elements' has 1.5 along x; give whole numbers from 1 to 400" },
        { BENT "{plate: {length: 1, width: 1, thickness: 0.1, E: 1, nu: 0.3, rho: 1, elements: [2, 3], clamp: point}, "
               "modes: 2}}\n",
            3, SOA_E_ARGUMENT,
            "link 'a': a plate clamped at a point has 3 elements along y and no node in the middle; give an even "
            "number" },
        { BENT "{modes: 1, nodes: 3}}\n", 3, SOA_E_SYNTAX, "link 'a': 'nodes' must be a list" },
    };
    CHECK_ALL(list)
}

static void lists_are_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        { TWO "frames: [{name: f, link: c}]\n", 5, SOA_E_NAME,
            "frame 'f': link 'c' does not exist; name one that does" },
        { TWO "frames: [{link: a}]\n", 5, SOA_E_NAME, "a frame has no name; give it one" },
        { TWO "couplings: [{joint: j}]\n", 5, SOA_E_COUPLING,
            "coupling: 'coefficients' must be a list of 1 to 5 numbers: offset, ratio, ..." },
        { TWO "couplings: [{name: c, coefficients: [1]}]\n", 5, SOA_E_COUPLING,
            "coupling 'c': 'joint' is missing; name the joint that follows" },
        { TWO "couplings: [{name: c, joint: j, link: a, coefficients: [1]}]\n", 5, SOA_E_COUPLING,
            "coupling 'c': has both 'joint' and 'link'; give one of them" },
        { TWO "couplings: [{name: c, joint: elbow, coefficients: [1]}]\n", 5, SOA_E_NAME,
            "coupling 'c': joint 'elbow' does not exist; name one that does" },
        { TWO "closures: [{name: c, a: a, b: b}]\n", 5, SOA_E_SYNTAX, "closure 'c': 'kind' is missing; give one" },
        { TWO "closures: [{name: c, kind: softfinger, a: a, b: b}]\n", 5, SOA_E_NAME,
            "closure 'c': 'kind' is 'softfinger'; did you mean 'soft-finger'?" },
        { TWO "closures: [{name: c, kind: weld, a: a, b: b}]\n", 5, SOA_E_NAME,
            "closure 'c': 'kind' is 'weld'; give rigid, revolute, prismatic, cylindrical, universal, spherical, "
            "soft-finger, point, plane, distance, line, sliding or general" },
        { TWO "closures: [{name: c, kind: rigid, a: a, b: elbow}]\n", 5, SOA_E_NAME,
            "closure 'c': link 'elbow' does not exist; name one that does" },
        { TWO "closures: [{name: c, kind: rigid, a: a, b: a}]\n", 5, SOA_E_CLOSURE,
            "closure 'c': joins a link to itself; name two different links" },
        { TWO "closures: [{name: c, kind: general, a: a, b: b, Q: 1}]\n", 5, SOA_E_CLOSURE,
            "closure 'c': 'Q' must be a list of 1 to 6 rows" },
        { TWO "closures: [{name: c, kind: general, a: a, b: b, Q: [[1, 2]]}]\n", 5, SOA_E_CLOSURE,
            "closure 'c': a row of 'Q' must be a list of 6 numbers: angular, linear" },
        { TWO "geometry: [{link: a, shape: box}]\n", 5, SOA_E_SYNTAX,
            "geometry: 'size' is missing; a box has 3 numbers" },
        { TWO "geometry: [{link: a, shape: sphere}]\n", 5, SOA_E_SYNTAX,
            "geometry: 'size' is missing; a sphere has 1 number" },
        { TWO "geometry: [{link: a, shape: egg}]\n", 5, SOA_E_NAME,
            "geometry: 'shape' is 'egg'; give box, sphere, cylinder, capsule, ellipsoid, plane or mesh" },
        { TWO "geometry: [{link: a, shape: box, size: [1, 1, 1], at: {xyz: 1}}]\n", 5, SOA_E_SYNTAX,
            "geometry: 'xyz' must be a list of 3 numbers" },
        { TWO "closures: [{name: c, kind: rigid, a: a, b: b, at_a: {xyz: 1}}]\n", 5, SOA_E_SYNTAX,
            "closure 'c': 'xyz' must be a list of 3 numbers" },
        { TWO "configurations: [{name: c}]\n", 5, SOA_E_CONFIGURATION,
            "configuration 'c': 'q' is missing; give a list of 8 numbers or a mapping by joint" },
        { TWO "configurations: [{name: c, q: [1, 2]}]\n", 5, SOA_E_SYNTAX,
            "configuration 'c': 'q' must be a list of 8 numbers" },
        { TWO "configurations: [{name: c, q: {elbow: 1}}]\n", 5, SOA_E_NAME,
            "configuration 'c': joint 'elbow' does not exist; name one that does" },
        { TWO "configurations: [{name: c, q: {k: 1}}]\n", 5, SOA_E_SYNTAX,
            "configuration 'c': 'k' must be a list of 7 numbers" },
    };
    CHECK_ALL(list)
}

/* Without a path no file is opened, whether it exists or not. */
static void files_need_a_path(void **state)
{
    (void)state;
    const char *text = SYSTEM ", file: /dev/null}\n";
    soa_model *model;
    soa_error error;
    assert_int_equal(soa_load_text(SOA_YAML, text, strlen(text), NULL, NULL, &model, &error), SOA_E_FILE);
    assert_string_equal(
        error.text, "system 's': names the file '/dev/null', but a text without a path may not; save it as a file");
    assert_int_equal(error.line, 3);
}

/* Depth is counted before memory is spent: far more brackets than SOA_MAX_DEPTH. */
static void depth_is_bounded(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 16);
    assert_non_null(text);
    memcpy(text, "soa: ", 5);
    memset(text + 5, '[', DEEP);
    soa_model *model;
    soa_error error;
    assert_int_equal(soa_load_text(SOA_YAML, text, DEEP + 5, NULL, NULL, &model, &error), SOA_E_LIMIT);
    assert_string_equal(error.text, "lists and mappings are nested too deeply");
    free(text);
}

/* The table for many keys finds doubles as the search for few does. */
static void many_keys_are_compared(void **state)
{
    (void)state;
    char text[2048] = "soa: 1\nlinks:\n  - {name: a, joint: {name: j, type: revolute}, mass: 1}\n"
                      "configurations:\n  - name: c\n    q:\n";
    for (int i = 0; i < 40; i++) {
        const size_t end = strlen(text);
        snprintf(text + end, sizeof text - end, "      j%d: 1\n", i % 39);
    }
    const refusal r = { text, 46, SOA_E_SYNTAX, "key 'j0' is there twice; remove one" };
    check(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_is_refused),
        cmocka_unit_test(heads_are_refused),
        cmocka_unit_test(links_are_refused),
        cmocka_unit_test(joints_are_refused),
        cmocka_unit_test(systems_are_refused),
        cmocka_unit_test(flexible_links_are_refused),
        cmocka_unit_test(lists_are_refused),
        cmocka_unit_test(files_need_a_path),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(many_keys_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
