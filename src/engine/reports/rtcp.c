/* SPDX-License-Identifier: MIT */
#include "engine/reports/rtcp.h"

#include "base/bytes.h"
#include "base/error.h"
#include "rtp/rtcp/packet.h"
#include "wire/frame.h"

#include <string.h>

/* Bytes of the APP packet that marks our own report, see mark(). */
#define MARK_SIZE 12

_Static_assert(LT_FRAME_HEADER + LT_REPORT_MAX + MARK_SIZE <= LT_REPORTS_FRAME_MAX,
               "a report must fit a frame");

livetcp_result lt_rtcp_reports_init(lt_rtcp_reports *rtcp, const lt_reports_setup *setup)
{
    uint8_t random[12 + 4];
    char own[LT_CNAME_SIZE];
    livetcp_result result;

    *rtcp = (lt_rtcp_reports){.mode = setup->config->rtcp,
                              .plain = setup->config->wire == LIVETCP_WIRE_PLAIN};
    if (rtcp->mode == LIVETCP_RTCP_OFF)
        return LIVETCP_OK;
    result = setup->random(setup->random_user, random, sizeof random);
    if (result != LIVETCP_OK)
        return result;
    lt_reporter_cname(random, own);
    rtcp->reporter = lt_reporter_create(lt_read_be32(random + 12),
                                        setup->cname ? setup->cname : own, lt_rng_next(setup->rng));
    return rtcp->reporter ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

void lt_rtcp_reports_clear(lt_rtcp_reports *rtcp)
{
    lt_reporter_destroy(&rtcp->reporter);
}

livetcp_result lt_rtcp_reports_set_clock_rate(lt_rtcp_reports *rtcp, int payload_type, uint32_t hz)
{
    bool any = payload_type == LIVETCP_ANY_PAYLOAD;

    if (!any && (payload_type < 0 || payload_type >= LT_REPORTER_PAYLOADS))
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT,
                       "payload type %d: 0..%d and LIVETCP_ANY_PAYLOAD are possible", payload_type,
                       LT_REPORTER_PAYLOADS - 1);
    if (rtcp->reporter)
        lt_reporter_set_clock_rate(rtcp->reporter,
                                   any ? LT_REPORTER_PAYLOADS : (unsigned)payload_type, hz);
    return LIVETCP_OK;
}

/* ---- packets and reports ---- */

void lt_rtcp_reports_on_written(lt_rtcp_reports *rtcp, const lt_packet *packet, livetcp_usec now)
{
    lt_rtp_header header = lt_packet_header(packet);

    if (rtcp->reporter)
        lt_reporter_sent(rtcp->reporter, &header, lt_packet_size(packet), packet->enqueued_us, now);
}

void lt_rtcp_reports_on_delivered(lt_rtcp_reports *rtcp, const lt_rtp_header *header, size_t size,
                                  livetcp_usec arrival_us)
{
    if (rtcp->reporter)
        lt_reporter_received(rtcp->reporter, header, size, arrival_us);
}

void lt_rtcp_reports_on_received(lt_rtcp_reports *rtcp, const uint8_t *data, size_t size,
                                 livetcp_usec arrival_us)
{
    if (rtcp->reporter)
        lt_reporter_on_received(rtcp->reporter, data, size, arrival_us);
}

/* The packet type of the first part is readable even in SRTCP. */
void lt_rtcp_reports_on_own(lt_rtcp_reports *rtcp, const uint8_t *data, size_t size)
{
    lt_rtcp_reader reader = {data, size};
    lt_rtcp_part part;

    while (!rtcp->application_reports && lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        rtcp->application_reports = part.type == LT_RTCP_SR || part.type == LT_RTCP_RR;
}

int64_t lt_rtcp_reports_missing(const lt_rtcp_reports *rtcp, uint64_t gaps)
{
    lt_reporter_summary summary = {.lost = (int64_t)gaps};

    if (rtcp->reporter)
        lt_reporter_summarize(rtcp->reporter, &summary);
    return summary.lost;
}

/* ---- output ---- */

/* By default not on a plain wire: some plain receivers pass all frames to a depayloader. */
static bool is_on(const lt_rtcp_reports *rtcp)
{
    if (!rtcp->reporter)
        return false;
    return rtcp->mode == LIVETCP_RTCP_ON || (!rtcp->plain && !rtcp->application_reports);
}

livetcp_usec lt_rtcp_reports_deadline(const lt_rtcp_reports *rtcp)
{
    return is_on(rtcp) ? lt_reporter_deadline(rtcp->reporter) : LIVETCP_NEVER;
}

/* Marks our report, so that the peer can tell it from its application's. Not on a plain wire, whose
 * peer does not read the mark. */
static size_t mark(const lt_rtcp_reports *rtcp, uint8_t *end)
{
    uint8_t frame[LT_CONTROL_MAX];
    lt_control message = {.type = LT_CONTROL_REPORT};

    if (rtcp->plain)
        return 0;
    size_t size = lt_control_encode(&message, frame) - LT_FRAME_HEADER;
    memcpy(end, frame + LT_FRAME_HEADER, size);
    return size;
}

/* A connection without space was not read for long; the report is dropped. */
static void write_frame(lt_rtcp_reports *rtcp, const lt_reports_sink *sink, int slot,
                        uint8_t *frame, size_t size, livetcp_usec now)
{
    if (!size)
        return;
    size += mark(rtcp, frame + LT_FRAME_HEADER + size);
    lt_write_be16(frame, (uint16_t)size);
    if (sink->write(sink->user, slot, frame, LT_FRAME_HEADER + size, now))
        rtcp->sent++;
}

void lt_rtcp_reports_write(lt_rtcp_reports *rtcp, const lt_reports_sink *sink, livetcp_usec now)
{
    uint8_t frame[LT_REPORTS_FRAME_MAX];
    size_t size = lt_reporter_write(rtcp->reporter, frame + LT_FRAME_HEADER,
                                    now + rtcp->wall_clock_ahead_us, now);

    write_frame(rtcp, sink, LT_REPORTS_QUICKEST, frame, size, now);
}

void lt_rtcp_reports_goodbye(lt_rtcp_reports *rtcp, const lt_reports_sink *sink, unsigned slot,
                             livetcp_usec now)
{
    uint8_t frame[LT_REPORTS_FRAME_MAX];

    if (!is_on(rtcp) || rtcp->goodbye_written)
        return;
    rtcp->goodbye_written = true;
    size_t size = lt_reporter_write_bye(rtcp->reporter, frame + LT_FRAME_HEADER,
                                        now + rtcp->wall_clock_ahead_us, now);
    write_frame(rtcp, sink, (int)slot, frame, size, now);
}

/* ---- statistics ---- */

void lt_rtcp_reports_gather(const lt_rtcp_reports *rtcp, livetcp_session_stats *stats)
{
    lt_reporter_summary summary = {.jitter_us = -1, .rtt_us = -1, .reported_jitter_us = -1};

    if (rtcp->reporter)
        lt_reporter_summarize(rtcp->reporter, &summary);
    stats->control.reports_sent = rtcp->sent;
    stats->control.reports_received = summary.received;
    stats->control.reports_invalid = summary.invalid;
    stats->received.missing = summary.lost;
    stats->received.jitter_us = summary.jitter_us;
    stats->control.report_rtt_us = summary.rtt_us;
    stats->peer.reported_missing = summary.reported_lost;
    stats->peer.reported_fraction = summary.reported_fraction;
    stats->peer.reported_jitter_us = summary.reported_jitter_us;
}
