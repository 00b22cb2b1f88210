/* Exact fractions: laws of arithmetic, one form for each number, and no number where digits would be lost. */
#include <math.h>
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

/* a op b is what is expected; "no" is no number. Divisors such as 3 make fractions that are no decimals. */
static void edges(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        char op;
        const char *b, *expected;
    } row[] = { { "+2", '*', "0", "0" }, { "0", '*', "no", "no" }, { "no", '*', "2", "no" }, { "no", '/', "2", "no" },
        { "2", '/', "no", "no" }, { "0", '+', "2E1", "20" }, { "2", '+', "0", "2" }, { "no", '+', "2", "no" },
        { "0", '+', "no", "no" }, { "1", '*', "1e99999999", "no" }, { "1", '*', "1e-99999999", "no" },
        { "4294967296", '*', "-2147483648", "no" }, /* -2^63 */
        { "1", '/', "4611686018427387904", "no" },  /* 5^62 does not fit */
        { "9223372036854775783", '/', "5", "no" },  /* nor does its double */
        { "0", '+', "1e30", "1e30" }, { "1e30", '+', "0", "1e30" }, { "1", '+', "1e30", "no" },
        { "1e30", '+', "1", "no" }, /* 10^30 does not fit */
        { "9223372036854775783", '+', "9223372036854775783", "no" }, { "25", 'r', "", "5" }, { "0.4", 'r', "", "no" },
        { "4e3", 'r', "", "no" }, { "4e4", 'r', "", "200" }, { "no", 'r', "", "no" },
        { "9223372036854775791", 'r', "", "no" }, /* the square of the nearest whole number does not fit */
        { "9223372036854775791e1", 'r', "", "no" } };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const soa_ratio none = soa_ratio_divide(soa_ratio_of(1), soa_ratio_of(0));
        const soa_ratio a = strcmp(row[i].a, "no") ? soa_ratio_read(row[i].a) : none;
        const soa_ratio b = strcmp(row[i].b, "no") ? soa_ratio_read(row[i].b) : none;
        const soa_ratio c = row[i].op == '*'   ? soa_ratio_multiply(a, b)
                            : row[i].op == '/' ? soa_ratio_divide(a, b)
                            : row[i].op == '+' ? soa_ratio_add(a, b)
                                               : soa_ratio_root(a);
        const bool expected = strcmp(row[i].expected, "no") != 0;
        assert_int_equal(soa_ratio_is_number(c), expected);
        assert_true(!expected || soa_ratio_equal(c, soa_ratio_read(row[i].expected)));
    }
}

/* Fractions of primes whose products leave no room, and how fractions are written. */
static void fractions(void **state)
{
    (void)state;
    char text[SOA_RATIO_SIZE];
    const soa_ratio one = soa_ratio_of(1), third = soa_ratio_divide(one, soa_ratio_of(3));
    const soa_ratio p = soa_ratio_divide(one, soa_ratio_of(4294967291)),
                    q = soa_ratio_divide(one, soa_ratio_of(4294967279));
    const soa_ratio large = soa_ratio_of(9223372036854775783);
    assert_string_equal(soa_ratio_write(text, soa_ratio_multiply(third, soa_ratio_read("2.5"))), "2.5/3");
    assert_true(soa_ratio_double(third) == 1.0 / 3.0);
    assert_true(isnan(soa_ratio_double(soa_ratio_divide(one, soa_ratio_of(0)))));
    assert_true(soa_ratio_double(soa_ratio_read("1e400")) == INFINITY);
    assert_true(soa_ratio_double(soa_ratio_read("-1e400")) == -INFINITY);
    assert_false(soa_ratio_is_number(soa_ratio_multiply(p, q)));
    assert_false(soa_ratio_is_number(soa_ratio_add(p, q)));
    assert_false(soa_ratio_is_number(soa_ratio_add(large, third)));
    assert_false(soa_ratio_is_number(soa_ratio_add(third, large)));
    assert_false(soa_ratio_equal(third, one));
    assert_false(soa_ratio_equal(soa_ratio_of(1), soa_ratio_of(10)));
    assert_false(soa_ratio_is_zero(soa_ratio_root(soa_ratio_of(2))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_kept),
        cmocka_unit_test(laws_hold),
        cmocka_unit_test(nothing_is_rounded),
        cmocka_unit_test(edges),
        cmocka_unit_test(fractions),
    };
    return cmocka_run_group_tests_name("ratio", tests, NULL, NULL);
}
