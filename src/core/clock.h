/* core/clock.h - the time of day. */
#ifndef SOA_CORE_CLOCK_H
#define SOA_CORE_CLOCK_H

#include <time.h>

/* Now; zero where the C library has no clock, as on a microcontroller. */
static inline struct timespec soa_clock(void)
{
    struct timespec now = { 0 };
#if defined(TIME_UTC)
    (void)timespec_get(&now, TIME_UTC);
#endif
    return now;
}

#endif
