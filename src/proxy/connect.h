/* SPDX-License-Identifier: MIT */
/* CONNECT: a tunnel through an HTTP proxy (RFC 9110 section 9.3.6). */
#ifndef LT_PROXY_CONNECT_H
#define LT_PROXY_CONNECT_H

#include "http/head.h"
#include "proxy/authentication.h"
#include "proxy/step.h"

typedef struct lt_proxy_connect {
    lt_proxy_step *step;
    lt_proxy_challenge *known; /* from earlier connections to this proxy; kept up to date */
    lt_proxy_challenge asked;  /* by this response */
    bool authorized;           /* the request had credentials for `known` */
    bool html;                 /* the response is a web page */
    unsigned informational;    /* number of 1xx responses */
    lt_http_head head;
} lt_proxy_connect;

/* Writes the request to step->output. */
void lt_proxy_connect_begin(lt_proxy_connect *connect, lt_proxy_step *step,
                            lt_proxy_challenge *known, const uint8_t cnonce[LT_PROXY_CNONCE]);

/* Consumes bytes of the proxy's response, and none after it. */
size_t lt_proxy_connect_receive(lt_proxy_connect *connect, const uint8_t *data, size_t size);

#endif
