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
#define PAGE_ARRAY_LIST(X)                                      \
    X(Q, soa_model_nq(p->model))                                \
    X(V, soa_model_nv(p->model))                                \
    X(POSE, 12 * soa_model_links(p->model)) /* of every link */ \
    X(LOAD, 9 * PAGE_CLOSURES)              /* point, wrench */ \
    X(COM, 12)                              /* soa_momentum */  \
    X(ENERGY, 2)                                                \
    X(TARGET, 3) /* of the drag */                              \
    X(GRIP, 3)   /* the point, in the frame of its link */

enum {
#define PAGE_ARRAY_NAME(name, count) PAGE_##name,
    PAGE_ARRAY_LIST(PAGE_ARRAY_NAME)
#undef PAGE_ARRAY_NAME
        PAGE_ARRAYS,
    PAGE_CLOSURES = 64 /* loads of so many are shown */
};

typedef struct page {
    const soa_model *model; /* own, or that of the scenario */
    soa_model *own;
    soa_scenario *scenario;
    soa_workspace *workspace;
    soa_closures *closures; /* NULL: the model has none */
    soa_sim *sim;
    soa_sim_setup setup;
    soa_force *force; /* of the setup: dampers of the joints */
    soa_controller *controller;
    double *number[PAGE_ARRAYS];
    double *jacobian;   /* 6 x nv, of the drag */
    soa_workspace *aux; /* of the drag while the simulation evaluates */
    int dragged;        /* link, SOA_NONE: none */
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

/* The link and point of the drag as a force of a spring on the joints. */
soa_status page_drag_force(void *context, double t, const double *q, const double *v, double *T, soa_error *error);

void page_sim_forget(void);

#endif
