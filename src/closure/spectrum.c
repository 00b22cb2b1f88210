/* closure/spectrum.c - singular values of the rows by plane rotations (one-sided Jacobi). */
#include "closure/spectrum.h"

#include <math.h>
#include <string.h>

/* ---- loop systems ----------------------------------------------------------------------------- */

/* Ties that have been found to share a joint point to one of lower number. */
typedef struct sharing {
    int *before; /* by tie: itself, or another of its loop system */
    int *owner;  /* by node: the last tie that has its joint, or -1 */
} sharing;

/* The joint of the node belongs to the tie's loop system. */
static void claim(const sharing *s, int node, int tie)
{
    if (s->owner[node] >= 0) {
        const int a = soa_first_of(s->before, s->owner[node]), b = soa_first_of(s->before, tie);
        s->before[a < b ? b : a] = a < b ? a : b;
    }
    s->owner[node] = tie;
}

/* The joints between the two ends of a tie. */
static void claim_way(const soa_closures *set, const sharing *s, int tie)
{
    int a = set->tie[tie].end[0].node, b = set->tie[tie].end[1].node;
    if (set->tie[tie].coupling) {
        claim(s, a, tie);
        if (b != SOA_NO_NODE) {
            claim(s, b, tie);
        }
        return;
    }
    while (a != b) {
        int *further = a > b ? &a : &b; /* parents have lower numbers, and the world the lowest */
        claim(s, *further, tie);
        *further = set->node[*further].parent;
    }
    if (a != SOA_NO_NODE &&
        set->part[set->node[a].part].model->body[set->node[a].body].joint_class == SOA_CLASS_MODAL) {
        claim(s, a, tie); /* its modes move the nodes that both ways begin at */
    }
}

void soa_find_loops(soa_closures *set)
{
    const sharing s = { set->scratch.ints, set->scratch.ints + set->ties };
    for (int k = 0; k < set->nodes; k++) {
        s.owner[k] = -1;
    }
    for (int i = 0; i < set->ties; i++) {
        s.before[i] = i;
    }
    for (int i = 0; i < set->ties; i++) {
        if (set->tie[i].enabled) {
            claim_way(set, &s, i);
        }
    }
    set->ranks.loops = 0;
    for (int i = 0; i < set->ties; i++) {
        const int first = soa_first_of(s.before, i);
        set->ranks.loop_of[i] = first == i ? set->ranks.loops : set->ranks.loop_of[first];
        if (first == i && set->tie[i].enabled) {
            set->ranks.loop[set->ranks.loops++] = (soa_loop){ .rank = 0 };
        }
    }
    for (int k = 0; k < set->nodes; k++) {
        set->node[k].loop = s.owner[k] < 0 ? -1 : set->ranks.loop_of[s.owner[k]];
    }
}

/* ---- rows in units of their size --------------------------------------------------------------- */

bool soa_spectrum_take(soa_closures *set, soa_spectrum *s)
{
    const size_t rows = (size_t)set->rows, nv = (size_t)set->nv, loops = (size_t)set->ranks.loops;
    soa_stack *stack = &set->stack;
    soa_stack_begin(stack);
    s->G = soa_stack_take(stack, rows * nv, sizeof(double));
    s->Q = soa_stack_take(stack, rows * rows, sizeof(double));
    s->sigma = soa_stack_take(stack, rows, sizeof(double));
    s->size = soa_stack_take(stack, rows, sizeof(double));
    s->R = soa_stack_take(stack, rows, sizeof(double));
    s->S = soa_stack_take(stack, 3 * nv, sizeof(double));
    s->length = soa_stack_take(stack, loops, sizeof(double));
    s->kept = soa_stack_take(stack, rows, sizeof(bool));
    s->order = soa_stack_take(stack, rows, sizeof(int));
    s->first = soa_stack_take(stack, loops + 1, sizeof(int));
    return !stack->overflow;
}

static double norm3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static bool is_coupling(const soa_closures *set, int row)
{
    return set->tie[set->row[row].tie].coupling;
}

/* Joints inboard of both ends of a closure do nothing to its rows: what is left there is rounding. */
static void clear_others(const soa_closures *set, const soa_spectrum *s)
{
    for (int k = 0; k < set->nodes; k++) {
        const soa_node *node = &set->node[k];
        const soa_part *part = &set->part[node->part];
        const soa_body_data *body = &part->model->body[node->body];
        for (int i = 0; i < set->rows; i++) {
            double *G = s->G + (size_t)i * (size_t)set->nv + (size_t)(part->v + body->v);
            if (set->ranks.loop_of[set->row[i].tie] != node->loop) {
                memset(G, 0, (size_t)body->nv * sizeof *G);
            }
        }
    }
}

/* l of each loop system: the longest lever of a joint that turns on a row that holds a translation; 1 without any. */
static void find_lengths(const soa_closures *set, const soa_spectrum *s, const double *turn)
{
    for (int k = 0; k < set->ranks.loops; k++) {
        s->length[k] = 0.0;
    }
    for (int i = 0; i < set->rows; i++) {
        const double across = is_coupling(set, i) ? 0.0 : norm3(set->row[i].W + 3);
        double *length = &s->length[set->ranks.loop_of[set->row[i].tie]];
        for (int c = 0; across > 0.0 && c < set->nv; c++) {
            const double lever = fabs(s->G[(size_t)i * (size_t)set->nv + (size_t)c]) * turn[c] / across;
            *length = lever > *length ? lever : *length;
        }
    }
    for (int k = 0; k < set->ranks.loops; k++) {
        s->length[k] = s->length[k] > 0.0 ? s->length[k] : 1.0;
    }
}

/* Columns of different loop systems have nothing in common, so each takes the length of its own. */
static void scale_rows(const soa_closures *set, const soa_spectrum *s)
{
    const double *turn = s->S + set->nv, *shift = turn + set->nv;
    for (int i = 0; i < set->rows; i++) {
        const soa_row *row = &set->row[i];
        const double l = s->length[set->ranks.loop_of[row->tie]];
        double *G = s->G + (size_t)i * (size_t)set->nv, most = 0.0;
        for (int c = 0; c < set->nv; c++) {
            if (G[c] != 0.0) {
                s->S[c] = 1.0 / (turn[c] + shift[c] / l);
                G[c] *= s->S[c];
                most = fmax(most, fabs(G[c]));
            }
        }
        const double unit = is_coupling(set, i) ? most : norm3(row->W) + l * norm3(row->W + 3);
        s->R[i] = unit > 0.0 ? 1.0 / unit : 1.0;
        for (int c = 0; c < set->nv; c++) {
            G[c] *= s->R[i];
        }
    }
}

/* ---- rotations ------------------------------------------------------------------------------------ */

static double dot(int n, const double *x, const double *y)
{
    double sum[4] = { 0.0, 0.0, 0.0, 0.0 };
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += x[i + j] * y[i + j];
        }
    }
    for (; i < n; i++) {
        sum[0] += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void rotate(int n, double *x, double *y, double c, double s)
{
    for (int i = 0; i < n; i++) {
        const double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/* Makes rows p and q of G orthogonal; whether they were not. */
static bool part_rows(const soa_closures *set, const soa_spectrum *s, int p, int q)
{
    double *x = s->G + (size_t)p * (size_t)set->nv, *y = s->G + (size_t)q * (size_t)set->nv;
    const double a = dot(set->nv, x, x), b = dot(set->nv, y, y), g = dot(set->nv, x, y);
    if (!(fabs(g) > 1e-15 * sqrt(a * b)) || fabs(g) < 1e-40) {
        return false;
    }
    const double zeta = (b - a) / (2.0 * g);
    const double t = (zeta > 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta)), c = 1.0 / sqrt(1.0 + t * t);
    rotate(set->nv, x, y, c, c * t);
    rotate(set->rows, s->Q + (size_t)p * (size_t)set->rows, s->Q + (size_t)q * (size_t)set->rows, c, c * t);
    return true;
}

enum { MOST_SWEEPS = 30 };

/* The directions of one loop system, listed in `at`. */
static void part_loop(const soa_closures *set, const soa_spectrum *s, int count, int *at)
{
    bool turned = true;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = false;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                turned = part_rows(set, s, at[i], at[j]) || turned;
            }
        }
    }
    double top = 0.0;
    for (int i = 0; i < count; i++) {
        const double *x = s->G + (size_t)at[i] * (size_t)set->nv;
        s->size[at[i]] = sqrt(dot(set->nv, x, x));
        top = fmax(top, s->size[at[i]]);
    }
    for (int i = 0; i < count; i++) {
        s->sigma[at[i]] = top > 0.0 ? s->size[at[i]] / top : 0.0;
        for (int j = i; j > 0 && s->sigma[at[j]] > s->sigma[at[j - 1]]; j--) {
            const int t = at[j];
            at[j] = at[j - 1];
            at[j - 1] = t;
        }
    }
}

void soa_spectrum_make(soa_closures *set, bool positions, soa_spectrum *s)
{
    double *turn = s->S + set->nv;
    set->table->jacobian(set, s->G);
    set->table->joint_sizes(set, turn, turn + set->nv);
    for (int c = 0; c < set->nv; c++) {
        s->S[c] = 1.0;
    }
    for (int i = 0; positions && i < set->rows; i++) {
        if (set->row[i].rolls) {
            memset(s->G + (size_t)i * (size_t)set->nv, 0, (size_t)set->nv * sizeof(double));
        }
    }
    clear_others(set, s);
    find_lengths(set, s, turn);
    scale_rows(set, s);
    memset(s->Q, 0, (size_t)set->rows * (size_t)set->rows * sizeof(double));
    int at = 0;
    for (int k = 0; k < set->ranks.loops; k++) {
        s->first[k] = at;
        for (int i = 0; i < set->rows; i++) {
            if (set->ranks.loop_of[set->row[i].tie] == k) {
                s->order[at++] = i;
                s->Q[(size_t)i * (size_t)set->rows + (size_t)i] = 1.0;
            }
        }
        part_loop(set, s, at - s->first[k], s->order + s->first[k]);
    }
    s->first[set->ranks.loops] = at;
}

/* ---- what is kept ------------------------------------------------------------------------------------ */

/* A position with a singular value below this is singular, whatever the rank elsewhere. */
#define SINGULAR 1e-8

void soa_spectrum_keep(const soa_closures *set, bool positions, soa_spectrum *s)
{
    s->count = 0;
    s->least = 1.0, s->most = 0.0;
    for (int k = 0; k < set->ranks.loops; k++) {
        const soa_loop *loop = &set->ranks.loop[k];
        for (int i = s->first[k]; i < s->first[k + 1]; i++) {
            const int j = s->order[i];
            const bool within = !positions && i - s->first[k] < loop->rank;
            s->kept[j] = s->sigma[j] > fmax(within ? SINGULAR : loop->limit, set->tolerance.rank);
            s->count += s->kept[j];
            s->least = s->kept[j] ? fmin(s->least, s->sigma[j]) : s->least;
            s->most = s->kept[j] ? s->most : fmax(s->most, s->sigma[j]);
        }
    }
}

void soa_spectrum_divide(const soa_closures *set, const soa_spectrum *s, const double *x, double *y)
{
    for (int j = 0; j < set->rows; j++) {
        const double *u = s->Q + (size_t)j * (size_t)set->rows;
        double sum = 0.0;
        for (int i = 0; s->kept[j] && i < set->rows; i++) {
            sum += u[i] * (s->R[i] * x[i]);
        }
        y[j] = s->kept[j] ? sum / s->size[j] : 0.0;
    }
}

void soa_spectrum_motion(const soa_closures *set, const soa_spectrum *s, const double *y, double *d)
{
    memset(d, 0, (size_t)set->nv * sizeof *d);
    for (int j = 0; j < set->rows; j++) {
        const double *G = s->G + (size_t)j * (size_t)set->nv;
        for (int c = 0; s->kept[j] && c < set->nv; c++) {
            d[c] += G[c] * (y[j] / s->size[j]);
        }
    }
    for (int c = 0; c < set->nv; c++) {
        d[c] *= s->S[c];
    }
}

void soa_spectrum_truncate(const soa_closures *set, const soa_spectrum *s, double *J)
{
    for (int i = 0; i < set->rows; i++) {
        double *row = J + (size_t)i * (size_t)set->nv;
        memset(row, 0, (size_t)set->nv * sizeof *row);
        for (int j = 0; j < set->rows; j++) {
            const double u = s->Q[(size_t)j * (size_t)set->rows + (size_t)i] / s->R[i];
            for (int c = 0; s->kept[j] && u != 0.0 && c < set->nv; c++) {
                row[c] += u * s->G[(size_t)j * (size_t)set->nv + (size_t)c] / s->S[c];
            }
        }
    }
}
