/* dynamics/results.c - the outputs of a state: how many numbers they are, that they are finite, spoiling them. */
#include <math.h>

#include "core/error.h"
#include "core/finite.h"
#include "dynamics/kernels.h"

/* ---- how many, and whose ------------------------------------------------------------------ */

size_t soa_shape_numbers(const soa_model *m, const soa_call *call, soa_numbers shape)
{
    const size_t nv = (size_t)m->nv, points = call->points > 0 ? (size_t)call->points : 0;
    const size_t items = call->point ? points : (size_t)m->description.link.count;
    switch (shape) {
    case SOA_PER_VELOCITY:
        return nv;
    case SOA_VELOCITY_SQUARE:
        return nv * nv;
    case SOA_SIX_BY_VELOCITY:
        return 6 * nv;
    case SOA_POINTS_BY_VELOCITY:
        return 6 * points * nv;
    case SOA_SIX_PER_BODY:
        return 6 * (size_t)m->bodies;
    case SOA_TWELVE_PER_ITEM:
        return 12 * items;
    case SOA_SIX_PER_ITEM:
        return 6 * items;
    case SOA_SIX_PER_POINT:
        return 6 * points;
    case SOA_POINT_SQUARE:
        return 36 * points * points;
    case SOA_TWO:
        return 2;
    case SOA_SIX:
        return 6;
    case SOA_TWELVE:
        return 12;
    case SOA_NO_OUTPUT:
        break;
    }
    return 0;
}

/* The body that number i of an output is about; -1: none, or all. */
static int body_of_output(const soa_workspace *w, const soa_call *call, soa_numbers shape, size_t i)
{
    const soa_model *m = w->model;
    const int item = (int)(i / (shape == SOA_TWELVE_PER_ITEM ? 12 : 6));
    switch (shape) {
    case SOA_PER_VELOCITY:
    case SOA_VELOCITY_SQUARE:
    case SOA_SIX_BY_VELOCITY:
    case SOA_POINTS_BY_VELOCITY:
        return soa_body_of_number(m, (int)(i % (size_t)m->nv), false);
    case SOA_SIX_PER_BODY:
        return item;
    case SOA_TWELVE_PER_ITEM:
    case SOA_SIX_PER_ITEM: {
        const int link = call && call->point ? call->point[item].link : item;
        return link < 0 ? -1 : m->place[link].body;
    }
    case SOA_SIX_PER_POINT:
        return call && call->point[item].link >= 0 ? m->place[call->point[item].link].body : -1;
    default:
        return -1;
    }
}

/* ---- finite or not --------------------------------------------------------------------------- */

/* Number i of a result is not finite, though what it was made of is. */
static soa_status fail_result(
    const soa_workspace *w, const soa_call *call, soa_result result, size_t i, int state, soa_error *error)
{
    const soa_model *m = w->model;
    const int body = body_of_output(w, call, result.shape, i);
    const char *link = body < 0 ? "" : soa_description_link(&m->description, m->body[body].rest->link)->name;
    return soa_at_state(soa_fail(error, SOA_E_NUMBER, body,
                            "state %d: %s[%zu]%s%s%s is not finite: the numbers of the state or of the model are too "
                            "large; give smaller ones",
                            w->first + state, result.name ? result.name : "result", i, body < 0 ? "" : " at link '",
                            link, body < 0 ? "" : "'"),
        w, state, error);
}

/* The first of n numbers, spacing apart, that is not finite; n: all are. */
static size_t first_not_finite(const double *x, size_t n, size_t spacing)
{
    size_t i = 0;
    while (i < n && isfinite(x[i * spacing])) {
        i++;
    }
    return i;
}

/* Numbers of the diagonal of a square output of n numbers are small. */
static bool diagonal_small(const double *y, size_t n, size_t spacing)
{
    const size_t rows = (size_t)sqrt((double)n);
    bool small = true;
    for (size_t i = 0; i < rows; i++) {
        small = small && y[i * (rows + 1) * spacing] < SOA_SMALL;
    }
    return small;
}

bool soa_outputs_finite(const soa_workspace *w, soa_bound bound, const soa_call *part)
{
    if (bound != SOA_UNBOUNDED && part->small &&
        (bound == SOA_BOUND_NOTHING || diagonal_small(part->y.at, part->y.stride, part->spacing))) {
        return true;
    }
    const size_t count = (size_t)part->count;
    for (int i = 0; i < SOA_OUTPUTS; i++) {
        const soa_out y = part->out[i];
        if (!y.at) {
            continue;
        }
        if (part->spacing == 1 || count == part->spacing) { /* one run of numbers */
            if (!w->work.finite(y.at, count * y.stride)) {
                return false;
            }
            continue;
        }
        for (size_t lane = 0; lane < count; lane++) {
            if (first_not_finite(y.at + lane, y.stride, part->spacing) < y.stride) {
                return false;
            }
        }
    }
    return true;
}

soa_status soa_check_outputs(
    const soa_workspace *w, const soa_kernel_info *info, const soa_call *call, int state, soa_error *error)
{
    for (int i = 0; i < SOA_OUTPUTS; i++) {
        const soa_out y = call->out[i];
        if (!y.at) {
            continue;
        }
        const double *x = y.at + soa_state_at(call->spacing, y.stride, state);
        const size_t at = first_not_finite(x, y.stride, call->spacing);
        if (at < y.stride) {
            return fail_result(
                w, call, info ? info->y[i] : (soa_result){ NULL, SOA_NO_OUTPUT, true }, at, state, error);
        }
    }
    return SOA_OK;
}

soa_status soa_check_result(
    const soa_workspace *w, soa_result result, soa_state_out y, size_t n, int state, soa_error *error)
{
    const size_t at = y.at ? first_not_finite(y.at, n, y.spacing) : n;
    if (at == n) {
        return SOA_OK;
    }
    soa_spoil(y, n);
    return fail_result(w, NULL, result, at, state, error);
}

/* ---- outputs of states that failed ------------------------------------------------------ */

void soa_spoil(soa_state_out y, size_t n)
{
    for (size_t i = 0; y.at && i < n; i++) {
        y.at[i * y.spacing] = NAN;
    }
}

void soa_spoil_state(const soa_call *call, int state)
{
    for (int i = 0; i < SOA_OUTPUTS; i++) {
        const soa_out y = call->out[i];
        if (y.at) {
            soa_spoil((soa_state_out){ y.at + soa_state_at(call->spacing, y.stride, state), call->spacing }, y.stride);
        }
    }
}
