/* SPDX-License-Identifier: MIT */
/*
 * Forecast of a packet's delivery over a connection.
 *
 * The components are those of the papers' delay decomposition (Brosh et al., section 4; Goel et
 * al., section 4.3): the one-way delay of the path, the wait for the congestion window, and the
 * wait for the repair of losses ahead, since TCP delivers in order. RACK detects a loss within R +
 * R/4 of sending, and the retransmission takes another R/2, where R is the round trip.
 */
#include "policy/forecast.h"

static bool knows(const livetcp_path *path, uint32_t what)
{
    return (path->known & what) == what;
}

/* Wait for the congestion window: the bytes ahead beyond its free space, at one window per round
 * trip. The window counts segments, not bytes, so unsent bytes wait whatever the byte counts say,
 * at least for the next acknowledgement. */
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

/* Remaining time of something that takes `whole` and began at `since`; `again` if it is over
 * without the repair. */
static livetcp_usec rest(livetcp_usec whole, livetcp_usec since, livetcp_usec again,
                         livetcp_usec now)
{
    return now - since < whole ? whole - (now - since) : again;
}

bool lt_path_overdue(const livetcp_path *path, livetcp_usec oldest_us, livetcp_usec now)
{
    return oldest_us != LIVETCP_NEVER && knows(path, LIVETCP_PATH_RTT) &&
           now - oldest_us > lt_ack_due(path);
}

static livetcp_usec repair_wait(const livetcp_path *path, livetcp_usec oldest_us, livetcp_usec now)
{
    livetcp_usec rtt = path->rtt_us;

    switch (path->tcp_state) {
    case LIVETCP_TCP_TIMEOUT: /* possibly once more, with backoff */
        return rtt + (knows(path, LIVETCP_PATH_RTO) ? path->rto_us : 2 * rtt);
    case LIVETCP_TCP_RECOVERY: /* the retransmission is in flight, or lost too */
        return rest(rtt, path->state_since_us, rtt, now);
    case LIVETCP_TCP_DISORDER: /* reordering, or a loss about to be detected */
        return rest(rtt + rtt / 4, path->state_since_us, rtt, now);
    default:
        return lt_path_overdue(path, oldest_us, now) ? rtt + rtt / 4 : 0;
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
