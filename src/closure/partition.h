/* closure/partition.h - the inside of a partition: partition.c makes it and does (A) to (C), (E) and (F),
 * partition_closures.c does (D). */
#ifndef SOA_CLOSURE_PARTITION_H
#define SOA_CLOSURE_PARTITION_H

#include "closure/closure.h"

/* A system: its ends of closures are its points. */
typedef struct partition_part {
    int points;
    soa_point *point;
    int *end; /* by point: 2 tie + side */
    double *q, *vdot, *pose, *velocity, *acceleration, *lambda, *force, *change;
    bool known;
} partition_part;

struct soa_partition {
    soa_closures *set;
    soa_allocator allocator;
    soa_arena arena;
    int ties;
    partition_part *part;
    int *point_of; /* by 2 tie + side: point in its system, or -1 */
    double *A;     /* 12 per row: the wrench at a, and at b */
    double *L, *c, *x, *work;
    double *q;      /* of all systems: of closures whose rows are rounded */
    double *U, *LU; /* rows x rows each: what counts of rounded rows */
    soa_partition_work done;
};

#endif
