/* dynamics/wide.c - the constants of a model with its velocities side by side. */
#include <string.h>

#include "dynamics/kernels.h"

/* The bodies of the subtrees, and the last velocity in them. */
static void measure_subtrees(const soa_model *m, double *size, double *high)
{
    for (int k = m->bodies - 1; k >= 0; k--) {
        const soa_body_data *body = &m->body[k];
        const double end = (double)(body->v + body->nv);
        size[body->v] += 1.0;
        high[body->v] = high[body->v] > end ? high[body->v] : end;
        if (body->parent >= 0) {
            const int p = m->body[body->parent].v;
            size[p] += size[body->v];
            high[p] = high[p] > high[body->v] ? high[p] : high[body->v];
        }
    }
}

/* next: at a body, the number that its next child enters with. */
static void number_bodies(const soa_model *m, const double *size, double *wide, size_t stride, double *next)
{
    double *enter = wide + SOA_WIDE_ENTER * stride, *low = wide + SOA_WIDE_LOW * stride, root = 0.0;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int v = body->v, p = body->parent < 0 ? -1 : m->body[body->parent].v;
        double *from = p < 0 ? &root : &next[p];
        enter[v] = *from;
        *from += size[v];
        next[v] = enter[v] + 1.0;
        low[v] = p < 0 ? (double)v : low[p];
    }
}

void soa_wide_prepare(const soa_workspace *workspace)
{
    const soa_model *m = workspace->model;
    const size_t stride = soa_wide_stride(m);
    double *wide = workspace->wide;
    if (!wide) {
        return;
    }
    memset(wide, 0, soa_wide_numbers(m) * sizeof *wide);
    double *size = wide + SOA_WIDE_USED * stride;
    measure_subtrees(m, size, wide + SOA_WIDE_HIGH * stride);
    number_bodies(m, size, wide, stride, size + stride);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        double *at = wide + body->v;
        for (size_t i = 0; i < 10; i++) {
            at[(SOA_WIDE_INERTIA + i) * stride] = body->inertia[i];
        }
        at[SOA_WIDE_LEAVE * stride] = at[SOA_WIDE_ENTER * stride] + size[body->v];
        for (int i = 1; i < body->nv; i++) {
            for (size_t a = SOA_WIDE_ENTER; a < SOA_WIDE_USED; a++) {
                at[a * stride + (size_t)i] = at[a * stride];
            }
        }
    }
    for (size_t i = (size_t)m->nv; i < stride; i++) {
        wide[SOA_WIDE_ENTER * stride + i] = -1.0; /* in no subtree */
    }
    memset(size, 0, 2 * stride * sizeof *size);
}
