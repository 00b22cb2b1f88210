/* flex/fe.h - what the files of flexible links offer each other.
 *
 * Symbols: K, M stiffness and mass of the finite elements, Pi modes (one after another, dofs numbers each), m how many,
 * B* rigid motions of the undeformed link, U displacement of a particle by the modes. */
#ifndef SOA_FLEX_FE_H
#define SOA_FLEX_FE_H

#include "core/memory.h"
#include "soa/flex.h"

/* A result: the data that the user sees and the memory that it lives in. */
typedef struct soa_flexible_block {
    soa_flexible data;
    soa_allocator allocator;
    soa_arena arena;
} soa_flexible_block;

/* A new block with room for all numbers of a link of so many modes and nodes (second: shape2 and ef1 too), or NULL. */
soa_flexible_block *soa_flexible_new(const soa_allocator *allocator, int modes, int nodes, bool second);

/* Gives a link that was made well to *flexible and frees any other; block NULL: no memory. */
soa_status soa_flexible_give(soa_flexible_block *block, soa_status status, soa_flexible **flexible, soa_error *error);

/* Numbers of a link that is being made. */
static inline double *soa_numbers_of(const double *x)
{
    return (double *)x; /* they are the block's own */
}

/* ---- sparse symmetric matrices --------------------------------------------------------------------- */

typedef struct soa_sparse {
    int n;
    int *start, *column;
    double *value;
} soa_sparse;

/* Makes a matrix of entries whose places have been checked. place[i] (NULL: i) is where row i goes, -1: it is left out; n is the number
 * of those that stay. SOA_E_ARGUMENT: entries given twice do not agree; what names the matrix. */
soa_status soa_sparse_make(soa_arena *arena, const soa_fe_matrix *matrix, const int *place, int n, const char *what,
    soa_sparse *sparse, soa_error *error);

/* y = A x */
void soa_sparse_apply(const soa_sparse *A, const double *x, double *y);

/* ---- nodes and sets: interface.c ---------------------------------------------------------------------- */

/* A set of nodes, or one node. */
typedef struct soa_fe_group {
    const char *name;
    int count;
    const int *node;
    int one; /* the node, if it is one alone */
} soa_fe_group;

soa_status soa_fe_group_find(const soa_fe *fe, const char *name, soa_fe_group *g, soa_error *error);

static inline int soa_fe_group_node(const soa_fe_group *g, int i)
{
    return g->node ? g->node[i] : g->one;
}

/* The motion of a group: its frame at the centre, and 6 rows that take displacements of all dofs to its rotation and
 * displacement. */
typedef struct soa_fe_interface {
    double centre[3];
    double *row; /* 6 x dofs */
} soa_fe_interface;

/* dof[6 node + direction]: the degree of freedom that moves the node in that direction, or -1. */
soa_status soa_fe_interface_make(
    soa_arena *arena, const soa_fe *fe, const int *dof, const soa_fe_group *g, soa_fe_interface *f, soa_error *error);

/* ---- modes -------------------------------------------------------------------------------------------- */

/* A clamped model that is to be reduced. loads: forces whose static deflections become modes. */
typedef struct soa_clamped {
    soa_sparse K, M;
    int modes;
    int loads;
    double *load; /* loads x n; overwritten */
    const soa_fe_solver *solver;
} soa_clamped;

/* Pi: modes of a clamped model, at most modes + loads; *count of them with omega^2 in value. Both live in the arena. */
soa_status soa_clamped_modes(
    soa_arena *arena, const soa_clamped *clamped, int *count, double **value, double **Pi, soa_error *error);

/* ---- modal integrals ------------------------------------------------------------------------------------ */

/* Where the mass is: points at position, whose coordinates (point, direction as in soa_fe) have the mass matrix M, and how
 * they move with the modes: U[c m + i]. S: second-order displacements, points x m x m x 3; or NULL. */
typedef struct soa_mass_points {
    int points, coordinates, m;
    const double *position;
    const int *point, *direction;
    soa_sparse M;
    const double *U;
    const double *S;
} soa_mass_points;

/* mass, first, second, ee, ef, en, en1, ef1, second1, second2.  [FLEXM] */
soa_status soa_modal_integrals(
    soa_arena *arena, const soa_mass_points *points, soa_flexible_block *block, soa_error *error);

/* stiffness = diag(value), damping = diag(2 ratio omega). */
void soa_flexible_springs(soa_flexible_block *block, const double *value, double ratio);

/* What only rounding made of zeros is zero again. */
void soa_flexible_tidy(soa_flexible_block *block);

/* ---- generated models ----------------------------------------------------------------------------------- */

/* Elements made by quadrature: particles of mass, each moved by the degrees of freedom of its element. */
typedef struct soa_particles {
    int count, capacity, width; /* width: dofs of an element */
    double *mass, *position;    /* count, count x 3 */
    int *dof;                   /* count x width; those of clamped dofs are -1 */
    double *N;                  /* count x 3 x width */
} soa_particles;

/* One more particle; N is to be filled, 3 x width numbers. */
double *soa_particles_add(soa_particles *particles, double mass, const double position[3], const int *dof);

/* Entries of a stiffness matrix while elements are added. */
typedef struct soa_triplets {
    int count, capacity;
    int *row, *column;
    double *value;
} soa_triplets;

/* Adds the lower triangle of an element matrix, width x width. */
void soa_triplets_add(soa_triplets *triplets, int width, const int *dof, const double *matrix);

#define SOA_NODE_DOFS 7 /* six directions, and one that does not move the node: the twist of a plate */

/* A generated model, clamped: its dofs are numbered without those that are clamped. */
typedef struct soa_generated {
    soa_arena arena;
    int nodes, dofs;
    double *position; /* nodes x 3 */
    int *dof;         /* nodes x SOA_NODE_DOFS: the dof of each direction, or -1 */
    double *turn;     /* 3 x 3, or NULL: the axes that directions and particles are in, in those of the link */
    soa_triplets K;
    soa_particles particles;
    double *S; /* made by second_order; particles x m x m x 3 */
} soa_generated;

/* Room for so many nodes and elements, elements of `width` dofs and so many particles each; false: no memory. */
bool soa_generated_take(soa_generated *model, int nodes, int elements, int width, int particles);

/* Fills S and shape2 from the modes. */
typedef soa_status soa_second_order(
    soa_generated *model, const void *shape, int m, const double *Pi, soa_flexible_block *block, soa_error *error);

/* How models of a shape are made. */
typedef struct soa_generator {
    const char *what; /* "the beam" */
    soa_status (*check)(const void *shape, soa_error *error);
    void (*fill)(soa_generated *model, const void *shape); /* its nodes and elements; the arena may fail */
    soa_second_order *second_order;                        /* or NULL */
} soa_generator;

/* The reduced link of a shape, what the user gave being checked. */
soa_status soa_generate(const soa_generator *generator, const void *shape, const soa_reduction *reduction,
    const soa_allocator *allocator, soa_flexible **flexible, soa_error *error);

/* Gauss and Legendre on 0..1: five points, exact to degree nine. */
#define SOA_GAUSS 5
extern const double soa_gauss_point[SOA_GAUSS], soa_gauss_weight[SOA_GAUSS];

/* Refusals that all makers share. */
soa_status soa_reduction_check(const soa_reduction *reduction, soa_error *error);
soa_status soa_positive(double value, const char *what, soa_error *error);

#endif
