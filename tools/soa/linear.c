/* linear.c - the linear model of soa compute: derivatives, A B C D, and steps in time.
 *
 * The values of a batch are one block after another, each with all states:
 * dtau_dq, dtau_dv, A, B, C, D, Ad, Bd. */
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "soa/linear.h"
#include "soa/sens.h"

/* Blocks of nv x nv numbers before each, and of all. */
enum { DTAU_DQ = 0, DTAU_DV = 1, A_AT = 2, B_AT = 6, C_AT = 8, D_AT = 14, AD_AT = 17, BD_AT = 21, BLOCKS = 23 };

size_t tool_linear_size(const tool_batch *b)
{
    return BLOCKS * (size_t)b->nv * (size_t)b->nv;
}

static size_t square(const tool_batch *b)
{
    return (size_t)b->nv * (size_t)b->nv;
}

static double *block(const tool_batch *b, double *value, int before)
{
    return value + (size_t)before * square(b) * (size_t)b->states;
}

/* Of one state, a block that is so many squares large. */
static const double *of_state(const tool_batch *b, const double *value, int before, int squares, int state)
{
    return value + square(b) * ((size_t)before * (size_t)b->states + (size_t)squares * (size_t)state);
}

static soa_status make_steps(const tool_batch *b, double *value, soa_error *error)
{
    const int n = 2 * b->nv;
    double *work = malloc((soa_discrete_work(n, b->nv) + 1) * sizeof *work);
    soa_status status = work != NULL ? SOA_OK : SOA_E_MEMORY;
    if (work == NULL) {
        soa_error_clear(error);
        snprintf(error->text, sizeof error->text, "out of memory");
    }
    for (int s = 0; s < b->states && status == SOA_OK; s++) {
        const size_t at = square(b) * (size_t)s;
        status = soa_discrete(n, b->nv, block(b, value, A_AT) + 4 * at, block(b, value, B_AT) + 2 * at, b->step,
            block(b, value, AD_AT) + 4 * at, block(b, value, BD_AT) + 2 * at, work, error);
    }
    free(work);
    return status;
}

soa_status tool_linear_run(tool_batch *b, soa_method method, double *out, soa_error *error)
{
    (void)method;
    soa_status status = soa_inverse_dynamics_derivatives(b->model, b->workspace, b->states, b->q, b->v, b->vdot, NULL,
        block(b, out, DTAU_DQ), block(b, out, DTAU_DV), NULL, error);
    if (status == SOA_OK) {
        const tool_linear_model m = { block(b, out, A_AT), block(b, out, B_AT), block(b, out, C_AT),
            block(b, out, D_AT) };
        status = b->closed != NULL ? tool_closed_linear(b->closed, b->states, b->q, b->v, b->tau, &m, error)
                                   : soa_linear_model(b->model, b->workspace, b->states, b->q, b->v, b->tau, NULL, m.A,
                                         m.B, m.C, m.D, error);
    }
    if (b->step > 0.0) {
        return status == SOA_OK ? make_steps(b, out, error) : status;
    }
    memset(block(b, out, AD_AT), 0, (BLOCKS - AD_AT) * square(b) * (size_t)b->states * sizeof *out);
    return status;
}

/* Rows nv.. of A or B from a column on, without the others. */
static json_t *lower_json(const double *value, int nv, int columns, int first)
{
    json_t *list = json_array();
    for (int i = nv; list != NULL && i < 2 * nv; i++) {
        if (json_array_append_new(list, json_numbers(value + (size_t)i * (size_t)columns + first, nv)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

void tool_linear_json(const tool_batch *b, int state, const double *value, json_t **object)
{
    const int n = b->nv;
    const double *A = of_state(b, value, A_AT, 4, state), *B = of_state(b, value, B_AT, 2, state);
    json_set(object, "dvdot_dq", lower_json(A, n, 2 * n, 0));
    json_set(object, "dvdot_dv", lower_json(A, n, 2 * n, n));
    json_set(object, "dvdot_dtau", lower_json(B, n, n, 0));
    json_set(object, "dtau_dq", tool_matrix_json(of_state(b, value, DTAU_DQ, 1, state), n, n));
    json_set(object, "dtau_dv", tool_matrix_json(of_state(b, value, DTAU_DV, 1, state), n, n));
    json_set(object, "A", tool_matrix_json(A, 2 * n, 2 * n));
    json_set(object, "B", tool_matrix_json(B, 2 * n, n));
    json_set(object, "C", tool_matrix_json(of_state(b, value, C_AT, 6, state), 3 * n, 2 * n));
    json_set(object, "D", tool_matrix_json(of_state(b, value, D_AT, 3, state), 3 * n, n));
    if (b->step > 0.0) {
        json_set(object, "step", json_number(b->step));
        json_set(object, "Ad", tool_matrix_json(of_state(b, value, AD_AT, 4, state), 2 * n, 2 * n));
        json_set(object, "Bd", tool_matrix_json(of_state(b, value, BD_AT, 2, state), 2 * n, n));
    }
}

void tool_linear_put(const tool_call *call, const tool_batch *b, int state, const double *value)
{
    const int n = b->nv;
    tool_put_title(call, "A: d/dt (dq; dv) = A (dq; dv) + B dtau");
    tool_put_matrix(call, of_state(b, value, A_AT, 4, state), 2 * n, 2 * n);
    tool_put_title(call, "B");
    tool_put_matrix(call, of_state(b, value, B_AT, 2, state), 2 * n, n);
    if (b->step > 0.0) {
        tool_put_title(call, "Ad: x(t + step) = Ad x(t) + Bd dtau");
        tool_put_matrix(call, of_state(b, value, AD_AT, 4, state), 2 * n, 2 * n);
        tool_put_title(call, "Bd");
        tool_put_matrix(call, of_state(b, value, BD_AT, 2, state), 2 * n, n);
    }
}
