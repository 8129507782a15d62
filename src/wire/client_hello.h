/* SPDX-License-Identifier: MIT */
/* Finds the application protocol (ALPN, RFC 7301) in a TLS ClientHello (RFC 8446, section 4.1.2),
 * for a port that several protocols share. */
#ifndef LT_WIRE_CLIENT_HELLO_H
#define LT_WIRE_CLIENT_HELLO_H

#include <stddef.h>
#include <stdint.h>

/* One record with its header; no more is examined. */
#define LT_CLIENT_HELLO_MAX (5 + 16384)

typedef enum lt_client_hello {
    LT_CLIENT_HELLO_MORE = 0, /* too few bytes to decide */
    LT_CLIENT_HELLO_OFFERED,  /* it offers the protocol */
    LT_CLIENT_HELLO_OTHER,    /* it offers only other protocols, or none */
    LT_CLIENT_HELLO_UNKNOWN   /* not a ClientHello in one record; TLS will report the error */
} lt_client_hello;

/* Looks for `protocol` in the first bytes of a connection. */
lt_client_hello lt_client_hello_classify(const uint8_t *data, size_t size, const char *protocol);

#endif
