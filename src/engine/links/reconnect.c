/* SPDX-License-Identifier: MIT */
/* The end of a slot's TCP connection, and the time of its next attempt. */
#include "engine/links/links_private.h"

/* A connection that was OPEN for less than this counts as a failed attempt, so that a peer which
 * accepts and closes at once is retried with backoff. */
#define STABLE_US LIVETCP_USEC_SEC

/* ---- connecting ---- */

bool lt_links_next_connect(lt_links *links, livetcp_usec now, unsigned *slot)
{
    if (!lt_links_may_connect(links))
        return false;
    for (unsigned i = 0; i < links->count; i++) {
        lt_slot *s = &links->slots[i];
        if (s->state != LIVETCP_CONNECTION_IDLE || now < s->connect_at_us)
            continue;
        s->connect_at_us = LIVETCP_NEVER;
        lt_slot_set_state(links, i, LIVETCP_CONNECTION_CONNECTING, LIVETCP_OK);
        *slot = i;
        return true;
    }
    return false;
}

void lt_links_retry(lt_links *links, uint32_t slots, livetcp_usec now)
{
    for (unsigned i = 0; i < links->count; i++) {
        lt_slot *s = &links->slots[i];
        if (!(slots >> i & 1) || s->state != LIVETCP_CONNECTION_IDLE ||
            s->connect_at_us == LIVETCP_NEVER)
            continue;
        s->connect_at_us = now;
        s->backoff_us = links->reconnect_min_us;
    }
}

/* ---- closing ---- */

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
    lt_slot *s = &links->slots[slot];

    if (s->closing || s->state == LIVETCP_CONNECTION_CLOSED)
        return false;
    if (s->state == LIVETCP_CONNECTION_IDLE) {
        s->connect_at_us = LIVETCP_NEVER;
        if (links->ending)
            s->state = LIVETCP_CONNECTION_CLOSED;
        return false;
    }
    links->paths[slot].usable = false;
    s->closing = true;
    links->closing |= UINT32_C(1) << slot;
    s->close_reason = reason;
    s->closing_since_us = now;
    s->join_by_us = LIVETCP_NEVER;
    s->ping_at_us = LIVETCP_NEVER;
    return true;
}

bool lt_links_closing(const lt_links *links, unsigned slot, livetcp_result *reason,
                      livetcp_usec *since_us)
{
    const lt_slot *s = &links->slots[slot];

    if (s->closing && reason)
        *reason = s->close_reason;
    if (s->closing && since_us)
        *since_us = s->closing_since_us;
    return s->closing;
}

uint32_t lt_links_closing_slots(const lt_links *links)
{
    return links->closing;
}

/* ---- the TCP connection is gone ---- */

/* Schedules the next attempt after the backoff, jittered by 25 % either way, and doubles it. */
static void wait_to_connect(lt_links *links, lt_slot *s, livetcp_usec *backoff_us, livetcp_usec now)
{
    double spread = 0.75 + 0.5 * lt_rng_uniform(links->jitter);

    s->connect_at_us = now + (livetcp_usec)(spread * (double)*backoff_us);
    *backoff_us *= 2;
    if (*backoff_us > links->reconnect_max_us)
        *backoff_us = links->reconnect_max_us;
}

static bool same_link(const livetcp_path *path, const livetcp_path *other)
{
    return path->link == other->link;
}

/* True if the end of this connection is a refusal of the session. It is not while another
 * connection is open, or is joining over the same link. `decided`: the peer itself refused, so that
 * joining connections get the same answer and do not count. Without that, the refusal concerns this
 * link alone: another network may still reach the peer. */
static bool refuses_session(const lt_links *links, unsigned slot, bool decided)
{
    for (unsigned i = 0; i < links->count; i++) {
        const lt_slot *other = &links->slots[i];
        bool joining = other->state == LIVETCP_CONNECTION_JOINING && !other->closing &&
                       !other->withdrawn && same_link(&links->paths[i], &links->paths[slot]);
        if (i != slot && (other->state == LIVETCP_CONNECTION_OPEN || (joining && !decided)))
            return false;
    }
    return true;
}

/* Reports one refusal of the session, not one of each slot: attempts in progress elsewhere end
 * silently, and slots that were due to reconnect wait. On other links only if the peer itself
 * refused. */
static void withdraw_others(lt_links *links, unsigned slot, bool decided)
{
    links->refused = true;
    for (unsigned i = 0; i < links->count; i++) {
        lt_slot *other = &links->slots[i];
        if (i == slot || (!decided && !same_link(&links->paths[i], &links->paths[slot])))
            continue;
        if (links->reconnect)
            other->connect_at_us = LIVETCP_NEVER;
        other->withdrawn = other->state == LIVETCP_CONNECTION_CONNECTING ||
                           other->state == LIVETCP_CONNECTION_JOINING;
        if (other->withdrawn)
            other->failure = other->close_reason = LIVETCP_OK;
    }
}

static bool has_creating(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        if (lt_slot_is_creating(&links->slots[i]) && !links->slots[i].closing)
            return true;
    return false;
}

/* Result of a slot's TCP connection. */
typedef struct attempt_result {
    bool stable;          /* was OPEN for STABLE_US or longer */
    bool withdrawn;       /* closed by this end, not refused by the peer */
    bool refused;         /* the session was refused */
    bool decided;         /* by the peer, for all connections: one of the next two */
    bool unknown_session; /* the peer does not know the session any more */
    bool not_created;     /* CREATE was answered with a refusal, or with a close */
    bool early;           /* JOIN before the session existed: the answer to CREATE decides */
} attempt_result;

static attempt_result classify_attempt(const lt_links *links, unsigned slot, livetcp_result reason,
                                       livetcp_usec now)
{
    const lt_slot *s = &links->slots[slot];
    attempt_result attempt = {.withdrawn = s->withdrawn};

    attempt.early = links->caller && !lt_slot_is_creating(s) &&
                    s->state == LIVETCP_CONNECTION_JOINING && has_creating(links);
    attempt.stable = s->state == LIVETCP_CONNECTION_OPEN && now - s->open_since_us >= STABLE_US;
    attempt.unknown_session = links->caller && !links->plain &&
                              reason == LIVETCP_ERR_UNKNOWN_SESSION && links->credentials.has_key &&
                              !lt_links_open_count(links);
    attempt.not_created = links->caller && lt_slot_is_creating(s) && !s->create_unanswered &&
                          !lt_links_open_count(links);
    attempt.decided = attempt.unknown_session || attempt.not_created;
    attempt.refused = lt_links_may_connect(links) && slot < links->base && !attempt.stable &&
                      !attempt.withdrawn && !attempt.early &&
                      refuses_session(links, slot, attempt.decided);
    return attempt;
}

/* A listener that answers, and does not know the session, is asked for a new one after the minimum
 * backoff. */
static void schedule_reconnect(lt_links *links, unsigned slot, attempt_result attempt,
                               livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];
    livetcp_usec soon = links->reconnect_min_us;

    if (attempt.withdrawn) {
        s->connect_at_us = links->refused ? LIVETCP_NEVER : now;
        return;
    }
    if (attempt.refused && links->backoff_us < s->backoff_us)
        links->backoff_us = s->backoff_us;
    wait_to_connect(links, s,
                    attempt.unknown_session ? &soon
                    : attempt.refused       ? &links->backoff_us
                                            : &s->backoff_us,
                    now);
}

/* The next CREATE needs a new identity if the listener does not know the session any more, or never
 * created it. */
static livetcp_result repair_identity(lt_links *links, unsigned slot, attempt_result attempt,
                                      bool *renewed)
{
    if (!links->caller || links->plain)
        return LIVETCP_OK;
    if (links->creator == (int)slot || attempt.unknown_session)
        links->creator = -1;
    if (!attempt.unknown_session && !attempt.not_created)
        return LIVETCP_OK;
    links->confirmed = false;
    *renewed = true;
    return lt_joining_renew_identity(links);
}

livetcp_result lt_links_detach(lt_links *links, unsigned slot, livetcp_result reason,
                               livetcp_usec now, bool *renewed)
{
    lt_slot *s = &links->slots[slot];
    bool again = lt_links_may_connect(links) && links->reconnect;
    bool reopenable = !links->caller && !links->plain && !links->ending && !links->ended;
    attempt_result attempt = classify_attempt(links, slot, reason, now);
    livetcp_result result;

    *renewed = false;
    lt_slot_reset(links, slot);
    if (attempt.withdrawn || attempt.early)
        reason = LIVETCP_OK;
    else
        s->last_error = links->last_loss = reason;
    if (attempt.stable)
        s->backoff_us = links->backoff_us = links->reconnect_min_us;
    if (attempt.refused)
        withdraw_others(links, slot, attempt.decided);
    lt_slot_set_state(links, slot,
                      again || reopenable ? LIVETCP_CONNECTION_IDLE : LIVETCP_CONNECTION_CLOSED,
                      reason);
    if (again && slot < links->base)
        schedule_reconnect(links, slot, attempt, now);
    if (links->ended)
        return LIVETCP_OK;
    result = repair_identity(links, slot, attempt, renewed);
    if (result == LIVETCP_OK)
        lt_joining_start(links, now);
    return result;
}

/* ---- the end of the session ---- */

void lt_links_set_ending(lt_links *links)
{
    links->ending = true;
}

void lt_links_end(lt_links *links)
{
    links->ending = links->ended = true;
    lt_credentials_wipe(&links->credentials);
}
