/* simulation.c - the type Simulation: a scenario moved through time. */
#include "binding.h"

typedef struct Simulation {
    PyObject_HEAD soa_scenario *scenario;
    soa_sim *sim;
    bool busy;
} Simulation;

static PyObject *simulation_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *path = NULL;
    soa_error error = { .status = SOA_OK };
    (void)keywords;
    if (!PyArg_ParseTuple(args, "s:Simulation", &path)) {
        return NULL;
    }
    Simulation *self = (Simulation *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) {
        return NULL;
    }
    soa_status status = soa_scenario_load(path, NULL, &self->scenario, &error);
    status = status == SOA_OK ? soa_sim_new(soa_scenario_model(self->scenario), soa_scenario_setup(self->scenario),
                                    NULL, &self->sim, &error)
                              : status;
    if (status != SOA_OK) {
        Py_DECREF(self);
        return binding_raise(&error);
    }
    return (PyObject *)self;
}

static void simulation_free(PyObject *self)
{
    Simulation *const s = (Simulation *)self;
    PyTypeObject *type = Py_TYPE(self);
    soa_sim_free(s->sim);
    soa_scenario_free(s->scenario);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static bool is_free(const Simulation *s)
{
    if (s->busy) {
        PyErr_SetString(PyExc_RuntimeError, "a simulation belongs to one thread at a time");
    }
    return !s->busy;
}

static PyObject *advance(PyObject *self, PyObject *args)
{
    Simulation *const s = (Simulation *)self;
    double t = 0.0;
    soa_error error = { .status = SOA_OK };
    if (!is_free(s) || !PyArg_ParseTuple(args, "d:advance", &t)) {
        return NULL;
    }
    s->busy = true;
    PyThreadState *state = PyEval_SaveThread();
    const soa_status status = soa_sim_advance(s->sim, t, &error);
    PyEval_RestoreThread(state);
    s->busy = false;
    return status == SOA_OK ? Py_BuildValue("dO", soa_sim_time(s->sim), soa_sim_stopped(s->sim) ? Py_True : Py_False)
                            : binding_raise(&error);
}

/* (name, duration, every, signals of the scenario, all signals). */
static PyObject *about(PyObject *self, PyObject *none)
{
    const Simulation *s = (const Simulation *)self;
    PyObject *chosen = PyList_New(0), *all = PyList_New(0);
    (void)none;
    for (int i = 0; chosen && i < soa_scenario_signals(s->scenario); i++) {
        PyObject *name = PyUnicode_FromString(soa_scenario_signal(s->scenario, i));
        if (name) {
            PyList_Append(chosen, name);
            Py_DECREF(name);
        }
    }
    for (int i = 0; all && i < soa_sim_signals(s->sim); i++) {
        PyObject *name = PyUnicode_FromString(soa_sim_signal_name(s->sim, i));
        if (name) {
            PyList_Append(all, name);
            Py_DECREF(name);
        }
    }
    return Py_BuildValue("sddNN", soa_scenario_name(s->scenario), soa_scenario_duration(s->scenario),
        soa_scenario_every(s->scenario), chosen, all);
}

static PyObject *values(PyObject *self, PyObject *none)
{
    Simulation *const s = (Simulation *)self;
    soa_error error = { .status = SOA_OK };
    (void)none;
    if (!is_free(s)) {
        return NULL;
    }
    const double *value = soa_sim_signal_values(s->sim, &error);
    return value ? binding_vector((size_t)soa_sim_signals(s->sim), value) : binding_raise(&error);
}

static PyObject *state_of(PyObject *self, PyObject *none)
{
    const Simulation *s = (const Simulation *)self;
    const soa_model *m = soa_scenario_model(s->scenario);
    (void)none;
    if (!is_free(s)) {
        return NULL;
    }
    return Py_BuildValue("dNN", soa_sim_time(s->sim), binding_vector((size_t)soa_model_nq(m), soa_sim_q(s->sim)),
        binding_vector((size_t)soa_model_nv(m), soa_sim_v(s->sim)));
}

/* {name, or number if it has none: what the sensor shows}. */
static PyObject *sensors(PyObject *self, PyObject *none)
{
    const Simulation *s = (const Simulation *)self;
    const soa_sim_setup *setup = soa_scenario_setup(s->scenario);
    (void)none;
    if (!is_free(s)) {
        return NULL;
    }
    PyObject *all = PyDict_New();
    for (int i = 0; all && i < soa_sim_sensors(s->sim); i++) {
        const soa_sensor *sensor = &setup->sensor[i];
        PyObject *name = sensor->name ? PyUnicode_FromString(sensor->name) : PyLong_FromLong(i);
        PyObject *shown = binding_vector((size_t)soa_sensor_kind_channels(sensor->kind), soa_sim_sensor(s->sim, i));
        if (!name || !shown || PyDict_SetItem(all, name, shown) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(name);
        Py_XDECREF(shown);
    }
    return all;
}

static PyObject *report(PyObject *self, PyObject *none)
{
    Simulation *const s = (Simulation *)self;
    soa_sim_report r;
    soa_error error = { .status = SOA_OK };
    (void)none;
    if (!is_free(s)) {
        return NULL;
    }
    if (soa_sim_report_get(s->sim, &r, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    PyObject *events = PyList_New(0);
    for (int i = 0; events && i < r.events; i++) {
        PyObject *event = Py_BuildValue("{s:d,s:s,s:d}", "t", r.event[i].t, "event",
            soa_scenario_event_name(s->scenario, r.event[i].event), "energy", r.event[i].energy);
        if (event) {
            PyList_Append(events, event);
            Py_DECREF(event);
        }
    }
    return Py_BuildValue("{s:l,s:l,s:l,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:N}", "steps", r.steps, "rejected", r.rejected,
        "evaluations", r.evaluations, "initial", r.initial, "final", r.final, "work", r.work, "drift", r.drift,
        "exchanged", r.exchanged, "position", r.position, "velocity", r.velocity, "events", events);
}

int binding_add_simulation(PyObject *module)
{
    static PyMethodDef methods[] = { { "advance", advance, METH_VARARGS, "advance(t): (time reached, stopped)." },
        { "about", about, METH_NOARGS, NULL }, { "values", values, METH_NOARGS, "All signals now." },
        { "state", state_of, METH_NOARGS, "(t, q, v)." },
        { "sensors", sensors, METH_NOARGS, "What each sensor shows, by its name." },
        { "report", report, METH_NOARGS, "How it went." }, { NULL, NULL, 0, NULL } };
    static PyType_Slot slots[] = { { Py_tp_new, (void *)simulation_new }, { Py_tp_dealloc, (void *)simulation_free },
        { Py_tp_methods, methods }, { 0, NULL } };
    static PyType_Spec spec = { "soa._soa.Simulation", sizeof(Simulation), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        slots };
    return binding_type(module, &spec, NULL) ? 0 : -1;
}
