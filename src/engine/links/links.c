/* SPDX-License-Identifier: MIT */
#include "engine/links/links.h"

#include "engine/links/path_info.h"
#include "engine/links/rtt_average.h"
#include "engine/pending.h"
#include "policy/forecast.h"

#include <stdlib.h>
#include <string.h>

/* A connection that was open for less than this counts as an attempt that failed: a peer that
 * accepts and closes is not called again at once. */
/* With one more packet it is still less than the listener holds. */
#define EARLY_BYTES (LT_PENDING_MEDIA / 2)

#define LASTED_US LIVETCP_USEC_SEC

/* For the answer to the first CREATE, and twice as long for that to the next one: TCP may have
 * repaired a loss by then, and a listener under attack has had its turns. */
#define CREATE_WAIT_US  LIVETCP_USEC_SEC
#define CREATE_WAIT_RTT 4

/* Of the least round trip that was seen: where packets jitter one may be shorter by so much. */
#define SOONER_PART 8

/* Times are LIVETCP_NEVER where they do not apply. */
typedef struct link {
    livetcp_connection_state state;
    uint64_t stream_bytes; /* written since the TCP connection is ours */
    bool early_media;      /* some of them media, before it was open */
    livetcp_usec info_us;  /* when the platform was last asked; INT64_MIN = never */
    bool ponged;           /* since then the round trip is that of a PONG */
    lt_rtt_average rtt_average;

    /* Joining. */
    bool handshake_started; /* caller: CREATE or JOIN is written */
    lt_caller_handshake handshake;
    lt_channel_binding binding;     /* caller: of the TLS connection that is up */
    lt_pending_authenticator proof; /* listener: the PROOF that answers our ACCEPT */
    uint32_t number;                /* listener: of the connection */
    livetcp_usec join_by_us;        /* the handshake's limit: JOINING, or PROOF pending */

    /* Alive. */
    livetcp_usec ping_at_us;     /* OPEN: when to ping if nothing is sent before */
    livetcp_usec silent_from_us; /* last input, or when it was connected */
    livetcp_usec open_since_us;

    /* Ending. */
    livetcp_result failure; /* the engine is to close it for this; LIVETCP_OK = it need not */
    bool closing;
    livetcp_result close_reason;
    livetcp_usec closing_since_us;
    bool withdrawn; /* nothing was lost: another slot was refused for all of them, */
    bool given_up;  /*   or creates the session, as no answer came here */

    /* IDLE: the next attempt, and the wait before the one after that. */
    livetcp_usec connect_at_us, backoff_us;

    /* Survive reconnects. */
    livetcp_result last_error;
    uint64_t opened; /* times it was OPEN */
} link;

struct lt_links {
    bool caller, plain, reconnect;
    livetcp_usec reconnect_min_us, reconnect_max_us, handshake_timeout_us;
    livetcp_usec keepalive_us, peer_timeout_us;
    livetcp_random_fn random;
    void *random_user;
    lt_rng *jitter;
    lt_events *events;
    lt_control_writer writer;

    lt_credentials credentials;
    uint32_t capabilities; /* of both ends */
    livetcp_role role;     /* caller: its introduction */
    char stream_id[LIVETCP_STREAM_ID_MAX + 1], token[LIVETCP_TOKEN_MAX + 1];
    uint32_t ticket;             /* the last that was used */
    int creator;                 /* caller: slot whose CREATE is under way, or -1 */
    livetcp_usec create_by_us;   /* without an answer by then another connection creates, */
    livetcp_usec create_wait_us; /*   which is waited for so long */
    bool confirmed;
    bool ending, ended;

    /* Caller: the session was refused. One slot tries again, the others wait until it is open. */
    bool refused;
    livetcp_usec backoff_us; /* the wait before the session's next attempt */
    livetcp_result last_loss;

    unsigned base;    /* slots of the session; the one behind them is the spare one */
    unsigned count;   /* those, and the spare one while it has a connection */
    uint32_t closing; /* bit i: slot i is */
    link slots[LIVETCP_MAX_CONNECTIONS];
    livetcp_path paths[LIVETCP_MAX_CONNECTIONS];
    lt_path_groups groups;
    lt_path_sample samples[LIVETCP_MAX_CONNECTIONS]; /* of the last path info */
};

/* ---- made and freed ---- */

/* Forgets the TCP connection: handshake, times, path information. */
static void reset(lt_links *links, unsigned slot)
{
    link *l = &links->slots[slot];

    *l = (link){.state = l->state,
                .info_us = INT64_MIN,
                .join_by_us = LIVETCP_NEVER,
                .ping_at_us = LIVETCP_NEVER,
                .silent_from_us = LIVETCP_NEVER,
                .open_since_us = LIVETCP_NEVER,
                .connect_at_us = LIVETCP_NEVER,
                .backoff_us = l->backoff_us,
                .last_error = l->last_error,
                .opened = l->opened};
    links->closing &= ~(UINT32_C(1) << slot);
    lt_path_reset(&links->paths[slot], slot);
    lt_path_groups_reset_slot(&links->groups, slot);
}

void lt_links_set_link(lt_links *links, unsigned slot, unsigned number, unsigned weight)
{
    links->paths[slot].link = (uint8_t)number;
    links->paths[slot].link_weight = (uint8_t)weight;
    lt_path_groups_set_link(&links->groups, slot, number);
}

void lt_links_retry(lt_links *links, uint32_t slots, livetcp_usec now)
{
    for (unsigned i = 0; i < links->count; i++) {
        link *l = &links->slots[i];
        if (!(slots >> i & 1) || l->state != LIVETCP_CONNECTION_IDLE ||
            l->connect_at_us == LIVETCP_NEVER)
            continue;
        l->connect_at_us = now;
        l->backoff_us = links->reconnect_min_us;
    }
}

static livetcp_result new_identity(lt_links *links)
{
    return lt_credentials_create(&links->credentials, NULL, links->random, links->random_user);
}

static livetcp_result prepare_identity(lt_links *links, const livetcp_pending *pending)
{
    if (pending) {
        lt_pending_authenticator proof;
        links->base = lt_pending_session(pending, &links->credentials, &proof);
        links->slots[proof.index].proof = proof;
        links->capabilities = lt_pending_capabilities(pending);
    }
    return links->caller && !links->plain ? new_identity(links) : LIVETCP_OK;
}

livetcp_result lt_links_create(const lt_links_setup *setup, lt_links **out)
{
    lt_links *links = calloc(1, sizeof *links);
    livetcp_result result;

    *out = NULL;
    if (!links)
        return LIVETCP_ERR_NO_MEMORY;
    links->caller = setup->caller;
    links->plain = setup->config->wire == LIVETCP_WIRE_PLAIN;
    links->reconnect = setup->config->auto_reconnect;
    links->reconnect_min_us = setup->config->reconnect_min_us;
    links->reconnect_max_us = setup->config->reconnect_max_us;
    links->handshake_timeout_us = setup->config->handshake_timeout_us;
    links->keepalive_us = setup->config->keepalive_interval_us;
    links->peer_timeout_us = setup->config->peer_timeout_us;
    links->role = setup->config->role;
    memcpy(links->stream_id, setup->config->stream_id, sizeof links->stream_id);
    memcpy(links->token, setup->config->token, sizeof links->token);
    links->random = setup->random;
    links->random_user = setup->random_user;
    links->jitter = setup->jitter;
    links->events = setup->events;
    links->writer = setup->writer;
    links->base = setup->count;
    links->creator = -1;
    links->create_wait_us = CREATE_WAIT_US;
    links->confirmed = links->plain;
    links->backoff_us = links->reconnect_min_us;
    lt_path_groups_init(&links->groups);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        links->slots[i].backoff_us = links->reconnect_min_us;
        reset(links, i);
        if (links->caller && i < links->base)
            links->slots[i].connect_at_us = INT64_MIN; /* at once, independent of the clock */
    }
    result = prepare_identity(links, setup->pending);
    links->count = links->base;
    if (result == LIVETCP_OK)
        *out = links;
    else
        lt_links_destroy(&links);
    return result;
}

void lt_links_destroy(lt_links **links)
{
    if (!*links)
        return;
    lt_credentials_wipe(&(*links)->credentials);
    lt_wipe((*links)->token, sizeof(*links)->token);
    free(*links);
    *links = NULL;
}

/* ---- connecting and joining ---- */

/* Both ends know the slot behind those of the session. */
static bool shares_spare(const lt_links *links)
{
    return links->base < LIVETCP_MAX_CONNECTIONS && links->capabilities & LT_CAPABILITY_SPARE;
}

/* A TCP connection is there, or is being made. */
static bool is_up(livetcp_connection_state state)
{
    return state != LIVETCP_CONNECTION_IDLE && state != LIVETCP_CONNECTION_CLOSED;
}

static void set_state(lt_links *links, unsigned slot, livetcp_connection_state state,
                      livetcp_result reason)
{
    if (links->slots[slot].state == state)
        return;
    links->slots[slot].state = state;
    if (slot == links->base)
        links->count = links->base + is_up(state);
    lt_events_add(links->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_CONNECTION_STATE,
                                                         .connection = slot,
                                                         .state.connection = state,
                                                         .reason = reason});
}

static bool may_connect(const lt_links *links)
{
    return links->caller && !links->ended;
}

bool lt_links_has_spare(const lt_links *links)
{
    return may_connect(links) && !links->ending && shares_spare(links);
}

bool lt_links_spare_is_up(const lt_links *links, unsigned *slot)
{
    *slot = links->base;
    return links->count > links->base;
}

bool lt_links_replaces_spare(const lt_links *links, unsigned slot, uint32_t ticket)
{
    return !links->caller && !links->ending && !links->ended && slot == links->base &&
           links->count > links->base && ticket > links->ticket;
}

unsigned lt_links_take_spare(lt_links *links)
{
    set_state(links, links->base, LIVETCP_CONNECTION_CONNECTING, LIVETCP_OK);
    return links->base;
}

/* Nothing that was written before then waits on the connection, and something has come on it. */
static bool works_since(const lt_links *links, unsigned slot, livetcp_usec then_us)
{
    const livetcp_path *path = &links->paths[slot];

    return links->slots[slot].state == LIVETCP_CONNECTION_OPEN && path->usable &&
           links->slots[slot].silent_from_us > then_us &&
           (!lt_path_undelivered(path) || path->oldest_unacked_us > then_us);
}

bool lt_links_spare_is_done(const lt_links *links, unsigned *slot)
{
    const link *spare = &links->slots[ *slot = links->base];

    if (!links->caller || links->count == links->base || spare->closing ||
        spare->state != LIVETCP_CONNECTION_OPEN)
        return false;
    for (unsigned i = 0; i < links->base; i++)
        if (!works_since(links, i, spare->open_since_us))
            return false;
    return true;
}

bool lt_links_next_connect(lt_links *links, livetcp_usec now, unsigned *slot)
{
    if (!may_connect(links))
        return false;
    for (unsigned i = 0; i < links->count; i++) {
        link *l = &links->slots[i];
        if (l->state != LIVETCP_CONNECTION_IDLE || now < l->connect_at_us)
            continue;
        l->connect_at_us = LIVETCP_NEVER;
        set_state(links, i, LIVETCP_CONNECTION_CONNECTING, LIVETCP_OK);
        *slot = i;
        return true;
    }
    return false;
}

/* The session takes this caller again: those that waited follow. */
static void end_refusal(lt_links *links)
{
    links->refused = false;
    for (unsigned i = 0; i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_IDLE)
            links->slots[i].connect_at_us = INT64_MIN;
}

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

/* It is part of the session and may carry media. */
static void open_slot(lt_links *links, unsigned slot, livetcp_usec now)
{
    link *l = &links->slots[slot];

    links->paths[slot].usable = true;
    l->join_by_us = LIVETCP_NEVER;
    if (!links->plain) {
        l->ping_at_us = now + links->keepalive_us;
        l->backoff_us = links->reconnect_min_us; /* the peer is authenticated, and agrees */
    }
    if (l->state != LIVETCP_CONNECTION_OPEN) {
        l->opened++;
        l->open_since_us = now;
    }
    set_state(links, slot, LIVETCP_CONNECTION_OPEN, LIVETCP_OK);
    if (links->refused)
        end_refusal(links);
}

static void fail(link *l, livetcp_result reason)
{
    if (l->failure == LIVETCP_OK && !l->closing)
        l->failure = reason;
}

static livetcp_usec later(livetcp_usec a, livetcp_usec b)
{
    return a > b ? a : b;
}

/* The first connected slot creates the session; the others join once the key is agreed. */
static livetcp_result start_handshake(lt_links *links, unsigned slot, livetcp_usec now)
{
    link *l = &links->slots[slot];
    lt_introduction introduction = {links->role, links->stream_id, links->token};
    lt_opening opening;
    livetcp_result result = LIVETCP_ERR_TLS;

    if (!*links->token || l->binding.known) /* who reads a token has it */
        result = lt_caller_start(&l->handshake, &links->credentials, &introduction, slot,
                                 slot < links->base ? links->base : links->base + 1, links->random,
                                 links->random_user, &opening);
    if (result != LIVETCP_OK)
        return result;
    lt_caller_bind(&l->handshake, &l->binding);
    if (slot == links->base)
        result =
            lt_caller_use_ticket(&l->handshake, &links->credentials, ++links->ticket, &opening);
    if (result != LIVETCP_OK)
        return result;
    l->handshake_started = true;
    bool written = links->writer.write(links->writer.user, slot, opening.frame, opening.size);
    lt_wipe(opening.frame, opening.size);
    if (!written)
        return LIVETCP_ERR_NO_MEMORY;
    if (!links->credentials.has_key) {
        links->creator = (int)slot;
        links->create_by_us =
            now + later(links->create_wait_us, CREATE_WAIT_RTT * links->paths[slot].rtt_us);
        links->paths[slot].usable = true; /* media may follow CREATE at once */
    }
    if (l->handshake.proved)
        links->paths[slot].usable = true; /* and a JOIN with a ticket */
    return LIVETCP_OK;
}

static bool may_start(const link *l)
{
    return !l->handshake_started && !l->closing && !l->withdrawn && l->failure == LIVETCP_OK;
}

/* CREATE or JOIN on every connected slot that waits for it. */
static void start_handshakes(lt_links *links, livetcp_usec now)
{
    for (unsigned i = 0; i < links->count; i++) {
        link *l = &links->slots[i];
        if (l->state != LIVETCP_CONNECTION_JOINING || !may_start(l))
            continue;
        if (!links->credentials.has_key && links->creator >= 0)
            return;
        livetcp_result result = start_handshake(links, i, now);
        if (result != LIVETCP_OK)
            fail(l, result);
    }
}

void lt_links_bind(lt_links *links, unsigned slot, const lt_channel_binding *binding)
{
    links->slots[slot].binding = *binding;
}

bool lt_links_connected(lt_links *links, unsigned slot, livetcp_usec now)
{
    link *l = &links->slots[slot];

    if (l->state != LIVETCP_CONNECTION_CONNECTING)
        return false;
    l->silent_from_us = now;
    if (links->plain) {
        open_slot(links, slot, now);
        return true;
    }
    l->join_by_us = now + links->handshake_timeout_us;
    set_state(links, slot, LIVETCP_CONNECTION_JOINING, LIVETCP_OK);
    start_handshakes(links, now);
    return true;
}

/* A caller whose connection broke notices before we do, and joins again. A slot that missed its
 * keepalives is such a one; a slot that is alive is not for sale. */
static bool is_stale(const lt_links *links, const link *l, livetcp_usec now)
{
    return !links->plain && now - l->silent_from_us > 5 * links->keepalive_us / 2;
}

livetcp_result lt_links_adopt(lt_links *links, unsigned slot, uint32_t number, livetcp_usec now)
{
    link *l = &links->slots[slot < LIVETCP_MAX_CONNECTIONS ? slot : 0];

    if (slot >= links->base && !(slot == links->base && shares_spare(links)))
        return LIVETCP_ERR_INDEX_RANGE;
    if (links->ending || links->ended)
        return LIVETCP_ERR_CLOSED;
    if (l->state != LIVETCP_CONNECTION_IDLE) {
        /* This attempt still fails; the caller's next one finds the slot free. Whoever connects
         * to the spare slot has left it before. */
        if (slot == links->base || is_stale(links, l, now))
            fail(l, LIVETCP_ERR_PEER_TIMEOUT);
        return LIVETCP_ERR_INDEX_IN_USE;
    }
    l->silent_from_us = now;
    l->number = number;
    if (!l->proof.pending)
        links->confirmed = true;
    open_slot(links, slot, now);
    /* It carries media already, but a replayed CREATE must not do so for long. */
    if (l->proof.pending)
        l->join_by_us = now + links->handshake_timeout_us;
    return LIVETCP_OK;
}

/* ---- messages ---- */

static livetcp_result caller_control(lt_links *links, unsigned slot, const lt_control *message,
                                     livetcp_usec now)
{
    link *l = &links->slots[slot];
    bool had_key = links->credentials.has_key;
    lt_reply reply = {.size = 0};
    livetcp_result result = lt_caller_receive(&l->handshake, &links->credentials, message, &reply);

    if (result != LIVETCP_OK)
        return result;
    if (reply.size)
        links->writer.write(links->writer.user, slot, reply.frame, reply.size);
    if (l->handshake.proved)
        links->paths[slot].usable = true; /* media may follow PROOF at once */
    if (message->type == LT_CONTROL_JOINED)
        open_slot(links, slot, now);
    if (!had_key && links->credentials.has_key) {
        links->creator = -1;
        links->create_wait_us = CREATE_WAIT_US;
        links->capabilities = l->handshake.transcript.capabilities;
        links->confirmed = true;
        start_handshakes(links, now);
    }
    return LIVETCP_OK;
}

static livetcp_result listener_control(lt_links *links, unsigned slot, const lt_control *message)
{
    link *l = &links->slots[slot];
    lt_reply reply = {.size = 0};
    livetcp_result result;

    if (message->type != LT_CONTROL_PROOF)
        return LIVETCP_ERR_PROTOCOL;
    result = lt_pending_authenticator_confirm(&l->proof, &links->credentials, message, &reply);
    if (result != LIVETCP_OK)
        return result;
    links->confirmed = true;
    l->join_by_us = LIVETCP_NEVER;
    links->writer.write(links->writer.user, slot, reply.frame, reply.size);
    return LIVETCP_OK;
}

static void measure_pong(lt_links *links, unsigned slot, const lt_control *pong, livetcp_usec now)
{
    livetcp_usec sent = (livetcp_usec)pong->timestamp;
    /* The peer chooses the number: now - sent could overflow. */
    bool known = sent <= now && sent > now - 60 * (livetcp_usec)LIVETCP_USEC_SEC;

    if (known && !lt_rtt_average_was_away(&links->slots[slot].rtt_average, sent))
        lt_path_measured_rtt(&links->paths[slot], now - sent);
}

/* The listener's application takes its time, and the connections that JOIN wait with this one. */
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

livetcp_result lt_links_control(lt_links *links, unsigned slot, const lt_control *message,
                                livetcp_usec now)
{
    lt_control pong = {.type = LT_CONTROL_PONG, .timestamp = message->timestamp};

    switch (message->type) {
    case LT_CONTROL_PING:
        lt_control_write(&links->writer, slot, &pong);
        return LIVETCP_OK;
    case LT_CONTROL_PONG:
        measure_pong(links, slot, message, now);
        links->slots[slot].ponged = true;
        return LIVETCP_OK;
    case LT_CONTROL_WAIT:
        return on_wait(links, slot, now);
    default:
        return links->caller ? caller_control(links, slot, message, now)
                             : listener_control(links, slot, message);
    }
}

/* ---- ending ---- */

bool lt_links_next_failed(lt_links *links, unsigned *slot, livetcp_result *reason)
{
    for (unsigned i = 0; i < links->count; i++) {
        if (links->slots[i].failure == LIVETCP_OK)
            continue;
        *slot = i;
        *reason = links->slots[i].failure;
        links->slots[i].failure = LIVETCP_OK;
        return true;
    }
    return false;
}

bool lt_links_next_withdrawn(const lt_links *links, unsigned *slot)
{
    for (unsigned i = 0; i < links->count; i++) {
        if (!links->slots[i].withdrawn || links->slots[i].closing)
            continue;
        *slot = i;
        return true;
    }
    return false;
}

bool lt_links_begin_close(lt_links *links, unsigned slot, livetcp_result reason, livetcp_usec now)
{
    link *l = &links->slots[slot];

    if (l->closing || l->state == LIVETCP_CONNECTION_CLOSED)
        return false;
    if (l->state == LIVETCP_CONNECTION_IDLE) {
        l->connect_at_us = LIVETCP_NEVER;
        if (links->ending)
            l->state = LIVETCP_CONNECTION_CLOSED;
        return false;
    }
    links->paths[slot].usable = false;
    l->closing = true;
    links->closing |= UINT32_C(1) << slot;
    l->close_reason = reason;
    l->closing_since_us = now;
    l->join_by_us = LIVETCP_NEVER;
    l->ping_at_us = LIVETCP_NEVER;
    return true;
}

bool lt_links_closing(const lt_links *links, unsigned slot, livetcp_result *reason,
                      livetcp_usec *since_us)
{
    const link *l = &links->slots[slot];

    if (l->closing && reason)
        *reason = l->close_reason;
    if (l->closing && since_us)
        *since_us = l->closing_since_us;
    return l->closing;
}

uint32_t lt_links_closing_slots(const lt_links *links)
{
    return links->closing;
}

/* ---- calling again ---- */

/* Waits so long, less or more, and the next time longer. */
static void wait_to_connect(lt_links *links, link *l, livetcp_usec *backoff_us, livetcp_usec now)
{
    double spread = 0.75 + 0.5 * lt_rng_uniform(links->jitter);

    l->connect_at_us = now + (livetcp_usec)(spread * (double)*backoff_us);
    *backoff_us *= 2;
    if (*backoff_us > links->reconnect_max_us)
        *backoff_us = links->reconnect_max_us;
}

static bool on_one_link(const livetcp_path *path, const livetcp_path *other)
{
    return path->link == other->link;
}

/* The peer's answer to one connection is its answer to the session: no other is open, or about to
 * become so; `decided`: those that are joining wait for this one, or will get the same answer. Else
 * it is the answer on this link: another network may still reach the peer. */
static bool speaks_for_all(const lt_links *links, unsigned slot, bool decided)
{
    for (unsigned i = 0; i < links->count; i++) {
        const link *other = &links->slots[i];
        bool joining = other->state == LIVETCP_CONNECTION_JOINING && !other->closing &&
                       !other->withdrawn && on_one_link(&links->paths[i], &links->paths[slot]);
        if (i != slot && (other->state == LIVETCP_CONNECTION_OPEN || (joining && !decided)))
            return false;
    }
    return true;
}

/* The session is refused once: attempts under way elsewhere end silently, and slots due to
 * reconnect wait; those of other links only if the answer was the peer's. */
static void withdraw_others(lt_links *links, unsigned slot, bool decided)
{
    links->refused = true;
    for (unsigned i = 0; i < links->count; i++) {
        link *other = &links->slots[i];
        if (i == slot || (!decided && !on_one_link(&links->paths[i], &links->paths[slot])))
            continue;
        if (links->reconnect)
            other->connect_at_us = LIVETCP_NEVER;
        other->withdrawn = other->state == LIVETCP_CONNECTION_CONNECTING ||
                           other->state == LIVETCP_CONNECTION_JOINING;
        if (other->withdrawn)
            other->failure = other->close_reason = LIVETCP_OK;
    }
}

/* Its CREATE was not answered with JOINED: the listener has no session yet. */
static bool is_creating(const link *l)
{
    return l->handshake_started && l->handshake.creating && !l->handshake.joined;
}

static bool has_creating(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        if (is_creating(&links->slots[i]) && !links->slots[i].closing)
            return true;
    return false;
}

/* Outcome of a slot's TCP connection. */
typedef struct last_attempt {
    bool lasted;    /* it was open for a while */
    bool withdrawn; /* we aborted it, and nobody refused */
    bool refused;   /* and with it the session */
    bool forgotten; /* the peer does not know the session any more */
    bool decided;   /* the peer's answer to all connections */
    bool unmade;    /* the peer was asked for the session, and made none */
    bool early;     /* it joined before the session was made: the answer is that of the CREATE */
} last_attempt;

static last_attempt review_attempt(const lt_links *links, unsigned slot, livetcp_result reason,
                                   livetcp_usec now)
{
    const link *l = &links->slots[slot];
    last_attempt last = {.withdrawn = l->withdrawn};

    last.early = links->caller && !is_creating(l) && l->state == LIVETCP_CONNECTION_JOINING &&
                 has_creating(links);
    last.lasted = l->state == LIVETCP_CONNECTION_OPEN && now - l->open_since_us >= LASTED_US;
    last.forgotten = links->caller && !links->plain && reason == LIVETCP_ERR_UNKNOWN_SESSION &&
                     links->credentials.has_key && !lt_links_open_count(links);
    last.unmade = links->caller && is_creating(l) && !l->given_up && !lt_links_open_count(links);
    last.decided = last.forgotten || last.unmade;
    last.refused = may_connect(links) && slot < links->base && !last.lasted && !last.withdrawn &&
                   !last.early && speaks_for_all(links, slot, last.decided);
    return last;
}

/* A listener that answers, and has only forgotten the session, is asked for a new one soon. */
static void schedule_reconnect(lt_links *links, unsigned slot, last_attempt last, livetcp_usec now)
{
    link *l = &links->slots[slot];
    livetcp_usec soon = links->reconnect_min_us;

    if (last.withdrawn) {
        l->connect_at_us = links->refused ? LIVETCP_NEVER : now;
        return;
    }
    if (last.refused && links->backoff_us < l->backoff_us)
        links->backoff_us = l->backoff_us;
    wait_to_connect(links, l,
                    last.forgotten ? &soon
                    : last.refused ? &links->backoff_us
                                   : &l->backoff_us,
                    now);
}

/* A listener that has forgotten the session gets one with a new identity; so does one that never
 * made it. */
static livetcp_result repair_identity(lt_links *links, unsigned slot, last_attempt last,
                                      bool *renewed)
{
    if (!links->caller || links->plain)
        return LIVETCP_OK;
    if (links->creator == (int)slot || last.forgotten)
        links->creator = -1;
    if (!last.forgotten && !last.unmade)
        return LIVETCP_OK;
    links->confirmed = false;
    *renewed = true;
    return new_identity(links);
}

livetcp_result lt_links_detach(lt_links *links, unsigned slot, livetcp_result reason,
                               livetcp_usec now, bool *renewed)
{
    link *l = &links->slots[slot];
    bool again = may_connect(links) && links->reconnect;
    bool reopenable = !links->caller && !links->plain && !links->ending && !links->ended;
    last_attempt last = review_attempt(links, slot, reason, now);
    livetcp_result result;

    *renewed = false;
    reset(links, slot);
    if (last.withdrawn || last.early)
        reason = LIVETCP_OK;
    else
        l->last_error = links->last_loss = reason;
    if (last.lasted)
        l->backoff_us = links->backoff_us = links->reconnect_min_us;
    if (last.refused)
        withdraw_others(links, slot, last.decided);
    set_state(links, slot,
              again || reopenable ? LIVETCP_CONNECTION_IDLE : LIVETCP_CONNECTION_CLOSED, reason);
    if (again && slot < links->base)
        schedule_reconnect(links, slot, last, now);
    if (links->ended)
        return LIVETCP_OK;
    result = repair_identity(links, slot, last, renewed);
    if (result == LIVETCP_OK)
        start_handshakes(links, now);
    return result;
}

void lt_links_set_ending(lt_links *links)
{
    links->ending = true;
}

void lt_links_end(lt_links *links)
{
    links->ending = links->ended = true;
    lt_credentials_wipe(&links->credentials);
}

/* ---- traffic ---- */

void lt_links_received(lt_links *links, unsigned slot, livetcp_usec now)
{
    links->slots[slot].silent_from_us = now;
}

static void update_oldest_write(lt_links *links, unsigned slot)
{
    livetcp_path *path = &links->paths[slot];
    livetcp_usec since = lt_path_groups_oldest_write(&links->groups, slot);

    if (since == INT64_MIN)
        path->known &= ~(uint32_t)LIVETCP_PATH_OLDEST_WRITE;
    else
        path->known |= LIVETCP_PATH_OLDEST_WRITE;
    path->oldest_write_us = since;
}

void lt_links_wrote(lt_links *links, unsigned slot, size_t size, livetcp_usec now)
{
    link *l = &links->slots[slot];

    lt_rtt_average_wrote(&l->rtt_average, l->stream_bytes, now);
    l->stream_bytes += size;
    lt_path_wrote(&links->paths[slot], size, now);
    lt_path_groups_wrote(&links->groups, slot, l->stream_bytes, size, now);
    update_oldest_write(links, slot);
    lt_path_groups_update_free(&links->groups, links->paths, links->count, slot, now);
    if (l->state == LIVETCP_CONNECTION_OPEN && !links->plain)
        l->ping_at_us = now + links->keepalive_us;
}

void lt_links_wrote_packet(lt_links *links, unsigned slot, bool first)
{
    link *l = &links->slots[slot];

    if (first)
        lt_path_groups_wrote_media(&links->groups, slot);
    l->early_media = l->early_media || l->state == LIVETCP_CONNECTION_JOINING;
}

void lt_links_blocked(lt_links *links, unsigned slot)
{
    links->paths[slot].blocked = true;
}

void lt_links_writable(lt_links *links, unsigned slot)
{
    links->paths[slot].blocked = false;
    links->slots[slot].info_us = INT64_MIN;
}

uint32_t lt_links_stale(const lt_links *links, uint32_t slots, livetcp_usec now)
{
    uint32_t stale = 0;

    for (unsigned i = 0; i < links->count; i++)
        if (slots >> i & 1 && links->paths[i].usable &&
            links->slots[i].info_us <= now - lt_path_max_age(&links->paths[i]))
            stale |= UINT32_C(1) << i;
    return stale;
}

/* Of all that was written to the slot, so much is acknowledged, by what the kernel holds still. */
static uint64_t acknowledged_bytes(const lt_links *links, unsigned slot, uint32_t queued_bytes)
{
    uint64_t written = links->slots[slot].stream_bytes;

    return written > queued_bytes ? written - queued_bytes : 0;
}

static void correct_rtt(lt_links *links, unsigned slot, livetcp_path *info, livetcp_usec now)
{
    lt_acknowledged acknowledged = {.written_us = LIVETCP_NEVER};

    if (info->known & LIVETCP_PATH_QUEUED)
        acknowledged = lt_path_groups_acknowledged(
            &links->groups, slot, acknowledged_bytes(links, slot, info->queued_bytes));
    acknowledged.delivered = acknowledged_bytes(links, slot, lt_path_undelivered(info));
    lt_rtt_average_correct(&links->slots[slot].rtt_average, info, &acknowledged, now);
}

/* The slot's path is up to date, by an answer that knew so much. */
static void take_path_info(lt_links *links, unsigned slot, uint32_t known, livetcp_usec now)
{
    const livetcp_path *path = &links->paths[slot];

    links->slots[slot].info_us = now;
    links->samples[slot] = (lt_path_sample){.valid = false};
    /* What was acknowledged belongs to the round trip that came with it. */
    if (known & LIVETCP_PATH_QUEUED && known & LIVETCP_PATH_RTT) {
        links->samples[slot] = lt_path_groups_on_path_info(
            &links->groups, slot, path, acknowledged_bytes(links, slot, path->queued_bytes), now);
        update_oldest_write(links, slot);
        lt_path_groups_update(&links->groups, links->paths, links->count, now);
        lt_path_groups_update_free(&links->groups, links->paths, links->count, slot, now);
    }
}

bool lt_links_path_info(lt_links *links, unsigned slot, const livetcp_path *info, livetcp_usec now)
{
    livetcp_path *path = &links->paths[slot];
    link *l = &links->slots[slot];
    livetcp_path corrected = *info;

    if (!lt_links_can_write(links, slot) && !path->usable)
        return false;
    correct_rtt(links, slot, &corrected, now);
    lt_path_update(path, &corrected, now);
    l->ponged = false;
    take_path_info(links, slot, info->known, now);
    return true;
}

/* The first acknowledgement of what is under way comes a least round trip after it was written, or
 * a little sooner. Before that a connection that has sent all, and repairs nothing, stays as it is.
 */
bool lt_links_is_unchanged(const lt_links *links, unsigned slot, livetcp_usec now)
{
    const uint32_t needed = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_TCP_STATE |
                            LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;
    const livetcp_path *path = &links->paths[slot];
    const link *l = &links->slots[slot];
    livetcp_usec since = lt_path_groups_oldest_write(&links->groups, slot);

    if (l->info_us == INT64_MIN || l->ponged || (path->known & needed) != needed ||
        path->tcp_state != LIVETCP_TCP_OPEN || path->unsent_bytes)
        return false;
    /* Nothing else is under way: of a handshake before the connection was ours, or forgotten. */
    if (!path->queued_bytes || path->queued_bytes > l->stream_bytes || since == INT64_MIN ||
        since == LIVETCP_NEVER)
        return false;
    return now < since + path->min_rtt_us - path->min_rtt_us / SOONER_PART;
}

void lt_links_path_info_again(lt_links *links, unsigned slot, livetcp_usec now)
{
    take_path_info(links, slot, links->paths[slot].known, now);
}

const lt_path_sample *lt_links_path_sample(const lt_links *links, unsigned slot)
{
    return &links->samples[slot];
}

/* ---- time ---- */

static livetcp_usec earlier(livetcp_usec a, livetcp_usec b)
{
    return a < b ? a : b;
}

static livetcp_usec silence_limit(const lt_links *links, const link *l)
{
    if (l->state != LIVETCP_CONNECTION_OPEN || links->plain || l->silent_from_us == LIVETCP_NEVER)
        return LIVETCP_NEVER;
    return l->silent_from_us + links->peer_timeout_us;
}

static livetcp_usec slot_deadline(const lt_links *links, const link *l)
{
    livetcp_usec due = LIVETCP_NEVER;

    if (l->closing)
        return due;
    if (l->state == LIVETCP_CONNECTION_IDLE && links->caller)
        due = earlier(due, l->connect_at_us);
    due = earlier(due, l->join_by_us);
    due = earlier(due, l->ping_at_us);
    return earlier(due, silence_limit(links, l));
}

/* Another connection is there on which the session could be created. */
static bool can_create_elsewhere(const lt_links *links)
{
    for (unsigned i = 0; links->creator >= 0 && i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_JOINING && may_start(&links->slots[i]))
            return true;
    return false;
}

/* What was lost several times in a row is sent again by TCP after seconds, on that connection. */
static void create_elsewhere(lt_links *links, livetcp_usec now)
{
    link *creator = &links->slots[links->creator];

    creator->withdrawn = creator->given_up = true;
    links->creator = -1;
    links->create_wait_us *= 2;
    if (new_identity(links) == LIVETCP_OK) /* else that slot's end tries again */
        start_handshakes(links, now);
    else
        creator->given_up = false;
}

livetcp_usec lt_links_deadline(const lt_links *links)
{
    livetcp_usec due = can_create_elsewhere(links) ? links->create_by_us : LIVETCP_NEVER;

    for (unsigned i = 0; i < links->count; i++)
        due = earlier(due, slot_deadline(links, &links->slots[i]));
    return due;
}

static void ping(lt_links *links, unsigned slot, livetcp_usec now)
{
    lt_control message = {.type = LT_CONTROL_PING, .timestamp = (uint64_t)now};

    /* One that is blocked has enough to send as it is. */
    if (!links->paths[slot].blocked)
        lt_control_write(&links->writer, slot, &message);
    links->slots[slot].ping_at_us = now + links->keepalive_us;
}

void lt_links_expire(lt_links *links, livetcp_usec now)
{
    if (can_create_elsewhere(links) && now >= links->create_by_us)
        create_elsewhere(links, now);
    for (unsigned i = 0; i < links->count; i++) {
        link *l = &links->slots[i];
        if (l->closing)
            continue;
        if (now >= l->join_by_us)
            fail(l, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
        else if (now >= silence_limit(links, l))
            fail(l, LIVETCP_ERR_PEER_TIMEOUT);
        else if (now >= l->ping_at_us)
            ping(links, i, now);
    }
}

/* ---- questions ---- */

unsigned lt_links_count(const lt_links *links)
{
    return links->count;
}

livetcp_path *lt_links_paths(const lt_links *links)
{
    return (livetcp_path *)links->paths;
}

uint64_t lt_links_stream_bytes(const lt_links *links, unsigned slot)
{
    return links->slots[slot].stream_bytes;
}

livetcp_connection_state lt_links_state(const lt_links *links, unsigned slot)
{
    return links->slots[slot].state;
}

unsigned lt_links_open_count(const lt_links *links)
{
    unsigned open = 0;

    for (unsigned i = 0; i < links->count; i++)
        open += links->slots[i].state == LIVETCP_CONNECTION_OPEN;
    return open;
}

uint32_t lt_links_open(const lt_links *links)
{
    uint32_t open = 0;

    for (unsigned i = 0; i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_OPEN && !links->slots[i].closing)
            open |= UINT32_C(1) << i;
    return open;
}

bool lt_links_has_socket(const lt_links *links, unsigned slot)
{
    livetcp_connection_state state = links->slots[slot].state;

    return state == LIVETCP_CONNECTION_JOINING || state == LIVETCP_CONNECTION_OPEN;
}

bool lt_links_can_write(const lt_links *links, unsigned slot)
{
    return lt_links_has_socket(links, slot) && !links->paths[slot].blocked;
}

bool lt_links_is_early_full(const lt_links *links, unsigned slot)
{
    const link *l = &links->slots[slot];

    return is_creating(l) && l->stream_bytes >= EARLY_BYTES;
}

bool lt_links_takes_media(const lt_links *links, unsigned slot)
{
    return links->slots[slot].state == LIVETCP_CONNECTION_OPEN ||
           (links->paths[slot].usable && !links->slots[slot].handshake.unanswered);
}

bool lt_links_has_future(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++) {
        livetcp_connection_state state = links->slots[i].state;
        if (state == LIVETCP_CONNECTION_CONNECTING || state == LIVETCP_CONNECTION_JOINING ||
            (state == LIVETCP_CONNECTION_IDLE && links->caller))
            return true;
    }
    return false;
}

bool lt_links_is_joined(const lt_links *links, unsigned slot)
{
    const link *l = &links->slots[slot];

    return !links->caller || links->plain || l->handshake.joined;
}

uint32_t lt_links_number(const lt_links *links, unsigned slot)
{
    const link *l = &links->slots[slot];

    if (!(links->capabilities & LT_CAPABILITY_RECEIPTS) || l->state != LIVETCP_CONNECTION_OPEN ||
        !links->confirmed)
        return 0;
    return links->caller ? lt_connection_number(l->handshake.nonce) : l->number;
}

bool lt_links_is_entering(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++) {
        const link *l = &links->slots[i];
        if (l->closing)
            continue;
        if ((is_creating(l) && !l->handshake.proved) ||
            (l->early_media && l->state == LIVETCP_CONNECTION_JOINING))
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

livetcp_result lt_links_last_loss(const lt_links *links)
{
    return links->last_loss;
}

int lt_links_quickest(const lt_links *links, livetcp_usec now)
{
    livetcp_usec least = LIVETCP_NEVER;
    int best = -1;

    for (unsigned i = 0; i < links->count; i++) {
        const livetcp_path *path = &links->paths[i];
        if (!path->usable || path->blocked || path->link_stalled)
            continue;
        livetcp_usec forecast = livetcp_path_forecast(path, LT_CONTROL_MAX, now);
        if (forecast < least) {
            least = forecast;
            best = (int)i;
        }
    }
    return best;
}

bool lt_links_has_way(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        if (links->paths[i].usable && !links->paths[i].blocked)
            return true;
    return false;
}

livetcp_usec lt_links_round_trip(const lt_links *links)
{
    livetcp_usec longest = 0;

    for (unsigned i = 0; i < links->count; i++)
        if (links->paths[i].usable && links->paths[i].rtt_us > longest)
            longest = links->paths[i].rtt_us;
    return longest ? longest : LT_TYPICAL_RTT_US;
}

livetcp_usec lt_links_min_round_trip(const lt_links *links)
{
    livetcp_usec smallest = LIVETCP_NEVER;

    for (unsigned i = 0; i < links->count; i++) {
        const livetcp_path *path = &links->paths[i];
        livetcp_usec rtt = path->known & LIVETCP_PATH_MIN_RTT ? path->min_rtt_us : path->rtt_us;
        if (path->usable && path->known & (LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_RTT) &&
            rtt < smallest)
            smallest = rtt;
    }
    return smallest < LIVETCP_NEVER ? smallest : 0;
}

/* ---- statistics ---- */

void lt_links_gather(const lt_links *links, livetcp_session_stats *stats)
{
    stats->connections = links->count;
    stats->open_connections = lt_links_open_count(links);
    for (unsigned i = 0; i < links->base; i++)
        if (links->slots[i].opened > 1)
            stats->reconnects += links->slots[i].opened - 1;
}

void lt_links_gather_link(const lt_links *links, unsigned number, livetcp_link_stats *stats)
{
    livetcp_usec sum = 0;
    unsigned known = 0;

    stats->rtt_us = stats->min_rtt_us = -1;
    for (unsigned i = 0; i < links->count; i++) {
        const livetcp_path *path = &links->paths[i];
        if (path->link != number)
            continue;
        stats->connections++;
        stats->open_connections += links->slots[i].state == LIVETCP_CONNECTION_OPEN;
        stats->stalled = stats->stalled || path->link_stalled;
        stats->weight = path->link_weight ? path->link_weight : 1;
        if (!path->usable || !(path->known & LIVETCP_PATH_RTT))
            continue;
        sum += path->rtt_us;
        known++;
        if (path->known & LIVETCP_PATH_MIN_RTT &&
            (stats->min_rtt_us < 0 || path->min_rtt_us < stats->min_rtt_us))
            stats->min_rtt_us = path->min_rtt_us;
    }
    if (known)
        stats->rtt_us = sum / known;
}

void lt_links_gather_slot(const lt_links *links, unsigned slot, livetcp_usec now,
                          livetcp_connection_stats *stats)
{
    const link *l = &links->slots[slot];
    const livetcp_path *path = &links->paths[slot];

    stats->index = slot;
    stats->state = l->state;
    stats->last_error = l->last_error;
    stats->reconnects = l->opened > 1 ? l->opened - 1 : 0;
    stats->path = *path;
    stats->forecast_us = path->usable ? livetcp_path_forecast(path, 0, now) : -1;
}
