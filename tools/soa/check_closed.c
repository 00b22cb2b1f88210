/* check_closed.c - the laws of closed systems on a model with closures. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "soa/closure.h"

enum { LAWS = 3 };

/* The set at a state that satisfies it. */
typedef struct closed_state {
    const check_state *s;
    soa_closures *set;
    int rows;
    double *q, *v, *vdot, *scratch; /* nq; nv; nv; the larger of both */
    double *J, *x, *y;              /* rows x nv; rows; rows */
} closed_state;

static void begin(const check_state *s, closed_state *c)
{
    *c = (closed_state){ .s = s };
    tool_must(soa_closures_new(1, &s->model, NULL, &TOOL_MEMORY, &c->set, tool_error()));
    const size_t nq = (size_t)s->nq + 1, nv = (size_t)s->nv, rows = (size_t)soa_closures_rows(c->set);
    c->rows = (int)rows;
    c->q = tool_take(3 * nq + 2 * nv + rows * (nv + 2), sizeof *c->q);
    c->scratch = c->q + nq;
    c->v = c->scratch + 2 * nq;
    c->vdot = c->v + nv;
    c->J = c->vdot + nv;
    c->x = c->J + rows * nv;
    c->y = c->x + rows;
}

/* The state of the check, closed. */
static bool find_state(closed_state *c)
{
    memcpy(c->q, c->s->q, (size_t)c->s->nq * sizeof *c->q);
    memcpy(c->v, c->s->v, (size_t)c->s->nv * sizeof *c->v);
    return tool_close_state(c->s->model, c->set, c->q, c->v);
}

/* How far the laws of closures may be off where rows of the file are rounded: they are solved as the nearest rows that
 * depend on each other, and missed by what they contradict. */
static double find_rounding(closed_state *c)
{
    soa_redundancy found;
    double most = 0.0;
    if (soa_closures_redundancy(c->set, &found, NULL) != SOA_OK || !found.rounded ||
        soa_closure_violation(c->set, 1, c->q, NULL, c->x, NULL, NULL) != SOA_OK) {
        return 0.0;
    }
    for (int r = 0; r < c->rows; r++) {
        most = fmax(most, fabs(c->x[r]));
    }
    return 10.0 * (most + found.dropped);
}

/* The largest difference, beside the largest number. */
static double relative(double off, double scale)
{
    return scale > 0.0 ? off / scale : off;
}

/* J beta = d/dt of the rows' positions, by differences; rows that hold velocities alone are left out. */
static void check_rate(closed_state *c, double *off)
{
    const int nv = c->s->nv;
    const double h = 1e-5;
    double worst = 0.0, scale = 0.0;
    soa_integrate(c->s->model, c->q, c->s->v, h, c->scratch);
    tool_must(soa_closure_violation(c->set, 1, c->scratch, NULL, c->x, NULL, tool_error()));
    soa_integrate(c->s->model, c->q, c->s->v, -h, c->scratch);
    tool_must(soa_closure_violation(c->set, 1, c->scratch, NULL, c->y, NULL, tool_error()));
    for (int r = 0; r < c->rows; r++) {
        double sum = 0.0;
        for (int i = 0; i < nv; i++) {
            sum += c->J[(size_t)r * (size_t)nv + (size_t)i] * c->s->v[i];
        }
        const double rate = (c->x[r] - c->y[r]) / (2.0 * h);
        worst = rate == 0.0 ? worst : fmax(worst, fabs(sum - rate));
        scale = fmax(scale, fabs(sum));
    }
    *off = relative(worst, scale);
}

/* J betadot + bias = 0 */
static void check_rows(closed_state *c, double *off)
{
    const int nv = c->s->nv;
    double worst = 0.0, scale = 0.0;
    tool_must(soa_closure_bias(c->set, 1, c->q, c->v, c->x, tool_error()));
    for (int r = 0; r < c->rows; r++) {
        double sum = c->x[r];
        for (int i = 0; i < nv; i++) {
            const double part = c->J[(size_t)r * (size_t)nv + (size_t)i] * c->vdot[i];
            sum += part;
            scale = fmax(scale, fabs(part));
        }
        scale = fmax(scale, fabs(c->x[r]));
        worst = fabs(sum) <= worst ? worst : fabs(sum);
    }
    *off = relative(worst, scale);
}

/* Mass betadot + C = T + J* lambda */
static void check_forces(closed_state *c, double *off)
{
    const check_state *s = c->s;
    const double *lambda = soa_closure_multipliers(c->set);
    double worst = 0.0, scale = 0.0;
    tool_must(soa_inverse_dynamics(s->model, s->workspace, 1, c->q, c->v, c->vdot, NULL, c->scratch, tool_error()));
    for (int i = 0; i < s->nv; i++) {
        double sum = s->tau[i];
        for (int r = 0; r < c->rows; r++) {
            const double part = c->J[(size_t)r * (size_t)s->nv + (size_t)i] * lambda[r];
            sum += part;
            scale = fmax(scale, fabs(part));
        }
        const double d = fabs(sum - c->scratch[i]);
        scale = fmax(scale, fabs(c->scratch[i]));
        worst = d <= worst ? worst : d;
    }
    *off = relative(worst, scale);
}

static void check_laws(closed_state *c, double off[LAWS])
{
    tool_must(soa_closure_jacobian(c->set, 1, c->q, c->J, tool_error()));
    check_rate(c, &off[0]);
    tool_must(soa_closed_forward_dynamics(c->set, 1, c->q, c->v, c->s->tau, NULL, c->vdot, NULL, NULL, tool_error()));
    check_forces(c, &off[2]); /* lambda is that of the last solution */
    check_rows(c, &off[1]);
}

void check_closures(const check_state *s, check_table *table, int first)
{
    static const char *const TEXT[LAWS] = { "J beta = rate of the closures' positions",
        "J betadot + bias = 0, loops shut", "Mass betadot + C = T + J* lambda, loops shut" };
    closed_state c;
    double off[LAWS] = { 0.0 };
    if (tool_closures_on(s->model) + soa_model_couplings(s->model) == 0) {
        return;
    }
    begin(s, &c);
    const bool found = find_state(&c);
    if (found) {
        check_laws(&c, off);
        table->rounding = fmax(table->rounding, find_rounding(&c));
    }
    for (int i = 0; i < LAWS; i++) {
        const bool is_new = first + i >= table->count;
        check_row *row = check_row_of(table, first + i, "CC", TEXT[i], i == 0 ? CHECK_BY_DIFFERENCES : CHECK_TOLERANCE);
        const bool seen = found || (!is_new && !row->unchecked);
        row->unchecked = !seen;
        row->without = seen ? NULL : "FAILS: no closed state found";
        row->tolerance = fmax(row->tolerance, table->rounding);
        row->error = off[i] <= row->error ? row->error : off[i];
    }
}
