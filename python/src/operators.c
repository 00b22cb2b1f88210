/* operators.c - operators of a model by name, identities, and linear systems in steps. */
#include <stdint.h>
#include <string.h>

#include "binding.h"

/* The operators of a model at q, and the one that a text names. */
typedef struct chosen {
    soa_operators *all;
    soa_operator op;
    soa_point *point;
    PyObject *q;
    int points;
    bool adjoint;
} chosen;

static void release(chosen *c)
{
    soa_operators_free(c->all);
    PyMem_Free(c->point);
    Py_XDECREF(c->q);
}

/* "phi" or "phi'" of a model at q. -1: raised. */
static int choose(const soa_model *model, const char *text, PyObject *q, PyObject *at, chosen *c)
{
    char name[16];
    size_t length = strlen(text);
    soa_error error = { .status = SOA_OK };
    *c = (chosen){ .adjoint = length > 1 && text[length - 1] == '\'' };
    length -= c->adjoint;
    if (length < sizeof name) {
        memcpy(name, text, length);
        name[length] = '\0';
        c->op = soa_operator_find(name);
    }
    if (length >= sizeof name || c->op == SOA_OPERATORS || c->op == SOA_OP_I || c->op == SOA_OP_A) {
        PyErr_Format(
            PyExc_ValueError, "'%s' is no operator of a model; take H, M, phi, P, D, G, K, psi, Mass, ...", text);
        return -1;
    }
    const double *numbers = binding_numbers(q, "q", (size_t)soa_model_nq(model), NULL, &c->q);
    if (!numbers || (at != Py_None && (c->points = binding_points(model, at, &c->point)) < 0)) {
        return -1;
    }
    soa_status status = soa_operators_new(model, c->points, NULL, &c->all, &error);
    status = status == SOA_OK ? soa_operators_set(c->all, numbers, c->points, c->point, &error) : status;
    if (status != SOA_OK) {
        binding_raise(&error);
        return -1;
    }
    return 0;
}

/* apply(model, operator, q, x, at): y = A x, in O(N). */
static PyObject *apply(PyObject *module, PyObject *args)
{
    PyObject *object = NULL, *q = NULL, *x = NULL, *at = Py_None, *keep = NULL, *made = NULL;
    const char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OsOO|O:apply", &object, &text, &q, &x, &at)) {
        return NULL;
    }
    const soa_model *model = binding_model_of(object);
    chosen c = { 0 };
    if (model && choose(model, text, q, at, &c) == 0) {
        soa_error error = { .status = SOA_OK };
        const size_t rows = (size_t)soa_operator_rows(c.all, c.op, c.adjoint);
        const double *from = binding_numbers(x, "x", (size_t)soa_operator_cols(c.all, c.op, c.adjoint), NULL, &keep);
        double *y = from ? PyMem_Malloc((rows + 1) * sizeof *y) : NULL;
        if (y && soa_operators_apply(c.all, c.op, c.adjoint, from, y, &error) == SOA_OK) {
            made = binding_vector(rows, y);
        } else if (y) {
            binding_raise(&error);
        } else if (from) {
            PyErr_NoMemory();
        }
        PyMem_Free(y);
        Py_XDECREF(keep);
    }
    release(&c);
    return made;
}

/* dense(model, operator, q, at): the matrix, from the definition: (rows, columns, numbers). */
static PyObject *dense(PyObject *module, PyObject *args)
{
    PyObject *object = NULL, *q = NULL, *at = Py_None, *made = NULL, *keep = NULL;
    const char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OsO|O:operator", &object, &text, &q, &at)) {
        return NULL;
    }
    const soa_model *model = binding_model_of(object);
    chosen c = { 0 };
    if (model && choose(model, text, q, at, &c) == 0) {
        soa_error error = { .status = SOA_OK };
        const size_t rows = (size_t)soa_operator_rows(c.all, c.op, c.adjoint);
        const size_t columns = (size_t)soa_operator_cols(c.all, c.op, c.adjoint);
        const double *numbers = binding_numbers(q, "q", SIZE_MAX, NULL, &keep);
        double *matrix = PyMem_Malloc((rows * columns + 1) * sizeof *matrix);
        if (!matrix) {
            PyErr_NoMemory();
        } else if (soa_dense_operator(model, numbers, c.points, c.point, c.op, c.adjoint, matrix, &error) == SOA_OK) {
            made = Py_BuildValue("nnN", (Py_ssize_t)rows, (Py_ssize_t)columns, binding_vector(rows * columns, matrix));
        } else {
            binding_raise(&error);
        }
        PyMem_Free(matrix);
        Py_XDECREF(keep);
    }
    release(&c);
    return made;
}

/* identities(model, q, at): [(label, text, applies, error)]. */
static PyObject *identities(PyObject *module, PyObject *args)
{
    PyObject *object = NULL, *q = NULL, *at = Py_None, *keep = NULL, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO|O:identities", &object, &q, &at)) {
        return NULL;
    }
    const soa_model *model = binding_model_of(object);
    const double *numbers = model ? binding_numbers(q, "q", (size_t)soa_model_nq(model), NULL, &keep) : NULL;
    soa_point *point = NULL;
    int points = 0;
    const size_t count = (size_t)soa_identities();
    soa_identity_result *result = numbers ? PyMem_Malloc((count + 1) * sizeof *result) : NULL;
    if (result && (at == Py_None || (points = binding_points(model, at, &point)) >= 0)) {
        soa_error error = { .status = SOA_OK };
        if (soa_check_identities(model, numbers, points, point, SOA_BY_SWEEPS, result, &error) == SOA_OK) {
            made = PyList_New(0);
            for (size_t i = 0; made && i < count; i++) {
                PyObject *row = Py_BuildValue(
                    "ssOd", result[i].label, result[i].text, result[i].applies ? Py_True : Py_False, result[i].error);
                if (row) {
                    PyList_Append(made, row);
                    Py_DECREF(row);
                }
            }
        } else {
            binding_raise(&error);
        }
    }
    PyMem_Free(result);
    PyMem_Free(point);
    Py_XDECREF(keep);
    return made;
}

/* discrete(n, m, A, B, dt): (Ad, Bd) as lists of numbers; m 0: exp(A dt) alone. */
static PyObject *discrete(PyObject *module, PyObject *args)
{
    int n = 0, m = 0;
    double dt = 0.0;
    PyObject *A = NULL, *B = NULL, *keep_A = NULL, *keep_B = NULL, *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "iiOOd:discrete", &n, &m, &A, &B, &dt)) {
        return NULL;
    }
    if (n < 0 || m < 0 || n > 10000 || m > 10000) {
        return PyErr_Format(PyExc_ValueError, "discrete: sizes must be between 0 and 10000");
    }
    const size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m;
    const double *a = binding_numbers(A, "A", nn, NULL, &keep_A);
    const double *b = a ? binding_numbers(B, "B", nm, NULL, &keep_B) : NULL;
    double *result = b ? PyMem_Malloc((nn + nm + 1) * sizeof *result) : NULL;
    soa_linear_workspace *room = NULL;
    soa_error error = { .status = SOA_OK };
    if (result && soa_linear_workspace_new(n + m, NULL, &room, &error) == SOA_OK &&
        soa_linear_discrete(room, n, m, a, b, dt, result, result + nn, &error) == SOA_OK) {
        made = Py_BuildValue("NN", binding_vector(nn, result), binding_vector(nm, result + nn));
    } else if (!PyErr_Occurred()) {
        result ? binding_raise(&error) : PyErr_NoMemory();
    }
    soa_linear_workspace_free(room);
    PyMem_Free(result);
    Py_XDECREF(keep_A);
    Py_XDECREF(keep_B);
    return made;
}

int binding_add_operators(PyObject *module)
{
    static PyMethodDef methods[] = { { "apply", apply, METH_VARARGS, NULL }, { "dense", dense, METH_VARARGS, NULL },
        { "identities", identities, METH_VARARGS, NULL }, { "discrete", discrete, METH_VARARGS, NULL },
        { NULL, NULL, 0, NULL } };
    return PyModule_AddFunctions(module, methods);
}
