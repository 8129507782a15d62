/* SPDX-License-Identifier: MIT */
/* Asking the policy: where a packet goes, and whether one that is under way is sent again. */
#include "core/session_internal.h"

/* ---- what the policy sees ---- */

/* MIN_BUF(A,B): Goel et al., section 2.2, in bytes, with the SACK correction. With a delay to keep
 * to (their section 6), the unsent part is what the window sends in that time. */
uint32_t lt_session_send_limit(const livetcp_config *config, const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_MSS | LIVETCP_PATH_QUEUED;
    uint64_t cwnd = path->cwnd_bytes, limit;
    uint64_t beyond = (uint64_t)config->min_buf_b * path->mss_bytes;

    if (!config->min_buf_a || (path->known & needed) != needed)
        return UINT32_MAX;
    limit = config->min_buf_a * cwnd + (beyond < cwnd ? beyond : cwnd);
    if (config->min_buf_delay_us && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0)
        limit = cwnd + cwnd * (uint64_t)config->min_buf_delay_us / (uint64_t)path->rtt_us;
    if (path->known & LIVETCP_PATH_SACKED)
        limit += path->sacked_bytes;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

void lt_session_refresh_paths(lt_session *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        livetcp_path *path = &session->paths[i];
        path->send_limit_bytes = lt_session_send_limit(&session->config, path);
        path->ready =
            path->usable && !path->blocked && !session->connections[i].outbox.packet &&
            (path->send_limit_bytes == UINT32_MAX || path->queued_bytes < path->send_limit_bytes);
    }
}

static livetcp_policy_view make_view(lt_session *session, livetcp_usec now)
{
    double cost = session->policy->cost ? session->policy->cost(&session->config) : 0;
    uint64_t rate = lt_budget_media_rate(&session->budget, now);

    lt_session_refresh_paths(session);
    session->budget.ratio = lt_budget_ratio(session->config.redundancy_budget, cost, rate);
    return (livetcp_policy_view){.now_us = now,
                                 .paths = session->paths,
                                 .path_count = session->count,
                                 .queue_packets = lt_send_queue_packets(session->queue),
                                 .queue_bytes = lt_send_queue_bytes(session->queue),
                                 .budget_bytes = lt_budget_left(&session->budget, now),
                                 .budget_ratio = session->budget.ratio,
                                 .media_rate = rate};
}

static livetcp_packet_view describe(const lt_packet *packet)
{
    return (livetcp_packet_view){.size = lt_packet_size(packet),
                                 .enqueued_us = packet->enqueued_us,
                                 .ssrc = packet->ssrc,
                                 .sequence = packet->sequence,
                                 .rtcp = packet->rtcp,
                                 .parity = packet->parity,
                                 .importance = packet->importance,
                                 .carried_by = packet->carried,
                                 .avoid = packet->avoid,
                                 .copies = packet->copies,
                                 .first_sent_us = packet->first_sent_us,
                                 .last_sent_us = packet->last_sent_us};
}

/* ---- what the policy says ---- */

static uint32_t bits_where(const lt_session *session, bool (*holds)(const livetcp_path *path))
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < session->count; i++)
        if (holds(&session->paths[i]))
            bits |= UINT32_C(1) << i;
    return bits;
}

static bool is_usable(const livetcp_path *path)
{
    return path->usable;
}

static bool is_ready(const livetcp_path *path)
{
    return path->ready;
}

/* A policy of the application's must not be able to break a connection: one that names what is not
 * there is counted and told about, and the packet goes the way of `single`. */
static uint32_t contain(lt_session *session, uint32_t chosen)
{
    uint32_t usable = bits_where(session, is_usable), ready = bits_where(session, is_ready);

    if (!(chosen & ~usable))
        return chosen & ready;
    if (!session->stats.policy_errors++)
        lt_session_emit(session,
                        (lt_event){.type = LT_EVENT_WARNING, .reason = LIVETCP_ERR_BAD_DECISION});
    return usable & -usable & ready;
}

/* Puts one copy into the outbox of a connection. */
static void put(lt_session *session, lt_packet *packet, unsigned index, livetcp_usec now)
{
    lt_outbox_set_packet(&session->connections[index].outbox, lt_packet_ref(packet),
                         session->config.split);
    session->paths[index].ready = false;
    packet->carried |= UINT32_C(1) << index;
    packet->last_sent_us = now;
    if (packet->copies == 0) {
        packet->first_sent_us = now;
        packet->first_connection = (uint8_t)index;
    }
    if (packet->copies < UINT8_MAX)
        packet->copies++;
}

/* Puts copies on the connections named, the first for nothing if `first` says so and the others
 * as far as the budget goes. Returns how many. */
static unsigned put_copies(lt_session *session, lt_packet *packet, uint32_t connections, bool first,
                           livetcp_usec now)
{
    unsigned put_so_far = 0;
    size_t size = lt_packet_size(packet);

    for (unsigned i = 0; i < session->count; i++) {
        if (!(connections & (UINT32_C(1) << i)))
            continue;
        bool free_of_charge = first && put_so_far == 0 && !packet->parity;
        if (!free_of_charge) {
            if (lt_budget_left(&session->budget, now) < size)
                continue;
            lt_budget_extra(&session->budget, size, now);
            session->stats.extra_bytes += size;
            if (!packet->parity)
                session->stats.copies_sent++;
        }
        put(session, packet, i, now);
        put_so_far++;
    }
    return put_so_far;
}

static livetcp_usec retry_after(const lt_session *session)
{
    livetcp_usec wait = LT_POLICY_RETRY_US;

    for (unsigned i = 0; i < session->count; i++) {
        const livetcp_path *path = &session->paths[i];
        bool full = path->usable && !path->blocked && !path->ready;
        if (full && path->known & LIVETCP_PATH_RTT && path->rtt_us / 32 < wait)
            wait = path->rtt_us / 32;
    }
    return wait > LT_POLICY_RETRY_MIN_US ? wait : LT_POLICY_RETRY_MIN_US;
}

static void wait_for_room(lt_session *session, livetcp_usec asked, livetcp_usec now)
{
    livetcp_usec retry = now + retry_after(session);

    session->backlogged = true;
    if (asked > now && asked < retry)
        retry = asked < now + LT_POLICY_RETRY_MIN_US ? now + LT_POLICY_RETRY_MIN_US : asked;
    session->retry_policy_us = retry;
}

/* ---- the two questions ---- */

static uint32_t ask_where(lt_session *session, const lt_packet *packet, livetcp_decision *decision,
                          livetcp_usec now)
{
    livetcp_policy_view view = make_view(session, now);
    livetcp_packet_view about = describe(packet);

    *decision = (livetcp_decision){.review_us = LIVETCP_NEVER};
    session->policy->place(session->policy_state, &view, &about, decision);
    uint32_t chosen = contain(session, decision->connections);
    /* Receivers cannot tell copies of RTCP, and copies of parity are not worth having. */
    return packet->rtcp || packet->parity ? chosen & -chosen : chosen;
}

static bool place_parity(lt_session *session, livetcp_usec now)
{
    lt_packet *parity = lt_session_next_parity(session, now);
    livetcp_decision decision;

    if (!parity)
        return false;
    uint32_t chosen = ask_where(session, parity, &decision, now);
    if (chosen & ~lt_session_parity_known(session, parity)) {
        lt_session_parity_placed(session, false);
        return false;
    }
    if (!chosen) {
        wait_for_room(session, decision.review_us, now);
        return false;
    }
    bool placed = put_copies(session, parity, chosen, false, now) > 0;
    lt_session_parity_placed(session, placed);
    return placed;
}

static bool place_oldest(lt_session *session, livetcp_usec now)
{
    lt_packet *packet = lt_send_queue_front(session->queue);
    livetcp_decision decision;

    if (!packet)
        return false;
    uint32_t chosen = ask_where(session, packet, &decision, now);
    if (!chosen) {
        wait_for_room(session, decision.review_us, now);
        return false;
    }
    livetcp_usec waited = now - packet->enqueued_us;
    if (waited > session->stats.max_queue_delay_us)
        session->stats.max_queue_delay_us = waited;
    bool reviewed = session->policy->review && !packet->rtcp;
    packet->review_us = reviewed ? decision.review_us : LIVETCP_NEVER;
    put_copies(session, packet, chosen, true, now);
    if (decision.protect)
        lt_session_protect(session, packet, now);
    packet = lt_send_queue_pop(session->queue);
    lt_packet_unref(&packet); /* the outboxes have it */
    return true;
}

bool lt_session_place_next(lt_session *session, livetcp_usec now)
{
    return place_parity(session, now) || place_oldest(session, now);
}

/* Asks about one packet in flight; true if a copy was put somewhere. */
static bool review(lt_session *session, lt_packet *packet, livetcp_usec now)
{
    livetcp_decision decision = {.review_us = LIVETCP_NEVER};
    livetcp_policy_view view = make_view(session, now);
    livetcp_packet_view about = describe(packet);

    session->policy->review(session->policy_state, &view, &about, &decision);
    livetcp_usec soonest = now + LT_POLICY_RETRY_MIN_US;
    packet->review_us = decision.review_us > soonest ? decision.review_us : soonest;
    uint32_t chosen = decision.connections ? contain(session, decision.connections) : 0;
    return put_copies(session, packet, chosen & ~packet->carried, false, now) > 0;
}

/* What was written behind a packet that is late waits for the same repair, and is asked about now:
 * its copy need not wait for a round trip of its own. Packets with a copy elsewhere can wait. */
static void hurry_those_behind(const lt_connection *connection, size_t position, livetcp_usec now)
{
    const lt_unacked_entry *entry;

    while ((entry = lt_unacked_at(&connection->unacked, ++position))) {
        lt_packet *packet = entry->packet;
        if (packet->carried == UINT32_C(1) << connection->index &&
            packet->review_us != LIVETCP_NEVER && packet->review_us > now)
            packet->review_us = now;
    }
}

/* Asks about what is due on one connection. True if a copy was put somewhere; else *next is when
 * to look again, if that is sooner than it was. */
static bool review_connection(lt_session *session, const lt_connection *connection,
                              livetcp_usec now, livetcp_usec *next)
{
    const lt_unacked_entry *entry;

    for (size_t i = 0; (entry = lt_unacked_at(&connection->unacked, i)); i++) {
        lt_packet *packet = entry->packet;
        if (packet->delivered)
            continue;
        if (packet->review_us <= now) {
            hurry_those_behind(connection, i, now);
            if (review(session, packet, now))
                return true; /* and look again when that is written */
        }
        if (packet->review_us < *next)
            *next = packet->review_us;
    }
    return false;
}

bool lt_session_review_next(lt_session *session, livetcp_usec now)
{
    livetcp_usec next = LIVETCP_NEVER;

    if (!session->policy->review || now < session->review_us)
        return false;
    for (unsigned i = 0; i < session->count; i++)
        if (review_connection(session, &session->connections[i], now, &next))
            return true;
    session->review_us = next;
    return false;
}
