/* io/mjcf_key.c - <keyframe>: named configurations.
 *
 * The joints of MuJoCo come in the order of our links. A free joint is there
 * position, quaternion and linear velocity in world axes, angular velocity in
 * body axes; here it is quaternion, position and angular, linear velocity, both
 * in body axes. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf.h"

/* A keyframe on its way from their order to ours. */
typedef struct key {
    int nq, nv;
    double *q, *v;
} key;

static void count_coordinates(const mjcf *m, key *k)
{
    for (int i = 0; i < soa_builder_links(m->kit.builder); i++) {
        const soa_joint_kind kind = soa_builder_link(m->kit.builder, i)->joint.kind;
        k->nq += soa_joint_kind_nq(kind);
        k->nv += soa_joint_kind_nv(kind);
    }
}

static void set_neutral(const mjcf *m, double *q)
{
    for (int i = 0; i < soa_builder_links(m->kit.builder); i++) {
        const soa_joint *joint = &soa_builder_link(m->kit.builder, i)->joint;
        const int n = soa_joint_kind_nq(joint->kind);
        memcpy(q, n == 1 ? &joint->reference : joint->neutral, (size_t)n * sizeof *q);
        q += n;
    }
}

static bool normalize(double wxyz[4])
{
    const double n = sqrt(wxyz[0] * wxyz[0] + wxyz[1] * wxyz[1] + wxyz[2] * wxyz[2] + wxyz[3] * wxyz[3]);
    if (n < 1e-14) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        wxyz[i] /= n;
    }
    return true;
}

/* Position, quaternion -> quaternion, position. */
static void reorder_free(double q[7])
{
    const double position[3] = { q[0], q[1], q[2] };
    memmove(q, q + 3, 4 * sizeof *q);
    memcpy(q + 4, position, sizeof position);
}

/* Linear (world), angular (body) -> angular, linear (both body). */
static void reorder_free_velocity(const double q[7], double v[6])
{
    const soa_pose pose = soa_pose_from_quaternion(q + 4, q);
    const soa_pose back = soa_pose_inverse(&pose);
    double linear[3];
    soa_mjcf_turn(&back, v, linear);
    memmove(v, v + 3, 3 * sizeof *v);
    memcpy(v + 3, linear, sizeof linear);
}

/* MuJoCo takes a quaternion of zero length in a keyframe for no rotation. */
static void replace_zero(mjcf *m, const soa_xml *x, const soa_link *link, double wxyz[4])
{
    static const double identity[4] = { 1.0, 0.0, 0.0, 0.0 };
    memcpy(wxyz, identity, sizeof identity);
    soa_kit_warn(&m->kit, soa_xml_source(x),
        "qpos of joint '%.100s' is a quaternion of zero length; it is read as 1 0 0 0", link->joint.name);
}

static void convert(mjcf *m, const soa_xml *x, key *k, bool has_q)
{
    double *q = k->q, *v = k->v;
    for (int i = 0; i < soa_builder_links(m->kit.builder); i++) {
        const soa_link *link = soa_builder_link(m->kit.builder, i);
        const soa_joint_kind kind = link->joint.kind;
        if (kind == SOA_FREE && has_q) {
            reorder_free(q);
        }
        if ((kind == SOA_FREE || kind == SOA_SPHERICAL) && !normalize(q)) {
            replace_zero(m, x, link, q);
        }
        if (kind == SOA_FREE) {
            reorder_free_velocity(q, v);
        }
        q += soa_joint_kind_nq(kind);
        v += soa_joint_kind_nv(kind);
    }
}

/* Exactly n numbers if the attribute is there. */
static bool read_numbers(const soa_xml *x, const char *attribute, int n, double *values)
{
    const bool found = soa_xml_get(x, attribute) != NULL;
    const int count = found ? soa_xml_numbers_up_to(x, attribute, n, values) : n;
    if (count != n) {
        soa_xml_fail(x, SOA_E_CONFIGURATION, "%s has %d numbers; the model has %d", attribute, count, n);
    }
    return found;
}

static void read_key(mjcf *m, const soa_xml *x)
{
    key k = { 0 };
    char made[32];
    const char *name = soa_xml_get(x, "name");
    count_coordinates(m, &k);
    k.q = soa_arena_take(&m->arena, (size_t)(k.nq + k.nv) + 1, sizeof *k.q);
    if (!soa_got(&m->kit.outcome, k.q)) {
        return;
    }
    k.v = k.q + k.nq;
    set_neutral(m, k.q);
    const bool has_q = read_numbers(x, "qpos", k.nq, k.q), has_v = read_numbers(x, "qvel", k.nv, k.v);
    convert(m, x, &k, has_q);
    snprintf(made, sizeof made, "key%d", m->keyframes++);
    soa_kit_configuration(&m->kit, name && name[0] ? name : made, k.nq, k.q, k.nv, has_v ? k.v : NULL);
}

void soa_mjcf_read_keyframe(mjcf *m, soa_xml *section)
{
    for (const soa_xml *x = section->child; x && soa_mjcf_ok(m); x = x->next) {
        if (soa_xml_is(x, "key")) {
            read_key(m, x);
        } else {
            soa_xml_fail(x, SOA_E_SYNTAX, "unknown element in <keyframe>");
        }
    }
}
