/* SPDX-License-Identifier: MIT */
/* Reception statistics of one SSRC for receiver reports: RFC 3550, section 6.4.1, A.1 (extended
 * numbers), A.3 (loss) and A.8 (jitter). */
#ifndef LT_RTP_RTCP_RECEIVER_H
#define LT_RTP_RTCP_RECEIVER_H

#include "rtp/rtcp/clock_rate.h"
#include "rtp/rtcp/packet.h"
#include "rtp/rtp.h"

typedef struct lt_rtcp_receiver {
    uint32_t ssrc;
    livetcp_usec last_us; /* arrival of the last packet or sender report */
    bool news;            /* packets were received since its last report block */

    uint64_t base, highest; /* extended numbers: lowest and highest of this run */
    uint64_t received;
    uint64_t expected_before, received_before; /* at the last report */

    lt_clock_rate clock;
    bool has_transit;
    uint32_t transit; /* arrival minus timestamp of the last packet, in timestamp units */
    uint64_t jitter;  /* times 16 */

    uint32_t lsr; /* of the last SR; 0 = none */
    livetcp_usec sr_us;
} lt_rtcp_receiver;

/* Starts a source, before its first packet. */
void lt_rtcp_receiver_start(lt_rtcp_receiver *receiver, uint32_t ssrc, livetcp_usec now);

/* Sets the clock rate given by the application, in Hz. */
void lt_rtcp_receiver_set_rate(lt_rtcp_receiver *receiver, uint32_t rate);

/* Takes a packet, which must not be a duplicate. */
void lt_rtcp_receiver_take(lt_rtcp_receiver *receiver, const lt_rtp_header *header,
                           livetcp_usec arrival_us);

void lt_rtcp_receiver_take_sr(lt_rtcp_receiver *receiver, const lt_rtcp_sender_info *info,
                              livetcp_usec now);

/* Fills in the block of a report that is written now, which begins a new interval. */
void lt_rtcp_receiver_report(lt_rtcp_receiver *receiver, lt_rtcp_block *block, livetcp_usec now);

/* Jitter in µs; -1 while the clock rate is unknown. */
livetcp_usec lt_rtcp_receiver_jitter_us(const lt_rtcp_receiver *receiver);

/* Expected packets minus received ones; 0 instead of negative values. */
int64_t lt_rtcp_receiver_lost(const lt_rtcp_receiver *receiver);

#endif
