/* soa/dynamics.h - the dynamics of trees, for one or many states of one model.
 *
 *     T = Mass(q) vdot + C(q, v) - J* f                                        [ID]
 *
 * Arrays hold one state after another, or blocks of states (soa_layout). A state has nq numbers in q and nv in each of
 * v, vdot and T, in the order of the model. The functions allocate nothing: the workspace holds all scratch memory.
 * Threads may share a model; a workspace belongs to one thread at a time. A result has the same bits whether its state
 * is given alone or with others.
 *
 * External forces f act on the system. They are six numbers (moment; force) per body, in world axes, at the origin of
 * the frame of the body's link (soa_body.link). Forces at points act on the system too, unless a function states
 * otherwise.
 *
 * You may pass NULL for v, vdot, T and f; it means zero. q, the points and the x of a product are required. An output
 * may be NULL only where its function allows it. A missing model, workspace or output gives SOA_E_ARGUMENT.
 *
 * An output may be the same array as an input that has as many numbers per state; the function then copies the input
 * first. Arrays must not overlap in any other way, and two outputs must be different arrays.
 *
 * The functions return SOA_E_NUMBER if an input or a result is not finite, SOA_E_CONFIGURATION if a quaternion does not
 * have unit length, and SOA_E_SINGULAR if a joint moves nothing that has inertia, or if no mass moves. error->state is
 * the first state that failed; error->body is the body, or -1. The outputs of a state that failed are NaN; the outputs
 * of all other states are valid. */
#ifndef SOA_DYNAMICS_H
#define SOA_DYNAMICS_H

#include "soa/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- workspace ------------------------------------------------------------------- */

typedef struct soa_workspace soa_workspace;

/* Makes scratch memory for one thread. allocator NULL means that of the model. */
SOA_API soa_status soa_workspace_new(
    const soa_model *model, const soa_allocator *allocator, soa_workspace **workspace, soa_error *error);
SOA_API void soa_workspace_free(soa_workspace *workspace);

/* Returns how many states the processor computes at a time: 1, 4 or 8. */
SOA_API int soa_workspace_lanes(const soa_workspace *workspace);

/* Makes room for this many points in one call of the functions below; a new workspace has room for 4. Only this
 * function and soa_workspace_new allocate. */
SOA_API soa_status soa_workspace_reserve(soa_workspace *workspace, int points, soa_error *error);

/* Sets the number of lanes, for measuring: 1, 2 (WebAssembly), 4 or 8, but not more than the processor has. */
SOA_API soa_status soa_workspace_set_lanes(soa_workspace *workspace, int lanes, soa_error *error);

/* How the arrays of states, inputs and outputs, are laid out in all calls with a workspace. */
typedef enum soa_layout {
    SOA_LAYOUT_STATES,  /* one state after another: the layout of a new workspace */
    SOA_LAYOUT_BLOCKED, /* blocks of soa_workspace_lanes states; in a block number 0 of each state, then number 1, ... */
} soa_layout;

/* Sets the layout. With L lanes and n numbers per state, number i of state s stands in a blocked array at
 *     (s / L) n L + i L + s % L.
 * The last block has places for L states even if there are fewer; the function neither reads nor writes the others.
 * Blocked arrays are faster because whole vectors are loaded at once. The bits of the results are the same. */
SOA_API soa_status soa_workspace_set_layout(soa_workspace *workspace, soa_layout layout, soa_error *error);

/* ---- forces and accelerations ------------------------------------------------------ */

/* Computes the joint forces T that give the accelerations vdot.  [ID] */
SOA_API soa_status soa_inverse_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *T, soa_error *error);

/* Computes the accelerations vdot under the joint forces T, in O(n). */
SOA_API soa_status soa_forward_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *vdot, soa_error *error);

/* The algorithms of forward dynamics. */
typedef enum soa_method {
    SOA_FD_FASTEST,
    SOA_FD1, /* [FD1] T' = T - C, then Mass^-1 T': four sweeps */
    SOA_FD2, /* [FD2] FD1 with the accelerations of the bodies as a by-product */
    SOA_FD3, /* [FD3] C folded into the filter: three sweeps */
    SOA_FD4, /* [FD4] b and P a folded into the filter: three sweeps */
} soa_method;

/* Computes forward dynamics by a named algorithm. */
SOA_API soa_status soa_forward_dynamics_by(const soa_model *model, soa_workspace *workspace, soa_method method,
    int states, const double *q, const double *v, const double *T, const double *f, double *vdot, soa_error *error);

/* Takes for each velocity i either the force T[i] (prescribed[i] is false) or the acceleration vdot[i] (true), and
 * computes the other in place. All velocities of a joint must be prescribed, or none of them.  [HYB] */
SOA_API soa_status soa_hybrid_dynamics(const soa_model *model, soa_workspace *workspace, const bool *prescribed,
    int states, const double *q, const double *v, const double *f, double *T, double *vdot, soa_error *error);

/* Computes the bias force C, the T that gives vdot = 0. It includes gravity. */
SOA_API soa_status soa_bias_force(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error);
/* Computes the T that holds the system at rest against gravity. */
SOA_API soa_status soa_gravity_force(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *C, soa_error *error);
/* Computes the bias force without gravity: Coriolis, centrifugal and gyroscopic forces. */
SOA_API soa_status soa_coriolis_force(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error);

/* Computes all six components of the force at every joint: six numbers (moment; force) per body, which the parent
 * exerts on the body, in the axes and at the origin of the frame of the body's link. */
SOA_API soa_status soa_joint_forces(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, const double *f, double *F, soa_error *error);

/* ---- mass matrix --------------------------------------------------------------------- */

/* Computes the mass matrix: nv x nv numbers per state, row by row, both triangles.  [CRB] */
SOA_API soa_status soa_mass_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *mass, soa_error *error);
/* Computes the inverse of the mass matrix, laid out as the mass matrix is.  [MINV] */
SOA_API soa_status soa_mass_inverse(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *inverse, soa_error *error);

/* Computes y = Mass x in O(n), without the matrix. */
SOA_API soa_status soa_mass_multiply(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *y, soa_error *error);
/* Computes y = Mass^-1 x in O(n), without the matrix. */
SOA_API soa_status soa_mass_solve(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *y, soa_error *error);

/* Computes the Coriolis matrix C(q, v): nv x nv numbers per state, row by row. C v is the Coriolis force, and
 * dMass/dt - 2 C is skew. If every joint has one dof, C is the matrix made of Christoffel symbols.  [COR] */
SOA_API soa_status soa_coriolis_matrix(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *C, soa_error *error);

/* ---- kinematics ---------------------------------------------------------------------- */

/* Computes the motion of every link, in the order of the description: the pose in the world (12 numbers: rotation by
 * rows, position), the velocity (angular; linear) and the acceleration of the frame's origin, 6 numbers each, in world
 * axes. The acceleration is the derivative of the velocity. velocity and acceleration may be NULL. */
SOA_API soa_status soa_kinematics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *pose, double *velocity, double *acceleration, soa_error *error);

/* Computes the motion of points, which are frames on links, as soa_kinematics does for links. */
SOA_API soa_status soa_point_kinematics(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *v, const double *vdot, double *pose,
    double *velocity, double *acceleration, soa_error *error);

/* The axes in which a Jacobian gives the velocity of a point, and where. */
typedef enum soa_axes {
    SOA_AXES_MIXED, /* world axes, at the point */
    SOA_AXES_BODY,  /* axes of the point's frame, at the point */
    SOA_AXES_WORLD, /* world axes, at the world's origin */
} soa_axes;

/* Computes the Jacobian of the points, velocity = J v: six rows (angular; linear) per point, nv columns. */
SOA_API soa_status soa_jacobian(const soa_model *model, soa_workspace *workspace, int points, const soa_point *point,
    soa_axes axes, int states, const double *q, double *J, soa_error *error);

/* Computes dJ/dt for the velocity v. */
SOA_API soa_status soa_jacobian_rate(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, soa_axes axes, int states, const double *q, const double *v, double *J_dot,
    soa_error *error);
/* Computes (dJ/dt) v in mixed axes: 6 numbers per point. */
SOA_API soa_status soa_jacobian_bias(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *v, double *bias, soa_error *error);

/* ---- operational space ----------------------------------------------------------------- */

/* Computes Lambda = J Mass^-1 J* of the points in O(n) and, unless inertia is NULL, its inverse. Both are 6 points
 * square, in mixed axes. Lambda is singular if it has more rows than dofs or if the pose is singular. Then the inertia
 * of the state is NaN and the status is SOA_E_SINGULAR, but lambda is valid.  [OSI] */
SOA_API soa_status soa_operational_inertia(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, double *lambda, double *inertia, soa_error *error);

/* Computes the other terms of the operational-space equation of motion at the points, 6 numbers per point each:
 *     inertia xddot + coriolis + gravity = F,  F = inertia J Mass^-1 T.
 * The inertia is an input: the one that soa_operational_inertia computes. */
SOA_API soa_status soa_operational_bias(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *v, const double *inertia, double *coriolis,
    double *gravity, soa_error *error);

/* Computes how vdot changes if the system exerts forces f on its surroundings at the points (6 numbers each, mixed
 * axes): -Mass^-1 J* f. Note the sign: -f acts on the system.  [TIP] */
SOA_API soa_status soa_point_correction(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *vdot_change, soa_error *error);

/* ---- energy and momentum ----------------------------------------------------------------- */

/* Computes the kinetic and the potential energy of everything that moves: two numbers per state. The potential energy
 * is zero where the centre of mass is at the world's origin. */
SOA_API soa_status soa_energy(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *energy, soa_error *error);

/* Computes 12 numbers per state in world axes: the centre of mass of everything that moves, its velocity, and the
 * momentum (angular about the centre of mass; linear). rate is the centroidal bias, 6 numbers: the rate of the momentum
 * at vdot = 0 without gravity and forces. It may be NULL. */
SOA_API soa_status soa_momentum(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *momentum, double *rate, soa_error *error);

/* Computes the 6 x nv matrix A with momentum = A v. */
SOA_API soa_status soa_centroidal_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *A, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
