/* SPDX-License-Identifier: MIT */
/* A session's life: its connections and its state. */
#include "engine/session.h"

#include "base/sized.h"
#include "engine/pending.h"
#include "wire/authenticator.h"

#include <string.h>

/* ---- the end of a connection ---- */

void lt_session_begin_close(livetcp_engine *engine, unsigned slot, livetcp_result reason,
                            bool say_goodbye, livetcp_usec now)
{
    bool send_reason = say_goodbye && lt_sender_at_boundary(engine->sender, slot) &&
                       lt_links_has_socket(engine->links, slot);
    lt_control message = {.type = lt_life_is_closing(&engine->life) ? LT_CONTROL_BYE
                                                                    : LT_CONTROL_REJECT,
                          .reason = (uint8_t)lt_reason_of(reason)};

    if (!lt_links_begin_close(engine->links, slot, reason, now))
        return;
    lt_sender_take_back(engine->sender, lt_sender_empty_outbox(engine->sender, slot), slot);
    if (send_reason && lt_life_is_closing(&engine->life))
        lt_reports_goodbye(engine->reports, slot, now);
    if (send_reason && !engine->plain)
        lt_control_write(&engine->writer, slot, &message);
}

void lt_session_close_failed(livetcp_engine *engine, livetcp_usec now)
{
    livetcp_result reason;
    unsigned slot;

    while (lt_links_next_withdrawn(engine->links, &slot))
        lt_session_begin_close(engine, slot, LIVETCP_OK, false, now);
    while (lt_links_next_failed(engine->links, &slot, &reason))
        lt_session_begin_close(engine, slot, reason, true, now);
}

void lt_session_take_back_written(livetcp_engine *engine, unsigned slot)
{
    /* A peer that has ended the session, or received our BYE, reads no retransmission. */
    bool forget = lt_life_is_closing(&engine->life) || lt_life_is_closed(&engine->life);
    lt_packet *packet;

    while ((packet = lt_repair_take_back(engine->repair, engine->links, slot, forget)))
        lt_sender_take_back(engine->sender, packet, slot);
}

/* The kernel would repeat their packets, and late: the owner resets them. */
void lt_session_give_up_stuck(livetcp_engine *engine, livetcp_usec now)
{
    for (uint32_t left = lt_links_stuck(engine->links, now); left; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctz(left);
        size_t packets = lt_repair_under_way(engine->repair, slot);
        if (!lt_sender_has_space(engine->sender, packets,
                                 lt_session_path(engine, slot)->queued_bytes))
            continue;
        lt_session_begin_close(engine, slot, LIVETCP_ERR_CONNECTION_LOST, false, now);
        lt_session_take_back_written(engine, slot);
    }
}

/* Returns the packets of a lost connection to the send queue: those in flight, and the unwritten
 * one. */
static void take_back(livetcp_engine *engine, unsigned slot)
{
    lt_sender_take_back(engine->sender, lt_sender_empty_outbox(engine->sender, slot), slot);
    lt_session_take_back_written(engine, slot);
}

static void finish(livetcp_engine *engine, livetcp_usec now);
static void update_state(livetcp_engine *engine, livetcp_usec now);

/* The session is about to end. */
static void on_closing(livetcp_engine *engine)
{
    lt_links_set_ending(engine->links);
    lt_outage_probes_stop(&engine->outage);
    lt_reports_on_closing(engine->reports);
}

/* The TCP connection is gone. */
static void detach(livetcp_engine *engine, unsigned slot, livetcp_result reason, livetcp_usec now)
{
    livetcp_result result;
    bool renewed;

    take_back(engine, slot);
    lt_repair_reset_slot(engine->repair, slot);
    lt_reports_on_ended(engine->reports, slot, lt_receiver_arrived(engine->receiver, slot), now);
    lt_receiver_reset(engine->receiver, slot);
    lt_reports_reset_slot(engine->reports, slot);
    lt_rate_reset_slot(lt_link_rates_of(&engine->rates, slot), slot);
    lt_link_meter_reset_slot(&engine->meter, slot);
    result = lt_links_detach(engine->links, slot, reason, now, &renewed);
    if (lt_life_is_closed(&engine->life))
        return;
    if (renewed) {
        lt_reports_on_new_peer(engine->reports);
        lt_kept_clear(lt_repair_kept(engine->repair)); /* the peer has forgotten the numbers */
    }
    if (result != LIVETCP_OK) {
        lt_life_close(&engine->life, result, now);
        on_closing(engine);
        finish(engine, now);
        return;
    }
    lt_session_close_failed(engine, now);
    update_state(engine, now);
}

/* ---- the session's state ---- */

/* Sends BYE on every connection and closes every slot; the session is CLOSED then. */
static void finish(livetcp_engine *engine, livetcp_usec now)
{
    lt_repair_close(engine->repair);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_session_begin_close(engine, i, lt_life_reason(&engine->life), true, now);
    lt_sender_clear(engine->sender, true);               /* packets taken back later, too */
    lt_receiver_expire(engine->receiver, LIVETCP_NEVER); /* no gap can be filled any more */
    lt_links_end(engine->links);
    lt_life_end(&engine->life);
}

static bool all_written(const livetcp_engine *engine)
{
    for (unsigned i = 0; i < lt_links_count(engine->links); i++)
        if (!lt_sender_idle(engine->sender, i))
            return false;
    return lt_sender_queued(engine->sender) == 0 && lt_sender_delayed_copies(engine->sender) == 0;
}

static void notify_if_sent(livetcp_engine *engine)
{
    if (!engine->sent_wanted || lt_life_is_closed(&engine->life) || !all_written(engine))
        return;
    engine->sent_wanted = false;
    lt_events_add(&engine->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_SENT});
}

void lt_session_check_drained(livetcp_engine *engine, livetcp_usec now)
{
    notify_if_sent(engine);
    if (!lt_life_is_closing(&engine->life) || lt_life_is_closed(&engine->life))
        return;
    bool written = all_written(engine) && !lt_links_any_blocked(engine->links) &&
                   !lt_links_is_entering(engine->links);
    bool open = lt_links_open_count(engine->links) > 0;
    if (lt_life_is_over(&engine->life, written, open, now))
        finish(engine, now);
}

/* Derives the session's state from the connections'. A listener's session waits for its caller to
 * come back if that has authenticated itself. */
static void update_state(livetcp_engine *engine, livetcp_usec now)
{
    bool lingers = lt_links_confirmed(engine->links) && !engine->plain;
    lt_life_view view = {.caller = engine->caller,
                         .open = lt_links_open_count(engine->links) > 0,
                         .future = lt_links_has_future(engine->links),
                         .linger_us = lingers ? engine->config.linger_us : 0,
                         .last_loss = lt_links_last_loss(engine->links)};

    if (lt_life_is_closed(&engine->life))
        return;
    if (lt_life_peer_ended(&engine->life))
        lt_session_check_drained(engine, now);
    else if (lt_life_update(&engine->life, &view, now))
        livetcp_engine_close(engine, view.last_loss, 0, now);
}

void lt_session_on_goodbye(livetcp_engine *engine, unsigned slot, livetcp_usec now)
{
    if (lt_life_on_goodbye(&engine->life, now + engine->config.peer_timeout_us))
        on_closing(engine);
    lt_session_begin_close(engine, slot, LIVETCP_ERR_CLOSED, false, now);
    lt_sender_clear(engine->sender, false); /* the peer reads nothing more */
}

void livetcp_engine_close(livetcp_engine *engine, livetcp_result reason, livetcp_usec drain_us,
                          livetcp_usec now)
{
    if (lt_life_is_closed(&engine->life))
        return;
    if (lt_life_is_closing(&engine->life))
        reason = lt_life_reason(&engine->life);
    lt_life_close(&engine->life, reason, now + drain_us);
    on_closing(engine);
    lt_sender_flush_copies(engine->sender);
    lt_session_check_drained(engine, now);
}

/* ---- connections ---- */

bool livetcp_engine_next_connect(livetcp_engine *engine, livetcp_usec now, unsigned *connection)
{
    return lt_links_next_connect(engine->links, now, connection);
}

void livetcp_engine_bind(livetcp_engine *engine, unsigned connection,
                         const uint8_t bytes[LIVETCP_BINDING_SIZE])
{
    lt_channel_binding binding = {.known = true};

    memcpy(binding.bytes, bytes, sizeof binding.bytes);
    if (connection < lt_links_count(engine->links))
        lt_links_bind(engine->links, connection, &binding);
}

void livetcp_engine_connected(livetcp_engine *engine, unsigned connection, livetcp_usec now)
{
    if (connection >= lt_links_count(engine->links) ||
        !lt_links_connected(engine->links, connection, now))
        return;
    lt_link_health_connected(&engine->health, lt_session_path(engine, connection)->link, now);
    lt_receiver_start(engine->receiver, connection);
    lt_session_close_failed(engine, now);
    update_state(engine, now);
}

/* Receipts are exchanged while a connection is open: see lt_links_number(). */
static void start_receipts(livetcp_engine *engine, unsigned slot)
{
    uint32_t number = lt_links_number(engine->links, slot);

    if (!number || lt_life_is_closing(&engine->life))
        return;
    lt_kept_start(lt_repair_kept(engine->repair), slot, number);
    lt_reports_on_number(engine->reports, slot, number);
}

void lt_session_on_changed(livetcp_engine *engine, unsigned slot, livetcp_usec now)
{
    update_state(engine, now);
    lt_session_close_failed(engine, now);
    start_receipts(engine, slot);
}

static livetcp_result adopt(livetcp_engine *engine, unsigned connection, uint32_t number,
                            livetcp_usec now)
{
    livetcp_result result = lt_links_adopt(engine->links, connection, number, now);

    lt_session_close_failed(engine, now);
    if (result != LIVETCP_OK)
        return result;
    lt_link_health_connected(&engine->health, lt_session_path(engine, connection)->link, now);
    lt_receiver_start(engine->receiver, connection);
    update_state(engine, now);
    start_receipts(engine, connection);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_adopt(livetcp_engine *engine, unsigned connection, livetcp_usec now)
{
    return adopt(engine, connection, 0, now);
}

livetcp_result livetcp_engine_adopt_pending(livetcp_engine *engine, const livetcp_pending *pending,
                                            livetcp_usec now)
{
    uint32_t ticket = lt_pending_ticket(pending);

    if (ticket && !lt_links_take_ticket(engine->links, ticket))
        return LIVETCP_ERR_BAD_PROOF;
    return adopt(engine, livetcp_pending_index(pending), lt_pending_number(pending), now);
}

bool lt_engine_is_replaced_by(const livetcp_engine *engine, const livetcp_pending *pending)
{
    return lt_links_replaces_spare(engine->links, livetcp_pending_index(pending),
                                   lt_pending_ticket(pending));
}

void livetcp_engine_lost(livetcp_engine *engine, unsigned connection, livetcp_result reason,
                         livetcp_usec now)
{
    livetcp_connection_state state;
    livetcp_result known;

    if (!lt_session_is_slot(connection))
        return;
    state = lt_links_state(engine->links, connection);
    if (state == LIVETCP_CONNECTION_IDLE || state == LIVETCP_CONNECTION_CLOSED)
        return;
    if (lt_links_closing(engine->links, connection, &known, NULL))
        reason = known;
    else if (reason == LIVETCP_ERR_PROTOCOL || reason == LIVETCP_ERR_GARBAGE)
        engine->protocol_errors++; /* the owner found the error in the input */
    detach(engine, connection, reason, now);
}

bool livetcp_engine_next_close(livetcp_engine *engine, unsigned *connection, livetcp_result *reason)
{
    uint32_t closing = lt_links_closing_slots(engine->links);
    livetcp_usec since_us;

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS && closing >> i; i++) {
        if (!lt_links_closing(engine->links, i, reason, &since_us) ||
            (!lt_sender_idle(engine->sender, i) && lt_links_can_write(engine->links, i)))
            continue;
        *connection = i;
        detach(engine, i, *reason, since_us);
        return true;
    }
    return false;
}

livetcp_result livetcp_engine_set_link(livetcp_engine *engine, unsigned connection, unsigned link,
                                       unsigned weight)
{
    livetcp_result result;

    if (!lt_session_is_slot(connection) || link >= LIVETCP_MAX_LINKS || weight > UINT8_MAX)
        return LIVETCP_ERR_INDEX_RANGE;
    result = lt_link_rates_set_link(&engine->rates, connection, link);
    if (result == LIVETCP_OK)
        lt_links_set_link(engine->links, connection, link, weight);
    return result;
}

void livetcp_engine_retry(livetcp_engine *engine, uint32_t connections, livetcp_usec now)
{
    lt_links_retry(engine->links, connections, now);
}

/* ---- events and questions ---- */

bool livetcp_engine_next_event(livetcp_engine *engine, livetcp_engine_event *event)
{
    return lt_events_take(&engine->events, event);
}

livetcp_session_state livetcp_engine_state(const livetcp_engine *engine)
{
    return lt_life_state(&engine->life);
}

const uint8_t *livetcp_engine_session_id(const livetcp_engine *engine)
{
    return lt_links_credentials(engine->links)->session_id;
}

livetcp_result livetcp_pending_challenge(livetcp_pending *pending, const livetcp_engine *engine,
                                         livetcp_random_fn random, void *random_user,
                                         livetcp_reply *reply)
{
    return lt_pending_challenge(pending, lt_links_credentials(engine->links),
                                lt_links_ticket(engine->links), random, random_user, reply);
}

unsigned livetcp_engine_connections(const livetcp_engine *engine)
{
    return lt_links_count(engine->links);
}

livetcp_result livetcp_engine_report_playout(livetcp_engine *engine,
                                             const livetcp_playout_report *report)
{
    livetcp_playout_report whole = {.margin_us = LIVETCP_NO_MARGIN};
    livetcp_result result = LT_CHECK_SIZED(report, livetcp_playout_report, NULL);

    if (result != LIVETCP_OK)
        return result;
    lt_sized_read(&whole, sizeof whole, report);
    return lt_reports_on_playout(engine->reports, &whole);
}

livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *engine, int payload_type, uint32_t hz)
{
    return lt_reports_set_clock_rate(engine->reports, payload_type, hz);
}

void livetcp_engine_notify_when_sent(livetcp_engine *engine)
{
    engine->sent_wanted = true;
    notify_if_sent(engine);
}
