/* soa/system.h - the system that a model describes: its tree with couplings, closures and forces of joints acting.
 *
 *     soa_system *system;
 *     soa_system_new(model, NULL, &system, &error);
 *     soa_system_set(system, q, v, &error);                   at one state, as often as needed
 *     soa_system_mass_matrix(system, mass, &error);
 *
 * The functions of soa/dynamics.h and soa/sens.h compute the tree alone; those of this header compute the system.
 * With J the rows of all closures that are enabled and of all couplings, the velocities that they allow are
 *     J v = U,   v = S v_i + v_U,   J S = 0
 * where v_i are `dofs` numbers of v: the independent velocities at the state. The followers of couplings are
 * dependent; of the velocities that closures tie together, those of joints near the base are independent. Mass
 * matrix, forces and symbols are those of the independent velocities:
 *     mass vdot_i + bias = S* (T + Q),   mass = S* Mass S,
 * with Q the springs, damping and dry friction that the joints describe.
 *
 * Of v and vdot the independent numbers are read; the others follow. A system belongs to one thread at a time, the
 * model may be shared. Nothing here allocates but soa_system_new, which takes memory of order nv^2. Matrices are
 * row by row. Where a sliding closure brings friction with it, only forward dynamics and linear models know it. */
#ifndef SOA_SYSTEM_H
#define SOA_SYSTEM_H

#include "soa/force.h"
#include "soa/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_system soa_system;

/* The most velocities that a system may have. */
#define SOA_SYSTEM_MAX_NV 2048

/* The model must outlive it. allocator NULL: that of the model. SOA_E_LIMIT: more than SOA_SYSTEM_MAX_NV velocities. */
SOA_API soa_status soa_system_new(
    const soa_model *model, const soa_allocator *allocator, soa_system **system, soa_error *error);
SOA_API void soa_system_free(soa_system *system);

/* Its closures: the closures that the model describes, then its couplings. They may be disabled and enabled again;
 * none may be added. */
SOA_API soa_closures *soa_system_closures(soa_system *system);

/* Its forces: those that the joints describe (soa_forces_of_model), regularised. They may be disabled and enabled again;
 * the next soa_system_set knows it. */
SOA_API soa_forces *soa_system_forces(soa_system *system);

/* ---- the state -------------------------------------------------------------------------- */

/* Whether q satisfies the closures is not asked: soa_closure_violation tells, soa_closure_project mends. v NULL: rest. */
SOA_API soa_status soa_system_set(soa_system *system, const double *q, const double *v, soa_error *error);

/* Velocities (nv of them; NULL: none) that are to be independent where they can be, from the next state on. */
SOA_API void soa_system_prefer(soa_system *system, const bool *preferred);

SOA_API int soa_system_dofs(const soa_system *system);
SOA_API const int *soa_system_independent(const soa_system *system);     /* numbers in v, rising */
SOA_API const double *soa_system_velocity(const soa_system *system);     /* v of all joints, nv numbers */
SOA_API void soa_system_motion(const soa_system *system, double *S);     /* nv x dofs */
SOA_API const double *soa_system_joint_forces(const soa_system *system); /* Q at the state, nv numbers */

/* vdot of all joints for the independent numbers of vdot (NULL: zero). all may be vdot. */
SOA_API soa_status soa_system_acceleration(soa_system *system, const double *vdot, double *all, soa_error *error);

/* ---- forces and accelerations of all joints ------------------------------------------------- */

/* T, f NULL: none. closed may be NULL. Refusals: those of soa_closed_forward_dynamics. */
SOA_API soa_status soa_system_forward_dynamics(
    soa_system *system, const double *T, const double *f, double *vdot, soa_closed *closed, soa_error *error);

/* weight: as in soa_closed_inverse_dynamics. weight NULL: followers of couplings are passive, all others 1. */
SOA_API soa_status soa_system_inverse_dynamics(
    soa_system *system, const double *vdot, const double *f, const double *weight, double *T, soa_error *error);

/* ---- equations of motion of the independent velocities ---------------------------------------- */

SOA_API soa_status soa_system_mass_matrix(soa_system *system, double *mass, soa_error *error);
SOA_API soa_status soa_system_mass_inverse(soa_system *system, double *inverse, soa_error *error);
SOA_API soa_status soa_system_bias_force(soa_system *system, double *bias, soa_error *error); /* gravity included */
SOA_API soa_status soa_system_gravity_force(soa_system *system, double *gravity, soa_error *error);

/* C with C v_i + gravity force = bias (where U = 0) and d(mass)/dt - 2 C skew. */
SOA_API soa_status soa_system_coriolis_matrix(soa_system *system, double *C, soa_error *error);

/* As soa_christoffel and soa_mass_derivatives, dofs^3 numbers: d/dq_i moves along S e_i. */
SOA_API soa_status soa_system_christoffel(soa_system *system, double *symbols, soa_error *error);
SOA_API soa_status soa_system_mass_derivatives(soa_system *system, double *dmass, soa_error *error);

/* Six rows (mixed axes) per point, a column per independent velocity. */
SOA_API soa_status soa_system_jacobian(
    soa_system *system, int points, const soa_point *point, double *J, soa_error *error);

/* Of S* (inverse dynamics) at the independent numbers of vdot (NULL: zero): dofs x dofs each. */
SOA_API soa_status soa_system_inverse_dynamics_derivatives(
    soa_system *system, const double *vdot, double *dT_dq, double *dT_dv, soa_error *error);

/* ---- linear models --------------------------------------------------------------------------- */

/* As soa_closed_linear_model, in the displacements of all joints. C, D may be NULL. */
SOA_API soa_status soa_system_linear_model(
    soa_system *system, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

/* In the independent ones: x = (dq_i; dv_i), u = dT of all joints, y = (dq; dv; dvdot) of all joints. A: 2 dofs square,
 * B: 2 dofs x nv, C: 3 nv x 2 dofs, D: 3 nv x nv. C, D may be NULL. */
SOA_API soa_status soa_system_minimal_model(
    soa_system *system, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
