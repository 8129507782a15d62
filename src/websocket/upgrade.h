/* SPDX-License-Identifier: MIT */
/* The opening handshake of a WebSocket (RFC 6455 section 4): the caller's request and the
 * listener's answer, both ends. */
#ifndef LT_WEBSOCKET_UPGRADE_H
#define LT_WEBSOCKET_UPGRADE_H

#include "http/head.h"

#include <livetcp/base.h>

/* Bytes of a whole head. */
#define LT_WS_HEAD_MAX 8192

/* Names of the protocol inside (Sec-WebSocket-Protocol). With the second the authenticators of a
 * session are bound to the TLS connection: it ends at the listener, and not at a server in front.
 */
#define LT_WS_PROTOCOL       "livetcp"
#define LT_WS_PROTOCOL_BOUND "livetcp-bound"

/* Fits a request, and an answer. */
#define LT_WS_TEXT_MAX 4096

/* Bytes of X-Forwarded-For: of more the last, which those in front have added. */
#define LT_WS_FORWARDED_MAX 512

/* Fields that a caller adds to its request. */
#define LT_WS_FIELDS_MAX 1024

typedef struct lt_ws_setup {
    bool listener;
    bool tls;         /* below it is TLS; a caller offers to bind authenticators to it, a listener
                         agrees */
    const char *host; /* caller: for the Host field, */
    uint16_t port;    /*   and its port, 0 = leave it out */
    const char *path; /* what the caller asks for; a listener takes it alone; "" is "/", and on a
                         listener every path */
    const char *origins; /* listener: origins of web pages that may connect, separated by commas;
                            "*" is any */
    const char *fields;  /* caller: lines "Name: value" for servers in front, or NULL */
    uint8_t key[16];     /* caller: random */
} lt_ws_setup;

typedef enum lt_upgrade_state {
    LT_UPGRADE_MORE = 0,
    LT_UPGRADE_DONE,   /* from here on there are frames */
    LT_UPGRADE_REFUSED /* see the error; a listener's `text` tells the caller */
} lt_upgrade_state;

typedef struct lt_upgrade {
    const lt_ws_setup *setup;
    lt_upgrade_state state;
    livetcp_error error;
    bool bound;   /* both ends agreed on LT_WS_PROTOCOL_BOUND */
    bool foreign; /* listener, refused: no WebSocket for us, but perhaps for another server */
    char text[LT_WS_TEXT_MAX]; /* to send: a caller's request, a listener's answer */
    size_t text_size;
    char accept[32]; /* RFC 6455 section 4.2.2 */
    bool has_upgrade, has_connection, has_host, has_key, has_accept, has_origin, has_extension;
    bool offered, offered_plain, offered_bound, other_protocol; /* subprotocols */
    bool version_13, origin_allowed, wrong_path, html;
    char location[128];                  /* of a redirection */
    char forwarded[LT_WS_FORWARDED_MAX]; /* listener: X-Forwarded-For, of all fields together */
    lt_http_head head;
} lt_upgrade;

/* Has text to send at once on a caller. The setup must outlive it, and it stays where it is. */
void lt_upgrade_begin(lt_upgrade *upgrade, const lt_ws_setup *setup);

/* Takes bytes of the peer's head. Returns the number that were its own. */
size_t lt_upgrade_receive(lt_upgrade *upgrade, const uint8_t *data, size_t size);

/* Listener: the head did not come in time. */
void lt_upgrade_time_out(lt_upgrade *upgrade);

/* Checks fields as lt_ws_setup has them, and that none is one of ours. NULL, or the reason in one
 * sentence, written to `why`, which does not show values. */
const char *lt_ws_fields_check(const char *fields, char *why, size_t size);

#endif
