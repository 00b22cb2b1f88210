/* sens/articulated_dual.c - rates of the articulated quantities, and the diagonal equations, of models with flexible links.
 *
 * The blocks of the operators (operator/blocks.kernel.h) on numbers with slopes along v: P, D and G have their rates behind
 * them. With D = L L* and A = (I + H phi K) L, so that Mass = A A*,  [DIAG]
 *     nu = A* v = L* (v + K* V(p)),  V = phi* H* v,   eps = A^-1 T,   mu = A^-1 C - slope of nu. */
#include "spatial/dual.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* the kernels beside those that are taken from their files */
#include "operator/blocks.kernel.h"
#include "sens/flexible_sens.h"

/* Blocks that nothing reads once P is there: they hold the V and z of a body. */
enum { HOLDS_V = SOA_OP_TAU, HOLDS_Z = SOA_OP_TAUBAR };

/* P, D, G and K of all bodies with slopes along v; the body whose joint is singular, or -1. */
static int articulate_all(soa_dual_scene *s, const double *v, blocks *all)
{
    vars unused;
    soa_dual_along(s, SOA_DUAL_BY_Q, v);
    soa_call call = { .model = s->m, .work = s->w->work_dual, .prepared = true, .count = LANES, .spacing = LANES };
    call.q.at = s->number[0];
    call.v.at = s->number[1];
    const vars w = vars_of(&call);
    blocks_place(s->m, 0, (char *)call.work + vars_header() + vars_place(s->m, 0, NULL, &unused), all);
    call_begin(&call);
    blocks_position(&call, &w, all);
    for (int k = s->m->bodies - 1; k >= 0; k--) {
        block_articulate(&call, all, k);
    }
    return call.failed[0];
}

/* ---- rates ------------------------------------------------------------------------------------------ */

static double rate_of(real x)
{
    return cimag(x) / SOA_DUAL_STEP;
}

/* Column j of P of body k, in the link's frame, to out with rows `stride` apart. */
static void put_column(const soa_model *m, const body_blocks *b, int k, int j, double *out, int stride)
{
    const pose link = pose_set(&m->body[k].rest->frame);
    real e[BLOCK_MOST] = { 0.0 }, y[BLOCK_MOST] = { 0.0 };
    e[j] = real_set(1.0);
    turn_frame(false, SOA_SIDE_MOTION, link, e);
    operator_mul(b, SOA_OP_P, false, real_set(1.0), e, y);
    turn_frame(true, SOA_SIDE_FORCE, link, y);
    for (int i = 0; i < b->n; i++) {
        out[i * stride + j] = rate_of(y[i]);
    }
}

/* Row i of D, and column i of G in the link's frame; each may be NULL. */
static void put_joint(const soa_model *m, const body_blocks *b, int k, int i, double *D, double *G)
{
    real e[BLOCK_MOST] = { 0.0 }, y[BLOCK_MOST] = { 0.0 };
    for (int j = 0; D && j < b->r; j++) {
        D[j] = rate_of(b->of[SOA_OP_D][i * b->r + j]);
    }
    e[i] = real_set(1.0);
    operator_mul(b, SOA_OP_G, false, real_set(1.0), e, y);
    turn_frame(true, SOA_SIDE_FORCE, pose_set(&m->body[k].rest->frame), y);
    for (int j = 0; G && j < b->n; j++) {
        G[j] = rate_of(y[j]);
    }
}

int soa_flexible_articulated_rates(soa_dual_scene *s, const double *v, double *const y[SOA_OUTPUTS])
{
    const soa_model *m = s->m;
    const size_t stride = (size_t)soa_block_stride(m), rows = stride * (size_t)m->nv;
    blocks all;
    const int failed = articulate_all(s, v, &all);
    for (int i = 0; i < 3; i++) {
        if (y[i]) {
            memset(y[i], 0, (i == 0 ? stride * stride * (size_t)m->bodies : rows) * sizeof *y[i]);
        }
    }
    for (int k = 0; k < m->bodies && failed < 0; k++) {
        const body_blocks *b = &all.body[k];
        for (int j = 0; y[0] && j < b->n; j++) {
            put_column(m, b, k, j, y[0] + (size_t)k * stride * stride, (int)stride);
        }
        for (int i = 0; i < b->r; i++) {
            const size_t at = stride * (size_t)(m->body[k].v + i);
            put_joint(m, b, k, i, y[1] ? y[1] + at : NULL, y[2] ? y[2] + at : NULL);
        }
    }
    return failed;
}

/* ---- diagonal equations --------------------------------------------------------------------------------- */

/* The lower half of D becomes L. */
static void factor(const body_blocks *b)
{
    const int n = b->r;
    real *L = b->of[SOA_OP_D];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            real sum = L[i * n + j];
            for (int c = 0; c < j; c++) {
                sum = real_fnma(L[i * n + c], L[j * n + c], sum);
            }
            L[i * n + j] = i == j ? real_sqrt(sum) : real_div(sum, L[j * n + j]);
        }
    }
}

/* nu = L* (v + K* V(p)), V = E_phi* V(p) + H* v, outward; numbers with slopes. */
static void diagonal_velocities(const soa_model *m, const blocks *all, const double *v, real *nu)
{
    const real one = real_set(1.0);
    for (int k = 0; k < m->bodies; k++) {
        const body_blocks *b = &all->body[k];
        const int p = m->body[k].parent;
        real beta[BLOCK_MOST], xi[BLOCK_MOST], *V = b->of[HOLDS_V];
        for (int i = 0; i < b->r; i++) {
            beta[i] = xi[i] = real_set(v[m->body[k].v + i]);
        }
        for (int i = 0; i < b->n; i++) {
            V[i] = real_set(0.0);
        }
        operator_mul(b, SOA_OP_H, true, one, beta, V);
        if (p >= 0) {
            operator_mul(b, SOA_OP_E_PHI, true, one, all->body[p].of[HOLDS_V], V);
            operator_mul(b, SOA_OP_K, true, one, all->body[p].of[HOLDS_V], xi);
        }
        for (int i = 0; i < b->r; i++) {
            real sum = real_set(0.0);
            for (int j = i; j < b->r; j++) {
                sum = real_fma(b->of[SOA_OP_D][j * b->r + i], xi[j], sum);
            }
            nu[m->body[k].v + i] = sum;
        }
    }
}

/* x = A^-1 x = L^-1 eps, inward: eps = x - H z, z(p) = z(p) + E_phi z + K eps. */
static void whiten(const soa_model *m, const blocks *all, real *x)
{
    const real one = real_set(1.0);
    for (int k = 0; k < m->bodies; k++) {
        for (int i = 0; i < all->body[k].n; i++) {
            all->body[k].of[HOLDS_Z][i] = real_set(0.0);
        }
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const body_blocks *b = &all->body[k];
        const int p = m->body[k].parent;
        real *eps = x + m->body[k].v;
        operator_mul(b, SOA_OP_H, false, -one, b->of[HOLDS_Z], eps);
        if (p >= 0) {
            operator_mul(b, SOA_OP_E_PHI, false, one, b->of[HOLDS_Z], all->body[p].of[HOLDS_Z]);
            operator_mul(b, SOA_OP_K, false, one, eps, all->body[p].of[HOLDS_Z]);
        }
        for (int i = 0; i < b->r; i++) {
            for (int j = 0; j < i; j++) {
                eps[i] = real_fnma(b->of[SOA_OP_D][i * b->r + j], eps[j], eps[i]);
            }
            eps[i] = real_div(eps[i], b->of[SOA_OP_D][i * b->r + i]);
        }
    }
}

int soa_flexible_diagonal(soa_dual_scene *s, double *const y[SOA_OUTPUTS])
{
    const soa_model *m = s->m;
    const double *T = s->u;
    const int nv = m->nv;
    blocks all;
    s->u = NULL;
    soa_dual_begin(s);
    real *C = (real *)(void *)s->y, *nu = C + nv, *eps = nu + nv;
    soa_dual_run(s, SOA_KERNEL_inverse_dynamics, (soa_call){ .y.at = s->y });
    const int failed = articulate_all(s, s->v, &all);
    for (int k = 0; k < m->bodies; k++) {
        factor(&all.body[k]);
    }
    for (int i = 0; i < nv; i++) {
        eps[i] = real_set(T ? T[i] : 0.0);
    }
    diagonal_velocities(m, &all, s->v, nu);
    whiten(m, &all, C);
    whiten(m, &all, eps);
    for (int i = 0; i < nv; i++) { /* v and T have been read: they may be the outputs */
        const double out[3] = { creal(nu[i]), creal(eps[i]), creal(C[i]) - rate_of(nu[i]) };
        for (int e = 0; e < 3; e++) {
            if (y[e]) {
                y[e][i] = out[e];
            }
        }
    }
    return failed;
}
