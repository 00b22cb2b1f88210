/* sim/outer.c - steps of integrators from outside.
 *
 * The integrator keeps its own state and history, and moves its state onto the closures itself if it can. Where forces jump, at events and where the projection onto the closures
 * has moved the state by more than the tolerances, it begins anew. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sim/sim_system.h"

static soa_status rate(void *context, double t, const double *y, double *out, soa_error *error)
{
    return sim_rate(context, t, y, out, error);
}

static soa_status project(void *context, double t, const double *y, double *out, soa_error *error)
{
    soa_sim *sim = context;
    soa_projection done;
    (void)t;
    memcpy(out, y, (size_t)sim->ny * sizeof *y);
    const soa_status status = soa_normalize(sim->model, out, error);
    return status == SOA_OK ? soa_closure_project_from(sim->closures, SOA_METRIC_MASS, sim->setup.shut, 1, sim->step.y0,
                                  out, out + sim->nq, &done, error)
                            : status;
}

soa_status sim_outer_make(soa_sim *sim, soa_error *error)
{
    const soa_sim_setup *s = &sim->setup;
    if (!soa_sim_method_outside(s->method)) {
        return SOA_OK;
    }
    if (!s->integrator) {
        return soa_fail(error, SOA_E_UNSUPPORTED, -1,
            "method %s needs an integrator from outside, which is not there; take rk45, rk853 or stiff",
            soa_sim_method_text(s->method));
    }
    const soa_integration task = { s->method, soa_sim_method_text(s->method), sim->ny, s->rtol, s->atol, s->largest,
        rate, sim->closures ? project : NULL, sim };
    return s->integrator->make(&task, &sim->outer, error);
}

soa_status sim_outer_step(soa_sim *sim, double most, soa_error *error)
{
    sim_step *s = &sim->step;
    const soa_integrator *integrator = sim->setup.integrator;
    double t = s->t;
    soa_status status = sim->f_ready ? SOA_OK : integrator->begin(sim->outer, s->t, s->y0, error);
    SOA_NEXT(status, integrator->step(sim->outer, s->t + most, &t, s->y1, error));
    s->h = t - s->t;
    return status;
}

bool sim_outer_agrees(const soa_sim *sim, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < sim->ny; i++) {
        const double off = (y[i] - sim->step.y1[i]) / (sim->setup.atol + sim->setup.rtol * fabs(y[i]));
        sum += off * off;
    }
    return sum <= (double)sim->ny;
}
