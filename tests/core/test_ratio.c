/* Exact fractions: laws of arithmetic, one form for each number, and no number where digits would be lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/number.h"
#include "core/ratio.h"

static const char *const number[] = { "0", "1", "3", "0.1", "0.2", "0.3", "2.5", "1e-300", "7e20", "1.00000000000001",
    "1024", "0.0009765625", "999999999999999999", "-4", "12e-7" };

enum { NUMBERS = sizeof number / sizeof number[0] };

/* Small enough that sums and products of three stay numbers. */
static const char *const small[] = { "1", "3", "-7", "0.1", "2.5", "0.04", "11" };

static void decimals_are_kept(void **state)
{
    (void)state;
    for (int i = 0; i < NUMBERS; i++) {
        char text[SOA_RATIO_SIZE];
        double value = 0.0;
        const soa_ratio a = soa_ratio_read(number[i]);
        assert_true(soa_ratio_is_number(a));
        assert_non_null(soa_number_read(number[i], &value));
        assert_true(soa_ratio_double(a) == value);
        assert_true(soa_ratio_equal(soa_ratio_read(soa_ratio_write(text, a)), a));
    }
    assert_true(soa_ratio_equal(soa_ratio_read("100"), soa_ratio_read("1e2")));
    assert_true(soa_ratio_equal(soa_ratio_read("0.50"), soa_ratio_divide(soa_ratio_of(7), soa_ratio_of(14))));
    assert_true(soa_ratio_equal(soa_ratio_read("1230000000000000000000000"), soa_ratio_read("1.23e24")));
    assert_false(soa_ratio_equal(soa_ratio_read("1e-999"), soa_ratio_of(0)));
}

static void laws_hold(void **state)
{
    (void)state;
    enum { SMALL = sizeof small / sizeof small[0] };
    for (int i = 0; i < SMALL * SMALL * SMALL; i++) {
        const soa_ratio a = soa_ratio_read(small[i % SMALL]), b = soa_ratio_read(small[i / SMALL % SMALL]);
        const soa_ratio c = soa_ratio_divide(soa_ratio_read(small[i / SMALL / SMALL]), soa_ratio_of(21));
        const soa_ratio sum = soa_ratio_add(soa_ratio_add(a, b), c),
                        product = soa_ratio_multiply(a, soa_ratio_add(b, c));
        assert_true(soa_ratio_equal(sum, soa_ratio_add(a, soa_ratio_add(c, b))));
        assert_true(soa_ratio_equal(product, soa_ratio_add(soa_ratio_multiply(a, b), soa_ratio_multiply(c, a))));
        assert_true(soa_ratio_equal(soa_ratio_divide(soa_ratio_multiply(a, c), c), a));
        assert_true(soa_ratio_is_zero(soa_ratio_add(c, soa_ratio_negative(c))));
        assert_true(soa_ratio_equal(soa_ratio_root(soa_ratio_multiply(c, c)), c.num < 0 ? soa_ratio_negative(c) : c));
    }
}

static void nothing_is_rounded(void **state)
{
    (void)state;
    const soa_ratio large = soa_ratio_read("999999999999999999"), tiny = soa_ratio_read("1e-300");
    assert_false(soa_ratio_is_number(soa_ratio_read("1.2345678901234567890123")));
    assert_false(soa_ratio_is_number(soa_ratio_multiply(large, large)));
    assert_false(soa_ratio_is_number(soa_ratio_add(large, tiny)));
    assert_false(soa_ratio_is_number(soa_ratio_divide(large, soa_ratio_of(0))));
    assert_false(soa_ratio_is_number(soa_ratio_root(soa_ratio_of(2))));
    assert_false(soa_ratio_is_number(soa_ratio_root(soa_ratio_of(-4))));
    assert_false(soa_ratio_is_number(soa_ratio_add(soa_ratio_of(1), soa_ratio_divide(large, soa_ratio_of(0)))));
    assert_true(soa_ratio_is_number(soa_ratio_multiply(tiny, tiny)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_kept),
        cmocka_unit_test(laws_hold),
        cmocka_unit_test(nothing_is_rounded),
    };
    return cmocka_run_group_tests_name("ratio", tests, NULL, NULL);
}
