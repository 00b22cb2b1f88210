/* tests/bits/models.c - models and random numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "flex/particle_tree.h"

/* Stands behind arrays and results. */
#define BEHIND 0x1.2345p-67

/* ---- numbers ------------------------------------------------------------------------------------ */

void bits_fail(const char *text)
{
    (void)fprintf(stderr, "soa_bits: %s\n", text);
    exit(1);
}

double *bits_numbers(size_t n)
{
    double *x = calloc(n + 2, sizeof *x);
    if (!x) {
        bits_fail("out of memory");
    }
    x[0] = (double)n;
    x[n + 1] = BEHIND;
    return x + 1;
}

void bits_free(double *x)
{
    if (x && x[(size_t)x[-1]] != BEHIND) {
        bits_fail("numbers were written behind an array");
    }
    free(x ? x - 1 : NULL);
}

double bits_mark(double *x)
{
    const double kept = *x;
    *x = BEHIND;
    return kept;
}

void bits_unmark(double *x, double kept)
{
    if (*x != BEHIND) {
        bits_fail("numbers were written behind a result");
    }
    *x = kept;
}

void bits_random(unsigned long long *seed, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = soa_model_random_number(seed);
    }
}

soa_pose bits_pose(unsigned long long *seed, double far)
{
    double x[7];
    bits_random(seed, 7, x);
    for (int i = 0; i < 3; i++) {
        x[i] *= far;
    }
    x[3] += 1.5;
    return soa_pose_from_quaternion(x, x + 3);
}

void bits_points(const soa_model *model, unsigned long long *seed, int points, soa_point *point)
{
    for (int i = 0; i < points; i++) {
        point[i].link = (int)((soa_model_random_number(seed) + 1.0) / 2.0 * soa_model_links(model));
        point[i].at = bits_pose(seed, 1.0);
        const soa_flexible *flexible = soa_model_link(model, point[i].link)->flexible;
        point[i].node = flexible && i > 0 ? flexible->nodes : SOA_LINK_FRAME;
    }
}

/* ---- models --------------------------------------------------------------------------------------- */

/* arm7 with its last but one joint coupled to another. */
static void coupled_arm(soa_builder *b)
{
    soa_model *arm = bits_model("arm7");
    const soa_pose here = soa_pose_identity();
    (void)soa_builder_attach(b, arm, NULL, SOA_WORLD, &here, NULL);
    const int links = soa_builder_links(b);
    const soa_coupling c = { .name = "c", .link = links - 2, .driver = links - 4, .coefficient = { 0.1, 0.5, 0.2 } };
    (void)soa_builder_add_coupling(b, &c, NULL, NULL);
    soa_model_free(arm);
}

static soa_inertia some_inertia(unsigned long long *seed)
{
    const soa_pose pose = bits_pose(seed, 0.1);
    const soa_inertia box = { 1.5, { 0.1, 0.0, -0.2 }, { 0.03, 0.0, 0.0, 0.04, 0.0, 0.05 } };
    return soa_inertia_transform(&pose, &box);
}

/* Links that trees of random numbers have not: axes along those of frames and against them, joints of links without mass,
 * links welded to the world and to each other, springs and friction at joints, and links added before their parents. */
static void odd_links(soa_builder *b)
{
    static const double AXIS[6][3] = { { 1.0 }, { 0.0, 1.0 }, { 0.0, 0.0, 1.0 }, { -2.0 }, { 0.0, -1.0 },
        { 0.0, 0.0, -1e-3 } };
    static const soa_joint_kind KIND[] = { SOA_FIXED, SOA_REVOLUTE, SOA_PRISMATIC, SOA_HELICAL, SOA_FIXED,
        SOA_CONTINUOUS, SOA_UNIVERSAL, SOA_CYLINDRICAL, SOA_REVOLUTE, SOA_PLANAR, SOA_REVOLUTE, SOA_SPHERICAL,
        SOA_REVOLUTE, SOA_PRISMATIC, SOA_FREE };
    enum { ODD = sizeof KIND / sizeof KIND[0] };
    unsigned long long seed = 3;
    for (int i = 0; i < ODD; i++) {
        char name[8], joint[8];
        (void)snprintf(name, sizeof name, "l%d", i);
        (void)snprintf(joint, sizeof joint, "j%d", i);
        soa_link link = soa_link_default(name, i < 2 ? i - 1 : i == 8 ? 1 : i - 1, KIND[i]);
        link.joint.name = joint;
        memcpy(link.joint.axis, AXIS[i % 6], sizeof link.joint.axis);
        memcpy(link.joint.axis2, AXIS[(i + 1) % 6], sizeof link.joint.axis2);
        link.joint.pitch = 0.02, link.joint.reversed = i % 4 == 3;
        link.joint.at = i % 3 == 0 ? soa_pose_identity() : bits_pose(&seed, 0.3);
        link.joint.at.position[0] += 0.2;
        link.joint.damping = 0.1 * i, link.joint.stiffness = soa_joint_kind_nv(KIND[i]) == 1 ? i % 2 : 0.0,
        link.joint.friction = i % 5 == 1 ? 0.3 : 0.0;
        link.joint.rotor.armature = i % 2 == 1 || KIND[i] == SOA_FREE ? 0.01 : 0.0;
        if (i != 10) {
            link.inertia = some_inertia(&seed);
        }
        (void)soa_builder_add_link(b, &link, NULL, NULL);
    }
}

static int ladder_bar(soa_builder *b, int parent, double x, double z, bool rung)
{
    char name[16];
    int index = -1;
    (void)snprintf(name, sizeof name, "bar%d", soa_builder_links(b));
    soa_link link = soa_link_default(name, parent, SOA_REVOLUTE);
    link.joint.name = name;
    link.joint.axis[1] = 1.0, link.joint.axis[2] = 0.0;
    link.joint.at.position[0] = x, link.joint.at.position[2] = z;
    link.joint.stiffness = rung ? 2.0 : 0.0, link.joint.damping = 0.1;
    link.inertia =
        (soa_inertia){ 1.0, { rung ? 0.3 : 0.0, 0.0, rung ? 0.0 : 0.25 }, { 0.05, 0.0, 0.0, 0.06, 0.0, 0.05 } };
    (void)soa_builder_add_link(b, &link, &index, NULL);
    return index;
}

/* Two rails in a plane, joined by rungs; closures of the kind join rungs and rails. One bay is a four-bar linkage. */
static void ladder(soa_builder *b, int bays, soa_closure_kind pin)
{
    int left = SOA_WORLD, right = SOA_WORLD;
    for (int i = 0; i < bays; i++) {
        left = ladder_bar(b, left, 0.0, i == 0 ? 0.0 : 0.5, false);
        right = ladder_bar(b, right, i == 0 ? 0.6 : 0.0, i == 0 ? 0.0 : 0.5, false);
        const int rung = ladder_bar(b, left, 0.0, 0.5, true);
        soa_closure c = soa_closure_default("pin", pin, rung, right);
        const double half = 0.70710678118654757, turn[4] = { half, -half, 0.0, 0.0 };
        c.at_a = soa_pose_from_quaternion((double[3]){ 0.6, 0.0, 0.0 }, turn);
        c.at_b = soa_pose_from_quaternion((double[3]){ 0.0, 0.0, 0.5 }, turn);
        c.rows = 2, c.Q[0][3] = c.Q[1][4] = 1.0;
        (void)soa_builder_add_closure(b, &c, NULL, NULL);
    }
}

/* A built-in model, or coupled-arm, odd, ladder:BAYS,KIND, particles:SEED (flexible links, made of particles). */
soa_model *bits_model(const char *name)
{
    const double g[3] = { 1.0, -2.0, -9.0 };
    soa_error error = { .text = "" };
    soa_model *model = NULL;
    if (strchr("col", name[0]) && strncmp(name, "chain", 5) != 0) {
        soa_builder *b = soa_builder_new(NULL);
        soa_builder_set_gravity(b, g);
        if (name[0] == 'l') {
            ladder(b, atoi(strchr(name, ':') + 1), (soa_closure_kind)atoi(strchr(name, ',') + 1));
        } else {
            (name[0] == 'o' ? odd_links : coupled_arm)(b);
        }
        (void)soa_builder_finish(b, &model, &error);
        soa_builder_free(b);
    } else if (strncmp(name, "particles:", 10) == 0) {
        const unsigned long long seed = strtoull(name + 10, NULL, 10);
        model = tree_make(seed, seed % 3 == 0, 20.0).model;
    } else {
        (void)soa_model_builtin(name, NULL, &model, &error);
    }
    if (!model) {
        bits_fail(error.text);
    }
    return model;
}
