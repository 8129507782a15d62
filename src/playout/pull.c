/* SPDX-License-Identifier: MIT */
/* The item to play now: the next packet, a replacement for a missing one, or nothing yet. */
#include "playout/engine.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of packets concealed after the last buffered one, before silence. */
#define GUESSES 3

#define RESTARTS                                                                                   \
    (LIVETCP_PLAYOUT_SSRC_CHANGED | LIVETCP_PLAYOUT_SEQUENCE_RESET |                               \
     LIVETCP_PLAYOUT_TIMESTAMP_RESET)

static livetcp_usec duration_of(const livetcp_playout *p)
{
    return lt_interval_duration_us(&p->interval);
}

static uint32_t ticks(const livetcp_playout *p, livetcp_usec us)
{
    return (uint32_t)(us * (int64_t)p->config.clock_rate / LIVETCP_USEC_SEC);
}

static bool is_audio(const livetcp_playout *p)
{
    return p->config.media == LIVETCP_PLAYOUT_AUDIO;
}

/* The first packet begins a run: nothing is missing before it. */
static bool begins(const livetcp_playout *p, const lt_waiting *first)
{
    return !p->started || lt_playout_breaks(p->next, first->extended);
}

/* Play time of the packets missing before the first one. */
static livetcp_usec gap_due(const livetcp_playout *p, const lt_waiting *first)
{
    livetcp_usec due = first->play_us;

    if (!is_audio(p))
        return due;
    due -= (livetcp_usec)(first->extended - p->next) * duration_of(p);
    if (p->flowing && due < p->end_us)
        due = p->end_us;
    return due < first->play_us ? due : first->play_us;
}

/* A primary may still arrive, and may be better than its copy. */
static bool waits_for_primary(const livetcp_playout *p, const lt_waiting *first)
{
    return is_audio(p) && first->flags & LIVETCP_PLAYOUT_REDUNDANT && !first->gone;
}

static livetcp_usec first_due(const livetcp_playout *p, const lt_waiting *first)
{
    bool in_order = p->config.release == LIVETCP_PLAYOUT_IN_ORDER && !waits_for_primary(p, first);

    if (begins(p, first))
        return in_order && p->start_us < first->play_us ? p->start_us : first->play_us;
    if (first->extended > p->next)
        return gap_due(p, first);
    return in_order ? first->arrival_us : first->play_us;
}

/* True if the next position is in the buffer, as a packet or as that of a late one. It is due
 * somewhat after the end of the previous item while the delay grows, and at the end of a pause. */
static bool next_is_here(const livetcp_playout *p)
{
    const lt_waiting *first = p->buffer.first;

    return first && !begins(p, first) && first->extended == p->next;
}

/* True if a concealed packet may follow the last item: soon after it, and without a next one. */
static bool may_guess(const livetcp_playout *p)
{
    return !next_is_here(p) && is_audio(p) && p->config.release == LIVETCP_PLAYOUT_WHEN_DUE &&
           p->flowing && p->guesses < GUESSES && duration_of(p) > 0;
}

livetcp_usec lt_playout_deadline(const livetcp_playout *p)
{
    livetcp_usec due = LIVETCP_NEVER, guess;

    if (p->buffer.first)
        due = first_due(p, p->buffer.first);
    if (!may_guess(p))
        return due;
    guess = p->end_us + p->guesses * duration_of(p);
    return guess < due ? guess : due;
}

/* ---- items ---- */

/* Fields that depend on the packet alone. */
static void show_packet(const livetcp_playout *p, const lt_waiting *waiting,
                        livetcp_playout_item *item)
{
    item->kind = LIVETCP_PLAYOUT_PACKET;
    item->events = waiting->events;
    item->data = waiting->size ? waiting->bytes : NULL;
    item->size = waiting->size;
    item->token = waiting->token;
    item->ssrc = waiting->ssrc;
    item->timestamp = waiting->timestamp;
    item->sequence = (uint16_t)waiting->extended;
    item->late = waiting->late;
    item->discontinuity = p->broken || waiting->events & RESTARTS;
    item->play_us = waiting->play_us;
    item->duration_us = duration_of(p);
}

static void give_packet(livetcp_playout *p, lt_waiting *waiting, livetcp_playout_item *item)
{
    livetcp_usec shown_us = waiting->late && waiting->arrival_us > waiting->play_us
                                ? waiting->arrival_us
                                : waiting->play_us;

    show_packet(p, waiting, item);
    lt_playout_outcome_played(&p->outcome, shown_us, waiting->media_us, item->duration_us,
                              waiting->flags & LIVETCP_PLAYOUT_REDUNDANT, waiting->late);
    p->broken = false;
    p->flowing = true;
    p->guesses = 0;
    p->last_us = waiting->play_us;
    p->end_us = waiting->play_us + item->duration_us;
    p->end_timestamp = waiting->timestamp + ticks(p, item->duration_us);
    p->given = waiting;
    waiting->token = NULL;
}

static void give_gap(livetcp_playout *p, livetcp_usec play_us, uint32_t timestamp, unsigned missing,
                     bool late, livetcp_playout_item *item)
{
    item->kind = LIVETCP_PLAYOUT_CONCEAL;
    item->ssrc = p->source.ssrc;
    item->timestamp = timestamp;
    item->sequence = (uint16_t)p->next;
    item->missing = missing;
    item->late = late;
    item->play_us = play_us;
    item->duration_us = duration_of(p);
    p->outcome.concealed += is_audio(p) ? missing : 0;
}

/* True if a concealed packet was already played for this time. */
static bool was_guessed(const livetcp_playout *p, livetcp_usec due_us)
{
    livetcp_usec duration_us = duration_of(p);

    return p->flowing && p->guesses > 0 &&
           due_us + duration_us / 2 < p->end_us + p->guesses * duration_us;
}

/* Skips the next packet, for which the first concealed one was played. */
static void pass_guessed(livetcp_playout *p, bool came)
{
    lt_playout_outcome_missed(&p->outcome, 1, came);
    p->broken = true;
    p->guesses--;
    p->end_us += duration_of(p);
    p->end_timestamp += ticks(p, duration_of(p));
}

/* Skips the packets missing before the first one. Audio gets one item per packet, and none for time
 * that has passed; otherwise one item covers all. False if there is no item. */
static bool pass_gap(livetcp_playout *p, const lt_waiting *first, livetcp_usec now,
                     livetcp_playout_item *item)
{
    bool one = is_audio(p) && p->config.release == LIVETCP_PLAYOUT_WHEN_DUE;
    livetcp_usec duration_us = duration_of(p), due_us = gap_due(p, first);
    uint64_t missing = first->extended - p->next;
    uint32_t timestamp = first->timestamp;
    bool over = one && now >= first->play_us;

    if (was_guessed(p, due_us)) {
        pass_guessed(p, false);
        p->next++;
        return false;
    }
    if (one && !over)
        missing = 1;
    if (is_audio(p))
        timestamp -= (uint32_t)(first->extended - p->next) * ticks(p, duration_us);
    lt_playout_outcome_missed(&p->outcome, missing, false);
    p->broken = true;
    if (!over)
        give_gap(p, due_us, timestamp, (unsigned)missing, false, item);
    p->next += missing;
    p->guesses = 0;
    p->end_us = due_us + duration_us;
    p->end_timestamp = timestamp + ticks(p, duration_us);
    return !over;
}

/* Skips the first position, whose packet arrived too late. False if there is no item. */
static bool pass_gone(livetcp_playout *p, lt_waiting *gone, livetcp_usec now,
                      livetcp_playout_item *item)
{
    livetcp_usec duration_us = duration_of(p);
    bool over = p->config.release == LIVETCP_PLAYOUT_WHEN_DUE && now >= gone->play_us + duration_us;

    if (was_guessed(p, gone->play_us)) {
        pass_guessed(p, true);
        return false;
    }
    lt_playout_outcome_missed(&p->outcome, 1, true);
    p->broken = true;
    if (!over)
        give_gap(p, gone->play_us, gone->timestamp, 1, true, item);
    return !over;
}

static void guess(livetcp_playout *p, livetcp_usec now, livetcp_playout_item *item)
{
    livetcp_usec duration_us = duration_of(p);

    while (may_guess(p) && p->end_us + (p->guesses + 1) * duration_us <= now)
        p->guesses++;
    if (!may_guess(p) || p->end_us + p->guesses * duration_us > now)
        return;
    give_gap(p, p->end_us + p->guesses * duration_us,
             p->end_timestamp + p->guesses * ticks(p, duration_us), 1, true, item);
    item->sequence = (uint16_t)(item->sequence + p->guesses);
    p->guesses++;
}

/* Advances to the first packet, which is the next in order. */
static lt_waiting *advance(livetcp_playout *p)
{
    lt_waiting *first = lt_buffer_take(&p->buffer);

    if (begins(p, first)) {
        p->broken = p->started;
        p->begin = first->extended;
        if (p->started)
            lt_playout_outcome_restart(&p->outcome);
    }
    p->started = true;
    p->next = first->extended + 1;
    return first;
}

void lt_playout_next(livetcp_playout *p, livetcp_usec now, livetcp_playout_item *item)
{
    lt_waiting *first;
    bool gave = false;

    lt_buffer_drop(&p->buffer, &p->given);
    memset(item, 0, sizeof *item);
    while (!gave && (first = p->buffer.first) && first_due(p, first) <= now) {
        if (!begins(p, first) && first->extended > p->next) {
            gave = pass_gap(p, first, now, item);
        } else if (first->gone) {
            gave = pass_gone(p, first, now, item);
            first = advance(p);
            lt_buffer_drop(&p->buffer, &first);
        } else {
            give_packet(p, advance(p), item);
            gave = true;
        }
    }
    if (!gave)
        guess(p, now, item);
}

void lt_playout_peek(const livetcp_playout *p, livetcp_playout_item *item)
{
    const lt_waiting *first = p->buffer.first;

    memset(item, 0, sizeof *item);
    while (first && first->gone)
        first = first->after;
    if (!first)
        return;
    show_packet(p, first, item);
    item->discontinuity |= !begins(p, first) && first->extended > p->next;
}
