/* SPDX-License-Identifier: MIT */
/*
 * TCP's average of the round-trip time begins with its first sample (RFC 6298), and Linux takes
 * that from the handshake. When a SYN-ACK was lost, the sample includes the timeout: a caller's
 * average is a second too long, and at eight packets a second it takes four seconds until it is
 * halved ten times. Until then the connection has an average of its own here, from the changes of
 * TCP's.
 */
#ifndef LT_ENGINE_LINKS_FIRST_RTT_H
#define LT_ENGINE_LINKS_FIRST_RTT_H

#include <livetcp/policy.h>

/* Of one TCP connection; begins zeroed. */
typedef struct lt_first_rtt {
    bool suspect; /* the first average was so long that it may include a timeout, */
    bool settled; /*   or no longer counts */
    livetcp_usec tcp_us, tcp_variation_us; /* TCP's average, when last seen */
    livetcp_usec average_us, variation_us; /* ours; average_us = 0: no sample yet */
} lt_first_rtt;

/* Corrects round-trip time and variation of `info`, which the platform has just told. */
void lt_first_rtt_correct(lt_first_rtt *first, livetcp_path *info);

#endif
