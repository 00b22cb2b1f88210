/* dynamics/factors.h - the factors of the mass matrix of a small model: where they stand, and the way to them.
 *
 *     Mass = L* D L, L = (I + H phi K)*                                                 [I4]
 *
 * Row k of L has numbers at the velocities from the root to k only, its way. A row is kept packed, in
 * SOA_FACTORS_WAY numbers: that of the p-th velocity of the way stands at p. Ways that meet begin alike, so that
 * what row k gives to the row of a velocity inboard of it stands at the same places in both. */
#ifndef SOA_DYNAMICS_FACTORS_H
#define SOA_DYNAMICS_FACTORS_H

#include "sweep/call.h"

/* Vectors, and groups of narrower ones, begin at multiples of this in all units: so the bits are the same. */
enum { SOA_GROUP = SOA_MAX_LANES };

/* Longer ways lose digits in the elimination, and with more velocities sweeps are faster. */
enum { SOA_FACTORS_WAY = 24, SOA_FACTORS_MOST = 128 };

/* The velocities of a free body that carries all others. */
enum { SOA_TRUNK = 6 };

typedef struct soa_factors {
    size_t rows;         /* velocities */
    size_t span;         /* columns: the velocities in whole groups, ... */
    size_t before;       /* ... and how many are before that of velocity 0 */
    int trunk;           /* velocities 0 .. trunk - 1 are inboard of all others: SOA_TRUNK or 0 */
    int *order;          /* velocities as they are eliminated: the longest way first */
    int *depth;          /* by velocity: how many are inboard */
    int *end;            /* by velocity: behind the last one outboard */
    unsigned char *way;  /* packed rows: the velocities from the root on */
    double *mass;        /* packed rows: Mass, then D L */
    double *N;           /* panels: -L^-*, then Mass^-1, from the diagonal on */
    double *scale;       /* by velocity: how large what D is made of may be */
    double *minus_D_inv; /* by velocity */
} soa_factors;

/* *factors stays NULL if the model is not small or has flexible links, of which some bodies have no velocity. false: no memory. */
bool soa_factors_new(const soa_model *model, const soa_allocator *allocator, soa_factors **factors);

#endif
