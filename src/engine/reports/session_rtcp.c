/* SPDX-License-Identifier: MIT */
/* Reports about the media, ours and the peer's. They go round the send queue, as control frames do:
 * a round trip that is measured with them is to be the path's. */
#include "engine/session_internal.h"

#include "base/bytes.h"
#include "rtp/rtcp/packet.h"

#include <string.h>

/* A report, its LENGTH, and the mark behind it. */
#define FRAME_SIZE (LT_FRAME_HEADER + LT_REPORT_MAX + 12)

_Static_assert(FRAME_SIZE <= LT_OUTBOX_CONTROL, "a report must fit an outbox");

livetcp_result lt_session_prepare_reports(livetcp_engine *session, const char *cname)
{
    uint8_t random[12 + 4];
    char own[LT_CNAME_SIZE];
    livetcp_result result;

    if (session->config.rtcp == LIVETCP_RTCP_OFF)
        return LIVETCP_OK;
    result = session->random(session->random_user, random, sizeof random);
    if (result != LIVETCP_OK)
        return result;
    lt_reporter_cname(random, own);
    session->reporter = lt_reporter_create(lt_read_be32(random + 12), cname ? cname : own,
                                           lt_rng_next(&session->jitter));
    return session->reporter ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

/* Some plain receivers hand whatever comes to a depayloader. */
static bool speaks(const livetcp_engine *session)
{
    if (!session->reporter)
        return false;
    return session->config.rtcp == LIVETCP_RTCP_ON ||
           (!lt_session_plain(session) && !session->application_reports);
}

livetcp_result livetcp_engine_set_clock_rate(livetcp_engine *session, int payload_type,
                                             uint32_t rate)
{
    if (payload_type < LIVETCP_ANY_PAYLOAD || payload_type >= LT_REPORTER_PAYLOADS)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    if (session->reporter)
        lt_reporter_set_clock_rate(session->reporter,
                                   payload_type == LIVETCP_ANY_PAYLOAD ? LT_REPORTER_PAYLOADS
                                                                       : (unsigned)payload_type,
                                   rate);
    return LIVETCP_OK;
}

/* ---- what is sent and received ---- */

void lt_session_report_sent(livetcp_engine *session, const lt_packet *packet, livetcp_usec now)
{
    const uint8_t *data = lt_packet_data(packet);
    size_t size = lt_packet_size(packet);
    lt_rtp_header header;

    if (session->reporter && lt_rtp_parse(data, size, &header))
        lt_reporter_sent(session->reporter, &header, size, packet->enqueued_us, now);
}

void lt_session_deliver_media(void *user, const lt_arrival *arrival)
{
    livetcp_engine *session = user;
    lt_rtp_header header;

    if (lt_rtp_parse(arrival->data, arrival->size, &header)) {
        lt_session_observe_delivered(session, arrival, &header);
        if (session->reporter)
            lt_reporter_received(session->reporter, &header, arrival->size, arrival->arrival_us);
    }
    lt_session_hand_over(session, arrival);
}

void lt_session_hear_report(livetcp_engine *session, const lt_arrival *arrival)
{
    if (session->reporter)
        lt_reporter_hear(session->reporter, arrival->data, arrival->size, arrival->arrival_us);
}

/* Even one that is encrypted (SRTCP) says what its first part is. */
void lt_session_note_application_rtcp(livetcp_engine *session, const uint8_t *data, size_t size)
{
    lt_rtcp_reader reader = {data, size};
    lt_rtcp_part part;

    while (!session->application_reports && lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        session->application_reports = part.type == LT_RTCP_SR || part.type == LT_RTCP_RR;
}

/* ---- ours ---- */

void livetcp_engine_set_wall_clock(livetcp_engine *session, livetcp_usec ahead_us)
{
    session->wall_clock_ahead = ahead_us;
}

/* While nobody takes it there is nothing to wake up for: that some connection does again is an
 * event of its own. */
livetcp_usec lt_session_report_deadline(const livetcp_engine *session)
{
    return speaks(session) && lt_session_has_way(session) ? lt_reporter_deadline(session->reporter)
                                                          : LIVETCP_NEVER;
}

/* So that the peer can tell our reports from its application's; a plain peer has no use for it. */
static size_t mark(const livetcp_engine *session, uint8_t *end)
{
    uint8_t frame[LT_CONTROL_MAX];
    lt_control message = {.type = LT_CONTROL_REPORT};

    if (lt_session_plain(session))
        return 0;
    size_t size = lt_control_encode(&message, frame) - LT_FRAME_HEADER;
    memcpy(end, frame + LT_FRAME_HEADER, size);
    return size;
}

bool lt_session_is_report(const livetcp_engine *session, const uint8_t *data, size_t size)
{
    lt_rtcp_reader reader = {data, size};
    lt_rtcp_part part;

    while (!lt_session_plain(session) && lt_rtcp_read(&reader, &part) == LT_RTCP_PART)
        if (part.type == LT_RTCP_APP && part.count == LT_CONTROL_REPORT &&
            lt_control_is(part.body - LT_RTCP_MIN_SIZE, part.size + LT_RTCP_MIN_SIZE))
            return true;
    return false;
}

/* Without room in the outbox the peer has not read for long: this one is left out. */
static void write_frame(livetcp_engine *session, lt_connection *connection, uint8_t *frame,
                        size_t size)
{
    if (size)
        size += mark(session, frame + LT_FRAME_HEADER + size);
    lt_write_be16(frame, (uint16_t)size);
    if (size && lt_outbox_add_control(&connection->outbox, frame, LT_FRAME_HEADER + size))
        session->stats.control.reports_sent++;
}

void lt_session_send_report(livetcp_engine *session, livetcp_usec now)
{
    uint8_t frame[FRAME_SIZE];

    if (now < lt_session_report_deadline(session))
        return;
    lt_connection *connection = lt_session_quickest(session, now);
    size_t size = lt_reporter_write(session->reporter, frame + LT_FRAME_HEADER,
                                    now + session->wall_clock_ahead, now);
    write_frame(session, connection, frame, size);
}

void lt_session_report_goodbye(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    uint8_t frame[FRAME_SIZE];

    if (!speaks(session) || session->goodbye_reported)
        return;
    session->goodbye_reported = true;
    size_t size = lt_reporter_write_bye(session->reporter, frame + LT_FRAME_HEADER,
                                        now + session->wall_clock_ahead, now);
    write_frame(session, connection, frame, size);
}

/* ---- statistics ---- */

void lt_session_gather_reports(const livetcp_engine *session, livetcp_session_stats *stats)
{
    lt_reporter_summary summary = {.jitter_us = -1, .rtt_us = -1, .reported_jitter_us = -1};

    if (session->reporter)
        lt_reporter_summarize(session->reporter, &summary);
    stats->control.reports_received = summary.heard;
    stats->control.reports_invalid = summary.invalid;
    stats->received.missing = summary.lost;
    stats->received.jitter_us = summary.jitter_us;
    stats->control.report_rtt_us = summary.rtt_us;
    stats->peer.reported_missing = summary.reported_lost;
    stats->peer.reported_fraction = summary.reported_fraction;
    stats->peer.reported_jitter_us = summary.reported_jitter_us;
}
