/* SPDX-License-Identifier: MIT */
/* Public structs carry their size, so that programs and library may differ in age. */
#ifndef LT_BASE_SIZED_H
#define LT_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

/* Copies as much as both sides have; the rest of `to` stays as it is. */
static inline void lt_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
    memcpy(to, from, from_size < to_size ? from_size : to_size);
}

#endif
