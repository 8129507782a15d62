/* SPDX-License-Identifier: MIT */
/* The PROXY protocol, versions 1 and 2 (HAProxy's doc/proxy-protocol.txt): the header with which a
 * proxy in front of a listener passes on the client's address. */
#ifndef LT_PROXY_PROXY_PROTOCOL_H
#define LT_PROXY_PROXY_PROTOCOL_H

#include "base/ip.h"

/* Maximum size of a header, with version 2's TLS information. */
#define LT_PROXY_HEADER_MAX 2048

typedef enum lt_proxy_header_state {
    LT_PROXY_HEADER_MORE = 0, /* an incomplete header so far */
    LT_PROXY_HEADER_NONE,     /* not a header */
    LT_PROXY_HEADER_MALFORMED,
    LT_PROXY_HEADER_READ
} lt_proxy_header_state;

typedef struct lt_proxy_header {
    size_t size; /* bytes of the header; the peer's bytes follow */
    bool known; /* the header has the peer's address; else the connection is the proxy's own, or the
                   address is unknown */
    lt_ip address;
    uint16_t port;
} lt_proxy_header;

/* Reads the beginning of a connection. While the result is MORE, call again with the same bytes and
 * those that follow, up to LT_PROXY_HEADER_MAX. Writes to *header if the result is READ. */
lt_proxy_header_state lt_proxy_header_read(const uint8_t *data, size_t size,
                                           lt_proxy_header *header);

#endif
