/* linear.c - the linear model of soa compute: derivatives, A B C D, and steps in time.
 *
 * The numbers of a state are dtau_dq, dtau_dv, A, B, C, D, Ad, Bd, one after another, each with room for its largest
 * size. A system has dtau_dq and dtau_dv of its independent velocities; with --minimal, A, B and C too. */
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "soa/linear.h"

/* Blocks of nv x nv numbers before each, and of all. */
enum { DTAU_DQ = 0, DTAU_DV = 1, A_AT = 2, B_AT = 6, C_AT = 8, D_AT = 14, AD_AT = 17, BD_AT = 21, BLOCKS = 23 };

size_t tool_linear_size(const tool_batch *b)
{
    return BLOCKS * (size_t)b->nv * (size_t)b->nv;
}

static double *block(const tool_batch *b, const double *own, int before)
{
    return (double *)own + (size_t)before * (size_t)b->nv * (size_t)b->nv;
}

/* Half as many rows as A has. */
static int order(const tool_batch *b, int state)
{
    return b->minimal ? tool_batch_dofs(b, state) : b->nv;
}

static void make_steps(const tool_batch *b, int state, double *own)
{
    const int n = 2 * order(b, state);
    soa_linear_workspace *room = NULL;
    if (b->step == 0.0) {
        return;
    }
    tool_must_for(b->first, state, soa_linear_workspace_new(n + b->nv, &TOOL_MEMORY, &room, tool_error()));
    tool_must_for(b->first, state,
        soa_linear_discrete(room, n, b->nv, block(b, own, A_AT), block(b, own, B_AT), b->step, block(b, own, AD_AT),
            block(b, own, BD_AT), tool_error()));
    soa_linear_workspace_free(room);
}

void tool_linear_run(tool_batch *b, soa_method method, double *out)
{
    (void)method;
    for (int s = 0; s < b->states; s++) {
        double *own = out + tool_linear_size(b) * (size_t)s;
        const double *q = b->q + (size_t)s * (size_t)b->nq;
        const size_t v = (size_t)s * (size_t)b->nv;
        double *const to[5] = { block(b, own, A_AT), block(b, own, B_AT), block(b, own, C_AT), block(b, own, DTAU_DQ),
            block(b, own, DTAU_DV) };
        memset(own, 0, tool_linear_size(b) * sizeof *own);
        tool_must_for(b->first, s,
            soa_inverse_dynamics_derivatives(
                b->model, b->workspace, 1, q, b->v + v, b->vdot + v, NULL, to[3], to[4], NULL, tool_error()));
        tool_must_for(b->first, s,
            soa_linear_model(b->model, b->workspace, 1, q, b->v + v, b->all + v, NULL, to[0], to[1], to[2],
                block(b, own, D_AT), tool_error()));
        tool_forces_linear(b, s, to);
        make_steps(b, s, own);
    }
}

void tool_linear_system(tool_batch *b, int state, double *own)
{
    tool_system *s = b->system;
    const double *tau = b->tau + (size_t)state * (size_t)b->nv, *vdot = b->vdot + (size_t)state * (size_t)b->nv;
    double *A = block(b, own, A_AT), *B = block(b, own, B_AT), *C = block(b, own, C_AT), *D = block(b, own, D_AT);
    memset(own, 0, tool_linear_size(b) * sizeof *own);
    tool_must_for(b->first, state,
        soa_system_inverse_dynamics_derivatives(
            s->system, vdot, block(b, own, DTAU_DQ), block(b, own, DTAU_DV), tool_error()));
    tool_must_for(b->first, state,
        b->minimal ? soa_system_minimal_model(s->system, tau, NULL, A, B, C, D, tool_error())
                   : soa_system_linear_model(s->system, tau, NULL, A, B, C, D, tool_error()));
    make_steps(b, state, own);
    tool_must_for(b->first, state,
        soa_system_forward_dynamics(s->system, tau, NULL, s->given, &s->state[state].solved, tool_error()));
    tool_system_keep(s, state, &s->fd);
}

/* Rows n .. of A or B from a column on, without the others. */
static json_t *lower_json(const double *value, int n, int columns, int first, int count)
{
    json_t *list = json_array();
    for (int i = n; i < 2 * n; i++) {
        json_add(list, json_numbers(value + (size_t)i * (size_t)columns + first, count));
    }
    return list;
}

void tool_linear_json(const tool_batch *b, int state, const double *value, json_t *object)
{
    const double *own = value + tool_linear_size(b) * (size_t)state;
    const int nv = b->nv, n = order(b, state), m = tool_batch_dofs(b, state);
    const double *A = block(b, own, A_AT), *B = block(b, own, B_AT);
    json_set(object, "dvdot_dq", lower_json(A, n, 2 * n, 0, n));
    json_set(object, "dvdot_dv", lower_json(A, n, 2 * n, n, n));
    json_set(object, "dvdot_dtau", lower_json(B, n, nv, 0, nv));
    json_set(object, "dtau_dq", tool_matrix_json(block(b, own, DTAU_DQ), m, m));
    json_set(object, "dtau_dv", tool_matrix_json(block(b, own, DTAU_DV), m, m));
    json_set(object, "A", tool_matrix_json(A, 2 * n, 2 * n));
    json_set(object, "B", tool_matrix_json(B, 2 * n, nv));
    json_set(object, "C", tool_matrix_json(block(b, own, C_AT), 3 * nv, 2 * n));
    json_set(object, "D", tool_matrix_json(block(b, own, D_AT), 3 * nv, nv));
    if (b->step > 0.0) {
        json_set(object, "step", json_number(b->step));
        json_set(object, "Ad", tool_matrix_json(block(b, own, AD_AT), 2 * n, 2 * n));
        json_set(object, "Bd", tool_matrix_json(block(b, own, BD_AT), 2 * n, nv));
    }
}

void tool_linear_put(const tool_call *call, const tool_batch *b, int state, const double *value)
{
    const double *own = value + tool_linear_size(b) * (size_t)state;
    const int n = 2 * order(b, state);
    tool_put_title(call, b->minimal ? "A: d/dt (dq; dv) = A (dq; dv) + B dtau, of the independent q and v"
                                    : "A: d/dt (dq; dv) = A (dq; dv) + B dtau");
    tool_put_matrix(call, block(b, own, A_AT), n, n);
    tool_put_title(call, "B");
    tool_put_matrix(call, block(b, own, B_AT), n, b->nv);
    if (b->step > 0.0) {
        tool_put_title(call, "Ad: x(t + step) = Ad x(t) + Bd dtau");
        tool_put_matrix(call, block(b, own, AD_AT), n, n);
        tool_put_title(call, "Bd");
        tool_put_matrix(call, block(b, own, BD_AT), n, b->nv);
    }
}
