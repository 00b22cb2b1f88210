/* arrays.c - functions of arrays: arguments taken apart, arrays checked or converted, results made. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

binding_calls binding;

PyObject *binding_raise(const soa_error *e)
{
    PyObject *made = binding.make_error
                         ? PyObject_CallFunction(binding.make_error, "isssiiii", (int)e->status,
                               soa_status_text(e->status), e->text, e->file, e->line, e->column, e->body, e->state)
                         : NULL;
    if (made) {
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
        Py_DECREF(made);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, e->text);
    }
    return NULL;
}

/* ---- arrays of NumPy ------------------------------------------------------------------------ */

PyObject *binding_array(int dimensions, const size_t *shape)
{
    PyObject *lengths = PyTuple_New(dimensions), *made = NULL;
    for (int i = 0; lengths && i < dimensions; i++) {
        PyTuple_SetItem(lengths, i, PyLong_FromSize_t(shape[i]));
    }
    if (lengths) {
        made = PyObject_CallFunctionObjArgs(binding.empty, lengths, NULL);
        Py_DECREF(lengths);
    }
    return made;
}

/* A buffer of float64 in C order, or -1 without an exception. */
static int open_buffer(PyObject *object, int flags, Py_buffer *view)
{
    if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | flags) != 0) {
        PyErr_Clear();
        return -1;
    }
    const char *format = view->format ? view->format : "B";
    format += *format == '=' || *format == '@' || *format == '<' ? 1 : 0;
    if (strcmp(format, "d") != 0) {
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

/* The object as an array of float64 in C order: a new reference. */
static PyObject *convert(PyObject *object, const char *what)
{
    PyObject *made = PyObject_CallFunctionObjArgs(binding.contiguous, object, binding.float64, NULL);
    if (!made) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected an array of numbers", what);
    }
    return made;
}

PyObject *binding_vector(size_t numbers, const double *from)
{
    Py_buffer view;
    PyObject *made = binding_array(1, &numbers);
    if (made && open_buffer(made, PyBUF_WRITABLE, &view) == 0) {
        memcpy(view.buf, from, numbers * sizeof *from);
        PyBuffer_Release(&view);
    }
    return made;
}

const double *binding_numbers(PyObject *object, const char *what, size_t count, size_t *found, PyObject **keep)
{
    Py_buffer view;
    *keep = NULL;
    PyObject *array = convert(object, what);
    if (!array || open_buffer(array, 0, &view) != 0) {
        Py_XDECREF(array);
        return NULL;
    }
    const double *at = view.buf;
    const size_t have = (size_t)view.len / sizeof(double);
    PyBuffer_Release(&view); /* the array keeps its numbers, and `keep` keeps the array */
    if (count != SIZE_MAX && have != count) {
        PyErr_Format(PyExc_ValueError, "%s: expected %zu numbers, got %zu", what, count, have);
        Py_DECREF(array);
        return NULL;
    }
    if (found) {
        *found = have;
    }
    *keep = array;
    return at;
}

/* ---- shapes ---------------------------------------------------------------------------------------- */

/* How the numbers of one state are laid out where it is not their list, "nv * nv" being nv by nv. name NULL: any. */
static const struct {
    const char *numbers, *name, *shape;
} SHAPES[] = {
    { "nv * nv", NULL, "nv,nv" },
    { "nv * nv * nv", NULL, "nv,nv,nv" },
    { "6 * bodies", NULL, "bodies,6" },
    { "6 * links", NULL, "links,6" },
    { "12 * links", NULL, "links,12" },
    { "6 * points", NULL, "points,6" },
    { "12 * points", NULL, "points,12" },
    { "6 * points * nv", "J", "6p,nv" },
    { "6 * points * nv", "J_dot", "6p,nv" },
    { "6 * points * nv", NULL, "nv,6p" },
    { "36 * points * points", NULL, "6p,6p" },
    { "36 * bodies", NULL, "bodies,6,6" },
    { "6 * bodies * nv", NULL, "nv,bodies,6" },
    { "6 * nv", "A", "6,nv" },
    { "3 * nv", NULL, "nv,3" },
    { "4 * nv * nv", NULL, "2v,2v" },
    { "2 * nv * nv", NULL, "2v,nv" },
    { "6 * nv * nv", NULL, "3v,2v" },
    { "3 * nv * nv", NULL, "3v,nv" },
    { "SOA_PARAMETERS * links * nv", NULL, "nv,links,10" },
    { "nv * independent", NULL, "nv,independent" },
    { "independent * independent", NULL, "independent,independent" },
    { "rows * nv", NULL, "rows,nv" },
    { "nv * dofs", NULL, "nv,dofs" },
    { "dofs * dofs", NULL, "dofs,dofs" },
    { "dofs * dofs * dofs", NULL, "dofs,dofs,dofs" },
    { "6 * points * dofs", NULL, "6p,dofs" },
    { "4 * dofs * dofs", NULL, "2d,2d" },
    { "2 * dofs * nv", NULL, "2d,nv" },
    { "6 * nv * dofs", NULL, "3v,2d" },
};

static size_t length_of(const char *word, size_t letters, const sizes *s)
{
    const struct {
        const char *word;
        size_t value;
    } known[] = { { "nv", s->nv }, { "nq", s->nq }, { "bodies", s->bodies }, { "links", s->links },
        { "points", s->points }, { "independent", s->independent }, { "rows", s->rows }, { "dofs", s->dofs },
        { "6p", 6 * s->points }, { "2v", 2 * s->nv }, { "3v", 3 * s->nv }, { "2d", 2 * s->dofs }, { "3", 3 },
        { "6", 6 }, { "10", 10 }, { "12", 12 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].word) == letters && memcmp(known[i].word, word, letters) == 0) {
            return known[i].value;
        }
    }
    return 0;
}

/* Lengths of one state of an array; returns how many. */
static int shape_of(const array_info *a, const sizes *s, size_t numbers, size_t *shape)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        if (strcmp(SHAPES[i].numbers, a->numbers) == 0 && (!SHAPES[i].name || strcmp(SHAPES[i].name, a->name) == 0)) {
            int dimensions = 0;
            for (const char *word = SHAPES[i].shape; *word;) {
                const size_t letters = strcspn(word, ",");
                shape[dimensions++] = length_of(word, letters, s);
                word += letters + (word[letters] == ',');
            }
            return dimensions;
        }
    }
    shape[0] = numbers;
    return 1;
}

/* ---- a call ------------------------------------------------------------------------------------------- */

typedef struct call {
    const function *f;
    request r;
    size_t numbers[MOST_ARRAYS];
    PyObject *given[MOST_ARRAYS]; /* borrowed; NULL: left out */
    PyObject *held[MOST_ARRAYS];  /* converted inputs, results */
    Py_buffer view[MOST_ARRAYS];
    bool open[MOST_ARRAYS];
    PyObject *at, *axes, *method, *prescribed, *out;
    soa_point *point;
    bool *flags;
    int threads;
    bool single; /* one state, without an axis of states */
} call;

static int find_array(const function *f, PyObject *name, bool outputs)
{
    for (int i = 0; i < f->arrays; i++) {
        if ((outputs || !f->array[i].out) && PyUnicode_CompareWithASCIIString(name, f->array[i].name) == 0) {
            return i;
        }
    }
    return -1;
}

static int take_number(PyObject *value, int *to)
{
    const long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred()) {
        return -1;
    }
    *to = number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (int)number;
    return 0;
}

static int take_keyword(call *c, PyObject *name, PyObject *value)
{
    const unsigned has = c->f->has;
    const struct {
        const char *name;
        unsigned has;
        PyObject **to;
    } objects[] = { { "at", HAS_point, &c->at }, { "axes", HAS_axes, &c->axes }, { "method", HAS_method, &c->method },
        { "prescribed", HAS_prescribed, &c->prescribed }, { "out", 0, &c->out } };
    const int array = find_array(c->f, name, true);
    if (array >= 0 && !c->given[array]) {
        c->given[array] = value == Py_None ? NULL : value;
        return 0;
    }
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if ((objects[i].has & has) == objects[i].has && PyUnicode_CompareWithASCIIString(name, objects[i].name) == 0) {
            *objects[i].to = value == Py_None ? NULL : value;
            return 0;
        }
    }
    if (PyUnicode_CompareWithASCIIString(name, "threads") == 0) {
        return take_number(value, &c->threads);
    }
    if ((has & HAS_velocity) && PyUnicode_CompareWithASCIIString(name, "velocity") == 0) {
        return take_number(value, &c->r.velocity);
    }
    if ((has & HAS_link) && PyUnicode_CompareWithASCIIString(name, "link") == 0) {
        return take_number(value, &c->r.link);
    }
    PyErr_Format(
        PyExc_TypeError, array >= 0 ? "%s() got two values for '%U'" : "%s() has no argument '%U'", c->f->name, name);
    return -1;
}

static int take_arguments(call *c, PyObject *args, PyObject *keywords)
{
    const Py_ssize_t count = PyTuple_Size(args);
    Py_ssize_t at = 0, position = 0;
    for (int i = 0; i < c->f->arrays && at < count; i++) {
        if (!c->f->array[i].out) {
            PyObject *value = PyTuple_GetItem(args, at++);
            c->given[i] = value == Py_None ? NULL : value;
        }
    }
    if (at < count) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd arrays, %zd were given; other arguments need their names",
            c->f->name, at, count);
        return -1;
    }
    PyObject *name, *value;
    while (keywords && PyDict_Next(keywords, &position, &name, &value)) {
        if (take_keyword(c, name, value) != 0) {
            return -1;
        }
    }
    return 0;
}

/* One of several words. */
static int take_word(PyObject *object, const char *what, const char *const *words, int count, int *to)
{
    for (int i = 0; object && PyUnicode_Check(object) && i < count; i++) {
        if (PyUnicode_CompareWithASCIIString(object, words[i]) == 0) {
            *to = i;
            return 0;
        }
    }
    char list[128] = "";
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s'%s'", i > 0 ? ", " : "", words[i]);
    }
    PyErr_Format(PyExc_ValueError, "%s: expected one of %s", what, list);
    return -1;
}

static int take_flags(call *c)
{
    PyObject *keep;
    const double *number = binding_numbers(c->prescribed, "prescribed", c->r.size.nv, NULL, &keep);
    c->flags = number ? PyMem_Malloc(c->r.size.nv + 1) : NULL;
    for (size_t i = 0; c->flags && i < c->r.size.nv; i++) {
        c->flags[i] = number[i] != 0.0;
    }
    Py_XDECREF(keep);
    c->r.prescribed = c->flags;
    return c->flags ? 0 : -1;
}

static int take_others(call *c)
{
    static const char *const axes[] = { "mixed", "body", "world" };
    static const char *const methods[] = { "fastest", "fd1", "fd2", "fd3", "fd4" };
    int axis = 0, method = 0;
    if (c->f->has & HAS_point) {
        if (!c->at) {
            PyErr_Format(PyExc_TypeError, "%s() needs at=: a link, a frame, or several", c->f->name);
            return -1;
        }
        c->r.points = binding_points(c->r.size.m, c->at, &c->point);
        c->r.point = c->point;
        c->r.size.points = (size_t)(c->r.points < 0 ? 0 : c->r.points);
        if (c->r.points < 0) {
            return -1;
        }
    }
    if ((c->axes && take_word(c->axes, "axes", axes, 3, &axis) != 0) ||
        (c->method && take_word(c->method, "method", methods, 5, &method) != 0)) {
        return -1;
    }
    c->r.axes = (soa_axes)axis;
    c->r.method = (soa_method)method;
    if ((c->f->has & HAS_prescribed) && !c->prescribed) {
        PyErr_Format(PyExc_TypeError, "%s() needs prescribed=: a flag per velocity", c->f->name);
        return -1;
    }
    return c->prescribed ? take_flags(c) : 0;
}

static PyObject *wrong_shape(const call *c, int i, const Py_buffer *view)
{
    char is[96] = "", one[64] = "";
    size_t shape[4];
    const int dimensions = shape_of(&c->f->array[i], &c->r.size, c->numbers[i], shape);
    for (int k = 0; k < view->ndim && k < 6; k++) {
        const size_t used = strlen(is);
        snprintf(is + used, sizeof is - used, "%s%zd", k > 0 ? ", " : "", view->shape[k]);
    }
    for (int k = 0; k < dimensions; k++) {
        const size_t used = strlen(one);
        snprintf(one + used, sizeof one - used, "%s%zu", k > 0 ? ", " : "", shape[k]);
    }
    return PyErr_Format(PyExc_ValueError, "%s: %s has shape (%s%s), expected (%s%s) or (states, %s)", c->f->name,
        c->f->array[i].name, is, view->ndim == 1 ? "," : "", one, dimensions == 1 ? "," : "", one);
}

/* Whether a buffer has the numbers of one state, or of as many states as its first length says. */
static bool fits(const Py_buffer *view, size_t numbers, bool *single, size_t *states)
{
    const size_t have = (size_t)view->len / sizeof(double);
    const size_t first = view->ndim > 0 ? (size_t)view->shape[0] : 1;
    *single = have == numbers && (view->ndim == 1 || first * numbers != have || first != 1);
    *states = *single ? 1 : first;
    return *single || (view->ndim > 1 && have == first * numbers);
}

/* An array of one state repeated for all. */
static int repeat(call *c, int i)
{
    PyObject *flat = PyObject_CallMethod(c->held[i] ? c->held[i] : c->given[i], "reshape", "n", (Py_ssize_t)-1);
    PyObject *shape = Py_BuildValue("(in)", c->r.states, (Py_ssize_t)c->numbers[i]);
    PyObject *wide = flat && shape ? PyObject_CallFunctionObjArgs(binding.broadcast, flat, shape, NULL) : NULL;
    PyObject *whole = wide ? convert(wide, c->f->array[i].name) : NULL;
    Py_XDECREF(flat);
    Py_XDECREF(shape);
    Py_XDECREF(wide);
    PyBuffer_Release(&c->view[i]);
    c->open[i] = false;
    Py_XDECREF(c->held[i]);
    c->held[i] = whole;
    c->open[i] = whole && open_buffer(whole, 0, &c->view[i]) == 0;
    return c->open[i] ? 0 : -1;
}

static int open_input(call *c, int i)
{
    const char *name = c->f->array[i].name;
    PyObject *object = c->given[i];
    if (open_buffer(object, 0, &c->view[i]) != 0) {
        c->held[i] = convert(object, name);
        if (!c->held[i] || open_buffer(c->held[i], 0, &c->view[i]) != 0) {
            return -1;
        }
    }
    c->open[i] = true;
    bool single;
    size_t states;
    if (!fits(&c->view[i], c->numbers[i], &single, &states)) {
        wrong_shape(c, i, &c->view[i]);
        return -1;
    }
    if (i == 0) {
        c->single = single;
        c->r.states = states > INT32_MAX ? INT32_MAX : (int)states;
    } else if (!c->single && (single || (int)states != c->r.states)) {
        if (!single && states != 1) {
            PyErr_Format(PyExc_ValueError, "%s: %s has %zu states, %s has %d", c->f->name, name, states,
                c->f->array[0].name, c->r.states);
            return -1;
        }
        if (repeat(c, i) != 0) {
            return -1;
        }
    } else if (c->single && !single && states != 1) {
        PyErr_Format(
            PyExc_ValueError, "%s: %s has %zu states, %s has one", c->f->name, name, states, c->f->array[0].name);
        return -1;
    }
    c->r.array[i] = c->view[i].buf;
    return 0;
}

static int open_inputs(call *c)
{
    c->f->measure(&c->r.size, c->numbers);
    c->r.states = 1;
    c->single = true;
    for (int i = 0; i < c->f->arrays; i++) {
        if (!c->f->array[i].out && !c->given[i] && i == 0) {
            PyErr_Format(PyExc_TypeError, "%s() needs %s", c->f->name, c->f->array[i].name);
            return -1;
        }
        if (!c->f->array[i].out && c->given[i] && open_input(c, i) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The array that out= gives for the n-th result, borrowed; NULL: none. */
static PyObject *given_result(const call *c, int n, int results)
{
    if (!c->out || (results == 1 && !PyTuple_Check(c->out))) {
        return c->out;
    }
    PyObject *item = PyTuple_Check(c->out) && PyTuple_Size(c->out) > n ? PyTuple_GetItem(c->out, n) : NULL;
    return item == Py_None ? NULL : item;
}

static int open_result(call *c, int i, PyObject *given)
{
    size_t shape[5] = { (size_t)c->r.states };
    const int axis = c->single ? 0 : 1;
    const int dimensions = axis + shape_of(&c->f->array[i], &c->r.size, c->numbers[i], shape + axis);
    const char *name = c->f->array[i].name;
    if (given) {
        Py_INCREF(given);
        c->held[i] = given;
        if (open_buffer(given, PyBUF_WRITABLE, &c->view[i]) != 0) {
            PyErr_Format(
                PyExc_TypeError, "%s: out for %s must be a writable float64 array in C order", c->f->name, name);
            return -1;
        }
    } else {
        c->held[i] = binding_array(dimensions, shape);
        if (!c->held[i] || open_buffer(c->held[i], PyBUF_WRITABLE, &c->view[i]) != 0) {
            return -1;
        }
    }
    c->open[i] = true;
    const size_t wanted = c->numbers[i] * (size_t)c->r.states;
    if ((size_t)c->view[i].len != wanted * sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "%s: out for %s has %zd numbers, expected %zu", c->f->name, name,
            c->view[i].len / (Py_ssize_t)sizeof(double), wanted);
        return -1;
    }
    c->r.array[i] = c->view[i].buf;
    if (c->given[i]) { /* what a result begins with */
        PyObject *keep;
        const double *from = binding_numbers(c->given[i], name, wanted, NULL, &keep);
        if (!from) {
            return -1;
        }
        memcpy(c->r.array[i], from, wanted * sizeof *from);
        Py_DECREF(keep);
    }
    return 0;
}

static int open_results(call *c)
{
    int results = 0, n = 0;
    for (int i = 0; i < c->f->arrays; i++) {
        results += c->f->array[i].out;
    }
    c->f->measure(&c->r.size, c->numbers);
    for (int i = 0; i < c->f->arrays; i++) {
        if (c->f->array[i].out && open_result(c, i, given_result(c, n++, results)) != 0) {
            return -1;
        }
    }
    return 0;
}

static soa_status each_state(call *c, soa_error *error)
{
    soa_status status = SOA_OK;
    request one = c->r;
    for (int s = 0; s < c->r.states && status == SOA_OK; s++) {
        for (int i = 0; i < c->f->arrays; i++) {
            one.array[i] = c->r.array[i] ? c->r.array[i] + (size_t)s * c->numbers[i] : NULL;
        }
        status = c->f->call(&one, error);
        error->state = status == SOA_OK || c->r.states == 1 ? error->state : s;
    }
    return status;
}

/* Long calls let other threads of Python go on; for short ones that costs more than it gives. */
static soa_status do_call(call *c, soa_error *error)
{
    const bool lasting = c->r.states > 8 || c->r.batch || c->r.size.nv > 64;
    PyThreadState *state = lasting ? PyEval_SaveThread() : NULL;
    soa_status status;
    if (c->f->one_state) {
        status = each_state(c, error);
    } else {
        status = c->f->call(&c->r, error);
    }
    if (lasting) {
        PyEval_RestoreThread(state);
    }
    return status;
}

/* The result, or a tuple of them. */
static PyObject *results_of(call *c)
{
    PyObject *all[MOST_ARRAYS];
    int count = 0;
    for (int i = 0; i < c->f->arrays; i++) {
        if (c->f->array[i].out) {
            all[count++] = c->held[i];
        }
    }
    if (count == 1) {
        Py_INCREF(all[0]);
        return all[0];
    }
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        Py_INCREF(all[i]);
        PyTuple_SetItem(tuple, i, all[i]);
    }
    return tuple;
}

static PyObject *run_open(call *c, const owner *o)
{
    soa_error error = { .status = SOA_OK };
    if (open_inputs(c) != 0 || (o->prepare && o->prepare(&c->r) != 0) || open_results(c) != 0) {
        return NULL;
    }
    return do_call(c, &error) == SOA_OK ? results_of(c) : binding_raise(&error);
}

PyObject *binding_run(PyObject *self, const owner *o, const function *f, PyObject *args, PyObject *keywords)
{
    call c;
    memset(&c, 0, offsetof(call, view));
    memset(c.open, 0, sizeof(call) - offsetof(call, open));
    c.f = f;
    c.threads = 1;
    PyObject *result = NULL;
    if (take_arguments(&c, args, keywords) == 0 && o->open(self, &c.r, c.threads) == 0) {
        if (take_others(&c) == 0) {
            soa_error error = { .status = SOA_OK };
            soa_status status = SOA_OK;
            if (c.r.points > 0 && c.r.batch) {
                status = soa_batch_reserve(c.r.batch, c.r.points, &error);
            } else if (c.r.points > 0 && c.r.workspace) {
                status = soa_workspace_reserve(c.r.workspace, c.r.points, &error);
            }
            result = status == SOA_OK ? run_open(&c, o) : binding_raise(&error);
        }
        o->close(self, &c.r);
    }
    for (int i = 0; i < f->arrays; i++) {
        if (c.open[i]) {
            PyBuffer_Release(&c.view[i]);
        }
        Py_XDECREF(c.held[i]);
    }
    PyMem_Free(c.point);
    PyMem_Free(c.flags);
    return result;
}

/* ---- points ---------------------------------------------------------------------------------------------- */

static int one_point(const soa_model *model, PyObject *item, soa_point *point)
{
    PyObject *name = item, *place = NULL, *keep = NULL;
    if (PyTuple_Check(item) && PyTuple_Size(item) == 2) {
        name = PyTuple_GetItem(item, 0);
        place = PyTuple_GetItem(item, 1);
    }
    PyObject *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
    if (!text) {
        PyErr_SetString(PyExc_TypeError, "at: expected a name, a pair (name, xyz), or a list of those");
        return -1;
    }
    soa_error error;
    const soa_status status = soa_model_find_point(model, PyBytes_AsString(text), point, &error);
    Py_DECREF(text);
    if (status != SOA_OK) {
        binding_raise(&error);
        return -1;
    }
    if (place) {
        const double *xyz = binding_numbers(place, "at", 3, NULL, &keep);
        if (!xyz) {
            return -1;
        }
        soa_pose inner = soa_pose_identity();
        memcpy(inner.position, xyz, sizeof inner.position);
        point->at = soa_pose_compose(&point->at, &inner);
        Py_DECREF(keep);
    }
    return 0;
}

int binding_points(const soa_model *model, PyObject *at, soa_point **points)
{
    /* a pair (name, xyz) is one point; its second item is no name and no pair itself */
    PyObject *second = PyTuple_Check(at) && PyTuple_Size(at) == 2 ? PyTuple_GetItem(at, 1) : NULL;
    const bool pair = second && PyUnicode_Check(PyTuple_GetItem(at, 0)) && !PyUnicode_Check(second) &&
                      !(PyTuple_Check(second) && PyTuple_Size(second) == 2);
    const bool several = PyList_Check(at) || (PyTuple_Check(at) && !pair);
    const Py_ssize_t count = several ? PySequence_Size(at) : 1;
    soa_point *all = PyMem_Malloc(((size_t)count + 1) * sizeof *all);
    if (!all) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = several ? PySequence_GetItem(at, i) : at;
        const int good = item ? one_point(model, item, &all[i]) : -1;
        if (several) {
            Py_XDECREF(item);
        }
        if (good != 0) {
            PyMem_Free(all);
            return -1;
        }
    }
    *points = all;
    return (int)count;
}
