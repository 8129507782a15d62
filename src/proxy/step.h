/* SPDX-License-Identifier: MIT */
/* Common state of the proxy protocols: request, answer and result. */
#ifndef LT_PROXY_STEP_H
#define LT_PROXY_STEP_H

#include "proxy/url.h"

typedef enum lt_tunnel_state {
    LT_TUNNEL_GOING = 0,
    LT_TUNNEL_OPEN,  /* all further bytes are the peer's */
    LT_TUNNEL_AGAIN, /* authentication is required: open a new connection to the proxy, and a new
                        tunnel */
    LT_TUNNEL_FAILED /* see lt_tunnel_error() */
} lt_tunnel_state;

/* Fits a request with the longest credentials. */
#define LT_PROXY_OUTPUT 6144

typedef struct lt_proxy_step {
    const lt_proxy *proxy;
    char name[LT_PROXY_TEXT];                      /* of the proxy, for error texts */
    char target[sizeof((lt_proxy *)0)->host + 16]; /* "host:port" to connect to */
    const char *host;
    uint16_t port;
    lt_tunnel_state state;
    bool refused; /* the proxy refuses user and password */
    livetcp_error error;
    uint8_t output[LT_PROXY_OUTPUT];
    size_t output_size, output_done;
    bool answered; /* input was received */
} lt_proxy_step;

#endif
