/* SPDX-License-Identifier: MIT */
/*
 * Implements the rule for struct sizes in livetcp/base.h: public structs begin with their size as
 * the program was compiled with, and program and library may differ in age.
 */
#ifndef LT_BASE_SIZED_H
#define LT_BASE_SIZED_H

#include "base/error.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Upper bound of a plausible struct_size: a larger value was never initialized. */
#define LT_SIZED_MAX 65536

/* sizeof(type) when `field` was its last field. */
#define LT_SIZE_THROUGH(type, field)                                                               \
    ((offsetof(type, field) + sizeof(((type *)NULL)->field) + alignof(type) - 1) / alignof(type) * \
     alignof(type))

/* The struct_size of a struct, or 0 for NULL. */
static inline size_t lt_sized_size(const void *given)
{
    size_t size = 0;

    if (given)
        memcpy(&size, given, sizeof size);
    return size;
}

/* True if the struct is not NULL and its size is plausible, and at least `min` bytes. */
static inline bool lt_sized_valid(const void *given, size_t min)
{
    size_t size = lt_sized_size(given);

    return size >= sizeof size && size >= min && size <= LT_SIZED_MAX;
}

/* Fails with a message unless lt_sized_valid(). `remedy` ends the sentence. */
static inline livetcp_result lt_sized_check(const void *given, size_t min, const char *type,
                                            const char *remedy, livetcp_error *error)
{
    if (!given)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the %s is NULL", type);
    if (lt_sized_valid(given, min))
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the %s has struct_size %zu: %s", type,
                   lt_sized_size(given), remedy);
}

/* lt_sized_check() for a struct whose size the program sets, and for one with an initializer. */
#define LT_CHECK_SIZED(given, type, error)                                                         \
    lt_sized_check((given), 0, #type, "set it to sizeof(" #type ") before the call", (error))
#define LT_CHECK_INITIALIZED(given, type, min, error)                                              \
    lt_sized_check((given), (min), #type, "call " #type "_init() first", (error))

/* Copies the bytes that both sides have; the rest of `to` is unchanged. */
static inline void lt_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
    memcpy(to, from, from_size < to_size ? from_size : to_size);
}

/* Reads a program's struct into the library's, which holds the defaults of all fields that an older
 * program does not know. Fields that only a newer program knows are ignored. */
static inline void lt_sized_read(void *to, size_t to_size, const void *given)
{
    lt_copy_sized(to, to_size, given, lt_sized_size(given));
    memcpy(to, &to_size, sizeof to_size);
}

/* Writes the library's struct to a program's struct of `to_size` bytes, and sets its struct_size.
 * Fields that only a newer program knows become zero. */
static inline void lt_sized_write(void *to, size_t to_size, const void *from, size_t from_size)
{
    if (to_size < sizeof to_size)
        return;
    lt_copy_sized(to, to_size, from, from_size);
    if (to_size > from_size)
        memset((char *)to + from_size, 0, to_size - from_size);
    memcpy(to, &to_size, sizeof to_size);
}

/* lt_sized_write() to a struct whose struct_size is set and lt_sized_valid(). */
static inline void lt_sized_fill(void *to, const void *from, size_t from_size)
{
    lt_sized_write(to, lt_sized_size(to), from, from_size);
}

#endif
