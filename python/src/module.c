/* module.c - the module soa._soa. */
#include "closed.h"

PyObject *binding_type(PyObject *module, PyType_Spec *spec, PyObject *base)
{
    PyObject *type = PyType_FromSpecWithBases(spec, base);
    const char *dot = spec->name;
    for (const char *at = spec->name; *at; at++) {
        dot = *at == '.' ? at + 1 : dot;
    }
    if (type) {
        Py_INCREF(type);
        if (PyModule_AddObject(module, dot, type) != 0) {
            Py_DECREF(type);
            return NULL;
        }
    }
    return type;
}

/* set_calls(make_error, real_array): functions of soa/_errors.py and soa/_arrays.py. */
static PyObject *set_calls(PyObject *self, PyObject *args)
{
    PyObject *make_error = NULL, *real_array = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO:set_calls", &make_error, &real_array)) {
        return NULL;
    }
    Py_INCREF(make_error);
    Py_INCREF(real_array);
    Py_XDECREF(binding.make_error);
    Py_XDECREF(binding.real_array);
    binding.make_error = make_error;
    binding.real_array = real_array;
    Py_RETURN_NONE;
}

static PyObject *builtins(PyObject *self, PyObject *none)
{
    PyObject *all = PyDict_New();
    (void)self, (void)none;
    for (int i = 0; all && i < soa_builtins(); i++) {
        PyObject *text = PyUnicode_FromString(soa_builtin_text(i));
        if (text) {
            PyDict_SetItemString(all, soa_builtin_name(i), text);
            Py_DECREF(text);
        }
    }
    return all;
}

static PyObject *get(PyObject *module, const char *name)
{
    return PyObject_GetAttrString(module, name);
}

static int find_numpy(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy) {
        return -1;
    }
    binding.empty = get(numpy, "empty");
    binding.broadcast = get(numpy, "broadcast_to");
    binding.dtype = PyObject_CallMethod(numpy, "dtype", "s", "float64");
    binding.dtype_word = PyUnicode_InternFromString("dtype");
    binding.out_word = PyUnicode_InternFromString("out");
    Py_DECREF(numpy);
    return binding.empty && binding.broadcast && binding.dtype && binding.dtype_word && binding.out_word ? 0 : -1;
}

PyMODINIT_FUNC PyInit__soa(void); /* the one name that the interpreter looks for */

PyMODINIT_FUNC PyInit__soa(void)
{
    static PyMethodDef methods[] = { { "set_calls", set_calls, METH_VARARGS, NULL },
        { "builtins", builtins, METH_NOARGS, NULL }, { NULL, NULL, 0, NULL } };
    static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "soa._soa", NULL, -1, methods, NULL, NULL, NULL,
        NULL };
    PyObject *module = find_numpy() == 0 ? PyModule_Create(&definition) : NULL;
    if (module &&
        (binding_add_model(module) != 0 || binding_add_closed(module) != 0 || binding_add_closures(module) != 0 ||
            binding_add_system(module) != 0 || binding_add_language(module) != 0 ||
            binding_add_simulation(module) != 0 || binding_add_operators(module) != 0 ||
            PyModule_AddStringConstant(module, "version", SOA_VERSION) != 0)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
