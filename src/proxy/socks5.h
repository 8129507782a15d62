/* SPDX-License-Identifier: MIT */
/* SOCKS5 (RFC 1928) with user and password (RFC 1929). The proxy resolves names. */
#ifndef LT_PROXY_SOCKS5_H
#define LT_PROXY_SOCKS5_H

#include "proxy/step.h"

typedef enum lt_socks5_stage {
    LT_SOCKS5_METHOD = 0,
    LT_SOCKS5_USER,
    LT_SOCKS5_REPLY
} lt_socks5_stage;

typedef struct lt_socks5 {
    lt_proxy_step *step;
    lt_socks5_stage stage;
    uint8_t held[4 + 1 + 255 + 2]; /* the current answer */
    size_t size;
} lt_socks5;

/* Writes the greeting to step->output. */
void lt_socks5_begin(lt_socks5 *socks, lt_proxy_step *step);

/* Consumes bytes of the proxy's answers, and none after the last one. */
size_t lt_socks5_receive(lt_socks5 *socks, const uint8_t *data, size_t size);

#endif
