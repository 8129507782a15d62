/* SPDX-License-Identifier: MIT */
/* The PROXY protocol, versions 1 and 2 (HAProxy's doc/proxy-protocol.txt): the header by which a
 * proxy in front of a listener says whose connection it passes on. */
#ifndef LT_PROXY_PROXY_PROTOCOL_H
#define LT_PROXY_PROXY_PROTOCOL_H

#include "base/ip.h"

/* A header is no longer: addresses, and what version 2 adds about TLS. */
#define LT_PROXY_HEADER_MAX 2048

typedef enum lt_proxy_header_state {
    LT_PROXY_HEADER_MORE = 0, /* it may be a header, and goes on */
    LT_PROXY_HEADER_NONE,     /* the bytes begin otherwise */
    LT_PROXY_HEADER_MALFORMED,
    LT_PROXY_HEADER_READ
} lt_proxy_header_state;

typedef struct lt_proxy_header {
    size_t size; /* of the header: what follows is the peer's */
    bool known;  /* it has the peer's address; else the connection is the proxy's own, or it does
                    not know */
    lt_ip address;
    uint16_t port;
} lt_proxy_header;

/* Reads the beginning of a connection; the same bytes again with more behind them while the result
 * is MORE, up to LT_PROXY_HEADER_MAX. Writes to *header if the result is READ. */
lt_proxy_header_state lt_proxy_header_read(const uint8_t *data, size_t size,
                                           lt_proxy_header *header);

#endif
