/* The same numbers as MuJoCo, which shares nothing with us: built-in models and
 * random trees written as MJCF, MJCF in many ways of saying it, and published
 * robots where the folder SOA_ROBOTS is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robots.h"
#include "peers/mujoco_peer.h"
#include "peers/mujoco_texts.h"

enum { REASON = 1000 };

/* ---- our MJCF ---------------------------------------------------------------------------- */

/* Writes the model and compares it with what MuJoCo reads; false if MuJoCo does not. */
static bool compare_written(const char *name, const soa_model *model)
{
    char *text, reason[REASON] = "";
    size_t length;
    soa_error error;
    if (soa_write(model, SOA_MJCF, NULL, &text, &length, &error) != SOA_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    mjModel *theirs = mujoco_load_text(text, length, reason, sizeof reason);
    soa_text_free(NULL, text);
    if (!theirs) {
        print_message("%s, written: skipped: %s\n", name, reason);
        return false;
    }
    compare_models(name, model, theirs);
    compare_keyframes(name, model, theirs);
    mj_deleteModel(theirs);
    return true;
}

static void builtins(void **state)
{
    static const char *const names[] = { "arm6", "arm7", "dual-arm", "quadruped", "humanoid", "satellite",
        "double-pendulum", "chain:20" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        soa_model *model;
        soa_error error;
        if (soa_model_builtin(names[i], NULL, &model, &error) != SOA_OK) {
            fail_msg("%s: %s", names[i], error.text);
        }
        assert_true(compare_written(names[i], model));
        soa_model_free(model);
    }
}

/* ---- random trees -------------------------------------------------------------------------- */

typedef unsigned long long seed;

static double between(seed *s, double low, double high)
{
    return low + 0.5 * (high - low) * (soa_model_random_number(s) + 1.0);
}

static soa_pose random_pose(seed *s)
{
    double position[3], wxyz[4];
    for (int i = 0; i < 3; i++) {
        position[i] = 0.3 * soa_model_random_number(s);
    }
    for (int i = 0; i < 4; i++) {
        wxyz[i] = soa_model_random_number(s) + (i == 0 ? 1.5 : 0.0);
    }
    return soa_pose_from_quaternion(position, wxyz);
}

static soa_inertia random_inertia(seed *s)
{
    const double x = between(s, 0.01, 0.1), y = between(s, 0.01, 0.1), z = between(s, 0.01, 0.1);
    const double mass = between(s, 0.2, 3.0);
    const soa_inertia box = { .mass = mass,
        .moment = { mass * (y + z), 0.0, 0.0, mass * (x + z), 0.0, mass * (x + y) } };
    const soa_pose pose = random_pose(s);
    return soa_inertia_transform(&pose, &box);
}

static void random_joint(seed *s, soa_joint *joint)
{
    joint->at = random_pose(s);
    joint->rotor.armature = joint->kind == SOA_FIXED ? 0.0 : between(s, 0.0, 0.1);
    if (joint->kind == SOA_FREE) {
        return;
    }
    joint->child = random_pose(s);
    for (int i = 0; i < 3; i++) {
        joint->axis[i] = soa_model_random_number(s) + (i == 0 ? 2.0 : 0.0);
        joint->axis2[i] = soa_model_random_number(s) + (i == 1 ? 2.0 : 0.0);
    }
    if (soa_joint_kind_nq(joint->kind) == 1) {
        joint->reference = soa_model_random_number(s);
        joint->reversed = soa_model_random_number(s) > 0.0;
    }
}

/* The kinds that MJCF can say, in all orders; now and then a new tree on the world. */
static soa_model *random_tree(int links, seed *s)
{
    static const soa_joint_kind kinds[] = { SOA_REVOLUTE, SOA_CONTINUOUS, SOA_PRISMATIC, SOA_UNIVERSAL, SOA_CYLINDRICAL,
        SOA_SPHERICAL, SOA_FIXED };
    soa_builder *builder = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    for (int k = 0; k < links; k++) {
        char name[32], joint_name[32];
        const bool root = k % 10 == 0;
        const soa_joint_kind kind = kinds[(int)between(s, 0.0, 6.999)];
        snprintf(name, sizeof name, "link%d", k);
        snprintf(joint_name, sizeof joint_name, "joint%d", k);
        soa_link link =
            soa_link_default(name, root ? SOA_WORLD : (int)between(s, 0.0, k - 0.01), root ? SOA_FREE : kind);
        link.joint.name = link.joint.kind == SOA_FIXED ? NULL : joint_name;
        random_joint(s, &link.joint);
        link.inertia = random_inertia(s);
        assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    }
    if (soa_builder_finish(builder, &model, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(builder);
    return model;
}

static void random_trees(void **state)
{
    (void)state;
    seed s = 11;
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "random tree %d", i);
        soa_model *model = random_tree(3 + 2 * i, &s);
        assert_true(compare_written(name, model));
        soa_model_free(model);
    }
}

/* A configuration is the same numbers as MuJoCo's keyframe, whatever the kinds. */
static void keyframes(void **state)
{
    (void)state;
    seed s = 5;
    soa_error error;
    soa_model *plain = random_tree(24, &s), *model;
    const int nq = soa_model_nq(plain), nv = soa_model_nv(plain);
    double *q = calloc((size_t)(nq + nv), sizeof *q);
    assert_non_null(q);
    soa_random_configuration(plain, &s, q);
    for (int i = 0; i < nv; i++) {
        q[nq + i] = soa_model_random_number(&s);
    }
    soa_builder *builder = soa_builder_new(NULL);
    assert_int_equal(soa_builder_attach(builder, plain, NULL, SOA_WORLD, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_configuration(builder, "start", nq, q, nv, q + nq, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(builder, &model, &error), SOA_OK);
    assert_int_equal(soa_model_configurations(model), 1);
    assert_true(compare_written("keyframes", model));
    free(q);
    soa_builder_free(builder);
    soa_model_free(plain);
    soa_model_free(model);
}

/* ---- others' MJCF -------------------------------------------------------------------------- */

static void ways_of_saying(void **state)
{
    static const struct {
        const char *name, *text;
    } cases[] = {
        { "shapes", TEXT_SHAPES },
        { "classes", TEXT_CLASSES },
        { "inertiafromgeom", TEXT_COMPILER("inertiafromgeom='true'", ".29") },
        { "inertiagrouprange", TEXT_COMPILER("inertiagrouprange='0 2'", ".29") },
        { "bounds", TEXT_COMPILER("boundmass='.5' boundinertia='.15'", ".29") },
        { "balanceinertia", TEXT_COMPILER("balanceinertia='true'", ".31") },
        { "settotalmass", TEXT_COMPILER("settotalmass='7'", ".29") },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char reason[REASON] = "";
        soa_model *ours;
        soa_error error;
        if (soa_load_text(SOA_MJCF, cases[i].text, strlen(cases[i].text), "test.xml", NULL, &ours, &error) != SOA_OK) {
            fail_msg("%s: %s", cases[i].name, error.text);
        }
        mjModel *theirs = mujoco_load_text(cases[i].text, strlen(cases[i].text), reason, sizeof reason);
        if (!theirs) {
            fail_msg("%s: %s", cases[i].name, reason);
        }
        compare_models(cases[i].name, ours, theirs);
        mj_deleteModel(theirs);
        soa_model_free(ours);
    }
}

/* Masses that follow from meshes that are not there are nobody's to compare. */
static bool mass_is_known(const soa_model *model)
{
    for (int i = 0; i < soa_model_links(model); i++) {
        if (soa_model_link(model, i)->flags & SOA_LINK_UNKNOWN_MASS) {
            return false;
        }
    }
    return true;
}

static bool compare_robot(const char *name)
{
    char path[ROBOTS_PATH], reason[REASON] = "";
    soa_model *ours;
    soa_error error;
    snprintf(path, sizeof path, SOA_ROBOTS "/%s", name);
    if (soa_load(path, NULL, &ours, &error) != SOA_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    }
    mjModel *theirs = mass_is_known(ours) ? mujoco_load_file(path, reason, sizeof reason) : NULL;
    if (theirs) {
        compare_models(name, ours, theirs);
        mj_deleteModel(theirs);
    } else {
        print_message("%s: skipped: %s\n", name, reason[0] ? reason : "masses are in meshes that are not there");
    }
    const bool written = compare_written(name, ours);
    soa_model_free(ours);
    return theirs || written;
}

static void robots(void **state)
{
    (void)state;
    FILE *file = robots_open("INDEX.md");
    char line[ROBOTS_LINE], name[256];
    int compared = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "| `%255[^`]`", name) == 1 && strstr(name, ".xml")) {
            compared += compare_robot(name);
        }
    }
    fclose(file);
    assert_true(compared >= 15);
}

/* ---- */

static void refuse(const char *text)
{
    fail_msg("MuJoCo: %s", text);
}

/* Their warnings would go to a file. */
static void ignore(const char *text)
{
    (void)text;
}

/* With the argument "robots" the published robots alone, otherwise the rest. */
int main(int argc, char **argv)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(builtins),
        cmocka_unit_test(random_trees),
        cmocka_unit_test(keyframes),
        cmocka_unit_test(ways_of_saying),
    };
    const struct CMUnitTest published[] = {
        cmocka_unit_test(robots),
    };
    mju_user_error = refuse;
    mju_user_warning = ignore;
    if (argc == 1) {
        return cmocka_run_group_tests(own, NULL, NULL);
    }
    assert_string_equal(argv[1], "robots");
    return robots_missing() ? ROBOTS_SKIP : cmocka_run_group_tests(published, NULL, NULL);
}
