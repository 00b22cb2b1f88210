/* core/ratio.h - exact fractions num / den 10^power: what decimal numbers, and sums, products and quotients of them, are.
 *
 * A fraction has one form: neither num nor den is a multiple of 10, den is positive and shares no divisor with num, 2
 * or 5. What does not fit is no number (den 0), and stays so in all that is made of it: nothing is ever rounded. */
#ifndef SOA_CORE_RATIO_H
#define SOA_CORE_RATIO_H

#include <stdbool.h>

typedef struct soa_ratio {
    long long num, den;
    int power;
} soa_ratio;

soa_ratio soa_ratio_of(long long number);

/* The number at the start of a text, written as for soa_number_read; no number if it has too many digits. */
soa_ratio soa_ratio_read(const char *text);

soa_ratio soa_ratio_add(soa_ratio a, soa_ratio b);
soa_ratio soa_ratio_multiply(soa_ratio a, soa_ratio b);
soa_ratio soa_ratio_divide(soa_ratio a, soa_ratio b); /* no number if b is zero */
soa_ratio soa_ratio_negative(soa_ratio a);

/* The fraction whose square this is; no number if there is none. */
soa_ratio soa_ratio_root(soa_ratio a);

/* The nearest double of a decimal; of another fraction a near one. */
double soa_ratio_double(soa_ratio a);

/* Writes it so that a parser of expressions reads the same: 2.5, 1/3, 2.5/3. Returns buffer. */
#define SOA_RATIO_SIZE 64
char *soa_ratio_write(char buffer[SOA_RATIO_SIZE], soa_ratio a);

static inline bool soa_ratio_is_number(soa_ratio a)
{
    return a.den > 0;
}

static inline bool soa_ratio_equal(soa_ratio a, soa_ratio b)
{
    return a.num == b.num && a.den == b.den && a.power == b.power && a.den > 0;
}

static inline bool soa_ratio_is_zero(soa_ratio a)
{
    return a.num == 0 && a.den > 0;
}

static inline bool soa_ratio_is(soa_ratio a, int number)
{
    return soa_ratio_equal(a, soa_ratio_of(number));
}

#endif
