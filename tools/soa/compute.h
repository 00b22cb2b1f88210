/* compute.h - what soa compute, project, check and eval share: points, states, quantities. */
#ifndef SOA_TOOL_COMPUTE_H
#define SOA_TOOL_COMPUTE_H

#include "json.h"
#include "tool.h"

/* ---- points: --at LINK[:x,y,z] ----------------------------------------------------- */

typedef struct tool_points {
    int count;
    soa_point *point;
    const char **text; /* as given */
    bool all_links;    /* none was given: every link of the file */
} tool_points;

/* The points of all --at. */
void tool_points_get(const tool_call *call, const soa_model *model, tool_points *points);

/* The origin of every link of the file. */
void tool_points_links(const soa_model *model, tool_points *points);

/* ---- states ------------------------------------------------------------------------- */

/* The options that say which states are meant. */
#define TOOL_STATE_OPTIONS                                                                                          \
    { "states", 's', "FILE", "states as JSON; - reads standard input" }, { "random", 'r', "N", "N random states" }, \
        { "seed", 0, "S", "the seed of the random states; 1 if not given" },                                        \
        { "from", 0, "NAME", "a named configuration of the model, or neutral" },                                    \
        { "q", 'q', "NUMBERS", "coordinates: 0.1,0.2 or JOINT=0.1,... ; others are neutral" },                      \
        { "v", 'v', "NUMBERS", "velocities; zero if not given" },                                                   \
        { "tau", 0, "NUMBERS", "joint forces; zero if not given" },                                                 \
    {                                                                                                               \
        "vdot", 0, "NUMBERS", "joint accelerations; zero if not given"                                              \
    }

/* The options that say what of closures counts as rounding. */
#define TOOL_CLOSURE_OPTIONS                                                                                     \
    { "rank-tolerance", 0, "X", "singular values of closures below X do not count; by their gap if not given" }, \
        { "contradiction", 0, "X", "what rounded rows may miss in a projection; 1e-2 if not given" },            \
    {                                                                                                            \
        "velocity-tolerance", 0, "X", "what rows may miss in velocity in a projection; 1e-9 if not given"        \
    }

/* Numbers of a state. */
enum { TOOL_Q, TOOL_V, TOOL_TAU, TOOL_VDOT, TOOL_ARRAYS };

/* States of a file, of the command line, or random ones; made one after another. */
typedef struct tool_states {
    const tool_call *call;
    const soa_model *model;
    const char *file;                       /* NULL: none */
    char *text;                             /* of the file */
    const soa_configuration *configuration; /* where the state of the command line begins, or NULL */
    json_t *root, *list;
    unsigned long long seed;
    bool random;
    bool follow;  /* coordinates of followers that are not given follow from their drivers */
    bool missing; /* numbers of v and vdot that are not given stay NaN */
    int count;
} tool_states;

/* By the options above. By default the state of the command line stands alone: none of them must be given. */
void tool_states_open(const tool_call *call, const soa_model *model, bool by_default, tool_states *states);
void tool_states_close(tool_states *states);

/* State number `state`, which must be asked for in order. */
void tool_states_next(tool_states *states, int state, double *const to[TOOL_ARRAYS]);

/* The line of the file on which an item of a state stands: item NULL and index -1, the state itself; index -1, a member
 * of the state; else an item of that list. 0: not found. */
int tool_state_line(const char *text, int state, const char *member, const char *name, int index);

/* The names of the arrays, and how many numbers each has. */
extern const char *const TOOL_ARRAY[TOOL_ARRAYS];
int tool_states_size(const tool_states *states, int array);

/* The configuration with the name, or NULL. */
const soa_configuration *tool_find_configuration(const soa_model *model, const char *name);

/* The option --q, --v, ... of an array: all numbers, or some by name. */
void tool_read_option(const tool_states *states, int array, double *to);

/* How many finite numbers with commas between them. The first `most` go to `to`. */
int tool_read_numbers(const char *option, const char *text, int most, double *to);

/* ---- the system: couplings and closures ------------------------------------------------ */

/* What the closures do in one solution, for every state of a batch. */
typedef struct tool_loads {
    bool made;
    soa_closure_load *load; /* count per state */
    double *multiplier;     /* rows per state */
} tool_loads;

/* A state of the system. */
typedef struct tool_system_state {
    int dofs;
    double position, velocity; /* largest violations of the state as given */
    soa_closed solved;         /* of forward dynamics */
} tool_system_state;

typedef struct tool_system {
    const soa_model *model;
    soa_system *system;
    soa_closures *set;
    int nv, count, rows; /* closures and couplings, rows of those that are on */
    tool_system_state *state;
    int *independent;                   /* nv per state */
    bool *preferred;                    /* nv */
    bool *asked;                        /* nv: by --independent */
    double *weight;                     /* nv; NULL: as the library has it */
    double *given;                      /* scratch: nv of what was given, nv of all, nv of weights, rows */
    int first;                          /* number of the first state of the batch */
    bool minds_vdot;                    /* something computed depends on vdot */
    bool rounded;                       /* rows of closures depend on each other but for rounding */
    tool_loads fd, id;                  /* of forward and of inverse dynamics */
    int far, first_far, odd, first_odd; /* states that miss closures, or whose velocities were replaced */
    double farthest;
} tool_system;

/* With memory for `room` states. */
void tool_system_begin(tool_call *call, const soa_model *model, int room, tool_system *system);

/* Moves q, and v if it is not NULL, until they satisfy the set: from there, or from nearer and nearer to the neutral
 * configuration. */
bool tool_close_state(const soa_model *model, soa_closures *set, double *q, double *v);

/* Sets state s of the batch; dependent numbers of v and vdot follow. given: none of them is chance. */
void tool_system_set(tool_system *system, int number, bool given, double *const to[TOOL_ARRAYS]);

/* Keeps what the closures do in the solution just made. */
void tool_system_keep(tool_system *system, int number, tool_loads *loads);

/* How many independent velocities state s has, and which. */
int tool_system_dofs(const tool_system *system, int number);
const int *tool_system_independent(const tool_system *system, int number);

/* Whether a state as given misses the closures by more than rounding. */
bool tool_system_misses(const tool_system *system, int number);

/* Whether it is a closure that is on; a coupling has only a multiplier. */
bool tool_system_has_wrench(const tool_system *system, int closure);

/* Adds "independent", "closures", "couplings", "rank", "rows", "violation" of a state. */
void tool_system_json(const tool_system *system, int number, json_t *object);

/* Prints what tool_system_json adds, and notes what is odd about the states, for people. */
void tool_system_put(const tool_call *call, const tool_system *system, int number);
void tool_system_note(tool_call *call, const tool_system *system);

/* The tolerances of the command line for a set. */
void tool_closures_tolerances(const tool_call *call, soa_closures *set);

/* Notes rows that depend on each other but for rounding; whether there are any. */
bool tool_note_rounded(tool_call *call, soa_closures *set);

/* How many closures of the model are on. */
int tool_closures_on(const soa_model *model);

/* "2 closures and 1 coupling"; "" if there are none. */
const char *tool_constraints_text(const soa_model *model);

/* ---- quantities ------------------------------------------------------------------------ */

typedef enum tool_shape {
    SHAPE_JOINTS, /* nv numbers */
    SHAPE_VECTOR, /* as many as there are independent velocities; and so on */
    SHAPE_MATRIX,
    SHAPE_TENSOR,
    SHAPE_LINEAR,
    SHAPE_BODIES,
    SHAPE_JACOBIAN,
    SHAPE_OSIM,
    SHAPE_ENERGY,
    SHAPE_MOMENTUM,
    SHAPE_GRASP,
} tool_shape;

/* States that are computed together. */
typedef struct tool_batch {
    const soa_model *model;
    soa_workspace *workspace;
    tool_system *system; /* NULL: the tree alone */
    tool_points points, jacobian_points;
    int nq, nv, links;
    int first, states; /* number of the first state, and how many */
    double *q, *v, *tau, *vdot;
    soa_forces *forces;   /* of the joints, of a tree; NULL: none act */
    double *push, *all;   /* what they do, and that with tau: nv numbers per state */
    double step;          /* of linear models in time; 0 if none is wanted */
    bool minimal;         /* linear models in the independent velocities */
    int held;             /* grasp: the link that is held */
    const double *wrench; /* grasp: what it is to be loaded with, or NULL */
    int singular;         /* states so far whose operational-space inertia does not exist */
    int first_singular;
} tool_batch;

typedef struct tool_quantity {
    const char *word;  /* of --what */
    const char *field; /* of the result */
    const char *unit;
    tool_shape shape;
    soa_method method;                                              /* of fd */
    void (*run)(tool_batch *batch, soa_method method, double *out); /* of the tree */
    void (*system)(tool_batch *batch, int state, double *out);      /* NULL: as of the tree */
} tool_quantity;

/* Numbers per state. */
size_t tool_quantity_size(const tool_batch *batch, const tool_quantity *quantity);

/* Independent velocities of a state: nv for a tree. */
int tool_batch_dofs(const tool_batch *batch, int state);

/* Name of a velocity: that of its joint, with a number where it has several. */
const char *tool_velocity_name(const soa_model *model, int v);

/* One state of the values of a batch. */
json_t *tool_quantity_json(const tool_batch *batch, const tool_quantity *quantity, int state, const double *value);
json_t *tool_matrix_json(const double *value, int rows, int cols);

/* The linear model: how many numbers per state, its values, its fields of the result, and for people. */
size_t tool_linear_size(const tool_batch *batch);
void tool_linear_run(tool_batch *batch, soa_method method, double *out);
void tool_linear_system(tool_batch *batch, int state, double *own);
void tool_linear_json(const tool_batch *batch, int state, const double *value, json_t *object);
void tool_linear_put(const tool_call *call, const tool_batch *batch, int state, const double *value);

/* The forces of the joints (compute_forces.c): made unless --open or --no-forces leaves them out; at the states of a
 * batch; and what they add to quantities of the tree. */
void tool_forces_begin(tool_call *call, tool_batch *batch);
void tool_forces_place(tool_batch *batch);
void tool_forces_subtract(const tool_batch *batch, double *out);
void tool_forces_energy(tool_batch *batch, double *out);
void tool_forces_linear(tool_batch *batch, int state, double *const block[5]);

/* The grasp of a link that is held: how the forces on it split, and whether they can hold it. */
size_t tool_grasp_size(const tool_batch *batch);
void tool_grasp_system(tool_batch *batch, int state, double *out);
json_t *tool_grasp_json(const tool_batch *batch, const double *value);
void tool_grasp_put(const tool_call *call, const tool_batch *batch, const double *value);

#define TOOL_MAX_QUANTITIES 32

/* The words of --what. */
void tool_quantities_get(const tool_call *call, const char *words, const tool_quantity **list, int *count);

/* ---- text for people ----------------------------------------------------------------------- */

/* The largest of the numbers, without signs. */
double tool_largest(size_t count, const double *x);

/* Zero where nothing but rounding is left of numbers as large as scale. */
double tool_tidy(double x, double scale);

void tool_put_title(const tool_call *call, const char *title);

/* A matrix in aligned columns; one that is wider than the screen only in outline. */
void tool_put_matrix(const tool_call *call, const double *value, int rows, int cols);

/* Columns of a number in a table. */
#define TOOL_NUMBER 12

/* The joints of a state: what was given, and the vectors among the quantities. */
void tool_put_joints(const tool_call *call, const tool_batch *batch, int state, int count,
    const tool_quantity *const *list, double *const *value);

/* One state: its vectors in a table of joints, then everything else. */
void tool_put_state(const tool_call *call, const tool_batch *batch, int state, int count,
    const tool_quantity *const *list, double *const *value);

/* ---- CSV --------------------------------------------------------------------------------------- */

/* Writes a result as a line, the first also as a line of names; columns must stay the same. The
 * result is released. */
typedef struct tool_csv {
    FILE *out;
    const soa_model *model;
    size_t columns; /* of the first result; 0: there was none */
} tool_csv;

void tool_csv_row(tool_csv *csv, json_t *result);

/* ---- files that are written whole or not at all ------------------------------------------- */

typedef void tool_writer(void *context, FILE *out);

/* By way of a temporary file beside path, which an interrupt or a failure removes. */
void tool_file_write(const char *path, tool_writer *write, void *context);

/* ---- models ---------------------------------------------------------------------------------- */

/* The model named by the first operand, its base as --base says. */
soa_model *tool_load_based(const tool_call *call, const char *name);

/* Notes that the couplings and closures of the model are left out of `what`. */
void tool_note_open(tool_call *call, const soa_model *model, const char *what);

/* The springs, damping and friction of the model; "" if there are none. Notes that they are left out, or that they act. */
const char *tool_forces_text(const soa_model *model);
void tool_note_forces(tool_call *call, const soa_model *model);
void tool_note_forces_act(tool_call *call, const soa_model *model);

/* What was noted so far. */
json_t *tool_notes_json(const tool_call *call);

/* The joint's name, or that of its link if it has none. */
const char *tool_joint_name(const soa_model *model, int link);

/* The name of the joint of a body, "LINK/flex" for modes. */
const char *tool_body_joint(const soa_model *model, const soa_body *body);

/* The joints that move, in the order of the model. */
json_t *tool_joints_json(const soa_model *model);

#endif
