/* sweep/flexible_inertia.kernel.h - the inertia of a flexible link at its modal coordinates, and its forces of velocity. */
#ifndef SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H
#define SOA_SWEEP_FLEXIBLE_INERTIA_KERNEL_H

#include "sweep/flexible_node.kernel.h"

/* ---- modal inertia ------------------------------------------------------------------------------ */

#if LANES > 1
/* `rows` (at most 4) numbers of y += A x. */
KERNEL void table_rows(size_t m, const double *A, const real *x, real *y, const int rows)
{
    const size_t step = soa_modal_step(m);
    real sum[4];
    for (int r = 0; r < rows; r++) {
        sum[r] = y[r];
    }
    for (size_t j = 0; j < m; j++) {
        for (int r = 0; r < rows; r++) {
            sum[r] = real_fma(x[j], real_set(A[j * step + (size_t)r]), sum[r]);
        }
    }
    for (int r = 0; r < rows; r++) {
        y[r] = sum[r];
    }
}
#endif

/* y += A x, A a matrix of soa_modal_parts; y has room for SOA_MAX_MODES. One state has four rows in a vector. */
static inline void table_multiply_add(size_t m, const double *A, const real *x, real *y)
{
#if LANES == 1
    const size_t step = soa_modal_step(m);
    for (size_t i = 0; i < step; i += 4) {
        quad sum, column;
        memcpy(&sum, y + i, sizeof sum);
        for (size_t j = 0; j < m; j++) {
            memcpy(&column, A + j * step + i, sizeof column);
            sum = quad_fma(quad_all(x + j), column, sum);
        }
        memcpy(y + i, &sum, sizeof sum);
    }
#else
    size_t i = 0;
    for (; i + 4 <= m; i += 4) {
        table_rows(m, A + i, x, y + i, 4);
    }
    for (; i + 2 <= m; i += 2) {
        table_rows(m, A + i, x, y + i, 2);
    }
    if (i < m) {
        table_rows(m, A + i, x, y + i, 1);
    }
#endif
}

KERNEL real *component(vec3 *v, int e)
{
    return e == 0 ? &v->x : e == 1 ? &v->y : &v->z;
}

KERNEL real *part_of_force(force *f, int part)
{
    return part < 3 ? component(&f->n, part) : component(&f->f, part - 3);
}

KERNEL sym3 sym3_of(const real J[6])
{
    return (sym3){ J[0], J[1], J[2], J[3], J[4], J[5] };
}

/* er of each mode, and the first moment. */
static inline void modal_first(const soa_modal *s, const real *eta, force *er, vec3 *h)
{
    const size_t m = (size_t)s->modes;
    for (size_t i = 0; i < m; i++) {
        er[i] = (force){ vec3_set(s->en + 3 * i), vec3_set(s->ef + 3 * i) };
    }
    for (int c = 0; c < s->linear.count; c++) {
        real y[SOA_MAX_MODES];
        const int part = s->linear.part[c];
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = i < m ? *part_of_force(&er[i], part) : real_set(0.0);
        }
        table_multiply_add(m, s->linear.x[c], eta, y);
        for (size_t i = 0; i < m; i++) {
            *part_of_force(&er[i], part) = y[i];
        }
    }
    for (size_t i = 0; i < m; i++) {
        *h = vec3_scale_add(0.5 * eta[i], vec3_add(vec3_set(s->ef + 3 * i), er[i].f), *h);
    }
}

/* J1, by component, and J += sum eta(i) (second1(i) + J1(i)) / 2. */
static inline void modal_second(const soa_modal *s, const real *eta, real *J1, real J[6])
{
    const size_t m = (size_t)s->modes;
    int c = 0;
    for (int e = 0; e < 6; e++) {
        real y[SOA_MAX_MODES], sum = real_set(0.0);
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = real_set(s->second1 && i < m ? s->second1[6 * i + (size_t)e] : 0.0);
        }
        for (size_t i = 0; i < m; i++) {
            sum = real_fma(eta[i], y[i], sum);
        }
        if (c < s->second.count && s->second.part[c] == e) {
            table_multiply_add(m, s->second.x[c++], eta, y);
            for (size_t i = 0; i < m; i++) {
                sum = real_fma(eta[i], y[i], sum);
            }
            J[e] = real_fma(real_set(0.5), sum, J[e]);
        } else {
            J[e] = J[e] + sum;
        }
        memcpy(J1 + (size_t)e * m, y, m * sizeof *y);
    }
}

/* R = M(eta); er, J1 of each mode. Of a body without modes M alone. */
static inline void modal_inertia(const soa_call *call, const vars *w, int k)
{
    const soa_body_data *body = &call->model->body[k];
    rigid M = body_inertia(call, body);
    if (is_modal(body) && body->nv > 0) {
        real eta[SOA_MAX_MODES], J[6] = { M.J.xx, M.J.xy, M.J.xz, M.J.yy, M.J.yz, M.J.zz };
        for (int i = 0; i < body->nv; i++) {
            eta[i] = eta_of(call, body, i);
        }
        modal_first(body->rest->modal, eta, w->er + body->v, &M.h);
        modal_second(body->rest->modal, eta, w->J1 + 6 * (size_t)body->v, J);
        M.J = sym3_of(J);
    }
    w->R[k] = M;
}

/* The velocity-dependent forces of a flexible link: of its body returned, of its modes into e.
 *     b   = (dMrr/dt) V + (der/dt) etadot + V x* p,  p = Mrr V + er etadot
 *     b_i = sum_j (en1_ij - en1_ji) . w etadot_j - w . J1_i w / 2 - v . (w x ef_i) */
static inline force modal_bias(const soa_call *call, const vars *w, int k, real *e)
{
    const soa_body_data *body = &call->model->body[k];
    const soa_modal *s = body->rest->modal;
    const motion V = w->V[k];
    const size_t m = (size_t)body->nv, v = (size_t)body->v;
    const real *J1 = w->J1 + 6 * v;
    const vec3 vw = vec3_cross(V.v, V.w);
    const real ww[6] = { 0.5 * V.w.x * V.w.x, V.w.x * V.w.y, V.w.x * V.w.z, 0.5 * V.w.y * V.w.y, V.w.y * V.w.z,
        0.5 * V.w.z * V.w.z };
    real x[SOA_MAX_MODES], y[SOA_MAX_MODES], J_dot[6];
    force moved = force_zero(), b = force_zero();
    for (size_t i = 0; i < m; i++) {
        x[i] = in_get(call, call->v, v + i);
        moved = force_scale_add(x[i], w->er[v + i], moved);
        e[v + i] = -vec3_dot(vw, w->er[v + i].f);
    }
    for (size_t c = 0; c < 6; c++) {
        J_dot[c] = real_set(0.0);
        for (size_t i = 0; i < m; i++) {
            J_dot[c] = real_fma(x[i], J1[c * m + i], J_dot[c]);
            e[v + i] = real_fnma(ww[c], J1[c * m + i], e[v + i]);
        }
    }
    for (int c = 0; c < s->turned.count; c++) {
        const real along = *component(&(vec3){ V.w.x, V.w.y, V.w.z }, s->turned.part[c]);
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = real_set(0.0);
        }
        table_multiply_add(m, s->turned.x[c], x, y);
        for (size_t i = 0; i < m; i++) {
            e[v + i] = real_fma(along, y[i], e[v + i]);
        }
    }
    for (int c = 0; c < s->quadratic.count; c++) {
        real *to = part_of_force(&b, s->quadratic.part[c]);
        for (size_t i = 0; i < soa_modal_step(m); i++) {
            y[i] = real_set(0.0);
        }
        table_multiply_add(m, s->quadratic.x[c], x, y);
        for (size_t i = 0; i < m; i++) {
            *to = real_fma(x[i], y[i], *to);
        }
    }
    const force p = force_add(rigid_mul(w->R[k], V), moved);
    b.n = vec3_add(b.n, vec3_cross_add(moved.f, V.v, sym3_mul_vec(sym3_of(J_dot), V.w)));
    b.f = vec3_add(b.f, vec3_cross(V.w, moved.f));
    return force_add(b, force_cross(V, p));
}
#endif
