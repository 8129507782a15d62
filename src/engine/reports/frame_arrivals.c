/* SPDX-License-Identifier: MIT */
#include "engine/reports/frame_arrivals.h"

#include "engine/links/path_info.h"

/* A report is earned by so many times its bytes of own media, within this time. */
#define REPORTED    100
#define REPORT_SIZE 80 /* with the headers of TCP and IP */
#define SELDOM_US   60000

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

static bool begins_frame(lt_frame_arrivals *a, const lt_rtp_header *header)
{
    lt_frame_stream *stream = stream_of(a, header->ssrc);

    if (stream && (int32_t)(header->timestamp - stream->timestamp) <= 0)
        return false;
    if (!stream) {
        stream = &a->streams[a->next];
        a->next = (a->next + 1) % LT_FRAME_STREAMS;
    }
    *stream = (lt_frame_stream){true, header->ssrc, header->timestamp};
    return true;
}

void lt_frame_arrivals_on_delivered(lt_frame_arrivals *a, const lt_arrival *arrival)
{
    if (!begins_frame(a, &arrival->header))
        return;
    a->arrival = (lt_frame_arrival){arrival->header.ssrc, arrival->header.timestamp,
                                    (uint64_t)arrival->arrival_us};
    a->pending = true;
}

void lt_frame_arrivals_on_accepted(lt_frame_arrivals *a, size_t size, livetcp_usec now)
{
    a->sent += size + LT_TCP_HEADERS;
    if (a->sent < REPORTED * REPORT_SIZE)
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
