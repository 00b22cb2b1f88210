/* Each lane gives the bits of one lane in the same profile; sine and cosine are accurate in both. */
#include "spatial/check.h"

#include <string.h>

#include "joint/lanes.h"
#include "soa/core.h"

#define STATES 8
#define TRIALS 50

static const lanes_unit *const units[] = {
    &lanes_plain_1,
    &lanes_plain_4,
#ifdef LANES_X86
    &lanes_plain_8,
    &lanes_fma_1,
    &lanes_fma_4,
    &lanes_fma_8,
#endif
};

#define UNITS ((int)(sizeof units / sizeof *units))

/* Whether the processor can run the unit. */
static bool runs(const lanes_unit *unit)
{
    const soa_cpu cpu = soa_cpu_features();
#ifdef LANES_X86
    return unit->width == 8 ? cpu.avx512 : cpu.avx2 || unit == &lanes_plain_1;
#else
    (void)unit, (void)cpu;
    return true;
#endif
}

/* All states through a unit, block by block; results state by state. */
static int run_states(const lanes_unit *unit, double in[STATES][LANES_IN], double out[STATES][LANES_OUT])
{
    const int w = unit->width;
    static double block_in[LANES_IN * STATES], block_out[LANES_OUT * STATES];
    int count = 0;
    for (int s = 0; s < STATES; s += w) {
        for (int i = 0; i < LANES_IN * w; i++) {
            block_in[i] = in[s + i % w][i / w];
        }
        count = unit->run(block_in, block_out);
        assert_in_range(count, 1, LANES_OUT);
        for (int i = 0; i < count * w; i++) {
            out[s + i % w][i / w] = block_out[i];
        }
    }
    return count;
}

static void random_states(unsigned long long *seed, int trial, double in[STATES][LANES_IN])
{
    for (int s = 0; s < STATES; s++) {
        random_fill(seed, LANES_IN, in[s]);
        if (trial % 5 == 0) { /* a large angle in some lanes only */
            in[s][trial % 8] *= s % 3 == 0 ? 1e7 : s % 3 == 1 ? 1e200 : 1;
        }
    }
}

static void lanes_have_the_bits_of_one(void **state)
{
    static double in[STATES][LANES_IN], one[STATES][LANES_OUT], many[STATES][LANES_OUT];
    unsigned long long seed = 5;
    (void)state;
    for (int u = 0; u < UNITS; u++) {
        const lanes_unit *unit = units[u], *reference = units[u / 3 * 3];
        assert_int_equal(unit->fma, reference->fma);
        if (!runs(unit)) {
            print_message("%s: not on this processor\n", unit->name);
            continue;
        }
        for (int t = 0; t < TRIALS; t++) {
            random_states(&seed, t, in);
            const int count = run_states(reference, in, one);
            assert_int_equal(run_states(unit, in, many), count);
            for (int s = 0; s < STATES; s++) {
                for (int i = 0; i < count; i++) {
                    if (memcmp(&one[s][i], &many[s][i], sizeof(double)) != 0) {
                        fail_msg("%s: state %d, number %d: %a is not %a", unit->name, s, i, many[s][i], one[s][i]);
                    }
                }
            }
        }
    }
}

static double ulps(double value, long double exact)
{
    const double rounded = fabs((double)exact);
    return (double)fabsl((value - exact) / (nextafter(rounded, INFINITY) - rounded));
}

/* Of the size, some next to a multiple of pi/2. */
static double random_angle(unsigned long long *seed, int trial, double size)
{
    const double x = size * soa_random_next(seed);
    const long double half_pi = 1.57079632679489661923132169163975144L;
    return trial % 3 == 0 && size < 1e15 ? (double)(roundl(x / half_pi) * half_pi) : x;
}

static void sincos_error(const lanes_unit *unit, double size, double *worst)
{
    unsigned long long seed = 11;
    double x[STATES], s[STATES], c[STATES];
    for (int t = 0; t < 4000; t++) {
        for (int i = 0; i < unit->width; i++) {
            x[i] = random_angle(&seed, t, size);
        }
        unit->sincos(x, s, c);
        for (int i = 0; i < unit->width; i++) {
            *worst = fmax(*worst, fmax(ulps(s[i], sinl(x[i])), ulps(c[i], cosl(x[i]))));
        }
    }
}

static void sincos_is_accurate(void **state)
{
    const double sizes[] = { 1e-300, 1e-5, 0.8, 1, 7, 100, 1e4, 1e5, 1e6, 1e9, 1e15, 1e18, 1e100, 1e300 };
    (void)state;
    for (int u = 0; u < UNITS; u++) {
        double worst = 0;
        if (!runs(units[u])) {
            continue;
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            sincos_error(units[u], sizes[i], &worst);
        }
        print_message("sincos %s: largest error %.3f ulp\n", units[u]->name, worst);
        assert_true(worst < 0.85);
    }
}

/* The hardest doubles: nearest of all to a multiple of pi/2, and the ends of the fast range. */
static void sincos_of_hard_cases(void **state)
{
    const double hard[] = { 6381956970095103.0 * 0x1p797, 0x1.6ac5b262ca1ffp849, 0x1.6cbe4p20, 0x1p20,
        0x1.0000000000001p20, -0x1p20, 0x1.fffffffffffffp1023, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1,
        -0x1.2d97c7f3321d2p+2 };
    (void)state;
    for (int u = 0; u < UNITS; u++) {
        for (size_t k = 0; k < sizeof hard / sizeof *hard && runs(units[u]); k++) {
            double x[STATES] = { 0 }, s[STATES], c[STATES];
            const int lane = (int)k % units[u]->width;
            x[lane] = hard[k];
            units[u]->sincos(x, s, c);
            if (ulps(s[lane], sinl(hard[k])) > 0.85 || ulps(c[lane], cosl(hard[k])) > 0.85) {
                fail_msg("%s: %a: %a %a", units[u]->name, hard[k], s[lane], c[lane]);
            }
        }
    }
}

static void sincos_of_no_number(void **state)
{
    const double bad[] = { NAN, INFINITY, -INFINITY };
    (void)state;
    for (int u = 0; u < UNITS; u++) {
        for (int k = 0; k < 3 && runs(units[u]); k++) {
            double x[STATES] = { 0 }, s[STATES], c[STATES];
            x[0] = bad[k];
            units[u]->sincos(x, s, c);
            assert_true(isnan(s[0]) && isnan(c[0]));
            for (int i = 1; i < units[u]->width; i++) {
                assert_true(s[i] == 0.0 && c[i] == 1.0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_the_bits_of_one),
        cmocka_unit_test(sincos_is_accurate),
        cmocka_unit_test(sincos_of_hard_cases),
        cmocka_unit_test(sincos_of_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
