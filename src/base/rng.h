/* SPDX-License-Identifier: MIT */
/* Seeded generator for emulation and tests: the same seed gives the same run on every platform. Not
 * for secrets, which come from the operating system through src/io. */
#ifndef LT_BASE_RNG_H
#define LT_BASE_RNG_H

#include <stdint.h>

typedef struct lt_rng {
    uint64_t state;
} lt_rng;

static inline void lt_rng_seed(lt_rng *rng, uint64_t seed)
{
    rng->state = seed;
}

/* SplitMix64 (Steele, Lea and Flood 2014): any seed is suitable, and the state is one word. */
static inline uint64_t lt_rng_next(lt_rng *rng)
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double lt_rng_uniform(lt_rng *rng)
{
    return (double)(lt_rng_next(rng) >> 11) * 0x1.0p-53;
}

#endif
