/* closure/each_state.c - calls with many states, which are solved one after another.
 *
 * Every function of soa/closure.h looks at what it is given before it begins and at its results before it says that
 * all is well, at each state by itself; both looks are here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "core/finite.h"

/* ---- states ------------------------------------------------------------------------------- */

soa_each soa_each_state(const soa_closures *set, int states, soa_closed_input all, soa_error *error)
{
    soa_each each = { .state = -1, .all = all, .error = error, .status = SOA_OK };
    if (!set || states < 0) {
        each.status =
            soa_fail(error, SOA_E_ARGUMENT, -1, "the set of closures is missing, or the number of states is negative");
        return each;
    }
    each.states = states;
    each.nq = set->nq, each.nv = set->nv, each.bodies = set->nodes;
    return each;
}

bool soa_each_next(soa_each *each)
{
    const int s = ++each->state;
    each->in = each->all;
    each->in.q = soa_given_at(each->all.q, each->nq, s);
    each->in.v = soa_given_at(each->all.v, each->nv, s);
    each->in.T = soa_given_at(each->all.T, each->nv, s);
    each->in.f = soa_given_at(each->all.f, 6 * each->bodies, s);
    each->in.vdot = soa_result_at(each->all.vdot, each->nv, s);
    return s < each->states;
}

void soa_each_done(soa_each *each, soa_status status)
{
    if (each->status != SOA_OK || status == SOA_OK) {
        return;
    }
    each->status = status;
    if (each->error) {
        soa_error *error = each->error;
        error->state = each->state;
        if (each->states > 1) {
            char text[SOA_ERROR_TEXT];
            memcpy(text, error->text, sizeof text);
            (void)snprintf(error->text, sizeof error->text, "state %d: %.*s", each->state, SOA_ERROR_TEXT - 24, text);
        }
    }
    each->error = NULL;
}

/* ---- inputs ------------------------------------------------------------------------------- */

/* The first of n numbers that is not finite; one is. */
static size_t not_finite(const double *x, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && isfinite(x[i])) {
        i++;
    }
    return i;
}

soa_status soa_check_numbers(const double *x, size_t n, const char *name, soa_error *error)
{
    return !x || soa_all_finite(x, n)
               ? SOA_OK
               : soa_fail(error, SOA_E_NUMBER, -1, "%s[%zu] is not finite; give a number", name, not_finite(x, n));
}

soa_status soa_check_closed(soa_closures *set, const soa_closed_input *in, soa_error *error)
{
    if (!set || !in->q) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set or q is missing");
    }
    soa_status status = soa_check_numbers(in->v, (size_t)set->nv, "v", error);
    SOA_NEXT(status, soa_check_numbers(in->T, (size_t)set->nv, "T", error));
    SOA_NEXT(status, soa_check_numbers(in->f, 6 * (size_t)set->nodes, "f", error));
    for (int s = 0; status == SOA_OK && s < set->systems; s++) {
        const soa_model *m = set->part[s].model;
        const double *q = in->q + set->part[s].q;
        if (m->quaternions > 0 || !soa_all_finite(q, (size_t)m->nq)) {
            status = soa_check_configuration(m, q, error);
        }
    }
    if (status == SOA_OK && !set->plan.made) {
        soa_plan_closures(set);
    }
    return status;
}

/* ---- results ------------------------------------------------------------------------------ */

/* The link that moves with velocity i of all systems. */
static const char *link_of_velocity(const soa_closures *set, int i)
{
    int s = set->systems - 1;
    while (s > 0 && i < set->part[s].v) {
        s--;
    }
    const soa_model *m = set->part[s].model;
    const int body = soa_body_of_number(m, i - set->part[s].v, false);
    return soa_description_link(&m->description, m->body[body].rest->link)->name;
}

static size_t numbers_of(const soa_closures *set, const soa_closed_result *y)
{
    const size_t items = y->by == SOA_BY_VELOCITY ? (size_t)set->nv : y->by == SOA_BY_ROW ? (size_t)set->rows : 1;
    return items * y->columns;
}

soa_status soa_closed_finite(const soa_closures *set, soa_closed_result y, soa_error *error)
{
    const size_t n = numbers_of(set, &y);
    if (!y.at || soa_all_finite(y.at, n)) {
        return SOA_OK;
    }
    char label[SOA_CLOSURE_LABEL];
    const size_t i = not_finite(y.at, n);
    const int item = (int)(i / y.columns);
    const char *where = y.by == SOA_BY_VELOCITY ? link_of_velocity(set, item)
                        : y.by == SOA_BY_ROW    ? soa_closure_label(set, set->row[item].tie, label, sizeof label)
                                                : NULL;
    soa_spoil((soa_state_out){ y.at, 1 }, n);
    return soa_fail(error, SOA_E_NUMBER, -1,
        "%s[%zu]%s%s%s is not finite: the numbers of the state or of the model are too large; give smaller ones",
        y.name, i, where ? " at '" : "", where ? where : "", where ? "'" : "");
}

soa_status soa_closed_done(
    const soa_closures *set, soa_status status, int count, const soa_closed_result *y, soa_error *error)
{
    for (int i = 0; status == SOA_OK && i < count; i++) {
        status = soa_closed_finite(set, y[i], error);
    }
    for (int i = 0; status != SOA_OK && i < count; i++) {
        soa_spoil((soa_state_out){ y[i].at, 1 }, y[i].at ? numbers_of(set, &y[i]) : 0);
    }
    return status;
}
