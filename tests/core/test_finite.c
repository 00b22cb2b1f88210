/* Whether all numbers are small: every one counts, and none behind them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/finite.h"

enum { MOST = 13 };

static void every_number_counts(void **state)
{
    (void)state;
    static const double LARGE[] = { 2e40, -2e40, INFINITY, -INFINITY, NAN };
    for (size_t n = 0; n < MOST; n++) {
        double x[MOST + 1];
        for (size_t i = 0; i <= MOST; i++) {
            x[i] = i < n ? 1e39 : NAN;
        }
        assert_true(soa_all_small(x, n));
        for (size_t i = 0; i < n * (sizeof LARGE / sizeof *LARGE); i++) {
            x[i % n] = LARGE[i / n];
            assert_false(soa_all_small(x, n));
            x[i % n] = 1e39;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_number_counts) };
    return cmocka_run_group_tests_name("finite", tests, NULL, NULL);
}
