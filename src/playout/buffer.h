/* SPDX-License-Identifier: MIT */
/* Packets that wait for playout, ordered by extended sequence number. */
#ifndef LT_PLAYOUT_BUFFER_H
#define LT_PLAYOUT_BUFFER_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_waiting {
    struct lt_waiting *before, *after; /* list neighbours by number */
    uint64_t extended;
    uint32_t ssrc;
    uint32_t timestamp;
    livetcp_usec media_us;
    livetcp_usec arrival_us;
    livetcp_usec play_us;
    unsigned flags;  /* LIVETCP_PLAYOUT_KEY_FRAME... */
    unsigned events; /* LIVETCP_PLAYOUT_TALKSPURT... */
    bool late;
    bool gone; /* arrived too late: only its position is kept */
    void *token;
    size_t size; /* bytes copied */
    uint8_t bytes[];
} lt_waiting;

/* Empty when zeroed. */
typedef struct lt_buffer {
    lt_waiting *first, *last;
    size_t packets;
    size_t bytes;
    void (*drop_token)(void *token, void *user);
    void *user;
} lt_buffer;

/* Creates a packet and copies its bytes, unless they are NULL. Returns NULL without memory. */
lt_waiting *lt_waiting_create(const uint8_t *bytes, size_t size);

/* Frees the packet, drops its token, and clears the pointer. *waiting may be NULL. */
void lt_buffer_drop(const lt_buffer *buffer, lt_waiting **waiting);

/* The packet with this number, or NULL. */
lt_waiting *lt_buffer_find(const lt_buffer *buffer, uint64_t extended);

/* Replaces a buffered packet by `primary`, which inherits all fields except bytes and token, and
 * drops it. */
void lt_buffer_replace(lt_buffer *buffer, lt_waiting *secondary, lt_waiting *primary);

/* A buffered packet will not be played: drops its token, and keeps its position. */
void lt_buffer_forgo(const lt_buffer *buffer, lt_waiting *waiting);

/* Takes over a packet whose number is not in the buffer. */
void lt_buffer_insert(lt_buffer *buffer, lt_waiting *waiting);

/* Removes and returns the first packet, or NULL. */
lt_waiting *lt_buffer_take(lt_buffer *buffer);

/* Drops all packets. */
void lt_buffer_clear(lt_buffer *buffer);

#endif
