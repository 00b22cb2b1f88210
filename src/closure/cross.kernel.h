/* closure/cross.kernel.h - the columns of a front cross a joint: several in lanes, or one by one with states in lanes.
 *
 * With N = H Y (to which couplings add what they do to the joint itself), eps and nu = D^-1 eps of the
 * free system and alpha = phi* alpha(p) + a + H* (nu + D^-1 N* lambda - G* ...):
 *     c += N* nu + (Y - G N)* a,   L += N* D^-1 N,   Y = phi (Y - G N) */
#ifndef SOA_CLOSURE_CROSS_KERNEL_H
#define SOA_CLOSURE_CROSS_KERNEL_H

#include "closure/closure.h"
#include "dynamics/columns.kernel.h"

KERNEL force front_load(const soa_front *front, int at)
{
    const cell *Y = cells(front->Y) + at;
    const size_t w = (size_t)front->width;
    return (force){
        { cell_load(Y), cell_load(Y + w), cell_load(Y + 2 * w) },
        { cell_load(Y + 3 * w), cell_load(Y + 4 * w), cell_load(Y + 5 * w) },
    };
}

KERNEL void front_store(const soa_front *front, int at, force f)
{
    cell *Y = cells(front->Y) + at;
    const size_t w = (size_t)front->width;
    cell_store(Y, f.n.x), cell_store(Y + w, f.n.y), cell_store(Y + 2 * w, f.n.z);
    cell_store(Y + 3 * w, f.f.x), cell_store(Y + 4 * w, f.f.y), cell_store(Y + 5 * w, f.f.z);
}

/* What a front leaves at the joint of a node. */
static inline void note_crossing(soa_node *node, const soa_front *front, cell *N)
{
    node->N = (double *)(void *)N;
    node->row = front->row;
    node->stays = front->stays;
    node->rows = front->rows;
    node->width = front->width;
}

/* N of velocity i of the joint. */
KERNEL cell *projection(const soa_cross_call *x, int i)
{
    return cells(x->node->N) + (size_t)i * (size_t)x->front->width;
}

/* L += N* x for the columns of one vector. */
KERNEL void add_compliance(const soa_front *front, const cell *N, int at, real image)
{
    cell *L = cells(front->L) + at;
    for (int j = 0; j < front->rows; j++, L += front->width) {
        cell_store(L, real_fma(shared(N[j]), image, cell_load(L)));
    }
}

/* ---- plain joints --------------------------------------------------------------------------------------- */

/* f . a for the bias of a plain joint, whose other components are not written. */
KERNEL real bias_power(const soa_body_data *body, const cell a[6], force f)
{
    const real shift = real_fma(f.f.y, shared(a[4]), f.f.x * a[3]);
    return body->joint_class == SOA_CLASS_REVOLUTE ? real_fma(f.n.y, shared(a[1]), real_fma(f.n.x, shared(a[0]), shift))
                                                   : shift;
}

/* Columns f cross the joint; N is known. */
KERNEL force cross_plain(const soa_cross_call *x, const column_body *b, int body, real N, force f, real *c)
{
    const force G = force_of(b->G);
    f = (force){ vec3_scale_add(-N, G.n, f.n), vec3_scale_add(-N, G.f, f.f) };
    *c = real_fma(N, shared(cells_in(x->nu)[b->body->v]), bias_power(b->body, cells_in(x->a) + 6 * body, f) + *c);
    return cross_inward(b->body, b->x, f);
}

/* Any number of columns, N made already or not. */
static void front_cross_plain(const soa_cross_call *x, const column_body *b, const soa_node *node)
{
    const soa_front *front = x->front;
    cell *N_at = cells(node->N), *c_at = cells(front->c);
    for (int at = 0; at < front->rows; at += COLUMNS) {
        const force f = front_load(front, at);
        const real N = x->projected ? cell_load(N_at + at) : column_force(b, f, 0);
        real c = cell_load(c_at + at);
        cell_store(N_at + at, N);
        front_store(front, at, cross_plain(x, b, node->body, N, f, &c));
        cell_store(c_at + at, c);
    }
    for (int at = 0; at < front->rows; at += COLUMNS) {
        add_compliance(front, N_at, at, b->D_inv[0] * cell_load(N_at + at));
    }
}

#if LANES == 8 && !defined(STATES)
/* Columns that fit into one vector cross a row of plain joints; all numbers stay in registers. */
KERNEL void row_in_registers(const soa_cross_call *x, soa_node *nodes, int count, double *N_at, const int rows)
{
    const soa_front *front = x->front;
    force f = front_load(front, 0);
    real c = real_load(front->c), L[LANES];
    for (int j = 0; j < rows; j++) {
        L[j] = real_load(front->L + j * LANES);
    }
    for (soa_node *node = x->node; count > 0; count--, node = &nodes[node->parent], N_at += LANES) {
        const column_body b = column_body_of(x->call, &x->state, node->body);
        const real N = column_force(&b, f, 0), image = b.D_inv[0] * N;
        note_crossing(node, front, N_at);
        real_store(N_at, N);
        f = cross_plain(x, &b, node->body, N, f, &c);
        for (int j = 0; j < rows; j++) {
            L[j] = real_fma(real_set(N_at[j]), image, L[j]);
        }
    }
    front_store(front, 0, f);
    real_store(front->c, c);
    for (int j = 0; j < rows; j++) {
        real_store(front->L + j * LANES, L[j]);
    }
}
#endif

#if defined(STATES)
/* L += N* D^-1 N of a row of plain joints, one column of L after another in registers. */
KERNEL void add_row_compliances(
    const soa_cross_call *x, const soa_node *nodes, int count, const real *N, const int rows)
{
    const int w = x->front->width;
    for (int i = 0; i < rows; i++) {
        real *L = cells(x->front->L) + i, sum[SOA_MAX_LANES];
        const real *N_at = N;
        const soa_node *node = x->node;
        for (int j = 0; j < rows; j++) {
            sum[j] = L[j * w];
        }
        for (int k = 0; k < count; k++, node = &nodes[node->parent], N_at += w) {
            const real image = cells_in(x->state.D_inv)[6 * x->call->model->body[node->body].v] * N_at[i];
            for (int j = 0; j < rows; j++) {
                sum[j] = real_fma(N_at[j], image, sum[j]);
            }
        }
        for (int j = 0; j < rows; j++) {
            L[j * w] = sum[j];
        }
    }
}

/* Columns one after another across a row of plain joints, in registers. */
KERNEL void cross_columns(const soa_cross_call *x, const soa_node *nodes, int count, real *N)
{
    const soa_front *front = x->front;
    for (int j = 0; j < front->rows; j++) {
        force f = front_load(front, j);
        real c = cells(front->c)[j], *N_at = N + j;
        const soa_node *node = x->node;
        for (int k = 0; k < count; k++, node = &nodes[node->parent], N_at += front->width) {
            const column_body b = column_body_of(x->call, &x->state, node->body);
            *N_at = column_force(&b, f, 0);
            f = cross_plain(x, &b, node->body, *N_at, f, &c);
        }
        front_store(front, j, f);
        cells(front->c)[j] = c;
    }
}

/* Whether a row of plain joints was crossed so. */
static bool row_by_columns(const soa_cross_call *x, soa_node *nodes, int count, real *N)
{
    const int rows = x->front->rows;
    if (rows != 3 && rows != 5 && rows != 6) {
        return false;
    }
    soa_node *node = x->node;
    for (int k = 0; k < count; k++, node = &nodes[node->parent]) {
        note_crossing(node, x->front, N + k * x->front->width);
    }
    cross_columns(x, nodes, count, N);
    switch (rows) {
    case 3:
        add_row_compliances(x, nodes, count, N, 3);
        break;
    case 5:
        add_row_compliances(x, nodes, count, N, 5);
        break;
    default:
        add_row_compliances(x, nodes, count, N, 6);
        break;
    }
    return true;
}
#endif

static void front_row(const soa_cross_call *x, soa_node *nodes, int count, double *N_at)
{
    cell *N = cells(N_at);
#if LANES == 8 && !defined(STATES)
    switch (x->front->width == LANES ? x->front->rows : 0) {
    case 3:
        row_in_registers(x, nodes, count, N_at, 3);
        return;
    case 5:
        row_in_registers(x, nodes, count, N_at, 5);
        return;
    case 6:
        row_in_registers(x, nodes, count, N_at, 6);
        return;
    default:
        break;
    }
#endif
#if defined(STATES)
    if (row_by_columns(x, nodes, count, N)) {
        return;
    }
#endif
    for (soa_node *node = x->node; count > 0; count--, node = &nodes[node->parent], N += x->front->width) {
        const column_body b = column_body_of(x->call, &x->state, node->body);
        note_crossing(node, x->front, N);
        front_cross_plain(x, &b, node);
    }
}

/* ---- any joint ------------------------------------------------------------------------------------------- */

/* L += N* D^-1 N */
KERNEL void add_compliances(const soa_cross_call *x, const column_body *b)
{
    const int nv = b->body->nv;
    for (int at = 0; at < x->front->rows; at += COLUMNS) {
        for (int i = 0; i < nv; i++) {
            real image = shared(b->D_inv[6 * i]) * cell_load(projection(x, 0) + at);
            for (int j = 1; j < nv; j++) {
                image = real_fma(shared(b->D_inv[6 * i + j]), cell_load(projection(x, j) + at), image);
            }
            add_compliance(x->front, projection(x, i), at, image);
        }
    }
}

/* nu holds -G* a already. */
KERNEL void cross_other(const soa_cross_call *x, const column_body *b)
{
    const int nv = b->body->nv;
    const motion a = motion_of(cells_in(x->a) + 6 * x->node->body);
    const soa_front *front = x->front;
    for (int at = 0; at < front->rows; at += COLUMNS) {
        cell *c_at = cells(front->c) + at;
        force f = front_load(front, at);
        real N[SOA_JOINT_MAX_NV], c = power(f, a) + cell_load(c_at);
        for (int i = 0; i < nv; i++) {
            cell *N_at = projection(x, i) + at;
            N[i] = x->projected ? cell_load(N_at) : column_force(b, f, i);
            cell_store(N_at, N[i]);
            c = real_fma(N[i], shared(cells_in(x->nu)[b->body->v + i]), c);
        }
        cell_store(c_at, c);
        for (int i = 0; i < nv; i++) {
            if (!b->body->geared) {
                const force G = force_of(b->G + 6 * i);
                f = force_sub(f, (force){ vec3_scale(N[i], G.n), vec3_scale(N[i], G.f) });
            }
        }
        f = phi(pose_of(b->X), f);
        if (b->body->geared) {
            const real image = shared(b->D_inv[0]) * N[0];
            const force gear = force_of(cells_in(x->gear));
            f = force_sub(f, (force){ vec3_scale(image, gear.n), vec3_scale(image, gear.f) });
        }
        front_store(front, at, f);
    }
}

/* N = H Y */
static void front_project(const soa_cross_call *x)
{
    const column_body b = column_body_of(x->call, &x->state, x->node->body);
    for (int at = 0; at < x->front->rows; at += COLUMNS) {
        const force f = front_load(x->front, at);
        for (int i = 0; i < b.body->nv; i++) {
            cell_store(projection(x, i) + at, column_force(&b, f, i));
        }
    }
}

static void front_cross(const soa_cross_call *x)
{
    const column_body b = column_body_of(x->call, &x->state, x->node->body);
    if (is_plain(b.body)) {
        front_cross_plain(x, &b, x->node);
    } else {
        cross_other(x, &b);
        add_compliances(x, &b);
    }
}

/* c += Y alpha, and Y is gone */
static void front_to_base(soa_front *front, const double *base)
{
    const force none = { vec3_zero(), vec3_zero() };
    cell *c = cells(front->c);
    const int count = HAS_STATES ? front->rows : front->width;
    for (int at = 0; at < count; at += COLUMNS) {
        cell_store(c + at, cell_load(c + at) + vec3_dot(front_load(front, at).f, vec3_shared(cells_in(base))));
        front_store(front, at, none);
    }
}

#if !defined(STATES)

/* ---- a row taken out of the others ---------------------------------------------------------------------- */

/* x -= s y */
KERNEL void subtract_row(real s, real y, double *x)
{
    real_store(x, real_fnma(s, y, real_load(x)));
}

/* Notes the pivot's row of L, as far as its columns are not gone, and takes it out of Y, c and L of a front that is
 * `width` columns wide. (No column is set to zero there: a vector read where a number has just been written waits.) */
KERNEL void subtract_columns(soa_front *front, const soa_pivot *pivot, double *stays, int width)
{
    static const double lane[SOA_MAX_LANES] = { 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0 };
    const double *own = front->L + (size_t)pivot->at * (size_t)width;
    for (int at = 0; at < width; at += LANES) {
        const real from_pivot = real_load(lane) + (double)(at - pivot->at);
        const real here =
            real_select(real_less(real_abs(from_pivot), real_set(0.5)), real_set(0.0), real_load(stays + at));
        real_store(stays + at, here);
        real_store(pivot->L + at, here * real_load(own + at));
    }
    for (int at = 0; at < width; at += LANES) {
        const real L = pivot->inverse * real_load(pivot->L + at);
        for (int i = 0; i < 6; i++) {
            subtract_row(real_set(pivot->Y[i]), L, front->Y + i * width + at);
        }
        subtract_row(real_set(pivot->c), L, front->c + at);
        double *row = front->L + at;
        for (int j = 0; j < front->rows; j++, row += width) {
            subtract_row(real_set(pivot->L[j]), L, row);
        }
    }
}

static void front_subtract(soa_front *front, const soa_pivot *pivot, double *stays)
{
    if (front->width == SOA_MAX_LANES) { /* one closure: known length */
        subtract_columns(front, pivot, stays, SOA_MAX_LANES);
    } else {
        subtract_columns(front, pivot, stays, front->width);
    }
}

#endif

#endif
