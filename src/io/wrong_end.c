/* SPDX-License-Identifier: MIT */
#include "io/wrong_end.h"

#include "base/error.h"

bool lt_io_wrong_end(livetcp_wire wire, lt_peer_kind kind)
{
    if (lt_peer_kind_name(kind))
        return true;
    return (kind == LT_PEER_SESSION && wire == LIVETCP_WIRE_PLAIN) ||
           (kind == LT_PEER_PLAIN && wire == LIVETCP_WIRE_SESSION);
}

static livetcp_result foreign(livetcp_error *error, const char *who, const livetcp_config *config,
                              lt_peer_kind kind)
{
    const char *name = lt_peer_kind_name(kind);
    static const char *const takes[] = {
        [LIVETCP_WIRE_SESSION] = "LiveTCP sessions (wire=session)",
        [LIVETCP_WIRE_PLAIN] = "RTP framed by RFC 4571 (wire=plain)",
        [LIVETCP_WIRE_AUTO] = "LiveTCP sessions and RTP framed by RFC 4571 (wire=auto)"};

    if (kind == LT_PEER_TLS && config->mode == LIVETCP_MODE_CALLER)
        return lt_fail(error, LIVETCP_ERR_GARBAGE,
                       "%s: it answered as TLS; set tls=on here, or call livetcps://", who);
    if (kind == LT_PEER_TLS)
        return lt_fail(error, LIVETCP_ERR_GARBAGE,
                       "%s: it speaks TLS, and this port takes %s without; set tls=on or tls=auto "
                       "here, or tls=off there",
                       who, takes[config->wire]);
    if (kind == LT_PEER_PROXY_HEADER && config->mode == LIVETCP_MODE_LISTENER)
        return lt_fail(
            error, LIVETCP_ERR_GARBAGE,
            "%s: it sent a PROXY header, and its address is not in proxy-protocol-from; if "
            "it is a trusted proxy, set proxy-protocol=true and add its address there",
            who);
    if (kind == LT_PEER_HTTP && config->mode == LIVETCP_MODE_LISTENER)
        return lt_fail(
            error, LIVETCP_ERR_GARBAGE,
            "%s: it speaks HTTP, and this port takes %s; if it asks for a WebSocket, set "
            "websocket=auto here",
            who, takes[config->wire]);
    if (config->mode == LIVETCP_MODE_CALLER)
        return lt_fail(error, LIVETCP_ERR_GARBAGE, "%s: it answered as %s; is this the right port?",
                       who, name);
    return lt_fail(error, LIVETCP_ERR_GARBAGE, "%s: it speaks %s, and this port takes %s", who,
                   name, takes[config->wire]);
}

livetcp_result lt_io_wrong_end_error(livetcp_error *error, const char *who,
                                     const livetcp_config *config, lt_peer_kind kind)
{
    bool caller = config->mode == LIVETCP_MODE_CALLER;

    if (lt_peer_kind_name(kind))
        return foreign(error, who, config, kind);
    if (kind == LT_PEER_PLAIN)
        return lt_fail(error, LIVETCP_ERR_PROTOCOL,
                       "%s: it sent RTP framed by RFC 4571 without a session; set %s", who,
                       caller ? "wire=plain here"
                              : "wire=plain or wire=auto here, or wire=session at the sender");
    return lt_fail(error, LIVETCP_ERR_PROTOCOL, "%s: %s; set %s", who,
                   caller ? "it answered with LiveTCP's session protocol"
                          : "it asks for a LiveTCP session",
                   caller ? "wire=session here, or wire=auto there"
                          : "wire=session or wire=auto here, or wire=plain at the caller");
}

static const char *name_of(lt_peer_kind kind, const char *session, const char *plain)
{
    const char *name = lt_peer_kind_name(kind);

    return name                      ? name
           : kind == LT_PEER_SESSION ? session
           : kind == LT_PEER_PLAIN   ? plain
                                     : "an unknown protocol";
}

livetcp_result lt_io_no_websocket_error(livetcp_error *error, const char *who, lt_peer_kind kind)
{
    return lt_fail(error, LIVETCP_ERR_PROTOCOL,
                   "%s: it speaks %s, and this port takes WebSockets alone; call livetcp+ws:// or "
                   "livetcp+wss:// there, or set websocket=auto here",
                   who, name_of(kind, "LiveTCP without a WebSocket", "RTP without a WebSocket"));
}

livetcp_result lt_io_no_tls_error(livetcp_error *error, const char *who, lt_peer_kind kind)
{
    return lt_fail(error, LIVETCP_ERR_PROTOCOL,
                   "%s: it speaks %s, and this port takes TLS alone; set tls=on there, or tls=auto "
                   "here",
                   who, name_of(kind, "LiveTCP without TLS", "RTP without TLS"));
}
