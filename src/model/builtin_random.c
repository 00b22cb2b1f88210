/* model/builtin_random.c - models of any size: a chain, and a random tree.
 *
 * The tree uses soa_random_next and exactly rounded operations only, so that it has
 * the same bits on every machine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "model/builtin.h"

#define LINK_LENGTH 0.1

int soa_kit_chain_link(soa_kit *kit, int k, soa_link *link)
{
    char link_name[SOA_KIT_NAME], joint_name[SOA_KIT_NAME];
    snprintf(link_name, sizeof link_name, "link%d", k);
    snprintf(joint_name, sizeof joint_name, "joint%d", k);
    link->name = link_name;
    link->joint.name = joint_name;
    link->joint.axis[0] = k % 2 == 0 ? 1.0 : 0.0;
    link->joint.axis[1] = k % 2 == 0 ? 0.0 : 1.0;
    link->joint.axis[2] = 0.0;
    const int number = soa_kit_link(kit, link);
    link->name = link->joint.name = NULL; /* the kit has copied them */
    return number;
}

void soa_build_chain(soa_kit *kit, const unsigned long long *argument)
{
    const soa_inertia rod = soa_rod(0.2, (double[3]){ 0.0, 0.0, -LINK_LENGTH / 2.0 }, 0.01, LINK_LENGTH);
    const int count = (int)argument[0];
    int parent = SOA_WORLD;

    for (int k = 1; k <= count && soa_ok(&kit->outcome); k++) {
        soa_link link = soa_link_default(NULL, parent, SOA_REVOLUTE);
        link.joint.at.position[2] = k == 1 ? 0.0 : -LINK_LENGTH;
        link.inertia = rod;
        parent = soa_kit_chain_link(kit, k, &link);
    }
    soa_kit_mark(kit, "", "tip", parent, (double[3]){ 0.0, 0.0, -LINK_LENGTH });
}

/* ---- random numbers ------------------------------------------------------------ */

typedef unsigned long long seed;

/* One of 0 .. n-1. */
static int pick(seed *s, int n)
{
    const int i = (int)soa_random_between(s, 0.0, (double)n);
    return i < n ? i : n - 1;
}

static bool once_in(seed *s, int n)
{
    return pick(s, n) == 0;
}

/* A vector of n numbers and length one, evenly distributed. */
static void direction(seed *s, int n, double *x)
{
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = soa_random_next(s);
            square += x[i] * x[i];
        }
    } while (square < 0.01 || square > 1.0);
    for (int i = 0; i < n; i++) {
        x[i] /= sqrt(square);
    }
}

static soa_pose random_pose(seed *s, double reach)
{
    double position[3], wxyz[4];
    for (int i = 0; i < 3; i++) {
        position[i] = reach * soa_random_next(s);
    }
    direction(s, 4, wxyz);
    return soa_pose_from_quaternion(position, wxyz);
}

/* A box of any proportions, anywhere near the origin. */
static soa_inertia random_inertia(seed *s)
{
    double size[3];
    const double mass = soa_random_between(s, 0.2, 3.0);
    for (int i = 0; i < 3; i++) {
        size[i] = soa_random_between(s, 0.05, 0.4);
    }
    const soa_pose pose = random_pose(s, 0.15);
    const soa_inertia box = soa_box(mass, (double[3]){ 0.0, 0.0, 0.0 }, size);
    return soa_inertia_transform(&pose, &box);
}

/* ---- random joints ------------------------------------------------------------- */

static const soa_joint_kind MOVING[] = { SOA_REVOLUTE, SOA_CONTINUOUS, SOA_PRISMATIC, SOA_HELICAL, SOA_UNIVERSAL,
    SOA_CYLINDRICAL, SOA_PLANAR, SOA_SPHERICAL, SOA_FREE };

#define MOVING_KINDS ((int)(sizeof MOVING / sizeof MOVING[0]))

static void shuffle(seed *s, soa_joint_kind *kind)
{
    memcpy(kind, MOVING, sizeof MOVING);
    for (int i = MOVING_KINDS - 1; i > 0; i--) {
        const int j = pick(s, i + 1);
        const soa_joint_kind k = kind[i];
        kind[i] = kind[j];
        kind[j] = k;
    }
}

/* Two directions that are not nearly parallel. */
static void random_axes(seed *s, soa_joint *joint)
{
    const double *a = joint->axis, *b = joint->axis2;
    direction(s, 3, joint->axis);
    do {
        direction(s, 3, joint->axis2);
    } while (fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > 0.9);
}

/* A random neutral position of a joint with several coordinates. */
static void random_neutral(seed *s, soa_joint *joint)
{
    const int nq = soa_joint_kind_nq(joint->kind);
    const int first = nq >= 4 ? 4 : 0;
    if (nq >= 4) {
        direction(s, 4, joint->neutral);
    }
    for (int i = first; i < nq; i++) {
        joint->neutral[i] = 0.3 * soa_random_next(s);
    }
}

static void random_limits(seed *s, soa_joint *joint)
{
    if (joint->kind == SOA_SPHERICAL) {
        joint->upper[0] = soa_random_between(s, 1.0, 3.0);
        return;
    }
    if (joint->kind == SOA_CONTINUOUS || joint->kind == SOA_FREE) {
        return;
    }
    for (int i = 0; i < soa_joint_kind_nv(joint->kind); i++) {
        joint->lower[i] = joint->reference - soa_random_between(s, 0.3, 2.0);
        joint->upper[i] = joint->reference + soa_random_between(s, 0.3, 2.0);
        joint->velocity[i] = soa_random_between(s, 1.0, 5.0);
        joint->effort[i] = soa_random_between(s, 10.0, 200.0);
    }
}

/* An armature, or a geared rotor that the parent carries. */
static void random_motor(seed *s, soa_joint *joint, int parent)
{
    soa_rotor *rotor = &joint->rotor;
    if (once_in(s, 2)) {
        rotor->armature = soa_random_between(s, 0.001, 0.05);
        return;
    }
    rotor->ratio = soa_random_between(s, 5.0, 60.0);
    rotor->spin = soa_random_between(s, 1e-5, 1e-3);
    direction(s, 3, rotor->axis);
    if (parent != SOA_WORLD && once_in(s, 2)) {
        rotor->mass = soa_random_between(s, 0.05, 0.3);
        rotor->transverse = rotor->spin * soa_random_between(s, 0.6, 2.0);
        for (int i = 0; i < 3; i++) {
            rotor->com[i] = 0.1 * soa_random_next(s);
        }
    }
}

static soa_joint random_joint(seed *s, const char *name, soa_joint_kind kind, int parent)
{
    soa_joint joint = soa_joint_default(name, kind);
    joint.at = random_pose(s, 0.4);
    if (once_in(s, 2)) {
        joint.child = random_pose(s, 0.2);
    }
    random_axes(s, &joint);
    joint.reversed = once_in(s, 5);
    if (kind == SOA_HELICAL) {
        joint.pitch = soa_random_between(s, -0.1, 0.1);
    }
    if (soa_joint_kind_nv(kind) == 1) {
        joint.reference = once_in(s, 3) ? soa_random_between(s, -0.5, 0.5) : 0.0;
        if (once_in(s, 4)) {
            random_motor(s, &joint, parent);
        }
    } else if (once_in(s, 2)) {
        random_neutral(s, &joint);
    }
    if (once_in(s, 2)) {
        random_limits(s, &joint);
    }
    return joint;
}

/* ---- random tree ---------------------------------------------------------------- */

/* A recent link, so that the tree has depth as well as branches; now and then the
 * world. */
static int random_parent(seed *s, int links)
{
    if (links == 0 || once_in(s, 20)) {
        return SOA_WORLD;
    }
    return links - 1 - pick(s, links < 12 ? links : 12);
}

static void add_extras(soa_kit *kit, seed *s, int k, int body)
{
    char name[SOA_KIT_NAME];
    if (once_in(s, 6)) {
        snprintf(name, sizeof name, "plate%d", k);
        soa_link plate = soa_link_default(name, body, SOA_FIXED);
        plate.joint.at = random_pose(s, 0.2);
        plate.inertia = random_inertia(s);
        soa_kit_link(kit, &plate);
    }
    if (once_in(s, 6)) {
        snprintf(name, sizeof name, "mark%d", k);
        soa_frame frame = soa_frame_default(name, body);
        frame.at = random_pose(s, 0.2);
        soa_kit_frame(kit, &frame);
    }
}

/* Every nine joints are one of each kind, in random order. */
void soa_build_tree(soa_kit *kit, const unsigned long long *argument)
{
    soa_joint_kind kind[MOVING_KINDS];
    seed s = argument[1];
    const int count = (int)argument[0];

    for (int k = 0; k < count && soa_ok(&kit->outcome); k++) {
        char link_name[SOA_KIT_NAME], joint_name[SOA_KIT_NAME];
        if (k % MOVING_KINDS == 0) {
            shuffle(&s, kind);
        }
        snprintf(link_name, sizeof link_name, "body%d", k + 1);
        snprintf(joint_name, sizeof joint_name, "joint%d", k + 1);
        const int parent = random_parent(&s, soa_builder_links(kit->builder));
        soa_link link = soa_link_default(link_name, parent, kind[k % MOVING_KINDS]);
        link.joint = random_joint(&s, joint_name, kind[k % MOVING_KINDS], parent);
        link.inertia = random_inertia(&s);
        add_extras(kit, &s, k + 1, soa_kit_link(kit, &link));
    }
}
