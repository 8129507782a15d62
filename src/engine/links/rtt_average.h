/* SPDX-License-Identifier: MIT */
/*
 * Round-trip average of one TCP connection, corrected for two errors of TCP's own average (RFC
 * 6298):
 *
 * - The first sample is the handshake's. If the SYN-ACK was lost, it includes the retransmission
 *   timeout: the average of a caller starts one second too high, and at eight packets a second it
 *   takes four seconds until that has faded.
 * - Linux times the first of the segments that are acknowledged together. After a lost
 *   acknowledgement, the next one covers a later write too, and the time between the two writes
 *   counts as round trip. With 5 % loss on the return path and eight packets a second, the average
 *   is 25 to 50 % too long, as behind a queue.
 *
 * The session knows the time of the last write that was acknowledged, which bounds the round trip
 * from above. After a sample above this bound the connection has an average of its own here,
 * computed from the changes of TCP's, until the two agree again.
 */
#ifndef LT_ENGINE_LINKS_RTT_AVERAGE_H
#define LT_ENGINE_LINKS_RTT_AVERAGE_H

#include <livetcp/policy.h>

/* Data that was acknowledged between two consecutive path infos. */
typedef struct lt_acknowledged {
    unsigned segments;
    livetcp_usec written_us; /* of the last acknowledged write; LIVETCP_NEVER = none, or unknown */
    uint64_t delivered;      /* bytes of the stream that the peer has, in total */
} lt_acknowledged;

/* One per TCP connection; begins zeroed. */
typedef struct lt_rtt_average {
    bool known; /* TCP's average has been seen; its last values: */
    livetcp_usec tcp_us, tcp_variation_us;
    bool differs;                          /* our own average replaces TCP's: */
    livetcp_usec average_us, variation_us; /* average_us = 0: no sample yet */

    uint64_t delivered; /* bytes, as of the last path info */
    /* start of the time without acknowledgements, while bytes are unacknowledged */
    livetcp_usec quiet_us;
    livetcp_usec ended_us; /* start of the last such time that was an outage; 0 = none */
    unsigned outages;      /* consecutive times that TCP took an outage for a round trip */
} lt_rtt_average;

/* Bytes are written; `before` is the number of bytes written before them. */
void lt_rtt_average_wrote(lt_rtt_average *average, uint64_t before, livetcp_usec now);

/* Corrects round-trip time and variation in `info`, as the platform has just reported it. */
void lt_rtt_average_correct(lt_rtt_average *average, livetcp_path *info,
                            const lt_acknowledged *acknowledged, livetcp_usec now);

/* True if a round trip that began at `written_us` includes an outage. */
static inline bool lt_rtt_average_was_away(const lt_rtt_average *average, livetcp_usec written_us)
{
    return average->ended_us && written_us < average->ended_us;
}

#endif
