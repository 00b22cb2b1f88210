/* sens/flexible_sens.h - kernels for models with flexible links at a state, with their slopes, inside. */
#ifndef SOA_SENS_FLEXIBLE_SENS_H
#define SOA_SENS_FLEXIBLE_SENS_H

#include "sens/sens_kernels.h"

#define SOA_DUAL_STEP 0x1p-300 /* h of spatial/dual.h: a power of two, which rounds nothing */

/* One state of a workspace: v, u (T or vdot) and f may be NULL. The arrays are in soa_workspace.dual. */
typedef struct soa_dual_scene {
    soa_workspace *w;
    const soa_model *m;
    const double *q, *v, *u, *f;
    bool twice;          /* numbers have two slopes (spatial/twice.h) */
    double *number[4];   /* q, v, u, f with slopes: two numbers each, or four */
    double *unit, *rate; /* nv, nq */
    double *y;           /* up to twelve rows of nv, or 48 numbers, with slopes */
    int displaced;       /* the body whose joint's frame is displaced; -1: none */
    double place[24];    /* the pose by which it is, with one slope */
} soa_dual_scene;

typedef enum soa_dual_by {
    SOA_DUAL_BY_Q,
    SOA_DUAL_BY_V,
    SOA_DUAL_BY_U,
    SOA_DUAL_BY_F,
    SOA_DUAL_BY_PLACE, /* of joints: six motions of each body */
} soa_dual_by;

/* w, q, v, u and f are set; places the arrays, slopes zero. */
void soa_dual_begin(soa_dual_scene *scene);

/* From now on slopes are those along x (nv numbers): displacements of q, or changes of v or u. */
void soa_dual_along(soa_dual_scene *scene, soa_dual_by by, const double *x);

/* Sets the slopes of the inputs to those along velocity i, or to zero, motion i % 6 displacing the frame of the joint of body
 * i / 6: about its axes, then along them. Modes and rotors have no place of their own: nothing is displaced then. */
void soa_dual_along_one(soa_dual_scene *scene, soa_dual_by by, size_t i);

/* From now on the slopes of a scene with two of them are along x, and how these change along `then`: d(dA/dx)/dthen. */
void soa_twice_along(soa_dual_scene *scene, soa_dual_by by, const double *x, soa_dual_by then_by, const double *then);

/* SOA_E_UNSUPPORTED: the library was built without second derivatives of flexible links. */
soa_status soa_twice_known(soa_error *error);

/* Runs the kernel; its outputs have a slope, or three numbers, behind each number. */
void soa_dual_run(const soa_dual_scene *scene, soa_kernel_id kernel, soa_call call);

/* qq, vq, vv, aq of soa_inverse_dynamics_second_derivatives; each may be NULL. (flexible_second.c) */
soa_status soa_flexible_second(soa_dual_scene *scene, const double *x, double *const y[SOA_OUTPUTS], soa_error *error);

/* Rates of P, D and G along v, and nu, eps and mu at u = T. They return the body whose joint is singular, or -1.
 * (articulated_dual.c) */
int soa_flexible_articulated_rates(soa_dual_scene *scene, const double *v, double *const y[SOA_OUTPUTS]);
int soa_flexible_diagonal(soa_dual_scene *scene, double *const y[SOA_OUTPUTS]);

/* The regressor at u = vdot. (flexible_parameters.c) */
void soa_flexible_regressor(soa_dual_scene *scene, double *Y);

/* dMass along x, or along velocity i, nv x nv. (flexible_mass.c) */
void soa_flexible_mass_along(soa_dual_scene *scene, const double *x, double *out);
void soa_flexible_mass_along_one(soa_dual_scene *scene, size_t i, double *out);

/* All Christoffel symbols, and sum_jk C_i(j,k) x_j y_k. (flexible_mass.c) */
soa_status soa_flexible_symbols(soa_dual_scene *scene, bool packed, double *out, soa_error *error);
soa_status soa_flexible_symbols_product(
    soa_dual_scene *scene, const double *x, const double *y, double *out, soa_error *error);

/* Slope i of what was written to y; how slope i changes along the second direction. */
double soa_dual_slope(const double *y, size_t i);
double soa_twice_slope(const double *y, size_t i);

#endif
