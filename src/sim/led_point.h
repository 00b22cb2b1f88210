/* sim/led_point.h - the inside of operational-space control, for what runs it and what differentiates it. */
#ifndef SOA_SIM_LED_POINT_H
#define SOA_SIM_LED_POINT_H

#include "sim/sim_system.h"

typedef struct sim_led {
    int rows;   /* of J: 3 or 6 */
    int first;  /* the first of them: 0 with rotations, 3 without */
    int others; /* joints that are not driven */
    int *other;
    double start[6];          /* x, y, z, roll, pitch, yaw where it begins */
    double *J, *X;            /* 6 x nv; rows of X: Mass^-1 J* */
    double *Mass, *vdot, *T;  /* nv x nv; nv */
    double *S, *r, *y, *work; /* A Mass^-1 A* and right side, solution */
    double e[3];              /* the rotation that is missed, world axes */
} sim_led;

/* A Mass^-1 A* into S, which soa_least_squares destroys. */
void sim_led_matrix(const soa_sim *sim, const sim_led *led);

/* vdot += Mass^-1 A* y */
void sim_led_add(const soa_sim *sim, const sim_led *led, double *vdot);

/* The derivatives of the forces of the controller by q and v, nv x nv each; sim_led_run has been called at the state. */
soa_status sim_led_derivatives(soa_sim *sim, const sim_controller *c, const double *q, const double *v, double *by_q,
    double *by_v, soa_error *error);

#endif
