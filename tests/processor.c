/* tests/processor.c - a lesser processor, for tests.
 *
 * Test programs are linked so that calls of soa_cpu_features come here (ld --wrap); the library is the one that users get. The
 * variable SOA_TEST_PROCESSOR, which ctest sets, names the profile: plain, avx2 or avx512. Without it, and for what the
 * processor has not got, the answer is the processor's own. */
#include <stdlib.h>
#include <string.h>

#include "soa/core.h"

soa_cpu __real_soa_cpu_features(void);
soa_cpu __wrap_soa_cpu_features(void);

soa_cpu __wrap_soa_cpu_features(void)
{
    const char *profile = getenv("SOA_TEST_PROCESSOR");
    soa_cpu cpu = __real_soa_cpu_features();
    if (profile && strcmp(profile, "plain") == 0) {
        cpu = (soa_cpu){ false, false, false };
    } else if (profile && strcmp(profile, "avx2") == 0) {
        cpu.avx512 = false;
    } else if (profile && profile[0] != '\0' && strcmp(profile, "avx512") != 0) {
        abort(); /* a name that is none: better no test than the wrong one */
    }
    return cpu;
}
