/* SPDX-License-Identifier: MIT */
/*
 * One connected socket, watched by the loop: bytes in both directions, and the kernel's rx and tx
 * timestamps. Its owner, a session, is called through a table of functions.
 */
#ifndef LT_IO_CHANNEL_H
#define LT_IO_CHANNEL_H

#include "io/context.h"
#include "io/filter.h"
#include "platform/socket.h"

#include <livetcp/engine.h>

/* Bytes up to which packets of a burst are collected into one write. */
#define LT_IO_BURST 16384

/* Called on the loop's thread with the channel's owner and index; the owner's lock is held where
 * noted. Functions called without the lock may end the channel. */
typedef struct lt_io_channel_owner {
    /* Input; the bytes stay valid until this returns. */
    void (*on_bytes)(void *owner, unsigned index, const uint8_t *data, size_t size,
                     const livetcp_rx_timestamp *timestamp);

    /* The socket has failed with this errno, or the peer has closed it (0). The owner closes the
     * channel. */
    void (*on_lost)(void *owner, unsigned index, int system_errno);

    /* The filter has failed. The owner closes the channel. */
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* Locked: the channel wanted to write, and the socket is writable again. Pending input is
     * delivered next, then on_drained() is called, in which the owner writes. */
    void (*on_writable)(void *owner, unsigned index);
    void (*on_drained)(void *owner);

    /* Locked: a tx timestamp of a written byte. */
    void (*on_timestamp)(void *owner, unsigned index, const livetcp_tx_timestamp *timestamp);

    /* Reference the owner, and release it. */
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
    lt_io_filter *filter; /* (lock) between the owner and the socket; NULL = none */
    uv_poll_t poll;
    bool ended;             /* loop's thread: closed or abandoned */
    bool cut;               /* loop's thread: once lost, the peer had ended TCP and not TLS */
    int watched;            /* loop's thread: UV_READABLE and perhaps UV_WRITABLE */
    bool want_writable;     /* (lock) the kernel took no more */
    bool want_drained;      /* (lock) packets wait until less is unsent */
    uint32_t unsent_limit;  /* (lock) the socket counts as writable below that */
    int write_errno;        /* (lock) writing failed; reading gives the details */
    livetcp_usec probed_us; /* (lock) time of the last full probe */
    bool idle; /* (lock) everything was acknowledged at the last probe, and nothing was written
                  since */
    bool timestamped;      /* the kernel reports timestamps */
    uint32_t first_byte;   /* kernel's byte counter at the engine's first byte */
    uint32_t out_of_order; /* loop's thread: kernel's count of segments received out of order */
    uint8_t *burst;        /* (lock) without a filter: bytes that wait to be written, */
    size_t burst_size;     /* their number, up to LT_IO_BURST and one frame, */
    size_t burst_done;     /* and how many of them the kernel has accepted */
    bool full;             /* (lock) the kernel has accepted only a part of the waiting bytes */
    char local[LT_ADDRESS_TEXT];
    char remote[LT_ADDRESS_TEXT];
} lt_io_channel;

/* Loop's thread. Takes over the socket; on failure it stays the caller's, and NULL is returned with
 * a libuv error in *status. Nothing is watched yet. */
lt_io_channel *lt_io_channel_create(livetcp_context *context, unsigned index, uv_os_sock_t socket,
                                    const lt_io_channel_owner *functions, void *owner,
                                    uv_mutex_t *lock, int *status);

/* Loop's thread, locked, before the engine writes: enables SO_TIMESTAMPING. True if the kernel
 * supports it. */
bool lt_io_channel_start_timestamps(lt_io_channel *channel);

/* Loop's thread. Watches for input, and for writability while want_writable or want_drained is
 * set. */
void lt_io_channel_watch(lt_io_channel *channel);

/* Loop's thread, before the channel is watched: takes over a filter whose handshakes are complete;
 * NULL = none. */
void lt_io_channel_use_filter(lt_io_channel *channel, lt_io_filter *filter);

/* Loop's thread: delivers the plaintext that the filter already holds. */
void lt_io_channel_drain(lt_io_channel *channel);

/* One write. */
typedef struct lt_io_write {
    const void *data;
    size_t size;
    bool timestamp; /* request a tx timestamp of the last byte */
    bool more;      /* more writes follow: these bytes may wait until lt_io_channel_flush() */
} lt_io_write;

/* Any thread, locked. Returns the number of bytes written, or -errno. *wire_size: bytes that TCP
 * carries for them, TLS record and WebSocket overhead included. Bytes that wait count as
 * written. */
long lt_io_channel_write(lt_io_channel *channel, const lt_io_write *write, size_t *wire_size);

/* Any thread, locked. Writes the waiting bytes. Returns 0, EAGAIN if the send buffer is full, or
 * the errno of a failure. */
int lt_io_channel_flush(lt_io_channel *channel);

/* Locked. Bytes, record and frame overhead included, that were written but not yet passed to the
 * kernel. */
size_t lt_io_channel_waiting(const lt_io_channel *channel);

/* Locked. Path info of the socket. Waiting bytes count as unsent bytes at the end of the send
 * buffer. `briefly`: see lt_platform_probe(). */
void lt_io_channel_probe(const lt_io_channel *channel, bool briefly, livetcp_path *info);

/* Locked. True if bytes wait because the send buffer is full. */
bool lt_io_channel_is_full(const lt_io_channel *channel);

/* Loop's thread, locked. Stops watching and closes; the channel frees itself. `orderly`: lingering
 * close, so that the peer reads the written data, and the filter sends the reason where its
 * protocol has one; LIVETCP_OK = no reason. Otherwise TCP is reset, and forgets what it has. */
void lt_io_channel_close(lt_io_channel *channel, bool orderly, livetcp_result reason);

/* As lt_io_channel_close(), but the caller keeps the socket. */
void lt_io_channel_abandon(lt_io_channel *channel);

#endif
