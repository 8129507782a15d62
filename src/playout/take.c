/* SPDX-License-Identifier: MIT */
/* Assigns a packet to a stream: the current one, or one that replaces it. The first packet that
 * looks like a new stream is on probation (RFC 3550, A.1) until a second one confirms it. */
#include "playout/place.h"

#include "base/seq.h"

#include <string.h>

/* Packets that confirm a new stream are near each other (MAX_MISORDER in RFC 3550, A.1). Their
 * media times differ as their arrivals do, except for queueing. */
#define MAX_MISORDER           100
#define MAX_TIME_DIFFERENCE_US (3 * (livetcp_usec)LIVETCP_USEC_SEC)

/* ---- probation ---- */

void lt_playout_clear_probation(livetcp_playout *p)
{
    lt_probation *probation = &p->probation;

    if (!probation->present)
        return;
    (*(probation->reason == LT_PROBATION_SSRC ? &p->counts.foreign : &p->counts.stray))++;
    lt_buffer_drop(&p->buffer, &probation->held);
    probation->present = false;
}

static bool holds(const livetcp_playout *p)
{
    return p->config.release != LIVETCP_PLAYOUT_TIMES_ONLY;
}

/* Copies the parts to hold: the bytes, or the token; with TIMES_ONLY neither. */
static lt_waiting *copy(const livetcp_playout *p, const lt_incoming *in)
{
    lt_waiting *waiting = lt_waiting_create(holds(p) && !in->token ? in->data : NULL, in->size);

    if (waiting && holds(p))
        waiting->token = in->token;
    return waiting;
}

static livetcp_result put_on_probation(livetcp_playout *p, const lt_incoming *in,
                                       lt_probation_reason reason, livetcp_usec media_us,
                                       livetcp_playout_slot *slot)
{
    lt_waiting *held = copy(p, in);

    if (!held)
        return LIVETCP_ERR_NO_MEMORY;
    lt_playout_clear_probation(p);
    p->probation = (lt_probation){
        .present = true, .reason = reason, .in = *in, .media_us = media_us, .held = held};
    slot->result = LIVETCP_PLAYOUT_PROBATION;
    slot->play_us = in->arrival_us + p->target_us;
    return LIVETCP_OK;
}

/* Removes and returns the packet on probation. */
static lt_waiting *release_probation(livetcp_playout *p, lt_incoming *in)
{
    lt_waiting *held = p->probation.held;

    *in = p->probation.in;
    p->probation.held = NULL;
    p->probation.present = false;
    return held;
}

/* ---- cases ---- */

static livetcp_result accept(livetcp_playout *p, const lt_incoming *in, uint64_t extended,
                             unsigned events, livetcp_playout_slot *slot)
{
    lt_waiting *waiting = copy(p, in);

    if (!waiting)
        return LIVETCP_ERR_NO_MEMORY;
    lt_playout_place(p, in, extended, events, waiting, slot);
    return LIVETCP_OK;
}

/* The second packet of a new stream confirms the one on probation. */
static livetcp_result confirm(livetcp_playout *p, const lt_incoming *in, uint64_t first,
                              uint64_t second, unsigned event, livetcp_playout_slot *slot)
{
    lt_incoming before;
    lt_waiting *held = release_probation(p, &before);

    lt_playout_restart_media(p, &before.header, before.arrival_us);
    lt_playout_place(p, &before, first, event, held, slot);
    if (slot->result == LIVETCP_PLAYOUT_LATE && before.token && holds(p))
        p->buffer.drop_token(before.token, p->buffer.user);
    return accept(p, in, second, 0, slot);
}

static livetcp_result start(livetcp_playout *p, const lt_incoming *in, unsigned event,
                            livetcp_playout_slot *slot)
{
    uint64_t extended = lt_playout_source_start(&p->source, &in->header, in->arrival_us);

    lt_playout_restart_media(p, &in->header, in->arrival_us);
    return accept(p, in, extended, event, slot);
}

static bool near(const lt_incoming *a, const lt_incoming *b)
{
    int distance = lt_seq_distance(a->header.sequence, b->header.sequence);

    return distance >= -MAX_MISORDER && distance <= MAX_MISORDER && distance != 0;
}

static livetcp_result take_foreign(livetcp_playout *p, const lt_incoming *in,
                                   livetcp_playout_slot *slot)
{
    const lt_probation *s = &p->probation;
    uint64_t first, second;

    if (!s->present || s->reason != LT_PROBATION_SSRC || s->in.header.ssrc != in->header.ssrc)
        return put_on_probation(p, in, LT_PROBATION_SSRC, 0, slot);
    if (s->in.header.sequence == in->header.sequence) {
        p->counts.duplicates++;
        return LIVETCP_OK;
    }
    if (!near(&s->in, in))
        return put_on_probation(p, in, LT_PROBATION_SSRC, 0, slot);
    p->counts.ssrc_changes++;
    first = lt_playout_source_start(&p->source, &s->in.header, s->in.arrival_us);
    second = lt_seq_extend(first, in->header.sequence);
    return confirm(p, in, first, second, LIVETCP_PLAYOUT_SSRC_CHANGED, slot);
}

static livetcp_result take_restart(livetcp_playout *p, const lt_incoming *in,
                                   livetcp_playout_slot *slot)
{
    const lt_probation *s = &p->probation;
    uint64_t first, second;

    p->counts.sequence_resets++;
    lt_playout_source_restart(&p->source, in->header.sequence, &first, &second);
    if (s->present && s->reason == LT_PROBATION_SEQUENCE && near(&s->in, in) &&
        s->in.header.sequence == (uint16_t)first)
        return confirm(p, in, first, second, LIVETCP_PLAYOUT_SEQUENCE_RESET, slot);
    lt_playout_restart_media(p, &in->header, in->arrival_us);
    return accept(p, in, second, LIVETCP_PLAYOUT_SEQUENCE_RESET, slot);
}

/* The packet has the next number, but an impossible timestamp. */
static livetcp_result take_jump(livetcp_playout *p, const lt_incoming *in, uint64_t extended,
                                livetcp_usec media_us, livetcp_playout_slot *slot)
{
    const lt_probation *s = &p->probation;
    livetcp_usec apart = media_us - s->media_us - (in->arrival_us - s->in.arrival_us);
    uint64_t first;

    if (!s->present || s->reason != LT_PROBATION_TIME || !near(&s->in, in) ||
        apart > MAX_TIME_DIFFERENCE_US || apart < -MAX_TIME_DIFFERENCE_US)
        return put_on_probation(p, in, LT_PROBATION_TIME, media_us, slot);
    p->counts.timestamp_resets++;
    first = lt_seq_extend(extended, s->in.header.sequence);
    return confirm(p, in, first, extended, LIVETCP_PLAYOUT_TIMESTAMP_RESET, slot);
}

static livetcp_result take_new(livetcp_playout *p, const lt_incoming *in, uint64_t extended,
                               livetcp_playout_slot *slot)
{
    int64_t timestamp = lt_timeline_extend(&p->timeline, in->header.timestamp);
    livetcp_usec media_us = lt_timeline_media(&p->timeline, timestamp);
    bool jumps = lt_timeline_jumps(&p->timeline, timestamp, in->arrival_us, p->queueing_us);

    if (extended > p->highest && jumps)
        return take_jump(p, in, extended, media_us, slot);
    if (jumps && media_us > p->timeline.media_us) {
        p->counts.stray++; /* from before a restart; it would delay all that follows */
        slot->result = LIVETCP_PLAYOUT_LATE;
        return LIVETCP_OK;
    }
    if (p->probation.present && p->probation.reason != LT_PROBATION_SEQUENCE)
        lt_playout_clear_probation(p);
    return accept(p, in, extended, 0, slot);
}

/* The waiting packet with this number, if it is a copy that this packet should replace. */
static lt_waiting *find_secondary(const livetcp_playout *p, const lt_incoming *in,
                                  uint64_t extended)
{
    lt_waiting *waiting = lt_buffer_find(&p->buffer, extended);
    bool better = waiting && waiting->flags & LIVETCP_PLAYOUT_REDUNDANT &&
                  !(in->flags & LIVETCP_PLAYOUT_REDUNDANT);

    return better && !waiting->gone && waiting->timestamp == in->header.timestamp &&
                   (in->arrival_us <= waiting->play_us || waiting->late)
               ? waiting
               : NULL;
}

/* A packet with a known number. A primary replaces its copy; without memory the copy is played. */
static livetcp_result take_again(livetcp_playout *p, const lt_incoming *in, uint64_t extended,
                                 livetcp_playout_slot *slot)
{
    lt_waiting *secondary = find_secondary(p, in, extended);
    lt_waiting *primary = secondary ? copy(p, in) : NULL;

    p->counts.duplicates++;
    if (!primary)
        return LIVETCP_OK;
    lt_buffer_replace(&p->buffer, secondary, primary);
    primary->arrival_us = in->arrival_us;
    primary->flags = in->flags;
    slot->result = primary->late ? LIVETCP_PLAYOUT_PLAY_LATE : LIVETCP_PLAYOUT_PLAY;
    slot->events = LIVETCP_PLAYOUT_REPLACES;
    lt_playout_describe(p, primary, slot);
    return LIVETCP_OK;
}

livetcp_result lt_playout_take(livetcp_playout *p, const lt_incoming *in,
                               livetcp_playout_slot *slot)
{
    uint64_t extended = 0;

    if (!p->source.started || !p->timeline.started)
        return start(p, in, 0, slot);
    slot->result = LIVETCP_PLAYOUT_DUPLICATE;
    switch (lt_playout_source_classify(&p->source, &in->header, in->arrival_us, &extended)) {
    case LT_PLAYOUT_SOURCE_NEW:
        return take_new(p, in, extended, slot);
    case LT_PLAYOUT_SOURCE_FOREIGN:
        return take_foreign(p, in, slot);
    case LT_PLAYOUT_SOURCE_JUMP:
        return put_on_probation(p, in, LT_PROBATION_SEQUENCE, 0, slot);
    case LT_PLAYOUT_SOURCE_RESTART:
        return take_restart(p, in, slot);
    case LT_PLAYOUT_SOURCE_DUPLICATE:
        break;
    }
    return take_again(p, in, extended, slot);
}
