/* sweep/ahead.kernel.h - large models: memory is asked for before the sweep comes there.
 *
 * Beyond some thousand bodies a sweep takes as long as the memory that it reads. A
 * body's constants are asked for FAR bodies ahead; when they are there, NEAR bodies
 * ahead, so is what the sweep will need of the body and of its parent. */
#ifndef SOA_SWEEP_AHEAD_KERNEL_H
#define SOA_SWEEP_AHEAD_KERNEL_H

#include "sweep/vars.kernel.h"

enum { LARGE_BODIES = 2048, FAR_AHEAD = 12, NEAR_AHEAD = 5 };

enum { HALF_A_BODY = 128, MOST_OF_A_BODY = 256 }; /* the parts of soa_body_data that sweeps need */

KERNEL bool is_large(const soa_model *m)
{
    return LANES == 1 && m->bodies > LARGE_BODIES;
}

KERNEL void fetch(const void *at, size_t size)
{
    for (size_t i = 0; i < size; i += 64) {
        __builtin_prefetch((const char *)at + i);
    }
}

/* The body NEAR ahead of k, whose constants are there; NULL: none. Those FAR ahead are asked for. */
KERNEL const soa_body_data *body_ahead(const soa_model *m, int k, int step, size_t size)
{
    const int far = k + step * FAR_AHEAD, near = k + step * NEAR_AHEAD;
    if (far >= 0 && far < m->bodies) {
        fetch(&m->body[far], size);
    }
    return near >= 0 && near < m->bodies ? &m->body[near] : NULL;
}

/* What joints of several dofs have besides. */
KERNEL void fetch_general(const vars *w, const soa_body_data *body, size_t k)
{
    if (!soa_is_screw(body)) {
        fetch(&w->X[k], sizeof *w->X);
        fetch(&w->H[body->v], (size_t)body->nv * sizeof *w->H);
    }
}

#define FETCH_PARENT(array, body)                         \
    if ((body)->parent >= 0) {                            \
        fetch(&(array)[(body)->parent], sizeof *(array)); \
    }

/* ---- forward dynamics ------------------------------------------------------------------ */

KERNEL void fetch_forward_outward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, 1, MOST_OF_A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body);
        FETCH_PARENT(w->V, body);
        fetch(&w->a[j], sizeof *w->a);
        fetch(&w->b[j], sizeof *w->b);
        if (!soa_is_screw(body)) {
            fetch(&body->at, sizeof body->at);
            fetch(body->rest, 64);
        }
        fetch_general(w, body, j);
    }
}

KERNEL void fetch_forward_inward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, -1, MOST_OF_A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body);
        FETCH_PARENT(w->b, body);
        fetch(&w->a[j], sizeof *w->a);
        fetch(&w->b[j], sizeof *w->b);
        fetch(&w->crossing[j], sizeof *w->crossing);
        fetch(&w->G[body->v], (size_t)body->nv * sizeof *w->G);
        fetch_general(w, body, j);
    }
}

KERNEL void fetch_forward_smoother(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, 1, HALF_A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body);
        FETCH_PARENT(w->alpha, body);
        fetch(&w->a[j], sizeof *w->a);
        fetch(&w->crossing[j], sizeof *w->crossing);
        fetch(&w->G[body->v], (size_t)body->nv * sizeof *w->G);
        fetch_general(w, body, j);
    }
}

/* ---- inverse dynamics ------------------------------------------------------------------- */

/* Where a random tree has something and a chain has nothing, the address is chosen, not the way: branches on
 * bodies still far away would be foretold badly. */
#define FETCH_IF(condition, at, size, else_at) fetch((condition) ? (const void *)(at) : (const void *)(else_at), size)

/* X and H* are in memory. */
KERNEL bool keeps_pose(const soa_body_data *body)
{
    return body->kind == SOA_JOINT_KINDS || body->kind == SOA_UNIVERSAL;
}

KERNEL void fetch_newton_outward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, 1, MOST_OF_A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body), p = (size_t)(body->parent < 0 ? 0 : body->parent);
        const bool kept = keeps_pose(body);
        fetch(&w->F[j], sizeof *w->F);
        fetch(&w->AV[p], sizeof *w->AV);
        FETCH_IF(body->leaf || !body->keeps, &w->F[j], sizeof *w->AV, &w->AV[j]);
        FETCH_IF(kept, &w->X[j], sizeof *w->X, &w->F[j]);
        FETCH_IF(kept, body->rest, 1, &w->F[j]);
        FETCH_IF(kept, &w->H[body->v], 2 * sizeof *w->H, &w->F[j]);
    }
}

KERNEL void fetch_newton_inward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, -1, HALF_A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body), p = (size_t)(body->parent < 0 ? 0 : body->parent);
        const bool kept = keeps_pose(body);
        fetch(&w->F[p], sizeof *w->F);
        fetch(&w->crossing[j], sizeof *w->crossing);
        FETCH_IF(kept, &w->X[j], sizeof *w->X, &w->F[j]);
        FETCH_IF(kept, &w->H[body->v], 2 * sizeof *w->H, &w->F[j]);
        FETCH_IF(body->kind == SOA_HELICAL || body->motor, &body->pitch, 1, &w->F[j]);
        FETCH_IF(body->motor, body->rest, 1, &w->F[j]);
        FETCH_IF(body->motor, &w->AV[p], sizeof *w->AV, &w->F[j]);
    }
}

#endif
