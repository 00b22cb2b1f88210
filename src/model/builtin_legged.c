/* model/builtin_legged.c - robots that walk: a free base and legs. */
#include "model/builtin.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* Placed so that at neutral the feet are on the ground, z = 0. */
static int free_base(soa_kit *kit, const char *name, double height, const soa_inertia *inertia)
{
    soa_link link = soa_link_default(name, SOA_WORLD, SOA_FREE);
    link.joint.name = "floating_base";
    link.joint.neutral[6] = height;
    link.inertia = *inertia;
    return soa_kit_link(kit, &link);
}

/* A leg of the left side; its hip sits at the origin of `at`. */
static const soa_part LEG[] = {
    { "hip", "hip_joint", -1, 'x', { 0 }, { 0 }, { -0.86, 0.86 }, 21, 24, 0.68, { 0, 0.02, 0 }, { 0.09, 0.10, 0.09 } },
    { "thigh", "thigh_joint", 0, 'y', { 0, 0.095, 0 }, { 0 }, { -0.8, 3.4 }, 21, 24, 1.15, { -0.004, -0.01, -0.03 },
        { 0.06, 0.05, 0.22 } },
    { "calf", "calf_joint", 1, 'y', { 0, 0, -0.213 }, { 0 }, { -2.7, 0.0 }, 15, 45, 0.25, { 0, 0, -0.12 },
        { 0.025, 0.025, 0.22 } },
};

static void add_leg(soa_kit *kit, const char *prefix, int trunk, double x, double side)
{
    soa_part leg[COUNT(LEG)];
    for (int i = 0; i < COUNT(LEG); i++) {
        leg[i] = LEG[i];
    }
    leg[0].at[0] = x;
    leg[0].at[1] = 0.047;
    leg[0].com[0] = x > 0.0 ? -0.005 : 0.005;
    const int hip = soa_kit_parts(kit, leg, COUNT(leg), prefix, trunk, side);
    soa_kit_mark(kit, prefix, "foot", hip + 2, (double[3]){ 0.0, 0.0, -0.213 });
}

void soa_build_quadruped(soa_kit *kit, const unsigned long long *argument)
{
    const soa_inertia trunk = soa_box(6.9, (double[3]){ 0.02, 0.0, -0.005 }, (double[3]){ 0.38, 0.16, 0.11 });
    const double stand[19] = { 1, 0, 0, 0, 0, 0, 0.312, /* legs: */ 0, 0.75, -1.5, 0, 0.75, -1.5, 0, 0.75, -1.5, 0,
        0.75, -1.5 };
    (void)argument;
    const int base = free_base(kit, "trunk", 0.426, &trunk);
    add_leg(kit, "FL_", base, 0.19, 1.0);
    add_leg(kit, "FR_", base, 0.19, -1.0);
    add_leg(kit, "RL_", base, -0.19, 1.0);
    add_leg(kit, "RR_", base, -0.19, -1.0);
    soa_kit_mark(kit, "", "imu", base, (double[3]){ -0.02, 0.0, 0.04 });
    soa_kit_configuration(kit, "stand", 19, stand, 18, NULL);
}

/* x forward, y to the left, z up; standing upright with hanging arms at q = 0. */
static const soa_part UPPER_BODY[] = {
    { "waist", "waist_yaw", -1, 'z', { 0, 0, 0.10 }, { 0 }, { -1.2, 1.2 }, 6, 150, 1.5, { 0, 0, 0.03 },
        { 0.16, 0.20, 0.08 } },
    { "torso", "waist_pitch", 0, 'y', { 0, 0, 0.06 }, { 0 }, { -0.4, 1.0 }, 6, 150, 17.5, { 0.01, 0, 0.19 },
        { 0.20, 0.30, 0.42 } },
    { "neck", "neck_yaw", 1, 'z', { 0, 0, 0.42 }, { 0 }, { -1.4, 1.4 }, 8, 10, 1.0, { 0, 0, 0.04 },
        { 0.08, 0.08, 0.10 } },
    { "head", "neck_pitch", 2, 'y', { 0, 0, 0.08 }, { 0 }, { -0.6, 0.8 }, 8, 10, 4.0, { 0.02, 0, 0.10 },
        { 0.20, 0.16, 0.24 } },
};

static const soa_part HUMAN_ARM[] = {
    { "shoulder", "shoulder_pitch", -1, 'y', { 0, 0.18, 0.38 }, { 0 }, { -3.0, 1.5 }, 8, 80, 0.8, { 0, 0.03, 0 },
        { 0.09, 0.10, 0.09 } },
    { "shoulder_yoke", "shoulder_roll", 0, 'x', { 0, 0.05, 0 }, { 0 }, { -0.3, 2.8 }, 8, 80, 0.6, { 0, 0.01, -0.03 },
        { 0.08, 0.08, 0.10 } },
    { "upper_arm", "shoulder_yaw", 1, 'z', { 0, 0.01, -0.08 }, { 0 }, { -1.8, 1.8 }, 8, 60, 1.5, { 0, 0, -0.11 },
        { 0.08, 0.08, 0.24 } },
    { "forearm", "elbow", 2, 'y', { 0, 0, -0.22 }, { 0 }, { -2.5, 0.0 }, 8, 60, 1.1, { 0, 0, -0.09 },
        { 0.07, 0.07, 0.20 } },
    { "wrist", "wrist_yaw", 3, 'z', { 0, 0, -0.19 }, { 0 }, { -1.8, 1.8 }, 10, 20, 0.3, { 0, 0, -0.02 },
        { 0.05, 0.05, 0.06 } },
    { "wrist_yoke", "wrist_pitch", 4, 'y', { 0, 0, -0.05 }, { 0 }, { -1.2, 1.2 }, 10, 20, 0.2, { 0, 0, -0.01 },
        { 0.04, 0.05, 0.04 } },
    { "palm", "wrist_roll", 5, 'x', { 0, 0, -0.02 }, { 0 }, { -0.9, 0.9 }, 10, 20, 0.5, { 0.01, 0, -0.06 },
        { 0.05, 0.09, 0.14 } },
};

static const soa_part HUMAN_LEG[] = {
    { "hip", "hip_yaw", -1, 'z', { 0, 0.09, -0.05 }, { 0 }, { -1.0, 1.0 }, 8, 150, 1.0, { 0, 0, -0.02 },
        { 0.12, 0.11, 0.09 } },
    { "hip_yoke", "hip_roll", 0, 'x', { 0, 0, -0.05 }, { 0 }, { -0.5, 0.9 }, 8, 150, 1.0, { 0, 0.01, 0 },
        { 0.12, 0.10, 0.10 } },
    { "thigh", "hip_pitch", 1, 'y', { 0, 0, 0 }, { 0 }, { -2.2, 0.7 }, 10, 250, 6.5, { 0.01, 0, -0.17 },
        { 0.14, 0.13, 0.38 } },
    { "shin", "knee", 2, 'y', { 0, 0, -0.40 }, { 0 }, { 0.0, 2.5 }, 10, 250, 3.2, { 0, 0, -0.17 },
        { 0.10, 0.10, 0.38 } },
    { "ankle", "ankle_pitch", 3, 'y', { 0, 0, -0.40 }, { 0 }, { -1.1, 0.9 }, 8, 150, 0.3, { 0, 0, 0 },
        { 0.06, 0.06, 0.05 } },
    { "sole", "ankle_roll", 4, 'x', { 0, 0, 0 }, { 0 }, { -0.4, 0.4 }, 8, 100, 1.0, { 0.04, 0, -0.05 },
        { 0.24, 0.10, 0.06 } },
};

static void add_human_side(soa_kit *kit, const char *prefix, int pelvis, int torso, double side)
{
    const int arm = soa_kit_parts(kit, HUMAN_ARM, COUNT(HUMAN_ARM), prefix, torso, side);
    const int leg = soa_kit_parts(kit, HUMAN_LEG, COUNT(HUMAN_LEG), prefix, pelvis, side);
    soa_kit_mark(kit, prefix, "hand", arm + 6, (double[3]){ 0.0, 0.0, -0.10 });
    soa_kit_mark(kit, prefix, "foot", leg + 5, (double[3]){ 0.0, 0.0, -0.08 });
}

void soa_build_humanoid(soa_kit *kit, const unsigned long long *argument)
{
    const soa_inertia pelvis = soa_box(10.0, (double[3]){ 0.0, 0.0, 0.02 }, (double[3]){ 0.18, 0.28, 0.18 });
    (void)argument;
    const int base = free_base(kit, "pelvis", 0.98, &pelvis);
    const int waist = soa_kit_parts(kit, UPPER_BODY, COUNT(UPPER_BODY), "", base, 1.0);
    add_human_side(kit, "left_", base, waist + 1, 1.0);
    add_human_side(kit, "right_", base, waist + 1, -1.0);
    soa_kit_mark(kit, "", "eyes", waist + 3, (double[3]){ 0.10, 0.0, 0.12 });
}
