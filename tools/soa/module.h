/* module.h - parts of the program that need a large library: each is a shared file of its own, looked for when it is wanted.
 *
 * A module has one symbol, soa_module, a table of functions. It is looked for in the folder SOA_MODULES of the
 * environment, beside the program, and in ../lib/soa from there. */
#ifndef SOA_TOOL_MODULE_H
#define SOA_TOOL_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "soa/scenario.h"
#include "soa/soa.h"

/* HDF5: a list of numbers for each column, by its name. why: what went wrong. */
typedef struct module_hdf5_table {
    bool (*write)(
        const char *path, int columns, char *const *name, int rows, const double *number, char *why, size_t size);

    /* name and number are to be freed, each name too. Columns in the order in which they were written. */
    bool (*read)(const char *path, int *columns, char ***name, int *rows, double **number, char *why, size_t size);
} module_hdf5_table;

/* MPI: begins, tells who there is, sends bytes from rank 0 to all, and ends. */
typedef struct module_mpi_table {
    void (*begin)(int *rank, int *size);
    void (*share)(void *bytes, size_t size);
    void (*end)(bool all_there); /* false: a rank has died; nobody is waited for */
} module_mpi_table;

/* Emission: C for one robot, or for any. */
typedef struct module_emit_request {
    const soa_model *model;  /* NULL: the sweeps of a program, for any tree */
    const char *source;      /* what the model is called in the comment */
    unsigned long long hash; /* of what the model says */
    const char *what;        /* a name of emit_list.h, or the text of ... */
    soa_program *program;    /* ... expressions, the statements from `first` on; NULL: an algorithm */
    int first;
    const char *name; /* of the function; NULL: by the algorithm */
    int points;
    const soa_point *point;
    int lanes;    /* states at once */
    bool single;  /* float instead of double */
    bool forces;  /* those that the model describes act */
    bool literal; /* the operations of the library, one by one */
    bool libm;    /* sin and cos of <math.h> */
    bool driver;  /* a main that checks itself */
    bool count;   /* operation counts instead of C */
    bool data;    /* the model as a constant, and no function */
    bool plain;   /* without a model: what holds for robots without rotors alone */
    bool kernel;  /* without a model: operators as kernels of the library */
    bool table;   /* a second function, NAME_table(in, out), that takes arrays of the arrays */
} module_emit_request;

typedef struct module_emit_table {
    /* The text, to be freed; NULL: why says what went wrong. */
    char *(*emit)(const module_emit_request *request, char *why, size_t size);
} module_emit_table;

/* FE: modes and static deflections of large sparse models, by LAPACK and ARPACK. */
typedef struct module_fe_table {
    soa_fe_solver solver;
} module_fe_table;

/* Compiling: a text of C into the process. */
typedef struct module_jit_table {
    /* The function of that name; NULL: why says what went wrong. */
    void *(*load)(const char *text, const char *name, char *why, size_t size);
} module_jit_table;

/* What expressions were compiled to: inputs in the order of the compiled ones, q in front. */
/* Forward dynamics of the open tree as compiled code, for soa_sim_setup.forward; NULL: why says why not. */
typedef void module_forward(const double *q, const double *v, const double *T, double *vdot);
module_forward *module_compile_forward(const soa_model *model, char *why, size_t size);

typedef void module_jit_function(const double *const *in, double *const *out);

/* SUNDIALS: the integrator of the methods from outside. */
typedef struct module_sundials_table {
    const soa_integrator *integrator;
} module_sundials_table;

/* The table of a module. The command ends if it is not there; the message names the Debian package it is built with. */
const void *module_find(const char *name, const char *package);

/* NULL: it is not there. */
const void *module_look(const char *name);
const module_hdf5_table *module_hdf5(void);

/* The folder of the program, without a slash at its end; "" if it cannot be told. Returns path. */
const char *tool_own_folder(char *path, size_t size);

/* Loads a scenario, and the module of its method if that is from outside. */
soa_scenario *module_scenario(const char *path);

#endif
