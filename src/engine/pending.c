/* SPDX-License-Identifier: MIT */
/* A listener's connection before it belongs to a session: the handshake of wire/handshake.h, and
 * the credentials of the session that it creates. */
#include "engine/pending.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(LIVETCP_REPLY_MAX == LT_CONTROL_MAX, "a reply is a control frame");
_Static_assert(LIVETCP_REJECTION_MAX == LT_REJECT_TEXT_MAX, "the wire's");
_Static_assert(LIVETCP_SESSION_ID_SIZE == LT_SESSION_ID_SIZE, "the wire's");
_Static_assert(LIVETCP_BINDING_SIZE == LT_BINDING_SIZE, "the wire's");

/* Converts a reply of the wire to the public type. */
static void convert_reply(const lt_reply *made, livetcp_reply *reply)
{
    memcpy(reply->frame, made->frame, made->size);
    reply->size = made->size;
}

struct livetcp_pending {
    lt_pending_connection *handshake;
    lt_credentials credentials; /* of the session that it creates or joins */
};

livetcp_pending *livetcp_pending_create(livetcp_usec now, livetcp_usec timeout_us)
{
    livetcp_pending *pending = calloc(1, sizeof *pending);

    if (pending)
        pending->handshake = lt_pending_connection_create(now, timeout_us);
    if (pending && !pending->handshake)
        livetcp_pending_destroy(&pending);
    return pending;
}

void livetcp_pending_destroy(livetcp_pending **owner)
{
    livetcp_pending *pending = *owner;

    if (!pending)
        return;
    lt_pending_connection_destroy(&pending->handshake);
    lt_credentials_wipe(&pending->credentials);
    free(pending);
    *owner = NULL;
}

void livetcp_pending_bind(livetcp_pending *pending, const uint8_t bytes[LIVETCP_BINDING_SIZE])
{
    lt_channel_binding binding = {.known = true};

    memcpy(binding.bytes, bytes, sizeof binding.bytes);
    lt_pending_connection_bind(pending->handshake, &binding);
}

livetcp_usec livetcp_pending_deadline(const livetcp_pending *pending)
{
    return lt_pending_connection_deadline(pending->handshake);
}

livetcp_pending_step livetcp_pending_receive(livetcp_pending *pending, const uint8_t **data,
                                             size_t *size, livetcp_reply *reply,
                                             livetcp_result *error)
{
    lt_reply made;
    lt_pending_step step =
        lt_pending_connection_receive(pending->handshake, data, size, &made, error);

    convert_reply(&made, reply);
    switch (step) {
    case LT_PENDING_CREATE:
        return LIVETCP_PENDING_CREATE;
    case LT_PENDING_LOOKUP:
        return LIVETCP_PENDING_JOIN;
    case LT_PENDING_PROVED:
        return LIVETCP_PENDING_PROVED;
    case LT_PENDING_FAILED:
        return LIVETCP_PENDING_FAILED;
    default:
        return LIVETCP_PENDING_MORE;
    }
}

const uint8_t *livetcp_pending_session_id(const livetcp_pending *pending)
{
    return lt_pending_connection_request(pending->handshake)->session_id;
}

unsigned livetcp_pending_index(const livetcp_pending *pending)
{
    return lt_pending_connection_request(pending->handshake)->index;
}

bool livetcp_pending_is_create(const livetcp_pending *pending)
{
    return lt_pending_connection_request(pending->handshake)->type == LT_CONTROL_CREATE;
}

const char *livetcp_pending_stream_id(const livetcp_pending *pending)
{
    return lt_pending_connection_introduction(pending->handshake).stream_id;
}

const char *livetcp_pending_token(const livetcp_pending *pending)
{
    return lt_pending_connection_introduction(pending->handshake).token;
}

livetcp_role livetcp_pending_role(const livetcp_pending *pending)
{
    return lt_pending_connection_introduction(pending->handshake).role;
}

const uint8_t *livetcp_pending_held(const livetcp_pending *pending, size_t *size)
{
    return lt_pending_connection_held(pending->handshake, size);
}

livetcp_result livetcp_pending_accept(livetcp_pending *pending, livetcp_random_fn random,
                                      void *random_user, livetcp_reply *reply)
{
    lt_reply made;
    livetcp_result result = lt_pending_connection_accept(pending->handshake, &pending->credentials,
                                                         random, random_user, &made);

    convert_reply(&made, reply);
    return result;
}

livetcp_result lt_pending_challenge(livetcp_pending *pending, const lt_credentials *credentials,
                                    uint32_t ticket, livetcp_random_fn random, void *random_user,
                                    livetcp_reply *reply)
{
    lt_reply made = {.size = 0};
    uint32_t its = lt_pending_connection_request(pending->handshake)->ticket;
    livetcp_result result = LIVETCP_ERR_UNKNOWN_SESSION;

    pending->credentials = *credentials;
    if (pending->credentials.has_key && its)
        result = its > ticket ? lt_pending_connection_redeem(pending->handshake,
                                                             &pending->credentials, &made)
                              : LIVETCP_ERR_BAD_PROOF;
    else if (pending->credentials.has_key)
        result = lt_pending_connection_challenge(pending->handshake, &pending->credentials, random,
                                                 random_user, &made);
    convert_reply(&made, reply);
    return result;
}

void livetcp_pending_reject(livetcp_pending *pending, livetcp_result reason, livetcp_reply *reply)
{
    lt_reply made;

    lt_pending_connection_reject(pending->handshake, reason, &made);
    convert_reply(&made, reply);
}

void livetcp_pending_reject_with(livetcp_pending *pending, livetcp_result reason, unsigned code,
                                 const char *text, livetcp_reply *reply)
{
    lt_reply made;

    lt_pending_connection_reject_with(pending->handshake, reason, code, text, &made);
    convert_reply(&made, reply);
}

void livetcp_pending_wait(const livetcp_pending *pending, livetcp_reply *reply)
{
    lt_reply made;

    lt_pending_connection_wait(pending->handshake, &made);
    convert_reply(&made, reply);
}

uint32_t lt_pending_capabilities(const livetcp_pending *pending)
{
    return lt_pending_connection_capabilities(pending->handshake);
}

uint32_t lt_pending_ticket(const livetcp_pending *pending)
{
    return lt_pending_connection_ticket(pending->handshake);
}

uint32_t lt_pending_number(const livetcp_pending *pending)
{
    return lt_connection_number(lt_pending_connection_request(pending->handshake)->nonce);
}

unsigned lt_pending_session(const livetcp_pending *pending, lt_credentials *credentials,
                            lt_pending_authenticator *authenticator)
{
    *credentials = pending->credentials;
    lt_pending_connection_authenticator(pending->handshake, authenticator);
    return lt_pending_connection_request(pending->handshake)->count;
}
