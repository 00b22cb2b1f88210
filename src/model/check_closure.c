/* model/check_closure.c - what the kinds of closures need besides links and frames. */
#include <math.h>

#include "model/model.h"

static soa_status refuse(const soa_closure *c, const char *why, soa_error *error)
{
    return soa_fail_source(error, SOA_E_CLOSURE, c->source, "closure '%s': %s", c->name ? c->name : "(unnamed)", why);
}

static soa_status check_general(const soa_closure *c, soa_error *error)
{
    if (c->rows < 1 || c->rows > 6) {
        return refuse(c, "a general closure has 1 to 6 rows of Q", error);
    }
    for (int i = 0; i < c->rows; i++) {
        double largest = 0.0;
        for (int j = 0; j < 6; j++) {
            if (!isfinite(c->Q[i][j])) {
                return refuse(c, "the rows of Q must be finite", error);
            }
            largest = fmax(largest, fabs(c->Q[i][j]));
        }
        if (!(largest > 0.0)) {
            return refuse(c, "a row of Q is zero; take it out", error);
        }
    }
    return SOA_OK;
}

soa_status soa_check_closure_rows(const soa_closure *c, soa_error *error)
{
    if (!isfinite(c->twist) || c->twist < 0.0) {
        return refuse(c, "twist must be finite and not negative", error);
    }
    if (c->kind == SOA_CLOSE_GENERAL) {
        return check_general(c, error);
    }
    if (c->kind == SOA_CLOSE_DISTANCE && !(c->distance > 0.0)) {
        return refuse(c, "a distance must be positive; to hold two points together use 'spherical'", error);
    }
    if (c->kind == SOA_CLOSE_SLIDING) {
        const double across = hypot(c->slip[0], c->slip[1]);
        if (!isfinite(across) || !isfinite(c->slip[2]) || fabs(c->slip[2]) > 1e-9 * across) {
            return refuse(c, "slip must be a direction in the plane x, y of the frame at_b", error);
        }
    }
    return SOA_OK;
}
