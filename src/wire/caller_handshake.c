/* SPDX-License-Identifier: MIT */
/* The caller's side of the handshake in handshake.h. */
#include "wire/frame.h"
#include "wire/handshake.h"

#include <string.h>

/* Completes CREATE with everything that the MACs cover. */
static livetcp_result introduce(lt_caller_handshake *handshake, lt_control *request,
                                const lt_introduction *introduction, lt_opening *opening)
{
    request->capabilities = LT_CAPABILITIES;
    request->role = introduction ? (uint8_t)introduction->role : LIVETCP_ROLE_BOTH;
    opening->size = lt_control_encode(request, opening->frame);
    if (introduction)
        opening->size = lt_introduction_append(introduction, opening->frame, opening->size);
    handshake->introduced = introduction && (*introduction->stream_id || *introduction->token);
    lt_transcript_start(&handshake->transcript, request->capabilities);
    return lt_transcript_cover(&handshake->transcript, opening->frame + LT_FRAME_HEADER,
                               opening->size - LT_FRAME_HEADER);
}

livetcp_result lt_caller_start(lt_caller_handshake *handshake, const lt_credentials *credentials,
                               const lt_introduction *introduction, unsigned index, unsigned count,
                               lt_random_fn random, void *random_user, lt_opening *opening)
{
    lt_control request = {.version = LT_WIRE_VERSION};
    livetcp_result result;

    opening->size = 0;
    memset(handshake, 0, sizeof *handshake);
    handshake->index = (uint8_t)index;
    handshake->count = (uint8_t)count;
    handshake->creating = !credentials->has_key;
    result = random(random_user, handshake->nonce, LT_NONCE_SIZE);
    if (result != LIVETCP_OK)
        return result;

    request.type = handshake->creating ? LT_CONTROL_CREATE : LT_CONTROL_JOIN;
    request.index = handshake->index;
    request.count = handshake->count;
    memcpy(request.session_id, credentials->session_id, LT_SESSION_ID_SIZE);
    memcpy(request.nonce, handshake->nonce, LT_NONCE_SIZE);
    memcpy(request.public_key, credentials->public_key, LT_KEY_SIZE);
    if (handshake->creating)
        return introduce(handshake, &request, introduction, opening);
    opening->size = lt_control_encode(&request, opening->frame);
    return LIVETCP_OK;
}

void lt_caller_bind(lt_caller_handshake *handshake, const lt_channel_binding *binding)
{
    handshake->binding = *binding;
}

livetcp_result lt_caller_use_ticket(lt_caller_handshake *handshake,
                                    const lt_credentials *credentials, uint32_t ticket,
                                    lt_opening *opening)
{
    lt_control request = {.type = LT_CONTROL_JOIN,
                          .version = LT_WIRE_VERSION,
                          .index = handshake->index,
                          .count = handshake->count,
                          .ticket = ticket};
    uint8_t nonce[LT_NONCE_SIZE];
    lt_credentials bound;
    livetcp_result result =
        lt_credentials_bind(credentials, &handshake->binding, &handshake->transcript, &bound);

    lt_ticket_nonce(ticket, nonce);
    if (result == LIVETCP_OK)
        result = lt_authenticator_compute(&bound, LT_AUTHENTICATOR_CALLER, handshake->index,
                                          handshake->nonce, nonce, request.mac);
    lt_credentials_wipe(&bound);
    if (result != LIVETCP_OK)
        return result;
    memcpy(request.session_id, credentials->session_id, LT_SESSION_ID_SIZE);
    memcpy(request.nonce, handshake->nonce, LT_NONCE_SIZE);
    handshake->ticket = ticket;
    handshake->proved = handshake->unanswered = true;
    opening->size = lt_control_encode(&request, opening->frame);
    return LIVETCP_OK;
}

/* Verifies that the listener has the session's key, and writes our PROOF. */
static livetcp_result answer(lt_caller_handshake *handshake, const lt_credentials *credentials,
                             const lt_control *message, lt_reply *reply)
{
    lt_control proof = {.type = LT_CONTROL_PROOF};
    lt_credentials bound;
    livetcp_result result =
        lt_credentials_bind(credentials, &handshake->binding, &handshake->transcript, &bound);

    if (result == LIVETCP_OK)
        result = lt_authenticator_check(&bound, LT_AUTHENTICATOR_LISTENER, handshake->index,
                                        handshake->nonce, message->nonce, message->mac);
    if (result == LIVETCP_OK)
        result = lt_authenticator_compute(&bound, LT_AUTHENTICATOR_CALLER, handshake->index,
                                          handshake->nonce, message->nonce, proof.mac);
    lt_credentials_wipe(&bound);
    if (result != LIVETCP_OK)
        return result;
    handshake->proved = true;
    reply->size = lt_control_encode(&proof, reply->frame);
    return LIVETCP_OK;
}

/* The derived key becomes the session's only after the listener has proved that it derived the same
 * one. */
static livetcp_result receive_accept(lt_caller_handshake *handshake, lt_credentials *credentials,
                                     const lt_control *message, lt_reply *reply)
{
    lt_credentials agreed = *credentials;
    livetcp_result result;

    if (!handshake->creating || handshake->proved || credentials->has_key)
        return LIVETCP_ERR_PROTOCOL;
    /* An older listener ignores the introduction in CREATE. That is an error only if it must be
     * obeyed. */
    handshake->transcript.capabilities &= message->capabilities;
    handshake->transcript.known = message->capabilities & LT_CAPABILITY_INTRODUCTION;
    if (handshake->introduced && !handshake->transcript.known)
        return LIVETCP_ERR_NO_INTRODUCTION;
    result = lt_credentials_agree(&agreed, message->public_key);
    if (result == LIVETCP_OK)
        result = answer(handshake, &agreed, message, reply);
    if (result == LIVETCP_OK)
        *credentials = agreed;
    lt_credentials_wipe(&agreed);
    return result;
}

/* Verifies that the listener has the key (after a JOIN with a ticket). */
static livetcp_result receive_answer(lt_caller_handshake *handshake,
                                     const lt_credentials *credentials, const lt_control *message)
{
    uint8_t nonce[LT_NONCE_SIZE];
    lt_credentials bound;
    livetcp_result result =
        lt_credentials_bind(credentials, &handshake->binding, &handshake->transcript, &bound);

    lt_ticket_nonce(handshake->ticket, nonce);
    if (result == LIVETCP_OK)
        result = lt_authenticator_check(&bound, LT_AUTHENTICATOR_LISTENER, handshake->index,
                                        handshake->nonce, nonce, message->mac);
    lt_credentials_wipe(&bound);
    if (result == LIVETCP_OK)
        handshake->unanswered = false;
    return result;
}

static livetcp_result receive_challenge(lt_caller_handshake *handshake,
                                        const lt_credentials *credentials,
                                        const lt_control *message, lt_reply *reply)
{
    if (handshake->unanswered)
        return receive_answer(handshake, credentials, message);
    if (handshake->creating || handshake->proved)
        return LIVETCP_ERR_PROTOCOL;
    return answer(handshake, credentials, message, reply);
}

static livetcp_result receive_joined(lt_caller_handshake *handshake)
{
    if (!handshake->proved || handshake->unanswered || handshake->joined)
        return LIVETCP_ERR_PROTOCOL;
    handshake->joined = true;
    return LIVETCP_OK;
}

livetcp_result lt_caller_receive(lt_caller_handshake *handshake, lt_credentials *credentials,
                                 const lt_control *message, lt_reply *reply)
{
    reply->size = 0;
    switch (message->type) {
    case LT_CONTROL_ACCEPT:
        return receive_accept(handshake, credentials, message, reply);
    case LT_CONTROL_CHALLENGE:
        return receive_challenge(handshake, credentials, message, reply);
    case LT_CONTROL_JOINED:
        return receive_joined(handshake);
    case LT_CONTROL_REJECT:
        return lt_control_reason(message);
    default:
        return LIVETCP_ERR_PROTOCOL;
    }
}
