/* spatial/pose.c - the poses of soa/spatial.h. */
#include "spatial/pose.h"

#include <math.h>

#include "spatial/atan2.h"
#include "spatial/sincos.h"

soa_pose soa_pose_identity(void)
{
    return (soa_pose){ { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, { 0.0, 0.0, 0.0 } };
}

static soa_pose pose_get(pose X)
{
    const mat3 R = X.R;
    return (soa_pose){
        { { R.xx, R.xy, R.xz }, { R.yx, R.yy, R.yz }, { R.zx, R.zy, R.zz } },
        { X.l.x, X.l.y, X.l.z },
    };
}

soa_pose soa_pose_from_rpy(const double position[3], const double rpy[3])
{
    double sr, cr, sp, cp, sy, cy;
    real_sincos(rpy[0], &sr, &cr);
    real_sincos(rpy[1], &sp, &cp);
    real_sincos(rpy[2], &sy, &cy);
    const mat3 R = {
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr, //
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr, //
        0.0 - sp,               // not -0: no turn is the identity
        cp * sr,
        cp * cr,
    };
    return pose_get((pose){ R, vec3_set(position) });
}

/* unit = a / |a|, all NaN if a is zero or not finite. */
static void normalise(int n, const double *a, double *unit)
{
    double most = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
        sum += a[i];
    }
    const bool valid = most > 0.0 && isfinite(most) && !isnan(sum);
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        unit[i] = valid ? a[i] / most : NAN;
        square += unit[i] * unit[i];
    }
    const double length = sqrt(square);
    for (int i = 0; i < n; i++) {
        unit[i] /= length;
    }
}

soa_pose soa_pose_from_quaternion(const double position[3], const double wxyz[4])
{
    double q[4];
    normalise(4, wxyz, q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const mat3 R = {
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y), //
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x), //
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    };
    return pose_get((pose){ R, vec3_set(position) });
}

/* R = c I + s a~ + (1 - c) a a* */
soa_pose soa_pose_from_axis_angle(const double position[3], const double axis[3], double angle)
{
    double a[3], s, c;
    normalise(3, axis, a);
    real_sincos(angle, &s, &c);
    const double x = a[0], y = a[1], z = a[2], d = 1.0 - c;
    const mat3 R = {
        c + d * x * x,
        d * x * y - s * z,
        d * x * z + s * y, //
        d * x * y + s * z,
        c + d * y * y,
        d * y * z - s * x, //
        d * x * z - s * y,
        d * y * z + s * x,
        c + d * z * z,
    };
    return pose_get((pose){ R, vec3_set(position) });
}

/* The largest of 4w^2, 4x^2, 4y^2, 4z^2 is divided by: never a small number (Shepperd). */
void soa_pose_quaternion(const soa_pose *X, double wxyz[4])
{
    const double(*R)[3] = X->rotation;
    const double trace = R[0][0] + R[1][1] + R[2][2];
    double q[4];
    int i = R[1][1] > R[0][0] ? 1 : 0;
    i = R[2][2] > R[i][i] ? 2 : i;
    if (trace >= R[i][i]) {
        q[0] = 1.0 + trace;
        q[1] = R[2][1] - R[1][2];
        q[2] = R[0][2] - R[2][0];
        q[3] = R[1][0] - R[0][1];
    } else {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = R[k][j] - R[j][k];
        q[1 + i] = 1.0 + R[i][i] - R[j][j] - R[k][k];
        q[1 + j] = R[j][i] + R[i][j];
        q[1 + k] = R[k][i] + R[i][k];
    }
    normalise(4, q, wxyz);
    if (wxyz[0] < 0.0) {
        for (int n = 0; n < 4; n++) {
            wxyz[n] = -wxyz[n];
        }
    }
}

/* Yaw first; then Rz(-yaw) R = Ry(pitch) Rx(roll), which stays well defined at pitch = pi/2. */
void soa_pose_rpy(const soa_pose *X, double rpy[3])
{
    const double(*R)[3] = X->rotation;
    const double length = sqrt(R[0][0] * R[0][0] + R[1][0] * R[1][0]);
    const double c = length > 0.0 ? R[0][0] / length : 1.0;
    const double s = length > 0.0 ? R[1][0] / length : 0.0;
    rpy[0] = soa_atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1]);
    rpy[1] = soa_atan2(-R[2][0], length);
    rpy[2] = soa_atan2(s, c);
}

soa_pose soa_pose_compose(const soa_pose *outer, const soa_pose *inner)
{
    return pose_get(pose_compose(pose_set(outer), pose_set(inner)));
}

soa_pose soa_pose_inverse(const soa_pose *X)
{
    return pose_get(pose_inverse(pose_set(X)));
}
