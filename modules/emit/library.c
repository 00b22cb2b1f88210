/* emit/library.c - the table of algorithms, each with the call of the library that it must agree with. */
#include "emit/job.h"
#include "emit_list.h"
#include "soa/parameters.h"
#include "soa/sens.h"

#define REFERENCE(name, ...)                                               \
    static soa_status name(emit_reference *r)                              \
    {                                                                      \
        const double *q = r->in[IN_Q], *v = r->in[IN_V], *u = r->in[IN_U]; \
        double *const *y = r->out;                                         \
        (void)q, (void)v, (void)u;                                         \
        return __VA_ARGS__;                                                \
    }
REFERENCE(run_id, soa_inverse_dynamics(r->model, r->workspace, 1, q, v, u, NULL, y[0], &r->error))
REFERENCE(run_fd, soa_forward_dynamics(r->model, r->workspace, 1, q, v, u, NULL, y[0], &r->error))
REFERENCE(run_closed_fd,
    soa_closed_forward_dynamics(r->closures, 1, q, v, u, NULL, y[0], NULL, NULL, &r->error)) /* and the status is 0 */
REFERENCE(run_bias, soa_bias_force(r->model, r->workspace, 1, q, v, y[0], &r->error))
REFERENCE(run_gravity, soa_gravity_force(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_mass, soa_mass_matrix(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_massinv, soa_mass_inverse(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_coriolis, soa_coriolis_matrix(r->model, r->workspace, 1, q, v, y[0], &r->error))
REFERENCE(run_kinematics,
    r->points > 0
        ? soa_point_kinematics(r->model, r->workspace, r->points, r->point, 1, q, v, u, y[0], y[1], y[2], &r->error)
        : soa_kinematics(r->model, r->workspace, 1, q, v, u, y[0], y[1], y[2], &r->error))
REFERENCE(
    run_jacobian, soa_jacobian(r->model, r->workspace, r->points, r->point, SOA_AXES_MIXED, 1, q, y[0], &r->error))
REFERENCE(run_osim, soa_operational_inertia(r->model, r->workspace, r->points, r->point, 1, q, y[0], y[1], &r->error))
REFERENCE(run_energy, soa_energy(r->model, r->workspace, 1, q, v, y[0], &r->error))
REFERENCE(run_momentum, soa_momentum(r->model, r->workspace, 1, q, v, y[0], NULL, &r->error))
REFERENCE(run_centroidal, soa_centroidal_matrix(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_id_derivatives,
    soa_inverse_dynamics_derivatives(r->model, r->workspace, 1, q, v, u, NULL, y[0], y[1], NULL, &r->error))
REFERENCE(run_fd_derivatives,
    soa_forward_dynamics_derivatives(r->model, r->workspace, 1, q, v, u, NULL, y[1], y[2], y[3], y[0], &r->error))
REFERENCE(run_regressor, soa_regressor(r->model, r->workspace, 1, q, v, u, y[0], &r->error))

/* ---- the table --------------------------------------------------------------------------------------- */

/* What it needs, and what it may promise: see emit_algorithm. */
enum { POINTS = 1, SOLVES = 2, EXACT = 4, CLOSED = 8, PUSHED = 16 };

static const struct {
    bool (*trace)(emit_job *job);
    soa_status (*reference)(emit_reference *r);
    int traits;
} HOW[] = {
    { trace_id, run_id, EXACT },
    { trace_fd, run_fd, EXACT | PUSHED },
    { trace_closed_fd, run_closed_fd, SOLVES | CLOSED | PUSHED },
    { trace_id, run_bias, EXACT },
    { trace_id, run_gravity, EXACT },
    { trace_mass, run_mass, EXACT },
    { trace_massinv, run_massinv, 0 },
    { trace_coriolis, run_coriolis, EXACT },
    { trace_kinematics, run_kinematics, EXACT },
    { trace_jacobian, run_jacobian, POINTS | EXACT },
    { trace_osim, run_osim, POINTS | SOLVES },
    { trace_energy, run_energy, EXACT },
    { trace_momentum, run_momentum, EXACT },
    { trace_centroidal, run_centroidal, EXACT },
    { trace_id_derivatives, run_id_derivatives, 0 },
    { trace_fd_derivatives, run_fd_derivatives, SOLVES },
    { trace_regressor, run_regressor, 0 },
};

static const emit_algorithm ALGORITHM[] = {
#define ALGORITHM_ROW(name, word, inputs, third, outputs, equation) \
    { #name, word, inputs, third, outputs, equation, NULL, NULL, false, false, false, false, false },
    EMIT_LIST(ALGORITHM_ROW)
#undef ALGORITHM_ROW
};

_Static_assert(
    sizeof HOW / sizeof HOW[0] == sizeof ALGORITHM / sizeof ALGORITHM[0], "each algorithm has its functions");

bool emit_find(const char *name, emit_algorithm *found)
{
    for (size_t i = 0; i < sizeof ALGORITHM / sizeof ALGORITHM[0]; i++) {
        if (strcmp(ALGORITHM[i].name, name) == 0 || strcmp(ALGORITHM[i].word, name) == 0) {
            *found = ALGORITHM[i];
            found->trace = HOW[i].trace;
            found->reference = HOW[i].reference;
            found->needs_points = (HOW[i].traits & POINTS) != 0;
            found->solves = (HOW[i].traits & SOLVES) != 0;
            found->closed = (HOW[i].traits & CLOSED) != 0;
            found->pushed = (HOW[i].traits & PUSHED) != 0;
            found->exact = (HOW[i].traits & EXACT) != 0;
            return true;
        }
    }
    return false;
}
