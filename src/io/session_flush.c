/* SPDX-License-Identifier: MIT */
/* Writes what the engine wants written, and passes it the path info that it needs for that. Any
 * thread, under the session's lock. */
#include "io/clock.h"
#include "io/session.h"
#include "platform/probe.h"

#include <errno.h>

/* Maximum age of the congestion window and times of an idle connection; nothing waits there. */
#define FULL_PROBE_AGE_US 100000

/* The socket's limit may be this part (1/N) below the engine's before it is raised; it is lowered
 * at once. */
#define FOLLOW_PART 4

/* ---- path information ---- */

/* A full probe, except of an idle connection that had one less than FULL_PROBE_AGE_US ago: nothing
 * has changed since its last acknowledgement, even if packets of a burst wait here. */
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

/* Keeps the socket's limit (TCP_NOTSENT_LOWAT) at or below the engine's: a higher one would wake
 * the loop for nothing. */
static void limit_unsent(const livetcp_session *session, lt_io_channel *channel)
{
    uint32_t limit = livetcp_engine_unsent_limit(session->engine, channel->index);

    if (limit >= channel->unsent_limit && channel->unsent_limit >= limit - limit / FOLLOW_PART)
        return;
    lt_platform_limit_unsent(channel->socket, limit);
    channel->unsent_limit = limit;
}

/* Packets wait for the kernel to send: asks the loop for a wake-up when it has. */
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

/* The end of the session is the last message: limits that serve low delay must not hold it back. */
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

/* A failed socket may still hold the peer's last bytes, and the reason of its end. So a failure
 * only stops the writing; the loop reads to the end and then reports the loss. */
static void stop_writing(livetcp_session *session, lt_io_channel *channel, int system_errno)
{
    if (system_errno != EAGAIN)
        channel->write_errno = system_errno;
    channel->want_writable = true;
    session->channels_changed = true;
    livetcp_engine_blocked(session->engine, channel->index);
}

/* True if more packets may follow in this burst. Pieces of a split packet are written one by one,
 * to keep their boundaries. */
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
