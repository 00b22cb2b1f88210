/* binding.h - what the parts of the extension share.
 *
 * The extension uses the stable ABI of CPython 3.9. Buffers joined that ABI with 3.11, but their struct has been the same
 * since 3.3, so it is declared here for headers that hide it. */
#ifndef SOA_PYTHON_BINDING_H
#define SOA_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <stdbool.h>

#include "soa/io.h"
#include "soa/scenario.h"
#include "soa/sens_batch.h"
#include "soa/soa.h"
#include "soa/system.h"

#ifndef PyBUF_FORMAT
typedef struct bufferinfo {
    void *buf;
    PyObject *obj;
    Py_ssize_t len;
    Py_ssize_t itemsize;
    int readonly;
    int ndim;
    char *format;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    Py_ssize_t *suboffsets;
    void *internal;
} Py_buffer;
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);
#define PyBUF_WRITABLE     0x0001
#define PyBUF_FORMAT       0x0004
#define PyBUF_ND           0x0008
#define PyBUF_STRIDES      (0x0010 | PyBUF_ND)
#define PyBUF_C_CONTIGUOUS (0x0020 | PyBUF_STRIDES)
#endif

/* ---- errors ------------------------------------------------------------------------------- */

/* Raises what the error says, as soa.Error or one of its kinds. Returns NULL. */
PyObject *binding_raise(const soa_error *error);

/* The functions of Python that the extension calls: make_error and real_array of soa/_errors.py; numpy.empty,
 * numpy.broadcast_to; the dtype float64; the words "dtype" and "out". */
typedef struct binding_calls {
    PyObject *make_error, *real_array, *empty, *broadcast, *dtype, *dtype_word, *out_word;
} binding_calls;
extern binding_calls binding;

/* ---- functions of arrays -------------------------------------------------------------------- */

enum { MOST_ARRAYS = 10 };

/* The sizes that the lists of functions speak of. */
typedef struct sizes {
    const soa_model *m;
    size_t nq, nv, bodies, links, points, rows, dofs;
} sizes;

/* An array of a function: its name, whether it is a result, and its numbers per state as the list writes them. */
typedef struct array_info {
    const char *name;
    bool out;
    const char *numbers;
} array_info;

/* Arguments that are no arrays of states. */
enum {
    HAS_points = 1,
    HAS_point = 2,
    HAS_axes = 4,
    HAS_method = 8,
    HAS_velocity = 16,
    HAS_prescribed = 32,
    HAS_link = 64,
    HAS_metric = 128,
};

/* A call made ready. */
typedef struct request {
    sizes size;
    soa_workspace *workspace;
    soa_batch *batch; /* NULL: by the workspace */
    soa_closures *closures;
    soa_system *system;
    int states, points, velocity, link, threads;
    const soa_point *point;
    soa_axes axes;
    soa_method method;
    soa_metric metric;
    const bool *prescribed;
    double *array[MOST_ARRAYS]; /* NULL: left out */
} request;

typedef struct function {
    const char *name;
    unsigned has;
    int arrays;
    const array_info *array;
    void (*measure)(const sizes *size, size_t *numbers);
    soa_status (*call)(const request *r, soa_error *error);
    bool one_state; /* the C function takes one: it is called for each */
} function;

/* Who owns the functions: how a request gets its model, workspace or set, and what is done after it. */
typedef struct owner {
    int (*open)(PyObject *self, request *r, int threads); /* -1: raised */
    void (*close)(PyObject *self, request *r);
    int (*prepare)(request *r); /* with the first state in place, before results are made; NULL: nothing */
} owner;

/* Runs a function: arguments in, arrays out. */
PyObject *binding_run(PyObject *self, const owner *o, const function *f, PyObject *args, PyObject *keywords);

/* ---- arrays ------------------------------------------------------------------------------------ */

/* A buffer of float64 in C order; flags: PyBUF_WRITABLE or 0. -1: it is none (no exception is set). */
int binding_open(PyObject *object, int flags, Py_buffer *view);

/* The object as an array of float64 in C order: a new reference. NULL: raised; what: its name in the message. */
PyObject *binding_convert(PyObject *object, const char *what);

/* Lengths of one state of an array, at most MOST_AXES; returns how many. */
enum { MOST_AXES = 3 };
int binding_shape(const array_info *a, const sizes *s, size_t numbers, size_t *shape);

/* A new array of float64; shape: lengths. */
PyObject *binding_array(int dimensions, const size_t *shape);
PyObject *binding_vector(size_t numbers, const double *from); /* a copy */

/* Numbers of an object as float64 in C order: `count` of them, or any if count is SIZE_MAX; what: its name in messages.
 * keep: the object that holds them, to be released by the caller. */
const double *binding_numbers(PyObject *object, const char *what, size_t count, size_t *found, PyObject **keep);

/* Points that an object names: a string, a pair (name, xyz), or a sequence of those. The caller frees them with
 * PyMem_Free. -1: raised. */
int binding_points(const soa_model *model, PyObject *at, soa_point **points);

/* ---- types ---------------------------------------------------------------------------------------- */

extern PyObject *binding_Model;
const soa_model *binding_model_of(PyObject *model); /* NULL: raised */
int binding_add_model(PyObject *module);
int binding_add_closures(PyObject *module);
int binding_add_system(PyObject *module);
int binding_add_language(PyObject *module);
int binding_add_simulation(PyObject *module);
int binding_add_operators(PyObject *module);

/* A heap type of the module; base NULL: object. */
PyObject *binding_type(PyObject *module, PyType_Spec *spec, PyObject *base);

#endif
