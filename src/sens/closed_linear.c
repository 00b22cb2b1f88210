/* sens/closed_linear.c - the linear model of a closed system.  [LIN] */
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "sens/turning.h"
#include "soa/linear.h"

/* A, B and, where they are not NULL, C and D at one state. */
static soa_status model_at(
    soa_closures *set, const soa_closed_input *in, double *A, double *B, double *C, double *D, soa_error *error)
{
    const size_t n = (size_t)set->nv, square = n * n;
    double *own = set->scratch.derivatives; /* NULL is refused with the derivatives */
    const soa_closed_derivatives by = {
        .vdot_q = own, .vdot_v = own ? own + square : NULL, .vdot_T = own ? own + 2 * square : NULL
    };
    const soa_status status = soa_closed_forward_dynamics_derivatives(set, 1, in->q, in->v, in->T, in->f, &by, error);
    if (status != SOA_OK || !own) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(A + (n + i) * 2 * n, by.vdot_q + i * n, n * sizeof *A);
        memcpy(A + (n + i) * 2 * n + n, by.vdot_v + i * n, n * sizeof *A);
    }
    memcpy(B + square, by.vdot_T, square * sizeof *B);
    for (int i = 0; i < set->systems; i++) {
        const soa_part *part = &set->part[i];
        linear_upper(part->model, in->v ? in->v + part->v : NULL, (size_t)part->v, n, 1, A, B);
    }
    linear_outputs(n, 1, A, B, C, D);
    return SOA_OK;
}

soa_status soa_closed_linear_model(soa_closures *set, int states, const double *q, const double *v, const double *T,
    const double *f, double *A, double *B, double *C, double *D, soa_error *error)
{
    if (!set || !A || !B) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "a linear model of a closed system needs the set and room for A and B");
    }
    const int square = set->nv * set->nv;
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v, .T = T, .f = f }, error);
    while (soa_each_next(&each)) {
        const int s = each.state;
        const soa_closed_result y[] = { { "A", soa_result_at(A, 4 * square, s), 4 * (size_t)square, SOA_IN_ALL },
            { "B", soa_result_at(B, 2 * square, s), 2 * (size_t)square, SOA_IN_ALL },
            { "C", soa_result_at(C, 6 * square, s), 6 * (size_t)square, SOA_IN_ALL },
            { "D", soa_result_at(D, 3 * square, s), 3 * (size_t)square, SOA_IN_ALL } };
        const soa_status status = model_at(set, &each.in, y[0].at, y[1].at, y[2].at, y[3].at, each.error);
        soa_each_done(&each, soa_closed_done(set, status, 4, y, each.error));
    }
    return each.status;
}
