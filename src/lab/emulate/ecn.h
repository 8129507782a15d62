/* SPDX-License-Identifier: MIT */
/* The ECN field (RFC 3168) of IPv4 and IPv6 packets. */
#ifndef LT_LAB_EMULATE_ECN_H
#define LT_LAB_EMULATE_ECN_H

#include <stddef.h>
#include <stdint.h>

typedef enum lt_ecn {
    LT_ECN_NOT_ECT = 0,
    LT_ECN_ECT1 = 1,
    LT_ECN_ECT0 = 2,
    LT_ECN_CE = 3,
} lt_ecn;

/* The codepoint; LT_ECN_NOT_ECT for a packet that is truncated, or neither IPv4 nor IPv6. */
lt_ecn lt_ecn_read(const uint8_t *packet, size_t size);

/* Sets "congestion experienced" on an ECT packet, and updates IPv4's header checksum; any other
 * packet is unchanged. */
void lt_ecn_mark(uint8_t *packet, size_t size);

#endif
