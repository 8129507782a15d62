/* SPDX-License-Identifier: MIT */
#include "lab/probe/transfer.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/timestamps.h"

#include <stdlib.h>

#define MAX_PENDING   8192
#define SILENCE       (30 * LIVETCP_USEC_SEC) /* time-out of a path with unanswered samples */
#define LONGEST_DRAIN (120 * LIVETCP_USEC_SEC)

/* A sample under way. */
typedef struct pending {
    uint64_t number;
    uint32_t last_byte;         /* number of its last byte, as in tx timestamps */
    livetcp_usec created, left; /* left: 0 = not yet known */
} pending;

typedef struct lt_transfer {
    const lt_transfer_config *config;
    livetcp_usec begin;
    lt_transfer_result *result;
    bool ended; /* on_sample() has returned false */
    livetcp_usec last_answer;
    size_t first, count;
    pending pending[MAX_PENDING]; /* ring buffer */
} lt_transfer;

static pending *pending_at(lt_transfer *t, size_t i)
{
    return &t->pending[(t->first + i) % MAX_PENDING];
}

/* ---- out ---- */

static void begin_packet(lt_transfer *t, const lt_due_packet *packet)
{
    lt_probe_connection *c = t->config->connection;
    livetcp_usec created = t->begin + packet->time;
    bool sample = packet->sample && t->count < MAX_PENDING;

    lt_connection_put(c,
                      &(lt_wire_message){.type = LT_WIRE_PACKET,
                                         .flags = sample ? LT_WIRE_SAMPLE : 0,
                                         .length = packet->bytes,
                                         .a = t->config->source->number,
                                         .b = (uint64_t)created},
                      sample);
    if (sample)
        *pending_at(t, t->count++) =
            (pending){.number = t->config->source->number,
                      .last_byte = (uint32_t)(c->written + packet->bytes - 1),
                      .created = created};
    lt_source_advance(t->config->source);
    t->result->packets++;
}

/* Writes due packets. *due: time of the next packet, or INT64_MAX. A packet that waited for space
 * in the send buffer is delayed by TCP, and does not count as late. */
static livetcp_result write_due(lt_transfer *t, livetcp_usec *due, livetcp_error *error)
{
    lt_probe_connection *c = t->config->connection;
    bool waited = lt_connection_busy(c);
    livetcp_result result = lt_connection_write(c, error);
    lt_due_packet packet;

    *due = INT64_MAX;
    while (result == LIVETCP_OK && lt_source_peek(t->config->source, &packet)) {
        livetcp_usec late = lt_clock_now() - (t->begin + packet.time);
        *due = t->begin + packet.time;
        if (late < 0 || lt_connection_busy(c))
            break;
        if (!waited && late > t->result->latest)
            t->result->latest = late;
        begin_packet(t, &packet);
        result = lt_connection_write(c, error);
        *due = INT64_MAX;
    }
    return result;
}

/* ---- in ---- */

static void take_timestamps(lt_transfer *t)
{
    uint32_t byte;
    livetcp_usec left;

    while (lt_timestamps_next_sent(t->config->connection->socket, &byte, &left))
        for (size_t i = 0; i < t->count; i++) {
            pending *p = pending_at(t, i);
            if (p->last_byte == byte && !p->left)
                p->left = left; /* a later one is of a retransmission */
        }
}

static livetcp_usec between(livetcp_usec from, livetcp_usec to)
{
    return to > from ? to - from : 0;
}

static void finish_sample(lt_transfer *t, const pending *p, const lt_wire_message *report)
{
    lt_clock_sync *sync = t->config->sync;

    /* It also serves as a ping that meets the same queue as packets. */
    lt_clock_sync_take(sync, p->left ? p->left : p->created, t->last_answer,
                       (livetcp_usec)(report->b ? report->b : report->c), (livetcp_usec)report->c);
    livetcp_usec got = lt_clock_sync_ours(sync, (livetcp_usec)report->c);
    livetcp_usec came = report->b ? lt_clock_sync_ours(sync, (livetcp_usec)report->b) : 0;
    bool timestamped = p->left && came;
    const lt_probe_sample sample = {
        .total = between(p->created, got),
        .sender = p->left ? between(p->created, p->left) : LT_DELAY_UNKNOWN,
        .network = timestamped ? between(p->left, came) : LT_DELAY_UNKNOWN,
        .receiver = came ? between(came, got) : LT_DELAY_UNKNOWN,
    };

    t->ended = !t->config->on_sample(t->config->user, &sample);
}

/* TCP preserves order, so a report belongs to the oldest sample. */
static livetcp_result take_report(lt_transfer *t, const lt_wire_message *m, livetcp_error *error)
{
    if (m->type == LT_WIRE_PONG)
        return LIVETCP_OK;
    if (m->type != LT_WIRE_REPORT || !t->count || pending_at(t, 0)->number != m->a)
        return lt_fail(error, LIVETCP_ERR_PROTOCOL,
                       "%s reports about packets that it was not asked about",
                       t->config->connection->peer);
    finish_sample(t, pending_at(t, 0), m);
    t->first = (t->first + 1) % MAX_PENDING;
    t->count--;
    return LIVETCP_OK;
}

static livetcp_result read_all(lt_transfer *t, livetcp_error *error)
{
    const lt_wire_message *message;
    livetcp_result result = LIVETCP_OK;

    take_timestamps(t);
    do {
        result = lt_connection_read(t->config->connection, &message, error);
        if (result == LIVETCP_OK && message) {
            t->last_answer = lt_clock_now();
            result = take_report(t, message, error);
        }
    } while (result == LIVETCP_OK && message && !t->ended);
    return result;
}

/* ---- missing packets ---- */

/* Age of the oldest packet that may not have arrived. */
static livetcp_usec oldest(lt_transfer *t, livetcp_usec now)
{
    livetcp_usec age = t->count ? now - pending_at(t, 0)->created : 0;
    lt_due_packet packet;

    if (lt_source_peek(t->config->source, &packet) && now - (t->begin + packet.time) > age)
        age = now - (t->begin + packet.time);
    return age;
}

static livetcp_result watch(lt_transfer *t, livetcp_usec now, livetcp_error *error)
{
    livetcp_usec age = oldest(t, now);

    if (t->config->delay_limit && age > t->config->delay_limit) {
        const lt_probe_sample sample = {.total = age,
                                        .sender = LT_DELAY_UNKNOWN,
                                        .network = LT_DELAY_UNKNOWN,
                                        .receiver = LT_DELAY_UNKNOWN};
        t->ended = !t->config->on_sample(t->config->user, &sample);
    }
    if (t->count && now - t->last_answer > SILENCE && now - pending_at(t, 0)->created > SILENCE)
        return lt_fail(error, LIVETCP_ERR_PEER_TIMEOUT,
                       "the path is silent: nothing came back from %s "
                       "for 30 s",
                       t->config->connection->peer);
    return LIVETCP_OK;
}

static bool is_over(lt_transfer *t)
{
    lt_due_packet packet;

    return t->ended || lt_probe_interrupted() ||
           (!t->count && !lt_connection_busy(t->config->connection) &&
            !lt_source_peek(t->config->source, &packet));
}

#define TICK (LIVETCP_USEC_SEC / 4)

livetcp_result lt_transfer_run(const lt_transfer_config *config, lt_transfer_result *result,
                               livetcp_error *error)
{
    lt_transfer *t = calloc(1, sizeof *t);
    livetcp_result outcome = LIVETCP_OK;
    livetcp_usec due, ticked = 0;

    *result = (lt_transfer_result){0};
    if (!t)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory to send a train");
    t->config = config;
    t->result = result;
    t->begin = t->last_answer = lt_clock_now();
    while (outcome == LIVETCP_OK && !is_over(t)) {
        if ((outcome = write_due(t, &due, error)) || (outcome = read_all(t, error)))
            break;
        livetcp_usec now = lt_clock_now();
        if (!t->ended && (outcome = watch(t, now, error)))
            break;
        if (now - ticked >= TICK) {
            config->on_tick(config->user, now - t->begin);
            ticked = now;
        }
        if (!is_over(t)) {
            bool blocked = lt_connection_busy(config->connection);
            lt_connection_wait(config->connection, blocked || due > now + TICK ? now + TICK : due);
        }
    }
    free(t);
    return outcome;
}

livetcp_result lt_transfer_drain(lt_probe_connection *connection, livetcp_usec max,
                                 livetcp_error *error)
{
    const livetcp_usec until = lt_clock_now() + max;
    lt_connection_counters counters;
    const lt_wire_message *message;
    uint32_t byte;
    livetcp_usec left;

    for (;;) {
        livetcp_result result = lt_connection_write(connection, error);
        while (lt_timestamps_next_sent(connection->socket, &byte, &left))
            ;
        do {
            if (result == LIVETCP_OK)
                result = lt_connection_read(connection, &message, error);
        } while (result == LIVETCP_OK && message);
        lt_connection_count(connection, &counters);
        livetcp_usec now = lt_clock_now();
        if (result != LIVETCP_OK || lt_probe_interrupted() ||
            (!counters.unacknowledged && !lt_connection_busy(connection)))
            return result;
        if (now >= until)
            return lt_fail(error, LIVETCP_ERR_PEER_TIMEOUT, "%s does not take what was sent",
                           connection->peer);
        lt_connection_wait(connection, now + LIVETCP_USEC_SEC / 100);
    }
}

livetcp_result lt_transfer_pause(lt_probe_connection *connection, lt_clock_sync *sync,
                                 livetcp_error *error)
{
    livetcp_result result = lt_transfer_drain(connection, LONGEST_DRAIN, error);

    if (result == LIVETCP_OK)
        result = lt_clock_sync_round(sync, connection, error);
    return result;
}
