/* dynamics/fast.kernel.h - forward dynamics in the fewest operations: the three sweeps of [FD4].
 *
 * The motion of the body before stays at hand in outward sweeps: it mostly is that of the parent. */
#ifndef SOA_DYNAMICS_FAST_KERNEL_H
#define SOA_DYNAMICS_FAST_KERNEL_H

#include "dynamics/forward.kernel.h"
#include "dynamics/forward_steps.kernel.h"
#include "sweep/prefetch.kernel.h"

/* V, a, b of all bodies; large: memory is asked for ahead. */
KERNEL void forward_outward_over(const soa_call *call, const vars *w, const bool large)
{
    const soa_model *m = call->model;
    motion V = motion_zero();
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        if (large) {
            crossings_begin_at(call, w, k);
            fetch_forward_outward(m, w, k);
        }
        if (!is_plain(&m->body[k])) {
            (is_free_root(&m->body[k]) ? free_root_velocity : any_velocity)(call, w, k);
            V = w->V[k];
            continue;
        }
        if (p != k - 1 && p >= 0) {
            V = w->V[p];
        }
        V = plain_velocity(call, w, k, V);
    }
}

static inline void forward_outward_sweep(const soa_call *call, const vars *w)
{
    if (is_large(call->model)) {
        forward_outward_over(call, w, true);
    } else {
        forward_outward_over(call, w, false);
    }
}

/* P, D, G, nu of all bodies. */
static inline void forward_inward_sweep(soa_call *call, const vars *w)
{
    const bool large = is_large(call->model);
    for (int k = call->model->bodies - 1; k >= 0; k--) {
        if (large) {
            fetch_forward_inward(call->model, w, k);
        }
        inward_step(call, w, k);
    }
}

/* betadot, alpha of all bodies. */
KERNEL real forward_smoother_over(const soa_call *call, const vars *w, motion base, const bool large)
{
    const soa_model *m = call->model;
    motion alpha = base;
    real taint = real_set(0.0);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int p = body->parent;
        if (large) {
            fetch_forward_smoother(m, w, k);
        }
        if (!is_plain(body)) {
            (is_free_root(body) ? free_root_smoother : any_smoother)(call, w, k, p < 0 ? &base : &w->alpha[p]);
            for (int i = 0; call->y.at && i < body->nv; i++) {
                const real y = y_of(call, w)[body->v + i];
                taint = taint + (y - y);
            }
            alpha = w->alpha[k];
            continue;
        }
        if (p != k - 1) {
            alpha = p < 0 ? base : w->alpha[p];
        }
        alpha = plain_smoother(call, w, k, alpha, &taint);
    }
    return taint;
}

/* Returns what tells if y is finite. */
static inline real forward_smoother_sweep(const soa_call *call, const vars *w, motion base)
{
    return is_large(call->model) ? forward_smoother_over(call, w, base, true)
                                 : forward_smoother_over(call, w, base, false);
}

/* ---- forward dynamics --------------------------------------------------------------------------------- */

/* q, v (or none), u = T (or none), f (or none); y = betadot. Without y it leaves V and alpha. */
static void forward_dynamics(soa_call *call)
{
    vars room;
    const vars *w = vars_at(call, &room);
    call_begin(call);
    if (call->f.at) { /* external forces are given in world axes */
        position_sweep(call, w);
        placement_sweep(call, w);
    }
    if (!is_large(call->model)) {
        crossings_begin(call, w);
    }
    forward_outward_sweep(call, w);
    forward_inward_sweep(call, w);
    real_store(call->taint, forward_smoother_sweep(call, w, base_acceleration(call)));
    if (call->y.at) {
        scatter_y(call, y_of(call, w));
    }
}

#endif
