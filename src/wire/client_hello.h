/* SPDX-License-Identifier: MIT */
/* A TLS ClientHello (RFC 8446 section 4.1.2) as far as a port that others share needs it: for which
 * application protocol (ALPN, RFC 7301) the peer has come. */
#ifndef LT_WIRE_CLIENT_HELLO_H
#define LT_WIRE_CLIENT_HELLO_H

#include <stddef.h>
#include <stdint.h>

/* A record with its header, which is as much as is looked at. */
#define LT_CLIENT_HELLO_MAX (5 + 16384)

typedef enum lt_client_hello {
    LT_CLIENT_HELLO_MORE = 0, /* too few bytes to decide */
    LT_CLIENT_HELLO_OFFERED,  /* the protocol is among those that it offers */
    LT_CLIENT_HELLO_OTHER,    /* it offers others, or none */
    LT_CLIENT_HELLO_UNKNOWN   /* no ClientHello in one record: TLS will find the words */
} lt_client_hello;

/* Looks for `protocol` at the beginning of a connection. */
lt_client_hello lt_client_hello_classify(const uint8_t *data, size_t size, const char *protocol);

#endif
