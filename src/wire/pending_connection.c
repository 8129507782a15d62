/* SPDX-License-Identifier: MIT */
/* The listener's side of the handshake: a connection without a session. Its peer is
 * unauthenticated, so input is bounded in bytes and in time. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "rtp/rtp.h"
#include "wire/frame.h"
#include "wire/handshake.h"

#include <stdlib.h>
#include <string.h>

typedef enum pending_state {
    WAIT_REQUEST, /* for CREATE or JOIN */
    WAIT_OWNER,   /* for lt_pending_connection_accept(), challenge() or reject() */
    WAIT_PROOF,
    REDEEMED, /* its ticket is valid; no PROOF is needed */
    DONE      /* adopted or rejected */
} pending_state;

struct lt_pending_connection {
    pending_state state;
    livetcp_usec deadline;
    size_t consumed;
    lt_deframer deframer;
    lt_control request;
    bool pending;  /* accepted; the session checks the PROOF */
    bool redeemed; /* the ticket of its JOIN was valid */
    uint8_t listener_nonce[LT_NONCE_SIZE];
    const lt_credentials *credentials; /* of the session, in WAIT_PROOF */
    lt_channel_binding binding;
    lt_transcript transcript;     /* of CREATE */
    lt_introduction_texts *texts; /* of CREATE; NULL = none */
    uint8_t *create;              /* packet of CREATE, for the transcript, until it is accepted */
    size_t create_size;
    uint8_t *held; /* frames after CREATE, with their LENGTH */
    size_t held_size, held_capacity;
};

lt_pending_connection *lt_pending_connection_create(livetcp_usec now, livetcp_usec timeout_us)
{
    lt_pending_connection *pending = calloc(1, sizeof *pending);

    if (!pending)
        return NULL;
    pending->deadline = now + timeout_us;
    lt_deframer_init(&pending->deframer, LT_PENDING_HELD - LT_FRAME_HEADER);
    return pending;
}

/* The packet is wiped, since it may contain a token. */
static void forget_create(lt_pending_connection *pending)
{
    if (pending->create)
        lt_wipe(pending->create, pending->create_size);
    free(pending->create);
    pending->create = NULL;
}

void lt_pending_connection_destroy(lt_pending_connection **pending)
{
    if (!*pending)
        return;
    lt_deframer_clear(&(*pending)->deframer);
    lt_pending_connection_forget_token(*pending);
    free((*pending)->texts);
    forget_create(*pending);
    free((*pending)->held);
    free(*pending);
    *pending = NULL;
}

void lt_pending_connection_bind(lt_pending_connection *pending, const lt_channel_binding *binding)
{
    pending->binding = *binding;
}

const lt_control *lt_pending_connection_request(const lt_pending_connection *pending)
{
    return &pending->request;
}

livetcp_usec lt_pending_connection_deadline(const lt_pending_connection *pending)
{
    return pending->deadline;
}

/* ---- input ---- */

/* Ends the connection of a peer that sent REJECT itself, without one in answer. */
static lt_pending_step end_silently(lt_pending_connection *pending, livetcp_result reason,
                                    livetcp_result *error)
{
    pending->state = DONE;
    *error = reason;
    return LT_PENDING_FAILED;
}

static lt_pending_step fail(lt_pending_connection *pending, livetcp_result reason, lt_reply *reply,
                            livetcp_result *error)
{
    lt_pending_connection_reject(pending, reason, reply);
    *error = reason;
    return LT_PENDING_FAILED;
}

/* Reads stream id and token, and what the MACs will cover. A rejected request is not worth a
 * digest. LIVETCP_ERR_TLS: the request has a token that anybody can read. */
static livetcp_result read_introduction(lt_pending_connection *pending, const lt_control *message,
                                        const uint8_t *packet, size_t size)
{
    livetcp_result result;

    lt_transcript_start(&pending->transcript, message->capabilities);
    if (!pending->transcript.known)
        return LIVETCP_OK;
    pending->create = malloc(size);
    if (!pending->create)
        return LIVETCP_ERR_NO_MEMORY;
    memcpy(pending->create, packet, size);
    pending->create_size = size;
    if (size == LT_CREATE_FIXED)
        return LIVETCP_OK;
    pending->texts = malloc(sizeof *pending->texts);
    if (!pending->texts)
        return LIVETCP_ERR_NO_MEMORY;
    result = lt_introduction_read(packet, size, pending->texts);
    if (result == LIVETCP_OK && *pending->texts->token && !pending->binding.known)
        return LIVETCP_ERR_TLS;
    return result;
}

uint32_t lt_pending_connection_capabilities(const lt_pending_connection *pending)
{
    return pending->transcript.capabilities;
}

lt_introduction lt_pending_connection_introduction(const lt_pending_connection *pending)
{
    return (lt_introduction){.role = (livetcp_role)pending->request.role,
                             .stream_id = pending->texts ? pending->texts->stream_id : "",
                             .token = pending->texts ? pending->texts->token : ""};
}

void lt_pending_connection_forget_token(lt_pending_connection *pending)
{
    if (pending->texts)
        lt_wipe(pending->texts->token, sizeof pending->texts->token);
}

/* Its sender should learn why, and change it: who was on the way may have it. */
static lt_pending_step refuse_token(lt_pending_connection *pending, lt_reply *reply,
                                    livetcp_result *error)
{
    lt_pending_connection_reject_with(pending, LIVETCP_ERR_PROTOCOL, 0,
                                      "a token is taken under TLS or a passphrase only", reply);
    *error = LIVETCP_ERR_TLS;
    return LT_PENDING_FAILED;
}

static lt_pending_step receive_request(lt_pending_connection *pending, const lt_control *message,
                                       const uint8_t *packet, size_t size, lt_reply *reply,
                                       livetcp_result *error)
{
    livetcp_result result = LIVETCP_OK;

    if (message->type == LT_CONTROL_CREATE)
        result = read_introduction(pending, message, packet, size);
    if (result == LIVETCP_ERR_TLS)
        return refuse_token(pending, reply, error);
    if (result != LIVETCP_OK)
        return fail(pending, result, reply, error);
    pending->request = *message;
    pending->state = WAIT_OWNER;
    return message->type == LT_CONTROL_CREATE ? LT_PENDING_CREATE : LT_PENDING_LOOKUP;
}

static lt_pending_step accept_proof(lt_pending_connection *pending, lt_reply *reply)
{
    lt_control joined = {.type = LT_CONTROL_JOINED};

    pending->state = DONE;
    pending->pending = false;
    reply->size = lt_control_encode(&joined, reply->frame);
    return LT_PENDING_PROVED;
}

static lt_pending_step receive_proof(lt_pending_connection *pending, const lt_control *message,
                                     lt_reply *reply, livetcp_result *error)
{
    lt_credentials bound;
    livetcp_result result =
        lt_credentials_bind(pending->credentials, &pending->binding, &pending->transcript, &bound);

    if (result == LIVETCP_OK)
        result =
            lt_authenticator_check(&bound, LT_AUTHENTICATOR_CALLER, pending->request.index,
                                   pending->request.nonce, pending->listener_nonce, message->mac);
    lt_credentials_wipe(&bound);
    if (result != LIVETCP_OK)
        return fail(pending, result, reply, error);
    return accept_proof(pending, reply);
}

/* True if the session is created and PROOF is awaited: media may follow. */
static bool holds(const lt_pending_connection *pending)
{
    return pending->state == WAIT_PROOF && pending->pending;
}

static lt_pending_step hold(lt_pending_connection *pending, const uint8_t *frame, size_t size,
                            lt_reply *reply, livetcp_result *error)
{
    size_t needed = pending->held_size + LT_FRAME_HEADER + size;
    size_t capacity = pending->held_capacity ? pending->held_capacity : 2048;

    if (needed > LT_PENDING_MEDIA)
        return fail(pending, LIVETCP_ERR_PROTOCOL, reply, error);
    while (capacity < needed)
        capacity *= 2;
    if (capacity > pending->held_capacity) {
        uint8_t *larger = realloc(pending->held, capacity);
        if (!larger)
            return fail(pending, LIVETCP_ERR_NO_MEMORY, reply, error);
        pending->held = larger;
        pending->held_capacity = capacity;
    }
    lt_write_be16(pending->held + pending->held_size, (uint16_t)size);
    memcpy(pending->held + pending->held_size + LT_FRAME_HEADER, frame, size);
    pending->held_size = needed;
    return LT_PENDING_MORE;
}

const uint8_t *lt_pending_connection_held(const lt_pending_connection *pending, size_t *size)
{
    *size = pending->held_size;
    return pending->held;
}

/* True for messages that belong to the session after CREATE. */
static bool follows_create(lt_control_type type)
{
    switch (type) {
    case LT_CONTROL_PING:
    case LT_CONTROL_PONG:
    case LT_CONTROL_PARITY:
    case LT_CONTROL_PADDING:
    case LT_CONTROL_RECEPTION:
    case LT_CONTROL_TRANSMISSION:
    case LT_CONTROL_ARRIVAL:
        return true;
    default:
        return false;
    }
}

static lt_pending_step receive_message(lt_pending_connection *pending, const lt_control *message,
                                       const uint8_t *packet, size_t size, lt_reply *reply,
                                       livetcp_result *error)
{
    switch (message->type) {
    case LT_CONTROL_CREATE:
    case LT_CONTROL_JOIN:
        if (pending->state == WAIT_REQUEST)
            return receive_request(pending, message, packet, size, reply, error);
        break;
    case LT_CONTROL_PROOF:
        if (pending->state == WAIT_PROOF)
            return receive_proof(pending, message, reply, error);
        break;
    case LT_CONTROL_REJECT:
    case LT_CONTROL_BYE:
        return end_silently(pending, lt_control_reason(message), error);
    default:
        break;
    }
    return fail(pending, LIVETCP_ERR_PROTOCOL, reply, error);
}

static lt_pending_step receive_frame(lt_pending_connection *pending, const uint8_t *frame,
                                     size_t size, lt_reply *reply, livetcp_result *error)
{
    lt_control message;
    livetcp_result result;

    if (!size)
        return LT_PENDING_MORE; /* null packet */
    if (!lt_control_is(frame, size)) {
        if (lt_rtp_classify(frame, size) == LT_RTP_INVALID)
            return fail(pending, LIVETCP_ERR_GARBAGE, reply, error);
        return holds(pending) ? hold(pending, frame, size, reply, error)
                              : fail(pending, LIVETCP_ERR_PROTOCOL, reply, error);
    }
    result = lt_control_decode(frame, size, &message);
    if (result == LIVETCP_ERR_NOT_SUPPORTED)
        return LT_PENDING_MORE;
    if (result != LIVETCP_OK)
        return fail(pending, result, reply, error);
    if (holds(pending) && follows_create(message.type))
        return hold(pending, frame, size, reply, error);
    return receive_message(pending, &message, frame, size, reply, error);
}

lt_pending_step lt_pending_connection_receive(lt_pending_connection *pending, const uint8_t **data,
                                              size_t *size, lt_reply *reply, livetcp_result *error)
{
    lt_pending_step step = LT_PENDING_MORE;

    reply->size = 0;
    *error = LIVETCP_OK;
    if (pending->state == REDEEMED)
        return accept_proof(pending, reply);
    if (pending->state == WAIT_OWNER || pending->state == DONE)
        return end_silently(pending, LIVETCP_ERR_BAD_STATE, error);

    while (step == LT_PENDING_MORE) {
        const uint8_t *frame;
        size_t frame_size;
        size_t before = *size;
        lt_deframe got = lt_deframer_next(&pending->deframer, data, size, &frame, &frame_size);

        pending->consumed += before - *size;
        if (got == LT_DEFRAME_TOO_LARGE)
            return fail(pending, LIVETCP_ERR_FRAME_TOO_LARGE, reply, error);
        if (got == LT_DEFRAME_NO_MEMORY)
            return fail(pending, LIVETCP_ERR_NO_MEMORY, reply, error);
        if (pending->consumed > LT_PENDING_HELD && !holds(pending))
            return fail(pending, LIVETCP_ERR_PROTOCOL, reply, error);
        if (got == LT_DEFRAME_MORE)
            return LT_PENDING_MORE;
        step = receive_frame(pending, frame, frame_size, reply, error);
    }
    return step;
}

/* ---- the owner's decision ---- */

/* Computes the MAC over our nonce, which proves that we have the session's key. */
static livetcp_result sign(const lt_pending_connection *pending, const lt_credentials *credentials,
                           lt_control *message)
{
    lt_credentials bound;
    livetcp_result result;

    message->version = LT_WIRE_VERSION;
    memcpy(message->nonce, pending->listener_nonce, LT_NONCE_SIZE);
    result = lt_credentials_bind(credentials, &pending->binding, &pending->transcript, &bound);
    if (result == LIVETCP_OK)
        result =
            lt_authenticator_compute(&bound, LT_AUTHENTICATOR_LISTENER, pending->request.index,
                                     pending->request.nonce, pending->listener_nonce, message->mac);
    lt_credentials_wipe(&bound);
    return result;
}

livetcp_result lt_pending_connection_accept(lt_pending_connection *pending,
                                            lt_credentials *credentials, lt_random_fn random,
                                            void *random_user, lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_ACCEPT,
                          .capabilities = pending->transcript.capabilities};
    livetcp_result result;

    reply->size = 0;
    if (pending->state != WAIT_OWNER || pending->request.type != LT_CONTROL_CREATE)
        return LIVETCP_ERR_BAD_STATE;
    result = lt_credentials_create(credentials, pending->request.session_id, random, random_user);
    if (result == LIVETCP_OK)
        result = lt_credentials_agree(credentials, pending->request.public_key);
    if (result == LIVETCP_OK && pending->create)
        result = lt_transcript_cover(&pending->transcript, pending->create, pending->create_size);
    forget_create(pending);
    if (result == LIVETCP_OK)
        result = random(random_user, pending->listener_nonce, LT_NONCE_SIZE);
    if (result == LIVETCP_OK)
        result = sign(pending, credentials, &message);
    if (result != LIVETCP_OK) {
        lt_credentials_wipe(credentials);
        return result;
    }
    memcpy(message.public_key, credentials->public_key, LT_KEY_SIZE);
    pending->pending = true;
    pending->credentials = credentials;
    pending->state = WAIT_PROOF;
    /* The request ended at a frame boundary; the next frame may be media. */
    lt_deframer_clear(&pending->deframer);
    lt_deframer_init(&pending->deframer, LT_FRAME_MAX);
    reply->size = lt_control_encode(&message, reply->frame);
    return LIVETCP_OK;
}

livetcp_result lt_pending_connection_challenge(lt_pending_connection *pending,
                                               const lt_credentials *credentials,
                                               lt_random_fn random, void *random_user,
                                               lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_CHALLENGE};
    livetcp_result result;

    reply->size = 0;
    if (pending->state != WAIT_OWNER || pending->request.type != LT_CONTROL_JOIN)
        return LIVETCP_ERR_BAD_STATE;
    result = random(random_user, pending->listener_nonce, LT_NONCE_SIZE);
    if (result == LIVETCP_OK)
        result = sign(pending, credentials, &message);
    if (result != LIVETCP_OK)
        return result;
    pending->credentials = credentials;
    pending->state = WAIT_PROOF;
    reply->size = lt_control_encode(&message, reply->frame);
    return LIVETCP_OK;
}

livetcp_result lt_pending_connection_redeem(lt_pending_connection *pending,
                                            const lt_credentials *credentials, lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_CHALLENGE};
    lt_credentials bound;
    livetcp_result result;

    reply->size = 0;
    if (pending->state != WAIT_OWNER || !pending->request.ticket)
        return LIVETCP_ERR_BAD_STATE;
    lt_ticket_nonce(pending->request.ticket, pending->listener_nonce);
    result = lt_credentials_bind(credentials, &pending->binding, &pending->transcript, &bound);
    if (result == LIVETCP_OK)
        result = lt_authenticator_check(&bound, LT_AUTHENTICATOR_CALLER, pending->request.index,
                                        pending->request.nonce, pending->listener_nonce,
                                        pending->request.mac);
    lt_credentials_wipe(&bound);
    if (result == LIVETCP_OK)
        result = sign(pending, credentials, &message);
    if (result != LIVETCP_OK)
        return result;
    pending->redeemed = true;
    pending->state = REDEEMED;
    reply->size = lt_control_encode(&message, reply->frame);
    return LIVETCP_OK;
}

uint32_t lt_pending_connection_ticket(const lt_pending_connection *pending)
{
    return pending->redeemed ? pending->request.ticket : 0;
}

void lt_pending_connection_reject(lt_pending_connection *pending, livetcp_result reason,
                                  lt_reply *reply)
{
    lt_pending_connection_reject_with(pending, reason, 0, "", reply);
}

void lt_pending_connection_reject_with(lt_pending_connection *pending, livetcp_result reason,
                                       unsigned code, const char *text, lt_reply *reply)
{
    lt_control message = {
        .type = LT_CONTROL_REJECT, .reason = (uint8_t)lt_reason_of(reason), .code = (uint16_t)code};
    size_t size = lt_utf8_cut(text, LT_REJECT_TEXT_MAX);

    if (lt_utf8_is_text(text, size))
        memcpy(message.text, text, size);
    pending->state = DONE;
    pending->pending = false;
    reply->size = lt_control_encode(&message, reply->frame);
}

void lt_pending_connection_wait(const lt_pending_connection *pending, lt_reply *reply)
{
    lt_control message = {.type = LT_CONTROL_WAIT};

    reply->size = pending->transcript.known ? lt_control_encode(&message, reply->frame) : 0;
}

/* ---- PROOF of a session's first connection ---- */

void lt_pending_connection_authenticator(const lt_pending_connection *pending,
                                         lt_pending_authenticator *authenticator)
{
    memset(authenticator, 0, sizeof *authenticator);
    authenticator->pending = pending->pending;
    authenticator->index = pending->request.index;
    memcpy(authenticator->caller_nonce, pending->request.nonce, LT_NONCE_SIZE);
    memcpy(authenticator->listener_nonce, pending->listener_nonce, LT_NONCE_SIZE);
    authenticator->binding = pending->binding;
    authenticator->transcript = pending->transcript;
}

livetcp_result lt_pending_authenticator_confirm(lt_pending_authenticator *authenticator,
                                                const lt_credentials *credentials,
                                                const lt_control *message, lt_reply *reply)
{
    lt_control joined = {.type = LT_CONTROL_JOINED};
    lt_credentials bound;
    livetcp_result result;

    reply->size = 0;
    if (!authenticator->pending || message->type != LT_CONTROL_PROOF)
        return LIVETCP_ERR_PROTOCOL;
    result = lt_credentials_bind(credentials, &authenticator->binding, &authenticator->transcript,
                                 &bound);
    if (result == LIVETCP_OK)
        result = lt_authenticator_check(&bound, LT_AUTHENTICATOR_CALLER, authenticator->index,
                                        authenticator->caller_nonce, authenticator->listener_nonce,
                                        message->mac);
    lt_credentials_wipe(&bound);
    if (result != LIVETCP_OK)
        return result;
    authenticator->pending = false;
    reply->size = lt_control_encode(&joined, reply->frame);
    return LIVETCP_OK;
}
