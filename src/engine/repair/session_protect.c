/* SPDX-License-Identifier: MIT */
/* Parity on its way out: packets that the policy wants protected join a group of their SSRC, and
 * the group's parity packet goes before the send queue, to a connection the policy chooses. */
#include "engine/session_internal.h"

/* A group that gets no further packet for so long is closed as it is: what it has would otherwise
 * stay unprotected through the end of a talkspurt. */
#define FLUSH_US (50 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Parity that found no connection for so long comes too late for anything. */
#define STALE_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

static lt_protected *find(livetcp_engine *session, uint32_t ssrc)
{
    for (unsigned i = 0; i < session->protected_count; i++)
        if (session->protected[i].ssrc == ssrc)
            return &session->protected[i];
    return NULL;
}

/* NULL when there are enough already, or memory or randomness is out: the packet goes
 * unprotected. */
static lt_protected *begin(livetcp_engine *session, uint32_t ssrc)
{
    uint64_t seed;

    if (session->protected_count == LT_PROTECTED_MAX ||
        session->random(session->random_user, (uint8_t *)&seed, sizeof seed) != LIVETCP_OK)
        return NULL;
    lt_parity_encoder *encoder = lt_parity_encoder_create(session->config.parity_group, ssrc,
                                                          session->config.max_packet, seed);
    if (!encoder)
        return NULL;
    lt_protected *made = &session->protected[session->protected_count++];
    *made = (lt_protected){.encoder = encoder, .ssrc = ssrc, .flush_at_us = LIVETCP_NEVER};
    return made;
}

/* On every connection, before packets that parity may help to rebuild. */
static void announce(livetcp_engine *session, lt_protected *of)
{
    lt_control message;

    for (unsigned i = 0; i < session->count; i++) {
        lt_connection *connection = &session->connections[i];
        uint32_t bit = UINT32_C(1) << i;
        if (connection->state != LIVETCP_CONNECTION_OPEN || connection->doomed ||
            of->announced & bit)
            continue;
        lt_parity_encoder_announce(of->encoder, &message);
        uint8_t frame[LT_CONTROL_MAX];
        if (lt_outbox_add_control(&connection->outbox, frame, lt_control_encode(&message, frame)))
            of->announced |= bit;
    }
}

void lt_session_forget_announced(livetcp_engine *session, unsigned index)
{
    for (unsigned i = 0; i < session->protected_count; i++)
        session->protected[i].announced &= ~(UINT32_C(1) << index);
}

static void forget_oldest_ready(livetcp_engine *session)
{
    lt_packet_unref(&session->parity_ready[0]);
    session->parity_ready_count--;
    for (unsigned i = 0; i < session->parity_ready_count; i++)
        session->parity_ready[i] = session->parity_ready[i + 1];
}

static void drop_oldest_ready(livetcp_engine *session)
{
    forget_oldest_ready(session);
    session->stats.sent.parity_dropped++;
}

static void finish_group(livetcp_engine *session, lt_protected *of, livetcp_usec now)
{
    lt_packet *parity = lt_parity_encoder_finish(of->encoder, now);

    if (parity) {
        parity->parity = true;
        parity->avoid = of->carriers;
        parity->review_us = LIVETCP_NEVER;
        if (session->parity_ready_count == LT_PARITY_READY_MAX)
            drop_oldest_ready(session);
        session->parity_ready[session->parity_ready_count++] = parity;
    }
    of->carriers = 0;
    of->flush_at_us = LIVETCP_NEVER;
}

bool lt_session_protect(livetcp_engine *session, const lt_packet *packet, livetcp_usec now)
{
    if (packet->rtcp || packet->parity || packet->written || lt_session_plain(session) ||
        !(session->policy->wants & LIVETCP_WANTS_PARITY))
        return false;
    lt_protected *of = find(session, packet->ssrc);
    if (!of)
        of = begin(session, packet->ssrc);
    if (!of)
        return false;
    announce(session, of);
    lt_parity_added added = lt_parity_encoder_add(of->encoder, packet);
    if (added == LT_PARITY_CLOSED) {
        finish_group(session, of, now);
        added = lt_parity_encoder_add(of->encoder, packet);
    }
    if (added == LT_PARITY_LEFT_OUT)
        return false;
    of->carriers |= packet->carried;
    of->flush_at_us = now + FLUSH_US;
    if (added == LT_PARITY_FULL)
        finish_group(session, of, now);
    return true;
}

livetcp_usec lt_session_parity_deadline(const livetcp_engine *session)
{
    livetcp_usec due = LIVETCP_NEVER;

    for (unsigned i = 0; i < session->protected_count; i++)
        if (session->protected[i].flush_at_us < due)
            due = session->protected[i].flush_at_us;
    return due;
}

void lt_session_flush_parity(livetcp_engine *session, livetcp_usec now)
{
    for (unsigned i = 0; i < session->protected_count; i++)
        if (now >= session->protected[i].flush_at_us)
            finish_group(session, &session->protected[i], now);
}

uint32_t lt_session_parity_known(const livetcp_engine *session, const lt_packet *parity)
{
    for (unsigned i = 0; i < session->protected_count; i++)
        if (lt_parity_encoder_ssrc(session->protected[i].encoder) == parity->ssrc)
            return session->protected[i].announced;
    return 0;
}

lt_packet *lt_session_next_parity(livetcp_engine *session, livetcp_usec now)
{
    while (session->parity_ready_count && now - session->parity_ready[0]->enqueued_us > STALE_US)
        drop_oldest_ready(session);
    return session->parity_ready_count ? session->parity_ready[0] : NULL;
}

void lt_session_parity_placed(livetcp_engine *session, bool anywhere)
{
    if (!anywhere) {
        drop_oldest_ready(session);
        return;
    }
    forget_oldest_ready(session);
    session->stats.sent.parity++;
}

void lt_session_end_parity(livetcp_engine *session)
{
    while (session->parity_ready_count)
        forget_oldest_ready(session);
    for (unsigned i = 0; i < session->protected_count; i++)
        lt_parity_encoder_destroy(&session->protected[i].encoder);
    session->protected_count = 0;
}
