/* closure/rccfd.c - arms that hold one rigid object.  [RCCFD1..3]
 *
 * With A = col phi*(C, O_i) from the object's frame to the tips, M and b its inertia and bias force in the world,
 *     Om f = alpha_f + A M^-1 b - a,   Om = J Mass^-1 J* + A M^-1 A*
 * f what the arms exert on the object, alpha_f the tips' accelerations without it, a the velocity-dependent part of
 * those of the object's points. Gravity acts on the object through b. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/dense.h"
#include "core/error.h"
#include "core/finite.h"
#include "spatial/force.h"
#include "spatial/motion.h"

/* The object in the world. */
typedef struct held {
    double mass;
    mat3 J_inv;           /* of the inertia about the centre of mass */
    vec3 r;               /* from the frame's origin to the centre of mass */
    motion V;             /* of the frame */
    motion free;          /* acceleration of the frame without contacts, conventional */
    vec3 l[SOA_MAX_ARMS]; /* from the frame's origin to the tips */
} held;

static motion motion_at(const double x[6])
{
    return (motion){ vec3_set(x), vec3_set(x + 3) };
}

static void put(motion a, double x[6])
{
    x[0] = a.w.x, x[1] = a.w.y, x[2] = a.w.z;
    x[3] = a.v.x, x[4] = a.v.y, x[5] = a.v.z;
}

/* B = A^-1 by cofactors; false: A is not positive. */
static bool invert(const double A[3][3], mat3 *B)
{
    const vec3 a = vec3_set(A[0]), b = vec3_set(A[1]), c = vec3_set(A[2]);
    const vec3 x = vec3_cross(b, c), y = vec3_cross(c, a), z = vec3_cross(a, b);
    const double det = vec3_dot(a, x);
    *B = (mat3){ x.x / det, y.x / det, z.x / det, x.y / det, y.y / det, z.y / det, x.z / det, y.z / det, z.z / det };
    return isfinite(1.0 / det) && det > 0.0;
}

/* Acceleration of a point at l of a body with (w; v), whose origin has (w_dot; a): a + w_dot x l + w x (w x l). */
static motion point_acceleration(motion V, motion a, vec3 l)
{
    const vec3 turned = vec3_add(a.v, vec3_cross(a.w, l));
    return (motion){ a.w, vec3_add(turned, vec3_cross(V.w, vec3_cross(V.w, l))) };
}

static bool hold(const soa_model *arms, const soa_object *object, held *h)
{
    const soa_inertia *I = &object->inertia;
    const double(*R)[3] = object->pose.rotation, *m = I->moment;
    const double own[3][3] = { { m[0], m[1], m[2] }, { m[1], m[3], m[4] }, { m[2], m[4], m[5] } };
    double J[3][3] = { { 0.0 } }, g[3];
    for (int i = 0; i < 81; i++) { /* R I R* */
        const int row = i / 27, column = i / 9 % 3, k = i % 9;
        J[row][column] += R[row][k / 3] * own[k / 3][k % 3] * R[column][k % 3];
    }
    h->mass = I->mass;
    h->V = motion_at(object->velocity);
    h->r = mat3_mul_vec(mat3_set(R), vec3_set(I->com));
    if (!invert(J, &h->J_inv) || !(h->mass > 0.0)) {
        return false;
    }
    const vec3 w = h->V.w, gyro = vec3_cross(w, mat3_mul_vec(mat3_set((const double(*)[3])J), w));
    soa_model_gravity(arms, g);
    h->free.w = vec3_neg(mat3_mul_vec(h->J_inv, gyro));
    /* the centre of mass falls with g: origin = g - w_dot x r - w x (w x r) */
    const vec3 turned = vec3_sub(vec3_set(g), vec3_cross(h->free.w, h->r));
    h->free.v = vec3_sub(turned, vec3_cross(w, vec3_cross(w, h->r)));
    return true;
}

/* M^-1 phi(C, O) f: what a wrench f at the lever l from the origin does to the object's frame. */
static motion push_object(const held *h, vec3 l, force f)
{
    const vec3 moment = vec3_add(vec3_cross(vec3_sub(l, h->r), f.f), f.n), w_dot = mat3_mul_vec(h->J_inv, moment);
    const vec3 shift = { f.f.x / h->mass, f.f.y / h->mass, f.f.z / h->mass };
    return (motion){ w_dot, vec3_sub(shift, vec3_cross(w_dot, h->r)) };
}

/* Om += A M^-1 A* */
static void add_object(const held *h, int tips, double *Om)
{
    const int n = 6 * tips;
    for (int c = 0; c < n; c++) {
        double unit[6] = { 0.0 }, out[6];
        unit[c % 6] = 1.0;
        const motion a = push_object(h, h->l[c / 6], (force){ vec3_set(unit), vec3_set(unit + 3) });
        for (int t = 0; t < tips; t++) {
            put(point_acceleration(motion_zero(), a, h->l[t]), out);
            for (int i = 0; i < 6; i++) {
                Om[(6 * t + i) * n + c] += out[i];
            }
        }
    }
}

/* ---- the three groupings ------------------------------------------------------------------------------------ */

/* One call. */
typedef struct problem {
    const soa_model *m;
    soa_workspace *w;
    const soa_grasp *grasp;
    const soa_object *object;
    const double *q, *v, *T;
    held h;
    double *Om, *J, *wrench, *u; /* in w->grasp */
    double *vdot, *contact, *acceleration;
    soa_error *error;
} problem;

/* x -= accelerations of the object's points without contacts */
static void less_object(const problem *p, double *x)
{
    for (int t = 0; t < p->grasp->tips; t++) {
        double out[6];
        put(point_acceleration(p->h.V, p->h.free, p->h.l[t]), out);
        for (int i = 0; i < 6; i++) {
            x[6 * t + i] -= out[i];
        }
    }
}

/* A pivot of Om below this part of its diagonal belongs to a direction that does not give way. */
#define RIGID 1e-13

/* Om = J Mass^-1 J* + A M^-1 A* becomes its factor L. */
static soa_status make_omega(problem *p)
{
    const size_t n = 6 * (size_t)p->grasp->tips;
    const soa_status status =
        soa_operational_inertia(p->m, p->w, p->grasp->tips, p->grasp->tip, 1, p->q, p->Om, NULL, p->error);
    if (status != SOA_OK) {
        return status;
    }
    add_object(&p->h, p->grasp->tips, p->Om);
    return soa_cholesky(n, p->Om, RIGID).rank == n
               ? SOA_OK
               : soa_fail(p->error, SOA_E_SINGULAR, -1,
                     "the arms and the object cannot give way in every direction; use a set of closures");
}

/* vdot += -Mass^-1 J* f */
static soa_status correct(const problem *p, const double *f)
{
    const soa_status status =
        soa_point_correction(p->m, p->w, p->grasp->tips, p->grasp->tip, 1, p->q, f, p->u, p->error);
    for (int i = 0; status == SOA_OK && i < p->m->nv; i++) {
        p->vdot[i] += p->u[i];
    }
    return status;
}

/* Accelerations of the tips at vdot of the arms. */
static soa_status tip_accelerations(const problem *p, const double *v, const double *vdot, double *alpha)
{
    return soa_point_kinematics(
        p->m, p->w, p->grasp->tips, p->grasp->tip, 1, p->q, v, vdot, NULL, NULL, alpha, p->error);
}

/* Contact forces from the open-loop vdot. */
static soa_status contact_forces(problem *p)
{
    soa_status status = soa_forward_dynamics(p->m, p->w, 1, p->q, p->v, p->T, NULL, p->vdot, p->error);
    SOA_NEXT(status, tip_accelerations(p, p->v, p->vdot, p->contact));
    if (status == SOA_OK) {
        less_object(p, p->contact);
        soa_cholesky_solve(6 * (size_t)p->grasp->tips, p->Om, p->contact);
    }
    return status;
}

static soa_status rccfd1(problem *p)
{
    const soa_status status = contact_forces(p);
    return status == SOA_OK ? correct(p, p->contact) : status;
}

/* vdot = Mass^-1 (T - C - J* f) */
static soa_status rccfd2(problem *p)
{
    const int nv = p->m->nv, n = 6 * p->grasp->tips;
    soa_status status = contact_forces(p);
    SOA_NEXT(status, soa_bias_force(p->m, p->w, 1, p->q, p->v, p->u, p->error));
    SOA_NEXT(status, soa_jacobian(p->m, p->w, p->grasp->tips, p->grasp->tip, SOA_AXES_MIXED, 1, p->q, p->J, p->error));
    for (int i = 0; status == SOA_OK && i < nv; i++) {
        p->u[i] = (p->T ? p->T[i] : 0.0) - p->u[i];
        for (int r = 0; r < n; r++) {
            p->u[i] -= p->J[r * nv + i] * p->contact[r];
        }
    }
    return status == SOA_OK ? soa_mass_solve(p->m, p->w, 1, p->q, p->u, p->vdot, p->error) : status;
}

/* f = Om^-1 J Mass^-1 T' + Om^-1 (dJ/dt v - a'), and vdot with each. */
static soa_status rccfd3(problem *p)
{
    const int nv = p->m->nv, n = 6 * p->grasp->tips;
    double *f = p->contact;
    soa_status status = soa_bias_force(p->m, p->w, 1, p->q, p->v, p->u, p->error);
    for (int i = 0; status == SOA_OK && i < nv; i++) {
        p->u[i] = (p->T ? p->T[i] : 0.0) - p->u[i];
    }
    SOA_NEXT(status, soa_mass_solve(p->m, p->w, 1, p->q, p->u, p->vdot, p->error));
    SOA_NEXT(status, tip_accelerations(p, NULL, p->vdot, f));
    if (status != SOA_OK) {
        return status;
    }
    soa_cholesky_solve((size_t)n, p->Om, f);
    status = correct(p, f);
    SOA_NEXT(status, tip_accelerations(p, p->v, NULL, p->wrench));
    if (status != SOA_OK) {
        return status;
    }
    less_object(p, p->wrench);
    soa_cholesky_solve((size_t)n, p->Om, p->wrench);
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
    double *room = soa_allocate(&w->allocator, n * (n + nv + 1) + nv, sizeof *room);
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
    p->wrench = at, at += 6 * g->tips;
    p->u = at;
    if (!soa_pose_valid(&p->object->pose) || !soa_all_finite(p->object->velocity, 6)) {
        return soa_fail(p->error, SOA_E_NUMBER, -1, "the pose or the velocity of the object is not finite");
    }
    if (!hold(p->m, p->object, &p->h)) {
        return soa_fail(p->error, SOA_E_INERTIA, -1, "the object needs a mass and moments of inertia");
    }
    for (int t = 0; t < g->tips; t++) {
        const soa_status status =
            soa_point_kinematics(p->m, p->w, 1, &g->tip[t], 1, p->q, NULL, NULL, pose, NULL, NULL, p->error);
        if (status != SOA_OK) {
            return status;
        }
        p->h.l[t] = vec3_sub(vec3_set(pose + 9), vec3_set(p->object->pose.position));
    }
    return make_omega(p);
}

/* The state that the problem is at. */
static soa_status solve_state(problem *p, soa_grasp_method method)
{
    static soa_status (*const solver[])(problem *) = { rccfd1, rccfd2, rccfd3 };
    soa_status status = begin(p);
    SOA_NEXT(status, solver[method](p));
    motion a = status == SOA_OK ? p->h.free : motion_zero();
    for (int t = 0; status == SOA_OK && t < p->grasp->tips; t++) {
        const double *f = p->contact + 6 * t;
        a = motion_add(a, push_object(&p->h, p->h.l[t], (force){ vec3_set(f), vec3_set(f + 3) }));
    }
    put(a, p->acceleration);
    return status;
}

/* The status of a state, or SOA_E_NUMBER if a result is not finite; all results become NaN unless it is SOA_OK. */
static soa_status check_state(const problem *p, soa_status status, int state)
{
    const struct {
        soa_result result;
        double *at;
        size_t n;
    } y[] = { { { "vdot", SOA_PER_VELOCITY, false }, p->vdot, (size_t)p->m->nv },
        { { "contact", SOA_NO_OUTPUT, false }, p->contact, 6 * (size_t)p->grasp->tips },
        { { "acceleration", SOA_NO_OUTPUT, false }, p->acceleration, 6 } };
    for (int i = 0; status == SOA_OK && i < 3; i++) {
        status = soa_check_result(p->w, y[i].result, (soa_state_out){ y[i].at, 1 }, y[i].n, state, p->error);
    }
    for (int i = 0; status != SOA_OK && i < 3; i++) {
        soa_spoil((soa_state_out){ y[i].at, 1 }, y[i].n);
    }
    return status;
}

soa_status soa_grasp_forward_dynamics(const soa_model *arms, soa_workspace *workspace, soa_grasp_method method,
    const soa_grasp *grasp, int states, const double *q, const double *v, const double *T, const soa_grasp_motion *out,
    soa_error *error)
{
    if (!arms || !grasp || !grasp->object || !out || !out->vdot || !out->contact || !workspace || grasp->tips < 1 ||
        grasp->tips > SOA_MAX_ARMS || (unsigned)method > SOA_RCCFD3 || states < 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "a grasp has 1 to %d tips, an object for each state, a workspace, results and a method", SOA_MAX_ARMS);
    }
    if (workspace->tips < grasp->tips) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d tips, but the workspace has room for %d; call soa_workspace_reserve_grasp", grasp->tips,
            workspace->tips);
    }
    soa_each each = { .states = states, .state = -1, .nq = arms->nq, .nv = arms->nv, .error = error };
    each.all = (soa_closed_input){ .q = q, .v = v, .T = T, .vdot = out->vdot };
    while (soa_each_next(&each)) {
        double own[6];
        problem p = { .m = arms, .w = workspace, .grasp = grasp, .object = grasp->object + each.state };
        p.q = each.in.q, p.v = each.in.v, p.T = each.in.T, p.vdot = each.in.vdot, p.error = each.error;
        p.contact = out->contact + (size_t)each.state * 6 * (size_t)grasp->tips;
        p.acceleration = out->acceleration ? out->acceleration + 6 * (size_t)each.state : own;
        soa_each_done(&each, check_state(&p, solve_state(&p, method), each.state));
    }
    return each.status;
}
