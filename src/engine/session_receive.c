/* SPDX-License-Identifier: MIT */
/* Input: media, and the peer's messages. */
#include "engine/session.h"

#include <string.h>

unsigned livetcp_engine_rejection(const livetcp_engine *engine, const char **text)
{
    *text = engine->rejection;
    return engine->rejection_code;
}

/* As with HTTP's status codes, 4xx and below: a retry would be rejected again. */
static bool is_final(unsigned code)
{
    return code > 0 && code < 500;
}

/* The peer closes the connection itself; no REJECT is sent in answer. */
static livetcp_result on_reject(livetcp_engine *engine, unsigned slot, const lt_control *message,
                                livetcp_usec now)
{
    livetcp_result reason = lt_control_reason(message);
    bool asked = engine->caller && lt_life_state(&engine->life) == LIVETCP_SESSION_CONNECTING;

    lt_session_begin_close(engine, slot, reason, false, now);
    if (asked) {
        engine->rejection_code = message->code;
        memcpy(engine->rejection, message->text, sizeof engine->rejection);
    }
    if (asked && is_final(message->code))
        livetcp_engine_close(engine, reason, 0, now);
    return reason;
}

/* The peer has received `packets` packets of a connection of ours that has ended, and no more will
 * arrive on it. The others that TCP acknowledged are sent again, unless another connection has
 * delivered them. */
static void resend_missing(livetcp_engine *engine, lt_kept_connection *connection, uint64_t packets)
{
    lt_kept *kept = lt_repair_kept(engine->repair);
    uint32_t missing = 0, again = 0;
    lt_packet *packet;

    while ((packet = lt_kept_next_missing(kept, connection, packets))) {
        missing++;
        again += lt_sender_send_again(engine->sender, packet);
    }
    lt_kept_settle(kept, connection, missing, again);
    if (!missing || engine->loss_warned)
        return;
    engine->loss_warned = true;
    lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                           .reason = LIVETCP_ERR_CONNECTION_LOST});
}

/* The peer's last receipt for a connection; it may be repeated. If the connection is still open
 * here, it is closed, since the peer has lost it. */
static void on_last_receipt(livetcp_engine *engine, unsigned slot, const lt_receipt *receipt,
                            livetcp_usec now)
{
    lt_control answer = {.type = LT_CONTROL_RESENT};
    int own;
    uint64_t packets;
    lt_kept_connection *connection =
        lt_kept_find(lt_repair_kept(engine->repair), receipt, &packets, &own);

    if (!connection || own == (int)slot)
        return;
    if (!lt_kept_is_settled(connection))
        resend_missing(engine, connection, packets);
    lt_kept_outcome(connection, &answer.resent);
    lt_control_write(&engine->writer, slot, &answer);
    if (own >= 0)
        lt_session_begin_close(engine, (unsigned)own, LIVETCP_ERR_CONNECTION_LOST, false, now);
}

static void take_receipts(livetcp_engine *engine, const lt_reception *reception)
{
    for (unsigned i = 0; i < reception->receipt_count; i++)
        lt_kept_on_receipt(lt_repair_kept(engine->repair), &reception->receipts[i]);
}

/* Messages that only a connection which carries media may send. */
static livetcp_result on_media_message(livetcp_engine *engine, unsigned slot,
                                       const lt_control *message, livetcp_usec now)
{
    if (!lt_links_takes_media(engine->links, slot))
        return LIVETCP_ERR_PROTOCOL;
    switch (message->type) {
    case LT_CONTROL_PARITY:
        return lt_receiver_parity_announced(engine->receiver, message);
    case LT_CONTROL_ARRIVAL:
        lt_link_rates_on_arrival(&engine->rates, &message->arrival, now);
        break;
    case LT_CONTROL_RECEIPT:
        on_last_receipt(engine, slot, &message->receipt, now);
        break;
    case LT_CONTROL_RESENT:
        lt_reports_on_answer(engine->reports, &message->resent);
        break;
    case LT_CONTROL_RECEPTION:
        lt_reports_on_feedback(engine->reports, message, now);
        take_receipts(engine, &message->reception);
        break;
    default:
        lt_reports_on_feedback(engine->reports, message, now);
        break;
    }
    return LIVETCP_OK;
}

static livetcp_result dispatch(livetcp_engine *engine, unsigned slot, const lt_control *message,
                               livetcp_usec now)
{
    livetcp_result result = LIVETCP_OK;

    switch (message->type) {
    case LT_CONTROL_PADDING:
    case LT_CONTROL_REPORT:
        return LIVETCP_OK;
    case LT_CONTROL_BYE:
        lt_session_on_goodbye(engine, slot, now);
        return LIVETCP_OK;
    case LT_CONTROL_PARITY:
    case LT_CONTROL_RECEPTION:
    case LT_CONTROL_TRANSMISSION:
    case LT_CONTROL_ARRIVAL:
    case LT_CONTROL_RECEIPT:
    case LT_CONTROL_RESENT:
        return on_media_message(engine, slot, message, now);
    case LT_CONTROL_REJECT:
        return on_reject(engine, slot, message, now);
    default:
        result = lt_links_control(engine->links, slot, message, now);
        if (result == LIVETCP_OK)
            lt_session_on_changed(engine, slot, now);
        return result;
    }
}

livetcp_result lt_session_on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                     livetcp_usec now)
{
    lt_control message;
    livetcp_result result = lt_control_decode(packet, size, &message);

    if (result == LIVETCP_ERR_NOT_SUPPORTED)
        return LIVETCP_OK; /* a message of a later version: ignored */
    return result == LIVETCP_OK ? dispatch(user, slot, &message, now) : result;
}

lt_receive_permission lt_session_permission(void *user, unsigned slot)
{
    const livetcp_engine *engine = user;

    if (lt_links_closing(engine->links, slot, NULL, NULL) ||
        !lt_links_has_socket(engine->links, slot))
        return LT_RECEIVE_NOTHING;
    return lt_links_takes_media(engine->links, slot) ? LT_RECEIVE_ALL : LT_RECEIVE_CONTROL;
}

livetcp_result livetcp_engine_receive(livetcp_engine *engine, unsigned connection,
                                      const uint8_t *data, size_t size,
                                      const livetcp_rx_timestamp *timestamp, livetcp_usec now)
{
    const lt_receiver_slot_counts *counts;
    uint64_t before;
    livetcp_result result;

    if (!lt_session_is_slot(connection) ||
        lt_session_permission(engine, connection) == LT_RECEIVE_NOTHING)
        return LIVETCP_OK; /* closing: further input is ignored */
    counts = lt_receiver_get_slot(engine->receiver, connection);
    before = counts->packets;
    engine->now_us = now;
    lt_links_received(engine->links, connection, size, now);
    result = lt_receiver_receive(engine->receiver, connection, data, size, now);
    lt_reports_on_arrived(engine->reports, connection,
                          lt_receiver_arrived(engine->receiver, connection));
    if (timestamp)
        lt_reports_on_read(engine->reports, connection, timestamp,
                           (unsigned)(counts->packets - before), now);
    if (result != LIVETCP_OK && !lt_links_closing(engine->links, connection, NULL, NULL)) {
        engine->protocol_errors++;
        lt_session_begin_close(engine, connection, result, true, now);
    }
    return result;
}
