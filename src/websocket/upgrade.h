/* SPDX-License-Identifier: MIT */
/* Opening handshake of a WebSocket (RFC 6455 section 4): a caller's request, a listener's
 * answer. */
#ifndef LT_WEBSOCKET_UPGRADE_H
#define LT_WEBSOCKET_UPGRADE_H

#include "http/head.h"

#include <livetcp/base.h>

/* Maximum size of a head. */
#define LT_WS_HEAD_MAX 8192

/* Names of the subprotocol (Sec-WebSocket-Protocol). With the second, authenticators are bound to
 * the TLS connection: it ends at the listener, not at a proxy in front. */
#define LT_WS_PROTOCOL       "livetcp"
#define LT_WS_PROTOCOL_BOUND "livetcp-bound"

/* Buffer for a request or answer. */
#define LT_WS_TEXT_MAX 4096

/* Buffer for X-Forwarded-For: of a longer list the end is kept, which the nearest proxies have
 * written. */
#define LT_WS_FORWARDED_MAX 512

/* Maximum size of a caller's additional header fields. */
#define LT_WS_FIELDS_MAX 1024

typedef struct lt_ws_setup {
    bool listener;
    bool tls; /* TLS is below. A caller offers to bind authenticators to it, a listener agrees */
    const char *host; /* caller: of the Host field, */
    uint16_t port;    /* its port, 0 = left out */
    const char *path; /* path of the request, "" is "/". A listener accepts only this one; ""
                         accepts every path */
    const char
        *origins; /* listener: origins of web pages that may connect, comma-separated; "*" = any */
    const char *fields; /* caller: lines "Name: value" to add, or NULL */
    uint8_t key[16];    /* caller: random */
} lt_ws_setup;

typedef enum lt_upgrade_state {
    LT_UPGRADE_MORE = 0,
    LT_UPGRADE_DONE,   /* frames follow */
    LT_UPGRADE_REFUSED /* see the error; a listener's `text` has the answer */
} lt_upgrade_state;

typedef struct lt_upgrade {
    const lt_ws_setup *setup;
    lt_upgrade_state state;
    livetcp_error error;
    bool bound; /* LT_WS_PROTOCOL_BOUND was negotiated */
    bool
        foreign; /* listener, refused: not a WebSocket request for us; perhaps for another server */
    char text[LT_WS_TEXT_MAX]; /* to send: a caller's request, a listener's answer */
    size_t text_size;
    char accept[32]; /* RFC 6455 section 4.2.2 */
    bool has_upgrade, has_connection, has_host, has_key, has_accept, has_origin, has_extension;
    bool offered, offered_plain, offered_bound, other_protocol; /* subprotocols */
    bool version_13, origin_allowed, wrong_path, html;
    char location[128];                  /* of a redirect */
    char forwarded[LT_WS_FORWARDED_MAX]; /* listener: X-Forwarded-For, all fields joined */
    lt_http_head head;
} lt_upgrade;

/* Starts the handshake; a caller has text to send at once. The setup must outlive it, and it must
 * not move. */
void lt_upgrade_begin(lt_upgrade *upgrade, const lt_ws_setup *setup);

/* Takes bytes of the peer's head. Returns the number consumed. */
size_t lt_upgrade_receive(lt_upgrade *upgrade, const uint8_t *data, size_t size);

/* Listener: the head did not arrive in time. */
void lt_upgrade_time_out(lt_upgrade *upgrade);

/* Checks additional header fields: their form, and that none is one of the handshake's. NULL if
 * valid, else one sentence written to `why`, which shows no values. */
const char *lt_ws_fields_check(const char *fields, char *why, size_t size);

#endif
