/* SPDX-License-Identifier: MIT */
/*
 * The one mechanism behind the rule of struct sizes in livetcp/export.h: public structs begin with
 * their size as the program's compiler knew it, and program and library may differ in age.
 */
#ifndef LT_BASE_SIZED_H
#define LT_BASE_SIZED_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* No public struct comes near this: a larger size was never set. */
#define LT_SIZED_MAX 65536

/* sizeof of the type when `field` was its last. */
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

/* Whether the struct exists and has a size that can be true: `min` bytes or more. */
static inline bool lt_sized_valid(const void *given, size_t min)
{
    size_t size = lt_sized_size(given);

    return size >= sizeof size && size >= min && size <= LT_SIZED_MAX;
}

/* Copies as much as both sides have; the rest of `to` stays as it is. */
static inline void lt_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
    memcpy(to, from, from_size < to_size ? from_size : to_size);
}

/* Reads a program's struct into the library's, which holds the default of every field that an older
 * program does not know. What a newer program has beyond it is ignored. */
static inline void lt_sized_read(void *to, size_t to_size, const void *given)
{
    lt_copy_sized(to, to_size, given, lt_sized_size(given));
    memcpy(to, &to_size, sizeof to_size);
}

/* Writes the library's struct into a program's of `to_size` bytes and sets its struct_size. What a
 * newer program has beyond it becomes zero. */
static inline void lt_sized_write(void *to, size_t to_size, const void *from, size_t from_size)
{
    if (to_size < sizeof to_size)
        return;
    lt_copy_sized(to, to_size, from, from_size);
    if (to_size > from_size)
        memset((char *)to + from_size, 0, to_size - from_size);
    memcpy(to, &to_size, sizeof to_size);
}

/* lt_sized_write() to a struct that already has its struct_size, which lt_sized_valid() found. */
static inline void lt_sized_fill(void *to, const void *from, size_t from_size)
{
    lt_sized_write(to, lt_sized_size(to), from, from_size);
}

#endif
