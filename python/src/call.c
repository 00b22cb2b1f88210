/* call.c - a call of a function of arrays: arguments taken apart, arrays checked or converted, results made. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

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
    if (name == binding.out_word) { /* the usual one, known by its address */
        c->out = value == Py_None ? NULL : value;
        return 0;
    }
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

/* Lengths as NumPy writes them without parentheses: "3, 7". */
static void write_lengths(char *text, size_t size, int count, const Py_ssize_t *length)
{
    text[0] = '\0';
    for (int k = 0; k < count && k < 6; k++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%zd", k > 0 ? ", " : "", length[k]);
    }
}

static void wrong_shape(const call *c, int i, const Py_buffer *view)
{
    char is[160], one[80];
    size_t shape[MOST_AXES];
    const int axes = binding_shape(&c->f->array[i], &c->r.size, c->numbers[i], shape);
    write_lengths(is, sizeof is, view->ndim, view->shape);
    write_lengths(one, sizeof one, axes, (const Py_ssize_t *)shape);
    PyErr_Format(PyExc_ValueError, "%s: %s has shape (%s%s), expected (%s%s) or (states, %s)", c->f->name,
        c->f->array[i].name, is, view->ndim == 1 ? "," : "", one, axes == 1 ? "," : "", one);
}

/* Whether the last axes of a buffer are those of one state: as laid out, or all numbers in one row. */
static bool ends_so(const Py_buffer *view, int from, int axes, const size_t *shape, size_t numbers)
{
    if (view->ndim - from == 1 && (size_t)view->shape[from] == numbers) {
        return true;
    }
    bool same = view->ndim - from == axes;
    for (int k = 0; k < axes && same; k++) {
        same = (size_t)view->shape[from + k] == shape[k];
    }
    return same;
}

/* Whether a buffer has the shape of one state, or that of many with an axis of states before. */
static bool fits(const call *c, int i, bool *single, size_t *states)
{
    const Py_buffer *view = &c->view[i];
    size_t shape[MOST_AXES];
    const int axes = binding_shape(&c->f->array[i], &c->r.size, c->numbers[i], shape);
    *single = ends_so(view, 0, axes, shape, c->numbers[i]);
    *states = *single ? 1 : view->ndim > 0 ? (size_t)view->shape[0] : 0;
    return *single || (view->ndim > 1 && ends_so(view, 1, axes, shape, c->numbers[i]));
}

/* An array of one state repeated for all. */
static int repeat(call *c, int i)
{
    PyObject *flat = PyObject_CallMethod(c->held[i] ? c->held[i] : c->given[i], "reshape", "n", (Py_ssize_t)-1);
    PyObject *shape = Py_BuildValue("(in)", c->r.states, (Py_ssize_t)c->numbers[i]);
    PyObject *wide = flat && shape ? PyObject_CallFunctionObjArgs(binding.broadcast, flat, shape, NULL) : NULL;
    PyObject *whole = wide ? binding_convert(wide, c->f->array[i].name) : NULL;
    Py_XDECREF(flat);
    Py_XDECREF(shape);
    Py_XDECREF(wide);
    PyBuffer_Release(&c->view[i]);
    c->open[i] = false;
    Py_XDECREF(c->held[i]);
    c->held[i] = whole;
    c->open[i] = whole && binding_open(whole, 0, &c->view[i]) == 0;
    return c->open[i] ? 0 : -1;
}

static int open_input(call *c, int i)
{
    const char *name = c->f->array[i].name;
    PyObject *object = c->given[i];
    if (binding_open(object, 0, &c->view[i]) != 0) {
        c->held[i] = binding_convert(object, name);
        if (!c->held[i] || binding_open(c->held[i], 0, &c->view[i]) != 0) {
            return -1;
        }
    }
    c->open[i] = true;
    bool single;
    size_t states;
    if (!fits(c, i, &single, &states)) {
        wrong_shape(c, i, &c->view[i]);
        return -1;
    }
    if (states > INT32_MAX) {
        PyErr_Format(
            PyExc_ValueError, "%s: %s has more than %d states; take them in parts", c->f->name, name, INT32_MAX);
        return -1;
    }
    if (i == 0) {
        c->single = single;
        c->r.states = (int)states;
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

/* Whether the array shares memory with one that was opened before: an input of the same numbers may be written over. */
static bool overlaps(const call *c, int i)
{
    const char *first = c->view[i].buf, *end = first + c->view[i].len;
    bool shared = false;
    for (int k = 0; k < c->f->arrays; k++) {
        if (k != i && c->open[k]) {
            const char *other = c->view[k].buf;
            const bool whole =
                !c->f->array[k].out && !c->f->one_state && other == first && c->view[k].len == c->view[i].len;
            shared = shared || (!whole && first < other + c->view[k].len && other < end);
        }
    }
    return shared;
}

static int open_result(call *c, int i, PyObject *given)
{
    size_t shape[MOST_AXES + 1] = { (size_t)c->r.states };
    const int axis = c->single ? 0 : 1;
    const int dimensions = axis + binding_shape(&c->f->array[i], &c->r.size, c->numbers[i], shape + axis);
    const char *name = c->f->array[i].name;
    if (given) {
        Py_INCREF(given);
        c->held[i] = given;
        if (binding_open(given, PyBUF_WRITABLE, &c->view[i]) != 0) {
            PyErr_Format(
                PyExc_TypeError, "%s: out for %s must be a writable float64 array in C order", c->f->name, name);
            return -1;
        }
    } else {
        c->held[i] = binding_array(dimensions, shape);
        if (!c->held[i] || binding_open(c->held[i], PyBUF_WRITABLE, &c->view[i]) != 0) {
            return -1;
        }
    }
    c->open[i] = true;
    const size_t wanted = c->numbers[i] * (size_t)c->r.states;
    if (given && !ends_so(&c->view[i], 0, dimensions, shape, wanted)) {
        char is[160], one[80];
        write_lengths(is, sizeof is, c->view[i].ndim, c->view[i].shape);
        write_lengths(one, sizeof one, dimensions, (const Py_ssize_t *)shape);
        PyErr_Format(PyExc_ValueError, "%s: out for %s has shape (%s), expected (%s)", c->f->name, name, is, one);
        return -1;
    }
    c->r.array[i] = c->view[i].buf;
    if (given && overlaps(c, i)) {
        PyErr_Format(
            PyExc_ValueError, "%s: out for %s overlaps another array; give it memory of its own", c->f->name, name);
        return -1;
    }
    if (c->given[i]) { /* what a result begins with */
        PyObject *keep;
        const double *from = binding_numbers(c->given[i], name, wanted, NULL, &keep);
        if (!from) {
            return -1;
        }
        memmove(c->r.array[i], from, wanted * sizeof *from); /* it may be that array itself */
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
    soa_error error;
    soa_error_clear(&error); /* an initializer would write all of its texts */
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
            soa_error error;
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
