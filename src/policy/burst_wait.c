/* SPDX-License-Identifier: MIT */
/*
 * The wait behind a packet that the same burst of losses may have taken.
 *
 * A further copy of a packet is needed only if the others are lost. Where losses come in bursts,
 * what was written at about the same time on other connections is then probably lost too, though
 * nothing shows it yet, and TCP holds back all that follows. By Gilbert's model
 * (engine/repair/loss_bursts.h) the probability falls with the distance in time as exp(-t/T).
 * First copies do without: they would crowd on the connections written last, and on a thin link
 * wait there.
 */
#include "base/usec.h"
#include "policy/builtin.h"
#include "policy/forecast.h"

#include <math.h>

/* Probability at no distance: 0.5 to 0.9 where bursts are known. */
#define JOINT_PART 2

static bool has_oldest(const livetcp_path *path)
{
    return path->known & LIVETCP_PATH_OLDEST_WRITE && path->oldest_write_us != LIVETCP_NEVER;
}

static bool has_lost(const livetcp_path *path, livetcp_usec now)
{
    return path->tcp_state >= LIVETCP_TCP_DISORDER ||
           lt_path_overdue(path, path->oldest_write_us, now);
}

/* From a loss to what the connection carries unacknowledged. */
static livetcp_usec distance(const livetcp_path *path, livetcp_usec lost_us)
{
    if (path->oldest_write_us > lost_us)
        return path->oldest_write_us - lost_us;
    return path->last_write_us < lost_us ? lost_us - path->last_write_us : 0;
}

/* LIVETCP_NEVER = none on this link. The packet's other copies are lost, or this one is not needed.
 */
static livetcp_usec nearest_loss(const livetcp_policy_view *view, const livetcp_path *path,
                                 const livetcp_packet_view *packet)
{
    livetcp_usec nearest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *other = livetcp_view_path(view, i);
        if (other == path || other->link != path->link)
            continue;
        if (packet->carried_by & lt_bit(i))
            nearest = lt_usec_min(nearest, lt_usec_min(distance(path, packet->first_sent_us),
                                                       distance(path, packet->last_sent_us)));
        if (other->usable && has_oldest(other) && has_lost(other, view->now_us))
            nearest = lt_usec_min(nearest, distance(path, other->oldest_write_us));
    }
    return nearest;
}

livetcp_usec lt_burst_wait(const livetcp_policy_view *view, const livetcp_path *path,
                           const livetcp_packet_view *packet)
{
    livetcp_usec repair = path->rtt_us + path->rtt_us / 4;

    if (!view->burst_us || !packet->copies || !has_oldest(path) || has_lost(path, view->now_us))
        return 0; /* what is known to be lost is in the forecast */
    livetcp_usec nearest = nearest_loss(view, path, packet);
    if (nearest == LIVETCP_NEVER)
        return 0;
    return (livetcp_usec)((double)(repair / JOINT_PART) *
                          exp(-(double)nearest / (double)view->burst_us));
}
