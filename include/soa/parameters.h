/* soa/parameters.h - how the dynamics depend on inertias and on where joints are.
 *
 * Arrays, states, workspaces, layouts and refusals are those of soa/dynamics.h.
 *
 * Every link has ten inertial parameters pi, in its own frame: the mass m; the first moment m c (x y z), c its
 * centre of mass; the moments of inertia about the frame's origin (xx xy xz yy yz zz). Inverse
 * dynamics are linear in them:
 *     T = Y(q, v, vdot) pi                                                             [REG]
 * and what rotors and armature do besides. The columns of links that do not move are zero, and those
 * of welded links depend on each other. */
#ifndef SOA_PARAMETERS_H
#define SOA_PARAMETERS_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOA_PARAMETERS 10

/* The ten parameters of an inertia, and back. A body without mass has its centre at the origin. */
SOA_API void soa_inertia_parameters(const soa_inertia *inertia, double parameters[SOA_PARAMETERS]);
SOA_API soa_inertia soa_inertia_from_parameters(const double parameters[SOA_PARAMETERS]);

/* Of all links of the model, one after another. */
SOA_API void soa_model_parameters(const soa_model *model, double *parameters);

/* Y, nv rows of ten numbers per link: also dT/dpi. v, vdot NULL: rest. */
SOA_API soa_status soa_regressor(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *Y, soa_error *error);

/* dvdot/dpi for given T, nv rows of ten numbers per link. T NULL: zero. */
SOA_API soa_status soa_forward_dynamics_parameters(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, double *dvdot_dpi, soa_error *error);

/* By the place of the joints: six numbers per body, whose joint's frame (soa_joint.at) is turned about its own x y z,
 * then moved along them; q, v and vdot (or T) as they are. nv rows of six numbers per body. The forces on
 * the bodies are their own inertia and gravity alone; soa_point_force_placement has the rest. */
SOA_API soa_status soa_inverse_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, double *dT, soa_error *error);
SOA_API soa_status soa_forward_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, double *dvdot, soa_error *error);

/* The same of the part -J* f that forces f at points (6 each: world axes, at the point) have in T. f NULL: zero. */
SOA_API soa_status soa_point_force_placement(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
