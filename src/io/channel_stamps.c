/* SPDX-License-Identifier: MIT */
/*
 * The kernel announces the times of what was sent with POLLERR, as it does a failure, until they
 * are taken; the rest of what there is to tell comes along with it. libuv stops a poll handle then,
 * reports UV_EBADF and forgets the rest. So whoever is told so takes the times, looks whether there
 * is an error besides, and starts the handle again. Every round takes something or ends in failure:
 * it cannot go on for ever.
 */
#include "io/channel_stamps.h"

#include "io/clock.h"
#include "io/socket.h"
#include "platform/probe.h"

/* A flood of stamps must not keep the loop from the rest. */
#define STAMPS_PER_WAKEUP 256

/* A thread that wakes up for input takes less than that; above it, it is worth a system call to
 * know whether something was waited for. */
#define PROMPT_US 1000

void lt_channel_start_stamps(lt_channel *channel)
{
    livetcp_session *session = channel->session;

    if (session->config.timestamps == LIVETCP_TIMESTAMPS_OFF)
        return;
    channel->stamped = lt_platform_start_timestamps(channel->socket, &channel->first_byte);
    if (!channel->stamped)
        return;
    lt_platform_out_of_order(channel->socket, &channel->out_of_order);
    livetcp_engine_has_timestamps(session->engine, channel->index);
}

long lt_channel_write(lt_channel *channel, const void *data, size_t size, bool stamp)
{
    if (stamp && channel->stamped)
        return lt_platform_write_stamped(channel->socket, data, size);
    return lt_socket_write(channel->socket, data, size);
}

/* Where the kernel does not say what waited, only what did not wait tells anything. */
static void explain(lt_channel *channel, livetcp_usec waited_us, livetcp_rx_timestamp *stamp)
{
    uint32_t before = channel->out_of_order;

    if (waited_us <= PROMPT_US)
        return;
    stamp->known = lt_platform_out_of_order(channel->socket, &channel->out_of_order);
    stamp->repaired = channel->out_of_order != before;
}

long lt_channel_read(lt_channel *channel, void *data, size_t size, livetcp_rx_timestamp *stamp)
{
    *stamp = (livetcp_rx_timestamp){.known = false};
    if (!channel->stamped)
        return lt_socket_read(channel->socket, data, size);
    long n = lt_platform_read_stamped(channel->socket, data, size, &stamp->known, &stamp->at_us);
    if (n <= 0 || !stamp->known)
        return n;
    stamp->at_us -= lt_wall_clock_ahead();
    explain(channel, lt_now() - stamp->at_us, stamp);
    return n;
}

/* ---- times of what was sent ---- */

/* True if there was one. */
static bool take_all(lt_channel *channel)
{
    livetcp_session *session = channel->session;
    livetcp_usec ahead = lt_wall_clock_ahead();
    unsigned taken = 0;
    livetcp_tx_timestamp stamp;

    while (taken < STAMPS_PER_WAKEUP && lt_platform_take_stamp(channel->socket, &stamp)) {
        taken++;
        stamp.byte -= channel->first_byte;
        stamp.at_us -= ahead;
        livetcp_engine_tx_timestamp(session->engine, channel->index, &stamp, lt_now());
    }
    return taken > 0;
}

bool lt_channel_take_stamps(lt_channel *channel)
{
    livetcp_session *session = channel->session;
    bool alive = false;

    if (!channel->stamped)
        return false;
    uv_mutex_lock(&session->lock);
    /* One may come while we look for an error. */
    if (!channel->write_errno)
        alive = take_all(channel) || !lt_socket_failed(channel->socket) || take_all(channel);
    uv_mutex_unlock(&session->lock);
    return alive;
}

static bool discard_all(int socket)
{
    unsigned taken = 0;
    livetcp_tx_timestamp stamp;

    while (taken < STAMPS_PER_WAKEUP && lt_platform_take_stamp(socket, &stamp))
        taken++;
    return taken > 0;
}

bool lt_socket_discard_stamps(int socket)
{
    return discard_all(socket) || !lt_socket_failed(socket) || discard_all(socket);
}
