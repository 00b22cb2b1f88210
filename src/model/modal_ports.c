/* model/modal_ports.c - which motions of a flexible link move what stands on its nodes.
 *
 * With S the shapes of these nodes, all rows of them, the columns of W are an orthonormal basis of ee^-1 S*:
 *     W* ee W = 1,   S = U W* ee,   U = S W
 * so that nodes move by U zeta alone, zeta = W* ee eta. What they carry adds U* T* P T U to the mass of zeta, T their rotations, and
 * nothing to that of other motions, of which Z = ee^-1 - W W* is the inverse. All of this is constant; er(eta) = er + bent(eta). */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "model/model.h"

#define DEPENDENT 1e-13 /* what is left of a row of shapes that is a combination of others, relative to the row */

/* A link while its ports are made. Matrices have a row for each mode. */
typedef struct maker {
    soa_model *model;
    const soa_modal *modal;
    size_t n, r;
    const double *ee;
    double *L; /* ee = L L* */
    double *W; /* n x n, of which r columns are used */
    double *Z; /* n x n */
} maker;

static double *take(const maker *k, size_t count)
{
    return soa_arena_take(&k->model->arena, count + 1, sizeof(double));
}

/* y += a x, n numbers; x(i) is x[i step]. */
static void add(size_t n, double a, const double *x, size_t step, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += a * x[i * step];
    }
}

static double dot(size_t n, const double *x, size_t step, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i * step] * y[i];
    }
    return sum;
}

/* One more column of W from a row of shapes, unless it depends on those that are there. */
static void add_direction(maker *k, const double *row)
{
    const size_t n = k->n;
    double x[SOA_MAX_MODES], by[SOA_MAX_MODES];
    memcpy(x, row, n * sizeof *x);
    soa_cholesky_solve(n, k->L, x);
    const double before = sqrt(fabs(dot(n, x, 1, row)));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t a = 0; a < k->r; a++) {
            soa_multiply(n, n, k->ee, x, by);
            add(n, -dot(n, k->W + a, n, by), k->W + a, n, x);
        }
    }
    soa_multiply(n, n, k->ee, x, by);
    const double left = sqrt(fabs(dot(n, x, 1, by)));
    if (!(left <= DEPENDENT * before) && k->r < n) {
        for (size_t i = 0; i < n; i++) {
            k->W[i * n + k->r] = x[i] / left;
        }
        k->r++;
    }
}

/* ee, W and r of the nodes that carry something. false: no memory. */
static bool find_directions(maker *k, int carried)
{
    const soa_model *m = k->model;
    const size_t n = k->n, stride = soa_modal_stride(n);
    k->L = take(k, n * n);
    k->W = take(k, n * n);
    if (!k->L || !k->W) {
        return false;
    }
    memcpy(k->L, k->ee, n * n * sizeof *k->L);
    soa_cholesky(n, k->L, 0.0);
    for (int c = carried; c > 0; c = m->rest[c].beside) {
        for (size_t e = 0; e < 6; e++) {
            add_direction(k, k->modal->node[m->rest[c].node - 1].rows + e * stride);
        }
    }
    return true;
}

static bool find_others(maker *k)
{
    const size_t n = k->n;
    k->Z = take(k, n * n);
    for (size_t j = 0; k->Z && j < n; j++) {
        double x[SOA_MAX_MODES] = { 0.0 };
        x[j] = 1.0;
        soa_cholesky_solve(n, k->L, x);
        for (size_t i = 0; i < n; i++) {
            k->Z[i * n + j] = x[i] - dot(k->r, k->W + i * n, 1, k->W + j * n);
        }
    }
    return k->Z;
}

/* Some rows of a table: A* B, A with `rows` columns and B with `columns`; numbers of both as they are stored. */
typedef struct factor {
    const double *x;
    size_t row, column; /* from a mode to the next, from a column to the next */
} factor;

static void put_product(size_t n, factor a, factor b, size_t rows, size_t columns, double sign, double *y, size_t step)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += a.x[k * a.row + i * a.column] * b.x[k * b.row + j * b.column];
            }
            y[i + j * step] = sign * sum;
        }
    }
}

/* What eta adds to component e of er, a matrix; false: nothing. */
static bool bent_component(const soa_modal *modal, size_t e, double *y)
{
    const size_t n = (size_t)modal->modes, size = n * soa_modal_stride(n);
    const double *a = modal->bends + size * (e < 3 ? SOA_MODAL_TURN + e : e - 3), *b = a + 3 * size;
    bool any = false;
    for (size_t i = 0; i < size; i++) {
        y[i] = e < 3 ? a[i] - b[i] : a[i];
        any = any || y[i] != 0.0;
    }
    return any;
}

static bool make_table(const maker *k, const double *x, size_t rows, size_t columns, soa_modal_table *to)
{
    return soa_make_modal_table(k->model, (soa_modal_source){ x, rows, columns, 1, rows, rows }, to);
}

/* The table by eta, and what bends; G = Z er. false: no memory. */
static bool make_port_bent(const maker *k, factor G, soa_modal_ports *to)
{
    const size_t n = k->n, r = k->r, stride = soa_modal_stride(n), stride_r = soa_modal_stride(r);
    double *matrix[6];
    for (size_t e = 0; e < 6; e++) {
        matrix[to->bent] = take(k, n * stride);
        if (!matrix[to->bent]) {
            return false;
        }
        if (bent_component(k->modal, e, matrix[to->bent])) {
            to->part[to->bent++] = (int)e;
        }
    }
    const factor Z = { k->Z, n, 1 }, W = { k->W, n, 1 };
    const size_t bent = (size_t)to->bent, rows = bent * (stride + SOA_PORT_ER + stride_r);
    to->bent_at = soa_modal_numbers(r);
    to->room_at = to->bent_at + bent * (stride + stride_r);
    double *x = take(k, rows * n);
    for (size_t c = 0; x && c < bent; c++) {
        const factor by = { matrix[c], 1, stride };
        put_product(n, Z, by, n, n, 1.0, x + c * stride, rows);
        put_product(n, W, by, r, n, 1.0, x + bent * stride + c * stride_r, rows);
        put_product(n, G, by, 6, n, 1.0, x + bent * (stride + stride_r) + c * SOA_PORT_ER, rows);
    }
    return x && make_table(k, x, rows, n, &to->by_eta);
}

/* The tables of soa_modal_ports. false: no memory. */
static bool make_port_tables(const maker *k, soa_modal_ports *to)
{
    const size_t n = k->n, r = k->r, stride = soa_modal_stride(n), stride_r = soa_modal_stride(r);
    const size_t rows = SOA_PORT_ER + stride + stride_r;
    double *by_force = take(k, rows * n), *by_motion = take(k, n * (6 + r));
    double *G = take(k, 6 * n), *inertia = take(k, SOA_ARTICULATED_NUMBERS), *er = take(k, 6 * r),
           *ee = take(k, r * stride_r);
    if (!by_force || !by_motion || !G || !inertia || !er || !ee) {
        return false;
    }
    const factor Z = { k->Z, n, 1 }, W = { k->W, n, 1 }, er0 = { k->modal->er, 6, 1 }, G0 = { G, 6, 1 };
    put_product(n, er0, Z, 6, n, 1.0, G, 6); /* Z is symmetric: mode by mode */
    double all[36];
    put_product(n, er0, G0, 6, 6, -1.0, all, 6);
    for (int i = 0; i < 36; i++) {
        inertia[soa_articulated_at[i / 6][i % 6]] = all[i];
    }
    put_product(n, er0, W, 6, r, 1.0, er, 6);
    for (size_t a = 0; a < r; a++) {
        ee[a * stride_r + a] = 1.0;
    }
    for (size_t j = 0; j < n; j++) {
        memcpy(by_force + j * rows, G + 6 * j, 6 * sizeof *by_force);
        memcpy(by_force + j * rows + SOA_PORT_ER, k->Z + j * n, n * sizeof *by_force);
        memcpy(by_force + j * rows + SOA_PORT_ER + stride, k->W + j * n, r * sizeof *by_force);
        for (size_t e = 0; e < 6 + r; e++) {
            by_motion[e * n + j] = e < 6 ? -G[6 * j + e] : k->W[j * n + e - 6];
        }
    }
    *to = (soa_modal_ports){ .modes = (int)r, .ee = ee, .er = er, .inertia = inertia };
    return make_port_bent(k, G0, to) && make_table(k, by_force, rows, n, &to->by_force) &&
           make_table(k, by_motion, n, 6 + r, &to->by_motion);
}

/* Numbers of six rows that are but rounding of their row become zero. */
static void clear_rows(double *x, size_t step)
{
    for (size_t e = 0; e < 6; e++, x += step) {
        const double size = sqrt(dot(step, x, 1, x));
        for (size_t i = 0; i < step; i++) {
            x[i] = fabs(x[i]) > SOA_MODAL_ROUNDING * size ? x[i] : 0.0;
        }
    }
}

/* Which components of the motion of a node are always zero, by direction: the three rotations are, if all of them are zero at rest. */
static void find_still(size_t r, const double *U, unsigned char *still)
{
    const size_t stride = soa_modal_stride(r);
    for (size_t i = 0; i < r; i++) {
        for (size_t e = 0; e < 6; e++) {
            still[i] |= (unsigned char)((U[e * stride + i] == 0.0) << e);
        }
        still[i] &= (still[i] & 7) == 7 ? 63 : 56;
    }
}

/* U of the node that carries a body, six rows, and what of it is still. false: no memory. */
static bool make_port_rows(const maker *k, soa_body_rest *rest)
{
    const size_t stride = soa_modal_stride(k->n), stride_r = soa_modal_stride(k->r);
    const factor S = { k->modal->node[rest->node - 1].rows, 1, stride }, W = { k->W, k->n, 1 };
    double *U = take(k, 6 * stride_r);
    unsigned char *still = soa_arena_take(&k->model->arena, k->r + 1, 1);
    if (U && still) {
        put_product(k->n, W, S, k->r, 6, 1.0, U, stride_r);
        clear_rows(U, stride_r);
        find_still(k->r, U, still);
    }
    rest->port_rows = U;
    rest->port_still = still;
    return U && still;
}

/* Whether the nodes that carry bodies of link k move by their shapes alone. */
static bool is_first_order(const soa_model *m, const soa_modal *modal, int carried)
{
    bool first_order = true;
    for (int c = carried; c > 0; c = m->rest[c].beside) {
        first_order = first_order && modal->node[m->rest[c].node - 1].second.count == 0;
    }
    return first_order;
}

/* Whether two links with the same tables carry bodies at the same nodes. */
static bool same_ports(const soa_model *m, const soa_body_rest *a, const soa_body_rest *b)
{
    int i = a->carried, j = b->carried;
    while (i > 0 && j > 0 && m->rest[i].node == m->rest[j].node) {
        i = m->rest[i].beside;
        j = m->rest[j].beside;
    }
    return i == 0 && j == 0;
}

enum { LOOK_BACK = 64 }; /* bodies: links that repeat stand near each other */

/* Takes the ports of a link before with the same data that carries bodies at the same nodes. */
static bool take_ports(soa_model *m, int k)
{
    soa_body_rest *rest = &m->rest[k];
    for (int j = k - 1; j >= 0 && j >= k - LOOK_BACK; j--) {
        const soa_body_rest *other = &m->rest[j];
        if (other->modal && other->modal->er == rest->modal->er && same_ports(m, rest, other)) {
            rest->ports = other->ports;
            for (int c = rest->carried, d = other->carried; c > 0; c = m->rest[c].beside, d = m->rest[d].beside) {
                m->rest[c].port_rows = m->rest[d].port_rows;
                m->rest[c].port_still = m->rest[d].port_still;
            }
            return true;
        }
    }
    return false;
}

/* Makes them. false: no memory. */
static bool make_ports(soa_model *m, int k)
{
    soa_body_rest *rest = &m->rest[k];
    maker of = { .model = m, .modal = rest->modal, .n = (size_t)rest->modal->modes, .ee = rest->modal->given->ee };
    if (!find_directions(&of, rest->carried)) {
        return false;
    }
    if (of.r == of.n || of.r + 6 > SOA_MAX_MODES) { /* most columns of a table */
        return true;
    }
    soa_modal_ports *ports = soa_arena_take(&m->arena, 1, sizeof *ports);
    bool done = ports && find_others(&of) && make_port_tables(&of, ports);
    for (int c = rest->carried; done && c > 0; c = m->rest[c].beside) {
        done = make_port_rows(&of, &m->rest[c]);
    }
    rest->ports = ports;
    return done;
}

bool soa_make_modal_ports(soa_model *m, int k)
{
    soa_body_rest *rest = &m->rest[k];
    if (is_first_order(m, rest->modal, rest->carried) && !take_ports(m, k) && !make_ports(m, k)) {
        return false;
    }
    const size_t whole = soa_modal_numbers((size_t)rest->modal->modes);
    rest->square = m->squares;
    rest->port_square = m->port_squares;
    m->squares += (int)whole;
    m->port_squares += (int)(rest->ports ? soa_ports_numbers(rest->ports) : whole);
    return true;
}
