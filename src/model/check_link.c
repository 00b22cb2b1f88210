/* model/check_link.c - what a link and its joint must be.
 *
 * Refused: numbers that are not finite, negative mass, bodies whose moments of
 * inertia are not positive semidefinite, rotations that are not rotations, an
 * axis without direction, reversed limits. Warned of: moments no rigid body can
 * have but people use (triangle inequality), zero moments of a body with mass,
 * moments of a welded link that the others of its body make good. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/judge.h"

#define ORTHOGONAL_TOLERANCE 1e-9
#define MOMENT_TOLERANCE     1e-9 /* below zero, relative to the largest */
#define TRIANGLE_TOLERANCE   1e-6
#define MOVED_TOLERANCE      1e-14 /* relative to what moments change by when moved to the origin */

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

static void check_inertia(soa_judge *j, const soa_inertia *inertia)
{
    soa_require(j, isfinite(inertia->mass) && are_finite(inertia->com, 3) && are_finite(inertia->moment, 6),
        SOA_E_NUMBER, "mass, centre of mass and inertia must be finite numbers");
    soa_require(j, !(inertia->mass < 0.0), SOA_E_INERTIA, "mass %g is negative; give zero or more", inertia->mass);
}

/* Moments as small as this are rounding: they are what is left of larger ones about another point. */
static double rounding_of(const soa_inertia *inertia)
{
    const double *c = inertia->com;
    return MOVED_TOLERANCE * inertia->mass * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

static bool is_definite(const soa_inertia *inertia, double I[3])
{
    soa_inertia_principal(inertia, I);
    return I[0] >= -fmax(MOMENT_TOLERANCE * I[2], rounding_of(inertia));
}

/* What is wrong with a welded link does no harm if its body is well, or if nothing moves it. */
static void check_moments(soa_model *m, soa_judge *j, const soa_link *link, int body)
{
    const double mass = link->inertia.mass;
    double I[3], all[3];
    if (!is_definite(&link->inertia, I)) {
        soa_require(j, body == SOA_WORLD || is_definite(&m->rest[body].link_inertia, all), SOA_E_INERTIA,
            "its inertia is not positive definite (principal moments %g, %g, %g); correct the figures", I[0], I[1],
            I[2]);
        soa_remark(j, m, "its inertia is not positive definite (principal moments %g, %g, %g); %s, so the model stands",
            I[0], I[1], I[2], body == SOA_WORLD ? "nothing moves it" : "that of all links it is welded to is");
    } else if (I[2] <= rounding_of(&link->inertia)) {
        if (mass > 0.0 && !(link->flags & SOA_LINK_UNKNOWN_MASS)) { /* the reader said so already */
            soa_remark(j, m, "mass %g but zero moments of inertia: a point mass", mass);
        }
    } else if (I[0] + I[1] < I[2] * (1.0 - TRIANGLE_TOLERANCE)) {
        soa_remark(j, m, "no rigid body has the principal moments %g, %g, %g (triangle inequality)", I[0], I[1], I[2]);
    } else if (I[0] <= MOMENT_TOLERANCE * I[2]) {
        soa_remark(j, m, "its inertia is singular (principal moments %g, %g, %g)", I[0], I[1], I[2]);
    }
}

/* ---- joint ---------------------------------------------------------------------- */

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* A direction may have any length that neither is zero nor overflows when it is squared. */
static void require_direction(soa_judge *j, const double v[3], const char *name)
{
    const double n = length(v);
    soa_require(j, n > 1e-12 && isfinite(n), SOA_E_JOINT, "%s is %s; give a direction such as \"0 0 1\"", name,
        n > 1e-12 ? "too long" : "zero");
}

static void check_axes(soa_judge *j, const soa_joint *joint)
{
    const double *a = joint->axis, *b = joint->axis2;
    if (joint->kind == SOA_FIXED || joint->kind == SOA_SPHERICAL || joint->kind == SOA_FREE) {
        return;
    }
    soa_require(j, are_finite(a, 3) && are_finite(b, 3), SOA_E_NUMBER, "its axis is not finite; give three numbers");
    require_direction(j, a, "axis");
    if (joint->kind == SOA_UNIVERSAL) {
        require_direction(j, b, "axis2");
        const double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
        soa_require(j, length(cross) > 1e-6 * length(a) * length(b), SOA_E_JOINT,
            "its two axes are parallel; a universal joint needs two directions");
    }
}

static void check_limits(soa_judge *j, const soa_joint *joint)
{
    for (int i = 0; i < soa_joint_kind_nv(joint->kind); i++) {
        const double lower = joint->lower[i], upper = joint->upper[i];
        soa_require(j, !isnan(lower) && !isnan(upper) && lower != INFINITY && upper != -INFINITY, SOA_E_NUMBER,
            "a limit is not a number; give lower and upper");
        soa_require(
            j, !(lower > upper), SOA_E_JOINT, "lower limit %g is above upper limit %g; exchange them", lower, upper);
        soa_require(j, joint->velocity[i] >= 0.0 && joint->effort[i] >= 0.0, SOA_E_JOINT,
            "velocity limit %g and effort limit %g must not be negative", joint->velocity[i], joint->effort[i]);
    }
}

static void check_rotor(soa_judge *j, const soa_joint *joint)
{
    const soa_rotor *r = &joint->rotor;
    const double numbers[] = { r->armature, r->ratio, r->spin, r->transverse, r->mass };
    const bool spins = r->ratio != 0.0 && r->spin > 0.0;
    soa_require(j, are_finite(numbers, 5) && are_finite(r->axis, 3) && are_finite(r->com, 3), SOA_E_NUMBER,
        "the figures of its rotor must be finite");
    soa_require(j, !(r->armature < 0.0 || r->spin < 0.0 || r->transverse < 0.0 || r->mass < 0.0), SOA_E_INERTIA,
        "armature and rotor inertia must not be negative");
    soa_require(j, !spins || soa_joint_kind_nv(joint->kind) == 1, SOA_E_JOINT,
        "a %s joint cannot have a rotor; only joints of one dof can", soa_joint_kind_text(joint->kind));
    if (spins || r->transverse > 0.0) {
        require_direction(j, r->axis, "the axis of its rotor");
    }
}

static void check_neutral(soa_judge *j, const soa_joint *joint)
{
    const double *q = joint->neutral;
    const int nq = soa_joint_kind_nq(joint->kind);
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    soa_require(j, nq <= 1 || (are_finite(q, nq) && (nq < 4 || fabs(norm - 1.0) <= 1e-6)), SOA_E_CONFIGURATION,
        "its neutral configuration is not valid; give finite numbers and a unit quaternion");
}

static void check_joint(soa_judge *j, const soa_joint *joint)
{
    const double numbers[] = { joint->pitch, joint->reference, joint->damping, joint->friction, joint->stiffness,
        joint->spring_reference };
    soa_require(j, (unsigned)joint->kind < SOA_JOINT_KINDS, SOA_E_JOINT, "kind %d does not exist", (int)joint->kind);
    soa_require(j, soa_pose_valid(&joint->at) && soa_pose_valid(&joint->child), SOA_E_JOINT,
        "its placement is not a finite position and a rotation");
    soa_require(
        j, are_finite(numbers, 6), SOA_E_NUMBER, "pitch, reference, damping, friction and stiffness must be finite");
    check_axes(j, joint);
    check_limits(j, joint);
    check_neutral(j, joint);
    check_rotor(j, joint);
}

static soa_judge judge_of_link(const soa_link *link, soa_error *error)
{
    return (soa_judge){ { error, SOA_OK }, "link", link->name,
        link->inertia_source.line > 0 ? link->inertia_source : link->source };
}

soa_status soa_check_links(soa_model *model, soa_error *error)
{
    const soa_description *d = &model->description;
    soa_status status = SOA_OK;
    if (!are_finite(d->gravity, 3)) {
        return soa_fail(error, SOA_E_NUMBER, -1, "gravity must be three finite numbers");
    }
    for (int i = 0; i < d->link.count && status == SOA_OK; i++) {
        soa_link *link = soa_array_at(&d->link, i);
        const soa_joint *joint = &link->joint;
        soa_judge of_joint = { { error, SOA_OK }, "joint", joint->name ? joint->name : link->name,
            joint->source.line > 0 ? joint->source : link->source };
        soa_judge of_link = judge_of_link(link, error);
        check_joint(&of_joint, joint);
        if (link->flexible && soa_ok(&of_joint.outcome)) {
            soa_keep(&of_joint.outcome, soa_check_flexible(link, error));
        }
        soa_require_node(&of_joint, d, link->parent, link->node);
        if (soa_ok(&of_joint.outcome)) {
            check_inertia(&of_link, &link->inertia);
        }
        status = soa_ok(&of_joint.outcome) ? of_link.outcome.status : of_joint.outcome.status;
    }
    return status;
}

soa_status soa_check_moments(soa_model *model, soa_error *error)
{
    const soa_description *d = &model->description;
    soa_status status = SOA_OK;
    for (int i = 0; i < d->link.count && status == SOA_OK; i++) {
        const soa_link *link = soa_description_link(d, i);
        soa_judge judge = judge_of_link(link, error);
        check_moments(model, &judge, link, model->place[i].body);
        status = judge.outcome.status;
    }
    return status;
}
