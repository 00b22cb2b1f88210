/* check_closed.c - the laws of closed systems on a model with closures. */
#include <math.h>
#include <stdlib.h>
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

static bool begin(const check_state *s, closed_state *c, soa_error *error)
{
    *c = (closed_state){ .s = s };
    if (soa_closures_new(1, &s->model, NULL, NULL, &c->set, error) != SOA_OK) {
        return false;
    }
    const size_t nq = (size_t)s->nq + 1, nv = (size_t)s->nv, rows = (size_t)soa_closures_rows(c->set);
    c->rows = (int)rows;
    c->q = calloc(3 * nq + 2 * nv + rows * (nv + 2), sizeof *c->q);
    if (c->q == NULL) {
        return false;
    }
    c->scratch = c->q + nq;
    c->v = c->scratch + 2 * nq;
    c->vdot = c->v + nv;
    c->J = c->vdot + nv;
    c->x = c->J + rows * nv;
    c->y = c->x + rows;
    return true;
}

static void end(closed_state *c)
{
    soa_closures_free(c->set);
    free(c->q);
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
static soa_status check_rate(closed_state *c, double *off, soa_error *error)
{
    const int nv = c->s->nv;
    const double h = 1e-5;
    double worst = 0.0, scale = 0.0;
    soa_integrate(c->s->model, c->q, c->s->v, h, c->scratch);
    soa_status status = soa_closure_violation(c->set, 1, c->scratch, NULL, c->x, NULL, error);
    soa_integrate(c->s->model, c->q, c->s->v, -h, c->scratch);
    status = status == SOA_OK ? soa_closure_violation(c->set, 1, c->scratch, NULL, c->y, NULL, error) : status;
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
    return status;
}

/* J betadot + bias = 0 */
static soa_status check_rows(closed_state *c, double *off, soa_error *error)
{
    const int nv = c->s->nv;
    double worst = 0.0, scale = 0.0;
    const soa_status status = soa_closure_bias(c->set, 1, c->q, c->v, c->x, error);
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
    return status;
}

/* Mass betadot + C = T + J* lambda */
static soa_status check_forces(closed_state *c, double *off, soa_error *error)
{
    const check_state *s = c->s;
    const double *lambda = soa_closure_multipliers(c->set);
    double worst = 0.0, scale = 0.0;
    const soa_status status =
        soa_inverse_dynamics(s->model, s->workspace, 1, c->q, c->v, c->vdot, NULL, c->scratch, error);
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
    return status;
}

static soa_status check_laws(closed_state *c, double off[LAWS], soa_error *error)
{
    soa_status status = soa_closure_jacobian(c->set, 1, c->q, c->J, error);
    status = status == SOA_OK ? check_rate(c, &off[0], error) : status;
    if (status == SOA_OK) {
        status = soa_closed_forward_dynamics(c->set, 1, c->q, c->v, c->s->tau, NULL, c->vdot, NULL, NULL, error);
    }
    status = status == SOA_OK ? check_forces(c, &off[2], error) : status; /* lambda is that of the last solution */
    return status == SOA_OK ? check_rows(c, &off[1], error) : status;
}

int check_closures(const check_state *s, check_table *table, int first)
{
    static const char *const TEXT[LAWS] = { "J beta = rate of the closures' positions",
        "J betadot + bias = 0, loops shut", "Mass betadot + C = T + J* lambda, loops shut" };
    closed_state c;
    double off[LAWS] = { 0.0 };
    soa_error error;
    soa_error_clear(&error);
    if (tool_closures_on(s->model) + soa_model_couplings(s->model) == 0) {
        return TOOL_OK;
    }
    bool good = begin(s, &c, &error);
    const bool found = good && find_state(&c);
    good = good && (!found || check_laws(&c, off, &error) == SOA_OK);
    table->rounding = found && good ? fmax(table->rounding, find_rounding(&c)) : table->rounding;
    end(&c);
    for (int i = 0; good && i < LAWS; i++) {
        const bool is_new = first + i >= table->count;
        check_row *row = check_row_of(table, first + i, "CC", TEXT[i], i == 0 ? CHECK_BY_DIFFERENCES : CHECK_TOLERANCE);
        good = row != NULL;
        if (good) {
            const bool seen = found || (!is_new && !row->unchecked);
            row->unchecked = !seen;
            row->without = seen ? NULL : "FAILS: no closed state found";
            row->tolerance = fmax(row->tolerance, table->rounding);
            row->error = off[i] <= row->error ? row->error : off[i];
        }
    }
    return good ? TOOL_OK : error.status != SOA_OK ? tool_fail_error(&error) : tool_fail_memory();
}
