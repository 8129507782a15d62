/* SPDX-License-Identifier: MIT */
/* A copy of input that is processed later. Zero-initialized. */
#ifndef LT_IO_HELD_H
#define LT_IO_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_io_held {
    uint8_t *data;
    size_t size;
} lt_io_held;

/* Replaces the content. False without memory: the content is unchanged. */
bool lt_io_held_set(lt_io_held *held, const uint8_t *data, size_t size);

/* Moves the content to the caller, who clears it. */
lt_io_held lt_io_held_take(lt_io_held *held);

void lt_io_held_clear(lt_io_held *held);

#endif
