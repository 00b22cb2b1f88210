/* tests/system/reduction.h - models with couplings and closures, states that they allow, and quantities there by
 * differences.
 *
 * Nothing of the reduction is shared: dependent coordinates are found by Newton's method on the violations, motions are
 * differences of such states, and the tree gives energy, mass matrix and inverse dynamics there. */
#ifndef SOA_TESTS_SYSTEM_REDUCTION_H
#define SOA_TESTS_SYSTEM_REDUCTION_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "soa/soa.h"

enum { MOST = 10, SQUARE = MOST * MOST, CUBE = MOST * SQUARE, ROWS = 24 };

#define STEP 2e-4
#define FINE 1e-6 /* of differences of the fourth order */

#define OK(call) assert_int_equal(call, SOA_OK)

/* ---- models ------------------------------------------------------------------------------------ */

/* Whether the joints have springs, damping and friction. */
static bool sprung = false;

/* The unit of mass, by which all inertias are multiplied. */
static double unit_of_mass = 1.0;

static inline int add_link(
    soa_builder *b, const char *name, int parent, soa_joint_kind kind, int axis, const double at[3])
{
    soa_link link = soa_link_default(name, parent, kind);
    int index = -1;
    memset(link.joint.axis, 0, sizeof link.joint.axis);
    link.joint.axis[axis] = 1.0;
    memcpy(link.joint.at.position, at, sizeof link.joint.at.position);
    link.inertia = (soa_inertia){ 0.7 + 0.2 * axis, { 0.3, -0.1, 0.2 }, { 0.11, 0.01, -0.02, 0.12, 0.015, 0.13 } };
    link.inertia.mass *= unit_of_mass;
    for (int i = 0; i < 6; i++) {
        link.inertia.moment[i] *= unit_of_mass;
    }
    if (sprung) {
        link.joint.stiffness = 3.0 + axis;
        link.joint.spring_reference = 0.2;
        link.joint.damping = 0.5 + 0.1 * axis;
        link.joint.friction = 0.3;
    }
    OK(soa_builder_add_link(b, &link, &index, NULL));
    return index;
}

static inline soa_model *finish(soa_builder *b)
{
    soa_model *model = NULL;
    const double gravity[3] = { 0.4, -0.3, -9.81 };
    soa_builder_set_gravity(b, gravity);
    OK(soa_builder_finish(b, &model, NULL));
    soa_builder_free(b);
    return model;
}

static inline void couple(soa_builder *b, int link, int driver, double c0, double c1, double c2, double c3)
{
    const soa_coupling c = { .link = link, .driver = driver, .coefficient = { c0, c1, c2, c3 } };
    OK(soa_builder_add_coupling(b, &c, NULL, NULL));
}

/* An arm of two joints with a gripper whose second finger mimics the first. */
static inline soa_model *gripper(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const int arm = add_link(b, "arm", SOA_WORLD, SOA_REVOLUTE, 2, (double[3]){ 0, 0, 0.2 });
    const int fore = add_link(b, "fore", arm, SOA_REVOLUTE, 1, (double[3]){ 0.6, 0, 0 });
    const int left = add_link(b, "left", fore, SOA_PRISMATIC, 1, (double[3]){ 0.4, 0.05, 0 });
    const int right = add_link(b, "right", fore, SOA_PRISMATIC, 1, (double[3]){ 0.4, -0.05, 0 });
    couple(b, right, left, 0.01, -1.0, 0.0, 0.0);
    return finish(b);
}

/* The same with a follower that has no inertia: the tree is singular, the system is not. It is the last link, on the arm, or the
 * first, on the world. */
static inline soa_model *with_light_finger(bool first)
{
    soa_builder *b = soa_builder_new(NULL);
    int light = -1;
    soa_link right = soa_link_default("right", SOA_WORLD, SOA_PRISMATIC);
    if (first) {
        OK(soa_builder_add_link(b, &right, &light, NULL));
    }
    const int arm = add_link(b, "arm", SOA_WORLD, SOA_REVOLUTE, 2, (double[3]){ 0, 0, 0.2 });
    const int left = add_link(b, "left", arm, SOA_PRISMATIC, first ? 0 : 1, (double[3]){ 0.4, first ? 0.35 : 0.05, 0 });
    if (!first) {
        right.parent = arm;
        OK(soa_builder_add_link(b, &right, &light, NULL));
    }
    couple(b, light, left, 0.01, -0.5, 0.3, 0.0);
    return finish(b);
}

static inline soa_model *light_gripper(void)
{
    return with_light_finger(false);
}

static inline soa_model *light_first(void)
{
    return with_light_finger(true);
}

/* Three fingers of three joints; two joints of each follow, in chains. */
static inline soa_model *hand(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const char *const name[9] = { "a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2" };
    for (int f = 0; f < 3; f++) {
        int link = SOA_WORLD, before = SOA_WORLD;
        for (int j = 0; j < 3; j++) {
            link = add_link(b, name[3 * f + j], before, SOA_REVOLUTE, j == 0 ? f : 1, (double[3]){ 0.3, 0.1 * f, 0 });
            if (j > 0) {
                couple(b, link, before, 0.1 * j, 0.8 + 0.1 * f, 0.0, 0.0);
            }
            before = link;
        }
    }
    return finish(b);
}

/* Stages of which the second follows the first by a cubic, the third the second by a square, on a turning base. */
static inline soa_model *telescope(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const int base = add_link(b, "base", SOA_WORLD, SOA_REVOLUTE, 2, (double[3]){ 0, 0, 0.5 });
    const int one = add_link(b, "one", base, SOA_PRISMATIC, 0, (double[3]){ 0.1, 0, 0 });
    const int two = add_link(b, "two", one, SOA_REVOLUTE, 1, (double[3]){ 0.2, 0.1, 0 });
    const int three = add_link(b, "three", two, SOA_PRISMATIC, 0, (double[3]){ 0.2, 0, 0.1 });
    couple(b, three, two, 0.05, 0.6, 0.4, 0.0);
    couple(b, two, one, 0.1, 0.9, -0.3, 0.5);
    return finish(b);
}

/* A base that follows the wheel on it, by a worm whose pitch changes. */
static inline soa_model *worm(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const int base = add_link(b, "base", SOA_WORLD, SOA_REVOLUTE, 2, (double[3]){ 0, 0, 0.5 });
    const int wheel = add_link(b, "wheel", base, SOA_REVOLUTE, 0, (double[3]){ 0.1, 0, 0 });
    (void)add_link(b, "tool", wheel, SOA_REVOLUTE, 1, (double[3]){ 0.2, 0.1, 0 });
    couple(b, base, wheel, 0.1, 0.3, 0.4, 0.2);
    return finish(b);
}

/* A four-bar linkage in space (its closure has rows that say nothing), and an arm on its crank that mimics it. */
static inline soa_model *linkage(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const int crank = add_link(b, "crank", SOA_WORLD, SOA_REVOLUTE, 1, (double[3]){ 0, 0, 0 });
    const int coupler = add_link(b, "coupler", crank, SOA_REVOLUTE, 1, (double[3]){ 0.5, 0, 0 });
    const int rocker = add_link(b, "rocker", coupler, SOA_REVOLUTE, 1, (double[3]){ 1.1, 0, 0 });
    const int arm = add_link(b, "arm", crank, SOA_REVOLUTE, 0, (double[3]){ 0.2, 0.3, 0 });
    (void)add_link(b, "tool", arm, SOA_REVOLUTE, 2, (double[3]){ 0.2, 0.3, 0 });
    soa_closure c = soa_closure_default("pin", SOA_CLOSE_REVOLUTE, rocker, SOA_WORLD);
    const double x[3] = { 1.0, 0.0, 0.0 }, end[3] = { 0.8, 0.0, 0.0 }, ground[3] = { 1.2, 0.0, 0.1 };
    c.at_a = soa_pose_from_axis_angle(end, x, -1.5707963267948966);
    c.at_b = soa_pose_from_axis_angle(ground, x, -1.5707963267948966);
    OK(soa_builder_add_closure(b, &c, NULL, NULL));
    couple(b, arm, crank, 0.1, -0.5, 0.2, 0.0);
    return finish(b);
}

/* ---- states that are allowed ---------------------------------------------------------------------- */

typedef struct bench {
    soa_model *model;
    soa_workspace *workspace;
    soa_system *system;
    int n, nv, independent[MOST];
    double q[MOST], x_dot[MOST], v[MOST], T[MOST];
} bench;

/* Least squares by normal equations: A (rows x n) d = -r, n <= MOST. */
static inline void least_squares(int rows, int n, const double *A, const double *r, double *d)
{
    double N[MOST][MOST + 1];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= n; j++) {
            N[i][j] = 0.0;
            for (int k = 0; k < rows; k++) {
                N[i][j] += A[k * n + i] * (j < n ? A[k * n + j] : -r[k]);
            }
        }
    }
    for (int p = 0; p < n; p++) {
        for (int i = 0; i < n; i++) {
            const double part = i == p ? 0.0 : N[i][p] / N[p][p];
            for (int j = 0; j <= n; j++) {
                N[i][j] -= part * N[p][j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        d[i] = N[i][n] / N[i][i];
    }
}

static inline bool is_independent(const bench *b, int v)
{
    for (int i = 0; i < b->n; i++) {
        if (b->independent[i] == v) {
            return true;
        }
    }
    return false;
}

/* The dependent coordinates of q by Newton's method, the Jacobian by differences of the violation. */
static inline void close_loops(const bench *b, double *q)
{
    soa_closures *set = soa_system_closures(b->system);
    const int rows = soa_closures_rows(set), m = b->nv - b->n;
    for (int turn = 0; turn < 30; turn++) {
        double r[ROWS], up[ROWS], down[ROWS], A[ROWS * MOST], d[MOST];
        OK(soa_closure_violation(set, 1, q, NULL, r, NULL, NULL));
        for (int i = 0, c = 0; i < b->nv; i++) {
            const double keep = q[i];
            if (is_independent(b, i)) {
                continue;
            }
            q[i] = keep + 1e-5;
            OK(soa_closure_violation(set, 1, q, NULL, up, NULL, NULL));
            q[i] = keep - 1e-5;
            OK(soa_closure_violation(set, 1, q, NULL, down, NULL, NULL));
            q[i] = keep;
            for (int k = 0; k < rows; k++) {
                A[k * m + c] = (up[k] - down[k]) / 2e-5;
            }
            c++;
        }
        least_squares(rows, m, A, r, d);
        for (int i = 0, c = 0; i < b->nv; i++) {
            q[i] += is_independent(b, i) ? 0.0 : d[c++];
        }
    }
}

static inline void moved(const bench *b, const double *direction, double step, double *q)
{
    memcpy(q, b->q, sizeof b->q);
    for (int i = 0; i < b->n; i++) {
        q[b->independent[i]] += step * direction[i];
    }
    close_loops(b, q);
}

/* By differences: f(-2) - 8 f(-1) + 8 f(1) - f(2) over 12 steps. */
static const double WHERE[4] = { -2.0, -1.0, 1.0, 2.0 }, WEIGHT[4] = { 1.0, -8.0, 8.0, -1.0 };

/* G at q: column j is dq/dx_j. */
static inline void motion_at(const bench *b, const double *q, double *G)
{
    bench at = *b;
    memcpy(at.q, q, sizeof at.q);
    memset(G, 0, sizeof(double) * (size_t)(b->nv * b->n));
    for (int j = 0; j < b->n; j++) {
        double direction[MOST] = { 0 }, to[MOST];
        direction[j] = 1.0;
        for (int k = 0; k < 4; k++) {
            moved(&at, direction, WHERE[k] * STEP, to);
            for (int i = 0; i < b->nv; i++) {
                G[i * b->n + j] += WEIGHT[k] * to[i] / (12.0 * STEP);
            }
        }
    }
}

static inline bench bench_of(soa_model *model, unsigned long long seed)
{
    bench b = { .model = model, .nv = soa_model_nv(model) };
    OK(soa_workspace_new(model, NULL, &b.workspace, NULL));
    OK(soa_system_new(model, NULL, &b.system, NULL));
    for (int i = 0; i < b.nv; i++) {
        b.q[i] = 0.5 * soa_model_random_number(&seed);
        b.T[i] = 3.0 * soa_model_random_number(&seed);
    }
    soa_couple(model, b.q, NULL);
    OK(soa_closure_project(soa_system_closures(b.system), SOA_METRIC_MASS, 0.0, 1, b.q, NULL, NULL, NULL));
    OK(soa_system_set(b.system, b.q, NULL, NULL));
    b.n = soa_system_dofs(b.system);
    memcpy(b.independent, soa_system_independent(b.system), sizeof(int) * (size_t)b.n);
    double given[MOST] = { 0 }, G[SQUARE];
    motion_at(&b, b.q, G);
    for (int j = 0; j < b.n; j++) {
        given[b.independent[j]] = b.x_dot[j] = soa_model_random_number(&seed);
    }
    for (int i = 0; i < b.nv; i++) {
        for (int j = 0; j < b.n; j++) {
            b.v[i] += G[i * b.n + j] * b.x_dot[j];
        }
    }
    OK(soa_system_set(b.system, b.q, given, NULL));
    return b;
}

static inline void bench_free(bench *b)
{
    soa_system_free(b->system);
    soa_workspace_free(b->workspace);
    soa_model_free(b->model);
}

static inline void near_at(int line, int count, const double *a, const double *b, double tolerance)
{
    double scale = 1.0;
    for (int i = 0; i < count; i++) {
        scale = fmax(scale, fabs(b[i]));
    }
    for (int i = 0; i < count; i++) {
        if (!(fabs(a[i] - b[i]) <= tolerance * scale)) {
            fail_msg("line %d: number %d is %.17g, not %.17g", line, i, a[i], b[i]);
        }
    }
}
#define NEAR(count, a, b, tolerance) near_at(__LINE__, count, a, b, tolerance)

/* ---- quantities by differences ----------------------------------------------------------------------- */

/* G* Mass G at q. */
static inline void reduced_mass(const bench *b, const double *q, double *to)
{
    double G[SQUARE], M[SQUARE];
    motion_at(b, q, G);
    OK(soa_mass_matrix(b->model, b->workspace, 1, q, M, NULL));
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) {
            to[i * b->n + j] = 0.0;
            for (int k = 0; k < b->nv * b->nv; k++) {
                to[i * b->n + j] += G[(k / b->nv) * b->n + i] * M[k] * G[(k % b->nv) * b->n + j];
            }
        }
    }
}

/* v and vdot of the motion x(t) = x + t x_dot + t^2 x_ddot / 2 at t = 0, by differences in time. */
static inline void motion_in_time(
    const bench *b, const double *q, const double *x_dot, const double *x_ddot, double *v, double *vdot)
{
    const double h = 2e-3;
    bench at = *b;
    double to[5][MOST];
    memcpy(at.q, q, sizeof at.q);
    for (int k = -2; k <= 2; k++) {
        double direction[MOST];
        for (int j = 0; j < b->n; j++) {
            direction[j] = k * h * x_dot[j] + 0.5 * k * k * h * h * x_ddot[j];
        }
        moved(&at, direction, 1.0, to[k + 2]);
    }
    for (int i = 0; i < b->nv; i++) {
        v[i] = (to[0][i] - 8.0 * to[1][i] + 8.0 * to[3][i] - to[4][i]) / (12.0 * h);
        vdot[i] = (-to[0][i] + 16.0 * to[1][i] - 30.0 * to[2][i] + 16.0 * to[3][i] - to[4][i]) / (12.0 * h * h);
    }
}

/* G* (inverse dynamics) of that motion; `driven` less what the joints' own forces do. */
static inline void reduced_forces(
    const bench *b, const double *q, const double *x_dot, const double *x_ddot, bool driven, double *to)
{
    double v[MOST], vdot[MOST], T[MOST], G[SQUARE];
    motion_in_time(b, q, x_dot, x_ddot, v, vdot);
    motion_at(b, q, G);
    OK(soa_inverse_dynamics(b->model, b->workspace, 1, q, v, vdot, NULL, T, NULL));
    for (int i = 0; i < b->nv && driven; i++) { /* every joint has one coordinate */
        const soa_joint *j = &soa_model_link(b->model, soa_model_body(b->model, i).link)->joint;
        T[i] += j->stiffness * (q[i] - j->spring_reference) + j->damping * v[i] +
                j->friction * v[i] / sqrt(v[i] * v[i] + 1e-6);
    }
    for (int j = 0; j < b->n; j++) {
        to[j] = 0.0;
        for (int i = 0; i < b->nv; i++) {
            to[j] += G[i * b->n + j] * T[i];
        }
    }
}

#endif
