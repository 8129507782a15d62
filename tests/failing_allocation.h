/* SPDX-License-Identifier: MIT */
/* Fails one allocation of LiveTCP's after the other. For one file of a program in which the linker
 * puts the __wrap_ functions in place of the C library's for LiveTCP's objects. */
#ifndef LT_TESTS_FAILING_ALLOCATION_H
#define LT_TESTS_FAILING_ALLOCATION_H

#include "catch.h"

#include <cstdlib>

static bool armed = false;  /* one allocation is going to fail */
static bool failed = false; /* it did */
static long successes = 0;  /* allocations before it */
static long live = 0;       /* blocks allocated and not freed */

static bool fails()
{
    if (!armed || successes-- > 0)
        return false;
    armed = false;
    failed = true;
    return true;
}

extern "C" {
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
    void *block = fails() ? nullptr : __real_malloc(size);
    live += block != nullptr;
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = fails() ? nullptr : __real_calloc(count, size);
    live += block != nullptr;
    return block;
}

void *__wrap_realloc(void *block, size_t size)
{
    void *moved = fails() ? nullptr : __real_realloc(block, size);
    live += moved && !block;
    return moved;
}

void __wrap_free(void *block)
{
    live -= block != nullptr;
    __real_free(block);
}
}

/* Runs `scenario`, which sets `armed` where it begins to count, with its first, second, ...
 * allocation failing, until it needs no more. Returns how many it needs. */
template <typename Scenario> long sweep_allocations(Scenario scenario)
{
    for (long n = 0;; n++) {
        INFO("allocation " << n);
        REQUIRE(n < 10000);
        failed = false;
        successes = n;
        scenario();
        armed = false;
        if (!failed)
            return n;
    }
}

#endif
