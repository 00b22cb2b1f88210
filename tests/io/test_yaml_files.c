/* tests/io/test_yaml_files.c - native files that name other files, and files beside a URDF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soa/io.h"

/* A folder of its own for each test, removed with what is in it. */
static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    char *folder = malloc(512);
    snprintf(folder, 512, "%s/soa-test-XXXXXX", base ? base : "/tmp");
    *state = mkdtemp(folder);
    return *state ? 0 : -1;
}

static char *path_in(const char *folder, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    DIR *dir = opendir(*state);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        unlink(path_in(*state, entry->d_name));
    }
    closedir(dir);
    rmdir(*state);
    free(*state);
    return 0;
}

static void put(const char *folder, const char *name, const char *text)
{
    FILE *file = fopen(path_in(folder, name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static soa_model *load(const char *folder, const char *name)
{
    soa_model *model;
    soa_error error;
    char message[1024];
    if (soa_load(path_in(folder, name), NULL, &model, &error) != SOA_OK) {
        fail_msg("%s", soa_error_message(&error, message, sizeof message));
    }
    return model;
}

/* error->file must end with `file`. */
static void assert_refused(
    const char *folder, const char *name, soa_status status, const char *file, int line, const char *text)
{
    soa_model *model;
    soa_error error;
    assert_int_equal(soa_load(path_in(folder, name), NULL, &model, &error), status);
    assert_null(model);
    assert_string_equal(error.text, text);
    assert_int_equal(error.line, line);
    assert_true(strlen(error.file) > strlen(file));
    assert_string_equal(error.file + strlen(error.file) - strlen(file), file);
}

static const char arm_urdf[] =
    "<robot name=\"arm\">\n"
    "<link name=\"base\"><inertial><mass value=\"1\"/>"
    "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n"
    "<link name=\"tool0\"><inertial><mass value=\"1\"/>"
    "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n"
    "<joint name=\"j1\" type=\"continuous\"><parent link=\"base\"/><child link=\"tool0\"/>"
    "<axis xyz=\"0 0 1\"/></joint>\n"
    "</robot>\n";

static void urdf_systems_are_attached(void **state)
{
    put(*state, "arm.urdf", arm_urdf);
    put(*state, "two.yaml",
        "soa: 1\nsystems:\n"
        "  - {name: left,  file: arm.urdf, at: {xyz: [0, 0.3, 0]}}\n"
        "  - {name: right, file: ./arm.urdf, free: true, at: {xyz: [0, -0.3, 0]}}\n"
        "  - {name: third, file: arm.urdf, on: right/tool0}\n"
        "closures: [{name: c, kind: spherical, a: left/tool0, b: third/tool0}]\n");
    soa_model *m = load(*state, "two.yaml");
    assert_int_equal(soa_model_links(m), 6);
    assert_int_equal(soa_model_nv(m), 1 + 7 + 1);
    const int root = soa_model_find_joint(m, "right/free");
    assert_int_equal(root, soa_model_find_link(m, "right/base"));
    assert_int_equal(soa_model_link(m, root)->joint.kind, SOA_FREE);
    assert_true(soa_model_link(m, root)->joint.at.position[1] == -0.3);
    const soa_link *left = soa_model_link(m, soa_model_find_link(m, "left/base"));
    assert_int_equal(left->joint.kind, SOA_FIXED);
    assert_true(left->joint.at.position[1] == 0.3);
    const soa_link *third = soa_model_link(m, soa_model_find_link(m, "third/base"));
    assert_int_equal(third->parent, soa_model_find_link(m, "right/tool0"));
    soa_model_free(m);
}

static void native_files_nest(void **state)
{
    put(*state, "inner.yaml",
        "soa: 1\ngravity: [1, 2, 3]\nlinks: [{name: a, joint: {name: j, type: revolute}, mass: 1,\n"
        "  inertia: [1, 0, 0, 1, 0, 1]}]\nconfigurations: [{name: home, q: [1]}]\n");
    put(*state, "middle.yml", "soa: 1\nsystems: [{name: in, file: inner.yaml}]\n");
    put(*state, "outer.yaml",
        "soa: 1\nsystems: [{name: x, file: middle.yml}, {name: y, file: inner.yaml, free: false}]\n");
    soa_model *m = load(*state, "outer.yaml");
    assert_true(soa_model_find_joint(m, "x/in/j") >= 0);
    assert_true(soa_model_find_link(m, "y/a") >= 0);
    double gravity[3];
    soa_model_gravity(m, gravity);
    assert_true(gravity[2] == -9.81);
    assert_int_equal(soa_model_configurations(m), 0);
    int told = 0;
    for (int i = 0; i < soa_model_warnings(m); i++) {
        told += strcmp(soa_model_warning(m, i)->text, "system 'y': its 1 named configuration is not taken over") == 0;
    }
    assert_int_equal(told, 1);
    soa_model_free(m);
}

static void loops_of_files_are_refused(void **state)
{
    put(*state, "a.yaml", "soa: 1\nsystems:\n  - {name: b, file: b.yaml}\n");
    put(*state, "b.yaml", "soa: 1\nsystems: [{name: a, file: ././a.yaml}]\n");
    assert_refused(
        *state, "a.yaml", SOA_E_FILE, "b.yaml", 2, "system 'a': file '././a.yaml' contains itself; remove the loop");
}

/* Each file names the next twice: 2^30 files if nothing counted them. */
static void the_number_of_files_is_bounded(void **state)
{
    for (int i = 0; i < 30; i++) {
        char name[32], text[128];
        snprintf(name, sizeof name, "f%d.yaml", i);
        snprintf(text, sizeof text, "soa: 1\nsystems: [{name: a, file: f%d.yaml}, {name: b, file: f%d.yaml}]\n", i + 1,
            i + 1);
        put(*state, name, text);
    }
    put(*state, "f30.yaml", "soa: 1\nlinks: [{name: a}]\n");
    soa_model *model;
    soa_error error;
    assert_int_equal(soa_load(path_in(*state, "f0.yaml"), NULL, &model, &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "more than 256 native files are named; join some"));
}

static void errors_inside_name_the_inner_file(void **state)
{
    put(*state, "inner.yaml", "soa: 1\nlinks:\n  - {name: a, mas: 1}\n");
    put(*state, "outer.yaml", "soa: 1\nsystems: [{name: x, file: inner.yaml}]\n");
    assert_refused(
        *state, "outer.yaml", SOA_E_SYNTAX, "inner.yaml", 3, "link 'a': unknown key 'mas'; did you mean 'mass'?");
}

static void free_needs_one_fixed_root(void **state)
{
    put(*state, "inner.yaml", "soa: 1\nlinks: [{name: a, mass: 1}, {name: b, mass: 1}]\n");
    put(*state, "outer.yaml", "soa: 1\nsystems:\n  - name: x\n    file: inner.yaml\n    free: true\n");
    assert_refused(*state, "outer.yaml", SOA_E_TREE, "outer.yaml", 5,
        "system 'x': 'free' needs one root link without a joint of its own; remove 'free'");
}

/* ---- beside a URDF ---------------------------------------------------------------- */

static void closures_are_read_beside(void **state)
{
    put(*state, "arm.urdf", arm_urdf);
    put(*state, "arm.yaml", "name_mot: ['x']\nclosed_loop: [['j1', 'base'], ['base', 'tool0']]\ntype: ['6d', '3d']\n");
    soa_model *m = load(*state, "arm.urdf");
    assert_int_equal(soa_model_closures(m), 2);
    const soa_closure *first = soa_model_closure(m, 0), *second = soa_model_closure(m, 1);
    assert_string_equal(first->name, "j1-base");
    assert_int_equal(first->kind, SOA_CLOSE_RIGID);
    assert_int_equal(first->a, soa_model_find_link(m, "tool0"));
    assert_int_equal(first->b, soa_model_find_link(m, "base"));
    assert_int_equal(second->kind, SOA_CLOSE_SPHERICAL);
    int told = 0;
    for (int i = 0; i < soa_model_warnings(m); i++) {
        const soa_warning *warning = soa_model_warning(m, i);
        told += strcmp(warning->text, "2 closures read from this file beside the URDF") == 0 &&
                strstr(warning->source.file, "arm.yaml") && warning->source.line == 2;
    }
    assert_int_equal(told, 1);
    soa_model_free(m);
}

/* Joints of kinds that URDF lacks, as parallel robots are published. */
static void joints_are_changed_beside(void **state)
{
    static const struct {
        const char *type;
        soa_joint_kind kind;
        int axis, axis2;
    } row[] = { { "SPHERICAL", SOA_SPHERICAL, -1, -1 }, { "FIXED", SOA_FIXED, -1, -1 },
        { "UJOINT_XY", SOA_UNIVERSAL, 0, 1 }, { "UJOINT_ZY", SOA_UNIVERSAL, 2, 1 } };
    put(*state, "arm.urdf", arm_urdf);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "joint_name: ['ghost', 'j1']\njoint_type: ['SPHERICAL', '%s']\n", row[i].type);
        put(*state, "arm.yaml", text);
        soa_model *m = load(*state, "arm.urdf");
        const soa_joint *joint = &soa_model_link(m, soa_model_find_joint(m, "j1"))->joint;
        assert_int_equal(joint->kind, row[i].kind);
        for (int j = 0; j < 3 && row[i].axis >= 0; j++) {
            assert_true(joint->axis[j] == (j == row[i].axis) && joint->axis2[j] == (j == row[i].axis2));
        }
        int told = 0;
        for (int w = 0; w < soa_model_warnings(m); w++) {
            told += strstr(soa_model_warning(m, w)->text, "'ghost', which is no joint of the URDF") != NULL;
            told += strstr(soa_model_warning(m, w)->text, "made spherical, universal or fixed by this file") != NULL;
        }
        assert_int_equal(told, 2);
        soa_model_free(m);
    }
}

/* A file outside of the folder is named, with its line, but nothing in it is quoted. */
static void nothing_outside_is_quoted(void **state)
{
    char name[600], text[1300];
    soa_model *model;
    soa_error error;
    const char *folder = strrchr(*state, '/') + 1;
    put(*state, "secret.yaml", "password: hunter2\n");
    put(*state, "secret.xml", "<password>\n<hunter2/></password>\n");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, i % 2 ? "../%s/secret.%s" : "%s/secret.%s", i % 2 ? folder : (char *)*state,
            i < 2 ? "yaml" : "xml");
        snprintf(text, sizeof text,
            i < 2 ? "soa: 1\nsystems: [{name: x, file: '%s'}]\n"
                  : "<mujoco><worldbody>\n<include file='%s'/></worldbody></mujoco>\n",
            name);
        put(*state, i < 2 ? "outer.yaml" : "outer.xml", text);
        assert_int_not_equal(
            soa_load(path_in(*state, i < 2 ? "outer.yaml" : "outer.xml"), NULL, &model, &error), SOA_OK);
        assert_non_null(strstr(error.file, "secret"));
        assert_null(strstr(error.text, "password"));
        assert_null(strstr(error.text, "hunter2"));
        assert_non_null(strstr(error.text, "outside of the model's folder"));
    }
}

static void other_files_beside_are_left_alone(void **state)
{
    static const char *const texts[] = { "motors: [1, 2]\n", "soa: 1\nclosed_loop: 1\n", "{ not yaml", "- 1\n",
        "a: &x 1\nb: *x\n", "" };
    put(*state, "arm.urdf", arm_urdf);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put(*state, "arm.yaml", texts[i]);
        soa_model *m = load(*state, "arm.urdf");
        assert_int_equal(soa_model_closures(m), 0);
        soa_model_free(m);
    }
}

static void wrong_files_beside_are_refused(void **state)
{
    static const struct {
        const char *text;
        soa_status status;
        int line;
        const char *message;
    } list[] = {
        { "a: 1\nclosed_loop:\n  - [base, tool1]\ntype: [6d]\n", SOA_E_CLOSURE, 3,
            "'closed_loop' names 'tool1', which is neither a link nor a joint of the URDF; correct the name" },
        { "closed_loop: [[base, tool0]]\ntype: [5d]\n", SOA_E_CLOSURE, 2,
            "'type' of a closed loop is '5d'; give '6d' or '3d'" },
        { "closed_loop: [[base, tool0]]\n", SOA_E_CLOSURE, 1,
            "'type' must be a list with one item ('6d' or '3d') for each of the 1 closed loops" },
        { "closed_loop: [[base, tool0]]\ntype: [6d, 6d]\n", SOA_E_CLOSURE, 2,
            "'type' must be a list with one item ('6d' or '3d') for each of the 1 closed loops" },
        { "closed_loop: [[base]]\ntype: [6d]\n", SOA_E_CLOSURE, 1,
            "each item of 'closed_loop' must be a pair of names" },
        { "joint_name: [j1]\njoint_type: [BALL]\n", SOA_E_JOINT, 2,
            "'joint_type' is 'BALL'; give SPHERICAL, FIXED or UJOINT_ and two different letters of XYZ" },
        { "joint_name: [j1]\njoint_type: [UJOINT_XX]\n", SOA_E_JOINT, 2,
            "'joint_type' is 'UJOINT_XX'; give SPHERICAL, FIXED or UJOINT_ and two different letters of XYZ" },
        { "joint_name: [j1]\njoint_type: []\n", SOA_E_JOINT, 1,
            "'joint_name' and 'joint_type' must be lists of the same length" },
        { "closed_loop: base\n", SOA_E_SYNTAX, 1, "'closed_loop' must be a list" },
        { "closed_loop: [[base, &x tool0]]\n", SOA_E_UNSUPPORTED, 1,
            "anchors and tags are not read; write the value itself" },
    };
    put(*state, "arm.urdf", arm_urdf);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        put(*state, "arm.yaml", list[i].text);
        assert_refused(*state, "arm.urdf", list[i].status, "arm.yaml", list[i].line, list[i].message);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(urdf_systems_are_attached),
        IN_FOLDER(native_files_nest),
        IN_FOLDER(loops_of_files_are_refused),
        IN_FOLDER(the_number_of_files_is_bounded),
        IN_FOLDER(errors_inside_name_the_inner_file),
        IN_FOLDER(free_needs_one_fixed_root),
        IN_FOLDER(closures_are_read_beside),
        IN_FOLDER(joints_are_changed_beside),
        IN_FOLDER(nothing_outside_is_quoted),
        IN_FOLDER(other_files_beside_are_left_alone),
        IN_FOLDER(wrong_files_beside_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
