/* dynamics/kernels.h - the list of kernels, their tables, and running them. */
#ifndef SOA_DYNAMICS_KERNELS_H
#define SOA_DYNAMICS_KERNELS_H

#include "dynamics/factors.h"
#include "soa/dynamics.h"
#include "sweep/call.h"

/* How many numbers an output has per state, and so whose number i of it is. */
typedef enum soa_numbers {
    SOA_NO_OUTPUT,
    SOA_PER_VELOCITY,       /* nv */
    SOA_VELOCITY_SQUARE,    /* nv x nv */
    SOA_SIX_BY_VELOCITY,    /* 6 x nv */
    SOA_POINTS_BY_VELOCITY, /* 6 rows per point, nv columns */
    SOA_SIX_PER_BODY,
    SOA_TWELVE_PER_ITEM, /* an item is a point if points are given, else a link */
    SOA_SIX_PER_ITEM,
    SOA_SIX_PER_POINT,
    SOA_POINT_SQUARE, /* 6 points x 6 points */
    SOA_TWO,
    SOA_SIX,
    SOA_TWELVE,
} soa_numbers;

/* An output of a kernel: what the user calls it, and whether he may leave it out. */
typedef struct soa_result {
    const char *name;
    soa_numbers shape;
    bool optional;
} soa_result;

/* What must be looked at to know that the outputs are finite, if the inputs and the numbers of the model are small. */
typedef enum soa_bound {
    SOA_UNBOUNDED,     /* all of them: the kernel divides */
    SOA_BOUND_NOTHING, /* they are sums of products */
    SOA_BOUND_DIAGONAL /* the diagonal of the first: it is positive definite. For one state at a time */
} soa_bound;

/* What is to be known of a kernel to run it. */
typedef struct soa_kernel_info {
    soa_result y[SOA_OUTPUTS]; /* behind the last: SOA_NO_OUTPUT */
    soa_bound bound;
    /* The kernel leaves in soa_call.taint whether its outputs are finite. Every input reaches them by sums and
     * products alone, but for the position of a free body: it tells if an input was not finite. */
    bool tells;
} soa_kernel_info;

/* Every kernel of dynamics/ with its soa_kernel_info; each is defined in one of the *.kernel.h beside. */
/* clang-format off */
#define SOA_KERNEL_LIST(X)                                                                                                                  \
    X(inverse_dynamics,   .tells = true, .y = { { "T", SOA_PER_VELOCITY, false } })                                                         \
    X(forward_dynamics,   .tells = true, .y = { { "vdot", SOA_PER_VELOCITY, false } })                                                      \
    X(forward_dynamics_1, .y = { { "vdot", SOA_PER_VELOCITY, false } })                                                      \
    X(forward_dynamics_2, .y = { { "vdot", SOA_PER_VELOCITY, false }, { "alpha", SOA_SIX_PER_BODY, true } })                 \
    X(forward_dynamics_3, .y = { { "vdot", SOA_PER_VELOCITY, false } })                                                      \
    X(forward_dynamics_4, .y = { { "vdot", SOA_PER_VELOCITY, false } })                                                                     \
    X(hybrid_dynamics,    .y = { { "T", SOA_PER_VELOCITY, false }, { "vdot", SOA_PER_VELOCITY, false } })                                   \
    X(joint_forces,       .bound = SOA_BOUND_NOTHING, .y = { { "F", SOA_SIX_PER_BODY, false } })                                            \
    X(mass_matrix,        .bound = SOA_BOUND_NOTHING, .y = { { "mass", SOA_VELOCITY_SQUARE, false } })                                      \
    X(mass_multiply,      .tells = true, .y = { { "y", SOA_PER_VELOCITY, false } })                                                         \
    X(mass_solve,         .tells = true, .y = { { "y", SOA_PER_VELOCITY, false } })                                                         \
    X(coriolis_matrix,    .bound = SOA_BOUND_NOTHING, .y = { { "C", SOA_VELOCITY_SQUARE, false } })                                         \
    X(kinematics,         .bound = SOA_BOUND_NOTHING, .y = { { "pose", SOA_TWELVE_PER_ITEM, true }, { "velocity", SOA_SIX_PER_ITEM, true }, \
                              { "acceleration", SOA_SIX_PER_ITEM, true } })                                                                 \
    X(jacobian,           .bound = SOA_BOUND_NOTHING, .y = { { "J", SOA_POINTS_BY_VELOCITY, false } })                                      \
    X(jacobian_rate,      .bound = SOA_BOUND_NOTHING, .y = { { "J_dot", SOA_POINTS_BY_VELOCITY, false } })                                  \
    X(free_acceleration,  .y = { { "acceleration", SOA_SIX_PER_POINT, false } })                                                            \
    X(point_correction,   .y = { { "vdot_change", SOA_PER_VELOCITY, false } })                                                              \
    X(energy,             .bound = SOA_BOUND_NOTHING, .y = { { "energy", SOA_TWO, false } })                                                \
    X(momentum,           .bound = SOA_BOUND_NOTHING, .y = { { "momentum", SOA_TWELVE, false }, { "rate", SOA_SIX, true } })                \
    X(centroidal_matrix,  .bound = SOA_BOUND_NOTHING, .y = { { "A", SOA_SIX_BY_VELOCITY, false } })

/* Kernels for one state at a time, which put lanes to another use. */
#define SOA_SINGLE_KERNEL_LIST(X)                                                                           \
    X(mass_inverse,        .bound = SOA_BOUND_DIAGONAL, .y = { { "inverse", SOA_VELOCITY_SQUARE, false } }) \
    X(operational_inverse, .bound = SOA_BOUND_DIAGONAL, .y = { { "lambda", SOA_POINT_SQUARE, false } })

/* And of these, those of models with flexible links alone. */
#define SOA_FLEXIBLE_KERNEL_LIST(X) X(node_forces, .y = { { "T", SOA_PER_VELOCITY, false } })
/* clang-format on */

typedef enum soa_kernel_id {
#define SOA_KERNEL_ID(name, ...) SOA_KERNEL_##name,
    SOA_KERNEL_LIST(SOA_KERNEL_ID) SOA_SINGLE_KERNEL_LIST(SOA_KERNEL_ID) SOA_FLEXIBLE_KERNEL_LIST(SOA_KERNEL_ID)
#undef SOA_KERNEL_ID
        SOA_KERNELS
} soa_kernel_id;

/* A matrix of nv rows, the columns first .. first + count - 1 of it, and a factor. */
typedef struct soa_solved {
    double *at;
    size_t columns, first;
    int count;
    double factor;
} soa_solved;

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
    int spacing;                /* of the layout: soa_call.spacing */
    int first;                  /* what state 0 of a call is called in errors */
    int points;                 /* for which the work has room */
    bool small;                 /* soa_model_small */
    void *work_one, *work_many; /* the same if lanes is 1 */
    double *state;              /* q, v, T and f of one state whose numbers are not next to each other */
    double *squares;            /* soa_call.squares */
    void *work_dual;      /* of soa_flexible_dual or soa_kernels_twice, of models with flexible links; else NULL ... */
    double *dual;         /* ... and soa_dual_numbers numbers for their arguments */
    soa_factors *factors; /* soa_call.factors */
    double *grasp;        /* soa_workspace_reserve_grasp: for so many tips */
    int tips;
    bool slides; /* a joint on the world slides: the force along it does not tell of its velocity */
};

/* The kernels for models with flexible links on numbers with slopes (spatial/dual.h). */
extern const soa_kernel_table soa_flexible_dual;

/* Those on numbers with two slopes (spatial/twice.h); NULL: the library was built without them. (workspace.c) */
const soa_kernel_table *soa_kernels_twice(void);

/* How many numbers soa_workspace.dual holds: inputs, a displacement, and outputs of up to twelve rows with one slope. */
static inline size_t soa_dual_numbers(const soa_model *m)
{
    return m->flexible ? 5 * (size_t)m->nq + 29 * (size_t)m->nv + 24 * (size_t)m->bodies + 96 : 0;
}

/* The tables for a model and a processor; many NULL: no lanes. */
const soa_kernel_table *soa_kernels_one(const soa_model *model, soa_cpu cpu);
const soa_kernel_table *soa_kernels_many(const soa_model *model, soa_cpu cpu, int lanes);

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

/* SOA_E_SINGULAR: D of a body; of the number of bodies, nothing has mass (run.c). */
soa_status soa_fail_singular(const soa_workspace *w, int state, int body, soa_error *error);

/* SOA_E_ARGUMENT: not these states, or not this model. */
soa_status soa_fail_states(soa_error *error);

/* Checks that the points of a call are on links that exist, at places that are poses, and that there is room for them. */
soa_status soa_check_call_points(const soa_workspace *w, soa_call *call, soa_error *error);

/* Finite numbers and unit quaternions of one state of the call. */
soa_status soa_check_state(const soa_workspace *w, const soa_call *call, int state, soa_error *error);
soa_status soa_check_quaternions(const soa_workspace *w, const soa_call *call, int state, soa_error *error);

/* Whether all inputs of a state, or of a full block of states as far as can be said at once, are small (core/finite.h)
 * and, of a state, its quaternions valid. If not, soa_check_state tells whether they are finite. */
bool soa_state_small(const soa_workspace *w, const soa_call *call, int state);
bool soa_block_small(const soa_call *call, int first, int count);

/* Whether all lengths, inertias and the gravity of the model are small. */
bool soa_model_small(const soa_model *model);

/* The body to which number i of an array belongs: of coordinates, or of velocities. */
int soa_body_of_number(const soa_model *m, int i, bool coordinates);

/* How many numbers per state an output of that shape has. */
size_t soa_shape_numbers(const soa_model *m, const soa_call *call, soa_numbers shape);

/* Whether the outputs of the part of a call that has just run are finite, in one look; of less if the bound says so. */
bool soa_outputs_finite(const soa_workspace *w, soa_bound bound, const soa_call *part);

/* Checks that the outputs of one state of the call are finite, which is what every function promises: SOA_E_NUMBER names the
 * body and the state of the first number that is not. info NULL: the outputs have no names. */
soa_status soa_check_outputs(
    const soa_workspace *w, const soa_kernel_info *info, const soa_call *call, int state, soa_error *error);

/* An output of one state: its numbers, and how far apart they are. */
typedef struct soa_state_out {
    double *at; /* NULL: not wanted */
    size_t spacing;
} soa_state_out;

void soa_spoil(soa_state_out y, size_t n);             /* with NaN */
void soa_spoil_state(const soa_call *call, int state); /* all outputs of a state of the call */

/* soa_check_outputs for n numbers that no kernel wrote; they are spoiled if they are not finite. */
soa_status soa_check_result(
    const soa_workspace *w, soa_result result, soa_state_out y, size_t n, int state, soa_error *error);

static inline soa_out soa_out_at(double *at, int stride)
{
    return (soa_out){ at, (size_t)stride };
}

/* The inputs of the call are checked, then the kernel runs on all states, then its outputs are checked: a state with a
 * number that is not finite is an error. call holds where the inputs and outputs are; the rest of it is filled in. */
soa_status soa_run(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states, soa_call *call,
    soa_error *error);

/* A kernel of a higher level. many: for lanes of states; NULL: it is for one state at a time. lanes: for
 * soa_call.lanes_above. */
typedef struct soa_kernel_pair {
    soa_kernel *one, *many;
    const void *lanes;
    const soa_kernel_info *info; /* NULL: it does not tell, and its outputs have no names */
} soa_kernel_pair;

/* Runs a kernel of a higher level on states, as soa_run does; the call says how many numbers a state has in each array. */
soa_status soa_run_pair(soa_workspace *workspace, const soa_model *model, const soa_kernel_pair *pair, int states,
    soa_call *call, soa_error *error);

/* Runs a kernel on arrays of the library's own, which hold one state after another whatever layout the user's have. */
soa_status soa_run_inside(soa_workspace *workspace, soa_kernel_id kernel, int states, soa_call *call);

#endif
