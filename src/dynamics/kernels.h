/* dynamics/kernels.h - the list of kernels, their tables, and running them. */
#ifndef SOA_DYNAMICS_KERNELS_H
#define SOA_DYNAMICS_KERNELS_H

#include "dynamics/factors.h"
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
    void (*gather)(soa_call *call); /* the inputs of a call into lanes, before its kernel; of kernels for lanes */
    soa_lane_work work;
    soa_kernel *kernel[SOA_KERNELS];
} soa_kernel_table;

struct soa_workspace {
    soa_allocator allocator;
    const soa_model *model;
    const soa_kernel_table *one, *many; /* for one state, and for lanes of them */
    soa_lane_work work;                 /* what those for one state do with lanes */
    int lanes;
    soa_layout layout;
    int step;                   /* of the layout: soa_call.step */
    int first;                  /* what state 0 of a call is called in errors */
    int points;                 /* for which the work has room */
    void *work_one, *work_many; /* the same if lanes is 1 */
    double *state;              /* q, v, T and f of one state whose numbers are not next to each other */
    double *coupling;           /* scratch of reduced.c; NULL if the model has no couplings */
    double *squares;            /* soa_call.squares */
    soa_factors *factors;       /* soa_call.factors */
};

/* The tables for a processor; many NULL: no lanes. */
const soa_kernel_table *soa_kernels_one(soa_cpu cpu);
const soa_kernel_table *soa_kernels_many(soa_cpu cpu, int lanes);

/* How many numbers soa_workspace.coupling holds; 0 if there are no couplings or too many velocities. */
size_t soa_coupling_numbers(const soa_model *model);

/* Where the numbers of a state begin in an array with so many per state. */
static inline size_t soa_state_at(size_t step, size_t stride, int state)
{
    const size_t s = (size_t)state, lane = step == 1 ? 0 : s % step;
    return (s - lane) * stride + lane;
}

/* The n numbers of a state next to each other: in place, or in copy. NULL: there are none. */
const double *soa_state_numbers(const soa_call *call, soa_in in, int state, int n, double *copy);

/* Returns the status, and says in the error at which state of the call it came about. */
soa_status soa_at_state(soa_status status, const soa_workspace *w, int state, soa_error *error);

/* SOA_E_ARGUMENT: not these states, or not this model. */
soa_status soa_fail_states(soa_error *error);

/* Finite numbers and unit quaternions of one state of the call. */
soa_status soa_check_state(const soa_workspace *w, const soa_call *call, int state, soa_error *error);
soa_status soa_check_quaternions(const soa_workspace *w, const soa_call *call, int state, soa_error *error);

/* Whether the numbers of a full block are finite, as far as can be said at once; if not, ask state by state. */
bool soa_block_finite(const soa_call *call, int first, int count);

/* The polynomial of a coupling and its derivatives at q. */
typedef struct soa_taylor {
    double value, slope, curvature;
} soa_taylor;
soa_taylor soa_coupled_at(const soa_coupled *coupled, const double *q);

/* soa_check_state, and that the q of the state, its numbers next to each other, satisfies the couplings. */
soa_status soa_check_coupled(
    const soa_workspace *w, const soa_call *call, int state, const double *q, soa_error *error);

/* An output of one state: its numbers, and how far apart they are. */
typedef struct soa_state_out {
    double *at; /* NULL: not wanted */
    size_t step;
} soa_state_out;

soa_state_out soa_state_out_of(const soa_workspace *w, double *y, size_t size, int state);
void soa_spoil(soa_state_out y, size_t n); /* with NaN */

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
 * holds the inputs and outputs of state 0 and how many numbers a state has;
 * the rest of it is filled in. */
soa_status soa_run(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states, soa_call *call,
    soa_error *error);

/* A kernel of a higher level. many: for lanes of states; NULL: it is for one state at a time. lanes: for
 * soa_call.lanes_above. */
typedef struct soa_kernel_pair {
    soa_kernel *one, *many;
    const void *lanes;
} soa_kernel_pair;

soa_status soa_run_pair(soa_workspace *workspace, const soa_model *model, soa_kernel_pair pair, int states,
    soa_call *call, soa_error *error);

/* The same on arrays of the library's own, one state after another whatever the layout. */
soa_status soa_run_inside(soa_workspace *workspace, soa_kernel_id kernel, int states, soa_call *call);

#endif
