/* convention.h - between the velocities of soa and those of a peer.
 *
 *     v' = X v,  vdot' = X vdot + b,  T' = X^-* T
 *
 * v' is the peer's. X differs from a permutation in the rows of a free base only. */
#ifndef SOA_BENCH_CONVENTION_H
#define SOA_BENCH_CONVENTION_H

#include "peer.h"

/* X and its inverse at one state, nv x nv by rows, and b. */
typedef struct bench_map {
    int nv;
    double *X, *X_inv, *b, *scratch;
} bench_map;

bool bench_map_new(int nv, bench_map *map);
void bench_map_free(bench_map *map);

/* Makes it that of the state q, v (soa's). */
void bench_map_set(bench_map *map, const bench_robot *robot, const bench_peer_info *peer, const int *order,
    const double *q, const double *v);

void bench_map_velocity(const bench_map *map, const double *v, double *out);
void bench_map_acceleration(const bench_map *map, const double *vdot, double *out);
void bench_map_force(const bench_map *map, const double *T, double *out);

/* A result of the peer, in place, as soa would give it. */
void bench_map_result(const bench_map *map, bench_algorithm algorithm, double *result);

#endif
