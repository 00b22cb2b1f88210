/* core/number.c - decimal numbers as text, the same in every locale.
 *
 * Most numbers in files have at most 15 digits and a small exponent: those are
 * one exact product or quotient of doubles. The others go through the C
 * library, with the point of the user's locale put in. */
#include "core/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_EXACT = 15, POWER_EXACT = 22, EXPONENT_LIMIT = 100000, LONG_NUMBER = 1024 };

/* What the text says: +-digits 10^exponent, exact while digits <= 15. */
typedef struct decimal {
    bool negative;
    uint64_t digits;
    int significant; /* how many digits count */
    int exponent;
    const char *point; /* NULL if there is none */
    const char *end;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(decimal *d, char c, bool fraction)
{
    if (d->significant > 0 || c != '0') {
        d->significant++;
        if (d->significant <= DIGITS_EXACT) {
            d->digits = 10 * d->digits + (uint64_t)(c - '0');
        }
    }
    d->exponent -= fraction;
}

/* [eE][+-]digits; text unchanged if it is none. */
static const char *scan_exponent(const char *text, int *exponent)
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
    int value = 0;
    for (; is_digit(*s); s++) {
        value = value < EXPONENT_LIMIT ? 10 * value + (*s - '0') : value;
    }
    *exponent += negative ? -value : value;
    return s;
}

static bool scan(const char *text, decimal *d)
{
    *d = (decimal){ .negative = *text == '-' };
    const char *s = text + (*text == '-' || *text == '+');
    int digits = 0;
    for (; is_digit(*s); s++, digits++) {
        take_digit(d, *s, false);
    }
    if (*s == '.') {
        d->point = s++;
        for (; is_digit(*s); s++, digits++) {
            take_digit(d, *s, true);
        }
    }
    if (digits == 0) {
        return false;
    }
    d->end = scan_exponent(s, &d->exponent);
    return true;
}

/* By the C library: correct for any number of digits. */
static bool read_hard(const char *text, const decimal *d, double *value)
{
    char copy[LONG_NUMBER + 16];
    const size_t length = (size_t)(d->end - text);
    const char *point = localeconv()->decimal_point;
    const size_t extra = strlen(point);
    if (length > LONG_NUMBER || extra > 8) {
        return false;
    }
    if (d->point) {
        const size_t before = (size_t)(d->point - text);
        memcpy(copy, text, before);
        memcpy(copy + before, point, extra);
        memcpy(copy + before + extra, d->point + 1, length - before - 1);
        copy[length - 1 + extra] = '\0';
    } else {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    char *end;
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

const char *soa_number_read(const char *text, double *value)
{
    static const double power[POWER_EXACT + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    decimal d;
    if (!scan(text, &d)) {
        return NULL;
    }
    if (d.significant <= DIGITS_EXACT && d.exponent >= -POWER_EXACT && d.exponent <= POWER_EXACT) {
        double x = (double)d.digits;
        x = d.exponent < 0 ? x / power[-d.exponent] : x * power[d.exponent];
        *value = d.negative ? -x : x;
        return d.end;
    }
    return read_hard(text, &d, value) ? d.end : NULL;
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
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, SOA_NUMBER_SIZE, "%.*g", digits, value);
        plain_point(buffer);
        double back;
        if (digits == 17 || (soa_number_read(buffer, &back) && memcmp(&back, &value, sizeof back) == 0)) {
            break;
        }
    }
    return buffer;
}
