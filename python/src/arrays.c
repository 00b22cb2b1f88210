/* arrays.c - arrays of NumPy as buffers of float64, and points by name. */
#include <stdint.h>
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

/* Arrays of NumPy that are float64 are known by their dtype: they need not write a format for each buffer. */
static bool is_float64(PyObject *object)
{
    PyObject *dtype = PyObject_GetAttr(object, binding.dtype_word);
    if (!dtype) {
        PyErr_Clear();
        return false;
    }
    Py_DECREF(dtype); /* only its address is compared */
    return dtype == binding.dtype;
}

int binding_open(PyObject *object, int flags, Py_buffer *view)
{
    const bool known = is_float64(object);
    const int asked = PyBUF_C_CONTIGUOUS | flags | (known ? 0 : PyBUF_FORMAT);
    if (PyObject_GetBuffer(object, view, asked) != 0) {
        PyErr_Clear();
        return -1;
    }
    if (known && view->itemsize == (Py_ssize_t)sizeof(double)) {
        return 0;
    }
    const char *format = view->format ? view->format : "B";
    format += *format == '=' || *format == '@' || *format == '<' ? 1 : 0;
    if (strcmp(format, "d") != 0) {
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

PyObject *binding_convert(PyObject *object, const char *what)
{
    PyObject *made = PyObject_CallFunctionObjArgs(binding.real_array, object, NULL);
    if (!made && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected an array of real numbers (float64, or what converts to it)", what);
    }
    return made;
}

PyObject *binding_vector(size_t numbers, const double *from)
{
    Py_buffer view;
    PyObject *made = binding_array(1, &numbers);
    if (made && binding_open(made, PyBUF_WRITABLE, &view) == 0) {
        memcpy(view.buf, from, numbers * sizeof *from);
        PyBuffer_Release(&view);
    }
    return made;
}

const double *binding_numbers(PyObject *object, const char *what, size_t count, size_t *found, PyObject **keep)
{
    Py_buffer view;
    *keep = NULL;
    PyObject *array = binding_convert(object, what);
    if (!array || binding_open(array, 0, &view) != 0) {
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
