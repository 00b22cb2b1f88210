/* dynamics/flexible_mass.kernel.h - the mass matrix of models with flexible links, and its inverse. */
#ifndef SOA_DYNAMICS_FLEXIBLE_MASS_KERNEL_H
#define SOA_DYNAMICS_FLEXIBLE_MASS_KERNEL_H

#include "dynamics/flexible_dynamics.kernel.h"

/* Row `row` of Mass, which is of body k, left of the diagonal: its force f on the locked system goes inward.  [CRB] */
static inline void mass_row(const soa_call *call, const vars *w, int k, int row, force f)
{
    const soa_model *m = call->model;
    const size_t begin = (size_t)row * (size_t)m->nv;
    force at = f;
    for (int j = k; j >= 0; j = m->body[j].parent) {
        const soa_body_data *body = &m->body[j];
        if (j != k && !is_modal(body)) {
            real T[SOA_JOINT_MAX_NV];
            joint_force(w, body, at, T);
            for (int i = 0; i < body->nv; i++) {
                out_put(call, call->y, begin + (size_t)(body->v + i), T[i]);
            }
        }
        at = carried_inward(w, m, j, at);
        if (j == k && body->geared) {
            at.n = vec3_add(at.n, vec3_set(body->rest->gear));
        }
        if (body->rest->node > 0) {
            const carrier on = seat_carrier(w, m, j, NULL);
            real e[SOA_MAX_MODES];
            row_zero((size_t)on.on->nv, e);
            node_forces(&on, at, e);
            for (size_t i = 0; i < (size_t)on.on->nv; i++) {
                out_put(call, call->y, begin + (size_t)on.on->v + i, e[i]);
            }
            at = node_inward(on.n, at);
        }
    }
}

/* What is right of the diagonal of an n x n matrix becomes what is left of it, in blocks, which fit the caches. */
static inline void mirror(const soa_call *call, size_t n)
{
    enum { BLOCK = 8 };
    const bool apart = LANES == 1 || call->whole || call->spacing == 1; /* states: or lanes side by side */
    const size_t spacing = apart ? 1 : call->spacing;
    for (int lane = 0; lane < (LANES == 1 ? 1 : call->count); lane++) {
        double *y = call->y.at + (size_t)lane * (apart ? call->y.stride : 1);
        for (size_t i = 0; i < n; i += BLOCK) {
            for (size_t j = 0; j <= i; j += BLOCK) {
                for (size_t r = i; r < n && r < i + BLOCK; r++) {
                    for (size_t c = j; c < r && c < j + BLOCK; c++) {
                        y[(c * n + r) * spacing] = y[(r * n + c) * spacing];
                    }
                }
            }
        }
    }
}

/* The rows of body k left of the diagonal, and its own block, from its composite inertia. */
static inline void body_rows(const soa_call *call, const vars *w, int k)
{
    const soa_model *m = call->model;
    const soa_body_data *body = &m->body[k];
    const bool modal = is_modal(body);
    const size_t v = (size_t)body->v, nv = (size_t)m->nv, rows = soa_modal_rows((size_t)body->nv);
    for (size_t c = 0; c < (size_t)body->nv; c++) {
        const force f =
            modal ? modal_force(w, body, c) : articulated_mul(*inertia_of(w, m, k), joint_column(w, body, (int)c));
        real T[SOA_JOINT_MAX_NV];
        if (!modal) {
            joint_force(w, body, f, T);
        }
        for (size_t i = 0; i <= c; i++) {
            const real own = modal ? modal_matrix(w, body)[i * rows + c] : i == c ? T[i] + body->armature : T[i];
            out_put(call, call->y, (v + c) * nv + v + i, own);
        }
        mass_row(call, w, k, (int)(v + c), f);
    }
}

static void flex_mass_matrix(soa_call *call)
{
    vars w = vars_of(call);
    const soa_model *m = call->model;
    w.whole = true;
    call_begin(call);
    flexible_positions(call, &w);
    out_zero(call, call->y, (size_t)m->nv * (size_t)m->nv);
    for (int k = m->bodies - 1; k >= 0; k--) { /* composite inertias: every joint and mode is locked */
        begin_inboard(call, &w, k, false);
        const articulated P = inertia_across(&w, m, k, *inertia_of(&w, m, k));
        inertia_inboard(&w, m, k, &P);
        if (is_modal(&m->body[k]) && m->body[k].nv > 0) {
            modes_composite(&w, m, k);
        }
        body_rows(call, &w, k);
    }
    mirror(call, (size_t)m->nv);
}

#if LANES == 1
static void flex_mass_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    const int nv = call->model->nv;
    call_begin(call);
    flexible_positions(call, &w);
    flexible_articulate(call, &w);
    for (int c = 0; c < nv; c++) {
        filter_begin(call, &w);
        for (int i = 0; i < nv; i++) {
            w.x[i] = i == c ? 1.0 : 0.0;
        }
        solve_x(call, &w);
        for (int i = 0; i < nv; i++) { /* symmetric to the bit: the upper half is that of earlier columns */
            call->y.at[(size_t)i * (size_t)nv + (size_t)c] =
                i < c ? call->y.at[(size_t)c * (size_t)nv + (size_t)i] : w.x[i];
        }
    }
}
#endif

#endif
