/* system.c - the type System: what a model does with couplings, closures and joint forces acting. */
#include <string.h>

#include "closed.h"
#include "docs.h"
#include "lists.h"

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

static const owner SYSTEM = { closed_open, closed_close, prepare };

#define A(name) r->array[AT_##name]

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
    (void)none;
    if (!closed_is_free(self)) {
        return NULL;
    }
    PyObject *all = PyList_New(0);
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
    PyObject *keep = NULL;
    if (!closed_is_free(self)) {
        return NULL;
    }
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
    { NULL, NULL, 0, NULL } };

static PyObject *system_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)keywords;
    return closed_make(type, args, true);
}

int binding_add_system(PyObject *module)
{
    static PyType_Slot slots[] = { { Py_tp_new, (void *)system_new }, { Py_tp_methods, SYSTEM_METHODS },
        { Py_tp_doc, (void *)"The system that a model describes: couplings, closures and joint forces act." },
        { 0, NULL } };
    static PyType_Spec spec = { "soa._soa.System", sizeof(Closed), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
    return binding_type(module, &spec, closed_type) ? 0 : -1;
}
