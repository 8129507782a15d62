/* SPDX-License-Identifier: MIT */
/* One connected socket of a session, watched by the loop. */
#ifndef LT_IO_CHANNEL_H
#define LT_IO_CHANNEL_H

#include "io/session_io.h"

typedef struct lt_channel {
    livetcp_session *session; /* holds a reference until the handle has closed */
    unsigned index;
    int socket; /* valid as long as the slot points here */
    uv_poll_t poll;
    int watched;            /* loop's thread: UV_READABLE and perhaps UV_WRITABLE */
    bool want_writable;     /* (session's lock) the kernel took no more */
    bool want_room;         /* (session's lock) packets wait until less is unsent */
    uint32_t unsent_limit;  /* (session's lock) the socket counts as writable below that */
    int write_errno;        /* (session's lock) writing failed; reading tells the rest */
    livetcp_usec probed_us; /* (session's lock) when the platform last said everything */
    bool stamped;           /* the kernel tells timestamps, */
    uint32_t first_byte;    /*   which call the engine's first byte so */
    uint32_t out_of_order;  /* loop's thread: segments that had waited for others */
    char local[LT_ADDRESS_TEXT];
    char remote[LT_ADDRESS_TEXT];
} lt_channel;

/* Loop's thread. Takes over the socket; on failure (0 or a libuv error in *status) it stays the
 * caller's and NULL is returned. Nothing is watched yet. */
lt_channel *lt_channel_create(livetcp_session *session, unsigned index, int socket, int *status);

/* Loop's thread. Watches for input, and for room if the channel wants that. */
void lt_channel_watch(lt_channel *channel);

/* Loop's thread, session locked. Stops watching and closes; the channel frees itself. `orderly`:
 * the peer should still read what was written. */
void lt_channel_close(lt_channel *channel, bool orderly);

/* The same without closing the socket, which the caller has back. */
void lt_channel_abandon(lt_channel *channel);

#endif
