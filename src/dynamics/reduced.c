/* dynamics/reduced.c - the dynamics of a model with couplings, in its independent velocities.
 *
 *     v(d) = g v(r),  vdot(d) = g vdot(r) + h v(r)^2     d follows its root r (coupling.c)
 *     G* Mass G vdot_i = G* (T - C - Mass bias),  bias = (dG/dt) v_i */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "core/finite.h"
#include "dynamics/kernels.h"

/* Columns of G* Mass G made at a time: as many as there are lanes. */
enum { BLOCK = SOA_MAX_LANES };

/* ---- scratch ------------------------------------------------------------------------------- */

/* Vectors and matrices in soa_workspace.coupling. */
typedef struct scratch {
    double *g, *h; /* by velocity, see above */
    double *v, *a; /* velocities that fit together, accelerations */
    double *x, *y; /* BLOCK vectors and their products with Mass */
    double *A;     /* G* Mass G */
    double *b;     /* by independent velocity */
} scratch;

size_t soa_coupling_numbers(const soa_model *model)
{
    const size_t nv = (size_t)model->nv, m = (size_t)model->independent;
    if (!model->coupled || m > SOA_MAX_REDUCED) {
        return 0;
    }
    return (4 + 2 * BLOCK) * nv + m * m + m + 1;
}

static scratch scratch_of(const soa_workspace *w)
{
    const size_t nv = (size_t)w->model->nv, m = (size_t)w->model->independent;
    double *at = w->coupling;
    scratch s = { .g = at, .h = at + nv, .v = at + 2 * nv, .a = at + 3 * nv, .x = at + 4 * nv };
    s.y = s.x + BLOCK * nv;
    s.A = s.y + BLOCK * nv;
    s.b = s.A + m * m;
    return s;
}

/* g and h at q. */
static void chain_rule(const soa_model *m, const double *q, double *g, double *h)
{
    for (int i = 0; i < m->nv; i++) {
        g[i] = 1.0;
        h[i] = 0.0;
    }
    for (int i = 0; i < m->description.coupling.count; i++) {
        const soa_coupled *c = &m->coupled[i];
        const soa_taylor p = soa_coupled_at(c, q);
        const double g_from = c->from_v < 0 ? 0.0 : g[c->from_v], h_from = c->from_v < 0 ? 0.0 : h[c->from_v];
        g[c->v] = p.slope * g_from;
        h[c->v] = p.curvature * g_from * g_from + p.slope * h_from;
    }
}

/* ---- refusals ------------------------------------------------------------------------------- */

/* The call as a whole, before any state. */
static soa_status check_call(
    const soa_workspace *w, const soa_model *m, int states, const double *q, const double *result, soa_error *error)
{
    const soa_status status = soa_check_arguments(w, m, states, q, result, error);
    if (status != SOA_OK) {
        return status;
    }
    if (!w->coupling) {
        return soa_fail(error, SOA_E_LIMIT, -1, "%d independent velocities; couplings are reduced for at most %d",
            m->independent, SOA_MAX_REDUCED);
    }
    return SOA_OK;
}

static soa_call call_of(const soa_workspace *w, const double *q, const double *v, const double *T, const double *f)
{
    const size_t nv = (size_t)w->model->nv;
    return (soa_call){ .step = (size_t)w->step,
        .q = { q, (size_t)w->model->nq },
        .v = { v, nv },
        .u = { T, nv },
        .u_name = "T",
        .f = { f, 6 * (size_t)w->model->bodies } };
}

/* The inputs of one state, its numbers next to each other: in place or in soa_workspace.state. */
static soa_call state_of(const soa_workspace *w, const soa_call *call, int state)
{
    const soa_model *m = w->model;
    double *copy = w->state;
    soa_call one = *call;
    one.q.at = soa_state_numbers(call, call->q, state, m->nq, copy);
    one.v.at = soa_state_numbers(call, call->v, state, m->nv, copy + m->nq);
    one.u.at = soa_state_numbers(call, call->u, state, m->nv, copy + m->nq + m->nv);
    one.f.at = soa_state_numbers(call, call->f, state, 6 * m->bodies, copy + m->nq + 2 * m->nv);
    return one;
}

/* ---- G* Mass G ------------------------------------------------------------------------------------ */

/* y = G* x */
static void gather(const soa_model *m, const double *g, const double *x, double *y)
{
    for (int i = 0; i < m->independent; i++) {
        y[i] = 0.0;
    }
    for (int i = 0; i < m->nv; i++) {
        if (m->root[i] >= 0) {
            y[m->column[m->root[i]]] += g[i] * x[i];
        }
    }
}

/* Rows of A = G* Mass G from column `first` on: x = G e, y = Mass x, G* y. */
static void reduce_block(soa_workspace *w, const scratch *z, const double *q, int first, int count, double *A)
{
    const soa_model *m = w->model;
    const size_t nv = (size_t)m->nv, width = (size_t)m->independent;
    memset(z->x, 0, (size_t)count * nv * sizeof *z->x);
    for (int i = 0; i < m->nv; i++) {
        const int column = m->root[i] < 0 ? -1 : m->column[m->root[i]] - first;
        if (column >= 0 && column < count) {
            z->x[(size_t)column * nv + (size_t)i] = z->g[i];
        }
    }
    soa_call call = { .q = { q, 0 }, .u = { z->x, nv }, .y = { z->y, nv } };
    (void)soa_run_inside(w, SOA_KERNEL_mass_multiply, count, &call);
    for (int c = 0; c < count; c++) {
        gather(m, z->g, z->y + (size_t)c * nv, A + (size_t)(first + c) * width);
    }
}

/* A = G* Mass G at a q that has been checked, symmetric to the bit; g, h are made. */
static void reduce(soa_workspace *w, const scratch *z, const double *q, double *A)
{
    const soa_model *m = w->model;
    const size_t width = (size_t)m->independent;
    chain_rule(m, q, z->g, z->h);
    for (int first = 0; first < m->independent; first += BLOCK) {
        const int left = m->independent - first;
        reduce_block(w, z, q, first, left < BLOCK ? left : BLOCK, A);
    }
    for (size_t i = 0; i < width; i++) {
        for (size_t j = 0; j < i; j++) {
            A[j * width + i] = A[i * width + j];
        }
    }
}

soa_status soa_reduced_mass_matrix(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *mass, soa_error *error)
{
    if (!model || !model->coupled) {
        return soa_mass_matrix(model, workspace, states, q, mass, error);
    }
    soa_status status = check_call(workspace, model, states, q, mass, error);
    if (status != SOA_OK) {
        return status;
    }
    const size_t size = (size_t)model->independent * (size_t)model->independent;
    const soa_call call = call_of(workspace, q, NULL, NULL, NULL);
    const scratch z = scratch_of(workspace);
    for (int s = 0; s < states; s++) {
        const double *q_s = state_of(workspace, &call, s).q.at;
        const soa_state_out y = soa_state_out_of(workspace, mass, size, s);
        soa_error *to = status == SOA_OK ? error : NULL;
        soa_status checked = soa_check_coupled(workspace, &call, s, q_s, to);
        if (checked == SOA_OK) {
            reduce(workspace, &z, q_s, z.A);
            for (size_t i = 0; i < size; i++) {
                y.at[i * y.step] = z.A[i];
            }
            checked = soa_check_result(workspace, (soa_result){ "mass", SOA_NO_OUTPUT, false }, y, size, s, to);
        } else {
            soa_spoil(y, size);
        }
        status = status == SOA_OK ? checked : status;
    }
    return status;
}

/* ---- forward dynamics --------------------------------------------------------------------------------- */

/* v and a = (dG/dt) v_i that fit the couplings; v NULL: none. */
static void fit_velocities(const soa_model *m, const scratch *z, const double *v)
{
    for (int i = 0; i < m->nv; i++) {
        const double rate = m->root[i] < 0 || !v ? 0.0 : v[m->root[i]];
        z->v[i] = z->g[i] * rate;
        z->a[i] = z->h[i] * rate * rate;
    }
}

/* One state that has been checked; the row at which it is singular, or -1. */
static int reduced_state(soa_workspace *w, const soa_call *at, soa_state_out vdot)
{
    const soa_model *m = w->model;
    const scratch z = scratch_of(w);
    reduce(w, &z, at->q.at, z.A);
    fit_velocities(m, &z, at->v.at);
    soa_call bias = { .q = at->q, .v = { z.v, 0 }, .u = { z.a, 0 }, .f = at->f, .y = { z.x, (size_t)m->nv } };
    (void)soa_run_inside(w, SOA_KERNEL_inverse_dynamics, 1, &bias);
    for (int i = 0; i < m->nv; i++) {
        z.x[i] = (at->u.at ? at->u.at[i] : 0.0) - z.x[i];
    }
    gather(m, z.g, z.x, z.b);
    const size_t n = (size_t)m->independent;
    const bool finite = soa_all_finite(z.A, n * n) && soa_all_finite(z.b, n); /* if not, vdot is not and tells */
    const size_t rank = finite ? soa_cholesky(n, z.A, SOA_ROUNDED).rank : n;
    const int row = rank < n ? (int)rank : -1;
    if (row < 0) {
        soa_cholesky_solve(n, z.A, z.b);
    }
    for (int i = 0; i < m->nv; i++) {
        const double root = m->root[i] < 0 ? 0.0 : z.b[m->column[m->root[i]]];
        vdot.at[(size_t)i * vdot.step] = row < 0 && finite ? z.a[i] + z.g[i] * root : (double)NAN;
    }
    return row;
}

static soa_status fail_singular(const soa_workspace *w, int state, int row, soa_error *error)
{
    const soa_model *m = w->model;
    int i = 0;
    while (m->column[i] != row) {
        i++;
    }
    const int body = soa_body_of_number(m, i, false);
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    return soa_at_state(soa_fail(error, SOA_E_SINGULAR, body,
                            "state %d: the joint of link '%s' and those coupled to it move nothing that has inertia; "
                            "give a link mass or armature",
                            w->first + state, link->name),
        w, state, error);
}

soa_status soa_reduced_forward_dynamics(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *v, const double *T, const double *f, double *vdot, soa_error *error)
{
    if (!model || !model->coupled) {
        return soa_forward_dynamics(model, workspace, states, q, v, T, f, vdot, error);
    }
    soa_status status = check_call(workspace, model, states, q, vdot, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_call call = call_of(workspace, q, v, T, f);
    for (int s = 0; s < states; s++) {
        soa_error *to = status == SOA_OK ? error : NULL;
        const soa_state_out y = soa_state_out_of(workspace, vdot, (size_t)model->nv, s);
        const soa_call one = state_of(workspace, &call, s);
        soa_status done = soa_check_coupled(workspace, &call, s, one.q.at, to);
        if (done == SOA_OK) {
            const int row = reduced_state(workspace, &one, y);
            const soa_result result = { "vdot", SOA_PER_VELOCITY, false };
            done = row < 0 ? soa_check_result(workspace, result, y, (size_t)model->nv, s, to)
                           : fail_singular(workspace, s, row, to);
        } else {
            soa_spoil(y, (size_t)model->nv);
        }
        status = status == SOA_OK ? done : status;
    }
    return status;
}
