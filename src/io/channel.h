/* SPDX-License-Identifier: MIT */
/*
 * One connected socket, watched by the loop: bytes in and out, and the kernel's timestamps of both.
 * It belongs to an owner, a session, which it reaches through a table of functions.
 */
#ifndef LT_IO_CHANNEL_H
#define LT_IO_CHANNEL_H

#include "io/context.h"
#include "io/filter.h"
#include "platform/socket.h"

#include <livetcp/engine.h>

/* A burst of packets is written in one call up to here. */
#define LT_IO_BURST 16384

/* Called on the loop's thread with the channel's owner and index; the owner's lock is held where
 * noted. The others may end the channel. */
typedef struct lt_io_channel_owner {
    /* Bytes have come; they stay valid until this returns. */
    void (*on_bytes)(void *owner, unsigned index, const uint8_t *data, size_t size,
                     const livetcp_rx_timestamp *timestamp);

    /* It has failed with this errno, or the peer has ended it if 0. The owner closes it. */
    void (*on_lost)(void *owner, unsigned index, int system_errno);

    /* Its filter has failed. The owner closes it. */
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* Locked: the channel wanted to write, and can. Input that there is comes next, and then
     * on_drained(): the time to write. */
    void (*on_writable)(void *owner, unsigned index);
    void (*on_drained)(void *owner);

    /* Locked: the kernel reported a timestamp of a written byte. */
    void (*on_timestamp)(void *owner, unsigned index, const livetcp_tx_timestamp *timestamp);

    /* The owner must not be freed between the two. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_channel_owner;

typedef struct lt_io_channel {
    livetcp_context *context;
    const lt_io_channel_owner *functions;
    void *owner;      /* held until the handle has closed */
    uv_mutex_t *lock; /* the owner's */
    unsigned index;
    uv_os_sock_t socket;
    lt_io_filter *filter; /* (lock) between socket and owner; NULL = none */
    uv_poll_t poll;
    bool ended;             /* loop's thread: closed or abandoned */
    bool cut;               /* loop's thread: once lost, the peer had ended TCP and not TLS */
    int watched;            /* loop's thread: UV_READABLE and perhaps UV_WRITABLE */
    bool want_writable;     /* (lock) the kernel took no more */
    bool want_drained;      /* (lock) packets wait until less is unsent */
    uint32_t unsent_limit;  /* (lock) the socket counts as writable below that */
    int write_errno;        /* (lock) writing failed; reading gives the details */
    livetcp_usec probed_us; /* (lock) time of the last full probe */
    bool idle;              /* (lock) all was acknowledged then; the kernel got nothing since */
    bool timestamped;       /* the kernel reports timestamps, */
    uint32_t first_byte;    /*   which call the engine's first byte so */
    uint32_t out_of_order;  /* loop's thread: segments that had waited for others */
    uint8_t *burst;         /* (lock) without a filter: what waits to be written, */
    size_t burst_size;      /*   bytes of it, of LT_IO_BURST and a frame, */
    size_t burst_done;      /*   and how many of them the kernel has taken */
    bool full;              /* (lock) it has not taken all of what waits */
    char local[LT_ADDRESS_TEXT];
    char remote[LT_ADDRESS_TEXT];
} lt_io_channel;

/* Loop's thread. Takes over the socket; on failure (0 or a libuv error in *status) it stays the
 * caller's and NULL is returned. Nothing is watched yet. */
lt_io_channel *lt_io_channel_create(livetcp_context *context, unsigned index, uv_os_sock_t socket,
                                    const lt_io_channel_owner *functions, void *owner,
                                    uv_mutex_t *lock, int *status);

/* Loop's thread, locked, before the engine writes: asks the kernel for timestamps. True if it
 * reports them. */
bool lt_io_channel_start_timestamps(lt_io_channel *channel);

/* Loop's thread. Watches for input, and for writability if the channel wants that. */
void lt_io_channel_watch(lt_io_channel *channel);

/* Loop's thread, before it is watched: takes over the filter, whose handshakes are done; NULL =
 * none. */
void lt_io_channel_use_filter(lt_io_channel *channel, lt_io_filter *filter);

/* Loop's thread: gives the owner what the filter holds already. */
void lt_io_channel_drain(lt_io_channel *channel);

/* One write of bytes. */
typedef struct lt_io_write {
    const void *data;
    size_t size;
    bool timestamp; /* on_timestamp() will report the last of them */
    bool more;      /* more follows: they may wait for it until lt_io_channel_flush() */
} lt_io_write;

/* Any thread, locked. Bytes, or -errno. *wire_size is set to the number of bytes that TCP carries
 * for them: with a filter, those of records and frames. Bytes that wait count as written. */
long lt_io_channel_write(lt_io_channel *channel, const lt_io_write *write, size_t *wire_size);

/* Any thread, locked. Writes what waits: 0, EAGAIN if the kernel takes no more for now, or the
 * errno of a failure. */
int lt_io_channel_flush(lt_io_channel *channel);

/* Locked. Bytes of writes, of records or frames, that the kernel does not have yet. */
size_t lt_io_channel_waiting(const lt_io_channel *channel);

/* Locked. Path information of the socket; what counts as written and waits here is behind
 * everything that the kernel has. `briefly`: see lt_platform_probe(). */
void lt_io_channel_probe(const lt_io_channel *channel, bool briefly, livetcp_path *info);

/* Locked. True if the kernel has not taken all that waits: it takes no more for now. */
bool lt_io_channel_is_full(const lt_io_channel *channel);

/* Loop's thread, locked. Stops watching and closes; the channel frees itself. `orderly`: the peer
 * should still read the written data, and be told the reason if the filter can tell; LIVETCP_OK is
 * none. */
void lt_io_channel_close(lt_io_channel *channel, bool orderly, livetcp_result reason);

/* The same without closing the socket, which the caller has back. */
void lt_io_channel_abandon(lt_io_channel *channel);

#endif
