/* page.h - what the page asks of the library: one model, its state, a simulation of it, the language.
 *
 * JavaScript calls the functions marked PAGE. Each returns 0, or 1 after a failure whose line page_message gives. Numbers
 * pass through arrays that live here (page_numbers), texts end with NUL. The page shows one model at a time, so its
 * state is one static struct. */
#ifndef SOA_PAGE_H
#define SOA_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "soa/io.h"
#include "soa/scenario.h"
#include "soa/soa.h"

#define PAGE(name) __attribute__((export_name(#name))) name

/* Arrays that JavaScript sees: name, how many numbers. */
#define PAGE_ARRAY_LIST(X)                                                                                   \
    X(Q, soa_model_nq(p->model))                                                                             \
    X(V, soa_model_nv(p->model))                                                                             \
    X(POSE, 12 * soa_model_links(p->model)) /* of every link */                                              \
    X(LOAD, 10 * PAGE_LOADS)                /* point, wrench, 1: a contact */                                \
    X(COM, 12)                              /* soa_momentum */                                               \
    X(ENERGY, 3)                                                                                             \
    X(TARGET, 3)                         /* of the drag */                                                   \
    X(GRIP, 3)                           /* the point, in the frame of its link or node */                   \
    X(POINT, 12 * page_points(p->model)) /* poses: a and b of every closure, nodes of flexible links */      \
    X(KP, soa_model_bodies(p->model))    /* gains and targets of the joints with one coordinate, in order */ \
    X(KD, soa_model_bodies(p->model))                                                                        \
    X(GOAL, soa_model_bodies(p->model))                                                                      \
    X(SHAPE, 15)                     /* edges, pose: what touches the ground */                              \
    X(DRAWN, soa_model_nq(p->model)) /* q, modes as often as is drawn */

enum {
#define PAGE_ARRAY_NAME(name, count) PAGE_##name,
    PAGE_ARRAY_LIST(PAGE_ARRAY_NAME)
#undef PAGE_ARRAY_NAME
        PAGE_ARRAYS,
    PAGE_LOADS = 512 /* loads of so many closures and contacts are shown */
};

/* Options of a simulation. */
enum { PAGE_MOUSE = 1, PAGE_HOLD = 2, PAGE_WEIGHT = 4 };

/* What the page adds to a simulation. */
typedef struct page_live {
    soa_force *force; /* those of the scenario, dampers of the joints, contacts with the ground */
    soa_controller *controller;
    soa_path *goal;     /* of each joint that holds itself: its number in PAGE_GOAL */
    int *link;          /* that it carries */
    soa_force *contact; /* shapes that touch the ground */
    int contacts;
} page_live;

typedef struct page {
    const soa_model *model; /* own, or that of the scenario */
    soa_model *own;
    soa_scenario *scenario;
    soa_workspace *workspace;
    soa_closures *closures; /* NULL: the model has none */
    soa_forces *forces;     /* of the joints and flexible links of the model */
    double *stored;         /* what each of them has stored, then a room for their forces */
    soa_sim *sim;
    soa_sim_setup setup;
    page_live live;
    double *number[PAGE_ARRAYS];
    soa_point *point; /* of which PAGE_POINT has the poses */
    int points;
    double *jacobian;   /* 6 x nv, of the drag */
    soa_workspace *aux; /* of the drag while the simulation evaluates */
    int dragged;        /* link, SOA_NONE: none */
    int dragged_node;   /* of a flexible one */
    double bending;     /* modes are drawn so many times as large; 0: as they are */
    double felt;        /* mass that the mouse feels at the grip */
    char *text;         /* what page_text gave last */
    soa_error error;
    char message[SOA_ERROR_FILE + SOA_ERROR_TEXT + 32];
} page;

extern page the_page;

/* 1 and the message of the error, or 0. */
int page_end(soa_status status);
int page_fail(const char *text);

/* A text for JavaScript; frees the one before. */
typedef struct page_writer {
    char *text;
    size_t length, room;
    bool failed;
} page_writer;

void page_write(page_writer *w, const char *format, ...) SOA_PRINTF(2, 3);
void page_write_string(page_writer *w, const char *text);                  /* quoted, or null */
void page_write_numbers(page_writer *w, int count, const double *numbers); /* infinities as strings */
int page_give(page_writer *w);

/* q becomes the nearest one that satisfies the closures, and `added` if it is a closure's number (>= 0), which is then
 * removed; if none is reached q is as before. Returns as PAGE functions do. */
int page_project_added(page *p, int added);
int page_project(void);

/* ---- flexible.c ---- */

/* The forces that the model describes, and the energy that they have stored at q into PAGE_ENERGY. */
soa_status page_forces_make(page *p);
soa_status page_forces_update(page *p);

/* q as it is drawn. */
const double *page_drawn(page *p);

/* Closes the loops of a model with flexible links by its joints, as far as they reach. */
void page_close_by_joints(page *p);

/* The link and point of the drag as a force of a spring on the joints. */
soa_status page_drag_force(void *context, double t, const double *q, const double *v, double *T, soa_error *error);

void page_sim_forget(void);
soa_status page_add_forces(page *p, double damping);
soa_status page_add_controllers(page *p, int options);
void page_contacts_forget(void);

/* Points of which the page draws the pose: how many, which, and where they are at q. */
int page_points(const soa_model *model);
soa_status page_points_make(page *p);
soa_status page_points_update(page *p, const double *q);

/* The nodes of a flexible link that are drawn: every stride-th. */
int page_node_stride(const soa_flexible *flexible);
int page_nodes_drawn(const soa_flexible *flexible);

/* The body of the modes of a link, SOA_NONE if it has none. */
int page_modes_body(const soa_model *model, int link);

void page_write_flexible(page_writer *w, const soa_model *model, int link, int *first);

#endif
