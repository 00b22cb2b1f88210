/* io/mjcf_inertial.c - <inertial>, and the bounds <compiler> puts on inertias. */
#include <math.h>

#include "io/mjcf.h"

static bool has_orientation(const soa_xml *x)
{
    return soa_xml_get(x, "quat") || soa_xml_get(x, "axisangle") || soa_xml_get(x, "xyaxes") ||
           soa_xml_get(x, "zaxis") || soa_xml_get(x, "euler");
}

/* fullinertia is xx yy zz xy xz yz, ours xx xy xz yy yz zz. */
static void read_moment(const soa_xml *x, double moment[6])
{
    double full[6] = { 0.0 };
    const bool has_diagonal = soa_xml_numbers(x, "diaginertia", 3, full);
    if (soa_xml_numbers(x, "fullinertia", 6, full) && (has_diagonal || has_orientation(x))) {
        soa_xml_fail(
            x, SOA_E_SYNTAX, "fullinertia stands alone: remove diaginertia and the orientation (quat, euler, ...)");
    }
    const double ours[6] = { full[0], full[3], full[4], full[1], full[5], full[2] };
    memcpy(moment, ours, sizeof ours);
}

soa_inertia soa_mjcf_inertial(const mjcf *m, const soa_xml *element)
{
    soa_inertia own = { 0 };
    if (!soa_xml_get(element, "pos")) {
        soa_xml_fail(element, SOA_E_SYNTAX, "attribute pos is missing; write pos=\"0 0 0\" for the body's origin");
    }
    const soa_pose at = soa_mjcf_pose(m, element);
    const bool has_mass = soa_xml_number(element, "mass", &own.mass);
    read_moment(element, own.moment);
    if (!has_mass || own.mass < 0.0) {
        soa_xml_fail(element, SOA_E_INERTIA, has_mass ? "mass is negative" : "attribute mass is missing");
    }
    double p[3];
    soa_inertia_principal(&own, p);
    if (p[0] < -1e-9 * fabs(p[2])) { /* whatever carries the body, and before bounds lift it: MuJoCo refuses it too */
        soa_xml_fail(element, SOA_E_INERTIA,
            "its inertia is not positive definite (principal moments %g, %g, %g); correct the figures", p[0], p[1],
            p[2]);
    }
    return soa_inertia_transform(&at, &own);
}

/* ---- bounds -------------------------------------------------------------------------- */

/* One Jacobi rotation of the symmetric A that makes A[p][q] zero; V collects them. */
static void rotate_jacobi(double A[3][3], double V[3][3], int p, int q)
{
    if (A[p][q] == 0.0) {
        return;
    }
    const double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b;
        A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = A[p][k], b = A[q][k], v = V[k][p], w = V[k][q];
        A[p][k] = c * a - s * b;
        A[q][k] = s * a + c * b;
        V[k][p] = c * v - s * w;
        V[k][q] = s * v + c * w;
    }
}

/* Principal moments below the bound are raised to it; the axes stay. */
static void bound_principal(double moment[6], double bound)
{
    enum { SWEEPS = 16 };
    double A[3][3] = { { moment[0], moment[1], moment[2] }, { moment[1], moment[3], moment[4] },
        { moment[2], moment[4], moment[5] } };
    double V[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate_jacobi(A, V, 0, 1);
        rotate_jacobi(A, V, 0, 2);
        rotate_jacobi(A, V, 1, 2);
    }
    memset(moment, 0, 6 * sizeof *moment);
    for (int k = 0; k < 3; k++) {
        const double value = fmax(A[k][k], bound);
        moment[0] += value * V[0][k] * V[0][k];
        moment[1] += value * V[0][k] * V[1][k];
        moment[2] += value * V[0][k] * V[2][k];
        moment[3] += value * V[1][k] * V[1][k];
        moment[4] += value * V[1][k] * V[2][k];
        moment[5] += value * V[2][k] * V[2][k];
    }
}

void soa_mjcf_bound_inertia(const mjcf_compiler *compiler, soa_inertia *inertia)
{
    double p[3];
    inertia->mass = fmax(inertia->mass, compiler->bound_mass);
    soa_inertia_principal(inertia, p);
    if (p[0] < compiler->bound_inertia) {
        bound_principal(inertia->moment, compiler->bound_inertia);
        soa_inertia_principal(inertia, p);
    }
    if (compiler->balance_inertia && p[0] + p[1] < p[2] * (1.0 - 1e-12)) {
        const double mean = (p[0] + p[1] + p[2]) / 3.0;
        const double round[6] = { mean, 0.0, 0.0, mean, 0.0, mean };
        memcpy(inertia->moment, round, sizeof round);
    }
}
