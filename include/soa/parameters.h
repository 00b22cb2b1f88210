/* soa/parameters.h - how the dynamics depend on inertias and on where joints are.
 *
 * Arrays, states, workspaces, layouts and refusals are those of soa/dynamics.h.
 *
 * Every link has ten inertial parameters pi in its own frame: the mass m, the first moment m c (x y z) with c the centre
 * of mass, and the moments of inertia about the frame's origin (xx xy xz yy yz zz). Inverse dynamics is linear in them:
 *     T = Y(q, v, vdot) pi                                                             [REG]
 * plus the torques of rotors and armature. The columns of links that do not move are zero, and the columns of welded
 * links depend on each other. The ten parameters of a flexible link are those that it has undeformed: mass, first and second
 * of its modal data (soa/flexible.h). T is linear in them while the integrals of the modes are held, and these and the
 * stiffness add forces that do not depend on pi. So T - Y pi is the same for all pi. */
#ifndef SOA_PARAMETERS_H
#define SOA_PARAMETERS_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOA_PARAMETERS 10

/* Converts an inertia to its ten parameters, and back. The centre of a body without mass is at the origin. */
SOA_API void soa_inertia_parameters(const soa_inertia *inertia, double parameters[SOA_PARAMETERS]);
SOA_API soa_inertia soa_inertia_from_parameters(const double parameters[SOA_PARAMETERS]);

/* Writes the parameters of all links of the model, one link after another. */
SOA_API void soa_model_parameters(const soa_model *model, double *parameters);

/* Computes the regressor Y = dT/dpi: nv rows of ten numbers per link. */
SOA_API soa_status soa_regressor(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *vdot, double *Y, soa_error *error);

/* Computes dvdot/dpi for given T: nv rows of ten numbers per link. */
SOA_API soa_status soa_forward_dynamics_parameters(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, double *dvdot_dpi, soa_error *error);

/* Computes the derivatives with respect to the places of joints: nv rows of six numbers per body. The first three turn
 * the frame of the body's joint (soa_joint.at) about its own x, y and z, the others move it along them; q, v and vdot
 * (or T) stay the same. Only the inertia and the weight of the bodies count; soa_point_force_placement adds forces. A joint on a
 * node of a flexible link is displaced beside the node. Modes of a link stand where its joint puts
 * them, and a body that holds a rotor stays: zero. */
SOA_API soa_status soa_inverse_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *vdot, double *dT, soa_error *error);
SOA_API soa_status soa_forward_dynamics_placement(const soa_model *model, soa_workspace *workspace, int states,
    const double *q, const double *v, const double *T, double *dvdot, soa_error *error);

/* Computes the same derivatives of -J* f, the part of T that balances forces f at points (6 numbers each, in world axes,
 * at the point). */
SOA_API soa_status soa_point_force_placement(const soa_model *model, soa_workspace *workspace, int points,
    const soa_point *point, int states, const double *q, const double *f, double *dT, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
