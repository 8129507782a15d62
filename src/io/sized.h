/* SPDX-License-Identifier: MIT */
/* Public structs carry their size, so that programs and library may differ in age. */
#ifndef LT_IO_SIZED_H
#define LT_IO_SIZED_H

#include <livetcp/config.h>

#include <string.h>

/* Copies as much as both sides have; the rest of `to` stays as it is. */
static inline void lt_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
    memcpy(to, from, from_size < to_size ? from_size : to_size);
}

/* A whole config from one that may be older or newer: what is missing has its default. */
static inline void lt_copy_config(livetcp_config *to, const livetcp_config *from)
{
    livetcp_config_init(to);
    lt_copy_sized(to, sizeof *to, from, from->struct_size);
    to->struct_size = sizeof *to;
}

#endif
