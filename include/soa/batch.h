/* soa/batch.h - the functions of soa/dynamics.h on many states, by several threads.
 *
 * A batch owns its threads, which sleep between calls, and one workspace per thread. It divides the states into as many
 * runs of neighbours as there are threads, in whole blocks of lanes. Outputs, status and error have the same bits as
 * those of one call of soa/dynamics.h on all states, for any number of threads.
 *
 * Calls allocate nothing. One thread at a time may call a batch. A call during another call, also from within a task, is
 * refused (SOA_E_ARGUMENT). */
#ifndef SOA_BATCH_H
#define SOA_BATCH_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_batch soa_batch;

/* Makes a batch with this many threads; 0 means one per processor. The caller's thread is one of them. The model must
 * outlive the batch. allocator NULL means that of the model. A library built without threads (SOA_THREADS off) makes a
 * batch with one thread. */
SOA_API soa_status soa_batch_new(
    const soa_model *model, int threads, const soa_allocator *allocator, soa_batch **batch, soa_error *error);
SOA_API void soa_batch_free(soa_batch *batch);
SOA_API int soa_batch_threads(const soa_batch *batch);

/* These act on all workspaces of the batch, as the functions of the same names do on one. */
SOA_API int soa_batch_lanes(const soa_batch *batch);
SOA_API soa_status soa_batch_reserve(soa_batch *batch, int points, soa_error *error);
SOA_API soa_status soa_batch_set_lanes(soa_batch *batch, int lanes, soa_error *error);
SOA_API soa_status soa_batch_set_layout(soa_batch *batch, soa_layout layout, soa_error *error);

/* ---- any work -------------------------------------------------------------------------- */

/* Works on count states, starting with state `first`, a multiple of the lanes. If a function of soa/dynamics.h is called
 * with the workspace, it counts states from `first` in error->state and in the message. */
typedef soa_status soa_batch_task(void *context, soa_workspace *workspace, int first, int count, soa_error *error);

/* Runs the task for all states: one call in each thread, or one call with count 0 if there are no states. If several
 * tasks fail, the one with the lowest states gives status and error. */
SOA_API soa_status soa_batch_run(soa_batch *batch, int states, soa_batch_task *task, void *context, soa_error *error);

/* ---- the functions of soa/dynamics.h ---------------------------------------------------
 * Every function that takes states has a counterpart soa_batch_NAME with a batch in place of model and workspace. */

SOA_API soa_status soa_batch_inverse_dynamics(soa_batch *batch, int states, const double *q, const double *v,
    const double *vdot, const double *f, double *T, soa_error *error);
SOA_API soa_status soa_batch_forward_dynamics(soa_batch *batch, int states, const double *q, const double *v,
    const double *T, const double *f, double *vdot, soa_error *error);
SOA_API soa_status soa_batch_forward_dynamics_by(soa_batch *batch, soa_method method, int states, const double *q,
    const double *v, const double *T, const double *f, double *vdot, soa_error *error);
SOA_API soa_status soa_batch_hybrid_dynamics(soa_batch *batch, const bool *prescribed, int states, const double *q,
    const double *v, const double *f, double *T, double *vdot, soa_error *error);
SOA_API soa_status soa_batch_bias_force(
    soa_batch *batch, int states, const double *q, const double *v, double *C, soa_error *error);
SOA_API soa_status soa_batch_gravity_force(soa_batch *batch, int states, const double *q, double *C, soa_error *error);
SOA_API soa_status soa_batch_coriolis_force(
    soa_batch *batch, int states, const double *q, const double *v, double *C, soa_error *error);
SOA_API soa_status soa_batch_joint_forces(soa_batch *batch, int states, const double *q, const double *v,
    const double *vdot, const double *f, double *F, soa_error *error);
SOA_API soa_status soa_batch_mass_matrix(soa_batch *batch, int states, const double *q, double *mass, soa_error *error);
SOA_API soa_status soa_batch_mass_inverse(
    soa_batch *batch, int states, const double *q, double *inverse, soa_error *error);
SOA_API soa_status soa_batch_mass_multiply(
    soa_batch *batch, int states, const double *q, const double *x, double *y, soa_error *error);
SOA_API soa_status soa_batch_mass_solve(
    soa_batch *batch, int states, const double *q, const double *x, double *y, soa_error *error);
SOA_API soa_status soa_batch_coriolis_matrix(
    soa_batch *batch, int states, const double *q, const double *v, double *C, soa_error *error);
SOA_API soa_status soa_batch_kinematics(soa_batch *batch, int states, const double *q, const double *v,
    const double *vdot, double *pose, double *velocity, double *acceleration, soa_error *error);
SOA_API soa_status soa_batch_point_kinematics(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, const double *v, const double *vdot, double *pose, double *velocity, double *acceleration,
    soa_error *error);
SOA_API soa_status soa_batch_jacobian(soa_batch *batch, int points, const soa_point *point, soa_axes axes, int states,
    const double *q, double *J, soa_error *error);
SOA_API soa_status soa_batch_jacobian_rate(soa_batch *batch, int points, const soa_point *point, soa_axes axes,
    int states, const double *q, const double *v, double *J_dot, soa_error *error);
SOA_API soa_status soa_batch_jacobian_bias(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, const double *v, double *bias, soa_error *error);
SOA_API soa_status soa_batch_operational_inertia(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, double *lambda, double *inertia, soa_error *error);
SOA_API soa_status soa_batch_operational_bias(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, const double *v, const double *inertia, double *coriolis, double *gravity, soa_error *error);
SOA_API soa_status soa_batch_point_correction(soa_batch *batch, int points, const soa_point *point, int states,
    const double *q, const double *f, double *vdot_change, soa_error *error);
SOA_API soa_status soa_batch_energy(
    soa_batch *batch, int states, const double *q, const double *v, double *energy, soa_error *error);
SOA_API soa_status soa_batch_momentum(
    soa_batch *batch, int states, const double *q, const double *v, double *momentum, double *rate, soa_error *error);
SOA_API soa_status soa_batch_centroidal_matrix(
    soa_batch *batch, int states, const double *q, double *A, soa_error *error);

/* ---- their arguments, for who expands them ----------------------------------------------- */

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
#define SOA_BATCH_LIST(X)  \
    X(inverse_dynamics)    \
    X(forward_dynamics)    \
    X(forward_dynamics_by) \
    X(hybrid_dynamics)     \
    X(bias_force)          \
    X(gravity_force)       \
    X(coriolis_force)      \
    X(joint_forces)        \
    X(mass_matrix)         \
    X(mass_inverse)        \
    X(mass_multiply)       \
    X(mass_solve)          \
    X(coriolis_matrix)     \
    X(kinematics)          \
    X(point_kinematics)    \
    X(jacobian)            \
    X(jacobian_rate)       \
    X(jacobian_bias)       \
    X(operational_inertia) \
    X(operational_bias)    \
    X(point_correction)    \
    X(energy)              \
    X(momentum)            \
    X(centroidal_matrix)

#ifdef __cplusplus
}
#endif
#endif
