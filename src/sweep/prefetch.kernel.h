/* sweep/prefetch.kernel.h - large models: memory is asked for before the sweep comes there.
 *
 * Beyond some thousand bodies a sweep takes as long as the memory that it reads. A
 * body's constants are asked for FAR bodies ahead; when they are there, NEAR bodies
 * ahead, so is what the sweep will need of the body and of its parent. */
#ifndef SOA_SWEEP_PREFETCH_KERNEL_H
#define SOA_SWEEP_PREFETCH_KERNEL_H

#include "sweep/vars.kernel.h"

enum { FAR_AHEAD = 12, NEAR_AHEAD = 5 };

/* The parts of soa_body_data that sweeps need. */
enum { HALF_A_BODY = sizeof(soa_body_data) / 2, A_BODY = sizeof(soa_body_data) };

KERNEL bool is_large(const soa_model *m)
{
    return LANES == 1 && m->bodies > SOA_LARGE_BODIES;
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
    const soa_body_data *body = body_ahead(m, k, 1, A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body);
        FETCH_PARENT(w->V, body);
        fetch(&w->a[j], sizeof *w->a);
        fetch(&w->b[j], sizeof *w->b);
        if (!soa_is_screw(body)) {
            fetch(body->rest, 1);
        }
        fetch_general(w, body, j);
    }
}

KERNEL void fetch_forward_inward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, -1, A_BODY);
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

/* Models with joints of many kinds ask for the rest in newton_mixed.kernel.h. */

KERNEL void fetch_newton_outward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, 1, A_BODY);
    if (body) {
        FETCH_PARENT(w->AV, body);
        fetch(&w->F[body - m->body], sizeof *w->F);
    }
}

KERNEL void fetch_newton_inward(const soa_model *m, const vars *w, int k)
{
    const soa_body_data *body = body_ahead(m, k, -1, HALF_A_BODY);
    if (body) {
        const size_t j = (size_t)(body - m->body);
        FETCH_PARENT(w->F, body);
        fetch(&w->F[j], sizeof *w->F);
        fetch(&w->crossing[j], sizeof *w->crossing);
    }
}

/* ---- the same by blocks: while one is visited, the next is asked for, into the second cache ------------ */

KERNEL void fetch_later(const void *at, size_t size)
{
    for (size_t i = 0; i < size; i += 64) {
        __builtin_prefetch((const char *)at + i, 0, 2);
    }
}

/* What reversed joints need besides, when the constants are there; they are the last of a block. */
KERNEL void fetch_reversed(const soa_model *m, const vars *w, int first, int end)
{
    for (int i = end - 1; i >= first && m->body[m->order[i]].kind == SOA_JOINT_KINDS; i--) {
        const soa_body_data *body = &m->body[m->order[i]];
        fetch(body->rest, 1);
        fetch(&w->X[m->order[i]], sizeof *w->X);
        fetch(&w->H[body->v], 2 * sizeof *w->H);
    }
}

/* What rotors and reversed joints need besides on the way inward. */
KERNEL void fetch_few(const soa_model *m, const vars *w, int first, int end)
{
    for (int k = first; k < end; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->kind == SOA_JOINT_KINDS || body->geared) {
            fetch(body->rest, 1);
            fetch(&w->X[k], sizeof *w->X);
            fetch(&w->H[body->v], 2 * sizeof *w->H);
            FETCH_PARENT(w->AV, body);
        }
    }
}

KERNEL void fetch_block_outward(const soa_model *m, const vars *w, int k)
{
    const int far = k + SOA_BLOCK_BODIES;
    if (far < m->bodies) {
        fetch_later(&m->body[far], A_BODY);
        fetch_later(&w->F[far], sizeof *w->F);
    }
}

KERNEL void fetch_block_inward(const soa_model *m, const vars *w, int k)
{
    const int far = k - SOA_BLOCK_BODIES;
    if (far >= 0) {
        fetch_later(&m->body[far], A_BODY);
        fetch_later(&w->F[far], sizeof *w->F);
        fetch_later(&w->crossing[far], sizeof *w->crossing);
    }
}

#endif
