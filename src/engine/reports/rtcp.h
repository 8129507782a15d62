/* SPDX-License-Identifier: MIT */
/* Our own RTCP about the media of both directions, and the peer's. Like control frames it bypasses
 * the send queue, so that round trips measured with it are the path's. */
#ifndef LT_ENGINE_REPORTS_RTCP_H
#define LT_ENGINE_REPORTS_RTCP_H

#include "engine/reports/reports.h"
#include "rtp/rtcp/reporter.h"

typedef struct lt_rtcp_reports {
    lt_reporter *reporter; /* NULL with rtcp=off */
    livetcp_rtcp mode;
    bool plain;
    /* the application sends its own, which replaces ours with rtcp=auto */
    bool application_reports;
    bool goodbye_written;
    livetcp_usec wall_clock_ahead_us; /* wall clock minus `now` */
    uint64_t sent;
} lt_rtcp_reports;

/* Errors: LIVETCP_ERR_NO_MEMORY, and those of the setup's `random`. */
livetcp_result lt_rtcp_reports_init(lt_rtcp_reports *rtcp, const lt_reports_setup *setup);
void lt_rtcp_reports_clear(lt_rtcp_reports *rtcp);

livetcp_result lt_rtcp_reports_set_clock_rate(lt_rtcp_reports *rtcp, int payload_type, uint32_t hz);

/* As the functions of the same names in reports.h; on_written() for media only. */
void lt_rtcp_reports_on_written(lt_rtcp_reports *rtcp, const lt_packet *packet, livetcp_usec now);
void lt_rtcp_reports_on_delivered(lt_rtcp_reports *rtcp, const lt_rtp_header *header, size_t size,
                                  livetcp_usec arrival_us);
void lt_rtcp_reports_on_received(lt_rtcp_reports *rtcp, const uint8_t *data, size_t size,
                                 livetcp_usec arrival_us);
void lt_rtcp_reports_on_own(lt_rtcp_reports *rtcp, const uint8_t *data, size_t size);

/* Packets of the peer that are missing, by the reporter's count; `gaps` if RTCP is off. */
int64_t lt_rtcp_reports_missing(const lt_rtcp_reports *rtcp, uint64_t gaps);

/* Time of the next report, if a connection takes it. */
livetcp_usec lt_rtcp_reports_deadline(const lt_rtcp_reports *rtcp);

/* Writes a report that is due. */
void lt_rtcp_reports_write(lt_rtcp_reports *rtcp, const lt_reports_sink *sink, livetcp_usec now);
void lt_rtcp_reports_goodbye(lt_rtcp_reports *rtcp, const lt_reports_sink *sink, unsigned slot,
                             livetcp_usec now);

void lt_rtcp_reports_gather(const lt_rtcp_reports *rtcp, livetcp_session_stats *stats);

#endif
