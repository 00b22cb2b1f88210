/* sweep/call.h - how kernels are called: one function on LANES states at a time.
 *
 * A kernel is written once, lane-generic, and built for one lane and for as many
 * as a vector register holds. Units of kernels export one table of functions
 * each; a workspace picks the tables for the processor when it is made. */
#ifndef SOA_SWEEP_CALL_H
#define SOA_SWEEP_CALL_H

#include "model/model.h"

/* The most lanes a kernel is built for. */
#define SOA_MAX_LANES 8

/* Numbers of many states: those of state s begin at at + s stride. NULL: none. */
typedef struct soa_in {
    const double *at;
    size_t stride;
} soa_in;

typedef struct soa_out {
    double *at;
    size_t stride;
} soa_out;

/* cosine and sine of n angles, one pair after another. */
typedef void soa_sincos(int n, const double *angle, double *cos_sin);

/* The arguments of a kernel. Which of them a kernel uses is said where it is
 * defined; q, v, u are in the order of the model, u is T or betadot. */
typedef struct soa_call {
    const soa_model *model;
    void *work;         /* the kernel unit's arrays, soa_kernel_size of them */
    bool prepared;      /* the work begins with its own struct vars */
    soa_sincos *sincos; /* as many lanes at a time as there are; NULL: one */
    int count;          /* lanes in use: 1 .. LANES; the others repeat the last */
    soa_in q, v, u;
    const char *u_name; /* what the user calls u, for messages */
    soa_in f;           /* external forces, 6 per body: world axes, at the link frame's origin */
    soa_in g;           /* forces at the points, 6 each: world axes */
    soa_out y, y2, y3, y4;
    const soa_point *point; /* points, and how many */
    int points;
    int option;                /* what of several things the kernel is to do */
    const bool *prescribed;    /* hybrid dynamics: of each velocity, whether y2 (betadot) is given or y (T) */
    int failed[SOA_MAX_LANES]; /* out: body at which a lane failed, or -1 */
} soa_call;

typedef void soa_kernel(soa_call *call);

#endif
