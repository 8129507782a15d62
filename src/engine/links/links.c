/* SPDX-License-Identifier: MIT */
#include "engine/links/links_private.h"

#include "base/usec.h"
#include "engine/pending.h"
#include "policy/forecast.h"

#include <stdlib.h>
#include <string.h>

/* A peer that has nothing to send on a connection writes no more than this in a keepalive: a PING
 * or PONG, and a report. Beside more than the second, an answer hardly counts. */
#define IDLE_BYTES   256
#define LITTLE_BYTES 4096

/* ---- creation ---- */

static livetcp_result prepare_identity(lt_links *links, const livetcp_pending *pending)
{
    if (pending) {
        lt_pending_authenticator authenticator;
        links->base = lt_pending_session(pending, &links->credentials, &authenticator);
        links->slots[authenticator.index].authenticator = authenticator;
        links->capabilities = lt_pending_capabilities(pending);
    }
    return links->caller && !links->plain ? lt_joining_renew_identity(links) : LIVETCP_OK;
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
    links->fixed_ports = setup->config->local_port > 0;
    links->reconnect_min_us = setup->config->reconnect_min_us;
    links->reconnect_max_us = setup->config->reconnect_max_us;
    links->handshake_timeout_us = setup->config->handshake_timeout_us;
    lt_keepalive_init(&links->keepalive, setup->config);
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
    links->create_wait_us = LT_CREATE_WAIT_US;
    links->confirmed = links->plain;
    links->backoff_us = links->reconnect_min_us;
    lt_path_groups_init(&links->groups);
    links->spare_us = INT64_MIN;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        links->slots[i].backoff_us = links->reconnect_min_us;
        lt_slot_reset(links, i);
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

/* ---- messages ---- */

livetcp_result lt_links_control(lt_links *links, unsigned slot, const lt_control *message,
                                livetcp_usec now)
{
    lt_control pong = {.type = LT_CONTROL_PONG, .timestamp = message->timestamp};

    switch (message->type) {
    case LT_CONTROL_PING:
        lt_control_write(&links->writer, slot, &pong);
        return LIVETCP_OK;
    case LT_CONTROL_PONG:
        lt_slot_measure_pong(links, slot, message, now);
        links->slots[slot].ponged = true;
        return LIVETCP_OK;
    default:
        return lt_joining_control(links, slot, message, now);
    }
}

/* ---- time ---- */

/* The peer's TCP acknowledges also what a process reads no more that has stopped, so that its
 * acknowledgements count only while the session hears something. */
static livetcp_usec silence_limit(const lt_links *links, const lt_slot *s)
{
    livetcp_usec from = lt_usec_min(s->progress_us, links->heard_us);

    if (s->state != LIVETCP_CONNECTION_OPEN || links->plain || s->silent_from_us == LIVETCP_NEVER)
        return LIVETCP_NEVER;
    return lt_usec_max(s->silent_from_us, from) + links->peer_timeout_us + s->later_us;
}

static livetcp_usec slot_deadline(const lt_links *links, const lt_slot *s)
{
    livetcp_usec due = LIVETCP_NEVER;

    if (s->closing)
        return due;
    if (s->state == LIVETCP_CONNECTION_IDLE && links->caller)
        due = lt_usec_min(due, s->connect_at_us);
    due = lt_usec_min(due, s->join_by_us);
    due = lt_usec_min(due, s->ping_at_us);
    return lt_usec_min(due, silence_limit(links, s));
}

livetcp_usec lt_links_deadline(const lt_links *links)
{
    livetcp_usec due = lt_joining_deadline(links);

    for (unsigned i = 0; i < links->count; i++)
        due = lt_usec_min(due, slot_deadline(links, &links->slots[i]));
    return due;
}

/* A peer that sends little media here, as speech on a thin link, need not answer: PADDING shows it
 * that we are there, too. On an idle connection the answer shows both sides a round trip. */
static void keep_alive(lt_links *links, unsigned slot, livetcp_usec now)
{
    const lt_slot *s = &links->slots[slot];
    bool speaks = s->heard > IDLE_BYTES && s->heard < LITTLE_BYTES &&
                  now - s->silent_from_us < links->keepalive.setting_us / 2;
    lt_control message = {.type = speaks ? LT_CONTROL_PADDING : LT_CONTROL_PING,
                          .timestamp = (uint64_t)now};

    /* A full send buffer has unacknowledged data, which detects a dead peer as a PING would. */
    if (!links->paths[slot].blocked)
        lt_control_write(&links->writer, slot, &message);
    lt_slot_put_off_ping(links, slot, now);
}

void lt_links_expire(lt_links *links, livetcp_usec now)
{
    lt_joining_expire(links, now);
    for (unsigned i = 0; i < links->count; i++) {
        lt_slot *s = &links->slots[i];
        if (s->closing)
            continue;
        if (now >= s->join_by_us)
            lt_slot_fail(s, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
        else if (now >= silence_limit(links, s))
            lt_slot_fail(s, LIVETCP_ERR_PEER_TIMEOUT);
        else if (now >= s->ping_at_us)
            keep_alive(links, i, now);
    }
}

/* ---- statistics ---- */

void lt_links_gather(const lt_links *links, livetcp_session_stats *stats)
{
    stats->connections = links->count;
    stats->open_connections = lt_links_open_count(links);
    for (unsigned i = 0; i < links->base; i++) {
        if (links->slots[i].opened > 1)
            stats->reconnects += links->slots[i].opened - 1;
        stats->rerouted += links->slots[i].left;
    }
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
    const lt_slot *s = &links->slots[slot];
    const livetcp_path *path = &links->paths[slot];

    stats->index = slot;
    stats->state = s->state;
    stats->last_error = s->last_error;
    stats->reconnects = s->opened > 1 ? s->opened - 1 : 0;
    stats->path = *path;
    stats->forecast_us = path->usable ? livetcp_path_forecast(path, 0, now) : -1;
}
