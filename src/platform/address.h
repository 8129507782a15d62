/* SPDX-License-Identifier: MIT */
/* Socket addresses: a short list of them, their text, and name lookup. posix_address.c implements
 * this. */
#ifndef LT_PLATFORM_ADDRESS_H
#define LT_PLATFORM_ADDRESS_H

#include "base/ip.h"

#include <livetcp/base.h>

#include <stdbool.h>
#include <stdint.h>
#include <uv.h> /* struct sockaddr_storage and socklen_t, on every system */

/* Maximum number of addresses of a name that are used. */
#define LT_ADDRESSES_MAX 16

/* Fits "[v6%scope]:port". */
#define LT_ADDRESS_TEXT 64

typedef struct lt_address {
    struct sockaddr_storage storage;
    socklen_t size;
} lt_address;

typedef struct lt_addresses {
    lt_address items[LT_ADDRESSES_MAX];
    unsigned count;
} lt_addresses;

/* Kinds of host that a lookup accepts. */
typedef enum lt_lookup {
    LT_LOOKUP_NUMERIC, /* numeric address only; never blocks */
    LT_LOOKUP_CONNECT, /* name or address to connect to; may block on DNS */
    LT_LOOKUP_LISTEN   /* name or address to bind; "" = every address; may block on DNS */
} lt_lookup;

/* Resolves on the calling thread. Errors: LIVETCP_ERR_RESOLVE, LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_lookup_addresses(lt_addresses *addresses, lt_lookup lookup, const char *host,
                                   uint16_t port, livetcp_error *error);

/* The wildcard address of a family (AF_INET or AF_INET6). */
lt_address lt_address_any(int family);

/* "192.0.2.1:5004" or "[2001:db8::1]:5004"; an IPv4 address mapped into IPv6 is shown as IPv4. */
void lt_address_text(const lt_address *address, char text[LT_ADDRESS_TEXT]);

/* "host:port", with brackets around an IPv6 address. */
void lt_host_text(const char *host, uint16_t port, char *text, size_t size);

/* The key by which peers are counted: an IPv4 address (mapped into IPv6), or the first 64 bits of
 * an IPv6 address, since one customer usually has the whole /64. */
#define LT_ADDRESS_KEY 16
void lt_address_key(const lt_address *address, uint8_t key[LT_ADDRESS_KEY]);

/* The IP address without port and zone; and the address with that IP, as IPv4 if it is mapped. */
lt_ip lt_address_ip(const lt_address *address);
lt_address lt_address_from_ip(const lt_ip *ip, uint16_t port);

uint16_t lt_address_port(const lt_address *address);
void lt_address_set_port(lt_address *address, uint16_t port);

#endif
