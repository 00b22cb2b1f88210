/* sweep/call.h - how kernels are called: one function on LANES states at a time.
 *
 * A kernel is written once, lane-generic, and built for one lane and for as many
 * as a vector register holds. Units of kernels export one table of functions
 * each; a workspace picks the tables for the processor when it is made. */
#ifndef SOA_SWEEP_CALL_H
#define SOA_SWEEP_CALL_H

#include "model/model.h"

/* The most outputs a kernel has. */
enum { SOA_OUTPUTS = 4 };

/* The inputs that have numbers for each state. */
enum { SOA_INPUTS = 7 };

/* The most lanes a kernel is built for. */
#define SOA_MAX_LANES SOA_ANGLES_AT_ONCE

/* Numbers of many states, stride of them per state (0: the same for all). NULL: none.
 * Where they are: soa_call.spacing. */
typedef struct soa_in {
    const double *at;
    size_t stride;
} soa_in;

typedef struct soa_out {
    double *at;
    size_t stride;
} soa_out;

/* What may differ between the models of one call for lanes of states (soa_model_alike): ten numbers of inertia per body,
 * gravity. */
static inline int soa_varied_numbers(const soa_model *model)
{
    return 10 * model->bodies + 3;
}

/* cosine and sine of the angles of the joints about z among bodies first .. end - 1 of a model at q, one pair after
 * another, on to a multiple of SOA_MAX_LANES of them; any two numbers for other joints. first: such a multiple. */
typedef void soa_model_sincos(const soa_model *model, int first, int end, const double *q, double *cos_sin);

/* cosine and sine of the angles of the joints of n bodies, in the order of `body`. */
typedef void soa_path_sincos(const soa_model *model, const double *q, int n, const int *body, double *cos_sin);

/* The sweeps' results for one state as plain numbers, for kernels that use lanes
 * for something else than states: columns of a matrix. */
typedef struct soa_articulated_state {
    const double *crossing;  /* 2 per body: cosine and sine, plain joints */
    const double *X;         /* 12 per body: rotation by rows, l; of plain prismatic joints l only */
    const double *H, *U, *G; /* 6 per velocity; U in the parent's frame with a rotor */
    const double *D_inv;     /* 6 per velocity */
} soa_articulated_state;

/* Room for matrices of one state, whose rows are whole vectors: SOA_SQUARE_ROWS single rows, two panels of SOA_MAX_LANES
 * columns, and two squares, if there are not too many velocities for them. */
enum {
    SOA_SQUARE_ROWS = 2,
    SOA_SQUARE_PANELS = 2,
    SOA_SQUARES = 2,
    SOA_SQUARE_MOST = 128,      /* velocities, with squares ... */
    SOA_DERIVATIVES_MOST = 4096 /* ... and at all */
};

static inline size_t soa_square_stride(const soa_model *model)
{
    return ((size_t)model->nv + SOA_MAX_LANES) / SOA_MAX_LANES * SOA_MAX_LANES;
}

/* 0: too many velocities. */
static inline size_t soa_square_numbers(const soa_model *model)
{
    const size_t rows = model->nv <= SOA_SQUARE_MOST ? (size_t)model->nv : 0;
    return model->nv > SOA_DERIVATIVES_MOST
               ? 0
               : (SOA_SQUARE_ROWS + SOA_SQUARE_PANELS * SOA_MAX_LANES + SOA_SQUARES * rows) * soa_square_stride(model);
}

struct soa_call;

/* Mass^-1 into call->y, some columns at a time; work: prepared for the lanes used. */
typedef void soa_columns(const struct soa_call *call, const soa_articulated_state *state, void *work);

/* Mass^-1 into call->y, by elimination from the rows of Mass in call->factors; false, and nothing in y, if digits would be
 * lost. */
typedef bool soa_inverse(const struct soa_call *call);

/* Six columns, as wide as the widest vector: component by lane. */
typedef double soa_six[6][SOA_MAX_LANES];

/* N = H psi z for six forces z at a body, six numbers (of SOA_MAX_LANES) per
 * velocity on the path from there to the base. */
typedef void soa_project(
    const struct soa_call *call, const soa_articulated_state *state, int body, const soa_six z, double *N);

/* sum = sum over the joints from a body to the base of N_a* D^-1 N_b. */
typedef void soa_gather(const struct soa_call *call, const soa_articulated_state *state, int body, const double *N_a,
    const double *N_b, soa_six sum);

/* The Coriolis matrix into call->y from R and l of all bodies (fields.h). */
typedef void soa_coriolis(const struct soa_call *call, bool turning);

/* Whether n numbers are finite. */
typedef bool soa_finite(const double *x, size_t n);

/* What kernels for one state do with lanes. */
typedef struct soa_lane_work {
    soa_finite *finite;
    soa_model_sincos *model_sincos;
    soa_path_sincos *path_sincos;
    soa_columns *inverse_columns;
    soa_inverse *inverse_factors;
    soa_project *project;
    soa_gather *gather;
    soa_coriolis *coriolis;
} soa_lane_work;

/* The arguments of a kernel. Which of them a kernel uses is said where it is defined. The caller of the API writes
 * inputs and outputs, dynamics/run.c the context and the lanes, the kernel the findings. Inputs are in the order of the
 * model; a kernel has them gathered: number i of LANES states, then number i + 1. */
typedef struct soa_call {
    /* ---- inputs ---- */
    union {
        struct {
            soa_in q, v;
            soa_in u; /* T or betadot */
            soa_in x; /* one more number per velocity: weights */
            soa_in f; /* external forces, 6 per body: world axes, at the link frame's origin */
            soa_in g; /* forces at the points, 6 each: world axes */
            soa_in
                M; /* soa_varied_numbers per state, if models of states differ in inertias and gravity; whole blocks of lanes */
        };
        soa_in in[SOA_INPUTS];
    };
    const char *u_name;     /* what the user calls u, for messages */
    const soa_point *point; /* points, and how many */
    int points;
    int option;             /* what of several things the kernel is to do */
    const bool *prescribed; /* hybrid dynamics: of each velocity, whether y2 (betadot) is given or y (T) */
    soa_in given;           /* hybrid dynamics: y2 as an input */

    /* ---- outputs ---- */
    union {
        struct {
            soa_out y, y2, y3, y4;
        };
        soa_out out[SOA_OUTPUTS];
    };
    size_t pitch; /* from a row of a square output to the next, mostly nv; for kernels of a higher level */
    bool keeps;   /* V and alpha of every body are to stay */

    /* ---- context ---- */
    const soa_model *model;
    void *work;                 /* the kernel unit's arrays, soa_kernel_size of them */
    bool prepared;              /* the work begins with its own struct vars */
    const soa_lane_work *lanes; /* of as many lanes as there are */
    const void *lanes_above;    /* of a higher level: what its own kernels for one state do with lanes */
    void *work_columns;         /* for inverse_columns */
    double *squares;            /* of a higher level, soa_square_numbers of them; NULL if there are none */
    const double *constants;    /* of a higher level: constants of the model, fields.h */
    double *fields;             /* fields.h, in the work of one lane */
    const double *displaced; /* of numbers with slopes: a pose near the identity, before X of displaced_body; or NULL */
    int displaced_body;
    const struct soa_factors *factors; /* for mass_inverse; NULL if the model is not small */

    /* ---- lanes ---- */
    int count; /* lanes in use: 1 .. LANES; the others repeat the last */
    /* From number i of a state to number i + 1 in the user's arrays. 1: one state after another; LANES: number i of
     * LANES states, then number i + 1 of them. */
    size_t spacing;
    bool whole;   /* spacing is 1 and count is LANES: the usual case, known by one look */
    bool more;    /* the arrays go on after these LANES states */
    bool small;   /* the numbers of the model and of the points are small (core/finite.h), and so are the inputs */
    bool aliased; /* an output is an input too: inputs are copied before the kernel runs */

    /* ---- findings ---- */
    bool unit; /* found while gathering: every quaternion is of unit length, far more nearly than it must be, and
                * every free body stands at a finite position */
    int failed[SOA_MAX_LANES]; /* body at which a lane failed, or -1; the number of bodies: nothing has mass */
    /* The sum of x - x over all outputs x of the lane, if the kernel makes it: zero if all are finite, else NaN. */
    double taint[SOA_MAX_LANES];
} soa_call;

typedef void soa_kernel(soa_call *call);

#endif
