/* Decimal numbers, against the C library's strtod in the C locale. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/number.h"

static uint64_t next(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The whole text is a number, with the bits that strtod gives it. */
static void check_like_strtod(const char *text)
{
    const double expected = strtod(text, NULL);
    double value = 12345.0;
    const char *end = soa_number_read(text, &value);
    if (!isfinite(expected)) {
        assert_null(end);
        assert_true(value == 12345.0);
        return;
    }
    if (end != text + strlen(text) || bits_of(value) != bits_of(expected)) {
        fail_msg("'%.60s' reads as %.17g, not %.17g", text, value, expected);
    }
}

/* A random decimal: digits with a point somewhere, then perhaps an exponent. */
static void random_decimal(uint64_t *seed, char *text)
{
    static const char *const sign[] = { "", "-", "+" };
    const int digits = 1 + (int)(next(seed) % (next(seed) % 4 ? 17 : 40));
    const int point = (int)(next(seed) % 3 ? next(seed) % (uint64_t)(digits + 1) : 99);
    char *s = text + sprintf(text, "%s", sign[next(seed) % 3]);
    for (int i = 0; i <= digits; i++) {
        if (i == point) {
            *s++ = '.';
        }
        if (i < digits) {
            *s++ = (char)('0' + next(seed) % 10);
        }
    }
    const int reach = next(seed) % 2 ? 25 : 345;
    const int exponent = (int)(next(seed) % (uint64_t)(2 * reach)) - reach;
    if (next(seed) % 4) {
        sprintf(s, next(seed) % 2 ? "e%d" : "E%+03d", exponent);
    } else {
        *s = '\0';
    }
}

static void many_random_decimals(void **state)
{
    (void)state;
    uint64_t seed = 2026;
    char text[80];
    for (int i = 0; i < 200000; i++) {
        random_decimal(&seed, text);
        check_like_strtod(text);
    }
}

static void edges_of_double(void **state)
{
    (void)state;
    static const char *const text[] = { "0", "-0", "+0", "0.0", ".0", "0.", "-.5", "5.", "1", "007", "0e5",
        "0e-999999999", "0e99999999999999999999", "1.7976931348623157e308", "1.7976931348623158e308",
        "1.7976931348623159e308", "2e308", "-2e308", "1e309", "1e99999999999999999999", "2.2250738585072014e-308",
        "2.2250738585072011e-308", "5e-324", "4.9406564584124654e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "1e-324", "-1e-400", "1e-99999999999999999999", "1e22", "1e23", "123456789012345e22",
        "999999999999999e-22", "9007199254740993", "9007199254740992.99999", "9007199254740993.00001",
        "9007199254740995", "0.1", "0.3", "1e-5", "1E+5", "3.14159265358979323846264338327950288",
        "100000000000000000000000", "0.000000000000000000000000000000000001" };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        check_like_strtod(text[i]);
    }
}

/* All digits of the point halfway between neighbours, and just beside it. */
static void halfway_cases(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static char text[1200];
    for (int i = 0; i < 3000; i++) {
        const uint64_t mantissa = (next(&seed) >> 11 | (uint64_t)1 << 52) * 2 + 1;
        /* mantissa 2^-60 .. 2^9 has a finite decimal expansion that long double holds. */
        const long double half = ldexpl((long double)mantissa, (int)(next(&seed) % 70) - 60);
        const int length = sprintf(text, "%.120Lf", half);
        check_like_strtod(text);
        strcpy(text + length, "00000000000001");
        check_like_strtod(text);
        strcpy(text + length, "e-3");
        check_like_strtod(text);
    }
    sprintf(text, "%.1100f", DBL_TRUE_MIN); /* exact, more than 750 digits */
    check_like_strtod(text);
    memset(text, '3', 1000);
    strcpy(text + 900, ".1e-890"); /* more than 750 digits before the point */
    check_like_strtod(text);
}

static void huge_digit_strings(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    char *text = malloc(LONG + 64);
    assert_non_null(text);
    memset(text, '9', LONG);
    strcpy(text + LONG, "e-200000");
    check_like_strtod(text);
    strcpy(text + LONG, "");
    check_like_strtod(text);
    text[1] = '.';
    check_like_strtod(text);
    /* 1 and a half unit in the last place; a digit far away decides. */
    const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    memset(text, '0', LONG);
    memcpy(text, half, strlen(half));
    check_like_strtod(text);
    text[LONG - 1] = '1';
    check_like_strtod(text);
    memset(text, '0', LONG);
    text[1] = '.';
    strcpy(text + LONG, "123456789012345678e200003");
    check_like_strtod(text);
    memset(text, '0', LONG);
    strcpy(text + LONG, "12.5");
    check_like_strtod(text);
    free(text);
}

static void what_is_no_number(void **state)
{
    (void)state;
    static const char *const text[] = { "", " 1", "\t1", "nan", "NaN", "-nan", "inf", "INF", "-inf", "infinity", ".",
        "-", "+", "-.", "+.e5", "e5", ".e5", "E", "--1", "+-1", "abc", ",5", "$1" };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        double value = 7.0;
        assert_null(soa_number_read(text[i], &value));
        assert_true(value == 7.0);
    }
}

/* The number ends where it ends: the caller sees the rest. */
static void where_it_stops(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } row[] = { { "1 2", 1, " 2" }, { "1,5", 1, ",5" }, { "0x10", 0, "x10" }, { "1.2.3", 1.2, ".3" }, { "1e", 1, "e" },
        { "1e+", 1, "e+" }, { "1e+x", 1, "e+x" }, { "2E5e3", 2e5, "e3" }, { "1f", 1, "f" }, { "3-4", 3, "-4" },
        { "1_000", 1, "_000" }, { "1.e2x", 100, "x" }, { "12345678901234567890 ", 12345678901234567890.0, " " } };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        double value = -1;
        const char *end = soa_number_read(row[i].text, &value);
        assert_non_null(end);
        assert_string_equal(end, row[i].rest);
        assert_true(value == row[i].value);
    }
}

static void check_round_trip(double x)
{
    char text[SOA_NUMBER_SIZE];
    memset(text, '#', sizeof text);
    assert_ptr_equal(soa_number_write(text, x), text);
    double back = 0;
    const char *end = soa_number_read(text, &back);
    assert_non_null(end);
    assert_int_equal(*end, '\0');
    assert_true(bits_of(back) == bits_of(x));
    assert_null(strchr(text, ','));
}

static void random_bits_come_back(int count)
{
    uint64_t seed = 99;
    for (int i = 0; i < count; i++) {
        uint64_t bits = next(&seed);
        bits = i % 8 ? bits : bits & 0x800fffffffffffffu; /* a subnormal */
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            check_round_trip(x);
        }
        check_round_trip((double)(int64_t)bits * 0x1p-63);
    }
    check_round_trip(0.0);
    check_round_trip(-0.0);
    check_round_trip(DBL_MAX);
    check_round_trip(-DBL_MAX);
    check_round_trip(DBL_MIN);
    check_round_trip(DBL_TRUE_MIN);
}

static void round_trip_of_random_bits(void **state)
{
    (void)state;
    random_bits_come_back(100000);
}

static void written_as_people_write(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } row[] = { { 0.1, "0.1" }, { -9.81, "-9.81" }, { 1, "1" }, { -0.0, "-0" }, { 1e300, "1e+300" },
        { 0.0005, "0.0005" }, { 1.0 / 3, "0.3333333333333333" }, { 0.1 + 0.2, "0.30000000000000004" },
        { 1e15, "1e+15" } };
    char text[SOA_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_string_equal(soa_number_write(text, row[i].value), row[i].text);
    }
    assert_string_equal(soa_number_write(text, (double)NAN), "nan");
    assert_string_equal(soa_number_write(text, (double)INFINITY), "inf");
    assert_string_equal(soa_number_write(text, (double)-INFINITY), "-inf");
}

/* A locale that writes 1,5: no text changes its meaning. */
static void comma_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const name[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8",
        "it_IT.UTF-8" };
    bool comma = false;
    for (size_t i = 0; i < sizeof name / sizeof name[0] && !comma; i++) {
        comma = setlocale(LC_ALL, name[i]) && strcmp(localeconv()->decimal_point, ",") == 0;
    }
    if (!comma) {
        setlocale(LC_ALL, "C");
        skip();
    }
    double value = 0;
    assert_non_null(soa_number_read("1.5", &value));
    assert_true(value == 1.5);
    assert_non_null(soa_number_read("3.14159265358979323846", &value));
    assert_true(value == 3.14159265358979323846);
    assert_string_equal(soa_number_read("3,5", &value), ",5");
    assert_string_equal(soa_number_read("12345678901234567890,5", &value), ",5");
    random_bits_come_back(10000);
    written_as_people_write(NULL);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_random_decimals),
        cmocka_unit_test(edges_of_double),
        cmocka_unit_test(halfway_cases),
        cmocka_unit_test(huge_digit_strings),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(where_it_stops),
        cmocka_unit_test(round_trip_of_random_bits),
        cmocka_unit_test(written_as_people_write),
        cmocka_unit_test(comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
