/* sim/led_point.c - operational-space control: a point is led, and what is free then leads the joints.
 *
 * The accelerations vdot satisfy
 *     J vdot = a - J' v                 the point accelerates as asked
 *     (Mass vdot + C)_u = 0             joints u that are not driven bear no force
 * and are the nearest to vdot_0 of the joint gains in the metric of Mass:
 *     vdot = vdot_0 + Mass^-1 A* y,   A Mass^-1 A* y = r - A vdot_0,   A = (J; Mass_u),
 * with Mass^-1 Mass_u* the unit vectors of u. Where J loses rank, y is the least. T = Mass vdot + C. Computed torque is the
 * same without a point; it runs by hybrid dynamics, and has its derivatives here. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "sim/led_point.h"
#include "spatial/vec3.h"

enum { POSE = 12 };

/* ---- made ------------------------------------------------------------------------------------- */

static void take(soa_sim *sim, sim_led *led)
{
    const size_t nv = (size_t)sim->nv, n = 6 + (size_t)led->others;
    double **const vector[] = { &led->J, &led->X, &led->Mass, &led->vdot, &led->T, &led->S, &led->r, &led->y,
        &led->work };
    const size_t size[] = { 6 * nv, 6 * nv, nv * nv, nv, nv, n * n, n, n, soa_least_squares_work(n) };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        *vector[i] = soa_arena_take(&sim->arena, size[i], sizeof(double));
    }
}

/* roll, pitch, yaw of a rotation, row by row. */
static void angles_of(const double *R, double rpy[3])
{
    rpy[0] = atan2(R[7], R[8]);
    rpy[1] = atan2(-R[6], hypot(R[7], R[8]));
    rpy[2] = atan2(R[3], R[0]);
}

static soa_status check(const sim_controller *c, soa_error *error)
{
    const soa_led_point *p = c->setup.point;
    bool good = isfinite(p->kp) && isfinite(p->kd) && isfinite(p->turn_kp) && isfinite(p->turn_kd);
    for (int i = 0; p->path && i < 6; i++) {
        good = good && p->path[i].points.count >= 0;
    }
    return good ? SOA_OK : sim_control_refuse(c, SOA_E_NUMBER, error, "a gain is not finite");
}

soa_status sim_led_make(soa_sim *sim, sim_controller *c, const double *q0, soa_error *error)
{
    const soa_led_point *p = c->setup.point;
    sim_led *led = soa_arena_take(&sim->arena, 1, sizeof *led);
    int *other = soa_arena_take(&sim->arena, (size_t)sim->nv, sizeof *other);
    if (sim->arena.failed) {
        return soa_fail_memory(error);
    }
    c->led = led;
    led->other = other;
    led->first = !p ? 6 : p->turn_kp != 0.0 || p->turn_kd != 0.0 ? 0 : 3;
    led->rows = 6 - led->first;
    for (int i = 0; i < sim->nv; i++) {
        bool driven = false;
        for (int j = 0; j < c->setup.joints; j++) {
            driven = driven || c->at_v[j] == i;
        }
        if (!driven) {
            other[led->others++] = i;
        }
    }
    take(sim, led);
    if (sim->arena.failed) {
        return soa_fail_memory(error);
    }
    if (!p) { /* computed torque leaves its accelerations in c->value */
        led->vdot = c->value;
        memset(led->J, 0, 6 * (size_t)sim->nv * sizeof *led->J);
        return SOA_OK;
    }
    double pose[POSE];
    soa_status status = check(c, error);
    SOA_NEXT(status, soa_workspace_reserve(sim->workspace, 1, error));
    SOA_NEXT(status,
        soa_point_kinematics(sim->model, sim->workspace, 1, &p->at, 1, q0, NULL, NULL, pose, NULL, NULL, error));
    if (status == SOA_OK) {
        memcpy(led->start, pose + 9, 3 * sizeof *pose);
        angles_of(pose, led->start + 3);
    }
    return status;
}

/* ---- what is asked of the point ------------------------------------------------------------------- */

/* The rotation, angular velocity and acceleration, world axes, that roll, pitch, yaw and their rates describe.
 * w = yaw' z + pitch' y1 + roll' x2, with y1 = Rz y and x2 = Rz Ry x. */
static soa_pose turn_of(double x[3][3], vec3 *w, vec3 *alpha)
{
    const double at[3] = { 0.0 }, rpy[3] = { x[0][0], x[1][0], x[2][0] };
    const soa_pose pose = soa_pose_from_rpy(at, rpy);
    const double(*R)[3] = pose.rotation;
    const vec3 axis[3] = { { R[0][0], R[1][0], R[2][0] }, { -sin(rpy[2]), cos(rpy[2]), 0.0 }, { 0.0, 0.0, 1.0 } };
    *w = *alpha = vec3_zero();
    for (int k = 2; k >= 0; k--) { /* from the outermost turn inward: each axis turns with those before it */
        const vec3 rate = vec3_scale(x[k][1], axis[k]);
        *alpha = vec3_add(*alpha, vec3_add(vec3_scale(x[k][2], axis[k]), vec3_cross(*w, rate)));
        *w = vec3_add(*w, rate);
    }
    return pose;
}

/* The rotation vector from R to goal: axis times angle of goal R*, world axes. */
static void turn_between(const double *R, const soa_pose *goal, double e[3])
{
    double D[3][3] = { { 0.0 } };
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                D[i][j] += goal->rotation[i][k] * R[3 * j + k];
            }
        }
    }
    e[0] = 0.5 * (D[2][1] - D[1][2]);
    e[1] = 0.5 * (D[0][2] - D[2][0]);
    e[2] = 0.5 * (D[1][0] - D[0][1]);
    const double s = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), c = 0.5 * (D[0][0] + D[1][1] + D[2][2] - 1.0);
    const double scale = s > 1e-9 ? atan2(s, c) / s : 1.0;
    for (int i = 0; i < 3; i++) {
        e[i] *= scale;
    }
}

/* a: the acceleration asked for, angular then linear. */
static void asked_of(const sim_controller *c, double t, const double pose[POSE], const double V[6], double a[6])
{
    const soa_led_point *p = c->setup.point;
    double x[6][3], *e = c->led->e;
    vec3 w, alpha;
    for (int i = 0; i < 6; i++) {
        const soa_path *path = p->path && p->path[i].points.count > 0 ? &p->path[i] : NULL;
        x[i][0] = c->led->start[i];
        x[i][1] = x[i][2] = 0.0;
        if (path) {
            soa_path_at(path, t, x[i]);
        }
    }
    const soa_pose goal = turn_of(x + 3, &w, &alpha);
    turn_between(pose, &goal, e);
    const double turn[3] = { w.x, w.y, w.z }, turns[3] = { alpha.x, alpha.y, alpha.z };
    for (int i = 0; i < 3; i++) {
        a[i] = turns[i] + p->turn_kp * e[i] + p->turn_kd * (turn[i] - V[i]);
        a[i + 3] = x[i][2] + p->kp * (x[i][0] - pose[9 + i]) + p->kd * (x[i][1] - V[i + 3]);
    }
}

/* ---- run ---------------------------------------------------------------------------------------- */

/* Blocks J X*, J_u and Mass_uu. */
void sim_led_matrix(const soa_sim *sim, const sim_led *led)
{
    const size_t nv = (size_t)sim->nv, m = (size_t)led->rows, n = m + (size_t)led->others;
    const double *J = led->J + (size_t)led->first * nv;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < nv; k++) {
                sum += J[i * nv + k] * led->X[j * nv + k];
            }
            led->S[i * n + j] = sum;
        }
        for (size_t u = m; u < n; u++) {
            led->S[i * n + u] = led->S[u * n + i] = J[i * nv + (size_t)led->other[u - m]];
        }
    }
    for (size_t u = m; u < n; u++) {
        for (size_t w = m; w < n; w++) {
            led->S[u * n + w] = led->Mass[(size_t)led->other[u - m] * nv + (size_t)led->other[w - m]];
        }
    }
}

void sim_led_add(const soa_sim *sim, const sim_led *led, double *vdot)
{
    const size_t nv = (size_t)sim->nv, m = (size_t)led->rows;
    for (size_t k = 0; k < nv; k++) {
        for (size_t i = 0; i < m; i++) {
            vdot[k] += led->X[i * nv + k] * led->y[i];
        }
    }
    for (int u = 0; u < led->others; u++) {
        vdot[led->other[u]] += led->y[m + (size_t)u];
    }
}

/* vdot_0 of the joint gains, and T of it. */
static soa_status free_motion(soa_sim *sim, const sim_controller *c, const double *q, const double *v, soa_error *error)
{
    const sim_led *led = c->led;
    memset(led->vdot, 0, (size_t)sim->nv * sizeof *led->vdot);
    for (int i = 0; i < c->setup.joints; i++) {
        led->vdot[c->at_v[i]] = sim_asked(c, i);
    }
    return soa_inverse_dynamics(sim->model, sim->workspace, 1, q, v, led->vdot, NULL, led->T, error);
}

static soa_status kinematics(
    soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v, double b[6], soa_error *error)
{
    const sim_led *led = c->led;
    const soa_point *at = &c->setup.point->at;
    double pose[POSE], V[6], bias[6], a[6];
    soa_status status = soa_point_kinematics(sim->model, sim->workspace, 1, at, 1, q, v, NULL, pose, V, bias, error);
    SOA_NEXT(status, soa_jacobian(sim->model, sim->workspace, 1, at, SOA_AXES_MIXED, 1, q, led->J, error));
    asked_of(c, t, pose, V, a);
    for (int i = 0; i < 6; i++) {
        b[i] = a[i] - bias[i];
    }
    return status;
}

soa_status sim_led_run(
    soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v, soa_error *error)
{
    const sim_led *led = c->led;
    const size_t nv = (size_t)sim->nv, m = (size_t)led->rows, n = m + (size_t)led->others;
    const double *J = led->J + (size_t)led->first * nv;
    double b[6];
    soa_status status = kinematics(sim, c, t, q, v, b, error);
    SOA_NEXT(status, free_motion(sim, c, q, v, error));
    for (size_t i = 0; i < m && status == SOA_OK; i++) {
        status = soa_mass_solve(sim->model, sim->workspace, 1, q, J + i * nv, led->X + i * nv, error);
        led->r[i] = b[(size_t)led->first + i];
        for (size_t k = 0; k < nv; k++) {
            led->r[i] -= J[i * nv + k] * led->vdot[k];
        }
    }
    if (status == SOA_OK && led->others > 0) {
        status = soa_mass_matrix(sim->model, sim->workspace, 1, q, led->Mass, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    for (size_t u = m; u < n; u++) {
        led->r[u] = -led->T[led->other[u - m]];
    }
    sim_led_matrix(sim, led);
    soa_least_squares(n, n, led->S, led->r, led->y, led->work, SOA_COMPUTED);
    sim_led_add(sim, led, led->vdot);
    status = soa_inverse_dynamics(sim->model, sim->workspace, 1, q, v, led->vdot, NULL, led->T, error);
    for (int i = 0; i < c->setup.joints && status == SOA_OK; i++) {
        sim->control[c->at_v[i]] = led->T[c->at_v[i]];
    }
    return status;
}
