/* closed.c - the base of the types Closures and System: made, freed, and what they can do with single closures. */
#include <string.h>

#include "closed.h"

PyObject *closed_type;

bool closed_is_free(PyObject *self)
{
    const Closed *c = (const Closed *)self;
    if (c->busy || !c->set) {
        PyErr_SetString(PyExc_RuntimeError, c->set
                                                ? "closures belong to one thread at a time; make a set for each thread"
                                                : "these closures are of no model");
        return false;
    }
    return true;
}

int closed_open(PyObject *self, request *r, int threads)
{
    Closed *const c = (Closed *)self;
    if (threads != 1) {
        PyErr_SetString(PyExc_ValueError, "threads: closures belong to one thread; make a set for each");
        return -1;
    }
    if (!closed_is_free(self)) {
        return -1;
    }
    c->size.rows = (size_t)soa_closures_rows(c->set);
    r->size = c->size;
    r->closures = c->set;
    r->system = c->system;
    c->busy = true;
    return 0;
}

void closed_close(PyObject *self, request *r)
{
    (void)r;
    ((Closed *)self)->busy = false;
}

PyObject *closed_make(PyTypeObject *type, PyObject *args, bool system)
{
    PyObject *object = NULL;
    soa_error error;
    soa_status status;
    const soa_model *model = PyArg_ParseTuple(args, "O", &object) ? binding_model_of(object) : NULL;
    Closed *self = model ? (Closed *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0) : NULL;
    if (!self) {
        return NULL;
    }
    Py_INCREF(object);
    self->model = object;
    if (system) {
        status = soa_system_new(model, NULL, &self->system, &error);
        self->set = status == SOA_OK ? soa_system_closures(self->system) : NULL;
    } else {
        status = soa_closures_new(1, &model, NULL, NULL, &self->set, &error);
    }
    self->size = (sizes){ .m = model,
        .nq = (size_t)soa_model_nq(model),
        .nv = (size_t)soa_model_nv(model),
        .bodies = (size_t)soa_model_bodies(model) };
    if (status != SOA_OK) {
        Py_DECREF(self);
        return binding_raise(&error);
    }
    return (PyObject *)self;
}

static void closed_free(PyObject *self)
{
    Closed *const c = (Closed *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (c->system) {
        soa_system_free(c->system);
    } else {
        soa_closures_free(c->set);
    }
    Py_XDECREF(c->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- single closures --------------------------------------------------------------------------- */

static int closure_number(const Closed *c, PyObject *which)
{
    PyObject *text = PyUnicode_Check(which) ? PyUnicode_AsUTF8String(which) : NULL;
    long number = text ? soa_closure_find(c->set, PyBytes_AsString(text)) : PyLong_AsLong(which);
    Py_XDECREF(text);
    if (number < 0 || number >= soa_closures_count(c->set)) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_KeyError, "there is no closure %R", which);
        }
        return -1;
    }
    return (int)number;
}

static PyObject *closures_force(PyObject *self, PyObject *which)
{
    const Closed *c = (const Closed *)self;
    const int number = closure_number(c, which);
    soa_closure_load l;
    soa_error error;
    if (number < 0) {
        return NULL;
    }
    if (soa_closure_force(c->set, number, &l, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    return Py_BuildValue("{s:N,s:N,s:O,s:d,s:d,s:d,s:d,s:O}", "point", binding_vector(3, l.point), "wrench_on_a",
        binding_vector(6, l.wrench_on_a), "contact", l.contact ? Py_True : Py_False, "normal", l.normal, "tangential",
        l.tangential, "twist", l.twist, "cone_margin", l.cone_margin, "holds", l.holds ? Py_True : Py_False);
}

static PyObject *closures_enable(PyObject *self, PyObject *args)
{
    const Closed *c = (const Closed *)self;
    PyObject *which = NULL;
    int enabled = 1;
    soa_error error;
    if (!PyArg_ParseTuple(args, "O|p:enable", &which, &enabled)) {
        return NULL;
    }
    const int number = closure_number(c, which);
    if (number < 0) {
        return NULL;
    }
    if (soa_closure_enable(c->set, number, enabled != 0, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    Py_RETURN_NONE;
}

static PyObject *closures_remove(PyObject *self, PyObject *which)
{
    const Closed *c = (const Closed *)self;
    const int number = closure_number(c, which);
    soa_error error;
    if (number < 0) {
        return NULL;
    }
    if (soa_closure_remove(c->set, number, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    Py_RETURN_NONE;
}

/* hold_here(closure, q): it holds where its frames are at q. */
static PyObject *closures_hold_here(PyObject *self, PyObject *args)
{
    const Closed *c = (const Closed *)self;
    PyObject *which = NULL, *object = NULL, *keep = NULL;
    soa_error error;
    const int number = PyArg_ParseTuple(args, "OO:hold_here", &which, &object) ? closure_number(c, which) : -1;
    const double *q = number >= 0 ? binding_numbers(object, "q", c->size.nq, NULL, &keep) : NULL;
    if (!q) {
        return NULL;
    }
    const soa_status status = soa_closure_hold_here(c->set, number, q, &error);
    Py_DECREF(keep);
    if (status != SOA_OK) {
        return binding_raise(&error);
    }
    Py_RETURN_NONE;
}

/* set_motion(closure, position, velocity, acceleration): a number per row each, or None. */
static PyObject *closures_set_motion(PyObject *self, PyObject *args)
{
    const Closed *c = (const Closed *)self;
    PyObject *which = NULL, *object[3] = { Py_None, Py_None, Py_None }, *keep[3] = { NULL };
    const double *number[3] = { NULL };
    soa_error error = { .status = SOA_OK };
    if (!PyArg_ParseTuple(args, "O|OOO:set_motion", &which, &object[0], &object[1], &object[2])) {
        return NULL;
    }
    const int closure = closure_number(c, which);
    bool good = closure >= 0;
    for (int i = 0; i < 3 && good; i++) {
        if (object[i] != Py_None) {
            number[i] = binding_numbers(object[i], "motion", (size_t)soa_closure_rows(c->set, closure), NULL, &keep[i]);
            good = number[i] != NULL;
        }
    }
    if (good && soa_closure_set_motion(c->set, closure, number[0], number[1], number[2], &error) != SOA_OK) {
        binding_raise(&error);
        good = false;
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(keep[i]);
    }
    if (!good) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* grasp(what, link, q, numbers): split of lambda, balance of a wrench, or force closure. */
static PyObject *closures_grasp(PyObject *self, PyObject *args)
{
    const Closed *c = (const Closed *)self;
    const char *what = NULL, *name = NULL;
    PyObject *object = NULL, *given = Py_None, *keep = NULL, *keep_given = NULL, *made = NULL;
    if (!PyArg_ParseTuple(args, "ssO|O:grasp", &what, &name, &object, &given)) {
        return NULL;
    }
    const size_t rows = (size_t)soa_closures_rows(c->set);
    const int link = soa_model_find_link(c->size.m, name);
    const bool split = strcmp(what, "split") == 0, balance = strcmp(what, "balance") == 0;
    soa_error error = { .status = SOA_OK };
    soa_status status = SOA_OK;
    bool closed = false;
    double wrench[6] = { 0.0 };
    const double *q = binding_numbers(object, "q", c->size.nq, NULL, &keep);
    const double *x = q && (split || balance) ? binding_numbers(given, split ? "multipliers" : "wrench",
                                                    split ? rows : 6, NULL, &keep_given)
                                              : NULL;
    double *out = q && (x || !(split || balance)) ? PyMem_Malloc((2 * rows + 1) * sizeof *out) : NULL;
    if (out && split) {
        status = soa_grasp_split(c->set, 0, link, 1, q, NULL, x, out, out + rows, wrench, &error);
        made = status == SOA_OK ? Py_BuildValue("NNN", binding_vector(rows, out), binding_vector(rows, out + rows),
                                      binding_vector(6, wrench))
                                : binding_raise(&error);
    } else if (out && balance) {
        status = soa_grasp_balance(c->set, 0, link, 1, q, NULL, x, out, &error);
        made = status == SOA_OK ? binding_vector(rows, out) : binding_raise(&error);
    } else if (out) {
        memset(out, 0, rows * sizeof *out);
        status = soa_force_closure(c->set, 0, link, 8, 1, q, &closed, out, &error);
        made = status == SOA_OK ? Py_BuildValue("ON", closed ? Py_True : Py_False, binding_vector(rows, out))
                                : binding_raise(&error);
    }
    PyMem_Free(out);
    Py_XDECREF(keep);
    Py_XDECREF(keep_given);
    return made;
}

static PyObject *closures_list(PyObject *self, PyObject *none)
{
    const Closed *c = (const Closed *)self;
    PyObject *all = PyList_New(0);
    (void)none;
    for (int i = 0; all && i < soa_closures_count(c->set); i++) {
        PyObject *row = Py_BuildValue("{s:s,s:O,s:i,s:i}", "name", soa_closure_name(c->set, i), "enabled",
            soa_closure_enabled(c->set, i) ? Py_True : Py_False, "rows", soa_closure_rows(c->set, i), "first_row",
            soa_closure_first_row(c->set, i));
        if (row) {
            PyList_Append(all, row);
            Py_DECREF(row);
        }
    }
    return all;
}

static PyObject *closures_redundancy(PyObject *self, PyObject *none)
{
    soa_redundancy r;
    soa_error error;
    (void)none;
    if (soa_closures_redundancy(((Closed *)self)->set, &r, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    return Py_BuildValue("{s:i,s:i,s:O,s:O,s:O,s:d,s:d,s:s}", "rows", r.rows, "rank", r.rank, "rounded",
        r.rounded ? Py_True : Py_False, "undecided", r.undecided ? Py_True : Py_False, "unmet",
        r.unmet ? Py_True : Py_False, "kept", r.kept, "dropped", r.dropped, "closures", r.closures);
}

static PyObject *closures_set_tolerances(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "rank", "contradiction", "velocity", NULL };
    soa_closure_tolerances t = { 0 };
    soa_error error;
    if (!closed_is_free(self) || !PyArg_ParseTupleAndKeywords(args, keywords, "|ddd:set_tolerances", names, &t.rank,
                                     &t.contradiction, &t.velocity)) {
        return NULL;
    }
    if (soa_closures_set_tolerances(((Closed *)self)->set, &t, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    Py_RETURN_NONE;
}

/* Every method asks first whether no other thread is inside. */
#define GUARDED(name)                                                     \
    static PyObject *guarded_##name(PyObject *self, PyObject *args)       \
    {                                                                     \
        return closed_is_free(self) ? closures_##name(self, args) : NULL; \
    }
GUARDED(force)
GUARDED(enable)
GUARDED(remove)
GUARDED(hold_here)
GUARDED(set_motion)
GUARDED(grasp)
GUARDED(list)
GUARDED(redundancy)

static PyMethodDef METHODS[] = { { "force", guarded_force, METH_O,
                                     "force(closure): what it does in the last solution (soa_closure_force)." },
    { "enable", guarded_enable, METH_VARARGS, "enable(closure, enabled=True): by name or number." },
    { "remove", guarded_remove, METH_O, "remove(closure): takes it out of the set." },
    { "hold_here", guarded_hold_here, METH_VARARGS, "hold_here(closure, q): it holds where its frames are at q." },
    { "set_motion", guarded_set_motion, METH_VARARGS,
        "set_motion(closure, position=None, velocity=None, acceleration=None): a number per row each." },
    { "_grasp", guarded_grasp, METH_VARARGS, NULL },
    { "list", guarded_list, METH_NOARGS, "list(): every closure and coupling: name, enabled, rows, first_row." },
    { "redundancy", guarded_redundancy, METH_NOARGS,
        "redundancy(): which rows depend on each other but for rounding." },
    { "set_tolerances", (PyCFunction)(void (*)(void))closures_set_tolerances, METH_VARARGS | METH_KEYWORDS,
        "set_tolerances(rank=0, contradiction=0, velocity=0); zeros: the defaults." },
    { NULL, NULL, 0, NULL } };

int binding_add_closed(PyObject *module)
{
    static PyType_Slot slots[] = { { Py_tp_dealloc, (void *)closed_free }, { Py_tp_methods, METHODS }, { 0, NULL } };
    static PyType_Spec spec = { "soa._soa.Closed", sizeof(Closed), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
    closed_type = binding_type(module, &spec, NULL);
    return closed_type ? 0 : -1;
}
