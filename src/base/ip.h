/* SPDX-License-Identifier: MIT */
/* IP addresses and networks as text, without sockets. IPv4 is mapped into IPv6 (::ffff:192.0.2.1).
 */
#ifndef LT_BASE_IP_H
#define LT_BASE_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_ip {
    uint8_t bytes[16];
} lt_ip;

/* Reads "192.0.2.1" or "2001:db8::1" of `size` characters, without brackets and zone. False if it
 * is neither. */
bool lt_ip_parse(const char *text, size_t size, lt_ip *ip);

bool lt_ip_is_v4(const lt_ip *ip);

/* An IPv4 address from its four bytes. */
lt_ip lt_ip_from_v4(const uint8_t bytes[4]);

typedef struct lt_network {
    lt_ip ip;
    unsigned bits; /* of the 128 */
} lt_network;

/* Reads "192.0.2.0/24", "2001:db8::/32", or an address, which is a network of one. */
bool lt_network_parse(const char *text, size_t size, lt_network *network);

bool lt_network_has(const lt_network *network, const lt_ip *ip);

/* True if one of a list of networks, separated by commas, has it. */
bool lt_network_list_has(const char *list, const lt_ip *ip);

#endif
