/* model/check_link.c - what a link and its joint must be.
 *
 * Refused: numbers that are not finite, negative mass, moments of inertia that
 * are not positive semidefinite, rotations that are not rotations, an axis
 * without direction, reversed limits. Warned of: moments no rigid body can have
 * but people use (triangle inequality), zero moments of a body with mass. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

#define ORTHOGONAL_TOLERANCE 1e-9
#define MOMENT_TOLERANCE     1e-9 /* below zero, relative to the largest */
#define TRIANGLE_TOLERANCE   1e-6

/* ---- numbers -------------------------------------------------------------------- */

static bool are_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static bool is_rotation(const double R[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double dot = R[i][0] * R[j][0] + R[i][1] * R[j][1] + R[i][2] * R[j][2];
            if (!(fabs(dot - (i == j)) <= ORTHOGONAL_TOLERANCE)) {
                return false;
            }
        }
    }
    const double det = R[0][0] * (R[1][1] * R[2][2] - R[1][2] * R[2][1]) -
                       R[0][1] * (R[1][0] * R[2][2] - R[1][2] * R[2][0]) +
                       R[0][2] * (R[1][0] * R[2][1] - R[1][1] * R[2][0]);
    return det > 0.0;
}

bool soa_pose_valid(const soa_pose *pose)
{
    static const double none[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    return are_finite(pose->position, 3) &&
           (memcmp(pose->rotation, none, sizeof none) == 0 || is_rotation(pose->rotation));
}

/* ---- inertia -------------------------------------------------------------------- */

static soa_source inertia_source(const soa_link *link)
{
    return link->inertia_source.line > 0 ? link->inertia_source : link->source;
}

static soa_status check_moments(soa_model *m, const soa_link *link, soa_error *error)
{
    double I[3];
    soa_inertia_principal(&link->inertia, I);
    if (I[0] < -MOMENT_TOLERANCE * fabs(I[2]) || I[2] < 0.0) {
        return soa_fail_source(error, SOA_E_INERTIA, inertia_source(link),
            "link '%s': its inertia is not positive definite (principal moments %g, %g, %g); correct the figures",
            link->name, I[0], I[1], I[2]);
    }
    soa_description *d = &m->description;
    bool told = true;
    if (I[2] == 0.0) {
        if (link->inertia.mass > 0.0 && !(link->flags & SOA_LINK_UNKNOWN_MASS)) { /* the reader said so already */
            told = soa_description_warn(d, &m->allocator, &m->arena, inertia_source(link),
                "link '%s': mass %g but zero moments of inertia: a point mass", link->name, link->inertia.mass);
        }
    } else if (I[0] + I[1] < I[2] * (1.0 - TRIANGLE_TOLERANCE)) {
        told = soa_description_warn(d, &m->allocator, &m->arena, inertia_source(link),
            "link '%s': no rigid body has the principal moments %g, %g, %g (triangle inequality)", link->name, I[0],
            I[1], I[2]);
    } else if (I[0] <= MOMENT_TOLERANCE * I[2]) {
        told = soa_description_warn(d, &m->allocator, &m->arena, inertia_source(link),
            "link '%s': its inertia is singular (principal moments %g, %g, %g)", link->name, I[0], I[1], I[2]);
    }
    return told ? SOA_OK : soa_fail_memory(error);
}

static soa_status check_inertia(soa_model *m, const soa_link *link, soa_error *error)
{
    const soa_inertia *inertia = &link->inertia;
    if (!isfinite(inertia->mass) || !are_finite(inertia->com, 3) || !are_finite(inertia->moment, 6)) {
        return soa_fail_source(error, SOA_E_NUMBER, inertia_source(link),
            "link '%s': mass, centre of mass and inertia must be finite numbers", link->name);
    }
    if (inertia->mass < 0.0) {
        return soa_fail_source(error, SOA_E_INERTIA, inertia_source(link),
            "link '%s': mass %g is negative; give zero or more", link->name, inertia->mass);
    }
    return check_moments(m, link, error);
}

/* ---- joint ---------------------------------------------------------------------- */

static const char *joint_name(const soa_link *link)
{
    return link->joint.name ? link->joint.name : link->name;
}

static soa_source joint_source(const soa_link *link)
{
    return link->joint.source.line > 0 ? link->joint.source : link->source;
}

#define JOINT_FAIL(status, ...) soa_fail_source(error, status, joint_source(link), __VA_ARGS__)

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool has_axis(soa_joint_kind kind)
{
    return kind != SOA_FIXED && kind != SOA_SPHERICAL && kind != SOA_FREE;
}

static soa_status check_axes(const soa_link *link, soa_error *error)
{
    const soa_joint *joint = &link->joint;
    const char *name = joint_name(link);
    if (!has_axis(joint->kind)) {
        return SOA_OK;
    }
    if (!are_finite(joint->axis, 3) || !are_finite(joint->axis2, 3)) {
        return JOINT_FAIL(SOA_E_NUMBER, "joint '%s': its axis is not finite; give three numbers", name);
    }
    const double n = length(joint->axis);
    if (!(n > 1e-12) || !isfinite(n)) {
        return JOINT_FAIL(SOA_E_JOINT, "joint '%s': axis is zero; give a direction such as \"0 0 1\"", name);
    }
    if (joint->kind == SOA_UNIVERSAL) {
        const double n2 = length(joint->axis2);
        const double *a = joint->axis, *b = joint->axis2;
        const double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
        if (!(n2 > 1e-12) || !isfinite(n2) || !(length(cross) > 1e-6 * n * n2)) {
            return JOINT_FAIL(
                SOA_E_JOINT, "joint '%s': its two axes are parallel; a universal joint needs two directions", name);
        }
    }
    return SOA_OK;
}

static soa_status check_limits(const soa_link *link, soa_error *error)
{
    const soa_joint *joint = &link->joint;
    const char *name = joint_name(link);
    for (int i = 0; i < soa_joint_kind_nv(joint->kind); i++) {
        if (isnan(joint->lower[i]) || isnan(joint->upper[i]) || joint->lower[i] == INFINITY ||
            joint->upper[i] == -INFINITY) {
            return JOINT_FAIL(SOA_E_NUMBER, "joint '%s': a limit is not a number; give lower and upper", name);
        }
        if (joint->lower[i] > joint->upper[i]) {
            return JOINT_FAIL(SOA_E_JOINT, "joint '%s': lower limit %g is above upper limit %g; exchange them", name,
                joint->lower[i], joint->upper[i]);
        }
        if (!(joint->velocity[i] >= 0.0) || !(joint->effort[i] >= 0.0)) {
            return JOINT_FAIL(SOA_E_JOINT, "joint '%s': velocity limit %g and effort limit %g must not be negative",
                name, joint->velocity[i], joint->effort[i]);
        }
    }
    return SOA_OK;
}

static soa_status check_rotor(const soa_link *link, soa_error *error)
{
    const soa_rotor *r = &link->joint.rotor;
    const char *name = joint_name(link);
    const double numbers[] = { r->armature, r->ratio, r->spin, r->transverse, r->mass };
    if (!are_finite(numbers, 5) || !are_finite(r->axis, 3) || !are_finite(r->com, 3)) {
        return JOINT_FAIL(SOA_E_NUMBER, "joint '%s': the figures of its rotor must be finite", name);
    }
    if (r->armature < 0.0 || r->spin < 0.0 || r->transverse < 0.0 || r->mass < 0.0) {
        return JOINT_FAIL(SOA_E_INERTIA, "joint '%s': armature and rotor inertia must not be negative", name);
    }
    const bool spins = r->ratio != 0.0 && r->spin > 0.0;
    if (spins && soa_joint_kind_nv(link->joint.kind) != 1) {
        return JOINT_FAIL(SOA_E_JOINT, "joint '%s': a %s joint cannot have a rotor; only joints of one dof can", name,
            soa_joint_kind_text(link->joint.kind));
    }
    if ((spins || r->transverse > 0.0) && !(length(r->axis) > 1e-12)) {
        return JOINT_FAIL(SOA_E_JOINT, "joint '%s': the axis of its rotor is zero; give a direction", name);
    }
    return SOA_OK;
}

static soa_status check_neutral(const soa_link *link, soa_error *error)
{
    const double *q = link->joint.neutral;
    const int nq = soa_joint_kind_nq(link->joint.kind);
    if (nq <= 1) {
        return SOA_OK;
    }
    const bool quaternion = nq >= 4;
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!are_finite(q, nq) || (quaternion && !(fabs(norm - 1.0) <= 1e-6))) {
        return JOINT_FAIL(SOA_E_CONFIGURATION,
            "joint '%s': its neutral configuration is not valid; give finite numbers and a unit quaternion",
            joint_name(link));
    }
    return SOA_OK;
}

static soa_status check_joint(const soa_link *link, soa_error *error)
{
    const soa_joint *joint = &link->joint;
    const char *name = joint_name(link);
    if ((unsigned)joint->kind >= SOA_JOINT_KINDS) {
        return JOINT_FAIL(SOA_E_JOINT, "joint '%s': kind %d does not exist", name, (int)joint->kind);
    }
    if (!soa_pose_valid(&joint->at) || !soa_pose_valid(&joint->child)) {
        return JOINT_FAIL(SOA_E_JOINT, "joint '%s': its placement is not a finite position and a rotation", name);
    }
    const double numbers[] = { joint->pitch, joint->reference, joint->damping, joint->friction, joint->stiffness,
        joint->spring_reference };
    if (!are_finite(numbers, 6)) {
        return JOINT_FAIL(
            SOA_E_NUMBER, "joint '%s': pitch, reference, damping, friction and stiffness must be finite", name);
    }
    soa_status status = check_axes(link, error);
    status = status == SOA_OK ? check_limits(link, error) : status;
    status = status == SOA_OK ? check_neutral(link, error) : status;
    return status == SOA_OK ? check_rotor(link, error) : status;
}

/* The node of the parent that carries the joint. A parent that does not exist is refused elsewhere. */
static soa_status check_node(const soa_description *d, const soa_link *link, soa_error *error)
{
    const soa_link *parent = soa_description_link(d, link->parent);
    const soa_rotor *rotor = &link->joint.rotor;
    if (parent && parent->flexible &&
        (rotor->mass > 0.0 || rotor->transverse > 0.0 || rotor->ratio * rotor->spin != 0.0)) {
        return JOINT_FAIL(SOA_E_UNSUPPORTED,
            "joint '%s': flexible link '%s' cannot carry its rotor; give armature, or hang the joint on a rigid link "
            "there",
            joint_name(link), parent->name);
    }
    char item[SOA_ERROR_TEXT];
    snprintf(item, sizeof item, "joint '%s'", joint_name(link));
    return soa_check_node(d, link->parent, link->node, item, joint_source(link), error);
}

soa_status soa_check_links(soa_model *model, soa_error *error)
{
    if (!are_finite(model->description.gravity, 3)) {
        return soa_fail(error, SOA_E_NUMBER, -1, "gravity must be three finite numbers");
    }
    for (int i = 0; i < model->description.link.count; i++) {
        soa_link *link = soa_array_at(&model->description.link, i);
        soa_status status = check_joint(link, error);
        status = status == SOA_OK && link->flexible ? soa_check_flexible(link, error) : status;
        status = status == SOA_OK ? check_node(&model->description, link, error) : status;
        status = status == SOA_OK ? check_inertia(model, link, error) : status;
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}
