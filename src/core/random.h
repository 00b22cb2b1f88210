/* core/random.h - random numbers, the same sequence on every machine. */
#ifndef SOA_CORE_RANDOM_H
#define SOA_CORE_RANDOM_H

#include <stdint.h>

/* 64 random bits (splitmix64); *seed is advanced, any seed is good. */
uint64_t soa_random_bits(unsigned long long *seed);

/* Uniform in [-1, 1). */
double soa_random_next(unsigned long long *seed);

/* Uniform in [lower, upper). */
double soa_random_between(unsigned long long *seed, double lower, double upper);

#endif
