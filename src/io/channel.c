/* SPDX-License-Identifier: MIT */
/*
 * A socket between the loop and its owner.
 *
 * The kernel announces tx timestamps with POLLERR, which it also uses for failures, until they have
 * been read from the error queue. libuv then stops the poll handle, reports UV_EBADF and drops all
 * other events of that turn. The callback therefore reads the timestamps, checks for a real error,
 * and restarts the handle. Each round either reads an entry or ends in failure, so the loop
 * terminates.
 */
#include "io/channel.h"

#include "io/clock.h"
#include "io/lingering_close.h"
#include "platform/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads per wake-up: bounds the time that one fast peer keeps the loop from the other sockets. */
#define READS_PER_WAKEUP 4

/* Reads after a failure. A failed connection gets no second wake-up, and its remaining input is
 * still delivered. */
#define READS_TO_THE_END 1024

/* Timestamps read per wake-up: bounds the time in the error queue. */
#define TIMESTAMPS_PER_WAKEUP 256

/* Input older than this when it is read may have waited for missing segments; only then is the
 * system call that detects such a wait worth its cost. */
#define PROMPT_US 1000

/* Burst limit plus one write, for a burst that ends just below the limit. */
#define BURST_SIZE ((size_t)2 * LT_IO_BURST)

/* ---- life ---- */

lt_io_channel *lt_io_channel_create(livetcp_context *context, unsigned index, uv_os_sock_t socket,
                                    const lt_io_channel_owner *functions, void *owner,
                                    uv_mutex_t *lock, int *status)
{
    lt_io_channel *channel = calloc(1, sizeof *channel);

    if (!channel) {
        *status = UV_ENOMEM;
        return NULL;
    }
    *status = uv_poll_init_socket(context->loop, &channel->poll, socket);
    if (*status != 0) {
        free(channel);
        return NULL;
    }
    channel->context = context;
    channel->functions = functions;
    channel->owner = owner;
    channel->lock = lock;
    channel->index = index;
    channel->socket = socket;
    channel->unsent_limit = UINT32_MAX;
    channel->poll.data = channel;
    lt_socket_text(socket, false, channel->local);
    lt_socket_text(socket, true, channel->remote);
    functions->hold(owner);
    return channel;
}

static void on_closed(uv_handle_t *handle)
{
    lt_io_channel *channel = handle->data;
    const lt_io_channel_owner *functions = channel->functions;
    void *owner = channel->owner;

    lt_io_filter_destroy(&channel->filter);
    free(channel->burst);
    free(channel);
    functions->release(owner);
}

void lt_io_channel_abandon(lt_io_channel *channel)
{
    channel->socket = LT_NO_SOCKET;
    channel->ended = true;
    uv_close((uv_handle_t *)&channel->poll, on_closed);
}

void lt_io_channel_use_filter(lt_io_channel *channel, lt_io_filter *filter)
{
    channel->filter = filter;
}

/* Bytes that wait for space in the send buffer: of a burst, or of records. */
static size_t waiting(const lt_io_channel *channel, const uint8_t **data)
{
    if (channel->filter)
        return lt_io_filter_output(channel->filter, data);
    *data = channel->burst ? channel->burst + channel->burst_done : NULL;
    return channel->burst_size - channel->burst_done;
}

void lt_io_channel_close(lt_io_channel *channel, bool orderly, livetcp_result reason)
{
    uv_os_sock_t socket = channel->socket;
    const uint8_t *rest = NULL;
    size_t size = 0;

    if (orderly && channel->filter)
        lt_io_filter_end(channel->filter, reason);
    if (orderly && lt_io_channel_flush(channel) == EAGAIN)
        size = waiting(channel, &rest);
    lt_io_channel_abandon(channel); /* it frees the rest when the loop comes round */
    if (orderly)
        lt_io_close_lingering(channel->context, socket, rest, size);
    else
        lt_socket_reset(socket);
}

/* ---- transmit timestamps ---- */

bool lt_io_channel_start_timestamps(lt_io_channel *channel)
{
    channel->timestamped = lt_platform_start_timestamps(channel->socket, &channel->first_byte);
    if (channel->timestamped)
        lt_platform_out_of_order(channel->socket, &channel->out_of_order);
    return channel->timestamped;
}

/* True if there was at least one. */
static bool take_all(lt_io_channel *channel)
{
    livetcp_usec ahead = lt_io_wall_clock_ahead();
    livetcp_tx_timestamp timestamps[LT_TIMESTAMP_BATCH];
    unsigned taken = 0, count;

    do {
        count = lt_platform_take_timestamps(channel->socket, timestamps);
        for (unsigned i = 0; i < count; i++) {
            timestamps[i].byte -= channel->first_byte;
            timestamps[i].at_us -= ahead;
            channel->functions->on_timestamp(channel->owner, channel->index, &timestamps[i]);
        }
        taken += count;
    } while (count == LT_TIMESTAMP_BATCH && taken < TIMESTAMPS_PER_WAKEUP);
    return taken > 0;
}

/* After the loop has reported an error. False if the socket has really failed. */
static bool take_timestamps(lt_io_channel *channel)
{
    bool alive = false;

    if (!channel->timestamped)
        return false;
    uv_mutex_lock(channel->lock);
    /* A timestamp may arrive between reading the queue and reading SO_ERROR. */
    if (!channel->write_errno)
        alive = take_all(channel) || !lt_socket_failed(channel->socket) || take_all(channel);
    uv_mutex_unlock(channel->lock);
    return alive;
}

/* ---- bytes ---- */

static long write_socket(lt_io_channel *channel, const void *data, size_t size, bool timestamp)
{
    long n = timestamp && channel->timestamped
                 ? lt_platform_write_timestamped(channel->socket, data, size)
                 : lt_socket_write(channel->socket, data, size);

    if (n > 0)
        channel->idle = false;
    return n;
}

static void took(lt_io_channel *channel, size_t size)
{
    if (channel->filter) {
        lt_io_filter_written(channel->filter, size);
        return;
    }
    channel->burst_done += size;
    if (channel->burst_done == channel->burst_size)
        channel->burst_size = channel->burst_done = 0;
}

static int flush(lt_io_channel *channel, bool timestamp)
{
    const uint8_t *data;
    size_t size;

    channel->full = false;
    while ((size = waiting(channel, &data)) > 0) {
        long n = write_socket(channel, data, size, timestamp);
        if (n < 0) {
            channel->full = n == -EAGAIN;
            return (int)-n;
        }
        took(channel, (size_t)n);
    }
    return 0;
}

int lt_io_channel_flush(lt_io_channel *channel)
{
    return flush(channel, false);
}

/* Each write becomes a TLS record of its own, so that the receiver can decrypt it as soon as it
 * arrives. */
static bool add(lt_io_channel *channel, const lt_io_write *write)
{
    if (channel->filter)
        return lt_io_filter_write(channel->filter, write->data, write->size) == LIVETCP_OK;
    memcpy(channel->burst + channel->burst_size, write->data, write->size);
    channel->burst_size += write->size;
    return true;
}

/* A record is complete once encrypted and then counts as written, as a waiting burst does. Bytes
 * that the kernel does not accept are sent before anything else. */
static long write_behind(lt_io_channel *channel, const lt_io_write *write, size_t *wire_size)
{
    const uint8_t *data;
    size_t before = waiting(channel, &data);
    int failure = 0;

    if (!add(channel, write))
        return -EPROTO;
    size_t after = waiting(channel, &data);
    *wire_size = after - before;
    if (!write->more || write->timestamp || after >= LT_IO_BURST)
        failure = flush(channel, write->timestamp);
    return failure && failure != EAGAIN ? -failure : (long)write->size;
}

/* Direct write: no filter, and no bytes waiting. */
static long write_through(lt_io_channel *channel, const lt_io_write *write, size_t *wire_size)
{
    long n = write_socket(channel, write->data, write->size, write->timestamp);

    *wire_size = n > 0 ? (size_t)n : 0;
    return n;
}

/* True if the write can join a burst. Allocates the burst buffer on first use. */
static bool can_wait(lt_io_channel *channel, const lt_io_write *write)
{
    if (!channel->burst && write->more)
        channel->burst = malloc(BURST_SIZE);
    return channel->burst && write->size <= BURST_SIZE - channel->burst_size;
}

long lt_io_channel_write(lt_io_channel *channel, const lt_io_write *write, size_t *wire_size)
{
    if (channel->full || (!channel->filter && channel->burst_size && !can_wait(channel, write))) {
        int failure = flush(channel, false);
        if (failure)
            return -failure;
    }
    bool waits = channel->burst_size || (write->more && can_wait(channel, write));
    return channel->filter || waits ? write_behind(channel, write, wire_size)
                                    : write_through(channel, write, wire_size);
}

size_t lt_io_channel_waiting(const lt_io_channel *channel)
{
    const uint8_t *data;

    return waiting(channel, &data);
}

void lt_io_channel_probe(const lt_io_channel *channel, bool briefly, livetcp_path *info)
{
    uint32_t bytes = (uint32_t)lt_io_channel_waiting(channel);

    lt_platform_probe(channel->socket, briefly, info);
    if (info->known & LIVETCP_PATH_QUEUED)
        info->queued_bytes += bytes;
    if (info->known & LIVETCP_PATH_UNSENT)
        info->unsent_bytes += bytes;
}

bool lt_io_channel_is_full(const lt_io_channel *channel)
{
    return channel->full;
}

/* Where the kernel does not report out-of-order segments, only timestamps of promptly read input
 * are usable. */
static void explain(lt_io_channel *channel, livetcp_usec waited_us, livetcp_rx_timestamp *timestamp)
{
    uint32_t before = channel->out_of_order;

    if (waited_us <= PROMPT_US)
        return;
    timestamp->known = lt_platform_out_of_order(channel->socket, &channel->out_of_order);
    timestamp->repaired = channel->out_of_order != before;
}

static long read_socket(lt_io_channel *channel, void *data, size_t size,
                        livetcp_rx_timestamp *timestamp)
{
    *timestamp = (livetcp_rx_timestamp){.known = false};
    if (!channel->timestamped)
        return lt_socket_read(channel->socket, data, size);
    long n = lt_platform_read_timestamped(channel->socket, data, size, &timestamp->known,
                                          &timestamp->at_us);
    if (n <= 0 || !timestamp->known)
        return n;
    timestamp->at_us -= lt_io_wall_clock_ahead();
    explain(channel, lt_io_now() - timestamp->at_us, timestamp);
    return n;
}

/* If a writer consumed the socket's error (reset) first, the reader sees an orderly end; the stored
 * errno wins. */
static void lose(lt_io_channel *channel, int system_errno)
{
    uv_mutex_lock(channel->lock);
    if (system_errno == 0)
        system_errno = channel->write_errno;
    channel->cut = system_errno == 0 && channel->filter && lt_io_filter_is_cut(channel->filter);
    uv_mutex_unlock(channel->lock);
    channel->functions->on_lost(channel->owner, channel->index, system_errno);
}

/* Decrypts one step into the read buffer: the filter has its own copy of the ciphertext. Flushes
 * any answer of the filter (key update, alert). */
static size_t decrypt(lt_io_channel *channel, const uint8_t *data, size_t size, uint8_t *plaintext,
                      livetcp_error *error)
{
    uv_mutex_lock(channel->lock);
    if (size)
        lt_io_filter_receive(channel->filter, data, size);
    size_t got = lt_io_filter_read(channel->filter, plaintext, LT_IO_READ_SIZE);
    if (flush(channel, false) == EAGAIN)
        channel->want_writable = true;
    lt_io_filter_state state = lt_io_filter_state_of(channel->filter);
    error->code = state == LT_IO_FILTER_ENDED ? LIVETCP_ERR_CLOSED : LIVETCP_OK;
    if (state == LT_IO_FILTER_FAILED)
        *error = *lt_io_filter_error(channel->filter);
    uv_mutex_unlock(channel->lock);
    return got;
}

static void deliver_records(lt_io_channel *channel, size_t size,
                            const livetcp_rx_timestamp *timestamp)
{
    uint8_t *buffer = channel->context->read_buffer;
    livetcp_error error;

    for (;;) {
        size_t got = decrypt(channel, buffer, size, buffer, &error);
        if (got)
            channel->functions->on_bytes(channel->owner, channel->index, buffer, got, timestamp);
        size = 0;
        if (channel->ended)
            return;
        if (!got || error.code != LIVETCP_OK)
            break;
    }
    if (error.code == LIVETCP_ERR_CLOSED)
        lose(channel, 0);
    else if (error.code != LIVETCP_OK)
        channel->functions->on_failed(channel->owner, channel->index, &error);
}

/* Delivers `size` bytes of the read buffer, through the filter if there is one. */
static void deliver(lt_io_channel *channel, size_t size, const livetcp_rx_timestamp *timestamp)
{
    if (channel->filter)
        deliver_records(channel, size, timestamp);
    else
        channel->functions->on_bytes(channel->owner, channel->index, channel->context->read_buffer,
                                     size, timestamp);
}

void lt_io_channel_drain(lt_io_channel *channel)
{
    if (channel->filter)
        deliver_records(channel, 0, &(livetcp_rx_timestamp){.known = false});
}

/* Reads until the socket is empty or the budget is used up. The channel may have ended after each
 * read. */
static void read_input(lt_io_channel *channel, bool to_the_end)
{
    uint8_t *buffer = channel->context->read_buffer;
    int limit = to_the_end ? READS_TO_THE_END : READS_PER_WAKEUP;

    for (int i = 0; i < limit && !channel->ended; i++) {
        livetcp_rx_timestamp timestamp;
        long n = read_socket(channel, buffer, LT_IO_READ_SIZE, &timestamp);
        if (n == -EAGAIN)
            break;
        if (n <= 0) {
            lose(channel, (int)-n);
            return;
        }
        lt_platform_acknowledge_now(channel->socket);
        deliver(channel, (size_t)n, &timestamp);
        if (n < LT_IO_READ_SIZE && !to_the_end)
            break;
    }
    if (to_the_end && !channel->ended)
        lose(channel, 0);
}

/* ---- readiness ---- */

/* Notifies the owner of writability. True if the socket has failed, which a writer on another
 * thread may have found out. */
static bool note_writable(lt_io_channel *channel)
{
    uv_mutex_lock(channel->lock);
    bool failed = channel->write_errno != 0;
    int rest = failed ? 0 : flush(channel, false);
    if (rest && rest != EAGAIN) {
        channel->write_errno = rest;
        failed = true;
    }
    if (!failed && !rest && (channel->want_writable || channel->want_drained)) {
        channel->want_writable = channel->want_drained = false;
        channel->functions->on_writable(channel->owner, channel->index);
    }
    uv_mutex_unlock(channel->lock);
    return failed;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_channel *channel = poll->data;
    const lt_io_channel_owner *functions = channel->functions;
    void *owner = channel->owner;
    bool failed = status < 0;

    if (channel->ended)
        return;
    if (failed && take_timestamps(channel)) {
        failed = false;
        events = channel->watched; /* libuv dropped the other events: check all of them */
        uv_poll_start(poll, events, on_ready);
    }
    functions->hold(owner);
    if (events & UV_WRITABLE)
        failed = note_writable(channel) || failed;
    if (failed || (events & UV_READABLE))
        read_input(channel, failed);
    if (events & UV_WRITABLE)
        functions->on_drained(owner);
    functions->release(owner);
}

void lt_io_channel_watch(lt_io_channel *channel)
{
    bool writable = channel->want_writable || channel->want_drained;
    int events = UV_READABLE | (writable ? UV_WRITABLE : 0);

    if (events == channel->watched)
        return;
    channel->watched = events;
    uv_poll_start(&channel->poll, events, on_ready);
}
