/* SPDX-License-Identifier: MIT */
/* Packets on their way from the engine, which runs under a lock, to callbacks, which do not. */
#ifndef LT_IO_DELIVER_H
#define LT_IO_DELIVER_H

#include <livetcp/engine.h>

typedef struct lt_arrivals {
    livetcp_packet *items;
    uint8_t **copies; /* of each item: its bytes, to be freed; NULL: they are in the input */
    size_t count, capacity;
    const uint8_t *input; /* what is being received: bytes in there need no copy */
    size_t input_size;
} lt_arrivals;

/* The engine's on_packet; `user` is an lt_arrivals. */
void lt_arrivals_collect(void *user, const livetcp_packet *packet);

/* Gives up the packets it holds, and the room for them. */
void lt_arrivals_free(lt_arrivals *arrivals);

#endif
