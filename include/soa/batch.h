/* soa/batch.h - the functions of soa/dynamics.h on many states, by several threads.
 *
 * A batch owns one workspace per thread and the threads, which sleep between calls.
 * The states are divided into as many runs of neighbours as there are threads, in whole
 * blocks of lanes. Outputs, status and error are those of one call of soa/dynamics.h on
 * all states, to the bit, whatever the number of threads.
 *
 * Nothing is allocated by a call. One thread at a time may call a batch; a call while
 * another is under way, also from within a task, is refused (SOA_E_ARGUMENT). */
#ifndef SOA_BATCH_H
#define SOA_BATCH_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_batch soa_batch;

/* threads 0: one per processor; the caller's own is one of them. The model must outlive
 * the batch. allocator NULL: that of the model. A library built without threads
 * (SOA_THREADS off) gives a batch of one. */
SOA_API soa_status soa_batch_new(
    const soa_model *model, int threads, const soa_allocator *allocator, soa_batch **batch, soa_error *error);
SOA_API void soa_batch_free(soa_batch *batch);
SOA_API int soa_batch_threads(const soa_batch *batch);

/* As for a workspace, of all workspaces of the batch. */
SOA_API int soa_batch_lanes(const soa_batch *batch);
SOA_API soa_status soa_batch_reserve(soa_batch *batch, int points, soa_error *error);
SOA_API soa_status soa_batch_set_lanes(soa_batch *batch, int lanes, soa_error *error);
SOA_API soa_status soa_batch_set_layout(soa_batch *batch, soa_layout layout, soa_error *error);

/* ---- any work -------------------------------------------------------------------------- */

/* Works on count states from number `first` on, a multiple of the lanes. A function of
 * soa/dynamics.h that is given the workspace takes state 0 of its call for state `first`
 * in error->state and the message. */
typedef soa_status soa_batch_task(void *context, soa_workspace *workspace, int first, int count, soa_error *error);

/* The task for all states: one call of it in each thread (one call with count 0 if there
 * are no states). Of the tasks that fail the one with the lowest states gives status and error. */
SOA_API soa_status soa_batch_run(soa_batch *batch, int states, soa_batch_task *task, void *context, soa_error *error);

/* ---- the functions of soa/dynamics.h ---------------------------------------------------
 * Each of those that take states, as soa_batch_NAME, with a batch for model and workspace:
 *     soa_batch_forward_dynamics(batch, states, q, v, T, f, vdot, error) */

/* clang-format off */
/* Of every function with states: its arguments in their order. ARG: a type and a name;
 * STATES: their number; IN and OUT: an array, and how many numbers one state has in it. */
#define SOA_BATCH_inverse_dynamics(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) IN(f, 6 * bodies) OUT(T, nv)
#define SOA_BATCH_forward_dynamics(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) IN(f, 6 * bodies) OUT(vdot, nv)
#define SOA_BATCH_forward_dynamics_by(ARG, STATES, IN, OUT) \
    ARG(soa_method, method) STATES IN(q, nq) IN(v, nv) IN(T, nv) IN(f, 6 * bodies) OUT(vdot, nv)
#define SOA_BATCH_hybrid_dynamics(ARG, STATES, IN, OUT) \
    ARG(const bool *, prescribed) STATES IN(q, nq) IN(v, nv) IN(f, 6 * bodies) OUT(T, nv) OUT(vdot, nv)
#define SOA_BATCH_bias_force(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) OUT(C, nv)
#define SOA_BATCH_gravity_force(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(C, nv)
#define SOA_BATCH_coriolis_force(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) OUT(C, nv)
#define SOA_BATCH_joint_forces(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) IN(f, 6 * bodies) OUT(F, 6 * bodies)
#define SOA_BATCH_mass_matrix(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(mass, nv * nv)
#define SOA_BATCH_mass_inverse(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(inverse, nv * nv)
#define SOA_BATCH_mass_multiply(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(x, nv) OUT(y, nv)
#define SOA_BATCH_mass_solve(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(x, nv) OUT(y, nv)
#define SOA_BATCH_coriolis_matrix(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) OUT(C, nv * nv)
#define SOA_BATCH_kinematics(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(vdot, nv) OUT(pose, 12 * links) OUT(velocity, 6 * links) \
    OUT(acceleration, 6 * links)
#define SOA_BATCH_point_kinematics(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) IN(v, nv) IN(vdot, nv) OUT(pose, 12 * points) \
    OUT(velocity, 6 * points) OUT(acceleration, 6 * points)
#define SOA_BATCH_jacobian(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) ARG(soa_axes, axes) STATES IN(q, nq) OUT(J, 6 * points * nv)
#define SOA_BATCH_jacobian_rate(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) ARG(soa_axes, axes) STATES IN(q, nq) IN(v, nv) \
    OUT(J_dot, 6 * points * nv)
#define SOA_BATCH_jacobian_bias(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) IN(v, nv) OUT(bias, 6 * points)
#define SOA_BATCH_coupling_matrix(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) OUT(G, nv * independent) OUT(bias, nv)
#define SOA_BATCH_reduced_mass_matrix(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(mass, independent * independent)
#define SOA_BATCH_reduced_forward_dynamics(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) IN(T, nv) IN(f, 6 * bodies) OUT(vdot, nv)
#define SOA_BATCH_operational_inertia(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) OUT(lambda, 36 * points * points) \
    OUT(inertia, 36 * points * points)
#define SOA_BATCH_operational_bias(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) IN(v, nv) IN(inertia, 36 * points * points) \
    OUT(coriolis, 6 * points) OUT(gravity, 6 * points)
#define SOA_BATCH_point_correction(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) STATES IN(q, nq) IN(f, 6 * points) OUT(vdot_change, nv)
#define SOA_BATCH_energy(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) OUT(energy, 2)
#define SOA_BATCH_momentum(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) IN(v, nv) OUT(momentum, 12) OUT(rate, 6)
#define SOA_BATCH_centroidal_matrix(ARG, STATES, IN, OUT) \
    STATES IN(q, nq) OUT(A, 6 * nv)
/* clang-format on */

/* The names of all of them. */
#define SOA_BATCH_LIST(X)       \
    X(inverse_dynamics)         \
    X(forward_dynamics)         \
    X(forward_dynamics_by)      \
    X(hybrid_dynamics)          \
    X(bias_force)               \
    X(gravity_force)            \
    X(coriolis_force)           \
    X(joint_forces)             \
    X(mass_matrix)              \
    X(mass_inverse)             \
    X(mass_multiply)            \
    X(mass_solve)               \
    X(coriolis_matrix)          \
    X(kinematics)               \
    X(point_kinematics)         \
    X(jacobian)                 \
    X(jacobian_rate)            \
    X(jacobian_bias)            \
    X(coupling_matrix)          \
    X(reduced_mass_matrix)      \
    X(reduced_forward_dynamics) \
    X(operational_inertia)      \
    X(operational_bias)         \
    X(point_correction)         \
    X(energy)                   \
    X(momentum)                 \
    X(centroidal_matrix)

/* Their declarations. */
#define SOA_BATCH_ARGUMENT(type, name)  type name,
#define SOA_BATCH_STATES                int states,
#define SOA_BATCH_INPUT(name, numbers)  const double *name,
#define SOA_BATCH_OUTPUT(name, numbers) double *name,
#define SOA_BATCH_ARGUMENTS(name) \
    SOA_BATCH_##name(SOA_BATCH_ARGUMENT, SOA_BATCH_STATES, SOA_BATCH_INPUT, SOA_BATCH_OUTPUT)
#define SOA_BATCH_DECLARE(name) \
    SOA_API soa_status soa_batch_##name(soa_batch *batch, SOA_BATCH_ARGUMENTS(name) soa_error *error);
SOA_BATCH_LIST(SOA_BATCH_DECLARE)
#undef SOA_BATCH_DECLARE

#ifdef __cplusplus
}
#endif
#endif
