/* SPDX-License-Identifier: MIT */
/*
 * The reports of one end of a session: sender reports for sent media, receiver reports for received
 * media, their schedule, and the content of the peer's reports.
 *
 * The two ends are the two members of an RTP session of their own (RFC 3550), whatever the packets'
 * origin: loss and jitter in a report are those of the path between them.
 */
#ifndef LT_RTP_RTCP_REPORTER_H
#define LT_RTP_RTCP_REPORTER_H

#include "rtp/rtp.h"

#include <livetcp/base.h>

/* Maximum number of sources; beyond it, the one silent for longest is replaced. */
#define LT_REPORTER_SENDERS   8
#define LT_REPORTER_RECEIVERS 16

/* Size of a CNAME with its NUL: 96 random bits in base 64 (RFC 7022). */
#define LT_CNAME_SIZE 17

/* Size of the buffer for a report. */
#define LT_REPORT_MAX 1000

typedef struct lt_reporter lt_reporter;

/* `ssrc` is used while no media is sent. `cname` has at most LT_CNAME_SIZE bytes and is copied.
 * `seed` spreads the times of reports. NULL without memory. */
lt_reporter *lt_reporter_create(uint32_t ssrc, const char *cname, uint64_t seed);
void lt_reporter_destroy(lt_reporter **reporter);

/* Makes a CNAME of random bytes. */
void lt_reporter_cname(const uint8_t random[12], char cname[LT_CNAME_SIZE]);

/* Number of payload types; also the index for all types without a rate of their own. */
#define LT_REPORTER_PAYLOADS 128

/* Sets the clock rate of RTP packets with this payload type, in Hz; 0 = unknown.
 * LT_REPORTER_PAYLOADS: of all types without a rate set here or in RFC 3551. */
void lt_reporter_set_clock_rate(lt_reporter *reporter, unsigned payload_type, uint32_t rate);

/* An RTP packet of `size` bytes was sent, which the application handed over at `given_us`. */
void lt_reporter_sent(lt_reporter *reporter, const lt_rtp_header *header, size_t size,
                      livetcp_usec given_us, livetcp_usec now);

/* An RTP packet, not a duplicate, was received. */
void lt_reporter_received(lt_reporter *reporter, const lt_rtp_header *header, size_t size,
                          livetcp_usec arrival_us);

/* An RTCP compound from any source was received. */
void lt_reporter_on_received(lt_reporter *reporter, const uint8_t *data, size_t size,
                             livetcp_usec now);

/* Time of the next report; LIVETCP_NEVER while there is nothing to report. */
livetcp_usec lt_reporter_deadline(const lt_reporter *reporter);

/* Writes the report that is due, a compound of SR or RR with SDES, and schedules the next.
 * `unix_us` is the wall-clock time of `now`. Returns its size; 0 if there is nothing to report. */
size_t lt_reporter_write(lt_reporter *reporter, uint8_t out[LT_REPORT_MAX], livetcp_usec unix_us,
                         livetcp_usec now);

/* Writes a report with a BYE at the end of a session; 0 if no report was written before. */
size_t lt_reporter_write_bye(lt_reporter *reporter, uint8_t out[LT_REPORT_MAX],
                             livetcp_usec unix_us, livetcp_usec now);

/* Over all sources; times are -1 where unknown. */
typedef struct lt_reporter_summary {
    uint64_t written, received;
    uint64_t invalid;       /* malformed compounds, and blocks with impossible times */
    livetcp_usec jitter_us; /* received media: of the worst source */
    int64_t lost;           /* received media: sum */
    bool reported;          /* the peer has reported on the media sent: */
    livetcp_usec rtt_us;    /* by its last LSR and DLSR */
    livetcp_usec reported_jitter_us;
    int64_t reported_lost;
    double reported_fraction; /* since its previous report, of the worst source, 0..1 */
} lt_reporter_summary;

void lt_reporter_summarize(const lt_reporter *reporter, lt_reporter_summary *summary);

#endif
