/* The built-in models: counts, physics, closed loops, the same bits every time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "model/builtin.h"
#include "soa/soa.h"

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static soa_model *make(const char *name)
{
    soa_model *model = NULL;
    soa_error error;
    const soa_status status = soa_model_builtin(name, NULL, &model, &error);
    if (status != SOA_OK) {
        print_error("%s: %s\n", name, error.text);
    }
    assert_int_equal(status, SOA_OK);
    assert_non_null(model);
    return model;
}

/* ---- limits ----------------------------------------------------------------------- */

/* The joints of robots made of parts are bounded in every respect. */
static void robots_have_limits(void **state)
{
    static const char *const name[] = { "arm6", "arm7", "dual-arm", "quadruped", "humanoid" };
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        soa_model *m = make(name[i]);
        for (int k = 0; k < soa_model_links(m); k++) {
            const soa_joint *joint = &soa_model_link(m, k)->joint;
            if (joint->kind == SOA_REVOLUTE) {
                assert_true(
                    isfinite(joint->lower[0]) && isfinite(joint->upper[0]) && joint->lower[0] < joint->upper[0]);
                assert_true(isfinite(joint->velocity[0]) && joint->velocity[0] > 0.0);
                assert_true(isfinite(joint->effort[0]) && joint->effort[0] > 0.0);
            }
        }
        soa_model_free(m);
    }
}

/* ---- counts ----------------------------------------------------------------------- */

static void counts(void **state)
{
    static const struct {
        const char *name;
        int links, bodies, nq, nv, frames, closures;
    } CASE[] = {
        { "pendulum", 1, 1, 1, 1, 1, 0 },
        { "double-pendulum", 2, 2, 2, 2, 1, 0 },
        { "arm6", 7, 6, 6, 6, 1, 0 },
        { "arm7", 8, 7, 7, 7, 1, 0 },
        { "dual-arm", 18, 15, 15, 15, 3, 0 },
        { "quadruped", 13, 13, 19, 18, 5, 0 },
        { "humanoid", 31, 31, 37, 36, 5, 0 },
        { "satellite", 5, 5, 11, 10, 1, 0 },
        { "hexapod", 14, 13, 25, 24, 1, 6 },
        { "chain:1", 1, 1, 1, 1, 1, 0 },
        { "chain:100000", 100000, 100000, 100000, 100000, 1, 0 },
        { "flexible-chain:3,5", 3, 6, 18, 18, 1, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        soa_model *m = make(CASE[i].name);
        assert_string_equal(soa_model_name(m), CASE[i].name);
        assert_int_equal(soa_model_links(m), CASE[i].links);
        assert_int_equal(soa_model_bodies(m), CASE[i].bodies);
        assert_int_equal(soa_model_nq(m), CASE[i].nq);
        assert_int_equal(soa_model_nv(m), CASE[i].nv);
        assert_int_equal(soa_model_frames(m), CASE[i].frames);
        assert_int_equal(soa_model_closures(m), CASE[i].closures);
        soa_model_free(m);
    }
}

static void every_name_is_listed_with_a_text(void **state)
{
    (void)state;
    assert_int_equal(soa_builtins(), 12);
    for (int i = 0; i < soa_builtins(); i++) {
        assert_true(strlen(soa_builtin_text(i)) > 10);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(soa_builtin_name(i), soa_builtin_name(j));
        }
    }
    assert_null(soa_builtin_name(-1));
    assert_null(soa_builtin_name(soa_builtins()));
    assert_null(soa_builtin_text(soa_builtins()));
}

static void refuses_wrong_names(void **state)
{
    static const struct {
        const char *name;
        const char *says;
    } CASE[] = {
        { "", "there is no built-in model ''" },
        { "arm", "there is no built-in model 'arm'" },
        { "arm7x", "choose from pendulum" },
        { "arm7:3", "takes no numbers" },
        { "arm7:", "takes no numbers" },
        { "chain", "'chain:N'" },
        { "chain:", "'chain:100'" },
        { "chain:0", "from 1 to 1000000" },
        { "chain:1000001", "from 1 to 1000000" },
        { "chain:99999999999999999999999", "'chain:N'" },
        { "chain:x", "'chain:N'" },
        { "chain:-3", "'chain:N'" },
        { "chain:5 ", "'chain:N'" },
        { "chain:5,6", "'chain:N'" },
        { "flexible-chain:5", "'flexible-chain:N,MODES'" },
        { "flexible-chain:5,0", "MODES must be from 1 to 64" },
        { "flexible-chain:5,65", "MODES must be from 1 to 64" },
        { "tree:5", "'tree:N,SEED'" },
        { "tree:5,", "'tree:40,7'" },
        { "tree:,5", "'tree:40,7'" },
        { "tree:0,5", "from 1 to 1000000" },
        { "tree:5,6,7", "'tree:N,SEED'" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        soa_model *model = (soa_model *)&model;
        soa_error error;
        soa_error_clear(&error);
        assert_int_not_equal(soa_model_builtin(CASE[i].name, NULL, &model, &error), SOA_OK);
        assert_null(model);
        assert_non_null(strstr(error.text, CASE[i].says));
        assert_int_not_equal(soa_model_builtin(CASE[i].name, NULL, &model, NULL), SOA_OK);
    }
}

/* ---- physics ------------------------------------------------------------------------ */

static void assert_physical(const soa_inertia *inertia)
{
    double I[3];
    soa_inertia_principal(inertia, I);
    assert_true(inertia->mass > 0.0);
    assert_true(I[0] > 0.0);
    assert_true(I[0] + I[1] > I[2]);
}

static void masses_and_moments_are_physical(void **state)
{
    static const char *const NAME[] = { "pendulum", "double-pendulum", "arm6", "arm7", "dual-arm", "quadruped",
        "humanoid", "satellite", "hexapod", "chain:5", "tree:300,11" };
    (void)state;
    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        soa_model *m = make(NAME[i]);
        double total = 0.0;
        assert_int_equal(soa_model_warnings(m), 0);
        for (int b = 0; b < soa_model_bodies(m); b++) {
            const soa_body body = soa_model_body(m, b);
            assert_physical(&body.inertia);
        }
        for (int k = 0; k < soa_model_links(m); k++) {
            const soa_link *link = soa_model_link(m, k);
            assert_physical(&link->inertia);
            total += link->inertia.mass;
            total += link->joint.rotor.mass;
        }
        NEAR(soa_model_mass(m), total, 1e-12 * total);
        soa_model_free(m);
    }
}

/* Textbook values. */
static void rods_and_boxes(void **state)
{
    (void)state;
    const double com[3] = { 0.1, 0.2, 0.3 }, size[3] = { 1.0, 2.0, 3.0 };
    const soa_inertia rod = soa_rod(12.0, com, 2.0, 3.0), box = soa_box(12.0, com, size);
    const double of_rod[6] = { 21.0, 0.0, 0.0, 21.0, 0.0, 24.0 }, of_box[6] = { 13.0, 0.0, 0.0, 10.0, 0.0, 5.0 };
    assert_memory_equal(rod.com, com, sizeof com);
    assert_memory_equal(box.com, com, sizeof com);
    assert_true(rod.mass == 12.0 && box.mass == 12.0);
    for (int i = 0; i < 6; i++) {
        NEAR(rod.moment[i], of_rod[i], 1e-14);
        NEAR(box.moment[i], of_box[i], 1e-14);
    }
}

static void gravity(void **state)
{
    double g[3];
    (void)state;
    soa_model *m = make("satellite");
    soa_model_gravity(m, g);
    assert_true(g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0);
    soa_model_free(m);
    m = make("arm7");
    soa_model_gravity(m, g);
    assert_true(g[0] == 0.0 && g[1] == 0.0 && g[2] == -9.81);
    soa_model_free(m);
}

/* ---- where things are ------------------------------------------------------------------ */

/* The pose of the moving side of a joint in its fixed side, written from the
 * definition of the coordinates. */
static soa_pose joint_pose(const soa_joint *joint, const double *q)
{
    const double origin[3] = { 0.0, 0.0, 0.0 };
    soa_pose pose = soa_pose_identity();
    if (joint->kind == SOA_REVOLUTE || joint->kind == SOA_CONTINUOUS) {
        pose = soa_pose_from_axis_angle(origin, joint->axis, q[0] - joint->reference);
    } else if (joint->kind == SOA_PRISMATIC) {
        for (int i = 0; i < 3; i++) {
            pose.position[i] = joint->axis[i] * (q[0] - joint->reference);
        }
    } else if (joint->kind == SOA_UNIVERSAL) {
        const soa_pose first = soa_pose_from_axis_angle(origin, joint->axis, q[0]);
        const soa_pose second = soa_pose_from_axis_angle(origin, joint->axis2, q[1]);
        pose = soa_pose_compose(&first, &second);
    } else if (joint->kind == SOA_FREE) {
        pose = soa_pose_from_quaternion(q + 4, q);
    } else {
        assert_int_equal(joint->kind, SOA_FIXED);
    }
    return pose;
}

static soa_pose link_pose(const soa_model *m, int link, const double *q)
{
    if (link == SOA_WORLD) {
        return soa_pose_identity();
    }
    const soa_link *l = soa_model_link(m, link);
    const soa_body body = soa_model_body(m, soa_model_link_body(m, link, NULL));
    const soa_pose moved = joint_pose(&l->joint, l->joint.kind == SOA_FIXED ? NULL : q + body.q);
    soa_pose pose = link_pose(m, l->parent, q);
    pose = soa_pose_compose(&pose, &l->joint.at);
    pose = soa_pose_compose(&pose, &moved);
    return soa_pose_compose(&pose, &l->joint.child);
}

static void frame_position(const soa_model *m, const char *name, const double *q, double x[3])
{
    const soa_frame *frame = soa_model_frame(m, soa_model_find_frame(m, name));
    assert_non_null(frame);
    soa_pose pose = link_pose(m, frame->link, q);
    pose = soa_pose_compose(&pose, &frame->at);
    memcpy(x, pose.position, sizeof pose.position);
}

/* The largest distance between the two points of a closure. */
static double open_by(const soa_model *m, const double *q)
{
    double worst = 0.0;
    for (int i = 0; i < soa_model_closures(m); i++) {
        const soa_closure *c = soa_model_closure(m, i);
        assert_int_equal(c->kind, SOA_CLOSE_SPHERICAL);
        soa_pose a = link_pose(m, c->a, q), b = link_pose(m, c->b, q);
        a = soa_pose_compose(&a, &c->at_a);
        b = soa_pose_compose(&b, &c->at_b);
        worst = fmax(worst,
            hypot(hypot(a.position[0] - b.position[0], a.position[1] - b.position[1]), a.position[2] - b.position[2]));
    }
    return worst;
}

/* Whatever q holds before; a flexible link is straight. */
static void neutral_says_every_number(void **state)
{
    (void)state;
    static const char *const names[] = { "quadruped", "tree:12,8", "flexible-chain:3,4" };
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        soa_model *m = make(names[n]);
        double q[2][64];
        for (int i = 0; i < 64; i++) {
            q[0][i] = 9.0;
            q[1][i] = -9.0;
        }
        assert_true(soa_model_nq(m) < 64);
        soa_model_neutral(m, q[0]);
        soa_model_neutral(m, q[1]);
        for (int i = 0; i < 64; i++) {
            assert_true(i < soa_model_nq(m) ? q[0][i] == q[1][i] : q[0][i] == 9.0);
            assert_true(n < 2 || i >= soa_model_nq(m) || q[0][i] == 0.0);
        }
        soa_model_free(m);
    }
}

static void hexapod_is_closed_at_neutral(void **state)
{
    double q[25];
    (void)state;
    soa_model *m = make("hexapod");
    soa_model_neutral(m, q);
    assert_true(open_by(m, q) < 1e-14);

    const int slide = soa_model_find_joint(m, "slide3");
    const soa_body body = soa_model_body(m, soa_model_link_body(m, slide, NULL));
    q[body.q] += 0.01;
    NEAR(open_by(m, q), 0.01, 1e-12);
    soa_model_free(m);
}

/* The coordinate of a slide is the distance between the ends of its leg. */
static void hexapod_slides_measure_the_legs(void **state)
{
    double q[25];
    (void)state;
    soa_model *m = make("hexapod");
    soa_model_neutral(m, q);
    for (int i = 0; i < soa_model_closures(m); i++) {
        const int rod = soa_model_closure(m, i)->a;
        const int cylinder = soa_model_link(m, rod)->parent;
        const soa_pose top = link_pose(m, rod, q), foot = link_pose(m, cylinder, q);
        const double *a = top.position, *b = foot.position;
        const double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        NEAR(q[soa_model_body(m, soa_model_link_body(m, rod, NULL)).q], length, 1e-14);
        assert_true(length > 0.5 && length < 1.0);
    }
    soa_model_free(m);
}

static void feet_stand_on_the_ground(void **state)
{
    static const char *const FOOT[] = { "FL_foot", "FR_foot", "RL_foot", "RR_foot" };
    double q[37], x[3], left[3], right[3];
    (void)state;
    soa_model *m = make("quadruped");
    const soa_configuration *stand = soa_model_configuration(m, 0);
    soa_model_neutral(m, q);
    for (int i = 0; i < 4; i++) {
        frame_position(m, FOOT[i], q, x);
        NEAR(x[2], 0.0, 1e-14);
        frame_position(m, FOOT[i], stand->q, x);
        NEAR(x[2], 0.0, 2e-3);
        assert_true((x[1] > 0.0) == (FOOT[i][1] == 'L'));
        assert_true((x[0] > 0.0) == (FOOT[i][0] == 'F'));
    }
    soa_model_free(m);

    m = make("humanoid");
    NEAR(soa_model_mass(m), 70.0, 1e-9);
    soa_model_neutral(m, q);
    frame_position(m, "left_foot", q, left);
    frame_position(m, "right_foot", q, right);
    NEAR(left[2], 0.0, 1e-14);
    NEAR(left[1], -right[1], 1e-15);
    frame_position(m, "left_hand", q, left);
    frame_position(m, "right_hand", q, right);
    NEAR(left[1], -right[1], 1e-15);
    assert_true(left[1] > 0.2);
    soa_model_free(m);
}

static void arms_reach(void **state)
{
    double q[15] = { 0 }, x[3], y[3];
    (void)state;
    soa_model *m = make("arm7");
    frame_position(m, "tool", q, x);
    NEAR(x[2], 0.16 + 0.20 + 0.21 + 0.19 + 0.20 + 0.19 + 0.085 + 0.045, 1e-14);
    soa_model_free(m);
    m = make("arm6");
    frame_position(m, "tool", q, x);
    NEAR(x[0], 0.43 + 0.39, 1e-14);
    soa_model_free(m);
    m = make("dual-arm");
    frame_position(m, "left/tool", q, x);
    frame_position(m, "right/tool", q, y);
    NEAR(x[0], y[0], 1e-14);
    NEAR(x[1], -y[1], 1e-14);
    NEAR(x[2], y[2], 1e-14);
    assert_true(x[1] > 0.5);
    assert_true(soa_model_find_joint(m, "right/joint7") >= 0);
    soa_model_free(m);
}

/* Link after link hangs straight down. */
static void chains_hang(void **state)
{
    const double q[3] = { 0 };
    double x[3];
    (void)state;
    soa_model *m = make("chain:3");
    for (int k = 0; k < 3; k++) {
        NEAR(link_pose(m, k, q).position[2], -0.1 * k, 1e-15);
    }
    frame_position(m, "tip", q, x);
    NEAR(x[2], -0.3, 1e-15);
    soa_model_free(m);
}

/* ---- trees -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++) {
            hash = (hash ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3u;
        }
    }
    return hash;
}

#define TREE_50_1 0x3e7d954d0ac675f3u /* on every machine */

/* FNV of the numbers of every joint that follow from the seed by + - * / sqrt. */
static uint64_t fingerprint(const char *name)
{
    soa_model *m = make(name);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int k = 0; k < soa_model_links(m); k++) {
        const soa_link *link = soa_model_link(m, k);
        const double whole[4] = { link->parent, (double)link->joint.kind, link->joint.reversed, link->joint.pitch };
        hash = mix(hash, whole, 4);
        hash = mix(hash, link->joint.axis, 3);
        hash = mix(hash, link->joint.at.position, 3);
        hash = mix(hash, &link->joint.rotor.ratio, 1);
        hash = mix(hash, &link->inertia.mass, 1);
    }
    soa_model_free(m);
    return hash;
}

static void tree_depends_on_its_seed_alone(void **state)
{
    (void)state;
    assert_true(fingerprint("tree:200,7") == fingerprint("tree:200,7"));
    assert_true(fingerprint("tree:200,7") != fingerprint("tree:200,8"));
    assert_true(fingerprint("tree:200,0") != fingerprint("tree:200,18446744073709551615"));
    assert_true(fingerprint("tree:50,1") == TREE_50_1);
}

static void tree_has_every_kind(void **state)
{
    int kind[SOA_JOINT_KINDS] = { 0 };
    int reversed = 0, geared = 0, armature = 0, referred = 0, roots = 0, deepest = 0, depth[800] = { 0 };
    (void)state;
    soa_model *m = make("tree:450,3");
    assert_int_equal(soa_model_bodies(m), 450);
    for (int k = 0; k < soa_model_links(m); k++) {
        const soa_link *link = soa_model_link(m, k);
        kind[link->joint.kind]++;
        reversed += link->joint.reversed;
        geared += link->joint.rotor.spin > 0.0;
        armature += link->joint.rotor.armature > 0.0;
        referred += link->joint.reference != 0.0;
        roots += link->parent == SOA_WORLD;
        assert_true(link->parent < k);
        depth[k] = link->parent < 0 ? 1 : depth[link->parent] + 1;
        deepest = depth[k] > deepest ? depth[k] : deepest;
    }
    for (int i = 0; i < SOA_JOINT_KINDS; i++) {
        assert_true(i == SOA_FIXED ? kind[i] > 20 : kind[i] == 50);
    }
    assert_true(reversed > 45 && geared > 5 && armature > 5 && referred > 20);
    assert_true(roots > 5 && deepest > 10);
    assert_true(soa_model_frames(m) > 20);
    soa_model_free(m);
}

/* ---- memory ------------------------------------------------------------------------- */

/* The n-th allocation fails, and those after it or it alone, for every n until all succeed. */
static void survives_lack_of_memory(void **state)
{
    static const char *const NAME[] = { "dual-arm", "hexapod", "tree:20,1", "flexible-chain:2,3" };
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof NAME / sizeof NAME[0]); i++) {
        soa_status status = SOA_E_MEMORY;
        for (int n = 0; status != SOA_OK; n++) {
            counting c;
            const soa_allocator allocator = counting_on(&c, n);
            c.once = i % 2 == 1;
            soa_model *m = NULL;
            status = soa_model_builtin(NAME[i / 2], &allocator, &m, NULL);
            assert_true(status == SOA_OK || (status == SOA_E_MEMORY && m == NULL));
            assert_int_equal(status == SOA_OK, c.refused == 0);
            soa_model_free(m);
            assert_int_equal(c.open, 0);
            assert_true(n < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_have_limits),
        cmocka_unit_test(counts),
        cmocka_unit_test(every_name_is_listed_with_a_text),
        cmocka_unit_test(refuses_wrong_names),
        cmocka_unit_test(masses_and_moments_are_physical),
        cmocka_unit_test(rods_and_boxes),
        cmocka_unit_test(gravity),
        cmocka_unit_test(neutral_says_every_number),
        cmocka_unit_test(hexapod_is_closed_at_neutral),
        cmocka_unit_test(hexapod_slides_measure_the_legs),
        cmocka_unit_test(feet_stand_on_the_ground),
        cmocka_unit_test(arms_reach),
        cmocka_unit_test(chains_hang),
        cmocka_unit_test(tree_depends_on_its_seed_alone),
        cmocka_unit_test(tree_has_every_kind),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
