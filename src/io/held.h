/* SPDX-License-Identifier: MIT */
/* A copy of input that waits. Begins zeroed. */
#ifndef LT_IO_HELD_H
#define LT_IO_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_io_held {
    uint8_t *data;
    size_t size;
} lt_io_held;

/* Holds this instead of what it held. False without memory; nothing has changed then. */
bool lt_io_held_set(lt_io_held *held, const uint8_t *data, size_t size);

/* Moves it to the caller, who clears it. */
lt_io_held lt_io_held_take(lt_io_held *held);

void lt_io_held_clear(lt_io_held *held);

#endif
