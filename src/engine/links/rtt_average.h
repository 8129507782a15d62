/* SPDX-License-Identifier: MIT */
/*
 * TCP's average of the round-trip time, without what is not the path's. Three things make it
 * longer:
 *
 * - It begins with its first sample (RFC 6298), and Linux takes that from the handshake. When a
 *   SYN-ACK was lost, the sample includes the timeout: a caller's average is a second too long, and
 *   at eight packets a second it takes four seconds until it is halved ten times.
 * - Linux times the first of the segments that are acknowledged together. Where an acknowledgement
 *   was lost, the next one is that of a later write, and the time between the two writes counts as
 *   round trip: at 5 % of loss on the way back, the average of a connection with eight packets a
 *   second is a quarter to a half too long, as behind a queue.
 *
 * Since the session knows when it wrote what was acknowledged last, it knows how long the round
 * trip was at most. From a sample that was longer on, the connection has an average of its own
 * here, from the changes of TCP's, until the two agree.
 */
#ifndef LT_ENGINE_LINKS_RTT_AVERAGE_H
#define LT_ENGINE_LINKS_RTT_AVERAGE_H

#include <livetcp/policy.h>

/* What was acknowledged between two looks. */
typedef struct lt_acknowledged {
    unsigned segments;
    livetcp_usec written_us; /* the last of it; LIVETCP_NEVER: nothing was, or it is not known */
    uint64_t delivered;      /* bytes of the connection that the peer has, in all */
} lt_acknowledged;

/* Of one TCP connection; begins zeroed. */
typedef struct lt_rtt_average {
    bool known;                            /* TCP's has been seen: */
    livetcp_usec tcp_us, tcp_variation_us; /*   as it was then */
    bool differs;                          /* ours counts instead of TCP's: */
    livetcp_usec average_us, variation_us; /*   average_us = 0: no sample yet */

    uint64_t delivered;    /* bytes, when a round trip was last told */
    livetcp_usec quiet_us; /* since then bytes wait, and nothing was acknowledged */
    livetcp_usec ended_us; /* the last time that this ended late, as after an outage; 0 = never */
    unsigned outages;      /* times in a row that TCP took it for a round trip */
} lt_rtt_average;

/* Bytes are written, behind so many. */
void lt_rtt_average_wrote(lt_rtt_average *average, uint64_t before, livetcp_usec now);

/* Corrects round-trip time and variation of `info`, which the platform has just told. */
void lt_rtt_average_correct(lt_rtt_average *average, livetcp_path *info,
                            const lt_acknowledged *acknowledged, livetcp_usec now);

/* An answer to what was written then is none of the path's round trips: it was in an outage. */
static inline bool lt_rtt_average_was_away(const lt_rtt_average *average, livetcp_usec written_us)
{
    return average->ended_us && written_us < average->ended_us;
}

#endif
