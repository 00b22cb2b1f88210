/* force/force_set.h - the inside of a set of force elements. */
#ifndef SOA_FORCE_FORCE_SET_H
#define SOA_FORCE_FORCE_SET_H

#include "core/memory.h"
#include "core/state.h"
#include "soa/force.h"

/* An element and where it acts. */
typedef struct soa_element {
    soa_force force;
    bool enabled;
    bool left;            /* the simulation applies it */
    int body;             /* joint kinds: the body that the joint moves; else -1 */
    int point_a, point_b; /* others: among the points of the set */
} soa_element;

/* A point of an element: its body, and which point of the set is the origin of that body's link. */
typedef struct soa_force_point {
    int body; /* or SOA_WORLD */
    int origin;
} soa_force_point;

struct soa_forces {
    const soa_model *model;
    soa_allocator allocator;
    soa_arena arena; /* holds all arrays but J and column */
    soa_workspace *workspace;
    int count, points;
    bool nodes; /* some points stand on nodes of flexible links */
    soa_element *element;
    soa_point *point;
    soa_force_point *place;
    double judged;           /* the time at which from and to are judged; NAN: that of the call */
    double *pose, *velocity; /* of the points, 12 and 6 numbers each */
    double *neutral;         /* nq */
    double *wrench;          /* at the points, 6 numbers each: for derivatives and nodes */
    double *J;               /* for derivatives: 6 points x nv, ... */
    double *column;          /* ... and what soa_moving_begin writes; with nodes, forces of modes */
};

/* Whether the element can act on the model; *body: the one that its joint moves, -1 of elements at points. */
soa_status soa_force_check(const soa_model *model, const soa_force *e, int *body, soa_error *error);
soa_status soa_force_refuse(const soa_force *e, soa_status status, soa_error *error, const char *why);

/* Whether what the element stores counts as energy of the system; its damping, if it has any, does work. */
bool soa_forces_stores(const soa_forces *forces, int element);

/* The power of an element that changes the energy of the system with what is stored: all of its `power`, that of the
 * damping of a flexible link alone, or none. */
double soa_forces_work_rate(const soa_forces *forces, int element, const double *v, double power);

/* Whether an element acts at time t. */
bool soa_element_acts(const soa_forces *forces, const soa_element *element, double t);

/* Whether element number i is enabled and time t is its time; from now on the caller applies it. */
bool soa_forces_acts(const soa_forces *forces, int i, double t);
void soa_forces_leave(soa_forces *forces, int i);

/* From now on elements act if they do at time t, so that the stages of a step that ends where one of them does see the
 * same elements. */
void soa_forces_judge(soa_forces *forces, double t);

/* What changes after soa_forces_new. */
void soa_forces_pass(soa_forces *forces, soa_state *state);

/* Poses and velocities of all points at a state. */
soa_status soa_forces_place(soa_forces *forces, const double *q, const double *v, soa_error *error);

/* The displacement of a joint from where its springs are at rest, nv numbers, and, if rate is not NULL, the matrix
 * of its derivative along the velocities (nv x nv, row by row). */
void soa_joint_displacement(
    const soa_forces *forces, const soa_element *element, const double *q, double *x, double *rate);

#endif
