/* soa/dynamics.h - the dynamics of trees, for one or many states of one model.
 *
 *     T = Mass(q) vdot + C(q, v) - J* f                                        [ID]
 *
 * Arrays hold one state after another (or blocks of states: soa_layout): nq numbers of q per state, nv of v, vdot
 * and T, in the order of the model. Nothing here allocates: all scratch memory is
 * in the workspace. A model may be shared by threads; a workspace belongs to one
 * thread at a time. The result of a state does not depend on how many states are
 * given in one call: the bits are the same.
 *
 * External forces f act on the system: six numbers (moment; force) per body,
 * world axes, at the origin of the frame of the body's link (soa_body.link). Forces
 * at points act on the system too, unless a function says otherwise.
 *
 * An input that is NULL is zero: rest for v and vdot, no forces for T and f. q, points
 * and the x of a product must be there. An output may be NULL only where its function
 * says so. A missing model, workspace or output is SOA_E_ARGUMENT.
 *
 * An output may be the very array of an input with as many numbers per state; inputs
 * are then copied before they are overwritten. Arrays must not overlap in another way,
 * and two outputs must not be the same.
 *
 * Every number of a result is finite, or its state has failed. Refusals: SOA_E_NUMBER
 * (an input or a result is not finite), SOA_E_CONFIGURATION (a quaternion is not of
 * unit length), SOA_E_SINGULAR (a joint moves nothing that has inertia, or there is no
 * mass that moves). error->state is the first state that failed, error->body the
 * body, or -1 if it is not of one; the outputs of states that failed are NaN, those of all
 * others valid. */
#ifndef SOA_DYNAMICS_H
#define SOA_DYNAMICS_H

#include "soa/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- workspace ------------------------------------------------------------------- */

typedef struct soa_workspace soa_workspace;

/* Scratch memory for one thread. allocator NULL: that of the model. */
SOA_API soa_status soa_workspace_new(
    const soa_model *model, const soa_allocator *allocator, soa_workspace **workspace, soa_error *error);
SOA_API void soa_workspace_free(soa_workspace *workspace);

/* States computed at a time when many are given: 1, 4 or 8. */
SOA_API int soa_workspace_lanes(const soa_workspace *workspace);

/* Room for so many points in one call of the functions below (4 at first).
 * Allocates; only here and in soa_workspace_new. */
SOA_API soa_status soa_workspace_reserve(soa_workspace *workspace, int points, soa_error *error);

/* Fewer lanes than the processor has (1, 4, 8; others are refused): for measuring. */
SOA_API soa_status soa_workspace_set_lanes(soa_workspace *workspace, int lanes, soa_error *error);

/* How all arrays with states, inputs and outputs, are laid out in the calls with a workspace. */
typedef enum soa_layout {
    SOA_LAYOUT_STATES,  /* one state after another: the layout of a new workspace */
    SOA_LAYOUT_BLOCKED, /* blocks of soa_workspace_lanes states; in a block number 0 of each state, then number 1, ... */
} soa_layout;

/* Number i of state s, of n per state, with L lanes, is in blocks at
 *     (s / L) n L + i L + s % L.
 * The last block has places for L states even if there are fewer; the rest is neither read
 * nor written. Blocked arrays are faster because whole vectors are loaded at once. The bits of
 * the results are the same. */
SOA_API soa_status soa_workspace_set_layout(soa_workspace *workspace, soa_layout layout, soa_error *error);

/* ---- forces and accelerations ------------------------------------------------------ */

/* T for given vdot.  [ID] */
SOA_API soa_status soa_inverse_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *T, soa_error *error);

/* vdot for given T, in O(n). */
SOA_API soa_status soa_forward_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *vdot, soa_error *error);

/* The same by a named algorithm. */
typedef enum soa_method {
    SOA_FD_FASTEST,
    SOA_FD1, /* [FD1] T' = T - C, then Mass^-1 T': four sweeps */
    SOA_FD2, /* [FD2] FD1 with the accelerations of the bodies as a by-product */
    SOA_FD3, /* [FD3] C folded into the filter: three sweeps */
    SOA_FD4, /* [FD4] b and P a folded into the filter: three sweeps */
} soa_method;

SOA_API soa_status soa_forward_dynamics_by(const soa_model *model, soa_workspace *workspace, soa_method method,
    int states, const double *q, const double *v, const double *T, const double *f, double *vdot, soa_error *error);

/* Of each velocity i, either the force T[i] is given (prescribed[i] false) or the
 * acceleration vdot[i] (true); computes the others in place.  [HYB] A joint with
 * several velocities is prescribed whole or not at all. */
SOA_API soa_status soa_hybrid_dynamics(const soa_model *model, soa_workspace *workspace, const bool *prescribed,
    int states, const double *q, const double *v, const double *f, double *T, double *vdot, soa_error *error);

/* C: what T must be for vdot = 0, gravity included. */
SOA_API soa_status soa_bias_force(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error);
SOA_API soa_status soa_gravity_force(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *C, soa_error *error);
SOA_API soa_status soa_coriolis_force(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error); /* gravity not included */

/* All six components of the force at every joint, (moment; force) from the parent
 * on the body, in the axes and at the origin of the frame of the body's link:
 * six numbers per body. */
SOA_API soa_status soa_joint_forces(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *F, soa_error *error);

/* ---- mass matrix --------------------------------------------------------------------- */

/* nv x nv numbers per state, row by row, both triangles.  [CRB] [MINV] */
SOA_API soa_status soa_mass_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *mass, soa_error *error);
SOA_API soa_status soa_mass_inverse(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *inverse, soa_error *error);

/* y = Mass x and y = Mass^-1 x, in O(n), without the matrix. */
SOA_API soa_status soa_mass_multiply(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *y, soa_error *error);
SOA_API soa_status soa_mass_solve(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *y, soa_error *error);

/* C(q, v), nv x nv numbers per state, row by row: C v is soa_coriolis_force, and
 * dMass/dt - 2 C is skew. Where every joint has one dof it is the matrix made of
 * Christoffel symbols.  [COR] */
SOA_API soa_status soa_coriolis_matrix(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error);

/* ---- kinematics ---------------------------------------------------------------------- */

/* Of every link, in the order of the description: pose in the world (12 numbers:
 * rotation by rows, position), velocity (angular; linear) and acceleration of the
 * frame's origin, world axes, 6 numbers each; the acceleration is the derivative
 * of the velocity. v, vdot may be NULL (rest); velocity, acceleration may be NULL. */
SOA_API soa_status soa_kinematics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *pose, double *velocity, double *acceleration, soa_error *error);

/* The same of points (frames on links). */
SOA_API soa_status soa_point_kinematics(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *v, const double *vdot, double *pose,
    double *velocity, double *acceleration, soa_error *error);

/* In which axes, and where, a Jacobian gives the velocity of a point. */
typedef enum soa_axes {
    SOA_AXES_MIXED, /* world axes, at the point */
    SOA_AXES_BODY,  /* axes of the point's frame, at the point */
    SOA_AXES_WORLD, /* world axes, at the world's origin */
} soa_axes;

/* Six rows (angular; linear) per point, nv columns: velocity = J v. */
SOA_API soa_status soa_jacobian(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    soa_axes axes, int states, const double *q, double *J, soa_error *error);

/* dJ/dt at v; its product with v is soa_jacobian_bias (mixed axes, 6 per point). */
SOA_API soa_status soa_jacobian_rate(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, soa_axes axes, int states, const double *q, const double *v, double *J_dot,
    soa_error *error);
SOA_API soa_status soa_jacobian_bias(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *v, double *bias, soa_error *error);

/* ---- coupled joints --------------------------------------------------------------------
 * A coupling (soa_coupling) makes the q of one joint a function of that of another.
 * Along the chains of drivers every velocity then depends on at most one that is
 * independent:  v = G v_i,  vdot = G vdot_i + bias. The functions above compute the tree without
 * couplings; soa/system.h computes every quantity with couplings and closures. Those below take many
 * states of a model with couplings. They refuse (SOA_E_CONFIGURATION) a q that misses a coupling by
 * more than 1e-6; soa_couple makes q and v right. */

/* How many velocities no coupling determines, and which: their numbers in v, rising. */
SOA_API int soa_independent(const soa_model *model);
SOA_API void soa_independent_velocities(const soa_model *model, int *velocity);

/* Sets the coupled coordinates of q, and those of v (may be NULL), from the independent ones. */
SOA_API void soa_couple(const soa_model *model, double *q, double *v);

/* G, nv rows and one column per independent velocity, and (may be NULL) bias = (dG/dt) v_i, nv numbers. Of v (NULL:
 * rest) the independent velocities are read. */
SOA_API soa_status soa_coupling_matrix(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *G, double *bias, soa_error *error);

/* G* Mass G, a square of the independent velocities. */
SOA_API soa_status soa_reduced_mass_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *mass, soa_error *error);

/* vdot of all joints, which satisfies the couplings, for forces T on all joints:
 *     G* (Mass vdot + C - J* f) = G* T,  vdot = G vdot_i + bias.
 * O(n m + m^3), m independent velocities (at most SOA_MAX_REDUCED, if there are couplings). Of v the coupled
 * velocities are not read: they follow. Without couplings it is soa_forward_dynamics. */
#define SOA_MAX_REDUCED 2048
SOA_API soa_status soa_reduced_forward_dynamics(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, const double *f, double *vdot, soa_error *error);

/* ---- operational space ----------------------------------------------------------------- */

/* Lambda = J Mass^-1 J* of the points (6 points square, mixed axes), in O(n), and,
 * if inertia is not NULL, its inverse. Where Lambda is singular (more rows than
 * dofs, a singular pose) the inertia of the state is NaN and the status
 * SOA_E_SINGULAR; Lambda is valid all the same.  [OSI] */
SOA_API soa_status soa_operational_inertia(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, double *lambda, double *inertia, soa_error *error);

/* The rest of the operational-space equation of motion at the points,
 *     inertia xddot + coriolis + gravity = F,  F = inertia J Mass^-1 T:
 * 6 numbers per point each. inertia: as computed above, in. */
SOA_API soa_status soa_operational_bias(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *v, const double *inertia, double *coriolis,
    double *gravity, soa_error *error);

/* What forces f of the system on its surroundings at points (6 numbers each, mixed
 * axes) change in vdot: -Mass^-1 J* f. Note the sign: -f acts on the system.  [TIP] */
SOA_API soa_status soa_point_correction(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *vdot_change, soa_error *error);

/* ---- energy and momentum ----------------------------------------------------------------- */

/* Per state: kinetic energy, potential energy (of all that moves; zero with its
 * mass at the world's origin). */
SOA_API soa_status soa_energy(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *energy, soa_error *error);

/* Per state 12 numbers: centre of mass of all that moves, its velocity, momentum
 * (angular about the centre of mass; linear), world axes. rate (6 numbers, may be
 * NULL): the rate of the momentum at vdot = 0 without gravity and forces: the
 * centroidal bias. */
SOA_API soa_status soa_momentum(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *momentum, double *rate, soa_error *error);

/* The 6 x nv matrix A with momentum = A v. */
SOA_API soa_status soa_centroidal_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *A, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
