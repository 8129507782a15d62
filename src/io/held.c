/* SPDX-License-Identifier: MIT */
#include "io/held.h"

#include <stdlib.h>
#include <string.h>

bool lt_io_held_set(lt_io_held *held, const uint8_t *data, size_t size)
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

lt_io_held lt_io_held_take(lt_io_held *held)
{
    lt_io_held taken = *held;

    *held = (lt_io_held){.size = 0};
    return taken;
}

void lt_io_held_clear(lt_io_held *held)
{
    free(held->data);
    *held = (lt_io_held){.size = 0};
}
