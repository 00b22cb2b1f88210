/* model/check_closure.c - what the kinds of closures need besides links and frames. */
#include <math.h>

#include "core/error.h"
#include "model/model.h"

static const char *name_of(const soa_closure *c)
{
    return c->name ? c->name : "(unnamed)";
}

static soa_status refuse(const soa_closure *c, const char *why, soa_error *error)
{
    return soa_fail_source(error, SOA_E_CLOSURE, c->source, "closure '%s': %s", name_of(c), why);
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

/* ---- what is given and not used ---------------------------------------------------------- */

/* The first item that means nothing for the kind; NULL: none. */
static const char *unused(const soa_closure *c)
{
    const soa_closure_kind kind = c->kind;
    const bool may_press = kind == SOA_CLOSE_RIGID || kind == SOA_CLOSE_LINE;
    const bool contact = kind == SOA_CLOSE_SOFT_FINGER || kind == SOA_CLOSE_POINT || kind == SOA_CLOSE_SLIDING;
    if (c->one_sided && !may_press && !contact) {
        return "one_sided";
    }
    if (c->friction > 0.0 && !contact && !(may_press && c->one_sided)) {
        return may_press ? "friction (unless it is one_sided)" : "friction";
    }
    if (c->distance > 0.0 && kind != SOA_CLOSE_DISTANCE) {
        return "distance";
    }
    if (c->twist > 0.0 && kind != SOA_CLOSE_SOFT_FINGER) {
        return "twist";
    }
    if ((c->slip[0] != 0.0 || c->slip[1] != 0.0 || c->slip[2] != 0.0) && kind != SOA_CLOSE_SLIDING) {
        return "slip";
    }
    if (c->rows > 0 && kind != SOA_CLOSE_GENERAL) {
        return "Q";
    }
    return c->nonholonomic && kind != SOA_CLOSE_GENERAL ? "nonholonomic" : NULL;
}

soa_status soa_warn_closure(soa_model *m, const soa_closure *c, soa_error *error)
{
    const char *item = unused(c);
    const bool told = !item || soa_description_warn(&m->description, &m->allocator, &m->arena, c->source,
                                   "closure '%s': a %s closure has no %s; it is not used", name_of(c),
                                   soa_closure_kind_text(c->kind), item);
    return told ? SOA_OK : soa_fail_memory(error);
}
