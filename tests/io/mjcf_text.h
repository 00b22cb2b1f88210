/* tests/io/mjcf_text.h - MJCF in the text of a test, and comparing numbers. */
#ifndef SOA_TESTS_IO_MJCF_TEXT_H
#define SOA_TESTS_IO_MJCF_TEXT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/io.h"

/* What a test is about, in its frame: compiler and the like, then the bodies. */
#define WORLD(bodies) "<mujoco>\n<worldbody>\n" bodies "\n</worldbody>\n</mujoco>"
#define INERTIAL      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>"

static inline soa_model *must_load(const char *text)
{
    soa_model *model;
    soa_error error;
    if (soa_load_text(SOA_MJCF, text, strlen(text), "test.xml", NULL, &model, &error) != SOA_OK) {
        fail_msg("%d: %s\n%s", error.line, error.text, text);
    }
    return model;
}

static inline void near_numbers(const char *what, double tolerance, int n, const double *found, const double *wanted)
{
    for (int i = 0; i < n; i++) {
        if (!(found[i] == wanted[i] || fabs(found[i] - wanted[i]) <= tolerance)) {
            fail_msg("%s[%d] is %.17g, not %.17g", what, i, found[i], wanted[i]);
        }
    }
}

static inline void near(const char *what, double tolerance, double found, double wanted)
{
    near_numbers(what, tolerance, 1, &found, &wanted);
}

static inline const soa_link *link_of(const soa_model *model, const char *name)
{
    const soa_link *link = soa_model_link(model, soa_model_find_link(model, name));
    if (!link) {
        fail_msg("there is no link %s", name);
    }
    return link;
}

/* Whether some warning contains the text. */
static inline bool warns(const soa_model *model, const char *text)
{
    for (int i = 0; i < soa_model_warnings(model); i++) {
        if (strstr(soa_model_warning(model, i)->text, text)) {
            return true;
        }
    }
    return false;
}

#endif
