/* tests/bits/models.c - models and random numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

/* ---- numbers ------------------------------------------------------------------------------------ */

void bits_fail(const char *text)
{
    (void)fprintf(stderr, "soa_bits: %s\n", text);
    exit(1);
}

double *bits_numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (!x) {
        bits_fail("out of memory");
    }
    return x;
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
        SOA_REVOLUTE, SOA_PRISMATIC };
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
        link.joint.damping = 0.1 * i, link.joint.stiffness = i % 2, link.joint.friction = i % 5 == 1 ? 0.3 : 0.0;
        link.joint.rotor.armature = i % 5 == 2 ? 0.01 : 0.0;
        if (i != 10) {
            link.inertia = some_inertia(&seed);
        }
        (void)soa_builder_add_link(b, &link, NULL, NULL);
    }
}

soa_model *bits_model(const char *name)
{
    soa_error error = { .text = "" };
    soa_model *model = NULL;
    const double g[3] = { 0.0, 0.0, -9.81 }, odd_g[3] = { 1.0, -2.0, 9.0 };
    const bool coupled = strcmp(name, "coupled-arm") == 0, odd = strcmp(name, "odd") == 0;
    if (coupled || odd) {
        soa_builder *b = soa_builder_new(NULL);
        soa_builder_set_gravity(b, odd ? odd_g : g);
        (odd ? odd_links : coupled_arm)(b);
        (void)soa_builder_finish(b, &model, &error);
        soa_builder_free(b);
    } else {
        (void)soa_model_builtin(name, NULL, &model, &error);
    }
    if (!model) {
        bits_fail(error.text);
    }
    return model;
}
