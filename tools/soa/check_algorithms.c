/* check_algorithms.c - the algorithms of a model against each other at one state. */
#include <math.h>
#include <stdlib.h>
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

/* vdot = Mass^-1 (T - C) by each algorithm. */
static soa_status check_forward(const check_state *s, check_row *row, soa_method method, soa_error *error)
{
    double *C = s->x[0], *wanted = s->x[1], *got = s->x[2];
    soa_status status = soa_bias_force(s->model, s->workspace, 1, s->q, s->v, C, error);
    for (int i = 0; i < s->nv; i++) {
        C[i] = s->tau[i] - C[i];
    }
    status = status == SOA_OK ? soa_mass_solve(s->model, s->workspace, 1, s->q, C, wanted, error) : status;
    if (status == SOA_OK) {
        status = soa_forward_dynamics_by(s->model, s->workspace, method, 1, s->q, s->v, s->tau, NULL, got, error);
    }
    note_error(row, difference(s->nv, wanted, got, 0.0));
    return status;
}

/* Mass fd(T) + C = T, and id(fd(T)) = T. */
static soa_status check_inverse(const check_state *s, check_row *row, bool by_mass, soa_error *error)
{
    double *vdot = s->x[0], *T = s->x[1], *C = s->x[2];
    soa_status status = soa_forward_dynamics(s->model, s->workspace, 1, s->q, s->v, s->tau, NULL, vdot, error);
    status = status == SOA_OK ? soa_bias_force(s->model, s->workspace, 1, s->q, s->v, C, error) : status;
    if (status == SOA_OK && by_mass) {
        status = soa_mass_multiply(s->model, s->workspace, 1, s->q, vdot, T, error);
        for (int i = 0; i < s->nv; i++) {
            T[i] += C[i];
        }
    } else if (status == SOA_OK) {
        status = soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, vdot, NULL, T, error);
    }
    note_error(row, difference(s->nv, T, s->tau, largest(s->nv, C)));
    return status;
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

static soa_status check_mass(const check_state *s, double *A, check_row *row, soa_error *error)
{
    soa_status status = soa_mass_matrix(s->model, s->workspace, 1, s->q, A, error);
    status = status == SOA_OK ? soa_mass_multiply(s->model, s->workspace, 1, s->q, s->vdot, s->x[0], error) : status;
    multiply(s->nv, A, s->vdot, s->x[1]);
    note_error(row, difference(s->nv, s->x[0], s->x[1], 0.0));
    return status;
}

static soa_status check_mass_inverse(const check_state *s, double *A, check_row *row, soa_error *error)
{
    soa_status status = soa_mass_inverse(s->model, s->workspace, 1, s->q, A, error);
    status = status == SOA_OK ? soa_mass_solve(s->model, s->workspace, 1, s->q, s->tau, s->x[0], error) : status;
    multiply(s->nv, A, s->tau, s->x[1]);
    note_error(row, difference(s->nv, s->x[0], s->x[1], 0.0));
    return status;
}

static soa_status check_coriolis(const check_state *s, double *A, check_row *row, soa_error *error)
{
    soa_status status = soa_coriolis_matrix(s->model, s->workspace, 1, s->q, s->v, A, error);
    status = status == SOA_OK ? soa_coriolis_force(s->model, s->workspace, 1, s->q, s->v, s->x[0], error) : status;
    multiply(s->nv, A, s->v, s->x[1]);
    note_error(row, difference(s->nv, s->x[0], s->x[1], largest(s->nv * s->nv, A) * largest(s->nv, s->v)));
    return status;
}

/* ---- energy -------------------------------------------------------------------------------------------- */

/* dE/dt = beta . T along q' = beta, beta' = vdot, by differences of fourth order. */
static soa_status check_energy(const check_state *s, check_row *row, soa_error *error)
{
    static const double weight[4] = { 1.0, -8.0, 8.0, -1.0 }, step[4] = { -2.0, -1.0, 1.0, 2.0 };
    const double h = 1e-3;
    double *q = s->x[0], *v = s->x[1], *T = s->x[2];
    double rate = 0.0, power = 0.0, scale = 0.0;
    soa_status status = soa_inverse_dynamics(s->model, s->workspace, 1, s->q, s->v, s->vdot, NULL, T, error);
    for (int i = 0; i < 4 && status == SOA_OK; i++) {
        double energy[2] = { 0.0, 0.0 };
        soa_integrate(s->model, s->q, s->v, step[i] * h, q);
        for (int n = 0; n < s->nv; n++) {
            v[n] = s->v[n] + step[i] * h * s->vdot[n];
        }
        status = soa_energy(s->model, s->workspace, 1, q, v, energy, error);
        rate += weight[i] * (energy[0] + energy[1]) / (12.0 * h);
        scale = fmax(scale, fabs(energy[0]) + fabs(energy[1]));
    }
    for (int n = 0; n < s->nv; n++) {
        power += s->v[n] * T[n];
        scale += fabs(s->v[n] * T[n]);
    }
    note_error(row, scale > 0.0 ? fabs(rate - power) / scale : 0.0);
    return status;
}

/* ---- kinematics ------------------------------------------------------------------------------------------ */

/* J v is the velocity of the last body's link. */
static soa_status check_jacobian(const check_state *s, check_row *row, soa_error *error)
{
    const int body = soa_model_bodies(s->model) - 1;
    const soa_point point = { soa_model_body(s->model, body).link, soa_pose_identity() };
    double *J = calloc(6 * (size_t)s->nv + 1, sizeof *J), velocity[6] = { 0.0 }, pose[12], got[6] = { 0.0 };
    if (J == NULL) {
        return SOA_E_MEMORY;
    }
    soa_status status = soa_jacobian(s->model, s->workspace, 1, &point, SOA_AXES_MIXED, 1, s->q, J, error);
    if (status == SOA_OK) {
        status =
            soa_point_kinematics(s->model, s->workspace, 1, &point, 1, s->q, s->v, NULL, pose, velocity, NULL, error);
    }
    for (int i = 0; i < 6 * s->nv; i++) {
        got[i / s->nv] += J[i] * s->v[i % s->nv];
    }
    note_error(row, difference(6, got, velocity, 0.0));
    free(J);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

typedef struct method_name {
    soa_method method;
    const char *label, *text;
} method_name;

static int add_forward(const check_state *s, check_table *table, int first, soa_error *error)
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
        check_row *row = check_row_of(table, first + i, METHOD[i].label, METHOD[i].text, CHECK_TOLERANCE);
        if (row == NULL || check_forward(s, row, METHOD[i].method, error) != SOA_OK) {
            return -1;
        }
    }
    check_row *row = check_row_of(table, first + count, "ID", "id(fd(T)) = T", CHECK_TOLERANCE);
    if (row == NULL || check_inverse(s, row, false, error) != SOA_OK) {
        return -1;
    }
    row = check_row_of(table, first + count + 1, "ID", "Mass fd(T) + C = T", CHECK_TOLERANCE);
    return row == NULL || check_inverse(s, row, true, error) != SOA_OK ? -1 : first + count + 2;
}

static int add_matrices(const check_state *s, bool mass, check_table *table, int first, soa_error *error)
{
    double *A = malloc(((size_t)s->nv * (size_t)s->nv + 1) * sizeof *A);
    check_row *crb = check_row_of(table, first, "CRB", "Mass x, the matrix = Mass x, the sweeps", CHECK_TOLERANCE);
    check_row *cor = check_row_of(table, first + 1, "COR", "Coriolis matrix beta = Coriolis force", CHECK_TOLERANCE);
    check_row *inv =
        mass ? check_row_of(table, first + 2, "MINV", "Mass^-1 x, the matrix = Mass^-1 x, the sweeps", CHECK_TOLERANCE)
             : cor;
    bool good = A != NULL && crb != NULL && cor != NULL && inv != NULL;
    if (good) { /* making a row may have moved the others */
        good = check_mass(s, A, &table->row[first], error) == SOA_OK &&
               check_coriolis(s, A, &table->row[first + 1], error) == SOA_OK &&
               (!mass || check_mass_inverse(s, A, &table->row[first + 2], error) == SOA_OK);
    }
    free(A);
    return good ? first + (mass ? 3 : 2) : -1;
}

int check_algorithms(const check_state *s, bool mass, check_table *table, int first, int *next)
{
    soa_error error;
    soa_error_clear(&error);
    check_row *row = check_row_of(table, first, "V", "J beta = velocity of the last link", CHECK_TOLERANCE);
    int at = row != NULL && check_jacobian(s, row, &error) == SOA_OK ? first + 1 : -1;
    row = at < 0 ? NULL : check_row_of(table, at, "ID", "d/dt energy = beta . id(betadot)", CHECK_BY_DIFFERENCES);
    at = row != NULL && check_energy(s, row, &error) == SOA_OK ? at + 1 : -1;
    at = at >= 0 && mass ? add_forward(s, table, at, &error) : at;
    at = at >= 0 && s->nv <= MOST_DOFS ? add_matrices(s, mass, table, at, &error) : at;
    *next = at;
    if (at < 0) {
        return error.status != SOA_OK ? tool_fail_error(&error) : tool_fail_memory();
    }
    return TOOL_OK;
}
