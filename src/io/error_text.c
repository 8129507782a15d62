/* SPDX-License-Identifier: MIT */
/* Turns the engine's result codes into error texts with the peer's address and advice. */
#include "io/error_text.h"

#include "base/error.h"
#include "io/socket.h"

#include <stdio.h>
#include <string.h>

static const struct {
    livetcp_result reason;
    const char *advice;
} advices[] = {
    {LIVETCP_ERR_FRAME_TOO_LARGE, "; raise max-receive if the peer is meant to send such frames"},
    {LIVETCP_ERR_GARBAGE, "; does the peer send RTP framed by RFC 4571?"},
    {LIVETCP_ERR_PROTOCOL, "; is it LiveTCP at the other end? use wire=plain if not"},
    {LIVETCP_ERR_VERSION, "; use the same version of LiveTCP at both ends"},
    {LIVETCP_ERR_UNKNOWN_SESSION, "; was the listener restarted?"},
    {LIVETCP_ERR_BAD_PROOF, "; do all connections reach the same listener?"},
    {LIVETCP_ERR_INDEX_RANGE, "; use as many connections at both ends"},
    {LIVETCP_ERR_TOO_MANY_SESSIONS, "; raise max-sessions on the listener"},
    {LIVETCP_ERR_HANDSHAKE_TIMEOUT, "; is it LiveTCP at the other end? use wire=plain if not"},
    {LIVETCP_ERR_PEER_TIMEOUT, "; is the network down, or the peer gone?"},
    {LIVETCP_ERR_REFUSED, "; is a listener running there?"},
    {LIVETCP_ERR_NOT_SUPPORTED, "; set wire=plain here, or wire=auto there"},
    {LIVETCP_ERR_NO_INTRODUCTION, "; update it, or leave them out"},
    /* From the engine: a token is set and TLS does not end at the peer. */
    {LIVETCP_ERR_TLS,
     "; TLS ends at a server in front of the listener, which would read the token: "
     "let it pass on TLS as it is (nginx: ssl_preread), or leave the token out"},
    {LIVETCP_ERR_UNREACHABLE, "; check the address, the route and firewalls"},
};

const char *lt_io_advice(livetcp_result reason)
{
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].reason == reason)
            return advices[i].advice;
    return "";
}

lt_io_text lt_io_peer_text(const livetcp_session *session)
{
    lt_io_text peer;

    if (session->config.mode == LIVETCP_MODE_CALLER)
        lt_host_text(session->config.host, session->config.port, peer.text, sizeof peer.text);
    else
        snprintf(peer.text, sizeof peer.text, "%s", session->remote);
    return peer;
}

/* Text of a reason, by the side that ended or refused the session. */
static const char *text_of(const livetcp_session *session, livetcp_result reason)
{
    switch (reason) {
    case LIVETCP_ERR_CLOSED:
        return session->config.wire == LIVETCP_WIRE_PLAIN ? "the peer ended the connection"
                                                          : "the peer closed the session";
    case LIVETCP_ERR_CANCELLED:
        return session->closed_here ? "the session was closed here"
                                    : "the peer's application refused the session";
    case LIVETCP_ERR_NOT_SUPPORTED:
        return "the listener takes no sessions, it has wire=plain";
    default:
        return livetcp_result_text(reason);
    }
}

/* Text of a refusal with the peer application's own words. Only the loop's thread changes them. */
static bool compose_rejection(livetcp_error *error, const livetcp_session *session,
                              const char *peer, livetcp_result reason)
{
    const char *text;
    unsigned code = livetcp_engine_rejection(session->engine, &text);
    char number[16] = "";

    if (reason != LIVETCP_ERR_CANCELLED || session->closed_here || (!code && !*text))
        return false;
    if (code)
        snprintf(number, sizeof number, " (%u)", code);
    lt_fail(error, reason, "%.80s: refused by the listener's application%s%s%s", peer,
            *text ? ": " : "", text, number);
    return true;
}

static void compose(livetcp_error *error, const livetcp_session *session, const char *peer,
                    livetcp_result reason)
{
    if (compose_rejection(error, session, peer, reason))
        return;
    lt_fail(error, reason, "%.120s: %s%s", peer, text_of(session, reason), lt_io_advice(reason));
}

void lt_io_slot_error_text(const livetcp_session *session, unsigned index, livetcp_result reason,
                           livetcp_error *error)
{
    if (session->slots[index].error.code == reason) {
        *error = session->slots[index].error;
        return;
    }
    compose(error, session, lt_io_peer_text(session).text, reason);
}

void lt_io_session_error_text(const livetcp_session *session, livetcp_result reason,
                              livetcp_error *error)
{
    bool ended_by_somebody = reason == LIVETCP_ERR_CLOSED || reason == LIVETCP_ERR_CANCELLED;

    if (session->error.code == reason && !ended_by_somebody) {
        *error = session->error;
        return;
    }
    compose(error, session, lt_io_peer_text(session).text, reason);
}

/* Advice if the listener closed the connection without an answer. */
static const char *ask_for_listener(const livetcp_session *session, unsigned index)
{
    bool unanswered = session->config.mode == LIVETCP_MODE_CALLER &&
                      session->config.wire == LIVETCP_WIRE_SESSION &&
                      session->slots[index].first.kind == LT_PEER_UNDECIDED;

    if (!unanswered)
        return "";
    return session->proxy ? " without an answer; it is a proxy: can it reach the listener, and is "
                            "that LiveTCP with wire=session?"
                          : " without an answer; is it a LiveTCP listener with wire=session?";
}

void lt_io_socket_error_text(const livetcp_session *session, unsigned index, const char *remote,
                             int system_errno, livetcp_error *error)
{
    livetcp_result reason;

    if (session->slots[index].channel->cut) {
        lt_fail(error, LIVETCP_ERR_CONNECTION_LOST,
                "connection %u: %s closed it without the end of TLS: the program there broke off, "
                "or somebody on the way cut it",
                index, remote);
        return;
    }
    if (system_errno == 0 && session->config.wire == LIVETCP_WIRE_PLAIN) {
        lt_fail(error, LIVETCP_ERR_CLOSED, "connection %u: %s ended the connection", index, remote);
        return;
    }
    if (system_errno == 0) {
        lt_fail(error, LIVETCP_ERR_CONNECTION_LOST, "connection %u: %s closed it%s", index, remote,
                ask_for_listener(session, index));
        return;
    }
    reason = lt_io_socket_result(system_errno, true);
    lt_fail(error, reason, "connection %u to %s: %s%s%s", index, remote, strerror(system_errno),
            ask_for_listener(session, index), lt_io_advice(reason));
    error->system_errno = system_errno;
}

void lt_io_close_error_text(const livetcp_session *session, unsigned index, const char *remote,
                            livetcp_result reason, livetcp_error *error)
{
    char peer[280];

    snprintf(peer, sizeof peer, "connection %u to %s", index, remote);
    if (reason == LIVETCP_ERR_CONNECTION_LOST) /* the engine's decision, not the socket's error */
        lt_fail(error, reason,
                "%.120s: given up, since nothing gets through on it; its packets are "
                "sent again over others",
                peer);
    else
        compose(error, session, peer, reason);
}
