/* SPDX-License-Identifier: MIT */
/* The write loop: facts in, bytes out, on whichever thread holds the session's lock. */
#include "io/channel_stamps.h"
#include "io/clock.h"
#include "platform/probe.h"

#include <errno.h>

/* How old window and times of an idle connection may be: nobody waits for it. */
#define FULL_PROBE_AGE_US 100000

/* ---- facts ---- */

static void probe(lt_channel *channel, livetcp_usec now, livetcp_path *facts)
{
    lt_platform_probe(channel->socket, now - channel->probed_us < FULL_PROBE_AGE_US, facts);
    if (facts->known & LIVETCP_PATH_CWND)
        channel->probed_us = now;
}

static void bring_facts(livetcp_session *session, uint32_t wanted, livetcp_usec now)
{
    for (unsigned i = 0; wanted; i++, wanted >>= 1) {
        livetcp_path facts = {.known = 0};
        if (!(wanted & 1))
            continue;
        if (session->slots[i].channel)
            probe(session->slots[i].channel, now, &facts);
        livetcp_engine_path_info(session->engine, i, &facts, now);
    }
}

/* ---- how much may be unsent ---- */

/* Below this share of what may be unsent the socket's own limit follows; above it, at once. */
#define FOLLOW_PART 4

/* The socket's limit must not be above the engine's, or the loop would be woken for nothing. */
static void limit_unsent(const livetcp_session *session, lt_channel *channel)
{
    uint32_t limit = livetcp_engine_unsent_limit(session->engine, channel->index);

    if (limit >= channel->unsent_limit && channel->unsent_limit >= limit - limit / FOLLOW_PART)
        return;
    lt_platform_limit_unsent(channel->socket, limit);
    channel->unsent_limit = limit;
}

/* Packets that wait for the kernel to send: the loop is to be woken when it has. */
static void note_room(livetcp_session *session)
{
    uint32_t wanted = livetcp_engine_wants_room(session->engine);

    for (unsigned i = 0; i < livetcp_engine_connections(session->engine); i++) {
        lt_channel *channel = session->slots[i].channel;
        if (!channel)
            continue;
        if (!session->unlimited)
            limit_unsent(session, channel);
        bool wants = wanted >> i & 1;
        if (wants && !channel->want_room)
            session->channels_changed = true;
        channel->want_room = wants;
    }
}

/* What ends says so behind everything else: a limit that serves delay must not keep it back. */
static void lift_limits(livetcp_session *session)
{
    session->unlimited = true;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_channel *channel = session->slots[i].channel;
        if (!channel || channel->unsent_limit == UINT32_MAX)
            continue;
        lt_platform_limit_unsent(channel->socket, UINT32_MAX);
        channel->unsent_limit = UINT32_MAX;
        if (channel->want_writable && !channel->write_errno)
            livetcp_engine_writable(session->engine, i);
    }
}

/* ---- writing ---- */

/* A socket that fails may still hold what the peer said last, and why it left. So a failure only
 * stops the writing; the loop reads to the end and then reports the loss. */
static void stop_writing(livetcp_session *session, lt_channel *channel, int system_errno)
{
    if (system_errno != EAGAIN)
        channel->write_errno = system_errno;
    channel->want_writable = true;
    session->channels_changed = true;
    livetcp_engine_blocked(session->engine, channel->index);
}

static void write_once(livetcp_session *session, const livetcp_engine_write *write)
{
    lt_channel *channel = session->slots[write->connection].channel;

    if (!channel) {
        livetcp_engine_lost(session->engine, write->connection, LIVETCP_ERR_CONNECTION_LOST,
                            lt_now());
        return;
    }
    long n = lt_channel_write(channel, write->data, write->size, write->timestamp);
    if (n >= 0)
        livetcp_engine_wrote(session->engine, write->connection, (size_t)n, lt_now());
    else
        stop_writing(session, channel, (int)-n);
}

void lt_session_io_flush(livetcp_session *session)
{
    livetcp_engine_write write;

    for (;;) {
        livetcp_usec now = lt_now();
        if (!session->unlimited && livetcp_engine_state(session->engine) == LIVETCP_SESSION_CLOSED)
            lift_limits(session);
        uint32_t wanted = livetcp_engine_wants_path_info(session->engine, now);
        if (wanted)
            bring_facts(session, wanted, now);
        if (!livetcp_engine_next_write(session->engine, now, &write))
            break;
        write_once(session, &write);
    }
    note_room(session);
}

void lt_session_io_wake_if_needed(livetcp_session *session)
{
    if (!session->has_event)
        session->has_event = livetcp_engine_next_event(session->engine, &session->event);
    if (session->has_event || session->channels_changed ||
        livetcp_engine_deadline(session->engine) < session->armed_us)
        lt_context_attend(session->context, session);
}
