/* SPDX-License-Identifier: MIT */
/* IP addresses and networks as text, without sockets. IPv4 addresses are mapped into IPv6
 * (::ffff:192.0.2.1). */
#ifndef LT_BASE_IP_H
#define LT_BASE_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_ip {
    uint8_t bytes[16];
} lt_ip;

/* Parses "192.0.2.1" or "2001:db8::1" of `size` characters, without brackets or zone. False if it
 * is neither. */
bool lt_ip_parse(const char *text, size_t size, lt_ip *ip);

bool lt_ip_is_v4(const lt_ip *ip);

/* An IPv4 address from its four bytes. */
lt_ip lt_ip_from_v4(const uint8_t bytes[4]);

typedef struct lt_network {
    lt_ip ip;
    unsigned bits; /* length of the prefix, 0..128; IPv4's includes the 96 bits of the mapping */
} lt_network;

/* Parses "192.0.2.0/24", "2001:db8::/32", or a single address. */
bool lt_network_parse(const char *text, size_t size, lt_network *network);

bool lt_network_has(const lt_network *network, const lt_ip *ip);

/* True if one of the networks in a comma-separated list contains the address. */
bool lt_network_list_has(const char *list, const lt_ip *ip);

#endif
