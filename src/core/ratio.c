/* core/ratio.c - exact fractions. */
#include "core/ratio.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "core/number.h"

/* Powers of ten beyond this do not come from any text worth keeping. */
enum { POWER_MOST = 100000 };

static const soa_ratio no_number = { 0, 0, 0 };

static long long divisor_of(long long a, long long b)
{
    while (b != 0) {
        const long long rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Takes p out of den by giving num the factor 10 / p and the power one less. */
static bool take_out(soa_ratio *a, long long p)
{
    while (a->den % p == 0) {
        a->den /= p;
        a->power--;
        if (__builtin_mul_overflow(a->num, 10 / p, &a->num)) {
            return false;
        }
    }
    return true;
}

/* The one form of num / den 10^power; den is neither zero nor a multiple of 10. */
static soa_ratio formed(long long num, long long den, int power)
{
    if (num == LLONG_MIN || power > POWER_MOST || power < -POWER_MOST) {
        return no_number;
    }
    if (num == 0) {
        return (soa_ratio){ 0, 1, 0 };
    }
    soa_ratio a = { den < 0 ? -num : num, den < 0 ? -den : den, power };
    const long long common = divisor_of(a.num, a.den);
    a.num /= common;
    a.den /= common;
    for (; a.num % 10 == 0; a.num /= 10) {
        a.power++;
    }
    return take_out(&a, 2) && take_out(&a, 5) ? a : no_number;
}

soa_ratio soa_ratio_of(long long number)
{
    return formed(number, 1, 0);
}

soa_ratio soa_ratio_read(const char *text)
{
    const bool minus = *text == '-';
    text += *text == '-' || *text == '+';
    long long digits = 0;
    int power = 0;
    for (bool point = false; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        point = point || *text == '.';
        if (*text == '.') {
            continue;
        }
        if (digits > (LLONG_MAX - 9) / 10) {
            if (*text != '0') {
                return no_number;
            }
            power += !point;
            continue;
        }
        digits = 10 * digits + (*text - '0');
        power -= point;
    }
    if (*text == 'e' || *text == 'E') {
        const bool down = text[1] == '-';
        int exponent = 0;
        for (text += 1 + (text[1] == '-' || text[1] == '+'); isdigit((unsigned char)*text); text++) {
            exponent = exponent < POWER_MOST ? 10 * exponent + (*text - '0') : exponent;
        }
        power += down ? -exponent : exponent;
    }
    return formed(minus ? -digits : digits, 1, power);
}

soa_ratio soa_ratio_negative(soa_ratio a)
{
    return (soa_ratio){ -a.num, a.den, a.power };
}

soa_ratio soa_ratio_multiply(soa_ratio a, soa_ratio b)
{
    if (a.num == 0 || b.num == 0) { /* also if one is no number */
        return a.den == 0 || b.den == 0 ? no_number : a.num == 0 ? a : b;
    }
    const long long x = divisor_of(a.num, b.den), y = divisor_of(b.num, a.den);
    long long num, den;
    if (__builtin_mul_overflow(a.num / x, b.num / y, &num) || __builtin_mul_overflow(a.den / y, b.den / x, &den)) {
        return no_number;
    }
    return formed(num, den, a.power + b.power);
}

soa_ratio soa_ratio_divide(soa_ratio a, soa_ratio b)
{
    if (a.den == 0 || b.den == 0 || b.num == 0) {
        return no_number;
    }
    return soa_ratio_multiply(a, formed(b.den, b.num, -b.power));
}

/* Writes a with a lower power of ten. */
static bool lower(soa_ratio *a, int power)
{
    bool fits = true;
    for (; fits && a->power > power; a->power--) {
        fits = !__builtin_mul_overflow(a->num, 10LL, &a->num);
    }
    return fits;
}

soa_ratio soa_ratio_add(soa_ratio a, soa_ratio b)
{
    if (a.num == 0 || b.num == 0) { /* also if one is no number */
        return a.den == 0 || b.den == 0 ? no_number : a.num == 0 ? b : a;
    }
    const int power = a.power < b.power ? a.power : b.power;
    const long long common = divisor_of(a.den, b.den);
    long long x, y, num, den;
    if (!lower(&a, power) || !lower(&b, power) || __builtin_mul_overflow(a.num, b.den / common, &x) ||
        __builtin_mul_overflow(b.num, a.den / common, &y) || __builtin_add_overflow(x, y, &num) ||
        __builtin_mul_overflow(a.den, b.den / common, &den)) {
        return no_number;
    }
    return formed(num, den, power);
}

static long long whole_root(long long a)
{
    const long long near = (long long)floor(sqrt((double)a) + 0.5);
    long long square;
    return !__builtin_mul_overflow(near, near, &square) && square == a ? near : -1;
}

soa_ratio soa_ratio_root(soa_ratio a)
{
    if (a.power % 2 != 0 && !lower(&a, a.power - 1)) {
        return no_number;
    }
    const long long num = a.num >= 0 ? whole_root(a.num) : -1, den = a.den > 0 ? whole_root(a.den) : -1;
    return num < 0 || den < 0 ? no_number : formed(num, den, a.power / 2);
}

double soa_ratio_double(soa_ratio a)
{
    char text[64];
    double value = NAN;
    (void)snprintf(text, sizeof text, "%llde%d", a.num, a.power);
    if (a.den == 0 || !soa_number_read(text, &value)) {
        return a.den == 0 ? NAN : a.num < 0 ? -INFINITY : INFINITY;
    }
    return value / (double)a.den;
}

char *soa_ratio_write(char buffer[SOA_RATIO_SIZE], soa_ratio a)
{
    char decimal[SOA_NUMBER_SIZE];
    const soa_ratio above = { a.num, 1, a.power };
    if (!soa_ratio_equal(soa_ratio_read(soa_number_write(decimal, soa_ratio_double(above))), above)) {
        (void)snprintf(decimal, sizeof decimal, "%llde%d", a.num, a.power);
    }
    if (a.den == 1) {
        (void)snprintf(buffer, SOA_RATIO_SIZE, "%s", decimal);
    } else {
        (void)snprintf(buffer, SOA_RATIO_SIZE, "%s/%lld", decimal, a.den);
    }
    return buffer;
}
