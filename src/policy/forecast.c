/* SPDX-License-Identifier: MIT */
/*
 * When a packet would be delivered over a connection.
 *
 * The parts are those of the papers' delay decomposition (Brosh et al., section 4; Goel et al.,
 * section 4.3): one way of the path, the wait for the congestion window to admit the packet, and
 * the wait for the repair of losses before it, since TCP delivers in order. RACK finds a loss
 * within R + R/4 of sending and the retransmission takes another half R, where R is the round trip.
 */
#include "policy/forecast.h"

static bool knows(const livetcp_path *path, uint32_t what)
{
    return (path->known & what) == what;
}

/* Wait for the congestion window: the bytes ahead beyond its free space, at a window a round trip.
 * The window counts segments and not bytes, so unsent bytes are waiting whatever the byte count:
 * for the next acknowledgement at least. */
livetcp_usec lt_path_window_wait(const livetcp_path *path, size_t size)
{
    if (!knows(path, LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_CWND) ||
        !path->cwnd_bytes)
        return 0;
    int64_t unsent = path->unsent_bytes;
    int64_t in_flight = (int64_t)path->queued_bytes - unsent - path->sacked_bytes;
    int64_t room = (int64_t)path->cwnd_bytes - (in_flight > 0 ? in_flight : 0);
    int64_t beyond = unsent + (int64_t)size - (room > 0 ? room : 0);
    livetcp_usec wait = beyond > 0 ? path->rtt_us * beyond / (int64_t)path->cwnd_bytes : 0;
    livetcp_usec least = unsent > 0 ? path->rtt_us / 8 : 0;

    return wait > least ? wait : least;
}

/* Remaining time of something that takes `whole` and began at `since`; `again` once it is over and
 * the repair is not here. */
static livetcp_usec rest(livetcp_usec whole, livetcp_usec since, livetcp_usec again,
                         livetcp_usec now)
{
    return now - since < whole ? whole - (now - since) : again;
}

static bool overdue(const livetcp_path *path, livetcp_usec oldest_us, livetcp_usec now)
{
    return oldest_us != LIVETCP_NEVER && knows(path, LIVETCP_PATH_RTT) &&
           now - oldest_us > lt_ack_due(path);
}

static livetcp_usec repair_wait(const livetcp_path *path, livetcp_usec oldest_us, livetcp_usec now)
{
    livetcp_usec rtt = path->rtt_us;

    switch (path->tcp_state) {
    case LIVETCP_TCP_TIMEOUT: /* and perhaps once more, backed off */
        return rtt + (knows(path, LIVETCP_PATH_RTO) ? path->rto_us : 2 * rtt);
    case LIVETCP_TCP_RECOVERY: /* the retransmission is on its way, or lost again */
        return rest(rtt, path->state_since_us, rtt, now);
    case LIVETCP_TCP_DISORDER: /* reordering, or a loss that is about to be concluded */
        return rest(rtt + rtt / 4, path->state_since_us, rtt, now);
    default:
        return overdue(path, oldest_us, now) ? rtt + rtt / 4 : 0;
    }
}

static livetcp_usec forecast(const livetcp_path *path, size_t size, livetcp_usec oldest_us,
                             livetcp_usec now)
{
    return path->rtt_us / 2 + lt_path_window_wait(path, size) + repair_wait(path, oldest_us, now);
}

livetcp_usec livetcp_path_forecast(const livetcp_path *path, size_t size, livetcp_usec now)
{
    return forecast(path, size, path->oldest_unacked_us, now);
}

livetcp_usec lt_path_forecast(const livetcp_path *path, size_t size, livetcp_usec now)
{
    bool sooner =
        path->known & LIVETCP_PATH_OLDEST_WRITE && path->oldest_write_us < path->oldest_unacked_us;

    return forecast(path, size, sooner ? path->oldest_write_us : path->oldest_unacked_us, now);
}
