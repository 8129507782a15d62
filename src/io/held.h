/* SPDX-License-Identifier: MIT */
/* A copy of input that waits. Zeroed at its beginning. */
#ifndef LT_IO_HELD_H
#define LT_IO_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct lt_io_held {
    uint8_t *data;
    size_t size;
} lt_io_held;

static inline void lt_io_held_clear(lt_io_held *held)
{
    free(held->data);
    *held = (lt_io_held){.size = 0};
}

/* Holds this instead of what it held. False without memory; nothing has changed then. */
static inline bool lt_io_held_set(lt_io_held *held, const uint8_t *data, size_t size)
{
    uint8_t *copy = NULL;

    if (size && !(copy = malloc(size)))
        return false;
    if (size)
        memcpy(copy, data, size);
    free(held->data);
    *held = (lt_io_held){.data = copy, .size = size};
    return true;
}

/* Moves it to the caller, who clears it. */
static inline lt_io_held lt_io_held_take(lt_io_held *held)
{
    lt_io_held taken = *held;

    *held = (lt_io_held){.size = 0};
    return taken;
}

#endif
