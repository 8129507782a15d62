/* SPDX-License-Identifier: MIT */
#include "engine/reports/reports.h"

#include "base/usec.h"
#include "engine/reports/feedback.h"
#include "engine/reports/frame_arrivals.h"
#include "engine/reports/receipts.h"
#include "engine/reports/rtcp.h"
#include "engine/reports/timestamps.h"

#include <stdlib.h>

struct lt_reports {
    lt_reports_sink sink;
    lt_rtcp_reports rtcp;
    lt_feedback feedback;
    lt_frame_arrivals arrivals;
    lt_receipts receipts;
    lt_inferred_delays inferred;
    lt_timestamps timestamps;
};

livetcp_result lt_reports_create(const lt_reports_setup *setup, lt_reports **out)
{
    lt_reports *reports = calloc(1, sizeof *reports);
    livetcp_result result;

    *out = NULL;
    if (!reports)
        return LIVETCP_ERR_NO_MEMORY;
    reports->sink = setup->sink;
    lt_feedback_init(&reports->feedback, setup->config);
    lt_frame_arrivals_init(&reports->arrivals);
    lt_receipts_init(&reports->receipts);
    lt_inferred_delays_init(&reports->inferred);
    lt_timestamps_init(&reports->timestamps, setup->config->timestamps, setup->rng);
    result = lt_rtcp_reports_init(&reports->rtcp, setup);
    if (result == LIVETCP_OK)
        *out = reports;
    else
        lt_reports_destroy(&reports);
    return result;
}

void lt_reports_destroy(lt_reports **owner)
{
    lt_reports *reports = *owner;

    if (!reports)
        return;
    lt_timestamps_clear(&reports->timestamps);
    lt_rtcp_reports_clear(&reports->rtcp);
    free(reports);
    *owner = NULL;
}

/* ---- application packets ---- */

void lt_reports_on_placed(lt_reports *reports, const lt_packet *packet, unsigned copies,
                          bool parity)
{
    if (!packet->rtcp)
        lt_feedback_on_placed(&reports->feedback,
                              (lt_protection){.copies = (uint8_t)copies,
                                              .hedged = packet->review_us != LIVETCP_NEVER,
                                              .parity = parity});
}

bool lt_reports_wants_timestamp(lt_reports *reports, unsigned slot, const lt_packet *finishing,
                                livetcp_usec now)
{
    return lt_timestamps_wanted(&reports->timestamps, slot, finishing, now);
}

void lt_reports_on_written(lt_reports *reports, const livetcp_path *path, lt_packet *packet,
                           uint64_t end, livetcp_usec now)
{
    packet->buffered_us = lt_delay_in_buffer(path, packet->frame_size);
    if (packet->rtcp)
        return;
    lt_rtcp_reports_on_written(&reports->rtcp, packet, now);
    lt_inferred_delays_on_written(&reports->inferred, path, packet, now);
    lt_feedback_on_written(&reports->feedback, now);
    lt_timestamps_on_written(&reports->timestamps, path->connection, packet, end, now);
}

void lt_reports_on_acknowledged(lt_reports *reports, const livetcp_path *path,
                                const lt_packet *packet, livetcp_usec written_us, livetcp_usec now)
{
    if (!packet->rtcp && !packet->parity)
        lt_inferred_delays_on_acknowledged(&reports->inferred, path, packet, written_us, now);
}

void lt_reports_on_path_info(lt_reports *reports, const livetcp_path *path, livetcp_usec now)
{
    lt_inferred_delays_on_path_info(&reports->inferred, path, now);
}

void lt_reports_on_delivered(lt_reports *reports, const lt_arrival *arrival, livetcp_usec now)
{
    const lt_rtp_header *header = &arrival->header;

    lt_ewma_add(&reports->inferred.hold, now - arrival->arrival_us);
    lt_feedback_on_delivered(&reports->feedback, arrival, now);
    lt_frame_arrivals_on_delivered(&reports->arrivals, arrival);
    lt_rtcp_reports_on_delivered(&reports->rtcp, header, arrival->size, arrival->arrival_us);
}

void lt_reports_on_accepted(lt_reports *reports, size_t size, bool adapts, livetcp_usec now)
{
    if (lt_feedback_is_on(&reports->feedback))
        lt_frame_arrivals_on_accepted(&reports->arrivals, size, adapts, now);
}

bool lt_reports_is_answered(const lt_reports *reports, livetcp_usec now)
{
    return lt_feedback_is_answered(&reports->feedback, now);
}

/* ---- RTCP and feedback ---- */

void lt_reports_on_rtcp(lt_reports *reports, const lt_arrival *arrival)
{
    lt_rtcp_reports_on_received(&reports->rtcp, arrival->data, arrival->size, arrival->arrival_us);
}

void lt_reports_on_own_rtcp(lt_reports *reports, const uint8_t *data, size_t size)
{
    lt_rtcp_reports_on_own(&reports->rtcp, data, size);
}

void lt_reports_on_feedback(lt_reports *reports, const lt_control *message, livetcp_usec now)
{
    if (message->type == LT_CONTROL_RECEPTION)
        lt_feedback_take_reception(&reports->feedback, &message->reception, now);
    else
        lt_feedback_take_transmission(&reports->feedback, &message->transmission, now);
}

/* ---- receipts ---- */

void lt_reports_on_number(lt_reports *reports, unsigned slot, uint32_t number)
{
    lt_receipts_on_number(&reports->receipts, slot, number);
}

void lt_reports_on_arrived(lt_reports *reports, unsigned slot, uint64_t packets)
{
    lt_receipts_on_packets(&reports->receipts, slot, packets);
}

void lt_reports_on_ended(lt_reports *reports, unsigned slot, uint64_t packets, livetcp_usec now)
{
    lt_receipts_on_ended(&reports->receipts, slot, packets, now);
}

void lt_reports_on_answer(lt_reports *reports, const lt_resent *answer)
{
    lt_receipts_on_answer(&reports->receipts, answer);
}

/* ---- the session ---- */

void lt_reports_on_new_peer(lt_reports *reports)
{
    lt_feedback_forget_peer(&reports->feedback);
    lt_frame_arrivals_init(&reports->arrivals);
    lt_receipts_forget_peer(&reports->receipts);
}

void lt_reports_on_closing(lt_reports *reports)
{
    lt_feedback_stop(&reports->feedback);
    lt_frame_arrivals_init(&reports->arrivals);
    lt_receipts_stop(&reports->receipts);
}

livetcp_result lt_reports_on_playout(lt_reports *reports, const livetcp_playout_report *report)
{
    return lt_feedback_on_playout(&reports->feedback, report);
}

livetcp_result lt_reports_set_clock_rate(lt_reports *reports, int payload_type, uint32_t hz)
{
    return lt_rtcp_reports_set_clock_rate(&reports->rtcp, payload_type, hz);
}

void lt_reports_set_wall_clock(lt_reports *reports, livetcp_usec ahead_us)
{
    reports->rtcp.wall_clock_ahead_us = ahead_us;
}

/* ---- kernel timestamps ---- */

void lt_reports_reset_slot(lt_reports *reports, unsigned slot)
{
    lt_inferred_delays_reset_slot(&reports->inferred, slot);
    lt_timestamps_reset_slot(&reports->timestamps, slot);
}

void lt_reports_has_timestamps(lt_reports *reports, unsigned slot)
{
    lt_timestamps_available(&reports->timestamps, slot);
}

void lt_reports_on_tx_timestamp(lt_reports *reports, const livetcp_path *path,
                                const livetcp_tx_timestamp *timestamp, livetcp_usec now)
{
    bool repairing = reports->inferred.seen[path->connection].repairing;

    lt_timestamps_on_tx(&reports->timestamps, path, repairing, timestamp, now);
}

void lt_reports_on_read(lt_reports *reports, unsigned slot, const livetcp_rx_timestamp *timestamp,
                        unsigned packets, livetcp_usec now)
{
    lt_timestamps_on_read(&reports->timestamps, slot, timestamp, packets, now);
}

/* ---- delay components ---- */

/* Delay components of sent packets that are known at this side. */
static livetcp_delays known_sent_delays(const lt_reports *reports, livetcp_usec now)
{
    const lt_inferred_delays *inferred = &reports->inferred;
    livetcp_delays delays = {.send_queue_us = lt_ewma_us(&inferred->send_queue),
                             .send_buffer_us = lt_ewma_us(&inferred->send_buffer),
                             .network_us = lt_ewma_us(&inferred->network),
                             .head_of_line_us = lt_ewma_us(&inferred->repair),
                             .playout_us = -1};

    lt_timestamps_refine_sent(&reports->timestamps, &delays, now);
    return delays;
}

/* Sum of the known values; -1 if both are unknown. */
static livetcp_usec sum_known(livetcp_usec a, livetcp_usec b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

static livetcp_delays sent_delays(const lt_reports *reports, livetcp_usec now)
{
    const lt_feedback *feedback = &reports->feedback;
    livetcp_delays delays = known_sent_delays(reports, now);

    if (feedback->has_reception) {
        livetcp_usec hold = lt_feedback_us(feedback->reception.hold_us);
        delays.head_of_line_us = sum_known(delays.head_of_line_us, hold);
        delays.playout_us = lt_feedback_us(feedback->reception.playout_us);
    }
    return delays;
}

static livetcp_delays received_delays(const lt_reports *reports, livetcp_usec now)
{
    const lt_feedback *feedback = &reports->feedback;
    const lt_transmission *message = &feedback->transmission;
    livetcp_delays delays = {-1, -1, -1, -1, feedback->playing ? feedback->playout.delay_us : -1};
    livetcp_usec repair = -1;

    if (feedback->has_transmission) {
        delays.send_queue_us = lt_feedback_us(message->send_queue_us);
        delays.send_buffer_us = lt_feedback_us(message->send_buffer_us);
        delays.network_us = lt_feedback_us(message->network_us);
        repair = lt_feedback_us(message->head_of_line_us);
    }
    repair = lt_timestamps_received_repair(&reports->timestamps, repair, now);
    delays.head_of_line_us = sum_known(repair, lt_ewma_us(&reports->inferred.hold));
    return delays;
}

/* ---- deadlines and statistics ---- */

/* LIVETCP_NEVER while no connection takes a frame: the owner reports when one does again. */
livetcp_usec lt_reports_deadline(const lt_reports *reports)
{
    livetcp_usec due = lt_usec_min(lt_rtcp_reports_deadline(&reports->rtcp),
                                   lt_feedback_deadline(&reports->feedback));

    due = lt_usec_min(due, lt_receipts_deadline(&reports->receipts));
    due = lt_usec_min(due, lt_frame_arrivals_deadline(&reports->arrivals));
    return due == LIVETCP_NEVER || reports->sink.has_way(reports->sink.user) ? due : LIVETCP_NEVER;
}

static void write_control(const lt_reports_sink *sink, const lt_control *message, livetcp_usec now)
{
    uint8_t frame[LT_CONTROL_MAX];
    size_t size = lt_control_encode(message, frame);

    /* A connection without space was not read for long, so the message would be of no use. */
    sink->write(sink->user, LT_REPORTS_QUICKEST, frame, size, now);
}

static void write_reception(lt_reports *reports, const lt_reports_view *view, livetcp_usec now)
{
    lt_control message = {.type = LT_CONTROL_RECEPTION};
    lt_feedback_received received = {.hold_us = lt_ewma_us(&reports->inferred.hold),
                                     .missing = lt_rtcp_reports_missing(&reports->rtcp, view->gaps),
                                     .late_order = view->late_order};

    lt_feedback_make_reception(&reports->feedback, &received, &message.reception, now);
    message.reception.receipt_count =
        lt_receipts_fill(&reports->receipts, message.reception.receipts);
    write_control(&reports->sink, &message, now);
}

static void write_transmission(lt_reports *reports, const lt_reports_view *view, livetcp_usec now)
{
    lt_control message = {.type = LT_CONTROL_TRANSMISSION};
    lt_round_trip rtt = lt_round_trip_over(view->paths, view->count);
    livetcp_delays delays = known_sent_delays(reports, now);

    lt_feedback_make_transmission(&reports->feedback, &rtt, &delays, view->copy_spacing_us,
                                  &message.transmission, now);
    write_control(&reports->sink, &message, now);
}

static void write_arrival(lt_reports *reports, livetcp_usec now)
{
    lt_control message = {.type = LT_CONTROL_ARRIVAL,
                          .arrival = lt_frame_arrivals_take(&reports->arrivals)};

    write_control(&reports->sink, &message, now);
}

static void write_receipts(lt_reports *reports, livetcp_usec now)
{
    lt_control message = {.type = LT_CONTROL_RECEIPT};

    while (lt_receipts_next(&reports->receipts, &message.receipt, now))
        write_control(&reports->sink, &message, now);
}

void lt_reports_expire(lt_reports *reports, const lt_reports_view *view, livetcp_usec now)
{
    if (now < lt_reports_deadline(reports))
        return;
    if (now >= lt_rtcp_reports_deadline(&reports->rtcp))
        lt_rtcp_reports_write(&reports->rtcp, &reports->sink, now);
    if (now >= reports->feedback.reception_clock.due_us)
        write_reception(reports, view, now);
    if (now >= reports->feedback.transmission_clock.due_us)
        write_transmission(reports, view, now);
    if (now >= lt_frame_arrivals_deadline(&reports->arrivals))
        write_arrival(reports, now);
    write_receipts(reports, now);
}

void lt_reports_goodbye(lt_reports *reports, unsigned slot, livetcp_usec now)
{
    lt_rtcp_reports_goodbye(&reports->rtcp, &reports->sink, slot, now);
}

void lt_reports_gather(const lt_reports *reports, const livetcp_path *paths, unsigned count,
                       livetcp_session_stats *stats, livetcp_usec now)
{
    lt_round_trip rtt = lt_round_trip_over(paths, count);

    stats->sent.delays = sent_delays(reports, now);
    stats->received.delays = received_delays(reports, now);
    stats->rtt_us = rtt.rtt_us;
    stats->min_rtt_us = rtt.min_rtt_us;
    lt_rtcp_reports_gather(&reports->rtcp, stats);
    lt_feedback_gather(&reports->feedback, stats);
    stats->received.acknowledged_lost = reports->receipts.lost;
    stats->received.acknowledged_resent = reports->receipts.again;
    lt_timestamps_gather(&reports->timestamps, stats, now);
}
