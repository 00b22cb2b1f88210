/* closure/solution.kernel.h - what the kernels of closures make at one state, or at lanes of states.
 *
 * The sweeps, fronts and solutions of closures are written once. For one state the numbers are those of the set, and lanes
 * hold columns (set->cross). A unit that defines STATES has states in its lanes: each number is LANES doubles, all numbers
 * are in the memory of fronts, and columns go one by one. Which rows are in which front, and where, is the same for all lanes. */
#ifndef SOA_CLOSURE_SOLUTION_KERNEL_H
#define SOA_CLOSURE_SOLUTION_KERNEL_H

#include "closure/closure.h"
#include "closure/cross.kernel.h"
#include "closure/insert.kernel.h"
#include "closure/ordered.kernel.h"
#include "sweep/vars.kernel.h"

/* A frame at an end of a closure. */
typedef struct end_place {
    pose X;   /* frame in the world */
    motion V; /* of its origin, world axes */
} end_place;

#if defined(STATES)

/* soa_row, soa_tie_place and soa_pivot of lanes of states. */
typedef struct row_numbers {
    real W[6], W_dot[6], bias, position, velocity;
    bool rolls;
} row_numbers;

typedef struct place_numbers {
    real p[3], r[3], R_b[3][3], w_a[3], v_a[3], w_b[3], v_b[3];
    real W[6][SOA_MAX_LANES], bias[SOA_MAX_LANES];
} place_numbers;

typedef struct pivot_numbers SOA_PIVOT_OF(real) pivot_numbers;

/* The solution at hand; soa_fronts.states. */
typedef struct states_solution {
    row_numbers *row; /* in the memory of fronts, as are places: gone when another state is solved */
    place_numbers *place;
    real *lambda; /* behind this */
    real largest_pivot, smallest_pivot, eliminated;
    real_int good; /* lanes that are solved as each would be alone */
} states_solution;

KERNEL states_solution *solution_of(const soa_closures *set)
{
    return set->fronts.states;
}

KERNEL row_numbers *row_at_hand(const soa_closures *set, int i)
{
    return &solution_of(set)->row[i];
}

KERNEL place_numbers *place_at_hand(const soa_closures *set, int tie)
{
    return &solution_of(set)->place[tie];
}

KERNEL real *lambda_at_hand(const soa_closures *set)
{
    return solution_of(set)->lambda;
}

KERNEL soa_call *call_of(const soa_closures *set, int part)
{
    return &set->part[part].many;
}

static const soa_cross_table states_cross = { .project = front_project,
    .cross = front_cross,
    .row = front_row,
    .to_base = front_to_base,
    .insert = front_insert_columns };

KERNEL const soa_cross_table *cross_of(const soa_closures *set)
{
    (void)set;
    return &states_cross;
}

#else

typedef soa_row row_numbers;
typedef soa_tie_place place_numbers;
typedef soa_pivot pivot_numbers;

KERNEL row_numbers *row_at_hand(const soa_closures *set, int i)
{
    return &set->row[i];
}

KERNEL place_numbers *place_at_hand(const soa_closures *set, int tie)
{
    return &set->place[tie];
}

KERNEL real *lambda_at_hand(const soa_closures *set)
{
    return set->last.lambda;
}

KERNEL soa_call *call_of(const soa_closures *set, int part)
{
    return &set->part[part].call;
}

KERNEL const soa_cross_table *cross_of(const soa_closures *set)
{
    return set->cross;
}

#endif

/* Numbers for those who do not know their kind, and so many of them from the memory of fronts. */
KERNEL double *plain(real *x)
{
    return (double *)(void *)x;
}

enum { DOUBLES = sizeof(real) / sizeof(double) };

/* The pivots of a block. */
KERNEL pivot_numbers *pivots_of(const soa_block *block)
{
    return (pivot_numbers *)(void *)block->pivot;
}

/* The variables of a system. */
KERNEL const vars *part_vars(const soa_call *call)
{
    return (const vars *)call->work;
}

KERNEL vec3 vec3_at(const real x[3])
{
    return (vec3){ x[0], x[1], x[2] };
}

static inline void put3(real to[3], vec3 v)
{
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

#endif
