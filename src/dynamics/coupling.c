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

soa_status soa_check_coupled(const soa_workspace *w, const soa_call *call, int state, const double *q, soa_error *error)
{
    const soa_model *m = w->model;
    const soa_status status = soa_check_state(w, call, state, error);
    if (status != SOA_OK) {
        return status;
    }
    for (int i = 0; i < m->description.coupling.count; i++) {
        const soa_coupled *c = &m->coupled[i];
        const double value = soa_coupled_at(c, q).value;
        if (!(fabs(q[c->q] - value) <= 1e-6 * fmax(1.0, fabs(value)))) {
            const soa_link *link = soa_description_link(&m->description, m->body[c->body].rest->link);
            return soa_at_state(soa_fail(error, SOA_E_CONFIGURATION, c->body,
                                    "state %d: q[%d] = %g at link '%s', but its coupling gives %g; call soa_couple",
                                    w->first + state, c->q, q[c->q], link->name, value),
                w, state, error);
        }
    }
    return SOA_OK;
}

/* ---- G and its rate --------------------------------------------------------------------------- */

/* G and bias = (dG/dt) v_i at one state. */
static void fill_matrix(const soa_model *m, const double *q, const double *v, soa_state_out G, soa_state_out bias)
{
    const size_t row = (size_t)m->independent * G.step;
    for (int i = 0; i < m->nv; i++) {
        const int own = m->coupled ? m->column[i] : i;
        for (int j = 0; j < m->independent; j++) {
            G.at[(size_t)i * row + (size_t)j * G.step] = j == own ? 1.0 : 0.0;
        }
        if (bias.at) {
            bias.at[(size_t)i * bias.step] = 0.0;
        }
    }
    for (int i = 0; m->coupled && i < m->description.coupling.count; i++) {
        const soa_coupled *c = &m->coupled[i];
        const int root = m->root[c->v];
        if (root < 0) {
            continue;
        }
        const size_t column = (size_t)m->column[root] * G.step, to = (size_t)c->v, from = (size_t)c->from_v;
        const soa_taylor p = soa_coupled_at(c, q);
        const double g = G.at[from * row + column], rate = v ? g * v[root] : 0.0;
        G.at[to * row + column] = p.slope * g;
        if (bias.at) {
            bias.at[to * bias.step] = p.curvature * rate * rate + p.slope * bias.at[from * bias.step];
        }
    }
}

soa_status soa_coupling_matrix(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, double *G, double *bias, soa_error *error)
{
    soa_status status = soa_check_arguments(workspace, model, states, q, G, error);
    if (status != SOA_OK) {
        return status;
    }
    const size_t nv = (size_t)model->nv, size = nv * (size_t)model->independent;
    const soa_call call = {
        .step = (size_t)workspace->step, .q = { q, (size_t)model->nq }, .v = { v, nv }, .aliased = true
    };
    for (int s = 0; s < states; s++) {
        const double *q_s = soa_state_numbers(&call, call.q, s, model->nq, workspace->state);
        const double *v_s = soa_state_numbers(&call, call.v, s, model->nv, workspace->state + model->nq);
        const soa_state_out G_s = soa_state_out_of(workspace, G, size, s);
        const soa_state_out bias_s = soa_state_out_of(workspace, bias, nv, s);
        soa_error *to = status == SOA_OK ? error : NULL;
        soa_status checked = soa_check_coupled(workspace, &call, s, q_s, to);
        if (checked == SOA_OK) {
            fill_matrix(model, q_s, v_s, G_s, bias_s);
            checked = soa_check_result(workspace, (soa_result){ "G", SOA_NO_OUTPUT, false }, G_s, size, s, to);
        }
        if (checked == SOA_OK) {
            checked = soa_check_result(workspace, (soa_result){ "bias", SOA_PER_VELOCITY, true }, bias_s, nv, s, to);
        }
        if (checked != SOA_OK) {
            soa_spoil(G_s, size);
            soa_spoil(bias_s, nv);
        }
        status = status == SOA_OK ? checked : status;
    }
    return status;
}
