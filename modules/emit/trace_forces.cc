/* emit/trace_forces.cc - the laws of forces at joints and of modes run on a tape instead of numbers. */
#include "emit/trace_real.h"

extern "C" {
#include "soa/flexible.h"
#include "soa/force.h"
}
#include "emit/trace_forces.h"

/* The number of the laws, which begins as a plain one. */
struct traced {
    real x;
    traced(double plain = 0.0) : x(real_set(plain))
    {
    }
    traced(real made) : x(made)
    {
    }
};

#define TRACED(sign)                                     \
    static traced operator sign(traced a, traced b)      \
    {                                                    \
        return a.x sign b.x;                             \
    }                                                    \
    static traced &operator sign##=(traced &a, traced b) \
    {                                                    \
        return a = a sign b;                             \
    }
TRACED(+)
TRACED(-)
TRACED(*)
TRACED(/)
#undef TRACED

static traced operator-(traced a)
{
    return -a.x;
}

static traced root_of(traced a)
{
    return real_sqrt(a.x);
}

/* Laws that ask for it are not those of a model: stops and limits. */
static double known_part(traced)
{
    return 0.0;
}

#define LAW(name)   trace_##name
#define num         traced
#define num_sqrt(x) root_of(x)
#define num_real(x) known_part(x)
#include "force/joint_laws.kernel.h"

double trace_joint_force(tape *t, const soa_force *element, double x, double v)
{
    tracing = t;
    traced energy;
    const double force = real_get(trace_joint_law(element, element->value, traced(x), traced(v), &energy).x, 0);
    tracing = NULL;
    return force;
}

double trace_elastic_force(tape *t, const soa_flexible *flexible, int i, const double *eta, const double *etadot)
{
    traced x[SOA_MAX_MODES], v[SOA_MAX_MODES], energy;
    for (int j = 0; j < flexible->modes; j++) {
        x[j] = traced(eta[j]);
        v[j] = traced(etadot[j]);
    }
    tracing = t;
    const double force = real_get(trace_elastic(flexible, i, x, v, &energy).x, 0);
    tracing = NULL;
    return force;
}
