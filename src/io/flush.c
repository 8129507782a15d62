/* SPDX-License-Identifier: MIT */
/* The write loop: facts in, bytes out, on whichever thread holds the session's lock. */
#include "io/channel.h"
#include "io/clock.h"
#include "io/socket.h"
#include "platform/probe.h"

#include <errno.h>

/* How old window and times of an idle connection may be: nobody waits for it. */
#define FULL_PROBE_AGE_US 100000

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
        lt_session_facts(session->engine, i, &facts, now);
    }
}

/* A socket that fails may still hold what the peer said last, and why it left. So a failure only
 * stops the writing; the loop reads to the end and then reports the loss. */
static void stop_writing(livetcp_session *session, lt_channel *channel, int system_errno)
{
    if (system_errno != EAGAIN)
        channel->write_errno = system_errno;
    channel->want_writable = true;
    session->channels_changed = true;
    lt_session_blocked(session->engine, channel->index);
}

static void write_once(livetcp_session *session, const lt_write *write)
{
    lt_channel *channel = session->slots[write->index].channel;

    if (!channel) {
        lt_session_lost(session->engine, write->index, LIVETCP_ERR_CONNECTION_LOST, lt_now());
        return;
    }
    long n = lt_socket_write(channel->socket, write->data, write->size);
    if (n >= 0)
        lt_session_wrote(session->engine, write->index, (size_t)n, lt_now());
    else
        stop_writing(session, channel, (int)-n);
}

void lt_session_io_flush(livetcp_session *session)
{
    lt_write write;

    for (;;) {
        livetcp_usec now = lt_now();
        uint32_t wanted = lt_session_wants_facts(session->engine, now);
        if (wanted)
            bring_facts(session, wanted, now);
        if (!lt_session_next_write(session->engine, now, &write))
            return;
        write_once(session, &write);
    }
}

void lt_session_io_wake_if_needed(livetcp_session *session)
{
    if (!session->has_event)
        session->has_event = lt_session_next_event(session->engine, &session->event);
    if (session->has_event || session->channels_changed ||
        lt_session_deadline(session->engine) < session->armed_us)
        lt_context_attend(session->context, session);
}
