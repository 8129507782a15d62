/* SPDX-License-Identifier: MIT */
/* Flows of packets, told apart as routers do it: by a hash of addresses, protocol and ports. */
#ifndef LT_LAB_EMULATE_FLOW_H
#define LT_LAB_EMULATE_FLOW_H

#include <stddef.h>
#include <stdint.h>

/* The same for all packets of a flow and the same seed. Of a fragment, whose ports only the first
 * has, and of a protocol without ports, it covers addresses and protocol; 0 for what is neither
 * IPv4 nor IPv6. */
uint32_t lt_flow_hash(const uint8_t *packet, size_t size, uint64_t seed);

#endif
