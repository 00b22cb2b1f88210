/* check_algorithms.c - the algorithms of a model against each other at one state. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

/* Matrices of nv x nv are made up to here. */
enum { MOST_DOFS = 1000 };

static void note_error(check_row *row, double error)
{
    row->error = error <= row->error ? row->error : error; /* NaN sticks */
}

/* Largest difference of a and b, relative to the largest number in them and `scale`. */
static double difference(int n, const double *a, const double *b, double scale)
{
    double off = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = fabs(a[i] - b[i]);
        off = d <= off ? off : d;
        scale = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
    }
    return scale > 0.0 ? off / scale : off;
}

static double largest(int n, const double *a)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i]));
    }
    return most;
}

/* ---- forward and inverse dynamics ---------------------------------------------------------------- */

/* Relative changes that stand for rounding. */
#define DISTURBED 0x1p-26

static void disturb(int n, double *x)
{
    unsigned long long seed = 4;
    for (int i = 0; i < n; i++) {
        x[i] += DISTURBED * soa_model_random_number(&seed) * x[i];
    }
}

/* y and what it becomes if numbers are disturbed, relative to `scale` or the largest number of y. */
static void note_rounding(check_row *row, int n, const double *y, const double *disturbed, double scale)
{
    double off = 0.0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(disturbed[i] - y[i]));
    }
    scale = fmax(scale, largest(n, y));
    row->rounding = fmax(row->rounding, (scale > 0.0 ? off / scale : off) * DBL_EPSILON / DISTURBED);
}

/* vdot = Mass^-1 (T - C) by each algorithm. */
static void check_forward(const check_state *s, check_row *row, soa_method method)
{
    double *C = s->x[0], *wanted = s->x[1], *got = s->x[2], *disturbed = s->x[3];
    tool_must(soa_bias_force(s->model, s->workspace, 1, s->q, s->v, C, tool_error()));
    for (int i = 0; i < s->nv; i++) {
        C[i] = s->tau[i] - C[i];
    }
    tool_must(soa_mass_solve(s->model, s->workspace, 1, s->q, C, wanted, tool_error()));
    tool_must(soa_forward_dynamics_by(s->model, s->workspace, method, 1, s->q, s->v, s->tau, NULL, got, tool_error()));
    note_error(row, difference(s->nv, wanted, got, 0.0));
    disturb(s->nv, C);
    tool_must(soa_mass_solve(s->model, s->workspace, 1, s->q, C, disturbed, tool_error()));
    note_rounding(row, s->nv, wanted, disturbed, 0.0);
}

/* T = Mass vdot + C, or by inverse dynamics */
static void forces_of(const check_state *s, bool by_mass, const double *vdot, const double *C, double *T)
{
    if (by_mass) {
        tool_must(soa_mass_multiply(s->model, s->workspace, 1, s->q, vdot, T, tool_error()));
        for (int i = 0; i < s->nv; i++) {
            T[i] += C[i];
        }
    } else {
        tool_must(soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, vdot, NULL, T, tool_error()));
    }
}

/* Mass fd(T) + C = T, and id(fd(T)) = T. */
static void check_inverse(const check_state *s, check_row *row, bool by_mass)
{
    double *vdot = s->x[0], *T = s->x[1], *C = s->x[2], *disturbed = s->x[3];
    tool_must(soa_forward_dynamics(s->model, s->workspace, 1, s->q, s->v, s->tau, NULL, vdot, tool_error()));
    tool_must(soa_bias_force(s->model, s->workspace, 1, s->q, s->v, C, tool_error()));
    forces_of(s, by_mass, vdot, C, T);
    const double scale = largest(s->nv, C);
    note_error(row, difference(s->nv, T, s->tau, scale));
    disturb(s->nv, vdot);
    forces_of(s, by_mass, vdot, C, disturbed);
    note_rounding(row, s->nv, T, disturbed, scale);
}

/* ---- matrices ---------------------------------------------------------------------------------------- */

static void multiply(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            y[i] += A[(size_t)i * (size_t)n + (size_t)j] * x[j];
        }
    }
}

static void check_mass(const check_state *s, double *A, check_row *row)
{
    tool_must(soa_mass_matrix(s->model, s->workspace, 1, s->q, A, tool_error()));
    tool_must(soa_mass_multiply(s->model, s->workspace, 1, s->q, s->vdot, s->x[0], tool_error()));
    multiply(s->nv, A, s->vdot, s->x[1]);
    note_error(row, difference(s->nv, s->x[0], s->x[1], 0.0));
}

static void check_mass_inverse(const check_state *s, double *A, check_row *row)
{
    tool_must(soa_mass_inverse(s->model, s->workspace, 1, s->q, A, tool_error()));
    tool_must(soa_mass_solve(s->model, s->workspace, 1, s->q, s->tau, s->x[0], tool_error()));
    multiply(s->nv, A, s->tau, s->x[1]);
    note_error(row, difference(s->nv, s->x[0], s->x[1], 0.0));
}

/* Beside Mass v^2: the forces of joints that do not turn each other are all rounding. */
static void check_coriolis(const check_state *s, double *A, check_row *row)
{
    const double most = largest(s->nv, s->v);
    tool_must(soa_mass_matrix(s->model, s->workspace, 1, s->q, A, tool_error()));
    const double scale = largest(s->nv * s->nv, A) * most * most;
    tool_must(soa_coriolis_matrix(s->model, s->workspace, 1, s->q, s->v, A, tool_error()));
    tool_must(soa_coriolis_force(s->model, s->workspace, 1, s->q, s->v, s->x[0], tool_error()));
    multiply(s->nv, A, s->v, s->x[1]);
    note_error(row, difference(s->nv, s->x[0], s->x[1], fmax(scale, largest(s->nv * s->nv, A) * most)));
}

/* ---- energy -------------------------------------------------------------------------------------------- */

/* dE/dt along q' = beta, beta' = vdot, by differences of fourth order; *scale becomes the largest energy if that is more. */
static double energy_rate(const check_state *s, double h, double *scale)
{
    static const double weight[4] = { 1.0, -8.0, 8.0, -1.0 }, step[4] = { -2.0, -1.0, 1.0, 2.0 };
    double *q = s->x[0], *v = s->x[1], rate = 0.0;
    for (int i = 0; i < 4; i++) {
        double energy[2] = { 0.0, 0.0 };
        soa_integrate(s->model, s->q, s->v, step[i] * h, q);
        for (int n = 0; n < s->nv; n++) {
            v[n] = s->v[n] + step[i] * h * s->vdot[n];
        }
        tool_must(soa_energy(s->model, s->workspace, 1, q, v, energy, tool_error()));
        rate += weight[i] * (energy[0] + energy[1]) / (12.0 * h);
        *scale = fmax(*scale, fabs(energy[0]) + fabs(energy[1]));
    }
    return rate;
}

/* dE/dt = beta . T. Steps differ a hundredfold, and the best one counts: modes of flexible links turn their nodes far more than joints
 * of the same velocity turn their links. */
static void check_energy(const check_state *s, check_row *row)
{
    double *T = s->x[2], power = 0.0, scale = 0.0, least = INFINITY;
    tool_must(soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, s->vdot, NULL, T, tool_error()));
    for (int n = 0; n < s->nv; n++) {
        power += s->v[n] * T[n];
        scale += fabs(s->v[n] * T[n]);
    }
    for (double h = 1e-3; h > 5e-6; h *= 0.1) {
        double size = 0.0;
        const double rate = energy_rate(s, h, &size);
        least = fmin(least, fabs(rate - power) / fmax(size + scale, DBL_MIN));
    }
    note_error(row, least);
}

/* ---- kinematics ------------------------------------------------------------------------------------------ */

/* J v is the velocity of the last body's link. */
static void check_jacobian(const check_state *s, check_row *row)
{
    const int body = soa_model_bodies(s->model) - 1;
    const soa_point point = { soa_model_body(s->model, body).link, soa_pose_identity() };
    double *J = tool_take(6 * (size_t)s->nv + 1, sizeof *J), velocity[6] = { 0.0 }, pose[12], got[6] = { 0.0 };
    tool_must(soa_jacobian(s->model, s->workspace, 1, &point, SOA_AXES_MIXED, 1, s->q, J, tool_error()));
    tool_must(soa_point_kinematics(
        s->model, s->workspace, 1, &point, 1, s->q, s->v, NULL, pose, velocity, NULL, tool_error()));
    for (int i = 0; i < 6 * s->nv; i++) {
        got[i / s->nv] += J[i] * s->v[i % s->nv];
    }
    note_error(row, difference(6, got, velocity, 0.0));
    tool_return(J);
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

typedef struct method_name {
    soa_method method;
    const char *label, *text;
} method_name;

static int add_forward(const check_state *s, check_table *table, int first)
{
    static const method_name METHOD[] = {
        { SOA_FD_FASTEST, "FD", "fd(T) = Mass^-1 (T - C), the fastest" },
        { SOA_FD1, "FD1", "fd:1(T) = Mass^-1 (T - C)" },
        { SOA_FD2, "FD2", "fd:2(T) = Mass^-1 (T - C)" },
        { SOA_FD3, "FD3", "fd:3(T) = Mass^-1 (T - C)" },
        { SOA_FD4, "FD4", "fd:4(T) = Mass^-1 (T - C)" },
    };
    const int count = (int)(sizeof METHOD / sizeof METHOD[0]);
    for (int i = 0; i < count; i++) {
        check_forward(
            s, check_row_of(table, first + i, METHOD[i].label, METHOD[i].text, CHECK_TOLERANCE), METHOD[i].method);
    }
    check_inverse(s, check_row_of(table, first + count, "ID", "id(fd(T)) = T", CHECK_TOLERANCE), false);
    check_inverse(s, check_row_of(table, first + count + 1, "ID", "Mass fd(T) + C = T", CHECK_TOLERANCE), true);
    return first + count + 2;
}

static int add_matrices(const check_state *s, bool mass, check_table *table, int first)
{
    double *A = tool_take((size_t)s->nv * (size_t)s->nv, sizeof *A);
    check_mass(s, A, check_row_of(table, first, "CRB", "Mass x, the matrix = Mass x, the sweeps", CHECK_TOLERANCE));
    check_coriolis(
        s, A, check_row_of(table, first + 1, "COR", "Coriolis matrix beta = Coriolis force", CHECK_TOLERANCE));
    if (mass) {
        check_mass_inverse(s, A,
            check_row_of(table, first + 2, "MINV", "Mass^-1 x, the matrix = Mass^-1 x, the sweeps", CHECK_TOLERANCE));
    }
    tool_return(A);
    return first + (mass ? 3 : 2);
}

int check_algorithms(const check_state *s, bool mass, check_table *table, int first)
{
    check_jacobian(s, check_row_of(table, first, "V", "J beta = velocity of the last link", CHECK_TOLERANCE));
    check_energy(s, check_row_of(table, first + 1, "ID", "d/dt energy = beta . id(betadot)", CHECK_BY_DIFFERENCES));
    int next = first + 2;
    next = mass ? add_forward(s, table, next) : next;
    return s->nv <= MOST_DOFS ? add_matrices(s, mass, table, next) : next;
}
