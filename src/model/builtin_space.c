/* model/builtin_space.c - a satellite with folding arrays, and a Stewart platform. */
#include <math.h>
#include <stdio.h>

#include "model/builtin.h"

/* ---- satellite ------------------------------------------------------------------ */

/* The drive turns the array about its boom (y); the hinge between the panels folds
 * about x and is held open by a spring. side: +1 or -1 along y. */
static void add_array(soa_kit *kit, const char *prefix, int bus, double side)
{
    char link_name[SOA_KIT_NAME], joint_name[SOA_KIT_NAME];
    const double size[3] = { 1.6, 2.0, 0.025 };

    snprintf(link_name, sizeof link_name, "%s_inner_panel", prefix);
    snprintf(joint_name, sizeof joint_name, "%s_drive", prefix);
    soa_link inner = soa_link_default(link_name, bus, SOA_CONTINUOUS);
    inner.joint.name = joint_name;
    inner.joint.at.position[1] = side * 0.8;
    inner.joint.axis[1] = side;
    inner.joint.axis[2] = 0.0;
    inner.joint.velocity[0] = 0.02;
    inner.joint.effort[0] = 20.0;
    inner.inertia = soa_box(14.0, (double[3]){ 0.0, side * 1.4, 0.0 }, size);
    const int panel = soa_kit_link(kit, &inner);

    snprintf(link_name, sizeof link_name, "%s_outer_panel", prefix);
    snprintf(joint_name, sizeof joint_name, "%s_hinge", prefix);
    soa_link outer = soa_link_default(link_name, panel, SOA_REVOLUTE);
    outer.joint.name = joint_name;
    outer.joint.at.position[1] = side * 2.42;
    outer.joint.axis[0] = side;
    outer.joint.axis[2] = 0.0;
    outer.joint.lower[0] = -0.05;
    outer.joint.upper[0] = 3.1;
    outer.joint.stiffness = 35.0;
    outer.joint.damping = 0.6;
    outer.inertia = soa_box(11.0, (double[3]){ 0.0, side * 1.0, 0.0 }, size);
    soa_kit_link(kit, &outer);
}

void soa_build_satellite(soa_kit *kit, const unsigned long long *argument)
{
    soa_link bus = soa_link_default("bus", SOA_WORLD, SOA_FREE);
    (void)argument;
    bus.joint.name = "orbit";
    bus.inertia = soa_box(780.0, (double[3]){ 0.0, 0.0, 0.1 }, (double[3]){ 1.5, 1.5, 2.2 });
    const int link = soa_kit_link(kit, &bus);
    add_array(kit, "north", link, 1.0);
    add_array(kit, "south", link, -1.0);
    soa_kit_mark(kit, "", "antenna", link, (double[3]){ 0.0, 0.0, 1.3 });
    soa_builder_set_gravity(kit->builder, (double[3]){ 0.0, 0.0, 0.0 });
}

/* ---- hexapod -------------------------------------------------------------------- */

#define BASE_RADIUS     0.50
#define PLATFORM_RADIUS 0.30
#define HEIGHT          0.70
#define DEGREE          0.017453292519943295

/* Feet stand in pairs near 0, 120 and 240 degrees, heads in pairs near 60, 180 and
 * 300: leg i of a pair leans the other way round than its neighbour. */
static void leg_ends(int leg, double foot[3], double head[3])
{
    const int pair = leg / 2;
    const double lean = leg % 2 == 0 ? -1.0 : 1.0;
    const double foot_angle = (120.0 * pair + lean * 10.0) * DEGREE;
    const double head_angle = (120.0 * pair + lean * 50.0) * DEGREE;
    foot[0] = BASE_RADIUS * cos(foot_angle);
    foot[1] = BASE_RADIUS * sin(foot_angle);
    foot[2] = 0.05;
    head[0] = PLATFORM_RADIUS * cos(head_angle);
    head[1] = PLATFORM_RADIUS * sin(head_angle);
    head[2] = -0.03;
}

/* A frame at `position` whose z points along `direction`, x level. */
static soa_pose frame_along(const double position[3], const double direction[3])
{
    const double *z = direction;
    const double level = sqrt(z[0] * z[0] + z[1] * z[1]);
    const double x[3] = { -z[1] / level, z[0] / level, 0.0 };
    const double y[3] = { z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0] };
    soa_pose pose = soa_pose_identity();
    for (int i = 0; i < 3; i++) {
        pose.rotation[i][0] = x[i];
        pose.rotation[i][1] = y[i];
        pose.rotation[i][2] = z[i];
        pose.position[i] = position[i];
    }
    return pose;
}

/* The cylinder turns on the base in a universal joint; the coordinate of the
 * slide is the length of the leg. Returns the rod, whose origin is its head. */
static int add_strut(soa_kit *kit, int leg, int base, const soa_pose *foot, double length)
{
    char link_name[SOA_KIT_NAME], joint_name[SOA_KIT_NAME];

    snprintf(link_name, sizeof link_name, "cylinder%d", leg + 1);
    snprintf(joint_name, sizeof joint_name, "gimbal%d", leg + 1);
    soa_link cylinder = soa_link_default(link_name, base, SOA_UNIVERSAL);
    cylinder.joint.name = joint_name;
    cylinder.joint.at = *foot;
    for (int i = 0; i < 3; i++) {
        cylinder.joint.axis[i] = i == 0 ? 1.0 : 0.0;
        cylinder.joint.axis2[i] = i == 1 ? 1.0 : 0.0;
    }
    cylinder.inertia = soa_rod(3.0, (double[3]){ 0.0, 0.0, 0.2 }, 0.035, 0.4);
    const int lower = soa_kit_link(kit, &cylinder);

    snprintf(link_name, sizeof link_name, "rod%d", leg + 1);
    snprintf(joint_name, sizeof joint_name, "slide%d", leg + 1);
    soa_link rod = soa_link_default(link_name, lower, SOA_PRISMATIC);
    rod.joint.name = joint_name;
    rod.joint.at.position[2] = length;
    rod.joint.reference = length;
    rod.joint.lower[0] = length - 0.15;
    rod.joint.upper[0] = length + 0.15;
    rod.joint.velocity[0] = 0.8;
    rod.joint.effort[0] = 2000.0;
    rod.inertia = soa_rod(1.2, (double[3]){ 0.0, 0.0, -0.2 }, 0.015, 0.4);
    return soa_kit_link(kit, &rod);
}

static void add_hexapod_leg(soa_kit *kit, int leg, int base, int platform)
{
    char name[SOA_KIT_NAME];
    double foot[3], head[3], direction[3];
    leg_ends(leg, foot, head);
    for (int i = 0; i < 3; i++) {
        direction[i] = head[i] + (i == 2 ? HEIGHT : 0.0) - foot[i];
    }
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (int i = 0; i < 3; i++) {
        direction[i] /= length;
    }
    const soa_pose at = frame_along(foot, direction);
    const int rod = add_strut(kit, leg, base, &at, length);

    snprintf(name, sizeof name, "ball%d", leg + 1);
    soa_closure ball = soa_closure_default(name, SOA_CLOSE_SPHERICAL, rod, platform);
    for (int i = 0; i < 3; i++) {
        ball.at_b.position[i] = head[i];
    }
    soa_kit_closure(kit, &ball);
}

/* The platform is free in the tree, its q the pose in the world; six ball joints tie it to the legs, which
 * leaves 24 - 18 = 6 degrees of freedom. */
void soa_build_hexapod(soa_kit *kit, const unsigned long long *argument)
{
    const double origin[3] = { 0.0, 0.0, 0.0 };
    const soa_inertia plate = soa_rod(40.0, (double[3]){ 0.0, 0.0, 0.025 }, BASE_RADIUS + 0.05, 0.05);
    soa_link platform = soa_link_default("platform", SOA_WORLD, SOA_FREE);
    (void)argument;
    platform.joint.name = "platform_pose";
    platform.joint.neutral[6] = HEIGHT;
    platform.inertia = soa_rod(12.0, origin, PLATFORM_RADIUS + 0.04, 0.04);

    const int base = soa_kit_weld(kit, "base", SOA_WORLD, origin, &plate);
    const int top = soa_kit_link(kit, &platform);
    for (int leg = 0; leg < 6; leg++) {
        add_hexapod_leg(kit, leg, base, top);
    }
    soa_kit_mark(kit, "", "table", top, (double[3]){ 0.0, 0.0, 0.02 });
}
