/* model/check_closure.c - what the kinds of closures need besides links and frames. */
#include <math.h>

#include "model/judge.h"

static soa_judge judge_of(const soa_closure *c, soa_error *error)
{
    return (soa_judge){ { error, SOA_OK }, "closure", c->name ? c->name : "(unnamed)", c->source };
}

static void check_general(soa_judge *j, const soa_closure *c)
{
    soa_require(j, c->rows >= 1 && c->rows <= 6, SOA_E_CLOSURE, "a general closure has 1 to 6 rows of Q");
    for (int i = 0; soa_ok(&j->outcome) && i < c->rows; i++) {
        double largest = 0.0;
        bool finite = true;
        for (int k = 0; k < 6; k++) {
            finite = finite && isfinite(c->Q[i][k]);
            largest = fmax(largest, fabs(c->Q[i][k]));
        }
        soa_require(j, finite, SOA_E_CLOSURE, "the rows of Q must be finite");
        soa_require(j, largest > 0.0, SOA_E_CLOSURE, "a row of Q is zero; take it out");
    }
}

soa_status soa_check_closure_rows(const soa_closure *c, soa_error *error)
{
    soa_judge j = judge_of(c, error);
    const double across = hypot(c->slip[0], c->slip[1]);
    soa_require(&j, isfinite(c->twist) && !(c->twist < 0.0), SOA_E_CLOSURE, "twist must be finite and not negative");
    if (c->kind == SOA_CLOSE_GENERAL) {
        check_general(&j, c);
    } else if (c->kind == SOA_CLOSE_DISTANCE) {
        soa_require(&j, c->distance > 0.0, SOA_E_CLOSURE,
            "a distance must be positive; to hold two points together use 'spherical'");
    } else if (c->kind == SOA_CLOSE_SLIDING) {
        soa_require(&j, isfinite(across) && isfinite(c->slip[2]) && !(fabs(c->slip[2]) > 1e-9 * across), SOA_E_CLOSURE,
            "slip must be a direction in the plane x, y of the frame at_b");
    }
    return j.outcome.status;
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
    soa_judge j = judge_of(c, error);
    const char *item = unused(c);
    if (item) {
        soa_remark(&j, m, "a %s closure has no %s; it is not used", soa_closure_kind_text(c->kind), item);
    }
    return j.outcome.status;
}
