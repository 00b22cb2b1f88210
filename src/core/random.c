/* core/random.c - splitmix64 (Steele, Lea, Flood 2014). */
#include "core/random.h"

uint64_t soa_random_bits(unsigned long long *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double soa_random_next(unsigned long long *seed)
{
    return (double)(soa_random_bits(seed) >> 11) * 0x1p-52 - 1.0;
}

double soa_random_between(unsigned long long *seed, double lower, double upper)
{
    const double t = 0.5 * (soa_random_next(seed) + 1.0);
    return lower + t * (upper - lower);
}
