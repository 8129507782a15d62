/* SPDX-License-Identifier: MIT */
/* A fuzz target is one file with LLVMFuzzerTestOneInput(), run by libFuzzer (preset `fuzz`) and,
 * in every build, by standalone.c over its corpus. */
#ifndef LT_TESTS_FUZZ_FUZZ_H
#define LT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What is left of an input that is read as a list of operations; zeroes after its end. */
typedef struct fuzz_reader {
    const uint8_t *data;
    size_t size;
} fuzz_reader;

static inline unsigned fuzz_byte(fuzz_reader *in)
{
    if (!in->size)
        return 0;
    in->size--;
    return *in->data++;
}

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
