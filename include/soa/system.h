/* soa/system.h - the system that a model describes: its tree with couplings, closures and forces of joints acting.
 *
 *     soa_system *system;
 *     soa_system_new(model, NULL, &system, &error);
 *     soa_system_set(system, q, v, &error);                   at one state, as often as needed
 *     soa_system_mass_matrix(system, mass, &error);
 *
 * The functions of soa/dynamics.h and soa/sens.h compute the tree alone; those of this header compute the system.
 * Let J be the rows of all enabled closures and of all couplings. The velocities that they allow are
 *     J v = U,   v = S v_i + v_U,   J S = 0
 * where v_i are the independent velocities at the state, `dofs` numbers of v. The followers of couplings are dependent.
 * Of the velocities that closures tie together, those of joints near the base are independent. Mass matrix, forces and
 * symbols are those of the independent velocities:
 *     mass vdot_i + bias = S* (T + Q),   mass = S* Mass S,
 * with Q the springs, damping and dry friction that the joints describe.
 *
 * The functions read only the independent numbers of v and vdot; the others follow from them. A system belongs to one
 * thread at a time; threads may share the model. Only soa_system_new allocates: memory of order nv^2. Matrices are stored
 * row by row. Only forward dynamics and linear models include the friction of a sliding closure. */
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

/* Makes a system; the model must outlive it. allocator NULL means that of the model. SOA_E_LIMIT: the model has more than
 * SOA_SYSTEM_MAX_NV velocities. */
SOA_API soa_status soa_system_new(
    const soa_model *model, const soa_allocator *allocator, soa_system **system, soa_error *error);
SOA_API void soa_system_free(soa_system *system);

/* Returns the closures that the model describes, then its couplings. You may disable and enable them but not add any. */
SOA_API soa_closures *soa_system_closures(soa_system *system);

/* Returns the regularised forces that the joints describe (soa_forces_of_model). You may disable and enable them; the
 * next soa_system_set takes note. */
SOA_API soa_forces *soa_system_forces(soa_system *system);

/* ---- the state -------------------------------------------------------------------------- */

/* Sets the state; v NULL means rest. The function does not check whether q satisfies the closures: see
 * soa_closure_violation and soa_closure_project. */
SOA_API soa_status soa_system_set(soa_system *system, const double *q, const double *v, soa_error *error);

/* Prefers velocities (nv flags; NULL: none) as independent ones, where that is possible, from the next state on. */
SOA_API void soa_system_prefer(soa_system *system, const bool *preferred);

SOA_API int soa_system_dofs(const soa_system *system);
SOA_API const int *soa_system_independent(const soa_system *system);     /* numbers in v, rising */
SOA_API const double *soa_system_velocity(const soa_system *system);     /* v of all joints, nv numbers */
SOA_API void soa_system_motion(const soa_system *system, double *S);     /* nv x dofs */
SOA_API const double *soa_system_joint_forces(const soa_system *system); /* Q at the state, nv numbers */

/* Computes the accelerations of all joints from the independent numbers of vdot (NULL: zero). all may be vdot. */
SOA_API soa_status soa_system_acceleration(soa_system *system, const double *vdot, double *all, soa_error *error);

/* ---- forces and accelerations of all joints ------------------------------------------------- */

/* Computes the accelerations of all joints under the joint forces T and external forces f; NULL means none. closed may be
 * NULL. The function refuses what soa_closed_forward_dynamics refuses. */
SOA_API soa_status soa_system_forward_dynamics(
    soa_system *system, const double *T, const double *f, double *vdot, soa_closed *closed, soa_error *error);

/* Computes the T with the least weighted sum of squares that gives vdot, as soa_closed_inverse_dynamics does. weight NULL
 * makes the followers of couplings passive and gives all others the weight 1. */
SOA_API soa_status soa_system_inverse_dynamics(
    soa_system *system, const double *vdot, const double *f, const double *weight, double *T, soa_error *error);

/* ---- equations of motion of the independent velocities ---------------------------------------- */

/* Computes the mass matrix S* Mass S, dofs x dofs. */
SOA_API soa_status soa_system_mass_matrix(soa_system *system, double *mass, soa_error *error);

/* Computes the inverse of the mass matrix, dofs x dofs. */
SOA_API soa_status soa_system_mass_inverse(soa_system *system, double *inverse, soa_error *error);

/* Computes the bias force, dofs numbers. It includes gravity. */
SOA_API soa_status soa_system_bias_force(soa_system *system, double *bias, soa_error *error);

/* Computes the forces that hold the system at rest against gravity, dofs numbers. */
SOA_API soa_status soa_system_gravity_force(soa_system *system, double *gravity, soa_error *error);

/* Computes the Coriolis matrix C, dofs x dofs: C v_i + gravity force = bias where U = 0, and d(mass)/dt - 2 C is skew. */
SOA_API soa_status soa_system_coriolis_matrix(soa_system *system, double *C, soa_error *error);

/* Compute dofs^3 numbers as soa_christoffel and soa_mass_derivatives do; d/dq_i is the derivative along S e_i. */
SOA_API soa_status soa_system_christoffel(soa_system *system, double *symbols, soa_error *error);
SOA_API soa_status soa_system_mass_derivatives(soa_system *system, double *dmass, soa_error *error);

/* Computes the Jacobian of the points: six rows per point in mixed axes, a column per independent velocity. */
SOA_API soa_status soa_system_jacobian(
    soa_system *system, int points, const soa_point *point, double *J, soa_error *error);

/* Computes the derivatives of S* (inverse dynamics) at the independent numbers of vdot (NULL: zero): dofs x dofs each. */
SOA_API soa_status soa_system_inverse_dynamics_derivatives(
    soa_system *system, const double *vdot, double *dT_dq, double *dT_dv, soa_error *error);

/* ---- linear models --------------------------------------------------------------------------- */

/* Computes the linear model in the displacements of all joints, as soa_closed_linear_model does. C and D may be NULL. */
SOA_API soa_status soa_system_linear_model(
    soa_system *system, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

/* Computes the linear model in the independent displacements: x = (dq_i; dv_i), u = dT of all joints, y = (dq; dv; dvdot)
 * of all joints. A is 2 dofs square, B 2 dofs x nv, C 3 nv x 2 dofs and D 3 nv x nv. C and D may be NULL. */
SOA_API soa_status soa_system_minimal_model(
    soa_system *system, const double *T, const double *f, double *A, double *B, double *C, double *D, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
