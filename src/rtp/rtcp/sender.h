/* SPDX-License-Identifier: MIT */
/* State of one sent SSRC for its sender reports (RFC 3550, section 6.4.1), and its receiver's
 * reports. */
#ifndef LT_RTP_RTCP_SENDER_H
#define LT_RTP_RTCP_SENDER_H

#include "rtp/rtcp/clock_rate.h"
#include "rtp/rtcp/packet.h"
#include "rtp/rtp.h"

/* Number of sender reports to which a receiver may still refer. */
#define LT_RTCP_SENT_MAX 8

typedef struct lt_rtcp_sender {
    uint32_t ssrc;
    livetcp_usec sent_us; /* of the last packet */
    uint32_t packets, octets;
    lt_clock_rate clock;

    /* Timestamp of a packet and the time when the application handed it over: of the packets since
     * the last report, the one that had waited least before, or the last one while the rate is
     * unknown. */
    bool anchored, renew;
    uint32_t anchor_timestamp;
    livetcp_usec anchor_us;

    /* Ring of sent reports. */
    uint32_t report_ntp[LT_RTCP_SENT_MAX]; /* middle bits; 0 = none */
    livetcp_usec report_us[LT_RTCP_SENT_MAX];
    unsigned next_report;

    /* From the peer's last block about this source. */
    bool reported;
    uint8_t fraction_lost;
    int32_t cumulative_lost;
    uint32_t jitter;
    livetcp_usec rtt_us; /* from LSR and DLSR; -1 = unknown */
} lt_rtcp_sender;

void lt_rtcp_sender_start(lt_rtcp_sender *sender, uint32_t ssrc);

/* A packet with `payload` bytes of payload was sent, which the application handed over at
 * `given_us`. */
void lt_rtcp_sender_take(lt_rtcp_sender *sender, const lt_rtp_header *header, size_t payload,
                         livetcp_usec given_us, livetcp_usec now);

/* Fills in the sender info of a report that is written now, if a packet was sent. `unix_us` is the
 * wall-clock time of `now`. While the clock rate is unknown, both times are those of the last
 * packet. */
void lt_rtcp_sender_report(lt_rtcp_sender *sender, lt_rtcp_sender_info *info, livetcp_usec unix_us,
                           livetcp_usec now);

/* Takes a block about this source. False if its times are impossible: an LSR that was never
 * written, or a DLSR longer than the time since. Its loss counts are taken nevertheless. */
bool lt_rtcp_sender_take_block(lt_rtcp_sender *sender, const lt_rtcp_block *block,
                               livetcp_usec now);

/* Jitter by the peer's report, in µs; -1 without a report or a known clock rate. */
livetcp_usec lt_rtcp_sender_jitter_us(const lt_rtcp_sender *sender);

#endif
