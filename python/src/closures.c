/* closures.c - the type Closures: the loops and couplings of a model. */
#include <string.h>

#include "closed.h"
#include "docs.h"
#include "lists.h"

static const owner SET = { closed_open, closed_close, NULL };

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
    return q_from ? soa_closure_project_from(r->closures, SOA_METRIC_MASS, 0.0, 1, q_from, q_out, v_out, &done, error)
                  : soa_closure_project(r->closures, SOA_METRIC_MASS, 0.0, 1, q_out, v_out, &done, error);
}

static soa_status project_velocity(const request *r, const double *q, const double *v, double *v_out, soa_error *error)
{
    soa_projection done;
    if (!v) {
        return missing("v is missing", error);
    }
    memcpy(v_out, v, r->size.nv * sizeof *v);
    return soa_closure_project_velocity(r->closures, SOA_METRIC_MASS, 1, q, v_out, &done, error);
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
    return soa_closed_operational_inertia(r->closures, r->points, point, 1, q, lambda, inertia, error);
}

#define A(name) r->array[AT_##name]
DEFINE_FUNCTION(
    CLOSURES_, violation, true, soa_closure_violation(r->closures, 1, LIST_ARGUMENTS_1(CLOSURES_, violation) error))
DEFINE_FUNCTION(
    CLOSURES_, jacobian, true, soa_closure_jacobian(r->closures, 1, LIST_ARGUMENTS_1(CLOSURES_, jacobian) error))
DEFINE_FUNCTION(CLOSURES_, jacobian_rate, true,
    soa_closure_jacobian_rate(r->closures, 1, LIST_ARGUMENTS_1(CLOSURES_, jacobian_rate) error))
DEFINE_FUNCTION(CLOSURES_, bias, true, soa_closure_bias(r->closures, 1, LIST_ARGUMENTS_1(CLOSURES_, bias) error))
DEFINE_FUNCTION(CLOSURES_, forward_dynamics, false,
    soa_closed_forward_dynamics(r->closures, r->states, A(q), A(v), A(T), A(f), A(vdot), A(multipliers), NULL, error))
DEFINE_FUNCTION(CLOSURES_, inverse_dynamics, true,
    soa_closed_inverse_dynamics(r->closures, 1, A(q), A(v), A(vdot), A(f), A(weight), A(T), A(multipliers), error))
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

#define CLOSURES_ROW(name) \
    { #name, (PyCFunction)(void (*)(void))method_##name, METH_VARARGS | METH_KEYWORDS, DOC_closures_##name },
static PyMethodDef CLOSURES_METHODS[] = { CLOSURES_LIST(CLOSURES_ROW){ NULL, NULL, 0, NULL } };

static PyObject *closures_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)keywords;
    return closed_make(type, args, false);
}

int binding_add_closures(PyObject *module)
{
    static PyType_Slot slots[] = { { Py_tp_new, (void *)closures_new }, { Py_tp_methods, CLOSURES_METHODS },
        { Py_tp_doc, (void *)"The closures and couplings of a model." }, { 0, NULL } };
    static PyType_Spec spec = { "soa._soa.Closures", sizeof(Closed), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        slots };
    return binding_type(module, &spec, closed_type) ? 0 : -1;
}
