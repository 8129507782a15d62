/* SPDX-License-Identifier: MIT */
/* Asking the policy where the next packet goes, and putting it there. */
#include "engine/session_internal.h"

uint32_t lt_session_contain(livetcp_engine *session, uint32_t chosen)
{
    uint32_t usable = 0, ready = lt_session_ready_paths(session);

    for (unsigned i = 0; i < session->count; i++)
        usable |= session->paths[i].usable ? UINT32_C(1) << i : 0;
    if (!(chosen & ~usable))
        return chosen & ready;
    if (!session->stats.sent.policy_errors++)
        lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                        .reason = LIVETCP_ERR_BAD_DECISION});
    return usable & -usable & ready;
}

/* Puts one copy into the outbox of a connection. */
static void put(livetcp_engine *session, lt_packet *packet, unsigned index, livetcp_usec now)
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

unsigned lt_session_put_copies(livetcp_engine *session, lt_packet *packet, uint32_t connections,
                               bool first, livetcp_usec now)
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
            session->stats.sent.extra_bytes += size;
            if (!packet->parity)
                session->stats.sent.copies++;
        }
        put(session, packet, i, now);
        put_so_far++;
    }
    return put_so_far;
}

static livetcp_usec retry_after(const livetcp_engine *session)
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

static void wait_for_room(livetcp_engine *session, livetcp_usec asked, livetcp_usec now)
{
    livetcp_usec retry = now + retry_after(session);

    session->backlogged = true;
    if (asked > now && asked < retry)
        retry = asked < now + LT_POLICY_RETRY_MIN_US ? now + LT_POLICY_RETRY_MIN_US : asked;
    session->retry_policy_us = retry;
}

static uint32_t ask_policy(livetcp_engine *session, const livetcp_policy_view *view,
                           const lt_packet *packet, livetcp_decision *decision)
{
    livetcp_packet_view about = lt_session_describe(packet);

    *decision = (livetcp_decision){.review_us = LIVETCP_NEVER};
    session->policy->place(session->policy_state, view, &about, decision);
    uint32_t chosen = lt_session_contain(session, decision->connections);
    /* Receivers cannot tell copies of RTCP, and copies of parity are not worth having. */
    return packet->rtcp || packet->parity ? chosen & -chosen : chosen;
}

static uint32_t ask_where(livetcp_engine *session, const lt_packet *packet,
                          livetcp_decision *decision, livetcp_usec now)
{
    livetcp_policy_view view = lt_session_view(session, now);
    bool hidden = lt_session_hide_repeated(session, packet);
    uint32_t chosen = ask_policy(session, &view, packet, decision);

    if (hidden)
        lt_session_refresh_paths(session);
    if (hidden && !chosen) /* rather behind what it repeats than later */
        chosen = ask_policy(session, &view, packet, decision);
    return chosen;
}

static bool place_parity(livetcp_engine *session, livetcp_usec now)
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
    bool placed = lt_session_put_copies(session, parity, chosen, false, now) > 0;
    lt_session_parity_placed(session, placed);
    return placed;
}

static bool place_oldest(livetcp_engine *session, livetcp_usec now)
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
    if (waited > session->stats.sent.max_queue_delay_us)
        session->stats.sent.max_queue_delay_us = waited;
    bool reviewed = session->policy->review && !packet->rtcp;
    packet->review_us = reviewed ? decision.review_us : LIVETCP_NEVER;
    unsigned copies = lt_session_put_copies(session, packet, chosen, true, now);
    lt_session_repeat_placed(session, packet, chosen);
    bool parity = decision.protect && lt_session_protect(session, packet, now);
    lt_session_observe_placed(session, packet, copies, parity);
    packet = lt_send_queue_pop(session->queue);
    lt_packet_unref(&packet); /* the outboxes have it */
    return true;
}

bool lt_session_place_next(livetcp_engine *session, livetcp_usec now)
{
    return place_parity(session, now) || place_oldest(session, now);
}
