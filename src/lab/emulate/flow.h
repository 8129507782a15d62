/* SPDX-License-Identifier: MIT */
/* Flows, distinguished as routers do: by a hash of addresses, protocol and ports. */
#ifndef LT_LAB_EMULATE_FLOW_H
#define LT_LAB_EMULATE_FLOW_H

#include <stddef.h>
#include <stdint.h>

/* Equal for all packets of a flow and one seed. Fragments (only the first has ports) and
 * protocols without ports are hashed by addresses and protocol; 0 for packets that are neither
 * IPv4 nor IPv6. */
uint32_t lt_flow_hash(const uint8_t *packet, size_t size, uint64_t seed);

#endif
