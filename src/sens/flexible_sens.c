/* sens/flexible_sens.c - derivatives of models with flexible links.
 *
 * The kernels of dynamics/ on numbers with slopes (spatial/dual.h) give a derivative along one direction at the cost of a
 * few runs, exact to rounding, whatever the kernel is:
 *     dT/dq e,  dT/dv e   by inverse dynamics          dvdot/dx = -Mass^-1 dT/dx at vdot(T)
 *     d(Mass x)/dq_i      by products
 *     dT/dg = -A*         A the rows of the centroidal matrix for linear momentum
 * Those of the mass matrix are in flexible_mass.c, second ones in flexible_second.c, the regressor in
 * flexible_parameters.c. */
#include "sens/flexible_sens.h"

#include <limits.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"
#include "sens/turning.h"
#include "soa/parameters.h"

/* ---- dynamics -------------------------------------------------------------------------------- */

/* A matrix with nv rows: its rows are `pitch` numbers apart. */
typedef struct matrix_out {
    double *at;
    size_t pitch;
} matrix_out;

static size_t columns_by(const soa_model *m, soa_dual_by by)
{
    return by == SOA_DUAL_BY_PLACE ? 6 * (size_t)m->bodies : (size_t)m->nv;
}

/* Column by column the derivative of nv numbers that a kernel makes. */
static void by_columns(soa_dual_scene *s, soa_kernel_id kernel, soa_dual_by by, matrix_out out)
{
    const size_t n = (size_t)s->m->nv, columns = columns_by(s->m, by);
    for (size_t c = 0; out.at && c < columns; c++) {
        soa_dual_along_one(s, by, c);
        soa_dual_run(s, kernel, (soa_call){ .y.at = s->y });
        for (size_t r = 0; r < n; r++) {
            out.at[r * out.pitch + c] = soa_dual_slope(s->y, r);
        }
    }
}

/* Some columns of out become -Mass^-1 times them, in lanes. */
static soa_status solve_panel(soa_dual_scene *s, size_t first, size_t count, matrix_out out)
{
    const size_t n = (size_t)s->m->nv;
    double *x = s->y, *y = s->y + SOA_MAX_LANES * n;
    for (size_t i = 0; i < count * n; i++) {
        x[i] = -out.at[i % n * out.pitch + first + i / n];
    }
    soa_call call = { .q = { s->q, 0 }, .u = { x, n }, .u_name = "x", .y = { y, n } };
    const soa_status status = soa_run_inside(s->w, SOA_KERNEL_mass_solve, (int)count, &call);
    for (size_t i = 0; i < count * n; i++) {
        out.at[i % n * out.pitch + first + i / n] = y[i];
    }
    return status;
}

static soa_status solve_columns(soa_dual_scene *s, size_t columns, matrix_out out)
{
    soa_status status = SOA_OK;
    for (size_t c = 0; out.at && status == SOA_OK && c < columns; c += SOA_MAX_LANES) {
        status = solve_panel(s, c, columns - c < SOA_MAX_LANES ? columns - c : SOA_MAX_LANES, out);
    }
    return status;
}

/* dT/dv of what is quadratic in v. */
static void by_velocity(soa_dual_scene *s, matrix_out out)
{
    const size_t n = (size_t)s->m->nv;
    if (s->v) {
        by_columns(s, SOA_KERNEL_inverse_dynamics, SOA_DUAL_BY_V, out);
    }
    for (size_t i = 0; !s->v && out.at && i < n; i++) {
        memset(out.at + i * out.pitch, 0, n * sizeof *out.at);
    }
}

static soa_status inverse(soa_dual_scene *s, double *const y[SOA_OUTPUTS], soa_error *error)
{
    const size_t n = (size_t)s->m->nv;
    by_columns(s, SOA_KERNEL_inverse_dynamics, SOA_DUAL_BY_Q, (matrix_out){ y[0], n });
    by_velocity(s, (matrix_out){ y[1], n });
    return y[2] ? soa_mass_matrix(s->m, s->w, 1, s->q, y[2], error) : SOA_OK;
}

/* s->u: T. vdot: NULL, or where it is wanted. */
static soa_status forward(
    soa_dual_scene *s, matrix_out by_q, matrix_out by_v, double *by_T, double *vdot, soa_error *error)
{
    const size_t n = (size_t)s->m->nv;
    double *own = vdot ? vdot : s->y;
    soa_status status = soa_forward_dynamics(s->m, s->w, 1, s->q, s->v, s->u, s->f, own, error);
    if (status != SOA_OK) {
        return status;
    }
    s->u = own;
    soa_dual_begin(s);
    by_columns(s, SOA_KERNEL_inverse_dynamics, SOA_DUAL_BY_Q, by_q);
    by_velocity(s, by_v);
    status = solve_columns(s, n, by_q);
    SOA_NEXT(status, solve_columns(s, n, by_v));
    return status == SOA_OK && by_T ? soa_mass_inverse(s->m, s->w, 1, s->q, by_T, error) : status;
}

/* A, B, C, D; the derivatives of vdot are the lower half of A and B.  [LIN] */
static soa_status linear(soa_dual_scene *s, double *const y[SOA_OUTPUTS], soa_error *error)
{
    const size_t n = (size_t)s->m->nv;
    double *A = y[0], *B = y[1], *C = y[2], *D = y[3], *lower = A + 2 * n * n;
    const soa_status status =
        forward(s, (matrix_out){ lower, 2 * n }, (matrix_out){ lower + n, 2 * n }, B + n * n, NULL, error);
    linear_upper(s->m, s->v, 0, n, 1, A, B);
    linear_outputs(n, 1, A, B, C, D);
    return status;
}

/* From now on u is the vdot that T makes. */
static soa_status accelerate(soa_dual_scene *s, soa_error *error)
{
    double *vdot = s->y;
    const soa_status status = soa_forward_dynamics(s->m, s->w, 1, s->q, s->v, s->u, s->f, vdot, error);
    s->u = vdot;
    soa_dual_begin(s);
    return status;
}

/* dvdot = -Mass^-1 Y at the vdot that T makes. */
static soa_status by_parameters(soa_dual_scene *s, double *out, soa_error *error)
{
    const size_t columns = SOA_PARAMETERS * (size_t)s->m->description.link.count;
    soa_status status = accelerate(s, error);
    if (status == SOA_OK) {
        soa_flexible_regressor(s, out);
        status = solve_columns(s, columns, (matrix_out){ out, columns });
    }
    return status;
}

/* Derivatives by the places of joints: of T at vdot, or of vdot at T. */
static soa_status by_places(soa_dual_scene *s, bool forward, double *out, soa_error *error)
{
    const matrix_out to = { out, columns_by(s->m, SOA_DUAL_BY_PLACE) };
    soa_status status = forward ? accelerate(s, error) : SOA_OK;
    if (status == SOA_OK) {
        by_columns(s, SOA_KERNEL_inverse_dynamics, SOA_DUAL_BY_PLACE, to);
        status = forward ? solve_columns(s, to.pitch, to) : SOA_OK;
    }
    return status;
}

/* ---- points and gravity ---------------------------------------------------------------------- */

/* dT by displacements of q or of joints += -d(J* f) of one point, its columns of dT_df = -J*. */
static void point_columns(
    soa_dual_scene *s, const soa_call *call, int point, soa_dual_by by, const double *f, double *dT, double *df)
{
    const size_t n = (size_t)s->m->nv, pitch = columns_by(s->m, by), forces = 6 * (size_t)call->points;
    const soa_call J = { .point = call->point + point, .points = 1, .option = SOA_AXES_MIXED, .y.at = s->y };
    for (size_t c = 0; c < pitch && (dT || c == 0); c++) {
        soa_dual_along_one(s, by, c);
        soa_dual_run(s, SOA_KERNEL_jacobian, J);
        for (size_t r = 0; r < 6 * n; r++) {
            const size_t row = r / n, velocity = r % n;
            if (dT && f) {
                dT[velocity * pitch + c] -= soa_dual_slope(s->y, r) * f[6 * (size_t)point + row];
            }
            if (df && c == 0) {
                df[velocity * forces + 6 * (size_t)point + row] = -s->y[2 * r];
            }
        }
    }
}

static void point_forces(
    soa_dual_scene *s, const soa_call *call, soa_dual_by by, const double *f, double *dT, double *df)
{
    if (dT) {
        memset(dT, 0, (size_t)s->m->nv * columns_by(s->m, by) * sizeof *dT);
    }
    for (int i = 0; i < call->points; i++) {
        point_columns(s, call, i, by, f, dT, df);
    }
}

static soa_status gravity(soa_dual_scene *s, double *dT, double *dvdot)
{
    const size_t n = (size_t)s->m->nv;
    soa_dual_run(s, SOA_KERNEL_centroidal_matrix, (soa_call){ .y.at = s->y });
    for (size_t i = 0; i < 3 * n; i++) {
        const double slope = -s->y[2 * (3 * n + i)];
        if (dT) {
            dT[i % n * 3 + i / n] = slope;
        }
        if (dvdot) {
            dvdot[i % n * 3 + i / n] = slope;
        }
    }
    return solve_columns(s, 3, (matrix_out){ dvdot, 3 });
}

/* ---- states ---------------------------------------------------------------------------------- */

static double *out_of(soa_out out, int state)
{
    return out.at ? out.at + (size_t)state * out.stride : NULL;
}

static const double *in_of(soa_in in, int state)
{
    return in.at ? in.at + (size_t)state * in.stride : NULL;
}

/* The most velocities of a model with which a derivative is made: fewer where it takes room for a matrix with slopes or the
 * time of many runs. */
static int most_velocities(soa_sens_id kernel)
{
    switch (kernel) {
    case SOA_SENS_articulated_rates:
    case SOA_SENS_diagonal_equations:
        return INT_MAX;
    case SOA_SENS_mass_derivatives:
    case SOA_SENS_mass_derivative:
    case SOA_SENS_mass_rate:
    case SOA_SENS_christoffel:
    case SOA_SENS_christoffel_packed:
    case SOA_SENS_christoffel_product:
        return SOA_SQUARE_MOST;
    default:
        return SOA_DERIVATIVES_MOST;
    }
}

/* SOA_E_SINGULAR: D of a body, if it is one. */
static soa_status singular(const soa_dual_scene *s, int state, int body, soa_error *error)
{
    return body < 0 ? SOA_OK : soa_fail_singular(s->w, state, body, error);
}

static soa_status run_kernel(soa_dual_scene *s, soa_sens_id kernel, const soa_call *call, int state,
    double *const y[SOA_OUTPUTS], soa_error *error)
{
    const size_t n = (size_t)s->m->nv;
    const double *x = s->v, *given = s->u;
    soa_dual_begin(s);
    switch (kernel) {
    case SOA_SENS_inverse_dynamics_derivatives:
        return inverse(s, y, error);
    case SOA_SENS_forward_dynamics_derivatives:
        return forward(s, (matrix_out){ y[0], n }, (matrix_out){ y[1], n }, y[2], y[3], error);
    case SOA_SENS_linear_model:
        return linear(s, y, error);
    case SOA_SENS_regressor:
        soa_flexible_regressor(s, y[0]);
        return SOA_OK;
    case SOA_SENS_forward_dynamics_parameters:
        return by_parameters(s, y[0], error);
    case SOA_SENS_inverse_dynamics_placement:
    case SOA_SENS_forward_dynamics_placement:
        return by_places(s, kernel == SOA_SENS_forward_dynamics_placement, y[0], error);
    case SOA_SENS_inverse_dynamics_second_derivatives:
        return soa_flexible_second(s, in_of(call->x, state), y, error);
    case SOA_SENS_diagonal_equations:
        return singular(s, state, soa_flexible_diagonal(s, y), error);
    default:
        break;
    }
    s->v = s->f = NULL;
    s->u = kernel == SOA_SENS_mass_product_derivative ? x : NULL;
    soa_dual_begin(s);
    switch (kernel) {
    case SOA_SENS_articulated_rates:
        return singular(s, state, soa_flexible_articulated_rates(s, x, y), error);
    case SOA_SENS_point_force_derivatives:
        point_forces(s, call, SOA_DUAL_BY_Q, in_of(call->g, state), y[0], y[1]);
        return SOA_OK;
    case SOA_SENS_point_force_placement:
        point_forces(s, call, SOA_DUAL_BY_PLACE, in_of(call->g, state), y[0], NULL);
        return SOA_OK;
    case SOA_SENS_point_acceleration_derivatives:
        point_forces(s, call, SOA_DUAL_BY_Q, NULL, NULL, y[0]);
        return solve_columns(s, 6 * (size_t)call->points, (matrix_out){ y[0], 6 * (size_t)call->points });
    case SOA_SENS_gravity_derivatives:
        return gravity(s, y[0], y[1]);
    case SOA_SENS_mass_derivatives:
        for (size_t i = 0; i < n; i++) {
            soa_flexible_mass_along_one(s, i, y[0] + i * n * n);
        }
        return SOA_OK;
    case SOA_SENS_mass_derivative:
        soa_flexible_mass_along_one(s, (size_t)call->option, y[0]);
        return SOA_OK;
    case SOA_SENS_mass_rate:
        soa_flexible_mass_along(s, x, y[0]);
        return SOA_OK;
    case SOA_SENS_mass_product_derivative:
        by_columns(s, SOA_KERNEL_mass_multiply, SOA_DUAL_BY_Q, (matrix_out){ y[0], n });
        return SOA_OK;
    case SOA_SENS_christoffel_product:
        return soa_flexible_symbols_product(s, x, given, y[0], error);
    default:
        return soa_flexible_symbols(s, kernel == SOA_SENS_christoffel_packed, y[0], error);
    }
}

/* The call with the inputs of one state copied: an output may be the same array, and is written while they are needed. */
static soa_call with_own_inputs(const soa_workspace *w, const soa_call *call, int state)
{
    const soa_model *m = w->model;
    const int numbers[SOA_INPUTS] = { m->nq, m->nv, m->nv, m->nv, 6 * m->bodies, 6 * call->points, 0 };
    soa_call own = *call;
    double *copy = w->state;
    for (int k = 0; k < SOA_INPUTS; k++) {
        if (call->in[k].at) {
            memcpy(copy, in_of(call->in[k], state), (size_t)numbers[k] * sizeof *copy);
            own.in[k] = (soa_in){ copy, 0 };
        }
        copy += numbers[k];
    }
    return own;
}

static soa_status run_state(soa_workspace *w, soa_sens_id kernel, int i, const soa_call *call, soa_error *error)
{
    const soa_call own = with_own_inputs(w, call, i);
    soa_dual_scene s = { .w = w, .m = w->model, .q = own.q.at, .v = own.v.at, .u = own.u.at, .f = own.f.at };
    double *const y[SOA_OUTPUTS] = { out_of(call->y, i), out_of(call->y2, i), out_of(call->y3, i),
        out_of(call->y4, i) };
    soa_status status = soa_check_state(w, call, i, error);
    SOA_NEXT(status, soa_check_configuration(s.m, s.q, error));
    SOA_NEXT(status, run_kernel(&s, kernel, &own, i, y, error));
    for (int k = 0; status == SOA_OK && k < SOA_OUTPUTS; k++) {
        const soa_state_out out = { y[k], 1 };
        status = y[k] ? soa_check_result(
                            w, (soa_result){ "derivative", SOA_NO_OUTPUT, false }, out, call->out[k].stride, i, error)
                      : SOA_OK;
    }
    return status;
}

soa_status soa_flexible_sens(soa_workspace *w, soa_sens_id kernel, int states, soa_call *call, soa_error *error)
{
    if (states < 0 || (states > 0 && w->model->nq > 0 && !call->q.at)) {
        return soa_fail_states(error);
    }
    const int most = most_velocities(kernel);
    if (w->spacing != 1) {
        return soa_refuse_flexible(w->model, "derivatives in the layout of blocks", error);
    }
    if (w->model->nv > most) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d velocities; this derivative of models with flexible links is made with at most %d", w->model->nv, most);
    }
    call->spacing = 1;
    soa_status status = call->points == 0 ? SOA_OK : soa_check_call_points(w, call, error);
    if (status != SOA_OK) {
        return status;
    }
    for (int i = 0; i < states; i++) {
        soa_error *to = status == SOA_OK ? error : NULL;
        const soa_status failed = run_state(w, kernel, i, call, to);
        if (failed != SOA_OK) {
            SOA_NEXT(status, soa_at_state(failed, w, i, to));
            for (int y = 0; y < SOA_OUTPUTS; y++) {
                soa_spoil((soa_state_out){ out_of(call->out[y], i), 1 }, call->out[y].at ? call->out[y].stride : 0);
            }
        }
    }
    return status;
}
