/* dynamics/coupling.c - joints that follow others: v = G v_i.
 *
 *     q(d) = p(q(e)),  v(d) = p' v(e),  vdot(d) = p' vdot(e) + p'' v(e)^2
 *
 * Along a chain of drivers to its root r, row d of G holds the product of the slopes
 * in the column of r and nothing else. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "dynamics/kernels.h"

/* ---- the polynomial of a coupling ---------------------------------------------------------- */

soa_taylor soa_coupled_at(const soa_coupled *c, const double *q)
{
    const double x = c->from_q < 0 ? 0.0 : q[c->from_q];
    soa_taylor p = { 0.0, 0.0, 0.0 };
    for (int i = SOA_COUPLING_TERMS - 1; i >= 0; i--) {
        p.curvature = p.curvature * x + 2.0 * p.slope;
        p.slope = p.slope * x + p.value;
        p.value = p.value * x + c->coefficient[i];
    }
    return p;
}

int soa_independent(const soa_model *model)
{
    return model->independent;
}

void soa_independent_velocities(const soa_model *model, int *velocity)
{
    int n = 0;
    for (int i = 0; i < model->nv; i++) {
        if (!model->coupled || model->column[i] >= 0) {
            velocity[n++] = i;
        }
    }
}

void soa_couple(const soa_model *model, double *q, double *v)
{
    for (int i = 0; model->coupled && i < model->description.coupling.count; i++) {
        const soa_coupled *c = &model->coupled[i];
        const soa_taylor p = soa_coupled_at(c, q);
        q[c->q] = p.value;
        if (v) {
            v[c->v] = c->from_v < 0 ? 0.0 : p.slope * v[c->from_v];
        }
    }
}

/* ---- refusals ------------------------------------------------------------------------------- */

soa_status soa_check_coupled(const soa_model *m, const soa_call *call, int state, soa_error *error)
{
    const soa_status status = soa_check_state(m, call, state, error);
    if (status != SOA_OK) {
        return status;
    }
    const double *q = call->q.at + (size_t)state * call->q.stride;
    for (int i = 0; i < m->description.coupling.count; i++) {
        const soa_coupled *c = &m->coupled[i];
        const double value = soa_coupled_at(c, q).value;
        if (!(fabs(q[c->q] - value) <= 1e-6 * fmax(1.0, fabs(value)))) {
            const soa_link *link = soa_description_link(&m->description, m->body[c->body].rest->link);
            soa_fail(error, SOA_E_CONFIGURATION, c->body,
                "state %d: q[%d] = %g at link '%s', but its coupling gives %g; call soa_couple", state, c->q, q[c->q],
                link->name, value);
            if (error) {
                error->state = state;
            }
            return SOA_E_CONFIGURATION;
        }
    }
    return SOA_OK;
}

/* The call as a whole, before any state. */
static soa_status check_call(const soa_workspace *w, const soa_model *m, int states, const double *q, soa_error *error)
{
    if (w->model != m || states < 0 || (states > 0 && m->nq > 0 && !q)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "the workspace is not of this model, the number of states is negative or q is missing");
    }
    return SOA_OK;
}

static void spoil(double *x, size_t n)
{
    for (size_t i = 0; x && i < n; i++) {
        x[i] = NAN;
    }
}

/* ---- G and its rate --------------------------------------------------------------------------- */

/* Of one state. */
static void fill_matrix(const soa_model *m, const double *q, const double *v, double *G, double *bias)
{
    const size_t width = (size_t)m->independent;
    memset(G, 0, (size_t)m->nv * width * sizeof *G);
    for (int i = 0; i < m->nv; i++) {
        const int column = m->coupled ? m->column[i] : i;
        if (column >= 0) {
            G[(size_t)i * width + (size_t)column] = 1.0;
        }
        if (bias) {
            bias[i] = 0.0;
        }
    }
    for (int i = 0; i < m->description.coupling.count; i++) {
        const soa_coupled *c = &m->coupled[i];
        const int root = m->root[c->v];
        if (root < 0) {
            continue;
        }
        const size_t column = (size_t)m->column[root];
        const soa_taylor p = soa_coupled_at(c, q);
        const double g = G[(size_t)c->from_v * width + column], rate = v ? g * v[root] : 0.0;
        G[(size_t)c->v * width + column] = p.slope * g;
        if (bias) {
            bias[c->v] = p.curvature * rate * rate + p.slope * bias[c->from_v];
        }
    }
}

soa_status soa_coupling_matrix(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *G, double *bias, soa_error *error)
{
    const size_t nv = (size_t)model->nv, size = nv * (size_t)model->independent;
    const soa_call call = { .q = { q, (size_t)model->nq }, .v = { v, nv } };
    soa_status status = check_call(workspace, model, states, q, error);
    if (status != SOA_OK) {
        return status;
    }
    for (int s = 0; s < states; s++) {
        const size_t i = (size_t)s;
        const soa_status checked = soa_check_coupled(model, &call, s, status == SOA_OK ? error : NULL);
        if (checked == SOA_OK) {
            fill_matrix(model, q + i * call.q.stride, v ? v + i * nv : NULL, G + i * size, bias ? bias + i * nv : NULL);
        } else {
            spoil(G + i * size, size);
            spoil(bias ? bias + i * nv : NULL, nv);
        }
        status = status == SOA_OK ? checked : status;
    }
    return status;
}
