/* SPDX-License-Identifier: MIT */
#include "engine/reports/feedback.h"

#include "base/error.h"
#include "base/usec.h"
#include "engine/links/path_info.h"

#include "policy/forecast.h"
#include <string.h>

/* Every fifth interval, except at the start: the fields of TRANSMISSION change slowly, and a lost
 * message delays the media behind it. */
#define EARLY_TRANSMISSIONS 5
#define TRANSMISSION_FACTOR 5

/* Of thin media, such as speech, RECEPTION is sent less often: when what it reports on is so many
 * times as long as the message, with the headers of TCP and IP, or after so many intervals. */
#define REPORTED         40
#define RECEPTION_SIZE   150
#define RECEPTION_FACTOR 5

/* Media of the peer is older than that: it has stopped. */
#define ANSWERED_US 500000

void lt_feedback_clock_start(lt_feedback_clock *clock)
{
    *clock = (lt_feedback_clock){.due_us = LIVETCP_NEVER, .last_us = INT64_MIN};
}

void lt_feedback_clock_media(lt_feedback_clock *clock, livetcp_usec interval_us, livetcp_usec now)
{
    bool at_once = clock->last_us == INT64_MIN || now - clock->last_us >= interval_us;

    if (interval_us > 0)
        clock->due_us = lt_usec_min(clock->due_us, at_once ? now : clock->last_us + interval_us);
}

uint32_t lt_feedback_clock_write(lt_feedback_clock *clock, livetcp_usec now)
{
    clock->due_us = LIVETCP_NEVER;
    clock->last_us = now;
    if (++clock->number == 0)
        clock->number = 1; /* 0 means none */
    return clock->number;
}

void lt_feedback_init(lt_feedback *feedback, const livetcp_config *config)
{
    bool plain = config->wire == LIVETCP_WIRE_PLAIN;

    *feedback = (lt_feedback){.interval_us = plain ? 0 : config->feedback_us,
                              .hedge_delay_us = config->hedge_delay_us,
                              .parity_group = config->parity_group,
                              .playout.margin_us = LIVETCP_NO_MARGIN,
                              .rtt_us = -1};
    lt_feedback_clock_start(&feedback->reception_clock);
    lt_feedback_clock_start(&feedback->transmission_clock);
}

void lt_feedback_stop(lt_feedback *feedback)
{
    feedback->interval_us = 0;
    feedback->reception_clock.due_us = feedback->transmission_clock.due_us = LIVETCP_NEVER;
}

void lt_feedback_forget_peer(lt_feedback *feedback)
{
    feedback->has_reception = feedback->has_transmission = false;
}

/* ---- events ---- */

void lt_feedback_on_placed(lt_feedback *feedback, lt_protection protection)
{
    lt_min_protection_add(&feedback->protection, protection);
}

void lt_feedback_on_written(lt_feedback *feedback, livetcp_usec now)
{
    bool early = feedback->transmission_clock.number < EARLY_TRANSMISSIONS;
    unsigned factor = early ? 1 : TRANSMISSION_FACTOR;

    lt_feedback_clock_media(&feedback->transmission_clock, factor * feedback->interval_us, now);
}

void lt_feedback_on_delivered(lt_feedback *feedback, const lt_arrival *arrival, livetcp_usec now)
{
    const lt_rtp_header *header = &arrival->header;

    feedback->delivered++;
    feedback->unreported += arrival->size + LT_TCP_HEADERS;
    if (arrival->arrival_us >= feedback->newest_us) {
        feedback->newest_us = arrival->arrival_us;
        feedback->newest_ssrc = header->ssrc;
        feedback->newest_sequence = header->sequence;
    }
    bool enough = feedback->unreported >= REPORTED * RECEPTION_SIZE;
    lt_feedback_clock_media(&feedback->reception_clock,
                            (enough ? 1 : RECEPTION_FACTOR) * feedback->interval_us, now);
}

bool lt_feedback_is_answered(const lt_feedback *feedback, livetcp_usec now)
{
    return feedback->delivered && now - feedback->newest_us < ANSWERED_US;
}

static bool is_in_range(const livetcp_playout_report *report)
{
    bool margin =
        report->margin_us == LIVETCP_NO_MARGIN ||
        (report->margin_us >= -LT_FEEDBACK_MAX_US && report->margin_us <= LT_FEEDBACK_MAX_US);

    return margin && report->delay_us >= 0 && report->delay_us <= LT_FEEDBACK_MAX_US;
}

livetcp_result lt_feedback_on_playout(lt_feedback *feedback, const livetcp_playout_report *report)
{
    livetcp_usec margin = feedback->playout.margin_us;

    if (!is_in_range(report))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a livetcp_playout_report has delay_us 0..60 s and margin_us -60..60 s or "
                       "LIVETCP_NO_MARGIN, not %lld and %lld us",
                       (long long)report->delay_us, (long long)report->margin_us);
    /* A message carries the minimum since the last one. */
    bool keep = feedback->playing && !feedback->margin_sent && margin != LIVETCP_NO_MARGIN &&
                (report->margin_us == LIVETCP_NO_MARGIN || margin < report->margin_us);
    feedback->playout = *report;
    if (keep)
        feedback->playout.margin_us = margin;
    feedback->playing = true;
    feedback->margin_sent = false;
    return LIVETCP_OK;
}

/* ---- our messages ---- */

static livetcp_usec since(livetcp_usec then, livetcp_usec now)
{
    return now > then ? now - then : 0;
}

static uint32_t saturate(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void fill_in_playout(lt_feedback *feedback, lt_reception *message)
{
    bool known = feedback->playout.margin_us != LIVETCP_NO_MARGIN;

    message->playing = feedback->playing;
    message->margin_us = known ? (int32_t)feedback->playout.margin_us : INT32_MIN;
    message->playout_us =
        feedback->playing ? lt_feedback_duration(feedback->playout.delay_us) : LT_UNKNOWN_US;
    message->late_playout = saturate(feedback->playout.late);
    feedback->margin_sent = true;
}

void lt_feedback_make_reception(lt_feedback *feedback, const lt_feedback_received *received,
                                lt_reception *message, livetcp_usec now)
{
    *message = (lt_reception){
        .number = lt_feedback_clock_write(&feedback->reception_clock, now),
        .now_us = (uint64_t)now,
        .packets = feedback->delivered,
        .newest_ssrc = feedback->newest_ssrc,
        .newest_sequence = feedback->newest_sequence,
        .newest_age_us = lt_feedback_duration(since(feedback->newest_us, now)),
        .echo_number = feedback->has_transmission ? feedback->transmission.number : 0,
        .echo_age_us = lt_feedback_duration(since(feedback->transmission_us, now)),
        .hold_us = lt_feedback_duration(received->hold_us),
        .missing = received->missing > 0 ? saturate((uint64_t)received->missing) : 0,
        .late_order = saturate(received->late_order)};
    fill_in_playout(feedback, message);
    feedback->unreported = 0;
    feedback->sent++;
}

uint32_t lt_feedback_write_transmission(lt_feedback *feedback, livetcp_usec now)
{
    uint32_t number = lt_feedback_clock_write(&feedback->transmission_clock, now);

    feedback->written_us[number % LT_FEEDBACK_SENT] = now;
    return number;
}

/* 0 is no valid round trip; within one host it can be less than a microsecond. */
static uint32_t round_trip(livetcp_usec us)
{
    return us == 0 ? 1 : lt_feedback_duration(us);
}

/* Time beyond a round trip after which a packet is reinjected: the setting, or else TCP's timeout
 * for an acknowledgement. The policy may decide otherwise. */
static uint32_t hedge_delay(const lt_feedback *feedback, const lt_round_trip *rtt)
{
    if (feedback->hedge_delay_us)
        return lt_feedback_duration(feedback->hedge_delay_us);
    return rtt->variation_us < 0 ? LT_UNKNOWN_US
                                 : lt_feedback_duration(2 * rtt->variation_us + LT_ACK_SEEN_US);
}

void lt_feedback_make_transmission(lt_feedback *feedback, const lt_round_trip *rtt,
                                   const livetcp_delays *delays, livetcp_usec copy_spacing_us,
                                   lt_transmission *message, livetcp_usec now)
{
    uint8_t shares[LT_PROTECTIONS];
    lt_protection protection;

    lt_min_protection_shares(&feedback->protection, shares);
    protection = lt_min_protection_take(&feedback->protection);
    *message = (lt_transmission){
        .number = lt_feedback_write_transmission(feedback, now),
        .protection = lt_protection_bits(&protection),
        .copies = protection.copies ? protection.copies : 1,
        .parity_group = (uint8_t)(protection.parity ? feedback->parity_group : 0),
        .connections = (uint8_t)rtt->connections,
        .now_us = (uint64_t)now,
        .rtt_us = round_trip(rtt->rtt_us),
        .min_rtt_us = round_trip(rtt->min_rtt_us),
        .rtt_variation_us = lt_feedback_duration(rtt->variation_us),
        .send_queue_us = lt_feedback_duration(delays->send_queue_us),
        .send_buffer_us = lt_feedback_duration(delays->send_buffer_us),
        .network_us = lt_feedback_duration(delays->network_us),
        .head_of_line_us = lt_feedback_duration(delays->head_of_line_us),
        .hedge_delay_us = protection.hedged ? hedge_delay(feedback, rtt) : LT_UNKNOWN_US,
        .copy_spacing_us = lt_feedback_duration(copy_spacing_us)};
    memcpy(message->shares, shares, sizeof message->shares);
    feedback->sent++;
}

/* ---- the peer's messages ---- */

static bool is_duration(uint32_t duration)
{
    return duration == LT_UNKNOWN_US || duration <= LT_FEEDBACK_MAX_US;
}

/* 0 is no valid round trip. */
static bool is_round_trip(uint32_t duration)
{
    return duration > 0 && is_duration(duration);
}

static bool is_newer(uint32_t number, uint32_t last)
{
    return (int32_t)(number - last) > 0;
}

static bool reception_makes_sense(const lt_reception *message)
{
    const int32_t most = (int32_t)LT_FEEDBACK_MAX_US;
    bool margin = !message->playing || message->margin_us == INT32_MIN ||
                  (message->margin_us >= -most && message->margin_us <= most);

    return message->number && margin && is_duration(message->newest_age_us) &&
           is_duration(message->echo_age_us) && is_duration(message->hold_us) &&
           is_duration(message->playout_us);
}

static bool transmission_makes_sense(const lt_transmission *message)
{
    const unsigned protections =
        LIVETCP_PROTECTION_COPIES | LIVETCP_PROTECTION_HEDGE | LIVETCP_PROTECTION_PARITY;

    return message->number && !(message->protection & ~protections) && message->copies >= 1 &&
           message->copies <= LIVETCP_MAX_CONNECTIONS && message->connections >= 1 &&
           message->connections <= LIVETCP_MAX_CONNECTIONS && message->parity_group != 1 &&
           is_round_trip(message->rtt_us) && is_round_trip(message->min_rtt_us) &&
           is_duration(message->rtt_variation_us) && is_duration(message->send_queue_us) &&
           is_duration(message->send_buffer_us) && is_duration(message->network_us) &&
           is_duration(message->head_of_line_us) && is_duration(message->hedge_delay_us) &&
           is_duration(message->copy_spacing_us);
}

/* Measures the round trip from the echo of our TRANSMISSION. False if the message cannot be an
 * answer to one of ours. */
static bool measure(lt_feedback *feedback, const lt_reception *message, livetcp_usec now)
{
    uint32_t last = feedback->transmission_clock.number, echo = message->echo_number;

    if (echo == 0 || message->echo_age_us == LT_UNKNOWN_US)
        return true;
    if (is_newer(echo, last) || last == 0)
        return false;
    if (last - echo >= LT_FEEDBACK_SENT)
        return true; /* too old for a measurement */
    livetcp_usec rtt =
        now - feedback->written_us[echo % LT_FEEDBACK_SENT] - (livetcp_usec)message->echo_age_us;
    if (rtt < 0 || rtt > LT_FEEDBACK_MAX_US)
        return false;
    feedback->rtt_us = rtt;
    return true;
}

void lt_feedback_take_reception(lt_feedback *feedback, const lt_reception *message,
                                livetcp_usec now)
{
    if (!reception_makes_sense(message) || !measure(feedback, message, now)) {
        feedback->invalid++;
        return;
    }
    feedback->received++;
    if (feedback->has_reception && !is_newer(message->number, feedback->reception.number))
        return; /* overtaken by a newer one on another connection */
    feedback->has_reception = true;
    feedback->reception = *message;
}

void lt_feedback_take_transmission(lt_feedback *feedback, const lt_transmission *message,
                                   livetcp_usec now)
{
    if (!transmission_makes_sense(message)) {
        feedback->invalid++;
        return;
    }
    feedback->received++;
    if (feedback->has_transmission && !is_newer(message->number, feedback->transmission.number))
        return;
    feedback->has_transmission = true;
    feedback->transmission = *message;
    feedback->transmission_us = now;
}

/* ---- statistics ---- */

static void gather_shares(const lt_transmission *message, livetcp_session_stats *stats)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < LT_PROTECTIONS; i++)
        sum += message->shares[i];
    for (unsigned i = 0; sum && i < LT_PROTECTIONS; i++)
        stats->peer.protection_shares[i] = (double)message->shares[i] / sum;
}

static void gather_sender(const lt_feedback *feedback, livetcp_session_stats *stats)
{
    const lt_transmission *message = &feedback->transmission;

    stats->peer.rtt_us = stats->peer.min_rtt_us = stats->peer.rtt_variation_us = -1;
    stats->peer.hedge_delay_us = -1;
    if (!feedback->has_transmission)
        return;
    stats->peer.rtt_us = lt_feedback_us(message->rtt_us);
    stats->peer.min_rtt_us = lt_feedback_us(message->min_rtt_us);
    stats->peer.rtt_variation_us = lt_feedback_us(message->rtt_variation_us);
    stats->peer.connections = message->connections;
    stats->peer.protection = message->protection;
    stats->peer.copies = message->copies;
    stats->peer.parity_group = message->parity_group;
    stats->peer.hedge_delay_us = lt_feedback_us(message->hedge_delay_us);
    stats->peer.copy_spacing_us = lt_feedback_us(message->copy_spacing_us);
    gather_shares(message, stats);
}

static void gather_receiver(const lt_feedback *feedback, livetcp_session_stats *stats)
{
    const lt_reception *message = &feedback->reception;

    stats->peer.margin_us = LIVETCP_NO_MARGIN;
    if (!feedback->has_reception)
        return;
    stats->peer.packets = message->packets;
    stats->peer.missing = message->missing;
    stats->peer.late_order = message->late_order;
    stats->peer.late_playout = message->late_playout;
    if (message->playing && message->margin_us != INT32_MIN)
        stats->peer.margin_us = message->margin_us;
}

void lt_feedback_gather(const lt_feedback *feedback, livetcp_session_stats *stats)
{
    stats->control.feedback_sent = feedback->sent;
    stats->control.feedback_received = feedback->received;
    stats->control.feedback_invalid = feedback->invalid;
    stats->control.feedback_rtt_us = feedback->rtt_us;
    gather_sender(feedback, stats);
    gather_receiver(feedback, stats);
}

/* ---- durations ---- */

uint32_t lt_feedback_duration(livetcp_usec us)
{
    if (us < 0)
        return LT_UNKNOWN_US;
    return (uint32_t)(us < LT_FEEDBACK_MAX_US ? us : LT_FEEDBACK_MAX_US);
}

livetcp_usec lt_feedback_us(uint32_t duration)
{
    return duration == LT_UNKNOWN_US ? -1 : (livetcp_usec)duration;
}
