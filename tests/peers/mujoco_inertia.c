/* tests/peers/mujoco_inertia.c - the inertias of a model in soa and in MuJoCo.
 *
 * MuJoCo keeps principal moments and axes. Its eigenvalues are good, but it stops
 * turning when the cosine of a turn is within 1e-12 of one or a product of inertia
 * below 1e-12: axes are off by up to 1.4e-6 radians, which would hide everything
 * smaller in the mass matrix. */
#include <math.h>
#include <stdlib.h>

#include "peers/mujoco_peer.h"

static const double tolerance = 1e-9;
static const double axes_tolerance = 5e-6;
static const double product_ignored = 1e-12;

static void check(const char *name, const char *link, const char *what, double found, double wanted, double allowed)
{
    if (!(fabs(found - wanted) <= allowed)) {
        fail_msg("%s: %s of %s is %.17g, in MuJoCo %.17g", name, what, link, found, wanted);
    }
}

/* ---- principal axes ------------------------------------------------------------------------ */

/* Turns the plane (p, q) so that a(p, q) vanishes; v gathers the turns. */
static void turn(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0) {
        return;
    }
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double x = a[k][p], y = a[k][q], u = v[k][p], w = v[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
        v[k][p] = c * u - s * w;
        v[k][q] = s * u + c * w;
    }
    for (int k = 0; k < 3; k++) {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
}

static void set_principal(mjModel *theirs, int id, const double moment[9])
{
    double flat[9], a[3][3], v[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    for (int i = 0; i < 9; i++) {
        a[i / 3][i % 3] = moment[i];
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        turn(a, v, 0, 1);
        turn(a, v, 0, 2);
        turn(a, v, 1, 2);
    }
    for (int i = 0; i < 9; i++) {
        flat[i] = v[i / 3][i % 3];
        theirs->body_inertia[3 * id + i % 3] = a[i % 3][i % 3];
    }
    mju_mat2Quat(theirs->body_iquat + 4 * id, flat);
    mju_normalize4(theirs->body_iquat + 4 * id);
    theirs->body_sameframe[id] = 0;
}

/* ---- comparisons ------------------------------------------------------------------------- */

static void their_moment(const mjModel *theirs, int id, double moment[9])
{
    double axes[9], half[9];
    mju_quat2Mat(axes, theirs->body_iquat + 4 * id);
    for (int i = 0; i < 9; i++) {
        half[i] = axes[i] * theirs->body_inertia[3 * id + i % 3];
    }
    mju_mulMatMatT(moment, half, axes, 3, 3, 3);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare_moments(const char *name, const soa_link *link, mjModel *theirs, int id)
{
    const double *I = link->inertia.moment;
    const double moment[9] = { I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5] };
    const double trace = I[0] + I[3] + I[5];
    double wanted[9], principal[3], their_principal[3];
    their_moment(theirs, id, wanted);
    for (int i = 0; i < 9; i++) {
        check(name, link->name, "moment of inertia", moment[i], wanted[i], axes_tolerance * trace + product_ignored);
    }
    mju_copy3(their_principal, theirs->body_inertia + 3 * id);
    qsort(their_principal, 3, sizeof *their_principal, ascending);
    soa_inertia_principal(&link->inertia, principal);
    for (int i = 0; i < 3; i++) {
        check(name, link->name, "principal moment", principal[i], their_principal[i],
            tolerance * trace + product_ignored);
    }
    set_principal(theirs, id, moment);
}

void compare_inertias(const char *name, const soa_model *ours, mjModel *theirs)
{
    const double total = mj_getTotalmass(theirs);
    double sum = 0.0;
    for (int i = 0; i < soa_model_links(ours); i++) {
        const soa_link *link = soa_model_link(ours, i);
        const double mass = link->inertia.mass;
        const int id = mj_name2id(theirs, mjOBJ_BODY, link->name);
        sum += mass;
        if (id < 0) {
            continue;
        }
        check(name, link->name, "mass", mass, theirs->body_mass[id], tolerance * mass);
        for (int k = 0; k < 3 && mass > 0.0; k++) {
            check(name, link->name, "centre of mass", link->inertia.com[k], theirs->body_ipos[3 * id + k], tolerance);
        }
        compare_moments(name, link, theirs, id);
    }
    check(name, "all", "mass", sum, total, tolerance * total);
}
