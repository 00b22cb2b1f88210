/* Bodies of a model against the description: order, welds, canonical frames, inertias.
 *
 * The oracle places every link by composing the description joint by joint with
 * Rodrigues' formula and knows nothing of bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint/joint.kernel.h"
#include "model/model.h"
#include "spatial/rigid.h"

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* ---- oracle --------------------------------------------------------------------------- */

/* The pose of the joint's moving side about and along the axes as described. */
static soa_pose described_joint(const soa_joint *joint, const double *q)
{
    const double origin[3] = { 0 };
    const double x = q ? q[0] - joint->reference : 0.0;
    soa_pose at = soa_pose_identity();
    const double n =
        sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] + joint->axis[2] * joint->axis[2]);
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        at = soa_pose_from_axis_angle(origin, joint->axis, x);
        break;
    case SOA_HELICAL:
        at = soa_pose_from_axis_angle(origin, joint->axis, x);
        for (int i = 0; i < 3; i++) {
            at.position[i] = joint->pitch * x * joint->axis[i] / n;
        }
        break;
    case SOA_PRISMATIC:
        for (int i = 0; i < 3; i++) {
            at.position[i] = x * joint->axis[i] / n;
        }
        break;
    case SOA_UNIVERSAL: {
        const soa_pose first = soa_pose_from_axis_angle(origin, joint->axis, q[0]);
        const soa_pose second = soa_pose_from_axis_angle(origin, joint->axis2, q[1]);
        at = soa_pose_compose(&first, &second);
        break;
    }
    case SOA_CYLINDRICAL:
        at = soa_pose_from_axis_angle(origin, joint->axis, q[0]);
        for (int i = 0; i < 3; i++) {
            at.position[i] = q[1] * joint->axis[i] / n;
        }
        break;
    case SOA_SPHERICAL:
        at = soa_pose_from_quaternion(origin, q);
        break;
    case SOA_FREE:
        at = soa_pose_from_quaternion(q + 4, q);
        break;
    default:
        break;
    }
    return joint->reversed ? soa_pose_inverse(&at) : at;
}

static soa_pose described_link(const soa_model *m, int l, const double *q)
{
    const soa_link *link = soa_model_link(m, l);
    const int k = soa_model_link_body(m, l, NULL);
    const bool moves = link->joint.kind != SOA_FIXED;
    const soa_pose joint = described_joint(&link->joint, moves ? q + m->body[k].q : NULL);
    soa_pose at = link->parent == SOA_WORLD ? soa_pose_identity() : described_link(m, link->parent, q);
    at = soa_pose_compose(&at, &link->joint.at);
    if (moves) {
        at = soa_pose_compose(&at, &joint);
    }
    return soa_pose_compose(&at, &link->joint.child);
}

/* The same through bodies, as the kernels do it. */
static soa_pose model_link(const soa_model *m, int l, const double *q)
{
    soa_pose at = m->place[l].at;
    for (int k = m->place[l].body; k >= 0; k = m->body[k].parent) {
        const pose X = joint_pose(&m->body[k].rest->shape, q + m->body[k].q);
        soa_pose joint = { .position = { X.l.x, X.l.y, X.l.z } };
        memcpy(joint.rotation, &X.R, sizeof joint.rotation);
        at = soa_pose_compose(&joint, &at);
        at = soa_pose_compose(&m->body[k].rest->at, &at);
    }
    return at;
}

static void assert_same_pose(const soa_pose *a, const soa_pose *b)
{
    for (int i = 0; i < 3; i++) {
        NEAR(a->position[i], b->position[i], 2e-14);
        for (int j = 0; j < 3; j++) {
            NEAR(a->rotation[i][j], b->rotation[i][j], 2e-14);
        }
    }
}

/* ---- models ----------------------------------------------------------------------------- */

static void random_vector(unsigned long long *seed, double *x)
{
    for (int i = 0; i < 3; i++) {
        x[i] = soa_model_random_number(seed);
    }
}

static soa_pose random_pose(unsigned long long *seed)
{
    double p[3], r[3];
    random_vector(seed, p);
    random_vector(seed, r);
    for (int i = 0; i < 3; i++) {
        r[i] *= 3.0;
    }
    return soa_pose_from_rpy(p, r);
}

/* A random tree of every kind but planar, welds in between, numbered so that children may come first. */
static soa_model *random_model(unsigned long long *seed, int links)
{
    static const soa_joint_kind kinds[] = { SOA_REVOLUTE, SOA_FIXED, SOA_CONTINUOUS, SOA_PRISMATIC, SOA_HELICAL,
        SOA_UNIVERSAL, SOA_CYLINDRICAL, SOA_SPHERICAL, SOA_FREE, SOA_FIXED };
    static const double special[][3] = { { 0, 0, 1 }, { 0, 0, -2 }, { 1, 0, 0 }, { 0, -1, 0 }, { 1e-9, 0, -1 } };
    soa_builder *b = soa_builder_new(NULL);
    for (int i = 0; i < links; i++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "link%d", i);
        snprintf(name[1], sizeof name[1], "joint%d", i);
        const int later = (int)((soa_model_random_number(seed) + 1.0) * 0.5 * (links - i - 1));
        const int parent = i == links - 1 ? SOA_WORLD : i + 1 + later;
        soa_link link = soa_link_default(name[0], parent, kinds[(i * 7 + links) % 10]);
        link.joint.name = name[1];
        link.joint.at = random_pose(seed);
        link.joint.child = random_pose(seed);
        random_vector(seed, link.joint.axis);
        random_vector(seed, link.joint.axis2);
        if (i % 3 == 0) {
            memcpy(link.joint.axis, special[i / 3 % 5], sizeof link.joint.axis);
        }
        link.joint.pitch = 0.3;
        link.joint.reference = soa_joint_kind_nq(link.joint.kind) == 1 ? soa_model_random_number(seed) : 0.0;
        link.joint.reversed = i % 4 == 1;
        link.inertia = (soa_inertia){ 1.0 + i, { 0.1, 0.2 * i, -0.1 }, { 0.1, 0.01, 0.0, 0.12, -0.02, 0.11 } };
        assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
    }
    soa_model *m;
    soa_error error;
    assert_int_equal(soa_builder_finish(b, &m, &error), SOA_OK);
    soa_builder_free(b);
    return m;
}

static void bodies_stand_where_links_are_described(void **state)
{
    (void)state;
    unsigned long long seed = 11;
    for (int trial = 0; trial < 60; trial++) {
        soa_model *m = random_model(&seed, 1 + trial % 12);
        double q[7 * 12];
        soa_random_configuration(m, &seed, q);
        for (int l = 0; l < soa_model_links(m); l++) {
            const soa_pose expected = described_link(m, l, q), got = model_link(m, l, q);
            assert_same_pose(&expected, &got);
            soa_pose in_body;
            const int k = soa_model_link_body(m, l, &in_body);
            if (k >= 0) { /* public: pose in the frame of the body's link */
                const soa_pose main_link = described_link(m, soa_model_body(m, k).link, q);
                const soa_pose again = soa_pose_compose(&main_link, &in_body);
                assert_same_pose(&expected, &again);
            }
        }
        soa_model_free(m);
    }
}

static void parents_come_first_in_order_of_links(void **state)
{
    (void)state;
    unsigned long long seed = 5;
    soa_model *m = random_model(&seed, 12);
    int nq = 0, nv = 0;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body body = soa_model_body(m, k);
        assert_true(body.parent < k);
        assert_int_equal(body.q, nq);
        assert_int_equal(body.v, nv);
        nq += body.nq;
        nv += body.nv;
    }
    assert_int_equal(nq, soa_model_nq(m));
    assert_int_equal(nv, soa_model_nv(m));
    assert_int_equal(soa_model_body(m, -1).link, SOA_NONE);
    assert_int_equal(soa_model_body(m, m->bodies).link, SOA_NONE);
    assert_null(soa_model_link(m, -1));
    soa_model_free(m);
}

/* Kinetic energy of all links moving rigidly with a body = that of the body. */
static void welded_inertias_are_summed(void **state)
{
    (void)state;
    unsigned long long seed = 8;
    soa_builder *b = soa_builder_new(NULL);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "part%d", i);
        soa_link link = soa_link_default(name, i - 1, i == 0 ? SOA_REVOLUTE : SOA_FIXED);
        random_vector(&seed, link.joint.axis);
        link.joint.at = random_pose(&seed);
        link.inertia = (soa_inertia){ 1.0 + i, { 0.1 * i, 0.2, -0.3 }, { 0.1, 0.01, 0.0, 0.12, -0.02, 0.11 } };
        assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
    }
    soa_model *m;
    assert_int_equal(soa_builder_finish(b, &m, NULL), SOA_OK);
    soa_builder_free(b);
    assert_int_equal(soa_model_bodies(m), 1);
    assert_int_equal(soa_model_body(m, 0).links, 4);
    NEAR(soa_model_mass(m), 10.0, 0.0);

    const motion V = { { 0.3, -0.7, 0.2 }, { 1.1, 0.4, -0.6 } }; /* of the body frame */
    double energy = 0.0;
    for (int l = 0; l < 4; l++) {
        const pose X = pose_set(&m->place[l].at);
        const motion V_link = phi_t(X, V);
        energy += power(rigid_mul(rigid_from_inertia(&soa_model_link(m, l)->inertia), V_link), V_link);
    }
    const double of_body = power(rigid_mul(rigid_set(m->body[0].inertia), V), V);
    NEAR(energy, of_body, 1e-13 * energy);
    const soa_inertia in_link = soa_model_body(m, 0).inertia;
    const motion V_main = phi_t(pose_set(&m->body[0].rest->frame), V);
    NEAR(power(rigid_mul(rigid_from_inertia(&in_link), V_main), V_main), energy, 1e-13 * energy);
    soa_model_free(m);
}

/* A rotor adds ratio^2 spin to D, its momentum per rate to the parent, and its body to the parent's inertia. */
static void rotors_belong_to_the_model(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_link base = soa_link_default("base", SOA_WORLD, SOA_REVOLUTE), arm = soa_link_default("arm", 0, SOA_REVOLUTE);
    base.inertia = arm.inertia = (soa_inertia){ 2.0, { 0 }, { 0.02, 0, 0, 0.03, 0, 0.025 } };
    arm.joint.rotor = (soa_rotor){ .armature = 0.5,
        .ratio = 100.0,
        .axis = { 0, 3, 0 },
        .spin = 1e-4,
        .transverse = 5e-5,
        .mass = 0.25,
        .com = { 0.1, 0, 0 } };
    assert_int_equal(soa_builder_add_link(b, &base, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &arm, NULL, NULL), SOA_OK);
    soa_model *m;
    assert_int_equal(soa_builder_finish(b, &m, NULL), SOA_OK);
    soa_builder_free(b);
    NEAR(m->body[1].armature, 0.5 + 1.0, 1e-15);
    assert_true(m->body[1].geared);
    NEAR(m->body[1].rest->gear[1], 0.01, 1e-17);
    NEAR(m->body[0].inertia[0], 2.25, 1e-15);
    NEAR(m->body[0].inertia[1], 0.025, 1e-16);
    NEAR(m->body[0].inertia[4], 0.02 + 5e-5, 1e-16);               /* xx */
    NEAR(m->body[0].inertia[7], 0.03 + 1e-4 + 0.25 * 0.01, 1e-16); /* yy: spin axis, Steiner */
    NEAR(soa_model_mass(m), 4.25, 1e-15);
    soa_model_free(m);
}

/* The 20 000th link costs what the first does. */
static void long_chains_are_built(void **state)
{
    (void)state;
    enum { LINKS = 50000 };
    soa_builder *b = soa_builder_new(NULL);
    for (int i = 0; i < LINKS; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", LINKS - i);
        soa_link link = soa_link_default(name, i == LINKS - 1 ? SOA_WORLD : i + 1, SOA_REVOLUTE);
        link.inertia.mass = 1.0;
        link.inertia.moment[0] = link.inertia.moment[3] = link.inertia.moment[5] = 1.0;
        assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
    }
    soa_model *m;
    assert_int_equal(soa_builder_finish(b, &m, NULL), SOA_OK);
    soa_builder_free(b);
    assert_int_equal(soa_model_body(m, 0).link, LINKS - 1);
    assert_int_equal(soa_model_body(m, LINKS - 1).link, 0);
    soa_model_free(m);
}

/* What modes do at the nodes that carry bodies is exact where it is nothing: a beam of bending in two planes neither turns
 * about its axis nor grows, so that kernels leave these rows out. Six directions of modes at most are needed. */
static void ports_are_cleared(void **state)
{
    (void)state;
    soa_model *m;
    soa_error error;
    int rows = 0, still = 0;
    assert_int_equal(soa_model_builtin("flexible-chain:3,12", NULL, &m, &error), SOA_OK);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_rest *rest = &m->rest[k];
        if (!rest->port_rows) {
            continue;
        }
        const size_t r = (size_t)m->rest[m->body[k].parent].ports->modes, step = soa_modal_stride(r);
        assert_in_range(r, 1, 6);
        for (size_t e = 0; e < 6; e++, rows++) {
            double most = 0.0;
            for (size_t i = 0; i < r; i++) {
                most = fmax(most, fabs(rest->port_rows[e * step + i]));
            }
            for (size_t i = 0; i < r; i++) {
                const double x = rest->port_rows[e * step + i];
                assert_true(x == 0.0 || fabs(x) > 1e-15 * most);
            }
            still += most == 0.0;
        }
    }
    assert_int_equal(rows, 2 * 6);
    assert_int_equal(still, 2 * 2);
    soa_model_free(m);
}

/* What sweeps keep of a flexible link while they pass it does not grow with the chain, and links with the same data share it; links
 * alternate between two frames. */
static void flexible_chains_share(void **state)
{
    (void)state;
    soa_error error;
    soa_model *m;
    assert_int_equal(soa_model_builtin("flexible-chain:50,10", NULL, &m, &error), SOA_OK);
    assert_int_equal(m->slots, 3);
    assert_int_equal(m->seats, 50);
    for (int k = 1; k < m->bodies; k += 2) {
        assert_int_equal(m->rest[k].seat, m->rest[k - 1].seat);
        assert_int_equal(m->rest[k].first, 10 * (k / 2));
        assert_true(k < 5 || m->rest[k].modal == m->rest[k - 4].modal);
        assert_true(k < 3 || m->body[k - 1].slot != m->body[k - 2].slot);
        const bool carries = k + 1 < m->bodies;
        assert_true(k < 5 || !carries || (m->rest[k].ports && m->rest[k].ports == m->rest[k - 4].ports));
    }
    soa_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_stand_where_links_are_described),
        cmocka_unit_test(parents_come_first_in_order_of_links),
        cmocka_unit_test(welded_inertias_are_summed),
        cmocka_unit_test(rotors_belong_to_the_model),
        cmocka_unit_test(long_chains_are_built),
        cmocka_unit_test(ports_are_cleared),
        cmocka_unit_test(flexible_chains_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
