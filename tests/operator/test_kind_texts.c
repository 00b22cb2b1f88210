/* The first number behind a list of kinds is none of them, and neither is -1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/soa.h"

/* How many numbers from 0 on have a text that is not the one of -1. */
#define KINDS(type, function)                                                      \
    static int count_##function(void)                                              \
    {                                                                              \
        int n = 0;                                                                 \
        while (n < 1000 && strcmp(function((type)n), function((type)(-1))) != 0) { \
            n++;                                                                   \
        }                                                                          \
        return n;                                                                  \
    }
KINDS(soa_space, soa_space_text)
KINDS(soa_side, soa_side_text)
KINDS(soa_operator, soa_operator_text)
KINDS(soa_joint_kind, soa_joint_kind_text)
KINDS(soa_status, soa_status_text)

static void kinds_have_texts_and_others_none(void **state)
{
    (void)state;
    assert_int_equal(count_soa_space_text(), SOA_SPACE_ONE + 1);
    assert_int_equal(count_soa_side_text(), SOA_SIDE_FORCE + 1);
    assert_int_equal(count_soa_operator_text(), SOA_OPERATORS);
    assert_int_equal(count_soa_joint_kind_text(), SOA_JOINT_KINDS);
    assert_true(count_soa_status_text() > SOA_E_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kinds_have_texts_and_others_none) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
