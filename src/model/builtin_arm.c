/* model/builtin_arm.c - pendulums and arms on a fixed base. */
#include "model/builtin.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define QUARTER      1.5707963267948966

/* A rod that hangs down from an axis along y. */
static soa_link swinging_rod(const char *name, const char *joint, int parent, double mass, double length)
{
    soa_link link = soa_link_default(name, parent, SOA_REVOLUTE);
    link.joint.name = joint;
    link.joint.axis[0] = 0.0;
    link.joint.axis[1] = 1.0;
    link.joint.axis[2] = 0.0;
    link.inertia = soa_rod(mass, (double[3]){ 0.0, 0.0, -length / 2.0 }, 0.01, length);
    return link;
}

void soa_build_pendulum(soa_kit *kit, const unsigned long long *argument)
{
    (void)argument;
    const soa_link rod = swinging_rod("rod", "pivot", SOA_WORLD, 1.0, 1.0);
    const int link = soa_kit_link(kit, &rod);
    soa_kit_mark(kit, "", "tip", link, (double[3]){ 0.0, 0.0, -1.0 });
}

void soa_build_double_pendulum(soa_kit *kit, const unsigned long long *argument)
{
    (void)argument;
    const soa_link upper = swinging_rod("upper", "shoulder", SOA_WORLD, 1.0, 0.5);
    const int first = soa_kit_link(kit, &upper);
    soa_link lower = swinging_rod("lower", "elbow", first, 0.8, 0.4);
    lower.joint.at.position[2] = -0.5;
    const int second = soa_kit_link(kit, &lower);
    soa_kit_mark(kit, "", "tip", second, (double[3]){ 0.0, 0.0, -0.4 });
}

/* Every joint turns about its own z, as in a table of Denavit and Hartenberg; at
 * q = 0 the arm is stretched out along x. */
static const soa_part ARM6[] = {
    { "base", NULL, -1, 'w', { 0 }, { 0 }, { 0 }, 0, 0, 4.2, { 0, 0, 0.04 }, { 0.15, 0.15, 0.10 } },
    { "shoulder", "shoulder_pan", 0, 'z', { 0, 0, 0.16 }, { 0 }, { -6.28, 6.28 }, 3.14, 150, 3.9, { 0, 0.02, 0 },
        { 0.13, 0.16, 0.15 } },
    { "upper_arm", "shoulder_lift", 1, 'z', { 0, 0.135, 0 }, { -QUARTER, 0, 0 }, { -6.28, 6.28 }, 3.14, 150, 8.2,
        { 0.21, 0, 0 }, { 0.55, 0.11, 0.11 } },
    { "forearm", "elbow", 2, 'z', { 0.43, 0, -0.12 }, { 0 }, { -3.14, 3.14 }, 3.14, 150, 2.4, { 0.18, 0, 0 },
        { 0.45, 0.09, 0.09 } },
    { "wrist1", "wrist_1", 3, 'z', { 0.39, 0, 0 }, { 0 }, { -6.28, 6.28 }, 3.14, 28, 1.3, { 0, 0, 0.09 },
        { 0.08, 0.09, 0.12 } },
    { "wrist2", "wrist_2", 4, 'z', { 0, 0, 0.11 }, { -QUARTER, 0, 0 }, { -6.28, 6.28 }, 3.14, 28, 1.3, { 0, 0, 0.08 },
        { 0.08, 0.09, 0.12 } },
    { "wrist3", "wrist_3", 5, 'z', { 0, 0, 0.095 }, { QUARTER, 0, 0 }, { -6.28, 6.28 }, 3.14, 28, 0.25, { 0, 0, 0.06 },
        { 0.075, 0.075, 0.04 } },
};

void soa_build_arm6(soa_kit *kit, const unsigned long long *argument)
{
    const double home[] = { 0.0, -1.57, 1.57, -1.57, -1.57, 0.0 };
    (void)argument;
    const int first = soa_kit_parts(kit, ARM6, COUNT(ARM6), "", SOA_WORLD, 1.0);
    soa_kit_mark(kit, "", "tool", first + 6, (double[3]){ 0.0, 0.0, 0.08 });
    soa_kit_configuration(kit, "home", 6, home, 6, NULL);
}

/* All frames are parallel at q = 0, where the arm stands upright. */
static const soa_part ARM7[] = {
    { "base", NULL, -1, 'w', { 0 }, { 0 }, { 0 }, 0, 0, 5.0, { -0.01, 0, 0.07 }, { 0.20, 0.17, 0.15 } },
    { "link1", "joint1", 0, 'z', { 0, 0, 0.16 }, { 0 }, { -2.96, 2.96 }, 1.5, 300, 4.5, { 0, -0.03, 0.12 },
        { 0.13, 0.16, 0.26 } },
    { "link2", "joint2", 1, 'y', { 0, 0, 0.20 }, { 0 }, { -2.09, 2.09 }, 1.5, 300, 4.2, { 0, 0.04, 0.06 },
        { 0.13, 0.15, 0.25 } },
    { "link3", "joint3", 2, 'z', { 0, 0, 0.21 }, { 0 }, { -2.96, 2.96 }, 1.75, 170, 3.4, { 0, 0.03, 0.13 },
        { 0.12, 0.15, 0.25 } },
    { "link4", "joint4", 3, 'y', { 0, 0, 0.19 }, { 0 }, { -2.09, 2.09 }, 1.3, 170, 3.1, { 0, -0.03, 0.07 },
        { 0.12, 0.14, 0.24 } },
    { "link5", "joint5", 4, 'z', { 0, 0, 0.20 }, { 0 }, { -2.96, 2.96 }, 2.2, 110, 2.2, { 0, -0.02, 0.08 },
        { 0.11, 0.12, 0.24 } },
    { "link6", "joint6", 5, 'y', { 0, 0, 0.19 }, { 0 }, { -2.09, 2.09 }, 2.3, 40, 2.0, { 0, -0.01, 0.01 },
        { 0.10, 0.13, 0.16 } },
    { "link7", "joint7", 6, 'z', { 0, 0, 0.085 }, { 0 }, { -3.05, 3.05 }, 2.4, 40, 0.6, { 0, 0, 0.015 },
        { 0.09, 0.09, 0.05 } },
};

void soa_build_arm7(soa_kit *kit, const unsigned long long *argument)
{
    const double home[] = { 0.0, 0.5, 0.0, 1.4, 0.0, 1.2, 0.0 };
    (void)argument;
    const int first = soa_kit_parts(kit, ARM7, COUNT(ARM7), "", SOA_WORLD, 1.0);
    soa_kit_mark(kit, "", "tool", first + 7, (double[3]){ 0.0, 0.0, 0.045 });
    soa_kit_configuration(kit, "home", 7, home, 7, NULL);
}

static const soa_part TORSO[] = {
    { "pedestal", NULL, -1, 'w', { 0 }, { 0 }, { 0 }, 0, 0, 60.0, { 0, 0, 0.3 }, { 0.6, 0.6, 0.6 } },
    { "torso", "waist", 0, 'z', { 0, 0, 0.7 }, { 0 }, { -1.5, 1.5 }, 1.0, 400, 25.0, { 0.02, 0, 0.25 },
        { 0.25, 0.35, 0.55 } },
};

/* The shoulders point outward and a little forward and up. */
void soa_build_dual_arm(soa_kit *kit, const unsigned long long *argument)
{
    const soa_pose left = soa_pose_from_rpy((double[3]){ 0.05, 0.20, 0.45 }, (double[3]){ -QUARTER + 0.3, 0.2, 0.0 });
    const soa_pose right = soa_pose_from_rpy((double[3]){ 0.05, -0.20, 0.45 }, (double[3]){ QUARTER - 0.3, 0.2, 0.0 });
    (void)argument;
    const int first = soa_kit_parts(kit, TORSO, COUNT(TORSO), "", SOA_WORLD, 1.0);
    soa_kit_attach(kit, "arm7", "left", first + 1, &left);
    soa_kit_attach(kit, "arm7", "right", first + 1, &right);
    soa_kit_mark(kit, "", "head", first + 1, (double[3]){ 0.05, 0.0, 0.6 });
}
