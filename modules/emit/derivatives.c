/* emit/derivatives.c - derivatives of traced algorithms, on the tape. */
#include "emit/job.h"
#include "soa/parameters.h"

/* How q moves along one velocity; or one input of another array alone. */
typedef struct direction {
    int array, i;
    const double *rate;
} direction;

static double along(void *context, int array, int i)
{
    const direction *d = context;
    if (array != d->array) {
        return 0.0;
    }
    return d->rate != NULL ? d->rate[i] : i == d->i ? 1.0 : 0.0;
}

/* The derivatives of n values, `stride` apart; they may stand in the place of the values. */
static bool derive_into(emit_job *j, int n, const double *value, direction d, double *to, int stride)
{
    double *column = malloc(((size_t)n + 1) * sizeof *column);
    const bool good = column != NULL && tape_derive(&j->t, n, value, along, &d, column);
    for (int i = 0; good && i < n; i++) {
        to[i * stride] = column[i];
    }
    free(column);
    return good;
}

bool emit_derive_input(emit_job *j, int n, const double *value, int array, int i, double *to, int stride)
{
    return derive_into(j, n, value, (direction){ array, i, NULL }, to, stride);
}

/* dq/dt at velocities v; modes are their own coordinates. */
static void put_rates(emit_job *j, const double *v, double *rate)
{
    for (int k = 0; k < j->model->bodies; k++) {
        const soa_body_data *body = &j->model->body[k];
        if (body->joint_class == SOA_CLASS_MODAL) {
            memcpy(rate + body->q, v + body->v, body->nv * sizeof *rate);
        } else {
            trace_rates(&j->t, body->rest->shape.kind, j->in[IN_Q] + body->q, v + body->v, rate + body->q);
        }
    }
}

bool emit_derive_in_time(emit_job *j, int n, const double *value, const double *v, double *to)
{
    double *rate = calloc((size_t)j->model->nq + 1, sizeof *rate);
    if (rate != NULL) {
        put_rates(j, v, rate);
    }
    const bool good = rate != NULL && derive_into(j, n, value, (direction){ IN_Q, 0, rate }, to, 1);
    free(rate);
    return good;
}

bool emit_derive(emit_job *j, int n, const double *value, int velocity, double *to, int stride)
{
    const int nq = j->model->nq, nv = j->model->nv;
    double *rate = calloc((size_t)(nq + nv) + 1, sizeof *rate), *unit = rate + nq;
    if (rate != NULL) {
        unit[velocity] = 1.0;
        put_rates(j, unit, rate);
    }
    const bool good = rate != NULL && derive_into(j, n, value, (direction){ IN_Q, 0, rate }, to, stride);
    free(rate);
    return good;
}

/* dT/dq and dT/dv of inverse dynamics, nv x nv each. */
static bool derive_id(emit_job *j, const double *tau, double *dq, double *dv)
{
    const int nv = j->model->nv;
    bool good = true;
    for (int i = 0; good && i < nv; i++) {
        good = emit_derive(j, nv, tau, i, dq + i, nv) && emit_derive_input(j, nv, tau, IN_V, i, dv + i, nv);
    }
    return good;
}

bool trace_id_derivatives(emit_job *j)
{
    const int nv = j->model->nv;
    double *dq = emit_output(j, "dtau_dq", nv * nv), *dv = emit_output(j, "dtau_dv", nv * nv);
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    const bool ready = emit_regroup(j);
    soa_call call = emit_call(j);
    call.y.at = tau;
    const bool good = ready && dq != NULL && dv != NULL && tau != NULL &&
                      trace_kernel(&j->t, SOA_KERNEL_inverse_dynamics, &call) && derive_id(j, tau, dq, dv);
    free(tau);
    return good;
}

/* dvdot = -Mass^-1 dT, T the inverse dynamics at vdot; third input: tau. */
bool trace_fd_derivatives(emit_job *j)
{
    const int nv = j->model->nv, n = nv * nv;
    double *vdot = emit_output(j, "vdot", nv), *dq = emit_output(j, "dvdot_dq", n), *dv = emit_output(j, "dvdot_dv", n),
           *dtau = emit_output(j, "dvdot_dtau", n);
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    bool good = vdot && dq && dv && dtau && tau && emit_regroup(j);
    soa_call call = emit_call(j);
    call.y.at = tau;
    good = good && trace_kernel(&j->t, SOA_KERNEL_inverse_dynamics, &call) && derive_id(j, tau, dq, dv);
    call = emit_call(j);
    call.y.at = vdot;
    good = good && trace_kernel(&j->t, SOA_KERNEL_forward_dynamics, &call);
    double *const both[] = { dq, dv };
    for (int i = 0; good && i < 2; i++) {
        good = tape_substitute(&j->t, n, both[i], IN_U, vdot);
        for (int k = 0; good && k < n; k++) {
            both[i][k] = tape_apply(&j->t, TAPE_NEG, both[i][k], 0.0, 0.0);
        }
        good = good && emit_solve_columns(j, nv, both[i]);
    }
    free(tau);
    return good && emit_mass_inverse(j, dtau);
}

/* ---- regressor ------------------------------------------------------------------------------------ */

enum { IN_PARAMETERS = EMIT_ARRAYS };

/* A model whose inertias are made of ten inputs per link: of flexible ones those when they are not deformed. No body is swept as
 * one without mass. */
static bool symbolic_inertias(emit_job *j, soa_model *m)
{
    const size_t n = (size_t)m->bodies;
    m->body = malloc((n + 1) * sizeof *m->body);
    m->rest = malloc((n + 1) * sizeof *m->rest);
    if (m->body == NULL || m->rest == NULL) {
        return false;
    }
    memcpy(m->body, j->model->body, n * sizeof *m->body);
    for (size_t k = 0; k < n; k++) {
        m->rest[k] = *m->body[k].rest;
        m->rest[k].massless = false;
        m->body[k].rest = &m->rest[k];
        memset(m->body[k].inertia, 0, sizeof m->body[k].inertia);
    }
    for (int link = 0; link < m->description.link.count; link++) {
        const int k = m->place[link].body;
        double pi[SOA_PARAMETERS], seen[SOA_PARAMETERS];
        for (int i = 0; i < SOA_PARAMETERS; i++) {
            pi[i] = tape_input(&j->t, IN_PARAMETERS, SOA_PARAMETERS * link + i);
        }
        trace_inertia(&j->t, &m->place[link].at, pi, seen);
        for (int i = 0; k >= 0 && i < SOA_PARAMETERS; i++) {
            double *to = &m->body[k].inertia[i];
            *to = tape_apply(&j->t, TAPE_ADD, *to, seen[i], 0.0);
        }
    }
    return true;
}

bool trace_regressor(emit_job *j)
{
    const int nv = j->model->nv, n = SOA_PARAMETERS * j->model->description.link.count;
    soa_model m = *j->model;
    double *Y = emit_output(j, "regressor", nv * n), *tau = calloc((size_t)nv + 1, sizeof *tau);
    bool good = Y != NULL && tau != NULL && symbolic_inertias(j, &m);
    soa_call call = emit_call(j);
    call.model = &m;
    call.y.at = tau;
    good = good && trace_kernel(&j->t, SOA_KERNEL_inverse_dynamics, &call);
    for (int i = 0; good && i < n; i++) {
        good = emit_derive_input(j, nv, tau, IN_PARAMETERS, i, Y + i, n);
    }
    free(m.body != j->model->body ? m.body : NULL);
    free(m.rest != j->model->rest ? m.rest : NULL);
    free(tau);
    return good;
}
