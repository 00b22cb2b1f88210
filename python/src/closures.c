/* closures.c - the types Closures and System: loops of a model, and the system with couplings and closures acting. */
#include <string.h>

#include "binding.h"
#include "docs.h"
#include "lists.h"

/* Both hold scratch memory, so one thread at a time may use them: `busy` refuses a second. */
typedef struct Closed {
    PyObject_HEAD PyObject *model;
    soa_closures *set;
    soa_system *system; /* NULL: of a set */
    sizes size;
    bool busy;
} Closed;

static int open_closed(PyObject *self, request *r, int threads)
{
    Closed *const c = (Closed *)self;
    if (threads != 1 || c->busy) {
        PyErr_SetString(PyExc_RuntimeError, "closures belong to one thread at a time; make one for each thread");
        return -1;
    }
    c->size.rows = (size_t)soa_closures_rows(c->set);
    r->size = c->size;
    r->closures = c->set;
    r->system = c->system;
    c->busy = true;
    return 0;
}

static void close_closed(PyObject *self, request *r)
{
    (void)r;
    ((Closed *)self)->busy = false;
}

static const owner SET = { open_closed, close_closed, NULL };

/* ---- closures -------------------------------------------------------------------------------------- */

/* clang-format off */
#define CLOSURES_violation(ARG, STATES, IN, OUT)       IN(q, nq) IN(v, nv) OUT(position, rows) OUT(velocity, rows)
#define CLOSURES_jacobian(ARG, STATES, IN, OUT)        IN(q, nq) OUT(J, rows * nv)
#define CLOSURES_jacobian_rate(ARG, STATES, IN, OUT)   IN(q, nq) IN(v, nv) OUT(J_dot, rows * nv)
#define CLOSURES_bias(ARG, STATES, IN, OUT)            IN(q, nq) IN(v, nv) OUT(bias, rows)
#define CLOSURES_forward_dynamics(ARG, STATES, IN, OUT) \
    IN(q, nq) IN(v, nv) IN(T, nv) IN(f, 6 * bodies) OUT(vdot, nv) OUT(multipliers, rows)
#define CLOSURES_inverse_dynamics(ARG, STATES, IN, OUT) \
    IN(q, nq) IN(v, nv) IN(vdot, nv) IN(f, 6 * bodies) IN(weight, nv) OUT(T, nv) OUT(multipliers, rows)
#define CLOSURES_project(ARG, STATES, IN, OUT)         IN(q, nq) IN(v, nv) OUT(q_out, nq) OUT(v_out, nv)
#define CLOSURES_project_velocity(ARG, STATES, IN, OUT) IN(q, nq) IN(v, nv) OUT(v_out, nv)
#define CLOSURES_project_from(ARG, STATES, IN, OUT) \
    IN(q_from, nq) IN(q, nq) IN(v, nv) OUT(q_out, nq) OUT(v_out, nv)
#define CLOSURES_operational_inertia(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) IN(q, nq) OUT(lambda, 36 * points * points) \
    OUT(inertia, 36 * points * points)
/* clang-format on */

static soa_status with_multipliers(const request *r, soa_status status, double *to)
{
    if (status == SOA_OK) {
        memcpy(to, soa_closure_multipliers(r->closures), r->size.rows * sizeof *to);
    }
    return status;
}

static soa_status missing(const char *what, soa_error *error)
{
    error->status = SOA_E_ARGUMENT;
    error->text[0] = '\0';
    strncat(error->text, what, sizeof error->text - 1);
    return SOA_E_ARGUMENT;
}

/* q nearest to q, or, if q_from is given, on the branch of q_from; v at it. */
static soa_status project(const request *r, const double *q_from, const double *q, const double *v, double *q_out,
    double *v_out, soa_error *error)
{
    if (!q) {
        return missing("q is missing", error);
    }
    memcpy(q_out, q, r->size.nq * sizeof *q);
    if (v) {
        memcpy(v_out, v, r->size.nv * sizeof *v);
    } else {
        memset(v_out, 0, r->size.nv * sizeof *v);
    }
    soa_projection done;
    return q_from ? soa_closure_project_from(r->closures, SOA_METRIC_MASS, 0.0, q_from, q_out, v_out, &done, error)
                  : soa_closure_project(r->closures, SOA_METRIC_MASS, 0.0, q_out, v_out, &done, error);
}

static soa_status project_velocity(const request *r, const double *q, const double *v, double *v_out, soa_error *error)
{
    soa_projection done;
    if (!v) {
        return missing("v is missing", error);
    }
    memcpy(v_out, v, r->size.nv * sizeof *v);
    return soa_closure_project_velocity(r->closures, SOA_METRIC_MASS, q, v_out, &done, error);
}

static soa_status operational(const request *r, const double *q, double *lambda, double *inertia, soa_error *error)
{
    soa_closed_point point[16];
    if (r->points > 16) {
        return missing("at most 16 points can be given", error);
    }
    for (int i = 0; i < r->points; i++) {
        point[i] = (soa_closed_point){ 0, r->point[i] };
    }
    return soa_closed_operational_inertia(r->closures, r->points, point, q, lambda, inertia, error);
}

#define A(name) r->array[AT_##name]
DEFINE_FUNCTION(
    CLOSURES_, violation, true, soa_closure_violation(r->closures, LIST_ARGUMENTS_1(CLOSURES_, violation) error))
DEFINE_FUNCTION(
    CLOSURES_, jacobian, true, soa_closure_jacobian(r->closures, LIST_ARGUMENTS_1(CLOSURES_, jacobian) error))
DEFINE_FUNCTION(CLOSURES_, jacobian_rate, true,
    soa_closure_jacobian_rate(r->closures, LIST_ARGUMENTS_1(CLOSURES_, jacobian_rate) error))
DEFINE_FUNCTION(CLOSURES_, bias, true, soa_closure_bias(r->closures, LIST_ARGUMENTS_1(CLOSURES_, bias) error))
DEFINE_FUNCTION(CLOSURES_, forward_dynamics, true,
    with_multipliers(
        r, soa_closed_forward_dynamics(r->closures, A(q), A(v), A(T), A(f), A(vdot), NULL, error), A(multipliers)))
DEFINE_FUNCTION(CLOSURES_, inverse_dynamics, true,
    with_multipliers(
        r, soa_closed_inverse_dynamics(r->closures, A(q), A(v), A(vdot), A(f), A(weight), A(T), error), A(multipliers)))
DEFINE_FUNCTION(CLOSURES_, project, true, project(r, NULL, A(q), A(v), A(q_out), A(v_out), error))
DEFINE_FUNCTION(CLOSURES_, project_velocity, true, project_velocity(r, A(q), A(v), A(v_out), error))
DEFINE_FUNCTION(CLOSURES_, project_from, true, project(r, A(q_from), A(q), A(v), A(q_out), A(v_out), error))
DEFINE_FUNCTION(CLOSURES_, operational_inertia, true, operational(r, A(q), A(lambda), A(inertia), error))

#define CLOSURES_LIST(X) \
    X(violation)         \
    X(jacobian)          \
    X(jacobian_rate)     \
    X(bias)              \
    X(forward_dynamics)  \
    X(inverse_dynamics)  \
    X(project)           \
    X(project_velocity)  \
    X(project_from)      \
    X(operational_inertia)
#define OF_SET(name) DEFINE_METHOD(SET, name)
CLOSURES_LIST(OF_SET)

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
        status = soa_grasp_split(c->set, q, 0, link, NULL, x, out, out + rows, wrench, &error);
        made = status == SOA_OK ? Py_BuildValue("NNN", binding_vector(rows, out), binding_vector(rows, out + rows),
                                      binding_vector(6, wrench))
                                : binding_raise(&error);
    } else if (out && balance) {
        status = soa_grasp_balance(c->set, q, 0, link, NULL, x, out, &error);
        made = status == SOA_OK ? binding_vector(rows, out) : binding_raise(&error);
    } else if (out) {
        memset(out, 0, rows * sizeof *out);
        status = soa_force_closure(c->set, q, 0, link, 8, &closed, out, &error);
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
    return Py_BuildValue("{s:i,s:i,s:O,s:O,s:d,s:d,s:s}", "rows", r.rows, "rank", r.rank, "rounded",
        r.rounded ? Py_True : Py_False, "undecided", r.undecided ? Py_True : Py_False, "kept", r.kept, "dropped",
        r.dropped, "closures", r.closures);
}

static PyObject *closures_set_tolerances(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "rank", "contradiction", "velocity", NULL };
    soa_closure_tolerances t = { 0 };
    soa_error error;
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "|ddd:set_tolerances", names, &t.rank, &t.contradiction, &t.velocity)) {
        return NULL;
    }
    if (soa_closures_set_tolerances(((Closed *)self)->set, &t, &error) != SOA_OK) {
        return binding_raise(&error);
    }
    Py_RETURN_NONE;
}

/* ---- the system --------------------------------------------------------------------------------------- */

static soa_status set(const request *r, soa_error *error)
{
    return soa_system_set(r->system, r->array[0], r->array[1], error); /* q and v come first in every list */
}

/* The number of independent velocities is known at a state. */
static int prepare(request *r)
{
    soa_error error;
    if (set(r, &error) != SOA_OK) {
        binding_raise(&error);
        return -1;
    }
    r->size.dofs = (size_t)soa_system_dofs(r->system);
    return 0;
}

static const owner SYSTEM = { open_closed, close_closed, prepare };

/* clang-format off */
#define SYSTEM_S(IN, OUT)    IN(q, nq) IN(v, nv)
#define SYSTEM_system_forward_dynamics(ARG, STATES, IN, OUT) \
    SYSTEM_S(IN, OUT) IN(T, nv) IN(f, 6 * bodies) OUT(vdot, nv)
#define SYSTEM_system_inverse_dynamics(ARG, STATES, IN, OUT) \
    SYSTEM_S(IN, OUT) IN(vdot, nv) IN(f, 6 * bodies) IN(weight, nv) OUT(T, nv)
#define SYSTEM_system_acceleration(ARG, STATES, IN, OUT)     SYSTEM_S(IN, OUT) IN(vdot, nv) OUT(all, nv)
#define SYSTEM_system_mass_matrix(ARG, STATES, IN, OUT)      SYSTEM_S(IN, OUT) OUT(mass, dofs * dofs)
#define SYSTEM_system_mass_inverse(ARG, STATES, IN, OUT)     SYSTEM_S(IN, OUT) OUT(inverse, dofs * dofs)
#define SYSTEM_system_bias_force(ARG, STATES, IN, OUT)       SYSTEM_S(IN, OUT) OUT(bias, dofs)
#define SYSTEM_system_gravity_force(ARG, STATES, IN, OUT)    SYSTEM_S(IN, OUT) OUT(gravity, dofs)
#define SYSTEM_system_coriolis_matrix(ARG, STATES, IN, OUT)  SYSTEM_S(IN, OUT) OUT(C, dofs * dofs)
#define SYSTEM_system_christoffel(ARG, STATES, IN, OUT)      SYSTEM_S(IN, OUT) OUT(symbols, dofs * dofs * dofs)
#define SYSTEM_system_mass_derivatives(ARG, STATES, IN, OUT) SYSTEM_S(IN, OUT) OUT(dmass, dofs * dofs * dofs)
#define SYSTEM_system_motion(ARG, STATES, IN, OUT)           SYSTEM_S(IN, OUT) OUT(S, nv * dofs)
#define SYSTEM_system_velocity(ARG, STATES, IN, OUT)         SYSTEM_S(IN, OUT) OUT(velocity, nv)
#define SYSTEM_system_joint_forces(ARG, STATES, IN, OUT)     SYSTEM_S(IN, OUT) OUT(Q, nv)
#define SYSTEM_system_jacobian(ARG, STATES, IN, OUT) \
    ARG(int, points) ARG(const soa_point *, point) SYSTEM_S(IN, OUT) OUT(J, 6 * points * dofs)
#define SYSTEM_system_inverse_dynamics_derivatives(ARG, STATES, IN, OUT) \
    SYSTEM_S(IN, OUT) IN(vdot, nv) OUT(dT_dq, dofs * dofs) OUT(dT_dv, dofs * dofs)
#define SYSTEM_system_linear_model(ARG, STATES, IN, OUT) \
    SYSTEM_S(IN, OUT) IN(T, nv) IN(f, 6 * bodies) OUT(A, 4 * nv * nv) OUT(B, 2 * nv * nv) OUT(C, 6 * nv * nv) \
    OUT(D, 3 * nv * nv)
#define SYSTEM_system_minimal_model(ARG, STATES, IN, OUT) \
    SYSTEM_S(IN, OUT) IN(T, nv) IN(f, 6 * bodies) OUT(A, 4 * dofs * dofs) OUT(B, 2 * dofs * nv) \
    OUT(C, 6 * nv * dofs) OUT(D, 3 * nv * nv)
/* clang-format on */

static soa_status copy(const double *from, size_t numbers, double *to)
{
    memcpy(to, from, numbers * sizeof *to);
    return SOA_OK;
}

static soa_status motion(soa_system *system, double *S)
{
    soa_system_motion(system, S);
    return SOA_OK;
}

#define SET_THEN(CALL) (set(r, error) == SOA_OK ? (CALL) : error->status)
#define SYSTEM_FUNCTION(name, CALL)                        \
    DEFINE_FUNCTION(SYSTEM_, name, true, SET_THEN((CALL))) \
    DEFINE_METHOD(SYSTEM, name)
SYSTEM_FUNCTION(system_forward_dynamics, soa_system_forward_dynamics(r->system, A(T), A(f), A(vdot), NULL, error))
SYSTEM_FUNCTION(system_inverse_dynamics, soa_system_inverse_dynamics(r->system, A(vdot), A(f), A(weight), A(T), error))
SYSTEM_FUNCTION(system_acceleration, soa_system_acceleration(r->system, A(vdot), A(all), error))
SYSTEM_FUNCTION(system_mass_matrix, soa_system_mass_matrix(r->system, A(mass), error))
SYSTEM_FUNCTION(system_mass_inverse, soa_system_mass_inverse(r->system, A(inverse), error))
SYSTEM_FUNCTION(system_bias_force, soa_system_bias_force(r->system, A(bias), error))
SYSTEM_FUNCTION(system_gravity_force, soa_system_gravity_force(r->system, A(gravity), error))
SYSTEM_FUNCTION(system_coriolis_matrix, soa_system_coriolis_matrix(r->system, A(C), error))
SYSTEM_FUNCTION(system_christoffel, soa_system_christoffel(r->system, A(symbols), error))
SYSTEM_FUNCTION(system_mass_derivatives, soa_system_mass_derivatives(r->system, A(dmass), error))
SYSTEM_FUNCTION(system_motion, motion(r->system, A(S)))
SYSTEM_FUNCTION(system_velocity, copy(soa_system_velocity(r->system), r->size.nv, A(velocity)))
SYSTEM_FUNCTION(system_joint_forces, copy(soa_system_joint_forces(r->system), r->size.nv, A(Q)))
SYSTEM_FUNCTION(system_jacobian, soa_system_jacobian(r->system, r->points, r->point, A(J), error))
SYSTEM_FUNCTION(system_inverse_dynamics_derivatives,
    soa_system_inverse_dynamics_derivatives(r->system, A(vdot), A(dT_dq), A(dT_dv), error))
SYSTEM_FUNCTION(system_linear_model, soa_system_linear_model(r->system, A(T), A(f), A(A), A(B), A(C), A(D), error))
SYSTEM_FUNCTION(system_minimal_model, soa_system_minimal_model(r->system, A(T), A(f), A(A), A(B), A(C), A(D), error))

static PyObject *system_independent(PyObject *self, PyObject *none)
{
    const Closed *c = (const Closed *)self;
    PyObject *all = PyList_New(0);
    (void)none;
    for (int i = 0; all && i < soa_system_dofs(c->system); i++) {
        PyObject *number = PyLong_FromLong(soa_system_independent(c->system)[i]);
        if (number) {
            PyList_Append(all, number);
            Py_DECREF(number);
        }
    }
    return all;
}

static PyObject *system_prefer(PyObject *self, PyObject *flags)
{
    Closed *const c = (Closed *)self;
    PyObject *keep;
    const double *number = binding_numbers(flags, "prefer", c->size.nv, NULL, &keep);
    bool *preferred = number ? PyMem_Malloc(c->size.nv + 1) : NULL;
    for (size_t i = 0; preferred && i < c->size.nv; i++) {
        preferred[i] = number[i] != 0.0;
    }
    Py_XDECREF(keep);
    if (!preferred) {
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    soa_system_prefer(c->system, preferred);
    PyMem_Free(preferred);
    Py_RETURN_NONE;
}

/* ---- made ------------------------------------------------------------------------------------------------ */

static PyObject *make(PyTypeObject *type, PyObject *args, bool system)
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

static PyObject *closures_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)keywords;
    return make(type, args, false);
}

static PyObject *system_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)keywords;
    return make(type, args, true);
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

#define SHARED_METHODS                                                                                           \
    { "force", closures_force, METH_O, "What a closure does in the last solution (soa_closure_force)." },        \
        { "enable", closures_enable, METH_VARARGS, "enable(closure, enabled=True): by name or number." },        \
        { "remove", closures_remove, METH_O, "Takes a closure out of the set." },                                \
        { "hold_here", closures_hold_here, METH_VARARGS,                                                         \
            "hold_here(closure, q): it holds where its frames are at q." },                                      \
        { "set_motion", closures_set_motion, METH_VARARGS,                                                       \
            "set_motion(closure, position=None, velocity=None, acceleration=None): a number per row each." },    \
        { "_grasp", closures_grasp, METH_VARARGS, NULL },                                                        \
        { "list", closures_list, METH_NOARGS, "Every closure and coupling: name, enabled, rows, first_row." },   \
        { "redundancy", closures_redundancy, METH_NOARGS, "Which rows depend on each other but for rounding." }, \
        { "set_tolerances", (PyCFunction)(void (*)(void))closures_set_tolerances, METH_VARARGS | METH_KEYWORDS,  \
            "set_tolerances(rank=0, contradiction=0, velocity=0); zeros: the defaults." },                       \
    {                                                                                                            \
        NULL, NULL, 0, NULL                                                                                      \
    }

#define CLOSURES_ROW(name) \
    { #name, (PyCFunction)(void (*)(void))method_##name, METH_VARARGS | METH_KEYWORDS, DOC_closures_##name },
static PyMethodDef CLOSURES_METHODS[] = { CLOSURES_LIST(CLOSURES_ROW) SHARED_METHODS };

#define SYSTEM_ROW(name)                                                                                          \
    {                                                                                                             \
#name, (PyCFunction)(void (*)(void))method_system_##name, METH_VARARGS | METH_KEYWORDS, DOC_system_##name \
    }
static PyMethodDef SYSTEM_METHODS[] = { SYSTEM_ROW(forward_dynamics), SYSTEM_ROW(inverse_dynamics),
    SYSTEM_ROW(acceleration), SYSTEM_ROW(mass_matrix), SYSTEM_ROW(mass_inverse), SYSTEM_ROW(bias_force),
    SYSTEM_ROW(gravity_force), SYSTEM_ROW(coriolis_matrix), SYSTEM_ROW(christoffel), SYSTEM_ROW(mass_derivatives),
    SYSTEM_ROW(motion), SYSTEM_ROW(velocity), SYSTEM_ROW(joint_forces), SYSTEM_ROW(jacobian),
    SYSTEM_ROW(inverse_dynamics_derivatives), SYSTEM_ROW(linear_model), SYSTEM_ROW(minimal_model),
    { "independent", system_independent, METH_NOARGS, "Numbers in v of the independent velocities at the last state." },
    { "prefer", system_prefer, METH_O, "Velocities (a flag each) that are to be independent where they can be." },
    SHARED_METHODS };

int binding_add_closures(PyObject *module)
{
    static PyType_Slot closures[] = { { Py_tp_new, (void *)closures_new }, { Py_tp_dealloc, (void *)closed_free },
        { Py_tp_methods, CLOSURES_METHODS }, { Py_tp_doc, (void *)"The closures and couplings of a model." },
        { 0, NULL } };
    static PyType_Slot system[] = { { Py_tp_new, (void *)system_new }, { Py_tp_dealloc, (void *)closed_free },
        { Py_tp_methods, SYSTEM_METHODS },
        { Py_tp_doc, (void *)"The system that a model describes: couplings, closures and joint forces act." },
        { 0, NULL } };
    static PyType_Spec first = { "soa._soa.Closures", sizeof(Closed), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        closures };
    static PyType_Spec second = { "soa._soa.System", sizeof(Closed), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        system };
    return binding_type(module, &first) && binding_type(module, &second) ? 0 : -1;
}
