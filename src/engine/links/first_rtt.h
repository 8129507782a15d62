/* SPDX-License-Identifier: MIT */
/*
 * TCP's average of the round-trip time begins with its first sample (RFC 6298), and Linux takes
 * that from the handshake. When a SYN-ACK was lost, the sample includes the timeout: a caller's
 * average is a second too long, and at eight packets a second it takes four seconds until it is
 * halved ten times. Until then the connection has an average of its own here, from the changes of
 * TCP's.
 *
 * So it is after an outage. When the peer's packet is the first that comes through, it acknowledges
 * what had arrived before, and TCP takes all of the outage for a round trip.
 */
#ifndef LT_ENGINE_LINKS_FIRST_RTT_H
#define LT_ENGINE_LINKS_FIRST_RTT_H

#include <livetcp/policy.h>

/* Of one TCP connection; begins zeroed. */
typedef struct lt_first_rtt {
    bool suspect;                          /* TCP's average may include a timeout or an outage, */
    bool settled;                          /*   or no longer counts */
    livetcp_usec tcp_us, tcp_variation_us; /* TCP's average, when last seen */
    livetcp_usec average_us, variation_us; /* ours; average_us = 0: no sample yet */

    uint64_t delivered;    /* bytes, when a round trip was last told */
    livetcp_usec quiet_us; /* since then bytes wait, and nothing was acknowledged */
    livetcp_usec ended_us; /* the last time that this ended late, as after an outage; 0 = never */
    unsigned outages;      /* times in a row that TCP took it for a round trip */
} lt_first_rtt;

/* Bytes are written, behind so many. */
void lt_first_rtt_wrote(lt_first_rtt *first, uint64_t before, livetcp_usec now);

/* Corrects round-trip time and variation of `info`, which the platform has just told. `delivered`:
 * bytes of the connection that the peer has. */
void lt_first_rtt_correct(lt_first_rtt *first, livetcp_path *info, uint64_t delivered,
                          livetcp_usec now);

/* An answer to what was written then is none of the path's round trips: it was in an outage. */
static inline bool lt_first_rtt_was_away(const lt_first_rtt *first, livetcp_usec written_us)
{
    return first->ended_us && written_us < first->ended_us;
}

#endif
