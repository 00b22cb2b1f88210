/* dynamics/points.c - the API of soa/dynamics.h for kinematics, points and momentum. */
#include <math.h>

#include "core/dense.h"
#include "core/error.h"
#include "dynamics/kernels.h"

/* ---- kinematics ------------------------------------------------------------------------ */

soa_status soa_kinematics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *pose, double *velocity, double *acceleration, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .u.at = vdot, .u_name = "vdot" };
    call.y.at = pose;
    call.y2.at = velocity;
    call.y3.at = acceleration;
    return soa_run(workspace, model, SOA_KERNEL_kinematics, states, &call, error);
}

soa_status soa_point_kinematics(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    int states, const double *q, const double *v, const double *vdot, double *pose, double *velocity,
    double *acceleration, soa_error *error)
{
    if (!point) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the points are missing");
    }
    soa_call call = { .q.at = q, .v.at = v, .u.at = vdot, .u_name = "vdot", .point = point, .points = points };
    call.y.at = pose;
    call.y2.at = velocity;
    call.y3.at = acceleration;
    return soa_run(workspace, model, SOA_KERNEL_kinematics, states, &call, error);
}

static soa_status run_jacobian(soa_workspace *workspace, const soa_model *m, soa_kernel_id kernel, int states,
    soa_call *call, double *J, soa_error *error)
{
    if ((unsigned)call->option > SOA_AXES_WORLD) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "axes %d do not exist; use one of soa_axes", call->option);
    }
    call->y.at = J;
    return soa_run(workspace, m, kernel, states, call, error);
}

soa_status soa_jacobian(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    soa_axes axes, int states, const double *q, double *J, soa_error *error)
{
    soa_call call = { .q.at = q, .point = point, .points = points, .option = (int)axes };
    return run_jacobian(workspace, model, SOA_KERNEL_jacobian, states, &call, J, error);
}

soa_status soa_jacobian_rate(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    soa_axes axes, int states, const double *q, const double *v, double *J_dot, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .point = point, .points = points, .option = (int)axes };
    return run_jacobian(workspace, model, SOA_KERNEL_jacobian_rate, states, &call, J_dot, error);
}

soa_status soa_jacobian_bias(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    int states, const double *q, const double *v, double *bias, soa_error *error)
{
    if (!bias && points > 0 && states > 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the result bias is missing; give an array for it");
    }
    return soa_point_kinematics(model, workspace, points, point, states, q, v, NULL, NULL, NULL, bias, error);
}

/* ---- operational space -------------------------------------------------------------------- */

static soa_status fail_operational(const soa_workspace *w, int state, soa_error *error)
{
    return soa_at_state(soa_fail(error, SOA_E_SINGULAR, -1,
                            "state %d: the points cannot be accelerated in every direction: no operational-space "
                            "inertia; use lambda",
                            w->first + state),
        w, state, error);
}

soa_status soa_operational_inertia(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    int states, const double *q, double *lambda, double *inertia, soa_error *error)
{
    if (!workspace) {
        return soa_fail_states(error);
    }
    const size_t size = 36 * (size_t)points * (size_t)points, spacing = (size_t)workspace->spacing;
    soa_call call = { .q.at = q, .point = point, .points = points, .y.at = lambda };
    soa_error found;
    soa_status status = soa_run(workspace, model, SOA_KERNEL_operational_inverse, states, &call, &found);
    for (int s = 0; inertia && (status == SOA_OK || found.state >= 0) && s < states; s++) {
        const size_t at = soa_state_at(spacing, size, s);
        const size_t n = 6 * (size_t)points;
        if (soa_cholesky_inverse(n, spacing, lambda + at, inertia + at, SOA_COMPUTED).rank < n) {
            for (size_t i = 0; i < size; i++) {
                inertia[at + i * spacing] = NAN;
            }
            if (status == SOA_OK || workspace->first + s < found.state) {
                status = fail_operational(workspace, s, &found);
            }
        }
    }
    if (status != SOA_OK && error) {
        *error = found;
    }
    return status;
}

enum { MOST_POINTS = 64 };

/* x = -A x, the numbers of both `spacing` apart. */
static void reflect(size_t n, size_t spacing, const double *A, double *x)
{
    double y[6 * MOST_POINTS];
    for (size_t i = 0; i < n; i++) {
        y[i] = 0.0;
        for (size_t j = 0; j < n; j++) {
            y[i] -= A[(i * n + j) * spacing] * x[j * spacing];
        }
    }
    for (size_t i = 0; i < n; i++) {
        x[i * spacing] = y[i];
    }
}

/* From the accelerations with and without velocities (at, still) to the forces of both; false, and NaN in both, if
 * the inertia, an acceleration or a force is not finite. */
static bool split(size_t n, size_t spacing, const double *inertia, double *at, double *still)
{
    bool good = true;
    for (size_t i = 0; i < n * spacing; i += spacing) {
        at[i] -= still[i];
        good = good && isfinite(at[i]);
    }
    for (size_t i = 0; i < n * n; i++) {
        good = good && isfinite(inertia[i * spacing]);
    }
    if (good) {
        reflect(n, spacing, inertia, at);
        reflect(n, spacing, inertia, still);
    }
    for (size_t i = 0; i < n * spacing; i += spacing) {
        good = good && isfinite(at[i]) && isfinite(still[i]);
    }
    for (size_t i = 0; !good && i < n * spacing; i += spacing) {
        at[i] = still[i] = NAN;
    }
    return good;
}

soa_status soa_operational_bias(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    int states, const double *q, const double *v, const double *inertia, double *coriolis, double *gravity,
    soa_error *error)
{
    if (!workspace || points > MOST_POINTS || !inertia || !coriolis || !gravity) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "give a workspace, the inertia, both results, and at most 64 points");
    }
    const size_t n = 6 * (size_t)(points > 0 ? points : 0), spacing = (size_t)workspace->spacing;
    soa_error found;
    soa_error_clear(&found);
    soa_call call = { .q.at = q, .v.at = v, .point = point, .points = points };
    call.y.at = coriolis;
    soa_status status = soa_run(workspace, model, SOA_KERNEL_free_acceleration, states, &call, &found);
    if (status == SOA_OK || found.state >= 0) { /* else no state was run */
        call = (soa_call){ .q.at = q, .point = point, .points = points, .y.at = gravity };
        (void)soa_run(workspace, model, SOA_KERNEL_free_acceleration, states, &call, NULL);
        for (int s = 0; s < states; s++) {
            const double *A = inertia + soa_state_at(spacing, n * n, s);
            const size_t at = soa_state_at(spacing, n, s);
            const bool good = split(n, spacing, A, coriolis + at, gravity + at);
            if (!good && (status == SOA_OK || workspace->first + s < found.state)) {
                status = fail_operational(workspace, s, &found);
            }
        }
    }
    if (status != SOA_OK && error) {
        *error = found;
    }
    return status;
}

soa_status soa_point_correction(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    int states, const double *q, const double *f, double *vdot_change, soa_error *error)
{
    if (!f && points > 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the forces at the points are missing");
    }
    soa_call call = { .q.at = q, .point = point, .points = points };
    call.g.at = f;
    call.y.at = vdot_change;
    return soa_run(workspace, model, SOA_KERNEL_point_correction, states, &call, error);
}

/* ---- energy and momentum -------------------------------------------------------------------- */

soa_status soa_energy(const soa_model *model, soa_workspace *workspace, int states, const double *q, const double *v,
    double *energy, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v, .y.at = energy };
    return soa_run(workspace, model, SOA_KERNEL_energy, states, &call, error);
}

soa_status soa_momentum(const soa_model *model, soa_workspace *workspace, int states, const double *q, const double *v,
    double *momentum, double *rate, soa_error *error)
{
    soa_call call = { .q.at = q, .v.at = v };
    call.y.at = momentum;
    call.y2.at = rate;
    return soa_run(workspace, model, SOA_KERNEL_momentum, states, &call, error);
}

soa_status soa_centroidal_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *A, soa_error *error)
{
    soa_call call = { .q.at = q, .y.at = A };
    return soa_run(workspace, model, SOA_KERNEL_centroidal_matrix, states, &call, error);
}
