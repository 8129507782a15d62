/* SPDX-License-Identifier: MIT */
/*
 * TCP's average of the round-trip time, without what is not the path's. Two things make it longer:
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
} lt_acknowledged;

/* Of one TCP connection; begins zeroed. */
typedef struct lt_rtt_average {
    bool known;                            /* TCP's has been seen: */
    livetcp_usec tcp_us, tcp_variation_us; /*   as it was then */
    bool differs;                          /* ours counts instead of TCP's: */
    livetcp_usec average_us, variation_us; /*   average_us = 0: no sample yet */
} lt_rtt_average;

/* Corrects round-trip time and variation of `info`, which the platform has just told. */
void lt_rtt_average_correct(lt_rtt_average *average, livetcp_path *info,
                            const lt_acknowledged *acknowledged, livetcp_usec now);

#endif
