/* SPDX-License-Identifier: MIT */
/* A fuzz target is one file with LLVMFuzzerTestOneInput(), run by libFuzzer (preset `fuzz`) and,
 * in every build, by standalone.c over its corpus. */
#ifndef LT_TESTS_FUZZ_FUZZ_H
#define LT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program when a target's invariant does not hold, in release builds, too. */
#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
