/* tests/io/yaml_round.h - a model written as YAML, read back and written again. */
#ifndef SOA_TESTS_IO_YAML_ROUND_H
#define SOA_TESTS_IO_YAML_ROUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "io/same_model.h"
#include "soa/io.h"

static inline void fail_with(const char *what, const soa_error *error)
{
    char message[1024];
    fail_msg("%s: %s", what, soa_error_message(error, message, sizeof message));
}

static inline void check_round_trip(const soa_model *model, const char *what)
{
    soa_error error;
    char *text, *again, where[200];
    size_t length, length_again;
    soa_model *back;
    if (soa_write(model, SOA_YAML, NULL, &text, &length, &error) != SOA_OK) {
        fail_with(what, &error);
    }
    assert_int_equal(strlen(text), length);
    if (soa_load_text(SOA_YAML, text, length, NULL, NULL, &back, &error) != SOA_OK) {
        print_error("%.4000s\n", text);
        fail_with(what, &error);
    }
    if (!same_model(model, back, where, sizeof where)) {
        fail_msg("%s: %s differs", what, where);
    }
    assert_int_equal(soa_write(back, SOA_YAML, NULL, &again, &length_again, &error), SOA_OK);
    assert_int_equal(length, length_again);
    assert_memory_equal(text, again, length);
    soa_text_free(NULL, text);
    soa_text_free(NULL, again);
    soa_model_free(back);
}

#endif
