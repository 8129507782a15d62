/* SPDX-License-Identifier: MIT */
/* State of one SSRC that is sent, for its sender reports (RFC 3550 section 6.4.1), and the reports
 * of its receiver. */
#ifndef LT_RTP_RTCP_SENDER_H
#define LT_RTP_RTCP_SENDER_H

#include "rtp/rtcp/clock_rate.h"
#include "rtp/rtcp/packet.h"
#include "rtp/rtp.h"

/* Sender reports that a receiver may still refer to. */
#define LT_RTCP_SENT_MAX 8

typedef struct lt_rtcp_sender {
    uint32_t ssrc;
    livetcp_usec sent_us; /* the last packet */
    uint32_t packets, octets;
    lt_clock_rate clock;

    /* A packet's timestamp and when the application gave it to us: of those since the last report
     * the one that waited least before, or the last one while the rate is not known. */
    bool anchored, renew;
    uint32_t anchor_timestamp;
    livetcp_usec anchor_us;

    /* Reports that went out; a ring. */
    uint32_t report_ntp[LT_RTCP_SENT_MAX]; /* middle; 0 = none */
    livetcp_usec report_us[LT_RTCP_SENT_MAX];
    unsigned next_report;

    /* From the peer's last block about it. */
    bool reported;
    uint8_t fraction_lost;
    int32_t cumulative_lost;
    uint32_t jitter;
    livetcp_usec rtt_us; /* from LSR and DLSR; -1 = not known */
} lt_rtcp_sender;

void lt_rtcp_sender_start(lt_rtcp_sender *sender, uint32_t ssrc);

/* A packet with that many bytes of payload was sent; the application gave it to us at `given_us`.
 */
void lt_rtcp_sender_take(lt_rtcp_sender *sender, const lt_rtp_header *header, size_t payload,
                         livetcp_usec given_us, livetcp_usec now);

/* Fills in the sender info of a report written now, once something was sent; `unix_us` is the
 * wall-clock time of now. While the clock rate is not known, both times are those of the last
 * packet. */
void lt_rtcp_sender_report(lt_rtcp_sender *sender, lt_rtcp_sender_info *info, livetcp_usec unix_us,
                           livetcp_usec now);

/* A block about this source came. False if its times make no sense: an LSR that we never wrote, or
 * a DLSR longer than since then; its loss counts are taken all the same. */
bool lt_rtcp_sender_take_block(lt_rtcp_sender *sender, const lt_rtcp_block *block,
                               livetcp_usec now);

/* As the peer reported, in µs; -1 without a report or a known clock rate. */
livetcp_usec lt_rtcp_sender_jitter_us(const lt_rtcp_sender *sender);

#endif
