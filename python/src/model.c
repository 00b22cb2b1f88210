/* model.c - the type Model: loading, describing, and every function of the lists of soa/batch.h and soa/sens_batch.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "docs.h"
#include "lists.h"

enum { POOL = 8 };

/* Workspaces and batches wait here between calls; whoever calls takes one under the lock of the interpreter. */
typedef struct Model {
    PyObject_HEAD soa_model *model;
    sizes size;
    soa_workspace *pool[POOL];
    soa_batch *batch;
    int threads; /* as they were asked for */
} Model;

PyObject *binding_Model;

const soa_model *binding_model_of(PyObject *object)
{
    if (!PyObject_IsInstance(object, binding_Model)) {
        PyErr_SetString(PyExc_TypeError, "expected a soa.Model");
        return NULL;
    }
    return ((Model *)object)->model;
}

/* ---- the functions --------------------------------------------------------------------------- */

static int open_model(PyObject *self, request *r, int threads)
{
    Model *const m = (Model *)self;
    soa_error error;
    r->size = m->size;
    if (threads == 1) {
        for (int i = 0; i < POOL && !r->workspace; i++) {
            r->workspace = m->pool[i];
            m->pool[i] = NULL;
        }
        if (!r->workspace && soa_workspace_new(m->model, NULL, &r->workspace, &error) != SOA_OK) {
            binding_raise(&error);
            return -1;
        }
        return 0;
    }
    r->threads = threads;
    if (m->batch && m->threads == threads) {
        r->batch = m->batch;
        m->batch = NULL; /* while it is in use */
    } else if (soa_batch_new(m->model, threads, NULL, &r->batch, &error) != SOA_OK) {
        binding_raise(&error);
        return -1;
    }
    return 0;
}

static void close_model(PyObject *self, request *r)
{
    Model *const m = (Model *)self;
    for (int i = 0; i < POOL && r->workspace; i++) {
        if (!m->pool[i]) {
            m->pool[i] = r->workspace;
            r->workspace = NULL;
        }
    }
    if (r->batch) { /* the latest is kept */
        soa_batch *const before = m->batch;
        m->batch = r->batch;
        m->threads = r->threads;
        r->batch = before;
    }
    soa_workspace_free(r->workspace);
    soa_batch_free(r->batch);
}

static const owner OWNER = { open_model, close_model, NULL };

#define OF_MODEL(name)                                                                            \
    DEFINE_FUNCTION(SOA_BATCH_, name, false,                                                      \
        (r->batch ? soa_batch_##name(r->batch, LIST_ARGUMENTS(SOA_BATCH_, name) error)            \
                  : soa_##name(r->size.m, r->workspace, LIST_ARGUMENTS(SOA_BATCH_, name) error))) \
    DEFINE_METHOD(OWNER, name)

SOA_BATCH_LIST(OF_MODEL)
SOA_SENS_BATCH_LIST(OF_MODEL)

/* ---- configurations ----------------------------------------------------------------------------- */

#define CONFIGURATION_neutral(ARG, STATES, IN, OUT)    OUT(q, nq)
#define CONFIGURATION_normalize(ARG, STATES, IN, OUT)  IN(q, nq) OUT(q_out, nq)
#define CONFIGURATION_integrate(ARG, STATES, IN, OUT)  IN(q, nq) IN(v, nv) OUT(q_out, nq)
#define CONFIGURATION_difference(ARG, STATES, IN, OUT) IN(q0, nq) IN(q1, nq) OUT(v, nv)
#define CONFIGURATION_rates(ARG, STATES, IN, OUT)      IN(q, nq) IN(v, nv) OUT(rate, nq)

/* Functions without a status, after their inputs have been checked. */
static soa_status checked(const request *r, const double *q, soa_error *error)
{
    return soa_check_configuration(r->size.m, q, error);
}

static soa_status neutral(const request *r, double *q)
{
    soa_model_neutral(r->size.m, q);
    return SOA_OK;
}

static soa_status normalize(const request *r, const double *q, double *out, soa_error *error)
{
    memcpy(out, q, r->size.nq * sizeof *q);
    return soa_normalize(r->size.m, out, error);
}

static soa_status check_velocity(const request *r, const double *v, soa_error *error)
{
    for (size_t i = 0; v && i < r->size.nv; i++) {
        if (!isfinite(v[i])) {
            *error = (soa_error){ .status = SOA_E_NUMBER, .body = -1, .state = -1 };
            snprintf(error->text, sizeof error->text, "v[%zu] is not finite; give finite numbers", i);
            return SOA_E_NUMBER;
        }
    }
    return SOA_OK;
}

static soa_status integrate(const request *r, const double *q, const double *v, double *out, soa_error *error)
{
    soa_status status = checked(r, q, error);
    status = status == SOA_OK ? check_velocity(r, v, error) : status;
    if (status == SOA_OK && v) {
        soa_integrate(r->size.m, q, v, 1.0, out);
    } else if (status == SOA_OK) {
        memcpy(out, q, r->size.nq * sizeof *q);
    }
    return status;
}

static soa_status difference(const request *r, const double *q0, const double *q1, double *v, soa_error *error)
{
    soa_status status = checked(r, q0, error);
    status = status == SOA_OK ? checked(r, q1, error) : status;
    if (status == SOA_OK) {
        soa_difference(r->size.m, q0, q1, v);
    }
    return status;
}

static soa_status rates(const request *r, const double *q, const double *v, double *rate, soa_error *error)
{
    soa_status status = checked(r, q, error);
    status = status == SOA_OK ? check_velocity(r, v, error) : status;
    if (status == SOA_OK) {
        soa_model_rates(r->size.m, q, v, rate);
    }
    return status;
}

DEFINE_FUNCTION(CONFIGURATION_, normalize, true, normalize(r, r->array[AT_q], r->array[AT_q_out], error))
DEFINE_FUNCTION(
    CONFIGURATION_, integrate, true, integrate(r, r->array[AT_q], r->array[AT_v], r->array[AT_q_out], error))
DEFINE_FUNCTION(CONFIGURATION_, difference, true,
    r->array[AT_q1] ? difference(r, r->array[AT_q0], r->array[AT_q1], r->array[AT_v], error) : SOA_E_ARGUMENT)
DEFINE_FUNCTION(CONFIGURATION_, rates, true,
    r->array[AT_v] ? rates(r, r->array[AT_q], r->array[AT_v], r->array[AT_rate], error) : SOA_E_ARGUMENT)
DEFINE_FUNCTION(CONFIGURATION_, neutral, true, ((void)error, neutral(r, r->array[AT_q])))
DEFINE_METHOD(OWNER, normalize)
DEFINE_METHOD(OWNER, integrate)
DEFINE_METHOD(OWNER, difference)
DEFINE_METHOD(OWNER, rates)
DEFINE_METHOD(OWNER, neutral)

static PyObject *random_states(PyObject *self, PyObject *args)
{
    const Model *m = (const Model *)self;
    int states = 0;
    unsigned long long seed = 1;
    if (!PyArg_ParseTuple(args, "iK:random", &states, &seed)) {
        return NULL;
    }
    if (states < 0) {
        return PyErr_Format(PyExc_ValueError, "random: states must not be negative");
    }
    double *q = PyMem_Malloc(((size_t)states * (m->size.nq + m->size.nv) + 1) * sizeof *q);
    if (!q) {
        return PyErr_NoMemory();
    }
    double *v = q + (size_t)states * m->size.nq;
    for (int s = 0; s < states; s++) {
        soa_random_configuration(m->model, &seed, q + (size_t)s * m->size.nq);
        for (size_t i = 0; i < m->size.nv; i++) {
            v[(size_t)s * m->size.nv + i] = soa_model_random_number(&seed);
        }
    }
    PyObject *qs = binding_vector((size_t)states * m->size.nq, q), *vs = binding_vector((size_t)states * m->size.nv, v);
    PyMem_Free(q);
    return qs && vs ? Py_BuildValue("NN", qs, vs) : NULL;
}

static const char *const FORMAT[] = {
#define FORMAT_TEXT(name, text, ending) text,
    SOA_FORMAT_LIST(FORMAT_TEXT)
#undef FORMAT_TEXT
};

/* ---- made ------------------------------------------------------------------------------------------ */

/* A model of another one, or of a text. how: load, builtin, yaml, free-base, gravity. */
static soa_status make(
    const char *how, const char *text, PyObject *other, PyObject *more, soa_model **model, soa_error *error)
{
    if (strcmp(how, "load") == 0) {
        return soa_load(text, NULL, model, error);
    }
    if (strcmp(how, "builtin") == 0) {
        return soa_model_builtin(text, NULL, model, error);
    }
    for (int format = 0; format < SOA_FORMATS; format++) {
        if (strcmp(how, FORMAT[format]) == 0) {
            return soa_load_text((soa_format)format, text, strlen(text), NULL, NULL, model, error);
        }
    }
    const soa_model *from = binding_model_of(other);
    if (from && strcmp(how, "free-base") == 0) {
        return soa_model_free_base(from, model, error);
    }
    PyObject *keep = NULL;
    const double *gravity = from ? binding_numbers(more, "gravity", 3, NULL, &keep) : NULL;
    const soa_status status = gravity ? soa_model_with_gravity(from, gravity, model, error) : SOA_E_ARGUMENT;
    Py_XDECREF(keep);
    return status;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *how = NULL, *text = "";
    PyObject *other = Py_None, *more = Py_None;
    soa_error error = { .status = SOA_E_ARGUMENT, .text = "a model cannot be made so" };
    soa_model *model = NULL;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "ss|OO:Model", &how, &text, &other, &more)) {
        return NULL;
    }
    if (make(how, text, other, more, &model, &error) != SOA_OK) {
        return PyErr_Occurred() ? NULL : binding_raise(&error);
    }
    Model *self = (Model *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) {
        soa_model_free(model);
        return NULL;
    }
    self->model = model;
    self->size = (sizes){ .m = model,
        .nq = (size_t)soa_model_nq(model),
        .nv = (size_t)soa_model_nv(model),
        .bodies = (size_t)soa_model_bodies(model),
        .links = (size_t)soa_model_links(model) };
    return (PyObject *)self;
}

static void model_free(PyObject *self)
{
    Model *const m = (Model *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < POOL; i++) {
        soa_workspace_free(m->pool[i]);
    }
    soa_batch_free(m->batch);
    soa_model_free(m->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *model_write(PyObject *self, PyObject *args)
{
    const char *format = NULL;
    if (!PyArg_ParseTuple(args, "s:write", &format)) {
        return NULL;
    }
    for (int i = 0; i < SOA_FORMATS; i++) {
        if (strcmp(format, FORMAT[i]) == 0) {
            char *text = NULL;
            size_t length = 0;
            soa_error error;
            if (soa_write(((Model *)self)->model, (soa_format)i, NULL, &text, &length, &error) != SOA_OK) {
                return binding_raise(&error);
            }
            PyObject *made = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
            soa_text_free(NULL, text);
            return made;
        }
    }
    return PyErr_Format(PyExc_ValueError, "write: expected one of 'URDF', 'MJCF', 'YAML'");
}

/* ---- described ----------------------------------------------------------------------------------------- */

static PyObject *model_sizes(PyObject *self, PyObject *none)
{
    const Model *m = (const Model *)self;
    double g[3];
    (void)none;
    soa_model_gravity(m->model, g);
    return Py_BuildValue("{s:s,s:n,s:n,s:n,s:n,s:i,s:i,s:i,s:d,s:(ddd)}", "name", soa_model_name(m->model), "nq",
        (Py_ssize_t)m->size.nq, "nv", (Py_ssize_t)m->size.nv, "bodies", (Py_ssize_t)m->size.bodies, "links",
        (Py_ssize_t)m->size.links, "frames", soa_model_frames(m->model), "couplings", soa_model_couplings(m->model),
        "closures", soa_model_closures(m->model), "mass", soa_model_mass(m->model), "gravity", g[0], g[1], g[2]);
}

static PyObject *numbers_of(int count, const double *from)
{
    PyObject *made = PyTuple_New(count);
    for (int i = 0; made && i < count; i++) {
        PyTuple_SetItem(made, i, PyFloat_FromDouble(from[i]));
    }
    return made;
}

/* A link with its joint. q and v: where the numbers of the joint are; -1: it is fixed. modes: those of a flexible link and where
 * they are, (q, v, how many); else None. */
static PyObject *model_link(PyObject *self, PyObject *number)
{
    const soa_model *m = ((const Model *)self)->model;
    const long at = PyLong_AsLong(number);
    const soa_link *link = at >= 0 && at < soa_model_links(m) ? soa_model_link(m, (int)at) : NULL;
    if (!link) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_IndexError, "there is no link %ld", at);
    }
    soa_body body = { .q = -1, .v = -1 };
    const soa_joint *j = &link->joint;
    const int moved = soa_model_joint_body(m, (int)at);
    if (moved >= 0) {
        body = soa_model_body(m, moved);
    }
    PyObject *modes = Py_None;
    if (link->flexible) {
        const soa_body on = soa_model_body(m, soa_model_link_body(m, (int)at, NULL));
        modes = Py_BuildValue("iii", on.q, on.v, on.nv);
    } else {
        Py_INCREF(modes);
    }
    return Py_BuildValue("{s:s,s:i,s:z,s:s,s:i,s:i,s:i,s:i,s:N,s:N,s:N,s:N,s:N,s:N,s:d,s:N,s:N}", "name", link->name,
        "parent", link->parent, "joint", j->name, "kind", soa_joint_kind_text(j->kind), "q", body.q, "nq", body.nq, "v",
        body.v, "nv", body.nv, "modes", modes, "axis", numbers_of(3, j->axis), "lower", numbers_of(body.nv, j->lower),
        "upper", numbers_of(body.nv, j->upper), "velocity", numbers_of(body.nv, j->velocity), "effort",
        numbers_of(body.nv, j->effort), "mass", link->inertia.mass, "com", numbers_of(3, link->inertia.com), "inertia",
        numbers_of(6, link->inertia.moment));
}

static PyObject *text_list(int count, const soa_model *m, const char *(*text)(const soa_model *, int))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        const char *name = text(m, i);
        PyObject *item = PyUnicode_FromString(name ? name : "");
        if (item) {
            PyList_Append(list, item);
            Py_DECREF(item);
        }
    }
    return list;
}

static const char *frame_name(const soa_model *m, int i)
{
    return soa_model_frame(m, i)->name;
}

static const char *closure_name(const soa_model *m, int i)
{
    return soa_model_closure(m, i)->name;
}

static const char *warning_text(const soa_model *m, int i)
{
    return soa_model_warning(m, i)->text;
}

static PyObject *model_names(PyObject *self, PyObject *args)
{
    const soa_model *m = ((const Model *)self)->model;
    const char *what = NULL;
    if (!PyArg_ParseTuple(args, "s:names", &what)) {
        return NULL;
    }
    if (strcmp(what, "frames") == 0) {
        return text_list(soa_model_frames(m), m, frame_name);
    }
    return strcmp(what, "closures") == 0 ? text_list(soa_model_closures(m), m, closure_name)
                                         : text_list(soa_model_warnings(m), m, warning_text);
}

/* Named configurations: {name: (q, v or None)}. */
static PyObject *model_configurations(PyObject *self, PyObject *none)
{
    const Model *m = (const Model *)self;
    PyObject *all = PyDict_New();
    (void)none;
    for (int i = 0; all && i < soa_model_configurations(m->model); i++) {
        const soa_configuration *c = soa_model_configuration(m->model, i);
        PyObject *v = c->v ? binding_vector(m->size.nv, c->v) : NULL;
        PyObject *pair = v ? Py_BuildValue("NN", binding_vector(m->size.nq, c->q), v)
                           : Py_BuildValue("NO", binding_vector(m->size.nq, c->q), Py_None);
        if (pair) {
            PyDict_SetItemString(all, c->name, pair);
            Py_DECREF(pair);
        }
    }
    return all;
}

/* Where the numbers of a joint are: (q, nq, v, nv). An unknown name is refused with the nearest. */
static PyObject *model_joint(PyObject *self, PyObject *args)
{
    const char *name = NULL;
    soa_body body;
    soa_error error;
    if (!PyArg_ParseTuple(args, "s:joint", &name)) {
        return NULL;
    }
    return soa_model_find_body(((Model *)self)->model, name, &body, &error) == SOA_OK
               ? Py_BuildValue("iiii", body.q, body.nq, body.v, body.nv)
               : binding_raise(&error);
}

static PyObject *model_parameters(PyObject *self, PyObject *none)
{
    const Model *m = (const Model *)self;
    double *all = PyMem_Malloc((SOA_PARAMETERS * m->size.links + 1) * sizeof *all);
    (void)none;
    if (!all) {
        return PyErr_NoMemory();
    }
    soa_model_parameters(m->model, all);
    PyObject *made = binding_vector(SOA_PARAMETERS * m->size.links, all);
    PyMem_Free(all);
    return made;
}

static PyMethodDef METHODS[] = { SOA_BATCH_LIST(METHOD_ROW) SOA_SENS_BATCH_LIST(METHOD_ROW) METHOD_ROW(normalize)
                                     METHOD_ROW(difference)
                                         METHOD_ROW(rates){ "_integrate", (PyCFunction)(void (*)(void))method_integrate,
                                             METH_VARARGS | METH_KEYWORDS, NULL },
    { "_neutral", (PyCFunction)(void (*)(void))method_neutral, METH_VARARGS | METH_KEYWORDS, NULL },
    { "_random", random_states, METH_VARARGS, NULL }, { "_write", model_write, METH_VARARGS, NULL },
    { "_sizes", model_sizes, METH_NOARGS, NULL }, { "_link", model_link, METH_O, NULL },
    { "_names", model_names, METH_VARARGS, NULL }, { "_configurations", model_configurations, METH_NOARGS, NULL },
    { "_joint", model_joint, METH_VARARGS, NULL }, { "_parameters", model_parameters, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL } };

int binding_add_model(PyObject *module)
{
    static PyType_Slot slots[] = { { Py_tp_new, (void *)model_new }, { Py_tp_dealloc, (void *)model_free },
        { Py_tp_methods, METHODS }, { Py_tp_doc, (void *)"A robot: its links, joints and dynamics." }, { 0, NULL } };
    static PyType_Spec spec = { "soa._soa.Model", sizeof(Model), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
    binding_Model = binding_type(module, &spec, NULL);
    return binding_Model ? 0 : -1;
}
