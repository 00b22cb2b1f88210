/* sens/point_change.h - how points of a system move at a state, and how that changes along its velocities. */
#ifndef SOA_SENS_POINT_CHANGE_H
#define SOA_SENS_POINT_CHANGE_H

#include "sens/sens_kernels.h"
#include "spatial/motion.h"

/* A point in the world, as soa_point_kinematics has it: pose (12 numbers), velocity and acceleration (6 each); and their
 * slopes along some motion. */
typedef struct soa_moving_point {
    double number[24], slope[24];
} soa_moving_point;

/* Along displacements of q, changes of v, or displacements of the frames of joints (six for each). */
typedef enum soa_change_by { SOA_CHANGE_BY_Q, SOA_CHANGE_BY_V, SOA_CHANGE_BY_PLACEMENT } soa_change_by;

/* A system at a state; v NULL: rest. */
typedef struct soa_moving_system {
    const soa_model *model;
    soa_workspace *workspace;
    const double *q, *v, *vdot;
    double *column, *body; /* of moving_columns, if no link is flexible */
} soa_moving_system;

/* Fills in column and body; then the numbers of a point, and its slopes along number i of the joint of body k, which is on
 * the way from the point to the base. */
soa_status soa_moving_begin(const soa_moving_system *system, soa_error *error);
soa_status soa_moving_place(
    const soa_moving_system *system, const soa_point *point, soa_moving_point *x, soa_error *error);
void soa_moving_change(
    const soa_moving_system *system, const soa_point *point, soa_change_by by, int k, int i, soa_moving_point *x);

/* Motion i of the frame of the joint of body k, if no link is flexible: about its three axes, then along them. */
motion soa_placed_motion(const soa_moving_system *system, int k, int i);

#endif
