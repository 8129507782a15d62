/* SPDX-License-Identifier: MIT */
/* What the protocols of proxies have in common: a request out, an answer in, and how it ended. */
#ifndef LT_PROXY_STEP_H
#define LT_PROXY_STEP_H

#include "proxy/url.h"

typedef enum lt_tunnel_state {
    LT_TUNNEL_GOING = 0,
    LT_TUNNEL_OPEN,  /* from here on the bytes are the peer's */
    LT_TUNNEL_AGAIN, /* the proxy asked who we are: make a new connection to it, and a new tunnel */
    LT_TUNNEL_FAILED /* see lt_tunnel_error() */
} lt_tunnel_state;

/* Fits a request with every answer to a challenge. */
#define LT_PROXY_OUTPUT 6144

typedef struct lt_proxy_step {
    const lt_proxy *proxy;
    char name[LT_PROXY_TEXT];                      /* of the proxy, for errors */
    char target[sizeof((lt_proxy *)0)->host + 16]; /* "host:port" to reach */
    const char *host;
    uint16_t port;
    lt_tunnel_state state;
    bool refused; /* it does not accept user and password */
    livetcp_error error;
    uint8_t output[LT_PROXY_OUTPUT];
    size_t output_size, output_done;
    bool answered; /* it has sent something */
} lt_proxy_step;

#endif
