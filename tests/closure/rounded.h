/* tests/closure/rounded.h - over-constrained mechanisms, exact and as a file with few digits has them.
 *
 * Loops whose axes are parallel, or meet in a point, closed by joints that hold more than such loops leave free. Every
 * axis is drawn in the world where the loop is closed, so q = 0 satisfies all closures; then each pose is taken relative to
 * its parent and written as xyz and rpy. */
#ifndef SOA_TESTS_CLOSURE_ROUNDED_H
#define SOA_TESTS_CLOSURE_ROUNDED_H

#include "closure/kit.h"

enum { MOST_LOOPS = 4, MOST_BARS = 5, EXACT_DIGITS = 99 };

/* Frames in the world: of the joints of each loop, then of its closure. z is the axis. */
typedef struct drawn_loop {
    bool meets, slides; /* axes meet in a point; one joint of parallel ones slides across them */
    int bars, on;       /* joints; the link that carries it and to which it closes, or the world */
    soa_closure_kind kind;
    soa_pose frame[MOST_BARS + 1];
} drawn_loop;

typedef struct drawing {
    int loops;
    drawn_loop loop[MOST_LOOPS];
    double mass[MOST_LOOPS * MOST_BARS];
} drawing;

static inline void unit_vector(closed_kit *kit, double n[3])
{
    double length = 0.0;
    while (!(length > 0.3 && length < 1.0)) {
        for (int i = 0; i < 3; i++) {
            n[i] = some(kit);
        }
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    for (int i = 0; i < 3; i++) {
        n[i] /= length;
    }
}

/* A pose at p whose z is n, turned about it somehow. */
static inline soa_pose axis_pose(closed_kit *kit, const double p[3], const double n[3])
{
    const double zero[3] = { 0.0, 0.0, 0.0 }, z[3] = { 0.0, 0.0, 1.0 };
    const double across[3] = { -n[1], n[0], 0.0 }, sine = hypot(n[0], n[1]);
    const double x[3] = { 1.0, 0.0, 0.0 };
    const soa_pose tilt = soa_pose_from_axis_angle(p, sine > 1e-9 ? across : x, atan2(sine, n[2]));
    const soa_pose turn = soa_pose_from_axis_angle(zero, z, 3.0 * some(kit));
    return soa_pose_compose(&tilt, &turn);
}

static inline void draw_loop(closed_kit *kit, int links, drawn_loop *loop)
{
    static const soa_closure_kind kinds[] = { SOA_CLOSE_REVOLUTE, SOA_CLOSE_SPHERICAL, SOA_CLOSE_CYLINDRICAL,
        SOA_CLOSE_RIGID };
    double n[3], middle[3];
    loop->meets = some(kit) > 0.4;
    loop->slides = !loop->meets && some(kit) > 0.5;
    loop->kind = loop->meets ? SOA_CLOSE_REVOLUTE : kinds[some_of(kit, 4)];
    loop->bars = 3 + some_of(kit, 2) + (loop->kind == SOA_CLOSE_RIGID);
    loop->on = links > 0 && some(kit) > 0.0 ? some_of(kit, links) : SOA_WORLD;
    unit_vector(kit, n);
    for (int i = 0; i < 3; i++) {
        middle[i] = some(kit);
    }
    for (int i = 0; i <= loop->bars; i++) {
        double p[3], axis[3];
        const double off = some(kit);
        unit_vector(kit, axis);
        for (int k = 0; k < 3; k++) {
            p[k] = loop->meets ? middle[k] + (0.5 + 0.5 * fabs(off)) * axis[k] : middle[k] + some(kit);
        }
        if (loop->slides && i == 1) { /* a slide at right angles to the axes */
            const double along = axis[0] * n[0] + axis[1] * n[1] + axis[2] * n[2];
            double across[3] = { axis[0] - along * n[0], axis[1] - along * n[1], axis[2] - along * n[2] };
            const double length = sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
            for (int k = 0; k < 3; k++) {
                across[k] /= length;
            }
            loop->frame[i] = axis_pose(kit, p, across);
        } else {
            loop->frame[i] = axis_pose(kit, p, loop->meets ? axis : n);
        }
    }
}

static inline void draw(closed_kit *kit, drawing *d)
{
    int links = 0;
    d->loops = 1 + some_of(kit, 3);
    for (int i = 0; i < d->loops; i++) {
        draw_loop(kit, links, &d->loop[i]);
        links += d->loop[i].bars;
    }
    for (int i = 0; i < links; i++) {
        d->mass[i] = 1.0 + 0.7 * some(kit);
    }
}

/* The pose as it reads in a file with so many digits behind the point. */
static inline soa_pose written(const soa_pose *pose, int digits)
{
    if (digits >= EXACT_DIGITS) {
        return *pose;
    }
    const double unit = pow(10.0, digits);
    double xyz[3], rpy[3];
    soa_pose_rpy(pose, rpy);
    for (int i = 0; i < 3; i++) {
        xyz[i] = round(pose->position[i] * unit) / unit;
        rpy[i] = round(rpy[i] * unit) / unit;
    }
    return soa_pose_from_rpy(xyz, rpy);
}

static inline soa_pose relative(const soa_pose *parent, const soa_pose *pose, int digits)
{
    const soa_pose inverse = soa_pose_inverse(parent), own = soa_pose_compose(&inverse, pose);
    return written(&own, digits);
}

static inline soa_model *build(closed_kit *kit, const drawing *d, int digits)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_pose place[MOST_LOOPS * MOST_BARS];
    const soa_pose world = soa_pose_identity();
    int links = 0;
    for (int n = 0; n < d->loops; n++) {
        const drawn_loop *loop = &d->loop[n];
        for (int i = 0; i < loop->bars; i++) {
            char name[32], joint[32];
            (void)snprintf(name, sizeof name, "bar%d", links);
            (void)snprintf(joint, sizeof joint, "pin%d", links);
            const int parent = i == 0 ? loop->on : links - 1;
            soa_link link = soa_link_default(name, parent, loop->slides && i == 1 ? SOA_PRISMATIC : SOA_REVOLUTE);
            link.joint.name = joint;
            link.joint.at = relative(parent == SOA_WORLD ? &world : &place[parent], &loop->frame[i], digits);
            link.inertia = (soa_inertia){ d->mass[links], { 0.3, 0.1, -0.2 }, { 0.2, 0.01, 0.02, 0.3, 0.0, 0.25 } };
            place[links++] = loop->frame[i];
            OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
        }
        char name[32];
        (void)snprintf(name, sizeof name, "loop%d", n);
        soa_closure c = soa_closure_default(name, loop->kind, links - 1, loop->on);
        c.at_a = relative(&place[links - 1], &loop->frame[loop->bars], digits);
        c.at_b = relative(loop->on == SOA_WORLD ? &world : &place[loop->on], &loop->frame[loop->bars], digits);
        OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
    }
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

#endif
