/* What the library says of the processor, against what the system says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/core.h"

static void wider_lanes_imply_narrower(void **state)
{
    (void)state;
    const soa_cpu cpu = soa_cpu_features();
    assert_true(!cpu.avx2 || cpu.fma);
    assert_true(!cpu.avx512 || cpu.avx2);
}

static void answer_is_constant(void **state)
{
    (void)state;
    const soa_cpu a = soa_cpu_features();
    const soa_cpu b = soa_cpu_features();
    assert_memory_equal(&a, &b, sizeof a);
}

#if defined(__x86_64__) && defined(__linux__)
/* Whether the first "flags" line of /proc/cpuinfo has the word. */
static bool has_flag(const char *flags, const char *word)
{
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %s ", word);
    return strstr(flags, spaced) != NULL;
}

static void linux_agrees(void **state)
{
    (void)state;
    static char line[16384];
    FILE *f = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (f && !found && fgets(line, sizeof line - 1, f)) {
        found = strncmp(line, "flags", 5) == 0;
    }
    if (f) {
        fclose(f);
    }
    if (!found) {
        skip();
    }
    line[strcspn(line, "\n")] = ' ';
    const char *profile = getenv("SOA_TEST_PROCESSOR"); /* of a lesser processor: tests/processor.c */
    const bool plain = profile && strcmp(profile, "plain") == 0, four = profile && strcmp(profile, "avx2") == 0;
    const bool fma = has_flag(line, "fma") && !plain, avx2 = fma && has_flag(line, "avx2");
    const bool wide = has_flag(line, "avx512f") && has_flag(line, "avx512dq") && has_flag(line, "avx512vl") &&
                      has_flag(line, "avx512bw");
    const soa_cpu cpu = soa_cpu_features();
    assert_int_equal(cpu.fma, fma);
    assert_int_equal(cpu.avx2, avx2);
    assert_int_equal(cpu.avx512, avx2 && wide && !four);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wider_lanes_imply_narrower),
        cmocka_unit_test(answer_is_constant),
#if defined(__x86_64__) && defined(__linux__)
        cmocka_unit_test(linux_agrees),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
