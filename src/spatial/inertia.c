/* spatial/inertia.c - the inertias of soa/spatial.h. */
#include <math.h>

#include "spatial/rigid.h"

/* m (|d|^2 I - d d*): what a mass adds to the moment about a point at distance d. */
static sym3 steiner(double m, vec3 d)
{
    return (sym3){
        m * (d.y * d.y + d.z * d.z),
        -m * d.x * d.y,
        -m * d.x * d.z,
        m * (d.x * d.x + d.z * d.z),
        -m * d.y * d.z,
        m * (d.x * d.x + d.y * d.y),
    };
}

static soa_inertia inertia_of(double mass, vec3 com, sym3 I)
{
    return (soa_inertia){ mass, { com.x, com.y, com.z }, { I.xx, I.xy, I.xz, I.yy, I.yz, I.zz } };
}

void soa_rigid_numbers(const soa_inertia *inertia, double numbers[SOA_RIGID_NUMBERS])
{
    const double m = inertia->mass;
    const vec3 p = vec3_set(inertia->com);
    const sym3 J = sym3_add(sym3_set(inertia->moment), steiner(m, p));
    const double result[SOA_RIGID_NUMBERS] = { m, m * p.x, m * p.y, m * p.z, J.xx, J.xy, J.xz, J.yy, J.yz, J.zz };
    memcpy(numbers, result, sizeof result);
}

soa_inertia soa_inertia_transform(const soa_pose *X, const soa_inertia *inertia)
{
    const pose Y = pose_set(X);
    return inertia_of(
        inertia->mass, pose_point(Y, vec3_set(inertia->com)), sym3_rotate(Y.R, sym3_set(inertia->moment)));
}

/* About the common centre of mass the two masses add m_a m_b / (m_a + m_b) at their distance. */
soa_inertia soa_inertia_add(const soa_inertia *a, const soa_inertia *b)
{
    const double m = a->mass + b->mass;
    const double share = m != 0.0 ? b->mass / m : 0.0;
    const vec3 com_a = vec3_set(a->com);
    const vec3 d = vec3_sub(vec3_set(b->com), com_a);
    const sym3 moment = sym3_add(sym3_set(a->moment), sym3_set(b->moment));
    return inertia_of(m, vec3_scale_add(share, d, com_a), sym3_add(moment, steiner(a->mass * share, d)));
}

/* One Jacobi rotation that makes A[i][j] zero. */
static void rotate(double A[3][3], int i, int j)
{
    const int k = 3 - i - j;
    if (A[i][j] == 0.0) {
        return;
    }
    const double theta = (A[j][j] - A[i][i]) / (2.0 * A[i][j]);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    const double aik = A[i][k], ajk = A[j][k];
    A[i][i] -= t * A[i][j];
    A[j][j] += t * A[i][j];
    A[i][j] = A[j][i] = 0.0;
    A[i][k] = A[k][i] = c * aik - s * ajk;
    A[j][k] = A[k][j] = s * aik + c * ajk;
}

static void order(double *a, double *b)
{
    if (*b < *a) {
        const double t = *a;
        *a = *b;
        *b = t;
    }
}

void soa_inertia_principal(const soa_inertia *inertia, double moments[3])
{
    const double *I = inertia->moment;
    double A[3][3] = { { I[0], I[1], I[2] }, { I[1], I[3], I[4] }, { I[2], I[4], I[5] } };
    const int sweeps = 16; /* converges quadratically: five are enough for doubles */
    for (int n = 0; n < sweeps; n++) {
        rotate(A, 0, 1);
        rotate(A, 0, 2);
        rotate(A, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        moments[i] = A[i][i];
    }
    order(&moments[0], &moments[1]);
    order(&moments[1], &moments[2]);
    order(&moments[0], &moments[1]);
}
