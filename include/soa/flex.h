/* soa/flex.h - flexible links from beams, plates and finite-element models.
 *
 *     soa_beam beam = soa_beam_default();      length, elements, E, G, rho, sections
 *     soa_reduction reduction = { .modes = 6, .damping = 0.005 };
 *     soa_flexible *boom;
 *     soa_flexible_beam(&beam, &reduction, NULL, &boom, &error);
 *     link.flexible = boom; ...                the builder copies it
 *     soa_flexible_free(NULL, boom);
 *
 * A model of finite elements, free of supports, is clamped at some nodes and reduced to its lowest clamped modes and, for each
 * interface, to the shapes that forces and moments there produce (constraint modes of Craig and Bampton). All modes
 * are normalised to unit modal mass and do not couple: ee = I, stiffness = diag(omega^2). The modal integrals are
 * sums over the mass of the finite elements to second order in the modal coordinates. */
#ifndef SOA_FLEX_H
#define SOA_FLEX_H

#include "soa/flexible.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- beams and plates ------------------------------------------------------------------------------ */

/* The most stations of a beam and the most elements of a beam or of a side of a plate. */
#define SOA_MAX_STATIONS 64
#define SOA_MAX_ELEMENTS 400

/* The section of a beam at equal distances from root to tip; between stations it changes linearly. y and z are axes of the
 * section, principal and through its centroid. */
typedef struct soa_beam_section {
    double A;      /* area */
    double Iy, Iz; /* second moments of area, about y and about z */
    double J;      /* torsion constant */
} soa_beam_section;

/* A straight beam from the origin of the link frame, where it is clamped. Its x axis is `axis`; y and z are turned with it
 * from those of the link by the shortest rotation that takes x to the axis. Node 1 is the root, the last one the tip. */
typedef struct soa_beam {
    double length;
    double axis[3]; /* any length but zero */
    int elements;
    double E, G, rho; /* Young's modulus, shear modulus, density */
    int stations;     /* 1: the section is the same everywhere */
    soa_beam_section section[SOA_MAX_STATIONS];
    double shear; /* shear coefficient (Timoshenko); 0: sections stay normal to the axis (Euler and Bernoulli) */
    bool
        stiffening; /* with second-order displacements: bending shortens the beam along its axis, so that spin and other loads
                       along it stiffen it; for slopes of up to some 0.3 rad */
} soa_beam;

SOA_API soa_beam soa_beam_default(void); /* along x, 16 elements, one station */

/* A thin rectangular plate (Kirchhoff) in the x-y plane of the link: x from 0 to length, y from -width/2 to width/2, clamped
 * along x = 0 or at the middle of that edge alone. It bends; in its plane it is rigid. Nodes are numbered along y first: node
 * 1 + i (elements[1] + 1) + j stands at x = i length / elements[0], y = -width/2 + j width / elements[1]. */
typedef struct soa_plate {
    double length, width, thickness;
    int elements[2]; /* along x, along y; even along y if clamped at a point */
    double E, nu, rho;
    bool at_point; /* clamped at the middle of the edge x = 0 alone */
} soa_plate;

SOA_API soa_plate soa_plate_default(void); /* 8 x 4 elements, nu 0.3 */

/* ---- finite-element models ------------------------------------------------------------------------- */

/* A symmetric matrix, entry by entry; entries at one place add up. Each pair of places off the diagonal is given once, or
 * (both) both are given and must agree. */
typedef struct soa_fe_matrix {
    int entries;
    const int *row, *column;
    const double *value;
    bool both;
} soa_fe_matrix;

/* A model free of supports. Degree of freedom i moves node node[i]: direction[i] is 0, 1, 2 for rotations about and 3, 4,
 * 5 for displacements along x, y, z. */
typedef struct soa_fe {
    int nodes;
    const char *const *node_name; /* each may be NULL */
    const double *position;       /* nodes x 3 */
    int dofs;
    const int *node, *direction;
    soa_fe_matrix stiffness, mass;
    int sets;                    /* of nodes, to clamp or to attach things to */
    const char *const *set_name; /* sets names */
    const int *set_start;        /* sets + 1 places in set_node */
    const int *set_node;
} soa_fe;

/* What a solver of large models is asked for: the `modes` smallest eigenvalues of K u = value M u with their vectors, one
 * after another, u* M u = 1, and static deflections K^-1 load, in place. Both matrices are symmetric, n x n, stored
 * whole and row by row: those of row i stand from start[i] on, columns ascending. */
typedef struct soa_fe_rows {
    const int *start, *column;
    const double *value;
} soa_fe_rows;

typedef struct soa_fe_problem {
    int n, modes, loads;
    soa_fe_rows K, M;
    double *value;  /* modes */
    double *vector; /* modes x n */
    double *load;   /* loads x n */
} soa_fe_problem;

typedef struct soa_fe_solver {
    soa_status (*solve)(void *context, const soa_fe_problem *problem, soa_error *error);
    void *context;
} soa_fe_solver;

/* What libsoa solves by itself, with dense matrices: the most clamped degrees of freedom that depend on each other. */
#define SOA_MAX_DENSE_DOFS 900

typedef struct soa_reduction {
    int modes;                    /* clamped modes to keep */
    double damping;               /* ratio of each mode to critical damping */
    const char *clamp;            /* set or node; NULL: a beam, a plate, or a model that comes clamped */
    int interfaces;               /* nodes or sets that get constraint modes and are nodes of the flexible link */
    const char *const *interface; /* their names; "first" and "last" are the first and last node */
    int outputs;                  /* nodes or sets that are nodes of the flexible link without further modes */
    const char *const *output;
    const soa_fe_solver *solver; /* for models beyond SOA_MAX_DENSE_DOFS; NULL: these are refused */
} soa_reduction;

/* Makes a flexible link. All nodes of a beam or plate are nodes of the link; of a finite-element model interfaces and
 * outputs, in that order. Of a model that comes clamped, the mass of what is clamped is missing. A set moves as the rigid motion nearest to that of its nodes. On failure *flexible is NULL. */
SOA_API soa_status soa_flexible_beam(const soa_beam *beam, const soa_reduction *reduction,
    const soa_allocator *allocator, soa_flexible **flexible, soa_error *error);
SOA_API soa_status soa_flexible_plate(const soa_plate *plate, const soa_reduction *reduction,
    const soa_allocator *allocator, soa_flexible **flexible, soa_error *error);
SOA_API soa_status soa_flexible_reduce(const soa_fe *fe, const soa_reduction *reduction, const soa_allocator *allocator,
    soa_flexible **flexible, soa_error *error);
SOA_API void soa_flexible_free(const soa_allocator *allocator, soa_flexible *flexible);

/* Frequencies of the clamped link in Hz, ascending, modes numbers; effective (modes x 6, or NULL): the modal effective
 * masses of each: moments of inertia about x, y, z at the link frame, masses along x, y, z. */
SOA_API soa_status soa_flexible_frequencies(
    const soa_flexible *flexible, double *frequency, double *effective, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
