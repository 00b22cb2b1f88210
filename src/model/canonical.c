/* model/canonical.c - frames in which the axis of a joint is z.
 *
 * For a body with joint placement `at`, axis a and link placement `child`, C the rotation that takes z to a and r the
 * reference of q:
 *     link frame in the parent = at C joint(q - r) C^-1 child
 * so the body frame stands at (at C joint(-r)) joint(q), and the link frame in it at C^-1 child. A reversed joint about or
 * along one axis is the same joint about -a. */
#include <math.h>
#include <string.h>

#include "model/model.h"

typedef struct vec {
    double x[3];
} vec;

static vec unit(const double v[3])
{
    /* The largest component first: neither overflow nor underflow of the squares. */
    const double big = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    const vec s = { { v[0] / big, v[1] / big, v[2] / big } };
    const double n = sqrt(s.x[0] * s.x[0] + s.x[1] * s.x[1] + s.x[2] * s.x[2]);
    return (vec){ { s.x[0] / n, s.x[1] / n, s.x[2] / n } };
}

void soa_unit_vector(const double v[3], double u[3])
{
    const vec n = unit(v);
    memcpy(u, n.x, sizeof n.x);
}

static vec cross(vec a, vec b)
{
    return (vec){ { a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
        a.x[0] * b.x[1] - a.x[1] * b.x[0] } };
}

static soa_pose pose_of_columns(vec x, vec y, vec z)
{
    soa_pose pose = soa_pose_identity();
    for (int i = 0; i < 3; i++) {
        pose.rotation[i][0] = x.x[i];
        pose.rotation[i][1] = y.x[i];
        pose.rotation[i][2] = z.x[i];
    }
    return pose;
}

/* The shortest rotation that takes z to the unit vector a; about x if a = -z. */
static soa_pose turn_z_to(vec a)
{
    const double across = a.x[0] * a.x[0] + a.x[1] * a.x[1];
    double k = 1.0 / (1.0 + a.x[2]);
    if (a.x[2] < 0.0) { /* k without cancellation */
        k = across > 0.0 ? (1.0 - a.x[2]) / across : 0.0;
    }
    const double back = across > 0.0 || a.x[2] > 0.0 ? 1.0 : -1.0;
    const vec x = { { 1.0 - a.x[0] * a.x[0] * k, -a.x[0] * a.x[1] * k, -a.x[0] } };
    const vec y = { { -a.x[0] * a.x[1] * k, back * (1.0 - a.x[1] * a.x[1] * k), -a.x[1] } };
    return pose_of_columns(x, y, a);
}

static bool flips(soa_joint_kind kind)
{
    return soa_joint_kind_nq(kind) == 1 || kind == SOA_CYLINDRICAL;
}

/* C, and the shape of the joint in the frames that C turns. */
soa_pose soa_canonical_turn(const soa_joint *joint, soa_joint_shape *shape)
{
    memset(shape, 0, sizeof *shape); /* with what lies between its fields: soa_model_alike compares bytes */
    shape->kind = joint->kind;
    shape->reversed = joint->reversed;
    shape->pitch = joint->pitch;
    if (joint->kind == SOA_SPHERICAL || joint->kind == SOA_FREE) {
        return soa_pose_identity();
    }
    if (joint->kind == SOA_UNIVERSAL) { /* z along axis2; axis in the plane of x and z */
        const vec z = unit(joint->axis2), a = unit(joint->axis);
        const vec y_long = cross(z, a);
        const vec y = unit(y_long.x), x = cross(y, z);
        for (int i = 0; i < 3; i++) {
            shape->axis1[0] += x.x[i] * a.x[i];
            shape->axis1[2] += z.x[i] * a.x[i];
        }
        return pose_of_columns(x, y, z);
    }
    vec a = unit(joint->axis);
    if (joint->reversed && flips(joint->kind)) {
        a = (vec){ { -a.x[0], -a.x[1], -a.x[2] } };
        shape->reversed = false;
    }
    return turn_z_to(a);
}

/* joint(-r) for the kinds with one coordinate. */
soa_pose soa_reference_pose(const soa_joint *joint)
{
    const double r = joint->reference;
    const double z[3] = { 0.0, 0.0, 1.0 };
    if (r == 0.0 || soa_joint_kind_nq(joint->kind) != 1) {
        return soa_pose_identity();
    }
    const double slide = joint->kind == SOA_PRISMATIC ? -r : joint->kind == SOA_HELICAL ? -r * joint->pitch : 0.0;
    return soa_pose_from_axis_angle((double[3]){ 0.0, 0.0, slide }, z, joint->kind == SOA_PRISMATIC ? 0.0 : -r);
}
