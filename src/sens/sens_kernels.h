/* sens/sens_kernels.h - the kernels of sens/, their tables, and running them. */
#ifndef SOA_SENS_SENS_KERNELS_H
#define SOA_SENS_SENS_KERNELS_H

#include "dynamics/kernels.h"
#include "soa/sens_batch.h"

/* A kernel for each function of soa/sens_batch.h, named like it and defined in one of the *.kernel.h beside; and
 * moving_columns, for closed systems. articulated_rates and diagonal_equations have states in lanes; the others take
 * one state at a time, and lanes hold velocities or columns of a matrix. */
typedef enum soa_sens_id {
#define SOA_SENS_ID(name) SOA_SENS_##name,
    SOA_SENS_BATCH_LIST(SOA_SENS_ID)
#undef SOA_SENS_ID
        SOA_SENS_moving_columns,
    SOA_SENS_KERNELS
} soa_sens_id;

/* What moving_columns writes. Of a velocity: S, S1, S2, S3. Of a body: velocity, acceleration, the origin of its tree in
 * the world, and the frame of its joint. */
enum { SOA_MOVING_COLUMN = 24, SOA_MOVING_A = 6, SOA_MOVING_ORIGIN = 12, SOA_MOVING_JOINT = 15, SOA_MOVING_BODY = 27 };

/* What these kernels do with lanes: soa_call.lanes_above. The call is that of the one state. */
typedef void soa_column_work(const soa_call *call);

/* As many columns of dT_dq and dT_dv as there are lanes: row i in lanes from i lanes on, and which rows are not zero. */
typedef struct soa_panel {
    int column, rows;
    double *q, *v;
    short row[SOA_SQUARE_MOST];
} soa_panel;

typedef void soa_panel_work(const soa_call *call, soa_panel *panel);

typedef struct soa_sens_lanes {
    soa_column_work *body_forces, *joint_rates, *joint_loads; /* column_forces.kernel.h */
    soa_column_work *inverse_rows, *mass_rows;                /* derivative_rows.kernel.h */
    soa_panel_work *inverse_panel;                            /* derivative_rows.kernel.h */
    soa_panel_work *multiply_inverse;                         /* multiply_inverse.kernel.h */
    /* solve_columns.kernel.h */
    void (*solve_panels)(const soa_call *call, const soa_articulated_state *state, soa_solved y);
    soa_column_work *joint_bias_forces, *joint_accelerations, *add_accelerations; /* invert_mass.kernel.h */
    soa_column_work *weigh_bodies, *weigh_joints, *second_rows;                   /* second.kernel.h */
    soa_column_work *christoffel_rows;                                            /* christoffel.kernel.h */
} soa_sens_lanes;

/* soa_call.lanes_above of the kernels here. */
typedef struct soa_sens_context {
    const soa_sens_lanes *lanes;
    const soa_kernel_table *one, *many; /* of dynamics/ */
} soa_sens_context;

/* What one unit offers. */
typedef struct soa_sens_table {
    soa_sens_lanes lanes;
    soa_kernel *kernel[SOA_SENS_KERNELS];
} soa_sens_table;

/* Runs a kernel of this level on states, as soa_run does. The call has the addresses of inputs and outputs; how many numbers a state has
 * in each of them is filled in, but for the outputs of moving_columns. SOA_E_ARGUMENT: an input that the function needs is
 * missing, or all outputs are. SOA_E_LIMIT: the model has too many velocities. */
soa_status soa_sens_run(
    soa_workspace *workspace, const soa_model *model, soa_sens_id kernel, int states, soa_call *call, soa_error *error);

/* Runs a kernel of this level on a model with flexible links; the strides of the call are set. SOA_E_UNSUPPORTED: the layout is that of blocks. (flexible_sens.c) */
soa_status soa_flexible_sens(
    soa_workspace *workspace, soa_sens_id kernel, int states, soa_call *call, soa_error *error);

#endif
