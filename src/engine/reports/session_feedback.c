/* SPDX-License-Identifier: MIT */
/* What the two ends tell each other about the media under way, and where its delay arises. */
#include "base/sized.h"
#include "engine/session_internal.h"
#include "policy/forecast.h"

void lt_session_prepare_feedback(livetcp_engine *session)
{
    lt_feedback_start(&session->feedback);
    session->playout.margin_us = LIVETCP_NO_MARGIN;
}

/* What the sender says changes slowly, and a lost message holds up the media behind it; only at the
 * start is nothing known yet. */
#define EARLY_TRANSMISSIONS 5
#define TRANSMISSION_FACTOR 5

static bool tells(const livetcp_engine *session)
{
    return session->config.feedback_us > 0 && !lt_session_plain(session) && !session->closing;
}

/* ---- observed ---- */

static livetcp_usec transmission_interval(const livetcp_engine *session)
{
    bool early = session->feedback.transmission_clock.number < EARLY_TRANSMISSIONS;

    return early ? session->config.feedback_us : TRANSMISSION_FACTOR * session->config.feedback_us;
}

void lt_session_observe_placed(livetcp_engine *session, const lt_packet *packet, unsigned copies,
                               bool parity)
{
    if (packet->rtcp)
        return;
    lt_least_protection_take(&session->protection,
                             (lt_protection){.copies = (uint8_t)copies,
                                             .hedged = packet->review_us != LIVETCP_NEVER,
                                             .parity = parity});
}

void lt_session_observe_written(livetcp_engine *session, lt_connection *connection,
                                lt_packet *packet, livetcp_usec now)
{
    livetcp_usec network = lt_delay_of_network(connection->path);

    packet->buffered_us = lt_delay_in_buffer(connection->path, packet->frame_size);
    if (packet->rtcp)
        return;
    lt_smooth(&session->queue_leg, now - packet->enqueued_us);
    if (connection->path->known & LIVETCP_PATH_UNSENT)
        lt_smooth(&session->buffer_leg, packet->buffered_us);
    if (network >= 0)
        lt_smooth(&session->network_leg, network);
    if (tells(session))
        lt_feedback_clock_media(&session->feedback.transmission_clock,
                                transmission_interval(session), now);
}

void lt_session_observe_acknowledged(livetcp_engine *session, const lt_connection *connection,
                                     const lt_packet *packet, livetcp_usec written_us,
                                     livetcp_usec now)
{
    if (packet->rtcp || packet->parity)
        return;
    lt_smooth(&session->repair_leg,
              lt_delay_at_head_of_line(connection->path, written_us, packet->buffered_us,
                                       connection->repairing, connection->acked_at_us, now));
}

void lt_session_observe_delivered(livetcp_engine *session, const lt_arrival *arrival,
                                  const lt_rtp_header *header)
{
    lt_smooth(&session->hold_leg, session->now_us - arrival->arrival_us);
    if (arrival->arrival_us >= session->newest_us) {
        session->newest_us = arrival->arrival_us;
        session->newest_ssrc = header->ssrc;
        session->newest_sequence = header->sequence;
    }
    if (tells(session))
        lt_feedback_clock_media(&session->feedback.reception_clock, session->config.feedback_us,
                                session->now_us);
}

/* ---- the playout ---- */

static bool in_range(const livetcp_playout_report *report)
{
    bool margin =
        report->margin_us == LIVETCP_NO_MARGIN ||
        (report->margin_us >= -LT_FEEDBACK_MAX_US && report->margin_us <= LT_FEEDBACK_MAX_US);

    return margin && report->delay_us >= 0 && report->delay_us <= LT_FEEDBACK_MAX_US;
}

livetcp_result livetcp_engine_report_playout(livetcp_engine *session,
                                             const livetcp_playout_report *report)
{
    livetcp_usec margin = session->playout.margin_us;
    livetcp_playout_report whole = {.margin_us = LIVETCP_NO_MARGIN};

    if (!lt_sized_valid(report, 0))
        return LIVETCP_ERR_INVALID_ARGUMENT;
    lt_sized_read(&whole, sizeof whole, report);
    if (!in_range(&whole))
        return LIVETCP_ERR_INVALID_ARGUMENT;
    /* The least since our last message is what that says. */
    bool keep = session->playing && !session->margin_reported && margin != LIVETCP_NO_MARGIN &&
                (whole.margin_us == LIVETCP_NO_MARGIN || margin < whole.margin_us);
    session->playout = whole;
    if (keep)
        session->playout.margin_us = margin;
    session->playing = true;
    session->margin_reported = false;
    return LIVETCP_OK;
}

/* ---- messages of ours ---- */

/* As with reports: while nobody takes it there is nothing to wake up for. */
livetcp_usec lt_session_feedback_deadline(const livetcp_engine *session)
{
    const lt_feedback *feedback = &session->feedback;

    if (!tells(session) || !lt_session_has_way(session))
        return LIVETCP_NEVER;
    return feedback->reception_clock.due_us < feedback->transmission_clock.due_us
               ? feedback->reception_clock.due_us
               : feedback->transmission_clock.due_us;
}

static livetcp_usec since(livetcp_usec then, livetcp_usec now)
{
    return now > then ? now - then : 0;
}

static uint32_t saturate(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void describe_playout(livetcp_engine *session, lt_reception *message)
{
    bool known = session->playout.margin_us != LIVETCP_NO_MARGIN;

    message->playing = session->playing;
    message->margin_us = known ? (int32_t)session->playout.margin_us : INT32_MIN;
    message->playout_us =
        session->playing ? lt_feedback_duration(session->playout.delay_us) : LT_UNKNOWN_US;
    message->late_playout = saturate(session->playout.late);
    session->margin_reported = true;
}

static void write_reception(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    const lt_reassembly_stats *counts = lt_reassembly_get_stats(session->reassembly);
    lt_feedback *feedback = &session->feedback;
    lt_control message = {.type = LT_CONTROL_RECEPTION};
    lt_reception *fields = &message.reception;
    lt_reporter_summary summary = {.lost = (int64_t)counts->gaps};

    if (session->reporter)
        lt_reporter_summarize(session->reporter, &summary);
    fields->number = lt_feedback_clock_write(&feedback->reception_clock, now);
    fields->now_us = (uint64_t)now;
    fields->packets = counts->delivered;
    fields->newest_ssrc = session->newest_ssrc;
    fields->newest_sequence = session->newest_sequence;
    fields->newest_age_us = lt_feedback_duration(since(session->newest_us, now));
    fields->echo_number = feedback->has_transmission ? feedback->transmission.number : 0;
    fields->echo_age_us = lt_feedback_duration(since(feedback->transmission_us, now));
    fields->hold_us = lt_feedback_duration(lt_smoothed_us(&session->hold_leg));
    fields->missing = summary.lost > 0 ? saturate((uint64_t)summary.lost) : 0;
    fields->late_order = saturate(counts->late_discarded);
    describe_playout(session, fields);
    lt_session_write_control(connection, &message);
    feedback->sent++;
}

/* Within one host it can be less than a microsecond, and 0 is no round trip. */
static uint32_t round_trip(livetcp_usec us)
{
    return us == 0 ? 1 : lt_feedback_duration(us);
}

/* Beyond a round trip. The policy's own affair to be exact; this is when an acknowledgement counts
 * as overdue, unless the setting says when. */
static uint32_t hedge_delay(const livetcp_engine *session, const lt_round_trip *rtt)
{
    if (session->config.hedge_delay_us)
        return lt_feedback_duration(session->config.hedge_delay_us);
    return rtt->variation_us < 0 ? LT_UNKNOWN_US
                                 : lt_feedback_duration(2 * rtt->variation_us + LT_ACK_SEEN_US);
}

static void write_transmission(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    lt_round_trip rtt = lt_round_trip_over(session->paths, session->count);
    lt_control message = {.type = LT_CONTROL_TRANSMISSION};
    lt_transmission *fields = &message.transmission;
    lt_protection protection = lt_least_protection_tell(&session->protection);
    livetcp_delays legs;

    lt_session_sent_legs(session, &legs, now);
    *fields = (lt_transmission){
        .number = lt_feedback_write_transmission(&session->feedback, now),
        .protection = lt_protection_bits(&protection),
        .copies = protection.copies ? protection.copies : 1,
        .parity_group = (uint8_t)(protection.parity ? session->config.parity_group : 0),
        .connections = (uint8_t)rtt.connections,
        .now_us = (uint64_t)now,
        .rtt_us = round_trip(rtt.rtt_us),
        .min_rtt_us = round_trip(rtt.min_rtt_us),
        .rtt_variation_us = lt_feedback_duration(rtt.variation_us),
        .send_queue_us = lt_feedback_duration(legs.send_queue_us),
        .send_buffer_us = lt_feedback_duration(legs.send_buffer_us),
        .network_us = lt_feedback_duration(legs.network_us),
        .head_of_line_us = lt_feedback_duration(legs.head_of_line_us),
        .hedge_delay_us = protection.hedged ? hedge_delay(session, &rtt) : LT_UNKNOWN_US};
    lt_session_write_control(connection, &message);
    session->feedback.sent++;
}

void lt_session_send_feedback(livetcp_engine *session, livetcp_usec now)
{
    if (now < lt_session_feedback_deadline(session))
        return;
    if (now >= session->feedback.reception_clock.due_us)
        write_reception(session, lt_session_quickest(session, now), now);
    if (now >= session->feedback.transmission_clock.due_us)
        write_transmission(session, lt_session_quickest(session, now), now);
}

/* ---- messages of the peer's ---- */

void lt_session_take_feedback(livetcp_engine *session, const lt_control *message, livetcp_usec now)
{
    if (message->type == LT_CONTROL_RECEPTION)
        lt_feedback_take_reception(&session->feedback, &message->reception, now);
    else
        lt_feedback_take_transmission(&session->feedback, &message->transmission, now);
}

/* ---- statistics ---- */

/* One is added to the other, as far as they are known. */
static livetcp_usec sum(livetcp_usec a, livetcp_usec b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

static void gather_sent(const livetcp_engine *session, livetcp_delays *delays, livetcp_usec now)
{
    const lt_feedback *feedback = &session->feedback;
    livetcp_usec hold = -1, playout = -1;

    if (feedback->has_reception) {
        hold = lt_feedback_us(feedback->reception.hold_us);
        playout = lt_feedback_us(feedback->reception.playout_us);
    }
    lt_session_sent_legs(session, delays, now);
    delays->head_of_line_us = sum(delays->head_of_line_us, hold);
    delays->playout_us = playout;
}

static void gather_received(const livetcp_engine *session, livetcp_delays *delays, livetcp_usec now)
{
    const lt_transmission *told = &session->feedback.transmission;
    livetcp_usec hold = lt_smoothed_us(&session->hold_leg);
    livetcp_usec repair =
        session->feedback.has_transmission ? lt_feedback_us(told->head_of_line_us) : -1;

    repair = lt_session_arrived_repair(session, repair, now);
    *delays = (livetcp_delays){-1, -1, -1, sum(repair, hold),
                               session->playing ? session->playout.delay_us : -1};
    if (!session->feedback.has_transmission)
        return;
    delays->send_queue_us = lt_feedback_us(told->send_queue_us);
    delays->send_buffer_us = lt_feedback_us(told->send_buffer_us);
    delays->network_us = lt_feedback_us(told->network_us);
}

static void gather_sender(const lt_feedback *feedback, livetcp_session_stats *stats)
{
    const lt_transmission *told = &feedback->transmission;

    stats->peer.rtt_us = stats->peer.min_rtt_us = stats->peer.rtt_variation_us = -1;
    stats->peer.hedge_delay_us = -1;
    if (!feedback->has_transmission)
        return;
    stats->peer.rtt_us = lt_feedback_us(told->rtt_us);
    stats->peer.min_rtt_us = lt_feedback_us(told->min_rtt_us);
    stats->peer.rtt_variation_us = lt_feedback_us(told->rtt_variation_us);
    stats->peer.connections = told->connections;
    stats->peer.protection = told->protection;
    stats->peer.copies = told->copies;
    stats->peer.parity_group = told->parity_group;
    stats->peer.hedge_delay_us = lt_feedback_us(told->hedge_delay_us);
}

static void gather_receiver(const lt_feedback *feedback, livetcp_session_stats *stats)
{
    const lt_reception *told = &feedback->reception;

    stats->peer.margin_us = LIVETCP_NO_MARGIN;
    if (!feedback->has_reception)
        return;
    stats->peer.packets = told->packets;
    stats->peer.missing = told->missing;
    stats->peer.late_order = told->late_order;
    stats->peer.late_playout = told->late_playout;
    if (told->playing && told->margin_us != INT32_MIN)
        stats->peer.margin_us = told->margin_us;
}

void lt_session_gather_feedback(const livetcp_engine *session, livetcp_session_stats *stats,
                                livetcp_usec now)
{
    const lt_feedback *feedback = &session->feedback;
    lt_round_trip rtt = lt_round_trip_over(session->paths, session->count);

    gather_sent(session, &stats->sent.delays, now);
    gather_received(session, &stats->received.delays, now);
    stats->rtt_us = rtt.rtt_us;
    stats->min_rtt_us = rtt.min_rtt_us;
    stats->control.feedback_sent = feedback->sent;
    stats->control.feedback_received = feedback->received;
    stats->control.feedback_invalid = feedback->invalid;
    stats->control.feedback_rtt_us = feedback->rtt_us;
    gather_sender(feedback, stats);
    gather_receiver(feedback, stats);
}
