/* closure/rccfd.c - arms that hold one rigid object.  [RCCFD1..3]
 *
 * With A = col phi*(C, O_i) from the object's frame to the tips, M and b its inertia and bias force in the world,
 *     Om f = alpha_f + A M^-1 b - a,   Om = J Mass^-1 J* + A M^-1 A*
 * f what the arms exert on the object, alpha_f the tips' accelerations without it, a the velocity-dependent part of
 * those of the object's points. Gravity acts on the object through b. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "core/finite.h"

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The object in the world: its inverse inertia about the centre of mass, and where that is. */
typedef struct held {
    double mass, J_inv[3][3];
    double r[3];    /* from the frame's origin to the centre of mass */
    double free[6]; /* acceleration of the frame without contacts, conventional */
    const double *V;
    double l[SOA_MAX_ARMS][3]; /* from the frame's origin to the tips */
} held;

static bool invert3(double A[3][3], double B[3][3])
{
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        cross3(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
    }
    const double det = A[0][0] * c[0][0] + A[0][1] * c[0][1] + A[0][2] * c[0][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            B[j][i] = c[i][j] / det;
        }
    }
    return isfinite(1.0 / det) && det > 0.0;
}

/* a of a point at l of a body with (w; v), acceleration (w_dot; a) of its origin: a + w_dot x l + w x (w x l). */
static void point_acceleration(const double V[6], const double a[6], const double l[3], double out[6])
{
    double turn[3], spin[3], spin2[3];
    cross3(a, l, turn);
    cross3(V, l, spin);
    cross3(V, spin, spin2);
    for (int i = 0; i < 3; i++) {
        out[i] = a[i];
        out[3 + i] = a[3 + i] + turn[i] + spin2[i];
    }
}

static bool hold(const soa_model *arms, const soa_object *object, held *h)
{
    const soa_inertia *I = &object->inertia;
    const double(*R)[3] = object->pose.rotation, *m = I->moment;
    const double own[3][3] = { { m[0], m[1], m[2] }, { m[1], m[3], m[4] }, { m[2], m[4], m[5] } };
    double J[3][3] = { { 0.0 } }, momentum[3] = { 0.0 }, gyro[3], g[3], spin[3], spin2[3], turn[3];
    h->mass = I->mass;
    h->V = object->velocity;
    for (int i = 0; i < 3; i++) {
        h->r[i] = R[i][0] * I->com[0] + R[i][1] * I->com[1] + R[i][2] * I->com[2];
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 9; k++) {
                J[i][j] += R[i][k / 3] * own[k / 3][k % 3] * R[j][k % 3];
            }
        }
    }
    if (!invert3(J, h->J_inv) || !(h->mass > 0.0)) {
        return false;
    }
    for (int i = 0; i < 9; i++) {
        momentum[i / 3] += J[i / 3][i % 3] * h->V[i % 3];
    }
    cross3(h->V, momentum, gyro);
    soa_model_gravity(arms, g);
    for (int i = 0; i < 3; i++) {
        h->free[i] = -(h->J_inv[i][0] * gyro[0] + h->J_inv[i][1] * gyro[1] + h->J_inv[i][2] * gyro[2]);
    }
    /* the centre of mass falls with g: origin = g - w_dot x r - w x (w x r) */
    cross3(h->free, h->r, turn);
    cross3(h->V, h->r, spin);
    cross3(h->V, spin, spin2);
    for (int i = 0; i < 3; i++) {
        h->free[3 + i] = g[i] - turn[i] - spin2[i];
    }
    return true;
}

/* a += M^-1 phi(C, O) f: what a wrench f at the lever l from the origin does to the object's frame. */
static void push_object(const held *h, const double l[3], const double f[6], double a[6])
{
    double lever[3], moment[3], w_dot[3], turn[3];
    for (int i = 0; i < 3; i++) {
        lever[i] = l[i] - h->r[i];
    }
    cross3(lever, f + 3, moment);
    for (int i = 0; i < 3; i++) {
        moment[i] += f[i];
    }
    for (int i = 0; i < 3; i++) {
        w_dot[i] = h->J_inv[i][0] * moment[0] + h->J_inv[i][1] * moment[1] + h->J_inv[i][2] * moment[2];
    }
    cross3(w_dot, h->r, turn);
    for (int i = 0; i < 3; i++) {
        a[i] += w_dot[i];
        a[3 + i] += f[3 + i] / h->mass - turn[i];
    }
}

/* Om += A M^-1 A* */
static void add_object(const held *h, int tips, double *Om)
{
    const int n = 6 * tips;
    const double at_rest[6] = { 0.0 };
    for (int c = 0; c < n; c++) {
        double f[6] = { 0.0 }, a[6] = { 0.0 }, out[6];
        f[c % 6] = 1.0;
        push_object(h, h->l[c / 6], f, a);
        for (int t = 0; t < tips; t++) {
            point_acceleration(at_rest, a, h->l[t], out);
            for (int i = 0; i < 6; i++) {
                Om[(6 * t + i) * n + c] += out[i];
            }
        }
    }
}

/* L L* of Om in place; false: not positive definite. */
static bool factor(int n, double *A)
{
    for (int j = 0; j < n; j++) {
        double d = A[j * n + j];
        for (int k = 0; k < j; k++) {
            d -= A[j * n + k] * A[j * n + k];
        }
        if (!(d > 1e-13 * A[j * n + j])) {
            return false;
        }
        A[j * n + j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= A[i * n + k] * A[j * n + k];
            }
            A[i * n + j] = sum / A[j * n + j];
        }
    }
    return true;
}

static void solve(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

/* ---- the three groupings ------------------------------------------------------------------------------------ */

/* One call. */
typedef struct problem {
    const soa_model *m;
    soa_workspace *w;
    const soa_grasp *grasp;
    const double *q, *v, *T;
    held h;
    double *Om, *J, *alpha, *wrench, *bias, *u; /* in w->grasp */
    soa_grasp_motion *motion;
    soa_error *error;
} problem;

/* x -= accelerations of the object's points without contacts */
static void less_object(const problem *p, double *x)
{
    for (int t = 0; t < p->grasp->tips; t++) {
        double out[6];
        point_acceleration(p->h.V, p->h.free, p->h.l[t], out);
        for (int i = 0; i < 6; i++) {
            x[6 * t + i] -= out[i];
        }
    }
}

/* Om, factored. */
static soa_status make_omega(problem *p)
{
    const int n = 6 * p->grasp->tips;
    const soa_status status =
        soa_operational_inertia(p->m, p->w, p->grasp->tips, p->grasp->tip, 1, p->q, p->Om, NULL, p->error);
    if (status != SOA_OK) {
        return status;
    }
    add_object(&p->h, p->grasp->tips, p->Om);
    return factor(n, p->Om) ? SOA_OK
                            : soa_fail(p->error, SOA_E_SINGULAR, -1,
                                  "the arms and the object cannot give way in every direction; use a set of closures");
}

/* vdot += -Mass^-1 J* f */
static soa_status correct(const problem *p, const double *f)
{
    const soa_status status =
        soa_point_correction(p->m, p->w, p->grasp->tips, p->grasp->tip, 1, p->q, f, p->u, p->error);
    for (int i = 0; status == SOA_OK && i < p->m->nv; i++) {
        p->motion->vdot[i] += p->u[i];
    }
    return status;
}

/* Accelerations of the tips at vdot of the arms, into alpha. */
static soa_status tip_accelerations(const problem *p, const double *v, const double *vdot)
{
    return soa_point_kinematics(
        p->m, p->w, p->grasp->tips, p->grasp->tip, 1, p->q, v, vdot, NULL, NULL, p->alpha, p->error);
}

/* Contact forces from the open-loop vdot. */
static soa_status contact_forces(problem *p)
{
    soa_status status = soa_forward_dynamics(p->m, p->w, 1, p->q, p->v, p->T, NULL, p->motion->vdot, p->error);
    status = status == SOA_OK ? tip_accelerations(p, p->v, p->motion->vdot) : status;
    if (status == SOA_OK) {
        memcpy(p->motion->contact, p->alpha, 6 * (size_t)p->grasp->tips * sizeof(double));
        less_object(p, p->motion->contact);
        solve(6 * p->grasp->tips, p->Om, p->motion->contact);
    }
    return status;
}

static soa_status rccfd1(problem *p)
{
    const soa_status status = contact_forces(p);
    return status == SOA_OK ? correct(p, p->motion->contact) : status;
}

/* vdot = Mass^-1 (T - C - J* f) */
static soa_status rccfd2(problem *p)
{
    const int nv = p->m->nv, n = 6 * p->grasp->tips;
    soa_status status = contact_forces(p);
    status = status == SOA_OK ? soa_bias_force(p->m, p->w, 1, p->q, p->v, p->bias, p->error) : status;
    if (status == SOA_OK) {
        status = soa_jacobian(p->m, p->w, p->grasp->tips, p->grasp->tip, SOA_AXES_MIXED, 1, p->q, p->J, p->error);
    }
    for (int i = 0; status == SOA_OK && i < nv; i++) {
        p->bias[i] = (p->T ? p->T[i] : 0.0) - p->bias[i];
        for (int r = 0; r < n; r++) {
            p->bias[i] -= p->J[r * nv + i] * p->motion->contact[r];
        }
    }
    return status == SOA_OK ? soa_mass_solve(p->m, p->w, 1, p->q, p->bias, p->motion->vdot, p->error) : status;
}

/* f = Om^-1 J Mass^-1 T' + Om^-1 (dJ/dt v - a'), and vdot with each. */
static soa_status rccfd3(problem *p)
{
    const int nv = p->m->nv, n = 6 * p->grasp->tips;
    double *f = p->motion->contact;
    soa_status status = soa_bias_force(p->m, p->w, 1, p->q, p->v, p->bias, p->error);
    for (int i = 0; status == SOA_OK && i < nv; i++) {
        p->bias[i] = (p->T ? p->T[i] : 0.0) - p->bias[i];
    }
    status = status == SOA_OK ? soa_mass_solve(p->m, p->w, 1, p->q, p->bias, p->motion->vdot, p->error) : status;
    status = status == SOA_OK ? tip_accelerations(p, NULL, p->motion->vdot) : status;
    if (status != SOA_OK) {
        return status;
    }
    memcpy(f, p->alpha, (size_t)n * sizeof *f);
    solve(n, p->Om, f);
    status = correct(p, f);
    status = status == SOA_OK ? tip_accelerations(p, p->v, NULL) : status;
    if (status != SOA_OK) {
        return status;
    }
    memcpy(p->wrench, p->alpha, (size_t)n * sizeof *f);
    less_object(p, p->wrench);
    solve(n, p->Om, p->wrench);
    for (int i = 0; i < n; i++) {
        f[i] += p->wrench[i];
    }
    return correct(p, p->wrench);
}

soa_status soa_workspace_reserve_grasp(soa_workspace *w, int tips, soa_error *error)
{
    if (!w || tips < 1 || tips > SOA_MAX_ARMS) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a grasp has a workspace and 1 to %d tips", SOA_MAX_ARMS);
    }
    if (tips <= w->tips) {
        return SOA_OK;
    }
    const soa_status status = soa_workspace_reserve(w, tips, error);
    if (status != SOA_OK) {
        return status;
    }
    const size_t n = 6 * (size_t)tips, nv = (size_t)w->model->nv;
    double *room = soa_allocate(&w->allocator, n * (n + nv + 4) + 2 * nv, sizeof *room);
    if (!room) {
        return soa_fail_memory(error);
    }
    soa_release(&w->allocator, w->grasp);
    w->grasp = room;
    w->tips = tips;
    return SOA_OK;
}

static soa_status begin(problem *p)
{
    const soa_grasp *g = p->grasp;
    double *at = p->w->grasp, pose[12];
    p->Om = at, at += 36 * g->tips * g->tips;
    p->J = at, at += 6 * g->tips * p->m->nv;
    p->alpha = at, at += 6 * g->tips;
    p->wrench = at, at += 6 * g->tips;
    p->bias = at, at += p->m->nv;
    p->u = at;
    if (!soa_pose_valid(&g->object.pose) || !soa_all_finite(g->object.velocity, 6)) {
        return soa_fail(p->error, SOA_E_NUMBER, -1, "the pose or the velocity of the object is not finite");
    }
    if (!hold(p->m, &g->object, &p->h)) {
        return soa_fail(p->error, SOA_E_INERTIA, -1, "the object needs a mass and moments of inertia");
    }
    for (int t = 0; t < g->tips; t++) {
        const soa_status status =
            soa_point_kinematics(p->m, p->w, 1, &g->tip[t], 1, p->q, NULL, NULL, pose, NULL, NULL, p->error);
        if (status != SOA_OK) {
            return status;
        }
        for (int i = 0; i < 3; i++) {
            p->h.l[t][i] = pose[9 + i] - g->object.pose.position[i];
        }
    }
    return make_omega(p);
}

/* What comes out is finite. */
static soa_status check_motion(const problem *p)
{
    const soa_grasp_motion *y = p->motion;
    const soa_state_out vdot = { y->vdot, 1 }, contact = { y->contact, 1 }, object = { p->motion->acceleration, 1 };
    soa_status status =
        soa_check_result(p->w, (soa_result){ "vdot", SOA_PER_VELOCITY, false }, vdot, (size_t)p->m->nv, 0, p->error);
    if (status == SOA_OK) {
        status = soa_check_result(
            p->w, (soa_result){ "contact", SOA_NO_OUTPUT, false }, contact, 6 * (size_t)p->grasp->tips, 0, p->error);
    }
    return status == SOA_OK
               ? soa_check_result(p->w, (soa_result){ "acceleration", SOA_NO_OUTPUT, false }, object, 6, 0, p->error)
               : status;
}

soa_status soa_grasp_forward_dynamics(const soa_model *arms, soa_workspace *workspace, soa_grasp_method method,
    const soa_grasp *grasp, const double *q, const double *v, const double *T, soa_grasp_motion *motion,
    soa_error *error)
{
    static soa_status (*const solver[])(problem *) = { rccfd1, rccfd2, rccfd3 };
    if (!arms || !grasp || !motion || !motion->vdot || !motion->contact || !workspace || !T || grasp->tips < 1 ||
        grasp->tips > SOA_MAX_ARMS || (unsigned)method > SOA_RCCFD3) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "a grasp has 1 to %d tips, a workspace, T, results and a method", SOA_MAX_ARMS);
    }
    if (workspace->tips < grasp->tips) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d tips, but the workspace has room for %d; call soa_workspace_reserve_grasp", grasp->tips,
            workspace->tips);
    }
    problem p = { .m = arms, .w = workspace, .grasp = grasp, .q = q, .v = v, .T = T, .motion = motion, .error = error };
    soa_status status = begin(&p);
    status = status == SOA_OK ? solver[method](&p) : status;
    if (status == SOA_OK) {
        memcpy(motion->acceleration, p.h.free, sizeof p.h.free);
        for (int t = 0; t < grasp->tips; t++) {
            push_object(&p.h, p.h.l[t], motion->contact + 6 * t, motion->acceleration);
        }
    }
    return status == SOA_OK ? check_motion(&p) : status;
}
