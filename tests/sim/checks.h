/* What tests of simulations share: calls that must succeed, and numbers that must be near. */
#ifndef SOA_TESTS_SIM_CHECKS_H
#define SOA_TESTS_SIM_CHECKS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "soa/sim.h"

static soa_error error;

static inline void ok(soa_status status)
{
    if (status != SOA_OK) {
        fail_msg("%s", error.text);
    }
}

static inline void near_at(int line, double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("line %d: %.15g, not %.15g", line, a, b);
    }
}
#define NEAR(a, b, tolerance) near_at(__LINE__, a, b, tolerance)

static inline soa_model *builtin(const char *name)
{
    soa_model *model = NULL;
    ok(soa_model_builtin(name, NULL, &model, &error));
    return model;
}

#endif
