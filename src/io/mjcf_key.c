/* io/mjcf_key.c - <keyframe>: named configurations.
 *
 * The joints of MuJoCo come in the order of our links. A free joint is there
 * position, quaternion and linear velocity in world axes, angular velocity in
 * body axes; here it is quaternion, position and angular, linear velocity, both
 * in body axes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

/* A keyframe on its way from their order to ours. */
typedef struct key {
    int nq, nv;
    double *q, *v;
} key;

static void count_coordinates(const mjcf *m, key *k)
{
    for (int i = 0; i < soa_builder_links(m->builder); i++) {
        const soa_joint_kind kind = soa_builder_link(m->builder, i)->joint.kind;
        k->nq += soa_joint_kind_nq(kind);
        k->nv += soa_joint_kind_nv(kind);
    }
}

static void set_neutral(const mjcf *m, double *q)
{
    for (int i = 0; i < soa_builder_links(m->builder); i++) {
        const soa_joint *joint = &soa_builder_link(m->builder, i)->joint;
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
static bool replace_zero(mjcf *m, const soa_xml *x, const soa_link *link, double wxyz[4])
{
    static const double identity[4] = { 1.0, 0.0, 0.0, 0.0 };
    memcpy(wxyz, identity, sizeof identity);
    return soa_mjcf_ok(
        m, soa_builder_warn(m->builder, soa_xml_source(x), m->error,
               "qpos of joint '%.100s' is a quaternion of zero length; it is read as 1 0 0 0", link->joint.name));
}

static bool convert(mjcf *m, const soa_xml *x, key *k, bool has_q)
{
    double *q = k->q, *v = k->v;
    for (int i = 0; i < soa_builder_links(m->builder); i++) {
        const soa_link *link = soa_builder_link(m->builder, i);
        const soa_joint_kind kind = link->joint.kind;
        if (kind == SOA_FREE && has_q) {
            reorder_free(q);
        }
        if ((kind == SOA_FREE || kind == SOA_SPHERICAL) && !normalize(q) && !replace_zero(m, x, link, q)) {
            return false;
        }
        if (kind == SOA_FREE) {
            reorder_free_velocity(q, v);
        }
        q += soa_joint_kind_nq(kind);
        v += soa_joint_kind_nv(kind);
    }
    return true;
}

/* Exactly n numbers if the attribute is there. */
static bool read_numbers(mjcf *m, const soa_xml *x, const char *attribute, int n, double *values)
{
    int count;
    if (!soa_xml_get(x, attribute)) {
        return true;
    }
    if (!soa_mjcf_ok(m, soa_xml_numbers_up_to(x, attribute, n, values, &count, m->error))) {
        return false;
    }
    return count == n || soa_mjcf_ok(m, soa_xml_fail(x, SOA_E_CONFIGURATION, m->error,
                                            "%s has %d numbers; the model has %d", attribute, count, n));
}

static bool read_key(mjcf *m, const soa_xml *x)
{
    key k = { 0 };
    char made[32];
    const char *name = soa_xml_get(x, "name");
    const bool has_v = soa_xml_get(x, "qvel") != NULL;
    count_coordinates(m, &k);
    k.q = soa_arena_take(&m->arena, (size_t)k.nq + 1, sizeof *k.q);
    k.v = soa_arena_take(&m->arena, (size_t)k.nv + 1, sizeof *k.v);
    if (!k.q || !k.v) {
        return soa_mjcf_ok(m, soa_fail_memory(m->error));
    }
    set_neutral(m, k.q);
    if (!read_numbers(m, x, "qpos", k.nq, k.q) || !read_numbers(m, x, "qvel", k.nv, k.v) ||
        !convert(m, x, &k, soa_xml_get(x, "qpos") != NULL)) {
        return false;
    }
    snprintf(made, sizeof made, "key%d", m->keyframes++);
    return soa_mjcf_ok(m, soa_builder_add_configuration(m->builder, name && name[0] ? name : made, k.nq, k.q, k.nv,
                              has_v ? k.v : NULL, m->error));
}

bool soa_mjcf_read_keyframe(mjcf *m, const soa_xml *section)
{
    for (const soa_xml *x = section->child; x; x = x->next) {
        if (strcmp(x->name, "key") != 0) {
            return soa_mjcf_ok(m, soa_xml_fail(x, SOA_E_SYNTAX, m->error, "unknown element in <keyframe>"));
        }
        if (!read_key(m, x)) {
            return false;
        }
    }
    return true;
}
