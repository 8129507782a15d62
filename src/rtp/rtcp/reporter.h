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

/* Sources that are reported about; of more, the longest silent is forgotten. */
#define LT_REPORTER_SENDERS   8
#define LT_REPORTER_RECEIVERS 16

/* A CNAME of ours, with its NUL: 96 random bits in base 64 (RFC 7022). */
#define LT_CNAME_SIZE 17

/* Buffer size that write() never exceeds. */
#define LT_REPORT_MAX 1000

typedef struct lt_reporter lt_reporter;

/* `ssrc` is ours while we send no media; `cname` has at most LT_CNAME_SIZE bytes and is copied; the
 * times of reports are spread by `seed`. NULL if memory is out. */
lt_reporter *lt_reporter_create(uint32_t ssrc, const char *cname, uint64_t seed);
void lt_reporter_destroy(lt_reporter **reporter);

/* Makes a CNAME from random bytes. */
void lt_reporter_cname(const uint8_t random[12], char cname[LT_CNAME_SIZE]);

/* Payload types, and one place for all that nothing else is known of. */
#define LT_REPORTER_PAYLOADS 128

/* RTP packets of that payload type, sent or received from now on, have this clock rate, in Hz; 0 =
 * no longer known. LT_REPORTER_PAYLOADS: all types without a rate set here or in RFC 3551. */
void lt_reporter_set_clock_rate(lt_reporter *reporter, unsigned payload_type, uint32_t rate);

/* An RTP packet of `size` bytes went out; the application gave it to us at `given_us`. */
void lt_reporter_sent(lt_reporter *reporter, const lt_rtp_header *header, size_t size,
                      livetcp_usec given_us, livetcp_usec now);

/* An RTP packet that is no copy of another came. */
void lt_reporter_received(lt_reporter *reporter, const lt_rtp_header *header, size_t size,
                          livetcp_usec arrival_us);

/* An RTCP compound came, whoever made it. */
void lt_reporter_on_received(lt_reporter *reporter, const uint8_t *data, size_t size,
                             livetcp_usec now);

/* When a report is due; LIVETCP_NEVER while there is nothing to report about. */
livetcp_usec lt_reporter_deadline(const lt_reporter *reporter);

/* Writes the report that is due, a compound of SR or RR with SDES, and plans the next. `unix_us` is
 * now's wall-clock time. Returns its size; 0 if there is nothing to report about any more. */
size_t lt_reporter_write(lt_reporter *reporter, uint8_t out[LT_REPORT_MAX], livetcp_usec unix_us,
                         livetcp_usec now);

/* The same with a BYE behind it, at the end of a session in which a report was written; else 0. */
size_t lt_reporter_write_bye(lt_reporter *reporter, uint8_t out[LT_REPORT_MAX],
                             livetcp_usec unix_us, livetcp_usec now);

/* Over all sources; -1 where a time is not known. */
typedef struct lt_reporter_summary {
    uint64_t written, received;
    uint64_t invalid;       /* malformed compounds, blocks with impossible times */
    livetcp_usec jitter_us; /* received media: the worst source */
    int64_t lost;           /* received media: sum */
    bool reported;          /* the peer has reported on the media we send: */
    livetcp_usec rtt_us;    /*   from its LSR and DLSR, the last */
    livetcp_usec reported_jitter_us;
    int64_t reported_lost;
    double reported_fraction; /* since its report before, of the worst source, 0..1 */
} lt_reporter_summary;

void lt_reporter_summarize(const lt_reporter *reporter, lt_reporter_summary *summary);

#endif
