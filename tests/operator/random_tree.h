/* tests/operator/random_tree.h - random trees with every kind of joint, welds, points and rotors. */
#ifndef SOA_TEST_RANDOM_TREE_H
#define SOA_TEST_RANDOM_TREE_H

#include <stdio.h>

#include "soa/soa.h"
#include "spatial/check.h"

enum { TREE_MAX_LINKS = 64, TREE_MAX_POINTS = 4 };

typedef enum tree_shape {
    TREE_BUSHY,
    TREE_CHAIN,
} tree_shape;

typedef struct tree {
    soa_model *model;
    double q[TREE_MAX_LINKS * SOA_JOINT_MAX_NQ];
    int points;
    soa_point point[TREE_MAX_POINTS];
} tree;

static inline double tree_between(unsigned long long *seed, double low, double high)
{
    return soa_random_between(seed, low, high);
}

static inline int tree_below(unsigned long long *seed, int n)
{
    return (int)(soa_random_bits(seed) % (unsigned)n);
}

static inline void tree_direction(unsigned long long *seed, double a[3])
{
    do {
        random_fill(seed, 3, a);
    } while (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] < 0.1);
}

/* Whether two directions are well apart. */
static inline bool tree_apart(const double a[3], const double b[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    return x * x + y * y + z * z > 0.01;
}

static inline soa_pose tree_pose(unsigned long long *seed)
{
    double position[3], axis[3];
    random_fill(seed, 3, position);
    for (int i = 0; i < 3; i++) {
        position[i] *= 0.4;
    }
    tree_direction(seed, axis);
    return soa_pose_from_axis_angle(position, axis, tree_between(seed, -3.0, 3.0));
}

static inline soa_inertia tree_inertia(unsigned long long *seed)
{
    const double d[3] = { tree_between(seed, 0.1, 0.3), tree_between(seed, 0.1, 0.3), tree_between(seed, 0.1, 0.3) };
    const soa_inertia principal = { .mass = tree_between(seed, 0.5, 2.0),
        .moment = { d[1] + d[2], 0.0, 0.0, d[0] + d[2], 0.0, d[0] + d[1] } };
    const soa_pose pose = tree_pose(seed);
    return soa_inertia_transform(&pose, &principal);
}

static inline soa_rotor tree_rotor(unsigned long long *seed)
{
    soa_rotor rotor = { .armature = tree_below(seed, 2) ? tree_between(seed, 0.0, 0.2) : 0.0,
        .ratio = tree_between(seed, 5.0, 20.0),
        .spin = 1e-3,
        .transverse = tree_below(seed, 2) ? 6e-4 : 0.0,
        .mass = tree_below(seed, 2) ? 0.1 : 0.0 };
    tree_direction(seed, rotor.axis);
    random_fill(seed, 3, rotor.com);
    return rotor;
}

/* A joint of any kind; every fourth link is a weld. */
static inline soa_joint tree_joint(unsigned long long *seed, bool rotors)
{
    const bool weld = tree_below(seed, 4) == 0;
    soa_joint joint = soa_joint_default(NULL, weld ? SOA_FIXED : (soa_joint_kind)(1 + tree_below(seed, 9)));
    joint.at = tree_pose(seed);
    joint.child = tree_pose(seed);
    tree_direction(seed, joint.axis);
    do {
        tree_direction(seed, joint.axis2);
    } while (!tree_apart(joint.axis, joint.axis2));
    joint.pitch = joint.kind == SOA_HELICAL ? tree_between(seed, -0.5, 0.5) : 0.0;
    joint.reference = soa_joint_kind_nq(joint.kind) == 1 ? tree_between(seed, -1.0, 1.0) : 0.0;
    joint.reversed = !weld && tree_below(seed, 3) == 0;
    if (rotors && soa_joint_kind_nv(joint.kind) == 1 && tree_below(seed, 2) == 0) {
        joint.rotor = tree_rotor(seed);
    } else if (rotors && !weld && tree_below(seed, 4) == 0) {
        joint.rotor.armature = tree_between(seed, 0.0, 0.3);
    }
    return joint;
}

/* A tree of that many links, a random q, and points: one per four links, one of them on the world. */
static inline tree tree_new(int links, tree_shape shape, bool rotors, unsigned long long seed)
{
    tree t = { .points = 1 + links / 4 < TREE_MAX_POINTS ? 1 + links / 4 : TREE_MAX_POINTS };
    soa_error error;
    soa_builder *builder = soa_builder_new(NULL);
    assert_non_null(builder);
    for (int i = 0; i < links; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        const int parent = shape == TREE_CHAIN         ? i - 1
                           : tree_below(&seed, 8) == 0 ? SOA_WORLD
                                                       : tree_below(&seed, i + 1) - 1;
        soa_link link = soa_link_default(name, parent, SOA_FIXED);
        link.joint = tree_joint(&seed, rotors);
        link.inertia = tree_inertia(&seed);
        assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    }
    if (soa_builder_finish(builder, &t.model, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(builder);
    soa_random_configuration(t.model, &seed, t.q);
    for (int i = 0; i < t.points; i++) {
        t.point[i] = (soa_point){ i == 3 ? SOA_WORLD : tree_below(&seed, links), tree_pose(&seed) };
    }
    return t;
}

#endif
