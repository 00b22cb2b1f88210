/* core/number.c - decimal numbers as text, the same in every locale.
 *
 * Most numbers in files have at most 15 digits and a small exponent: those are
 * one exact product or quotient of doubles. The others go through the C library
 * as "digits e exponent", a text without a point and so without a locale. */
#include "core/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A double halfway between two others has at most 767 digits: beyond DIGITS_KEPT
 * it only matters whether any digit is not zero. */
enum { DIGITS_EXACT = 15, POWER_EXACT = 22, DIGITS_KEPT = 800, EXPONENT_LIMIT = 1000000000, EXPONENT_HUGE = 99999 };

/* What the text says: +-digits 10^exponent, exact while significant <= 15. */
typedef struct decimal {
    bool negative;
    uint64_t digits;
    const char *first;     /* the first digit that counts */
    long long significant; /* how many digits count, from there to the last */
    long long exponent;
    const char *end;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(decimal *d, const char *s, bool fraction)
{
    if (d->significant > 0 || *s != '0') {
        d->first = d->significant == 0 ? s : d->first;
        d->significant++;
        if (d->significant <= DIGITS_EXACT) {
            d->digits = 10 * d->digits + (uint64_t)(*s - '0');
        }
    }
    d->exponent -= fraction;
}

/* [eE][+-]digits; text unchanged if it is none. */
static const char *scan_exponent(const char *text, long long *exponent)
{
    if (*text != 'e' && *text != 'E') {
        return text;
    }
    const char *s = text + 1;
    const bool negative = *s == '-';
    s += *s == '-' || *s == '+';
    if (!is_digit(*s)) {
        return text;
    }
    long long value = 0;
    for (; is_digit(*s); s++) {
        value = value < EXPONENT_LIMIT ? 10 * value + (*s - '0') : value;
    }
    *exponent += negative ? -value : value;
    return s;
}

static bool scan(const char *text, decimal *d)
{
    *d = (decimal){ .negative = *text == '-' };
    const char *start = text + (*text == '-' || *text == '+');
    const char *s = start;
    for (; is_digit(*s); s++) {
        take_digit(d, s, false);
    }
    bool any = s > start;
    if (*s == '.') {
        for (s++; is_digit(*s); s++) {
            take_digit(d, s, true);
            any = true;
        }
    }
    if (!any) {
        return false;
    }
    d->end = scan_exponent(s, &d->exponent);
    return true;
}

/* By the C library: correct for any number of digits. false if it overflows. */
static bool read_hard(const decimal *d, double *value)
{
    char copy[DIGITS_KEPT + 32];
    size_t length = 0;
    const long long kept = d->significant < DIGITS_KEPT ? d->significant : DIGITS_KEPT;
    long long exponent = d->exponent + (d->significant - kept);
    const char *s = d->first;
    for (; length < (size_t)kept; s++) {
        if (*s != '.') {
            copy[length++] = *s;
        }
    }
    bool rest = false;
    for (long long left = d->significant - kept; left > 0; s++) {
        rest = rest || (*s != '.' && *s != '0');
        left -= *s != '.';
    }
    if (rest) {
        copy[length++] = '1';
        exponent--;
    }
    exponent = exponent > EXPONENT_HUGE ? EXPONENT_HUGE : exponent < -EXPONENT_HUGE ? -EXPONENT_HUGE : exponent;
    snprintf(copy + length, sizeof copy - length, "e%lld", exponent);
    const double x = strtod(copy, NULL);
    *value = d->negative ? -x : x;
    return isfinite(x);
}

const char *soa_number_read(const char *text, double *value)
{
    static const double power[POWER_EXACT + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    decimal d;
    if (!scan(text, &d)) {
        return NULL;
    }
    if (d.significant == 0) {
        *value = d.negative ? -0.0 : 0.0;
        return d.end;
    }
    if (d.significant <= DIGITS_EXACT && d.exponent >= -POWER_EXACT && d.exponent <= POWER_EXACT) {
        double x = (double)d.digits;
        x = d.exponent < 0 ? x / power[-d.exponent] : x * power[d.exponent];
        *value = d.negative ? -x : x;
        return d.end;
    }
    double x;
    if (!read_hard(&d, &x)) {
        return NULL;
    }
    *value = x;
    return d.end;
}

/* The locale's point becomes '.'. */
static void plain_point(char *buffer)
{
    const char *point = localeconv()->decimal_point;
    char *at = strcmp(point, ".") == 0 ? NULL : strstr(buffer, point);
    if (at) {
        const size_t length = strlen(point);
        *at = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

char *soa_number_write(char buffer[SOA_NUMBER_SIZE], double value)
{
    if (!isfinite(value)) {
        return strcpy(buffer, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
    for (int digits = 15;; digits++) {
        snprintf(buffer, SOA_NUMBER_SIZE, "%.*g", digits, value);
        plain_point(buffer);
        double back;
        if (digits == 17 || (soa_number_read(buffer, &back) && memcmp(&back, &value, sizeof back) == 0)) {
            return buffer;
        }
    }
}
