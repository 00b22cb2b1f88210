/* language.c - the types Program and Runner: the operator language, and its expressions on a model. */
#include <stdint.h>
#include <string.h>

#include "binding.h"

typedef struct Program {
    PyObject_HEAD soa_program *program;
} Program;

static bool interrupted(void *context)
{
    (void)context;
    return PyErr_CheckSignals() != 0;
}

static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)keywords;
    if (!PyArg_ParseTuple(args, ":Program")) {
        return NULL;
    }
    Program *self = (Program *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    soa_error error;
    if (self && soa_program_new(NULL, &self->program, &error) != SOA_OK) {
        Py_DECREF(self);
        return binding_raise(&error);
    }
    return (PyObject *)self;
}

static void program_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    soa_program_free(((Program *)self)->program);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* read(text, reading): reading 0 program, 1 equation, 2 again. Returns the number of statements. */
static PyObject *program_read(PyObject *self, PyObject *args)
{
    const char *text = NULL;
    int reading = 0;
    soa_error error;
    soa_program *p = ((Program *)self)->program;
    if (!PyArg_ParseTuple(args, "s|i:read", &text, &reading)) {
        return NULL;
    }
    if (soa_program_read(p, text, (soa_reading)reading, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    return PyLong_FromLong(soa_program_statements(p));
}

static PyObject *program_statement(PyObject *self, PyObject *args)
{
    int number = 0;
    if (!PyArg_ParseTuple(args, "i:statement", &number)) {
        return NULL;
    }
    const soa_statement_info s = soa_program_statement(((Program *)self)->program, number);
    static const char *const kinds[] = { "declaration", "definition", "expression", "equation" };
    return Py_BuildValue("{s:s,s:s,s:s,s:i,s:O,s:O,s:O}", "kind", kinds[(unsigned)s.kind % 4], "name", s.name, "text",
        s.text, "line", s.line, "symmetric", s.symmetric ? Py_True : Py_False, "positive",
        s.positive ? Py_True : Py_False, "vector", s.from_space == SOA_SPACE_ONE ? Py_True : Py_False);
}

static PyObject *text_of(soa_program *p, soa_status status, char *text, const soa_error *error)
{
    if (PyErr_Occurred()) {
        soa_program_text_free(p, text);
        return NULL;
    }
    if (status != SOA_OK) {
        return binding_raise(error);
    }
    PyObject *made = PyUnicode_FromString(text ? text : "");
    soa_program_text_free(p, text);
    return made;
}

/* say(what, statement, notation, seconds): print, type, sweeps, levels, dot, svg, simplify, derive, certificate. */
static PyObject *program_say(PyObject *self, PyObject *args)
{
    soa_program *p = ((Program *)self)->program;
    const char *what = NULL;
    int statement = 0, notation = 0;
    double seconds = 10.0;
    char *text = NULL, *report = NULL;
    soa_error error = { .status = SOA_OK };
    soa_status status = SOA_E_ARGUMENT;
    static const char *const explanations[] = { "sweeps", "levels", "dot", "svg" };
    if (!PyArg_ParseTuple(args, "si|id:say", &what, &statement, &notation, &seconds)) {
        return NULL;
    }
    soa_program_limit(p, seconds, interrupted, NULL);
    for (int i = 0; i < SOA_EXPLANATIONS; i++) {
        if (strcmp(what, explanations[i]) == 0) {
            status = soa_program_explain(p, statement, (soa_notation)notation, (soa_explanation)i, &text, &error);
            return text_of(p, status, text, &error);
        }
    }
    if (strcmp(what, "print") == 0) {
        status = soa_program_print(p, statement, (soa_notation)notation, &text, &error);
    } else if (strcmp(what, "type") == 0) {
        status = soa_program_type(p, statement, &text, &error);
    } else if (strcmp(what, "certificate") == 0) {
        status = soa_program_certificate(p, statement, &text, &error);
    } else if (strcmp(what, "derive") == 0) {
        status = soa_program_derive(p, statement, (soa_notation)notation, &text, &error);
    } else if (strcmp(what, "simplify") == 0) {
        status = soa_program_simplify(p, statement, (soa_notation)notation, &text, &report, &error);
        PyObject *first = text_of(p, status, text, &error);
        PyObject *second = first ? text_of(p, status, report, &error) : NULL;
        return first && second ? Py_BuildValue("NN", first, second) : NULL;
    } else {
        return PyErr_Format(PyExc_ValueError, "say: '%s' cannot be said", what);
    }
    return text_of(p, status, text, &error);
}

/* prove(statement, notation, seconds): (verdict, text). */
static PyObject *program_prove(PyObject *self, PyObject *args)
{
    soa_program *p = ((Program *)self)->program;
    int statement = 0, notation = 0;
    double seconds = 10.0;
    char *text = NULL;
    soa_verdict verdict = SOA_OPEN;
    soa_error error = { .status = SOA_OK };
    static const char *const verdicts[] = { "proved", "refuted", "open" };
    if (!PyArg_ParseTuple(args, "i|id:prove", &statement, &notation, &seconds)) {
        return NULL;
    }
    soa_program_limit(p, seconds, interrupted, NULL);
    const soa_status status = soa_program_prove(p, statement, (soa_notation)notation, &verdict, &text, &error);
    PyObject *said = text_of(p, status, text, &error);
    return said ? Py_BuildValue("sN", verdicts[(unsigned)verdict % 3], said) : NULL;
}

/* ---- on a model ------------------------------------------------------------------------------------- */

typedef struct Runner {
    PyObject_HEAD PyObject *program, *model;
    soa_compiled *compiled;
    soa_runner *runner;
    size_t nq;
    bool busy;
} Runner;

static void runner_free(PyObject *self)
{
    Runner *const r = (Runner *)self;
    PyTypeObject *type = Py_TYPE(self);
    soa_runner_free(r->runner);
    soa_compiled_free(r->compiled);
    Py_XDECREF(r->program);
    Py_XDECREF(r->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *program_type;

/* Runner(program, model, at=None, written=False). */
static PyObject *runner_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *program = NULL, *object = NULL, *at = Py_None;
    int written = 0, points = 0;
    soa_point *point = NULL;
    soa_error error = { .status = SOA_OK };
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OO|Op:Runner", &program, &object, &at, &written)) {
        return NULL;
    }
    const soa_model *model = binding_model_of(object);
    if (!model || (at != Py_None && (points = binding_points(model, at, &point)) < 0)) {
        return NULL;
    }
    if (!PyObject_IsInstance(program, program_type)) {
        PyMem_Free(point);
        return PyErr_Format(PyExc_TypeError, "expected a program");
    }
    Runner *self = (Runner *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) {
        PyMem_Free(point);
        return NULL;
    }
    Py_INCREF(program);
    Py_INCREF(object);
    self->program = program;
    self->model = object;
    self->nq = (size_t)soa_model_nq(model);
    soa_status status = soa_compile(model, ((Program *)program)->program, written ? SOA_AS_WRITTEN : SOA_SIMPLIFIED, 0,
        NULL, &self->compiled, &error);
    status = status == SOA_OK ? soa_runner_new(self->compiled, points, point, NULL, &self->runner, &error) : status;
    PyMem_Free(point);
    if (status != SOA_OK) {
        Py_DECREF(self);
        return binding_raise(&error);
    }
    return (PyObject *)self;
}

static PyObject *bound(const Runner *r, bool inputs)
{
    const int count = inputs ? soa_compiled_inputs(r->compiled) : soa_compiled_outputs(r->compiled);
    PyObject *all = PyList_New(0);
    for (int i = 0; all && i < count; i++) {
        const soa_bound_info b =
            inputs ? soa_compiled_input_info(r->compiled, i) : soa_compiled_output_info(r->compiled, i);
        const int numbers = soa_runner_numbers(r->runner, b.name), rows = soa_runner_rows(r->runner, b.name);
        PyObject *row = Py_BuildValue("sii", b.name, numbers, b.from_space == SOA_SPACE_ONE ? -1 : rows);
        if (row) {
            PyList_Append(all, row);
            Py_DECREF(row);
        }
    }
    return all;
}

/* ([(name, numbers, rows or -1)] of inputs, of outputs, sweeps). */
static PyObject *runner_about(PyObject *self, PyObject *none)
{
    const Runner *r = (const Runner *)self;
    (void)none;
    return Py_BuildValue("NNi", bound(r, true), bound(r, false), soa_compiled_sweeps(r->compiled));
}

/* Lets go of the arrays of a call: an input has again the numbers that the program gives it, or none. */
static void let_go(Runner *r, PyObject *names, bool outputs)
{
    soa_program *p = ((Program *)r->program)->program;
    PyObject *name, *value;
    Py_ssize_t position = 0;
    soa_error error;
    while (PyDict_Next(names, &position, &name, &value)) {
        PyObject *text = PyUnicode_AsUTF8String(name);
        const char *word = text ? PyBytes_AsString(text) : "";
        const double *own = NULL;
        for (int i = 0; i < soa_program_statements(p) && !outputs; i++) {
            const soa_statement_info s = soa_program_statement(p, i);
            own = s.values > 0 && strcmp(s.name, word) == 0 ? s.value : own;
        }
        if (outputs) {
            soa_runner_bind_output(r->runner, word, NULL, &error);
        } else {
            soa_runner_bind(r->runner, word, own, &error);
        }
        Py_XDECREF(text);
    }
}

/* run(states, q, {input: array}, {output: array}): arrays are float64 in C order, of the right size (checked). */
static PyObject *runner_run(PyObject *self, PyObject *args)
{
    Runner *const r = (Runner *)self;
    int states = 0;
    PyObject *q = NULL, *inputs = NULL, *outputs = NULL, *name, *value;
    soa_error error = { .status = SOA_OK };
    if (!PyArg_ParseTuple(args, "iOOO:run", &states, &q, &inputs, &outputs)) {
        return NULL;
    }
    if (states < 0 || r->busy || !PyDict_Check(inputs) || !PyDict_Check(outputs)) {
        return PyErr_Format(PyExc_RuntimeError, "a runner belongs to one thread at a time");
    }
    PyObject *held = PyList_New(0), *keep = NULL;
    soa_status status = SOA_OK;
    const double *at = held ? binding_numbers(q, "q", (size_t)states * r->nq, NULL, &keep) : NULL;
    bool good = at != NULL;
    if (good) {
        PyList_Append(held, keep);
        Py_DECREF(keep);
    }
    for (int out = 0; out < 2 && good; out++) {
        Py_ssize_t position = 0;
        while (good && PyDict_Next(out ? outputs : inputs, &position, &name, &value)) {
            PyObject *text = PyUnicode_AsUTF8String(name);
            const char *word = text ? PyBytes_AsString(text) : "";
            const int numbers = soa_runner_numbers(r->runner, word);
            bool matrix = false;
            for (int i = 0; i < soa_compiled_inputs(r->compiled); i++) {
                const soa_bound_info b = soa_compiled_input_info(r->compiled, i);
                matrix = matrix || (!out && strcmp(b.name, word) == 0 && b.from_space != SOA_SPACE_ONE);
            }
            const size_t wanted = numbers < 0 ? SIZE_MAX : (size_t)numbers * (matrix ? 1 : (size_t)states);
            const double *numbers_at = text ? binding_numbers(value, word, wanted, NULL, &keep) : NULL;
            good = numbers_at != NULL;
            if (good) {
                PyList_Append(held, keep);
                Py_DECREF(keep);
                status = out ? soa_runner_bind_output(r->runner, word, (double *)numbers_at, &error)
                             : soa_runner_bind(r->runner, word, numbers_at, &error);
                good = status == SOA_OK;
            }
            Py_XDECREF(text);
        }
    }
    if (good) {
        r->busy = true;
        PyThreadState *state = PyEval_SaveThread();
        status = soa_runner_run(r->runner, states, at, &error);
        PyEval_RestoreThread(state);
        r->busy = false;
    }
    PyObject *type = NULL, *raised = NULL, *trace = NULL;
    PyErr_Fetch(&type, &raised, &trace);
    let_go(r, inputs, false);
    let_go(r, outputs, true);
    PyErr_Restore(type, raised, trace);
    Py_XDECREF(held);
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (status != SOA_OK) {
        return binding_raise(&error);
    }
    Py_RETURN_NONE;
}

int binding_add_language(PyObject *module)
{
    static PyMethodDef program_methods[] = { { "read", program_read, METH_VARARGS, NULL },
        { "statement", program_statement, METH_VARARGS, NULL }, { "say", program_say, METH_VARARGS, NULL },
        { "prove", program_prove, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL } };
    static PyMethodDef runner_methods[] = { { "about", runner_about, METH_NOARGS, NULL },
        { "run", runner_run, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL } };
    static PyType_Slot program[] = { { Py_tp_new, (void *)program_new }, { Py_tp_dealloc, (void *)program_free },
        { Py_tp_methods, program_methods }, { 0, NULL } };
    static PyType_Slot runner[] = { { Py_tp_new, (void *)runner_new }, { Py_tp_dealloc, (void *)runner_free },
        { Py_tp_methods, runner_methods }, { 0, NULL } };
    static PyType_Spec first = { "soa._soa.Program", sizeof(Program), 0, Py_TPFLAGS_DEFAULT, program };
    static PyType_Spec second = { "soa._soa.Runner", sizeof(Runner), 0, Py_TPFLAGS_DEFAULT, runner };
    program_type = binding_type(module, &first, NULL);
    return program_type && binding_type(module, &second, NULL) ? 0 : -1;
}
