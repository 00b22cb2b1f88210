/* dynamics/kernels.h - the list of kernels, their tables, and running them. */
#ifndef SOA_DYNAMICS_KERNELS_H
#define SOA_DYNAMICS_KERNELS_H

#include "soa/dynamics.h"
#include "sweep/call.h"

/* Every kernel of dynamics/; each is defined in one of the *.kernel.h beside. */
#define SOA_KERNEL_LIST(X) \
    X(inverse_dynamics)    \
    X(forward_dynamics)    \
    X(forward_dynamics_1)  \
    X(forward_dynamics_2)  \
    X(forward_dynamics_3)  \
    X(forward_dynamics_4)  \
    X(hybrid_dynamics)     \
    X(joint_forces)        \
    X(mass_matrix)         \
    X(mass_multiply)       \
    X(mass_solve)          \
    X(coriolis_matrix)     \
    X(kinematics)          \
    X(jacobian)            \
    X(jacobian_rate)       \
    X(free_acceleration)   \
    X(point_correction)    \
    X(energy)              \
    X(momentum)            \
    X(centroidal_matrix)

/* Kernels for one state at a time, which put lanes to another use. */
#define SOA_SINGLE_KERNEL_LIST(X) \
    X(mass_inverse)               \
    X(operational_inverse)

typedef enum soa_kernel_id {
#define SOA_KERNEL_ID(name) SOA_KERNEL_##name,
    SOA_KERNEL_LIST(SOA_KERNEL_ID) SOA_SINGLE_KERNEL_LIST(SOA_KERNEL_ID)
#undef SOA_KERNEL_ID
        SOA_KERNELS
} soa_kernel_id;

/* What one unit offers. */
typedef struct soa_kernel_table {
    int lanes;
    size_t (*size)(const soa_model *model, int points); /* bytes of soa_call.work */
    void (*prepare)(const soa_model *model, int points, void *work);
    soa_lane_work work;
    soa_kernel *kernel[SOA_KERNELS];
} soa_kernel_table;

struct soa_workspace {
    soa_allocator allocator;
    const soa_model *model;
    const soa_kernel_table *one, *many; /* for one state, and for lanes of them */
    int lanes;
    int points;                 /* for which the work has room */
    void *work_one, *work_many; /* the same if lanes is 1 */
    double *coupling;           /* scratch of reduced.c; NULL if the model has no couplings */
};

/* The tables for a processor; many NULL: no lanes. */
const soa_kernel_table *soa_kernels_one(soa_cpu cpu);
const soa_kernel_table *soa_kernels_many(soa_cpu cpu, int lanes);

/* How many numbers soa_workspace.coupling holds; 0 if there are no couplings or too many velocities. */
size_t soa_coupling_numbers(const soa_model *model);

/* Finite numbers and unit quaternions of one state of the call. */
soa_status soa_check_state(const soa_model *model, const soa_call *call, int state, soa_error *error);

/* The polynomial of a coupling and its derivatives at q. */
typedef struct soa_taylor {
    double value, slope, curvature;
} soa_taylor;
soa_taylor soa_coupled_at(const soa_coupled *coupled, const double *q);

/* soa_check_state, and that q satisfies the couplings. */
soa_status soa_check_coupled(const soa_model *model, const soa_call *call, int state, soa_error *error);

static inline soa_in soa_in_at(const double *at, int stride)
{
    return (soa_in){ at, (size_t)stride };
}

static inline soa_out soa_out_at(double *at, int stride)
{
    return (soa_out){ at, (size_t)stride };
}

/* The inputs that most kernels have; u is named as the user calls it. */
static inline soa_call soa_call_of(
    const soa_model *m, const double *q, const double *v, const double *u, const char *u_name, const double *f)
{
    return (soa_call){ .q = soa_in_at(q, m->nq),
        .v = soa_in_at(v, m->nv),
        .u = soa_in_at(u, m->nv),
        .u_name = u_name,
        .f = soa_in_at(f, 6 * m->bodies) };
}

/* The inputs of the call are checked, then the kernel runs on all states. call
 * holds the inputs and outputs of state 0 and the strides from one to the next;
 * the rest of it is filled in. */
soa_status soa_run(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states, soa_call *call,
    soa_error *error);

#endif
