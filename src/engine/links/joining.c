/* SPDX-License-Identifier: MIT */
/* How a connection becomes part of the session: see wire/handshake.h. */
#include "engine/links/links_private.h"

#include "base/usec.h"

/* Media before JOINED, bytes. With one packet more it is still less than the listener holds. */
#define EARLY_BYTES (LT_PENDING_MEDIA / 2)

/* The answer to CREATE may take this many round trips, if that is longer than LT_CREATE_WAIT_US. */
#define CREATE_WAIT_RTT 4

/* ---- the caller's CREATE and JOIN ---- */

livetcp_result lt_joining_renew_identity(lt_links *links)
{
    return lt_credentials_create(&links->credentials, NULL, links->random, links->random_user);
}

void lt_links_bind(lt_links *links, unsigned slot, const lt_channel_binding *binding)
{
    links->slots[slot].binding = *binding;
}

static livetcp_result start_handshake(lt_links *links, unsigned slot, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];
    lt_introduction introduction = {links->role, links->stream_id, links->token};
    lt_opening opening;
    livetcp_result result = LIVETCP_ERR_TLS;

    /* A token is sent over TLS only: anyone who reads it can use it. */
    if (!*links->token || s->binding.known)
        result = lt_caller_start(&s->handshake, &links->credentials, &introduction, slot,
                                 slot < links->base ? links->base : links->base + 1, links->random,
                                 links->random_user, &opening);
    if (result != LIVETCP_OK)
        return result;
    lt_caller_bind(&s->handshake, &s->binding);
    if (slot == links->base)
        result =
            lt_caller_use_ticket(&s->handshake, &links->credentials, ++links->ticket, &opening);
    if (result != LIVETCP_OK)
        return result;
    s->handshake_started = true;
    bool written = links->writer.write(links->writer.user, slot, opening.frame, opening.size);
    lt_wipe(opening.frame, opening.size);
    if (!written)
        return LIVETCP_ERR_NO_MEMORY;
    if (!links->credentials.has_key) {
        links->creator = (int)slot;
        links->create_by_us =
            now + lt_usec_max(links->create_wait_us, CREATE_WAIT_RTT * links->paths[slot].rtt_us);
        links->paths[slot].usable = true; /* media may follow CREATE at once, */
    }
    if (s->handshake.proved)
        links->paths[slot].usable = true; /*   and a JOIN with a ticket */
    return LIVETCP_OK;
}

static bool may_start(const lt_slot *s)
{
    return !s->handshake_started && !s->closing && !s->withdrawn && s->failure == LIVETCP_OK;
}

void lt_joining_start(lt_links *links, livetcp_usec now)
{
    for (unsigned i = 0; i < links->count; i++) {
        lt_slot *s = &links->slots[i];
        if (s->state != LIVETCP_CONNECTION_JOINING || !may_start(s))
            continue;
        if (!links->credentials.has_key && links->creator >= 0)
            return;
        livetcp_result result = start_handshake(links, i, now);
        if (result != LIVETCP_OK)
            lt_slot_fail(s, result);
    }
}

bool lt_links_connected(lt_links *links, unsigned slot, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];

    if (s->state != LIVETCP_CONNECTION_CONNECTING)
        return false;
    s->silent_from_us = now;
    if (links->plain) {
        lt_slot_open(links, slot, now);
        return true;
    }
    s->join_by_us = now + links->handshake_timeout_us;
    lt_slot_set_state(links, slot, LIVETCP_CONNECTION_JOINING, LIVETCP_OK);
    lt_joining_start(links, now);
    return true;
}

/* ---- listener: connections that were accepted ---- */

uint32_t lt_links_ticket(const lt_links *links)
{
    return links->ticket;
}

bool lt_links_take_ticket(lt_links *links, uint32_t ticket)
{
    if (ticket <= links->ticket)
        return false;
    links->ticket = ticket;
    return true;
}

/* A caller may notice a broken connection, and join again, before we do. Only a slot from which no
 * keepalive came for two and a half intervals may be replaced: a live one cannot be taken over. */
static bool is_stale(const lt_links *links, const lt_slot *s, livetcp_usec now)
{
    return !links->plain && now - s->silent_from_us > 5 * links->keepalive.setting_us / 2;
}

livetcp_result lt_links_adopt(lt_links *links, unsigned slot, uint32_t number, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot < LIVETCP_MAX_CONNECTIONS ? slot : 0];

    if (slot >= links->base && !(slot == links->base && lt_links_shares_spare(links)))
        return LIVETCP_ERR_INDEX_RANGE;
    if (links->ending || links->ended)
        return LIVETCP_ERR_CLOSED;
    if (s->state != LIVETCP_CONNECTION_IDLE) {
        /* This attempt fails; the caller's next one finds the slot free. A caller connects to the
         * spare slot only after its previous connection there has ended. */
        if (slot == links->base || is_stale(links, s, now))
            lt_slot_fail(s, LIVETCP_ERR_PEER_TIMEOUT);
        return LIVETCP_ERR_INDEX_IN_USE;
    }
    if (slot == links->base)
        links->spare_us = now;
    s->silent_from_us = now;
    s->number = number;
    if (!s->authenticator.pending)
        links->confirmed = true;
    lt_slot_open(links, slot, now);
    /* The connection carries media before PROOF. The limit bounds how long a replayed CREATE may
     * do so. */
    if (s->authenticator.pending)
        s->join_by_us = now + links->handshake_timeout_us;
    return LIVETCP_OK;
}

/* ---- messages ---- */

static livetcp_result caller_control(lt_links *links, unsigned slot, const lt_control *message,
                                     livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];
    bool had_key = links->credentials.has_key;
    lt_reply reply = {.size = 0};
    livetcp_result result = lt_caller_receive(&s->handshake, &links->credentials, message, &reply);

    if (result != LIVETCP_OK)
        return result;
    if (reply.size)
        links->writer.write(links->writer.user, slot, reply.frame, reply.size);
    if (s->handshake.proved)
        links->paths[slot].usable = true; /* media may follow PROOF at once */
    if (message->type == LT_CONTROL_JOINED)
        lt_slot_open(links, slot, now);
    if (!had_key && links->credentials.has_key) {
        links->creator = -1;
        links->create_wait_us = LT_CREATE_WAIT_US;
        links->capabilities = s->handshake.transcript.capabilities;
        links->confirmed = true;
        lt_joining_start(links, now);
    }
    return LIVETCP_OK;
}

static livetcp_result listener_control(lt_links *links, unsigned slot, const lt_control *message)
{
    lt_slot *s = &links->slots[slot];
    lt_reply reply = {.size = 0};
    livetcp_result result;

    if (message->type != LT_CONTROL_PROOF)
        return LIVETCP_ERR_PROTOCOL;
    result =
        lt_pending_authenticator_confirm(&s->authenticator, &links->credentials, message, &reply);
    if (result != LIVETCP_OK)
        return result;
    links->confirmed = true;
    s->join_by_us = LIVETCP_NEVER;
    links->writer.write(links->writer.user, slot, reply.frame, reply.size);
    return LIVETCP_OK;
}

/* WAIT: the listener's application has not decided yet. Extends the handshake timeout of this
 * connection, and of those that JOIN the same session. */
static livetcp_result on_wait(lt_links *links, unsigned slot, livetcp_usec now)
{
    const lt_caller_handshake *handshake = &links->slots[slot].handshake;

    if (!links->caller || !handshake->creating || !handshake->proved || handshake->joined)
        return LIVETCP_ERR_PROTOCOL;
    for (unsigned i = 0; i < links->count; i++)
        if (links->slots[i].join_by_us != LIVETCP_NEVER)
            links->slots[i].join_by_us = now + links->handshake_timeout_us;
    return LIVETCP_OK;
}

livetcp_result lt_joining_control(lt_links *links, unsigned slot, const lt_control *message,
                                  livetcp_usec now)
{
    if (message->type == LT_CONTROL_WAIT)
        return on_wait(links, slot, now);
    return links->caller ? caller_control(links, slot, message, now)
                         : listener_control(links, slot, message);
}

/* ---- time ---- */

/* Another connected slot could create the session. */
static bool can_create_elsewhere(const lt_links *links)
{
    for (unsigned i = 0; links->creator >= 0 && i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_JOINING && may_start(&links->slots[i]))
            return true;
    return false;
}

/* Abandons the CREATE in flight. After several losses in a row, TCP's exponential backoff would
 * retransmit it only seconds later; another connection needs a single round trip. */
static void create_elsewhere(lt_links *links, livetcp_usec now)
{
    lt_slot *creator = &links->slots[links->creator];

    creator->withdrawn = creator->create_unanswered = true;
    links->creator = -1;
    links->create_wait_us *= 2;
    if (lt_joining_renew_identity(links) == LIVETCP_OK) /* else lt_links_detach() tries again */
        lt_joining_start(links, now);
    else
        creator->create_unanswered = false;
}

livetcp_usec lt_joining_deadline(const lt_links *links)
{
    return can_create_elsewhere(links) ? links->create_by_us : LIVETCP_NEVER;
}

void lt_joining_expire(lt_links *links, livetcp_usec now)
{
    if (can_create_elsewhere(links) && now >= links->create_by_us)
        create_elsewhere(links, now);
}

/* ---- questions ---- */

bool lt_links_is_early_full(const lt_links *links, unsigned slot)
{
    const lt_slot *s = &links->slots[slot];

    return lt_slot_is_creating(s) && s->stream_bytes >= EARLY_BYTES;
}

bool lt_links_takes_media(const lt_links *links, unsigned slot)
{
    return links->slots[slot].state == LIVETCP_CONNECTION_OPEN ||
           (links->paths[slot].usable && !links->slots[slot].handshake.unanswered);
}

bool lt_links_is_joined(const lt_links *links, unsigned slot)
{
    const lt_slot *s = &links->slots[slot];

    return !links->caller || links->plain || s->handshake.joined;
}

uint32_t lt_links_number(const lt_links *links, unsigned slot)
{
    const lt_slot *s = &links->slots[slot];

    if (!(links->capabilities & LT_CAPABILITY_RECEIPTS) || s->state != LIVETCP_CONNECTION_OPEN ||
        !links->confirmed)
        return 0;
    return links->caller ? lt_connection_number(s->handshake.nonce) : s->number;
}

bool lt_links_is_entering(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++) {
        const lt_slot *s = &links->slots[i];
        if (s->closing)
            continue;
        if ((lt_slot_is_creating(s) && !s->handshake.proved) ||
            (s->early_media && s->state == LIVETCP_CONNECTION_JOINING))
            return true;
    }
    return false;
}

bool lt_links_confirmed(const lt_links *links)
{
    return links->confirmed;
}

const lt_credentials *lt_links_credentials(const lt_links *links)
{
    return &links->credentials;
}
