/* SPDX-License-Identifier: MIT */
#include "engine/reports/frame_arrivals.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

/* A report is earned by so many times its bytes of own media, within this time. Of a source that
 * heeds the estimate fewer are enough, since it leaves what reports take. */
#define REPORTED_FIXED  100
#define REPORTED_ADAPTS 30
#define REPORT_SIZE     80 /* with the headers of TCP and IP */
#define SELDOM_US       60000

void lt_frame_arrivals_init(lt_frame_arrivals *a)
{
    *a = (lt_frame_arrivals){.earned_us = INT64_MIN / 2};
}

static lt_frame_stream *stream_of(lt_frame_arrivals *a, uint32_t ssrc)
{
    for (unsigned i = 0; i < LT_FRAME_STREAMS; i++)
        if (a->streams[i].used && a->streams[i].ssrc == ssrc)
            return &a->streams[i];
    return NULL;
}

static lt_frame_stream *new_stream(lt_frame_arrivals *a, const lt_rtp_header *header)
{
    lt_frame_stream *stream = &a->streams[a->next];

    a->next = (a->next + 1) % LT_FRAME_STREAMS;
    *stream = (lt_frame_stream){.used = true,
                                .ssrc = header->ssrc,
                                .timestamp = header->timestamp - 1,
                                .sequence = (uint16_t)(header->sequence - 1)};
    return stream;
}

static void begin_frame(lt_frame_stream *stream, const lt_arrival *arrival)
{
    stream->timestamp = arrival->header.timestamp;
    stream->begun_us = stream->newest_us = arrival->arrival_us;
    stream->bytes = 0;
}

static lt_frame_arrival report_of(const lt_frame_stream *stream, const lt_arrival *arrival)
{
    return (lt_frame_arrival){.ssrc = stream->ssrc,
                              .timestamp = arrival->header.timestamp,
                              .at_us = (uint64_t)arrival->arrival_us,
                              .train_us = (uint32_t)(stream->newest_us - stream->begun_us),
                              .train_bytes = stream->bytes};
}

void lt_frame_arrivals_on_delivered(lt_frame_arrivals *a, const lt_arrival *arrival)
{
    const lt_rtp_header *header = &arrival->header;
    lt_frame_stream *stream = stream_of(a, header->ssrc);

    if (!stream)
        stream = new_stream(a, header);
    int32_t later = (int32_t)(header->timestamp - stream->timestamp);
    int16_t ahead = (int16_t)(header->sequence - stream->sequence);
    if (ahead > 0)
        stream->sequence = header->sequence;
    if (later == 0) {
        stream->newest_us = lt_usec_max(stream->newest_us, arrival->arrival_us);
        stream->bytes += (uint32_t)arrival->size;
    }
    if (later <= 0)
        return;
    /* The last packet of a frame, if it has overtaken the others, may be a short one, and takes
     * less time than they. */
    if (!header->marker || ahead == 1) {
        a->arrival = report_of(stream, arrival);
        a->pending = true;
    }
    begin_frame(stream, arrival);
}

void lt_frame_arrivals_on_accepted(lt_frame_arrivals *a, size_t size, bool adapts, livetcp_usec now)
{
    a->sent += size + LT_TCP_HEADERS;
    if (a->sent < (adapts ? REPORTED_ADAPTS : REPORTED_FIXED) * REPORT_SIZE)
        return;
    a->sent = 0;
    a->earned = now - a->earned_us <= SELDOM_US;
    a->earned_us = now;
}

livetcp_usec lt_frame_arrivals_deadline(const lt_frame_arrivals *a)
{
    return a->pending && a->earned ? (livetcp_usec)a->arrival.at_us : LIVETCP_NEVER;
}

lt_frame_arrival lt_frame_arrivals_take(lt_frame_arrivals *a)
{
    a->pending = a->earned = false;
    return a->arrival;
}
