/* operator/flexible_operators.kernel.h - every operator and adjoint on models with flexible links, by their blocks. */
#ifndef SOA_OPERATOR_FLEXIBLE_OPERATORS_KERNEL_H
#define SOA_OPERATOR_FLEXIBLE_OPERATORS_KERNEL_H

#include "operator/blocks.kernel.h"

/* Vectors of any space, one after another: what comes in, what goes out, and between. */
enum { FLEXIBLE_VECTORS = 6 };

typedef struct flexible_operators {
    const soa_call *call;
    blocks all;
    real *vector[FLEXIBLE_VECTORS];
    size_t size; /* of each */
} flexible_operators;

/* A factor of a product. */
typedef struct factor {
    soa_operator op;
    bool adjoint;
} factor;

/* ---- in memory ------------------------------------------------------------------------------------- */

static size_t flexible_place(const soa_model *m, int points, char *base, flexible_operators *f)
{
    size_t used = blocks_place(m, points, base, &f->all);
    f->size = (size_t)(soa_all_body_numbers(m) + m->nv + 6 * points);
    for (int i = 0; i < FLEXIBLE_VECTORS; i++) {
        f->vector[i] = base ? (real *)(void *)(base + used) : NULL;
        used += f->size * sizeof(real);
    }
    return used;
}

static int space_numbers(const flexible_operators *f, soa_space space)
{
    const soa_model *m = f->call->model;
    return space == SOA_SPACE_JOINT ? m->nv : space == SOA_SPACE_POINT ? 6 * f->call->points : soa_all_body_numbers(m);
}

/* ---- one operator ------------------------------------------------------------------------------------ */

/* The block of body k on x, added to y; of E_phi and its like the result is the parent's. */
static void add_image(const flexible_operators *f, soa_operator op, bool adjoint, int k, const real *x, real *y)
{
    const soa_operator_info about = soa_operator_about(op, adjoint), plain = soa_operator_about(op, false);
    const soa_model *m = f->call->model;
    const int p = plain.kind == SOA_KIND_STRICTLY_CAUSAL ? m->body[k].parent : k;
    real from[BLOCK_MOST], to[BLOCK_MOST];
    if (p >= 0) {
        block_get(m, about.domain_space, x, adjoint ? p : k, from);
        block_get(m, about.codomain_space, y, adjoint ? k : p, to);
        operator_mul(&f->all.body[k], op, adjoint, real_set(1.0), from, to);
        block_put(m, about.codomain_space, to, adjoint ? k : p, y);
    }
}

/* y = phi x or psi x by E: y(p) += E y(k) inward, y(k) += E* y(p) outward. */
static void run_recursion(const flexible_operators *f, soa_operator E, bool adjoint, real *y)
{
    const int n = f->call->model->bodies;
    for (int i = 0; i < n; i++) {
        add_image(f, E, adjoint, adjoint ? i : n - 1 - i, y, y);
    }
}

/* B x, B* x */
static void apply_points(const flexible_operators *f, bool adjoint, const real *x, real *y)
{
    for (int i = 0; i < f->call->points; i++) {
        const int k = point_body(f->call, i);
        if (k >= 0) {
            point_mul(f->call->model, &f->all, i, k, adjoint, x, y);
        }
    }
}

/* y = A x, A one of those that are no product. */
static void apply_factor(const flexible_operators *f, factor A, const real *x, real *y)
{
    const soa_operator_info about = soa_operator_about(A.op, A.adjoint);
    const size_t bytes = (size_t)space_numbers(f, about.codomain_space) * sizeof *y;
    if (A.op == SOA_OP_PHI || A.op == SOA_OP_PSI) {
        memcpy(y, x, bytes);
        run_recursion(f, A.op == SOA_OP_PHI ? SOA_OP_E_PHI : SOA_OP_E_PSI, A.adjoint, y);
        return;
    }
    memset(y, 0, bytes);
    if (A.op == SOA_OP_B) {
        apply_points(f, A.adjoint, x, y);
        return;
    }
    for (int k = 0; k < f->call->model->bodies; k++) {
        add_image(f, A.op, A.adjoint, k, x, y);
    }
}

/* ---- products --------------------------------------------------------------------------------------------- */

enum { FACTORS = 7 };

/* Operators that stand for products; the others stand for themselves. */
static const factor product_of[SOA_OPERATORS][FACTORS + 1] = {
#define THE(op)            \
    {                      \
        SOA_OP_##op, false \
    }
#define ADJ(op)           \
    {                     \
        SOA_OP_##op, true \
    }
#define PRODUCT(op, ...) [SOA_OP_##op] = { __VA_ARGS__, { SOA_OP_I, false } }
    PRODUCT(PHI_STRICT, THE(E_PHI), THE(PHI)),
    PRODUCT(PSI_STRICT, THE(E_PSI), THE(PSI)),
    PRODUCT(J, ADJ(B), ADJ(PHI), ADJ(H)),
    PRODUCT(OMEGA, ADJ(PSI), ADJ(H), THE(D_INV), THE(H), THE(PSI)),
    PRODUCT(LAMBDA, ADJ(B), ADJ(PSI), ADJ(H), THE(D_INV), THE(H), THE(PSI), THE(B)),
#undef PRODUCT
};

/* y = A B ... x, or with `adjoint` ... B* A* x; the list ends with I. */
static void apply_product(const flexible_operators *f, const factor *list, bool adjoint, const real *x, real *y)
{
    int count = 0;
    const real *from = x;
    while (list[count].op != SOA_OP_I) {
        count++;
    }
    for (int i = 0; i < count; i++) {
        const factor A = list[adjoint ? i : count - 1 - i];
        real *to = i == count - 1 ? y : f->vector[2 + i % 2];
        apply_factor(f, (factor){ A.op, A.adjoint != adjoint }, from, to);
        from = to;
    }
}

static void add_to(int n, real s, const real *x, real *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = real_fma(s, x[i], y[i]);
    }
}

/* y = H phi (M V + Gamma x) + Gamma* V + Arm x, V = phi* H* x.  [I1] [GEAR] */
static void apply_flexible_mass(const flexible_operators *f, const real *x, real *y)
{
    static const factor out[] = { ADJ(PHI), ADJ(H), { SOA_OP_I, false } },
                        in[] = { THE(H), THE(PHI), { SOA_OP_I, false } };
    const int nv = f->call->model->nv;
    const real one = real_set(1.0);
    real *V = f->vector[4], *t = f->vector[2], *f_all = f->vector[5];
    apply_product(f, out, false, x, V);
    apply_factor(f, (factor)THE(M), V, f_all);
    apply_factor(f, (factor)THE(GAMMA), x, t);
    add_to(soa_all_body_numbers(f->call->model), one, t, f_all);
    apply_product(f, in, false, f_all, y);
    apply_factor(f, (factor)ADJ(GAMMA), V, t);
    add_to(nv, one, t, y);
    apply_factor(f, (factor)THE(ARM), x, t);
    add_to(nv, one, t, y);
}

/* y = (I - H psi K)* D^-1 (I - H psi K) x.  [I6] */
static void apply_flexible_mass_inverse(const flexible_operators *f, const real *x, real *y)
{
    static const factor gain[] = { THE(H), THE(PSI), THE(K), { SOA_OP_I, false } };
    const int nv = f->call->model->nv;
    real *eps = f->vector[4], *t = f->vector[5];
    memcpy(eps, x, (size_t)nv * sizeof *x);
    apply_product(f, gain, false, x, t);
    add_to(nv, real_set(-1.0), t, eps);
    apply_factor(f, (factor)THE(D_INV), eps, y);
    apply_product(f, gain, true, y, t);
    add_to(nv, real_set(-1.0), t, y);
}
#undef THE
#undef ADJ

/* y = X x, z = psi x.  [I11] */
static void apply_branches(const flexible_operators *f, const real *x, real *y)
{
    real *z = f->vector[2], *gathered = f->vector[3];
    apply_factor(f, (factor){ SOA_OP_PSI, false }, x, z);
    apply_factor(f, (factor){ SOA_OP_E_PSI, false }, z, gathered);
    for (int k = 0; k < f->call->model->bodies; k++) {
        block_branch(f->call->model, &f->all, k, z, gathered, y);
    }
}

static void apply_flexible_operator(const flexible_operators *f, soa_operator op, bool adjoint, const real *x, real *y)
{
    if (op == SOA_OP_MASS) {
        apply_flexible_mass(f, x, y);
    } else if (op == SOA_OP_MASS_INV) {
        apply_flexible_mass_inverse(f, x, y);
    } else if (op == SOA_OP_BRANCH) {
        apply_branches(f, x, y);
    } else if (product_of[op][0].op != SOA_OP_I) {
        apply_product(f, product_of[op], adjoint, x, y);
    } else {
        apply_factor(f, (factor){ op, adjoint }, x, y);
    }
}

/* ---- the kernels ------------------------------------------------------------------------------------------- */

/* Body vectors of the user are in link frames; modes have no frame. */
static void flexible_in(const flexible_operators *f, const soa_operator_info *about, real *x)
{
    const soa_call *call = f->call;
    const registers r = { .f = (force *)(void *)x, .V = (motion *)(void *)x };
    const int n = space_numbers(f, about->domain_space);
    int i = 0;
    if (about->domain_space == SOA_SPACE_BODY) {
        (about->domain_side == SOA_SIDE_FORCE ? body_forces_in : body_motions_in)(call, &r);
        i = 6 * call->model->bodies;
    }
    for (; i < n; i++) {
        x[i] = in_get(call, call->u, (size_t)i);
    }
}

static void flexible_out(const flexible_operators *f, const soa_operator_info *about, real *y)
{
    const soa_call *call = f->call;
    const registers r = { .f = (force *)(void *)y, .V = (motion *)(void *)y };
    const int n = space_numbers(f, about->codomain_space);
    int i = 0;
    if (about->codomain_space == SOA_SPACE_BODY) {
        (about->codomain_side == SOA_SIDE_FORCE ? body_forces_out : body_motions_out)(call, &r);
        i = 6 * call->model->bodies;
    }
    for (; i < n; i++) {
        out_put(call, call->y, (size_t)i, y[i]);
    }
}

static void flexible_set(soa_call *call, const vars *w, char *base)
{
    flexible_operators f = { .call = call };
    const int n = call->model->bodies;
    flexible_place(call->model, call->points, base, &f);
    blocks_position(call, w, &f.all);
    for (int k = n - 1; k >= 0; k--) {
        block_composite(call, &f.all, k);
        block_articulate(call, &f.all, k);
    }
    for (int k = 0; k < n; k++) {
        block_upsilon(call, &f.all, k);
    }
}

static void flexible_apply(const soa_call *call, char *base, soa_operator op, bool adjoint)
{
    flexible_operators f = { .call = call };
    const soa_operator_info about = soa_operator_about(op, adjoint);
    flexible_place(call->model, call->points, base, &f);
    flexible_in(&f, &about, f.vector[0]);
    apply_flexible_operator(&f, op, adjoint, f.vector[0], f.vector[1]);
    flexible_out(&f, &about, f.vector[1]);
}

#endif
