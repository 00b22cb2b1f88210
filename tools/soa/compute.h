/* compute.h - what soa compute, check and eval share: points, states, quantities. */
#ifndef SOA_TOOL_COMPUTE_H
#define SOA_TOOL_COMPUTE_H

#include "closed.h"
#include "json.h"
#include "tool.h"

/* ---- points: --at LINK[:x,y,z] ----------------------------------------------------- */

typedef struct tool_points {
    int count;
    soa_point *point;
    const char **text; /* as given */
    bool all_links;    /* none was given: every link of the file */
} tool_points;

/* The points of all --at. TOOL_FAILED after a message. */
int tool_points_get(const tool_call *call, const soa_model *model, tool_points *points);

/* The origin of every link of the file. */
int tool_points_links(const soa_model *model, tool_points *points);
void tool_points_free(tool_points *points);

/* ---- states ------------------------------------------------------------------------- */

/* States from a file, or random ones; made one after another. */
typedef struct tool_states {
    const soa_model *model;
    const char *file;
    const soa_configuration *configuration; /* the one state, or NULL */
    json_t *root, *list;
    unsigned long long seed;
    int count;
} tool_states;

/* By --states, --random and --seed, or --from. */
int tool_states_open(const tool_call *call, const soa_model *model, tool_states *states);
void tool_states_close(tool_states *states);

/* State number `state`, which must be asked for in order. TOOL_FAILED after a message. */
int tool_states_next(tool_states *states, int state, double *q, double *v, double *tau, double *vdot);

/* ---- quantities ------------------------------------------------------------------------ */

typedef enum tool_shape {
    SHAPE_VECTOR, /* nv */
    SHAPE_MATRIX, /* nv x nv */
    SHAPE_TENSOR, /* nv x nv x nv */
    SHAPE_LINEAR,
    SHAPE_BODIES,
    SHAPE_JACOBIAN,
    SHAPE_OSIM,
    SHAPE_ENERGY,
    SHAPE_MOMENTUM,
} tool_shape;

/* States that are computed together. */
typedef struct tool_batch {
    const soa_model *model;
    soa_workspace *workspace;
    tool_closed *closed; /* NULL: the tree alone */
    tool_points points, jacobian_points;
    int nq, nv, links;
    int first, states; /* number of the first state, and how many */
    double *q, *v, *tau, *vdot;
    double step;  /* of linear models in time; 0 if none is wanted */
    int singular; /* states so far whose operational-space inertia does not exist */
    int first_singular;
} tool_batch;

typedef struct tool_quantity {
    const char *word;  /* of --what */
    const char *field; /* of the result */
    tool_shape shape;
    soa_method method; /* of fd */
    soa_status (*run)(tool_batch *batch, soa_method method, double *out, soa_error *error);
} tool_quantity;

/* Numbers per state. */
size_t tool_quantity_size(const tool_batch *batch, const tool_quantity *quantity);

/* One state of the values of a batch. */
json_t *tool_quantity_json(const tool_batch *batch, const tool_quantity *quantity, int state, const double *value);
json_t *tool_matrix_json(const double *value, int rows, int cols);

/* The linear model: how many numbers per state, its values, its fields of the result, and for people. */
size_t tool_linear_size(const tool_batch *batch);
soa_status tool_linear_run(tool_batch *batch, soa_method method, double *out, soa_error *error);
void tool_linear_json(const tool_batch *batch, int state, const double *value, json_t **object);
void tool_linear_put(const tool_call *call, const tool_batch *batch, int state, const double *value);

#define TOOL_MAX_QUANTITIES 32

/* The words of --what. TOOL_FAILED or TOOL_USAGE after a message. */
int tool_quantities_get(const tool_call *call, const char *words, const tool_quantity **list, int *count);

/* ---- text for people ----------------------------------------------------------------------- */

void tool_put_title(const tool_call *call, const char *title);

/* A matrix in aligned columns; a large one only in outline. */
void tool_put_matrix(const tool_call *call, const double *value, int rows, int cols);

/* One state: its vectors in a table of joints, then everything else. */
void tool_put_state(const tool_call *call, const tool_batch *batch, int state, int count,
    const tool_quantity *const *list, double *const *value);

/* ---- files that are written whole or not at all ------------------------------------------- */

/* Writes to out; what is returned if it is not TOOL_OK has been told. */
typedef int tool_writer(void *context, FILE *out);

/* By way of a temporary file beside path, which an interrupt or a failure removes. */
int tool_file_write(const char *path, tool_writer *write, void *context);

/* ---- models ---------------------------------------------------------------------------------- */

/* The model named by the first operand, its base as --base says. */
int tool_load_based(const tool_call *call, soa_model **model);

/* Notes what of the model is not enforced in `what`. */
void tool_note_open(const soa_model *model, const char *what);

/* The joint's name, or that of its link if it has none. */
const char *tool_joint_name(const soa_model *model, int link);

/* The joints that move, in the order of the model. */
json_t *tool_joints_json(const soa_model *model);

#endif
