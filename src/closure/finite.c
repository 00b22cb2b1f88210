/* closure/finite.c - numbers of closed systems are finite: those that are given, and those that come out.
 *
 * Every function of soa/closure.h looks at what it is given before it begins and at its results before it says that
 * all is well; both looks are here. */
#include <math.h>

#include "closure/closure.h"
#include "core/error.h"
#include "core/finite.h"

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
    status = status == SOA_OK ? soa_check_numbers(in->T, (size_t)set->nv, "T", error) : status;
    status = status == SOA_OK ? soa_check_numbers(in->f, 6 * (size_t)set->nodes, "f", error) : status;
    for (int s = 0; status == SOA_OK && s < set->systems; s++) {
        const soa_model *m = set->part[s].model;
        const double *q = in->q + set->part[s].q;
        if (m->quaternions > 0 || !soa_all_finite(q, (size_t)m->nq)) {
            status = soa_check_configuration(m, q, error);
        }
    }
    if (status == SOA_OK && !set->planned) {
        soa_plan(set);
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

soa_status soa_closed_finite(const soa_closures *set, soa_closed_result y, soa_error *error)
{
    const size_t items = y.by == SOA_BY_VELOCITY ? (size_t)set->nv : y.by == SOA_BY_ROW ? (size_t)set->rows : 1;
    const size_t n = items * y.columns;
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
