/* SPDX-License-Identifier: MIT */
/* The listener's side of the handshake: a connection that belongs to no session yet. Whatever
 * comes here is from a stranger, so it is bounded in bytes and in time. */
#include "rtp/rtp.h"
#include "wire/frame.h"
#include "wire/handshake.h"

#include <stdlib.h>
#include <string.h>

typedef enum inbound_state {
    WAIT_REQUEST, /* for CREATE or JOIN */
    WAIT_OWNER,   /* for lt_pending_connection_accept(), challenge() or reject() */
    WAIT_PROOF,
    DONE /* adopted or turned away */
} inbound_state;

struct lt_pending_connection {
    inbound_state state;
    livetcp_usec deadline;
    size_t consumed;
    lt_deframer deframer;
    lt_control request;
    bool pending; /* accepted: the session is to check the proof */
    uint8_t listener_nonce[LT_NONCE_SIZE];
    const lt_credentials *credentials; /* the session's, in WAIT_PROOF */
};

lt_pending_connection *lt_pending_connection_create(livetcp_usec now, livetcp_usec timeout_us)
{
    lt_pending_connection *inbound = calloc(1, sizeof *inbound);

    if (!inbound)
        return NULL;
    inbound->deadline = now + timeout_us;
    lt_deframer_init(&inbound->deframer, LT_PENDING_HELD - LT_FRAME_HEADER);
    return inbound;
}

void lt_pending_connection_destroy(lt_pending_connection **inbound)
{
    if (!*inbound)
        return;
    lt_deframer_clear(&(*inbound)->deframer);
    free(*inbound);
    *inbound = NULL;
}

const lt_control *lt_pending_connection_request(const lt_pending_connection *inbound)
{
    return &inbound->request;
}

livetcp_usec lt_pending_connection_deadline(const lt_pending_connection *inbound)
{
    return inbound->deadline;
}

/* ---- input ---- */

/* Turns away a peer that will not take a REJECT, because it sent one itself. */
static lt_pending_step end_silently(lt_pending_connection *inbound, livetcp_result reason,
                                    livetcp_result *error)
{
    inbound->state = DONE;
    *error = reason;
    return LT_PENDING_FAILED;
}

static lt_pending_step fail(lt_pending_connection *inbound, livetcp_result reason, lt_reply *reply,
                            livetcp_result *error)
{
    lt_pending_connection_reject(inbound, reason, reply);
    *error = reason;
    return LT_PENDING_FAILED;
}

static lt_pending_step receive_request(lt_pending_connection *inbound, const lt_control *message)
{
    inbound->request = *message;
    inbound->state = WAIT_OWNER;
    return message->type == LT_CONTROL_CREATE ? LT_PENDING_CREATE : LT_PENDING_LOOKUP;
}

static lt_pending_step receive_proof(lt_pending_connection *inbound, const lt_control *message,
                                     lt_reply *reply, livetcp_result *error)
{
    lt_control joined = {.type = LT_CONTROL_JOINED};
    livetcp_result result = lt_authenticator_check(inbound->credentials, LT_AUTHENTICATOR_CALLER,
                                                   inbound->request.index, inbound->request.nonce,
                                                   inbound->listener_nonce, message->mac);

    if (result != LIVETCP_OK)
        return fail(inbound, result, reply, error);
    inbound->state = DONE;
    reply->size = lt_control_encode(&joined, reply->frame);
    return LT_PENDING_PROVED;
}

static lt_pending_step receive_message(lt_pending_connection *inbound, const lt_control *message,
                                       lt_reply *reply, livetcp_result *error)
{
    switch (message->type) {
    case LT_CONTROL_CREATE:
    case LT_CONTROL_JOIN:
        if (inbound->state == WAIT_REQUEST)
            return receive_request(inbound, message);
        break;
    case LT_CONTROL_PROOF:
        if (inbound->state == WAIT_PROOF)
            return receive_proof(inbound, message, reply, error);
        break;
    case LT_CONTROL_REJECT:
    case LT_CONTROL_BYE:
        return end_silently(inbound, lt_control_reason(message), error);
    default:
        break;
    }
    return fail(inbound, LIVETCP_ERR_PROTOCOL, reply, error);
}

static lt_pending_step receive_frame(lt_pending_connection *inbound, const uint8_t *frame,
                                     size_t size, lt_reply *reply, livetcp_result *error)
{
    lt_control message;
    livetcp_result result;

    if (!size)
        return LT_PENDING_MORE; /* the null packet */
    if (!lt_control_is(frame, size))
        return fail(inbound,
                    lt_rtp_classify(frame, size) == LT_RTP_INVALID ? LIVETCP_ERR_GARBAGE
                                                                   : LIVETCP_ERR_PROTOCOL,
                    reply, error);
    result = lt_control_decode(frame, size, &message);
    if (result == LIVETCP_ERR_NOT_SUPPORTED)
        return LT_PENDING_MORE;
    if (result != LIVETCP_OK)
        return fail(inbound, result, reply, error);
    return receive_message(inbound, &message, reply, error);
}

lt_pending_step lt_pending_connection_receive(lt_pending_connection *inbound, const uint8_t **data,
                                              size_t *size, lt_reply *reply, livetcp_result *error)
{
    lt_pending_step step = LT_PENDING_MORE;

    reply->size = 0;
    *error = LIVETCP_OK;
    if (inbound->state == WAIT_OWNER || inbound->state == DONE)
        return end_silently(inbound, LIVETCP_ERR_BAD_STATE, error);

    while (step == LT_PENDING_MORE) {
        const uint8_t *frame;
        size_t frame_size;
        size_t before = *size;
        lt_deframe got = lt_deframer_next(&inbound->deframer, data, size, &frame, &frame_size);

        inbound->consumed += before - *size;
        if (got == LT_DEFRAME_TOO_LARGE)
            return fail(inbound, LIVETCP_ERR_FRAME_TOO_LARGE, reply, error);
        if (got == LT_DEFRAME_NO_MEMORY)
            return fail(inbound, LIVETCP_ERR_NO_MEMORY, reply, error);
        if (inbound->consumed > LT_PENDING_HELD)
            return fail(inbound, LIVETCP_ERR_PROTOCOL, reply, error);
        if (got == LT_DEFRAME_MORE)
            return LT_PENDING_MORE;
        step = receive_frame(inbound, frame, frame_size, reply, error);
    }
    return step;
}

/* ---- the owner's decision ---- */

/* Draws our nonce and shows that we have the session's key. */
static livetcp_result sign(lt_pending_connection *inbound, const lt_credentials *credentials,
                           lt_random_fn random, void *random_user, lt_control *message)
{
    livetcp_result result = random(random_user, inbound->listener_nonce, LT_NONCE_SIZE);

    if (result != LIVETCP_OK)
        return result;
    message->version = LT_WIRE_VERSION;
    memcpy(message->nonce, inbound->listener_nonce, LT_NONCE_SIZE);
    return lt_authenticator_compute(credentials, LT_AUTHENTICATOR_LISTENER, inbound->request.index,
                                    inbound->request.nonce, inbound->listener_nonce, message->mac);
}

livetcp_result lt_pending_connection_accept(lt_pending_connection *inbound,
                                            lt_credentials *credentials, lt_random_fn random,
                                            void *random_user, lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_ACCEPT};
    livetcp_result result;

    reply->size = 0;
    if (inbound->state != WAIT_OWNER || inbound->request.type != LT_CONTROL_CREATE)
        return LIVETCP_ERR_BAD_STATE;
    result = lt_credentials_create(credentials, inbound->request.session_id, random, random_user);
    if (result == LIVETCP_OK)
        result = lt_credentials_agree(credentials, inbound->request.public_key);
    if (result == LIVETCP_OK)
        result = sign(inbound, credentials, random, random_user, &message);
    if (result != LIVETCP_OK) {
        lt_credentials_wipe(credentials);
        return result;
    }
    memcpy(message.public_key, credentials->public_key, LT_KEY_SIZE);
    inbound->pending = true;
    inbound->state = DONE;
    reply->size = lt_control_encode(&message, reply->frame);
    return LIVETCP_OK;
}

livetcp_result lt_pending_connection_challenge(lt_pending_connection *inbound,
                                               const lt_credentials *credentials,
                                               lt_random_fn random, void *random_user,
                                               lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_CHALLENGE};
    livetcp_result result;

    reply->size = 0;
    if (inbound->state != WAIT_OWNER || inbound->request.type != LT_CONTROL_JOIN)
        return LIVETCP_ERR_BAD_STATE;
    result = sign(inbound, credentials, random, random_user, &message);
    if (result != LIVETCP_OK)
        return result;
    inbound->credentials = credentials;
    inbound->state = WAIT_PROOF;
    reply->size = lt_control_encode(&message, reply->frame);
    return LIVETCP_OK;
}

void lt_pending_connection_reject(lt_pending_connection *inbound, livetcp_result reason,
                                  lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_REJECT, .reason = (uint8_t)lt_reason_of(reason)};

    inbound->state = DONE;
    inbound->pending = false;
    reply->size = lt_control_encode(&message, reply->frame);
}

/* ---- the proof of a session's first connection ---- */

void lt_pending_connection_authenticator(const lt_pending_connection *inbound,
                                         lt_pending_authenticator *proof)
{
    memset(proof, 0, sizeof *proof);
    proof->pending = inbound->pending;
    proof->index = inbound->request.index;
    memcpy(proof->caller_nonce, inbound->request.nonce, LT_NONCE_SIZE);
    memcpy(proof->listener_nonce, inbound->listener_nonce, LT_NONCE_SIZE);
}

livetcp_result lt_pending_authenticator_confirm(lt_pending_authenticator *proof,
                                                const lt_credentials *credentials,
                                                const lt_control *message, lt_reply *reply)
{
    lt_control joined = {.type = LT_CONTROL_JOINED};
    livetcp_result result;

    reply->size = 0;
    if (!proof->pending || message->type != LT_CONTROL_PROOF)
        return LIVETCP_ERR_PROTOCOL;
    result = lt_authenticator_check(credentials, LT_AUTHENTICATOR_CALLER, proof->index,
                                    proof->caller_nonce, proof->listener_nonce, message->mac);
    if (result != LIVETCP_OK)
        return result;
    proof->pending = false;
    reply->size = lt_control_encode(&joined, reply->frame);
    return LIVETCP_OK;
}
