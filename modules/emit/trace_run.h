/* emit/trace_run.h - one call of a kernel on a tape; of the units that trace, after the kernels. */
#ifndef SOA_EMIT_TRACE_RUN_H
#define SOA_EMIT_TRACE_RUN_H

#include "emit/trace.h"

/* The kernels of dynamics/ for models with flexible links (trace_flexible.cc), as trace_kernel. */
bool trace_flexible(tape *t, soa_kernel_id kernel, const soa_call *call);

/* n values of an input in every lane; n 0: there are none. */
static soa_in spread(const double *from, int n, double *&to)
{
    const soa_in in = { from != NULL ? to : NULL, 0 };
    for (int i = 0; from != NULL && i < n; i++) {
        *to++ = from[i];
        *to++ = from[i];
    }
    return in;
}

static int inputs_of(const soa_model *m, int points)
{
    return m->nq + 3 * m->nv + 6 * m->bodies + 6 * points;
}

static bool run_on_tape(tape *t, soa_kernel *kernel, const soa_call *given)
{
    const soa_model *m = given->model;
    vars place;
    const size_t header = vars_header(), size = header + vars_place(m, given->points, NULL, &place);
    char *work = (char *)aligned_alloc(SOA_ALIGNMENT, size);
    double *in = (double *)malloc(LANES * (size_t)(inputs_of(m, given->points) + 1) * sizeof *in), *to = in;
    if (work == NULL || in == NULL) {
        free(work);
        free(in);
        t->full = true;
        return false;
    }
    memset(work, 0, size);
    vars_place(m, given->points, work + header, (vars *)work);
    soa_call call = *given;
    call.work = work;
    call.prepared = true;
    call.count = 1;
    call.spacing = 1;
    call.q = spread(given->q.at, m->nq, to);
    call.v = spread(given->v.at, m->nv, to);
    call.u = spread(given->u.at, m->nv, to);
    call.x = spread(given->x.at, m->nv, to);
    call.f = spread(given->f.at, 6 * m->bodies, to);
    call.g = spread(given->g.at, 6 * given->points, to);
    tracing = t;
    kernel(&call);
    tracing = NULL;
    free(work);
    free(in);
    return !t->full;
}

#endif
