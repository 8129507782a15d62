/* SPDX-License-Identifier: MIT */
/* Names and texts of result codes. */
#include "base/error.h"

#include <stddef.h>

static const struct {
    livetcp_result code;
    const char *name;
    const char *text;
} results[] = {
    {LIVETCP_OK, "ok", "success"},
    {LIVETCP_ERR_INVALID_ARGUMENT, "invalid-argument", "an argument or setting is out of range"},
    {LIVETCP_ERR_NO_MEMORY, "no-memory", "out of memory"},
    {LIVETCP_ERR_NOT_SUPPORTED, "not-supported", "not supported on this platform or in this build"},
    {LIVETCP_ERR_SYSTEM, "system", "a system call failed"},
    {LIVETCP_ERR_BAD_STATE, "bad-state", "not possible in this state"},
    {LIVETCP_ERR_CLOSED, "closed", "the session was closed"},
    {LIVETCP_ERR_CANCELLED, "cancelled", "cancelled by the application"},
    {LIVETCP_ERR_PACKET_TOO_LARGE, "packet-too-large", "the packet is larger than max-packet"},
    {LIVETCP_ERR_NOT_RTP, "not-rtp", "the packet is neither RTP nor RTCP"},
    {LIVETCP_ERR_FRAME_TOO_LARGE, "frame-too-large", "the peer sent a frame over max-receive"},
    {LIVETCP_ERR_GARBAGE, "garbage", "the peer sent a frame that is not RTP, RTCP or null"},
    {LIVETCP_ERR_PROTOCOL, "protocol", "the peer sent a malformed or misplaced control message"},
    {LIVETCP_ERR_VERSION, "version", "the peer speaks another version of the wire format"},
    {LIVETCP_ERR_UNKNOWN_SESSION, "unknown-session", "the listener does not know this session"},
    {LIVETCP_ERR_SESSION_EXISTS, "session-exists", "a session with this identifier exists"},
    {LIVETCP_ERR_BAD_PROOF, "bad-proof", "the connection did not prove that it belongs"},
    {LIVETCP_ERR_INDEX_IN_USE, "index-in-use", "a connection with this index is joined already"},
    {LIVETCP_ERR_INDEX_RANGE, "index-range", "the connection index is out of range"},
    {LIVETCP_ERR_TOO_MANY_SESSIONS, "too-many-sessions", "the listener is full"},
    {LIVETCP_ERR_HANDSHAKE_TIMEOUT, "handshake-timeout", "the handshake did not finish in time"},
    {LIVETCP_ERR_PEER_TIMEOUT, "peer-timeout", "nothing was heard from the peer for too long"},
    {LIVETCP_ERR_RESOLVE, "resolve", "the host name could not be resolved"},
    {LIVETCP_ERR_REFUSED, "refused", "nobody listens at that address and port"},
    {LIVETCP_ERR_UNREACHABLE, "unreachable", "the host did not answer"},
    {LIVETCP_ERR_ADDRESS_IN_USE, "address-in-use", "the port is in use"},
    {LIVETCP_ERR_ADDRESS_INVALID, "address-invalid", "not an address of this host"},
    {LIVETCP_ERR_PERMISSION, "permission", "the operating system does not permit it"},
    {LIVETCP_ERR_CONNECTION_LOST, "connection-lost", "the connection was lost"},
    {LIVETCP_ERR_UNKNOWN_POLICY, "unknown-policy", "no policy of that name is registered"},
    {LIVETCP_ERR_UNKNOWN_SETTING, "unknown-setting", "no setting of that name exists"},
    {LIVETCP_ERR_BAD_URI, "bad-uri", "not a livetcp://host:port?key=value URI"},
    {LIVETCP_ERR_EXISTS, "exists", "something of that name is registered already"},
    {LIVETCP_ERR_BAD_DECISION, "bad-decision", "the policy named a connection that is not there"},
    {LIVETCP_ERR_KEYFRAME_DROPPED, "keyframe-dropped", "a key frame was dropped"},
    {LIVETCP_ERR_TLS, "tls", "TLS failed"},
    {LIVETCP_ERR_TOO_SLOW, "too-slow", "the path carries less than min-bitrate"},
    {LIVETCP_ERR_PROXY, "proxy", "the proxy did not make the connection"},
    {LIVETCP_ERR_NO_INTRODUCTION, "no-introduction",
     "the listener is older than version 0.2 and ignores stream-id and token"},
};

const char *livetcp_result_name(livetcp_result result)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].code == result)
            return results[i].name;
    return "unknown";
}

const char *livetcp_result_text(livetcp_result result)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].code == result)
            return results[i].text;
    return "unknown result code";
}

const char *livetcp_result_detail(livetcp_result result)
{
    const livetcp_error *last = lt_last_failure();

    return result != LIVETCP_OK && last->code == result ? last->message
                                                        : livetcp_result_text(result);
}
