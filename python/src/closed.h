/* closed.h - what the types Closures and System share: their base type Closed. */
#ifndef SOA_PYTHON_CLOSED_H
#define SOA_PYTHON_CLOSED_H

#include "binding.h"

/* It holds scratch memory, so one thread at a time may use it: `busy` refuses a second. */
typedef struct Closed {
    PyObject_HEAD PyObject *model;
    soa_closures *set;
    soa_system *system; /* NULL: of a set */
    sizes size;
    bool busy;
} Closed;

extern PyObject *closed_type;

/* How a request gets the set, and gives it back. */
int closed_open(PyObject *self, request *r, int threads);
void closed_close(PyObject *self, request *r);

/* Whether no other thread uses it; raises otherwise. */
bool closed_is_free(PyObject *self);

/* An object over the model that args have; system: with the functions of a system. NULL: raised. */
PyObject *closed_make(PyTypeObject *type, PyObject *args, bool system);

int binding_add_closed(PyObject *module);

#endif
