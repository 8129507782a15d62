/* SPDX-License-Identifier: MIT */
/* Writes what the engine wants written, and tells it what it needs to know for that. Any thread,
 * with the session's lock. */
#include "io/clock.h"
#include "io/session.h"
#include "platform/probe.h"

#include <errno.h>

/* Maximum age of the window and times of an idle connection: nothing waits for it. */
#define FULL_PROBE_AGE_US 100000

/* Below this share of the unsent limit the socket's own limit follows; above it, at once. */
#define FOLLOW_PART 4

/* ---- path information ---- */

/* The times that the last acknowledgement has changed are asked for once, also while the packets of
 * a burst wait here. */
static void probe(lt_io_channel *channel, livetcp_usec now, livetcp_path *info)
{
    bool briefly = channel->idle && now - channel->probed_us < FULL_PROBE_AGE_US;

    lt_io_channel_probe(channel, briefly, info);
    if (!(info->known & LIVETCP_PATH_CWND))
        return;
    channel->probed_us = now;
    channel->idle = info->known & LIVETCP_PATH_QUEUED && info->queued_bytes == 0;
}

static void bring_path_info(livetcp_session *session, uint32_t wanted, livetcp_usec now)
{
    for (unsigned i = 0; wanted; i++, wanted >>= 1) {
        livetcp_path info = {.known = 0};
        if (!(wanted & 1))
            continue;
        if (session->slots[i].channel)
            probe(session->slots[i].channel, now, &info);
        livetcp_engine_path_info(session->engine, i, &info, now);
    }
}

/* ---- the unsent limit ---- */

/* The socket's limit must not be above the engine's, or the loop would be woken for nothing. */
static void limit_unsent(const livetcp_session *session, lt_io_channel *channel)
{
    uint32_t limit = livetcp_engine_unsent_limit(session->engine, channel->index);

    if (limit >= channel->unsent_limit && channel->unsent_limit >= limit - limit / FOLLOW_PART)
        return;
    lt_platform_limit_unsent(channel->socket, limit);
    channel->unsent_limit = limit;
}

/* Packets that wait for the kernel to send: the loop is to be woken when it has. */
static void want_drained(livetcp_session *session)
{
    uint32_t wanted = livetcp_engine_wants_writable(session->engine);

    for (unsigned i = 0; i < livetcp_engine_connections(session->engine); i++) {
        lt_io_channel *channel = session->slots[i].channel;
        if (!channel)
            continue;
        if (!session->unlimited)
            limit_unsent(session, channel);
        bool wants = wanted >> i & 1;
        if (wants && !channel->want_drained)
            session->channels_changed = true;
        channel->want_drained = wants;
    }
}

/* The end of the session is announced behind everything else: a limit that serves delay must not
 * keep it back. */
static void lift_limits(livetcp_session *session)
{
    session->unlimited = true;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_io_channel *channel = session->slots[i].channel;
        if (!channel || channel->unsent_limit == UINT32_MAX)
            continue;
        lt_platform_limit_unsent(channel->socket, UINT32_MAX);
        channel->unsent_limit = UINT32_MAX;
        if (channel->want_writable && !channel->write_errno)
            livetcp_engine_writable(session->engine, i);
    }
}

/* ---- writing ---- */

/* A socket that fails may still hold the last bytes of the peer, and the reason why it left. So a
 * failure only stops the writing; the loop reads to the end and then reports the loss. */
static void stop_writing(livetcp_session *session, lt_io_channel *channel, int system_errno)
{
    if (system_errno != EAGAIN)
        channel->write_errno = system_errno;
    channel->want_writable = true;
    session->channels_changed = true;
    livetcp_engine_blocked(session->engine, channel->index);
}

/* Packets that wait to be placed may follow on this connection. Pieces of a packet (split) are
 * written one by one: their boundaries are meant. */
static bool may_follow(const livetcp_session *session)
{
    return session->config.split <= 1 && livetcp_engine_queued(session->engine) > 0;
}

/* The rest of each connection's burst. */
static void flush_channels(livetcp_session *session)
{
    for (unsigned i = 0; i < livetcp_engine_connections(session->engine); i++) {
        lt_io_channel *channel = session->slots[i].channel;
        if (!channel || channel->full || channel->write_errno || !lt_io_channel_waiting(channel))
            continue;
        int failure = lt_io_channel_flush(channel);
        if (failure)
            stop_writing(session, channel, failure);
    }
}

/* The engine ends a session that closes when it counts the last byte as written, unless a
 * connection is blocked: so the bursts of all are written before. */
static void write_once(livetcp_session *session, const livetcp_engine_write *write)
{
    lt_io_channel *channel = session->slots[write->connection].channel;

    if (!channel) {
        livetcp_engine_lost(session->engine, write->connection, LIVETCP_ERR_CONNECTION_LOST,
                            lt_io_now());
        return;
    }
    const lt_io_write bytes = {write->data, write->size, write->timestamp, may_follow(session)};
    size_t wire_size;
    long n = lt_io_channel_write(channel, &bytes, &wire_size);
    if (n < 0)
        stop_writing(session, channel, (int)-n);
    else if (lt_io_channel_is_full(channel))
        stop_writing(session, channel, EAGAIN);
    if (!bytes.more)
        flush_channels(session);
    if (n >= 0)
        livetcp_engine_wrote_as(session->engine, write->connection, (size_t)n, wire_size,
                                lt_io_now());
}

void lt_io_session_flush(livetcp_session *session)
{
    livetcp_engine_write write;

    session->burst = 0;

    for (;;) {
        livetcp_usec now = lt_io_now();
        if (!session->unlimited && livetcp_engine_state(session->engine) == LIVETCP_SESSION_CLOSED)
            lift_limits(session);
        uint32_t wanted = livetcp_engine_wants_path_info(session->engine, now);
        if (wanted)
            bring_path_info(session, wanted, now);
        if (!livetcp_engine_next_write(session->engine, now, &write))
            break;
        write_once(session, &write);
    }
    flush_channels(session);
    want_drained(session);
}
