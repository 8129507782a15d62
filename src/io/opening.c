/* SPDX-License-Identifier: MIT */
#include "io/opening.h"

#include "base/error.h"
#include "io/wrong_end.h"
#include "proxy/forwarded.h"
#include "proxy/proxy_protocol.h"
#include "settings/settings.h"

#include <string.h>

void lt_io_opening_init(lt_io_opening *opening, const livetcp_config *config, lt_io_tls *tls,
                        const lt_ip *ip)
{
    bool header = config->proxy_protocol && lt_network_list_has(config->proxy_protocol_from, ip);

    *opening =
        (lt_io_opening){.config = config,
                        .tls = tls,
                        .stage = header ? LT_IO_OPENING_AT_HEADER : LT_IO_OPENING_AT_FIRST_BYTES,
                        .ip = *ip};
}

void lt_io_opening_clear(lt_io_opening *opening)
{
    lt_io_held_clear(&opening->held);
    lt_io_filter_destroy(&opening->filter);
}

size_t lt_io_opening_held(const lt_io_opening *opening, uint8_t *buffer)
{
    if (opening->held.size)
        memcpy(buffer, opening->held.data, opening->held.size);
    return opening->held.size;
}

static lt_io_opening_step fail(lt_io_opening *opening, livetcp_result reason)
{
    opening->reason = reason;
    return LT_IO_OPENING_FAILED;
}

static lt_io_opening_step refuse(lt_io_opening *opening, lt_io_opening_fault fault)
{
    opening->fault = fault;
    return LT_IO_OPENING_REFUSED;
}

static lt_io_opening_step end(lt_io_opening *opening, lt_io_opening_step step)
{
    opening->stage = LT_IO_OPENING_AT_END;
    lt_io_held_clear(&opening->held);
    return step;
}

/* Keeps this input until more arrives, or until the step's condition is met. */
static lt_io_opening_step hold(lt_io_opening *opening, const uint8_t *data, size_t size,
                               lt_io_opening_step step)
{
    return lt_io_held_set(&opening->held, data, size) ? step : fail(opening, LIVETCP_ERR_NO_MEMORY);
}

/* ---- what may come ---- */

/* True if a WebSocket is possible or required next; WebSockets do not nest. */
static bool expects_websocket(const lt_io_opening *opening)
{
    return opening->config->websocket != LIVETCP_WEBSOCKET_OFF &&
           !(opening->filter && lt_io_filter_websocket(opening->filter));
}

static bool needs_websocket(const lt_io_opening *opening)
{
    return opening->config->websocket == LIVETCP_WEBSOCKET_ON && expects_websocket(opening);
}

/* On a plain wire a connection may be silent: it is attached at once, unless peer-sends, TLS or a
 * WebSocket make the peer send first. */
static bool is_taken_at_once(const lt_io_opening *opening)
{
    return opening->config->wire == LIVETCP_WIRE_PLAIN && !opening->config->peer_sends &&
           (opening->filter || !opening->tls) && !expects_websocket(opening);
}

/* True if the protocol belongs to the server that shares the port. */
static bool is_foreign(const lt_io_opening *opening, lt_peer_kind kind)
{
    const livetcp_config *config = opening->config;

    if (kind == LT_PEER_PROXY_HEADER && config->proxy_protocol)
        return false; /* not a trusted proxy: its header is not believed */
    return config->fallback[0] && !opening->filter &&
           (lt_peer_kind_name(kind) || kind == LT_PEER_OTHER);
}

/* ---- first bytes ---- */

static lt_io_opening_step turn_away(lt_io_opening *opening, lt_peer_kind kind)
{
    opening->kind = kind;
    return refuse(opening, LT_IO_OPENING_WRONG_END);
}

/* An HTTP request has begun, which may ask for a WebSocket. */
static lt_io_opening_step begin_websocket(lt_io_opening *opening, const uint8_t *data, size_t size)
{
    livetcp_result result;

    if (!opening->filter)
        opening->filter = lt_io_filter_create(NULL, false);
    if (!opening->filter)
        return fail(opening, LIVETCP_ERR_NO_MEMORY);
    opening->stage = LT_IO_OPENING_AT_UPGRADE;
    lt_io_held_clear(&opening->held);
    result = lt_io_filter_add_websocket(opening->filter, opening->config, "", NULL, data, size);
    return result == LIVETCP_OK ? LT_IO_OPENING_FILTER : fail(opening, result);
}

/* Selects the next layer from the peer's detected protocol. */
static lt_io_opening_step choose_protocol(lt_io_opening *opening, lt_peer_kind kind,
                                          const uint8_t *data, size_t size)
{
    size_t skipped = lt_first_bytes_skip(data, size);

    if (kind == LT_PEER_UNDECIDED)
        return hold(opening, data + skipped, size - skipped, LT_IO_OPENING_MORE);
    if (kind == LT_PEER_HTTP && expects_websocket(opening))
        return begin_websocket(opening, data, size);
    if (is_foreign(opening, kind))
        return LT_IO_OPENING_FOREIGN;
    if (lt_io_wrong_end(opening->config->wire, kind) || needs_websocket(opening))
        return turn_away(opening, kind);
    return end(opening, kind == LT_PEER_PLAIN ? LT_IO_OPENING_PLAIN : LT_IO_OPENING_SESSION);
}

/* A ClientHello: for this listener, or for the server that shares the port (by ALPN). */
static lt_io_opening_step take_hello(lt_io_opening *opening, const uint8_t *data, size_t size)
{
    lt_client_hello hello = LT_CLIENT_HELLO_OFFERED;

    if (opening->config->fallback[0])
        hello = lt_client_hello_classify(data, size, LT_TLS_ALPN);
    if (hello == LT_CLIENT_HELLO_OTHER)
        return LT_IO_OPENING_FOREIGN;
    if (hello == LT_CLIENT_HELLO_MORE)
        return hold(opening, data, size, LT_IO_OPENING_MORE);
    opening->stage = LT_IO_OPENING_AT_TURN;
    return hold(opening, data, size, LT_IO_OPENING_TURN);
}

static lt_io_opening_step take_first_bytes(lt_io_opening *opening, const uint8_t *data, size_t size)
{
    lt_peer_kind kind;

    if (is_taken_at_once(opening))
        return end(opening, LT_IO_OPENING_PLAIN);
    if (!size)
        return LT_IO_OPENING_MORE;
    kind = lt_first_bytes_classify(data, size);
    if (!opening->tls || opening->filter)
        return choose_protocol(opening, kind, data, size);
    if (kind == LT_PEER_TLS)
        return take_hello(opening, data, size);
    if (kind == LT_PEER_UNDECIDED || !lt_config_needs_tls(opening->config))
        return choose_protocol(opening, kind, data, size);
    return is_foreign(opening, kind) ? LT_IO_OPENING_FOREIGN : turn_away(opening, kind);
}

/* ---- a server in front ---- */

/* The PROXY header of a trusted proxy. */
static lt_io_opening_step take_header(lt_io_opening *opening, const uint8_t **data, size_t *size)
{
    lt_proxy_header header;

    switch (*size ? lt_proxy_header_read(*data, *size, &header) : LT_PROXY_HEADER_MORE) {
    case LT_PROXY_HEADER_MORE:
        return hold(opening, *data, *size, LT_IO_OPENING_MORE);
    case LT_PROXY_HEADER_NONE:
        return refuse(opening, LT_IO_OPENING_NO_HEADER);
    case LT_PROXY_HEADER_MALFORMED:
        return refuse(opening, LT_IO_OPENING_BAD_HEADER);
    case LT_PROXY_HEADER_READ:
        break;
    }
    opening->stage = LT_IO_OPENING_AT_FIRST_BYTES;
    lt_io_held_clear(&opening->held);
    *data += header.size;
    *size -= header.size;
    if (!header.known)
        return take_first_bytes(opening, *data, *size);
    opening->ip = header.address;
    opening->port = header.port;
    return LT_IO_OPENING_PEER;
}

/* Takes the peer's address from X-Forwarded-For, if the request came from a trusted server. */
static bool is_forwarded(lt_io_opening *opening)
{
    const char *trusted = opening->config->websocket_forwarded_from;
    const lt_ws *websocket = lt_io_filter_websocket(opening->filter);

    return websocket && lt_network_list_has(trusted, &opening->ip) &&
           lt_forwarded_read(lt_ws_forwarded(websocket), trusted, &opening->ip, &opening->port);
}

lt_io_opening_step lt_io_opening_receive(lt_io_opening *opening, const uint8_t **data, size_t *size)
{
    if (opening->stage == LT_IO_OPENING_AT_HEADER)
        return take_header(opening, data, size);
    if (opening->stage == LT_IO_OPENING_AT_INSIDE) {
        opening->stage = LT_IO_OPENING_AT_FIRST_BYTES;
        if (is_forwarded(opening))
            return LT_IO_OPENING_PEER;
    }
    return take_first_bytes(opening, *data, *size);
}

/* ---- the filter ---- */

lt_io_opening_step lt_io_opening_agree(lt_io_opening *opening, const lt_io_log *log)
{
    lt_io_held hello = lt_io_held_take(&opening->held);
    lt_tls_filter *tls = NULL;
    livetcp_result result = lt_io_tls_filter(opening->tls, log, &tls);

    opening->stage = LT_IO_OPENING_AT_TLS;
    if (result == LIVETCP_OK) {
        opening->filter = lt_io_filter_create(tls, true);
        result = opening->filter ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
    }
    if (opening->filter)
        lt_io_filter_receive(opening->filter, hello.data, hello.size);
    else
        lt_tls_filter_destroy(&tls);
    lt_io_held_clear(&hello);
    return result == LIVETCP_OK ? LT_IO_OPENING_FILTER : fail(opening, result);
}

bool lt_io_opening_opened(lt_io_opening *opening)
{
    if (opening->stage != LT_IO_OPENING_AT_TLS && opening->stage != LT_IO_OPENING_AT_UPGRADE)
        return false;
    if (lt_io_filter_state_of(opening->filter) != LT_IO_FILTER_OPEN)
        return false;
    opening->stage = LT_IO_OPENING_AT_INSIDE;
    return true;
}

lt_io_opening_step lt_io_opening_broken(lt_io_opening *opening, const uint8_t **data, size_t *size)
{
    if (opening->stage == LT_IO_OPENING_AT_UPGRADE && opening->config->fallback[0] &&
        !lt_io_filter_tls(opening->filter) &&
        lt_ws_is_foreign(lt_io_filter_websocket(opening->filter), data, size))
        return LT_IO_OPENING_FOREIGN;
    return refuse(opening, LT_IO_OPENING_BROKEN_FILTER);
}

/* A caller sends first. A peer that stays silent is a plain receiver, unless peers must send. */
lt_io_opening_step lt_io_opening_expire(lt_io_opening *opening, const uint8_t **data, size_t *size)
{
    const livetcp_config *config = opening->config;
    bool silent = opening->stage == LT_IO_OPENING_AT_FIRST_BYTES && !opening->held.size;
    bool open = (opening->filter || !lt_config_needs_tls(config)) && !needs_websocket(opening);

    if (opening->stage == LT_IO_OPENING_AT_UPGRADE) {
        lt_io_filter_time_out(opening->filter);
        return lt_io_opening_broken(opening, data, size);
    }
    if (silent && open && config->wire == LIVETCP_WIRE_AUTO && !config->peer_sends)
        return end(opening, LT_IO_OPENING_PLAIN);
    return fail(opening, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
}

/* ---- questions ---- */

bool lt_io_opening_waits(const lt_io_opening *opening)
{
    return opening->stage == LT_IO_OPENING_AT_TURN;
}

const lt_ip *lt_io_opening_peer(const lt_io_opening *opening, uint16_t *port)
{
    *port = opening->port;
    return &opening->ip;
}

/* The REJECT's reason, for peers that can read one: a LiveTCP caller at a plain port. A peer that
 * sends RTP ignores it. */
static livetcp_result explain_wrong_end(const lt_io_opening *opening, const char *who,
                                        livetcp_error *error)
{
    lt_peer_kind kind = opening->kind;
    bool has_tls = opening->filter && lt_io_filter_tls(opening->filter);
    bool without_tls = !has_tls && lt_config_needs_tls(opening->config);
    bool session = kind == LT_PEER_SESSION;

    if (without_tls && kind != LT_PEER_PROXY_HEADER)
        lt_io_no_tls_error(error, who, kind);
    else if (needs_websocket(opening) && kind != LT_PEER_PROXY_HEADER)
        lt_io_no_websocket_error(error, who, kind);
    else
        lt_io_wrong_end_error(error, who, opening->config, kind);
    if (kind == LT_PEER_PLAIN || (session && (without_tls || needs_websocket(opening))))
        return error->code;
    return session ? LIVETCP_ERR_NOT_SUPPORTED : LIVETCP_OK;
}

livetcp_result lt_io_opening_explain(const lt_io_opening *opening, const char *who,
                                     livetcp_error *error)
{
    const livetcp_error *why;

    switch (opening->fault) {
    case LT_IO_OPENING_NO_HEADER:
        lt_fail(error, LIVETCP_ERR_PROTOCOL,
                "%s: it sent no PROXY header, and proxy-protocol-from has its address; let the "
                "proxy send one (HAProxy: send-proxy-v2), or take the address out",
                who);
        return LIVETCP_OK;
    case LT_IO_OPENING_BAD_HEADER:
        lt_fail(
            error, LIVETCP_ERR_PROTOCOL,
            "%s: its PROXY header is malformed, or longer than 2 KiB; let the proxy send version 1 "
            "or 2 (HAProxy: send-proxy-v2; nginx: proxy_protocol on)",
            who);
        return LIVETCP_OK;
    case LT_IO_OPENING_WRONG_END:
        return explain_wrong_end(opening, who, error);
    case LT_IO_OPENING_BROKEN_FILTER:
        break;
    }
    why = lt_io_filter_error(opening->filter);
    lt_fail(error, why->code, "%s: %s", who, why->message);
    return LIVETCP_OK;
}

livetcp_result lt_io_opening_reason(const lt_io_opening *opening)
{
    return opening->reason;
}

lt_io_filter *lt_io_opening_filter(const lt_io_opening *opening)
{
    return opening->filter;
}

lt_io_filter *lt_io_opening_take_filter(lt_io_opening *opening)
{
    lt_io_filter *filter = opening->filter;

    opening->filter = NULL;
    return filter;
}
