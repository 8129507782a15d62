/* SPDX-License-Identifier: MIT */
/* Places a packet: determines its number, media time and play time. */
#include "playout/place.h"

#include "base/usec.h"

/* Time for the first packets of several connections, which may overtake each other. */
#define START_US (50 * LIVETCP_USEC_MSEC)

/* Maximum time until a stream's minimum transit time has been seen. */
#define YOUNG_US (2 * (livetcp_usec)LIVETCP_USEC_SEC)

/* A packet with its number and media time. */
typedef struct placing {
    const lt_incoming *in;
    uint64_t extended;
    int64_t timestamp;
    livetcp_usec media_us;
    unsigned events;
} placing;

/* ---- clock and path ---- */

void lt_playout_restart_media(livetcp_playout *p, const lt_rtp_header *header,
                              livetcp_usec arrival_us)
{
    lt_timeline_start(&p->timeline, header->timestamp, arrival_us);
    lt_transit_restart(&p->transit);
    lt_interval_restart(&p->interval);
    lt_playout_schedule_restart(&p->schedule);
    p->talkspurt.started = false;
    p->epoch = UINT64_MAX;
    p->epoch_us = arrival_us;
    p->frame_media_us = p->timeline.media_us;
    p->frame_queueing_us = 0;
    p->start_us = arrival_us + lt_usec_min(START_US, p->target_us);
}

static void measure_transit(livetcp_playout *p, placing *at)
{
    livetcp_usec arrival_us = at->in->arrival_us, base_us;
    livetcp_usec standing_us = p->counts.standing_queue_us;
    lt_transit_move move;

    base_us = p->transit.started ? lt_transit_base(&p->transit, at->media_us) : 0;
    move = lt_transit_add(&p->transit, at->media_us, arrival_us);
    if (move == LT_TRANSIT_LOWER)
        lt_playout_delay_reset(&p->delay);
    if (move == LT_TRANSIT_HIGHER) {
        lt_playout_delay_rebase(&p->delay, lt_transit_base(&p->transit, at->media_us) - base_us);
        at->events |= LIVETCP_PLAYOUT_BASE_MOVED;
        p->counts.base_moves++;
    }
    p->queueing_us = arrival_us - at->media_us - lt_transit_base(&p->transit, at->media_us);
    p->counts.standing_queue_us = lt_transit_standing_queue(&p->transit);
    if (p->counts.standing_queue_us > p->counts.max_standing_queue_us)
        p->counts.max_standing_queue_us = p->counts.standing_queue_us;
    if (p->counts.standing_queue_us && !standing_us)
        at->events |= LIVETCP_PLAYOUT_STANDING_QUEUE;
}

/* Delays are measured per packet, or for video per frame, which is complete with its last packet.
 */
static void measure_delay(livetcp_playout *p, const placing *at)
{
    livetcp_usec duration_us = lt_interval_duration_us(&p->interval);

    if (p->config.media == LIVETCP_PLAYOUT_AUDIO) {
        lt_playout_delay_add(&p->delay, p->queueing_us, duration_us);
        return;
    }
    if (at->media_us != p->frame_media_us) {
        lt_playout_delay_add(&p->delay, p->frame_queueing_us, duration_us);
        p->frame_media_us = at->media_us;
        p->frame_queueing_us = 0;
    }
    if (p->queueing_us > p->frame_queueing_us)
        p->frame_queueing_us = p->queueing_us;
}

/* RFC 3550, section 6.4.1. */
static void measure_jitter(livetcp_playout *p, const placing *at)
{
    livetcp_usec passed = at->in->arrival_us - p->timeline.arrival_us;
    livetcp_usec off = passed - (at->media_us - p->timeline.media_us);

    p->jitter_us += ((double)(off < 0 ? -off : off) - p->jitter_us) / 16;
}

/* ---- position in the stream ---- */

/* Decides whether the delay may change here. Call it before the timeline advances. */
static lt_playout_schedule_place place_of(livetcp_playout *p, placing *at)
{
    livetcp_usec duration_us = lt_interval_duration_us(&p->interval);
    livetcp_usec media = at->media_us - p->timeline.media_us;
    bool follows = p->highest && !lt_playout_breaks(p->highest, at->extended);
    livetcp_usec silence =
        follows ? media - (livetcp_usec)(at->extended - p->highest) * duration_us : 0;

    if (p->config.media == LIVETCP_PLAYOUT_VIDEO)
        return at->in->flags & LIVETCP_PLAYOUT_KEY_FRAME && media != 0 ? LT_PLAYOUT_START
                                                                       : LT_PLAYOUT_INSIDE;
    if (!lt_talkspurt_starts(&p->talkspurt, at->in->header.marker, silence, duration_us,
                             at->in->arrival_us))
        return LT_PLAYOUT_INSIDE;
    at->events |= LIVETCP_PLAYOUT_TALKSPURT;
    return LT_PLAYOUT_START;
}

/* True if a packet from before a jump was played at this time. */
static bool is_taken(const livetcp_playout *p, livetcp_usec play_us)
{
    return p->flowing && p->config.mode != LIVETCP_PLAYOUT_NONE &&
           p->config.release != LIVETCP_PLAYOUT_IN_ORDER &&
           play_us < p->last_us + lt_interval_duration_us(&p->interval) / 2;
}

/* A packet that must be played late, or that a jump places before the last item, follows that item.
 */
static livetcp_usec in_sequence(const livetcp_playout *p, livetcp_usec play_us)
{
    bool keeps = p->schedule.video || p->config.release == LIVETCP_PLAYOUT_IN_ORDER;

    return keeps && p->flowing && play_us < p->last_us ? p->last_us : play_us;
}

/* Moves the play times of waiting packets by the new offset. A packet whose time is then past is
 * not played, unless the renderer decides about late ones. */
static void retime(livetcp_playout *p, livetcp_usec offset_us, livetcp_usec now)
{
    for (lt_waiting *waiting = p->buffer.first; waiting; waiting = waiting->after) {
        if (waiting->extended < p->epoch)
            continue;
        waiting->play_us =
            in_sequence(p, lt_usec_min(waiting->play_us, waiting->media_us + offset_us));
        if (p->schedule.video || p->config.release == LIVETCP_PLAYOUT_IN_ORDER)
            waiting->late = waiting->play_us < now;
        else if (waiting->play_us < now || is_taken(p, waiting->play_us))
            lt_buffer_forgo(&p->buffer, waiting);
    }
}

static livetcp_usec place(livetcp_playout *p, placing *at, lt_playout_schedule_place where)
{
    lt_playout_schedule_result result;
    lt_playout_schedule_input input = {.extended = at->extended,
                                       .media_us = at->media_us,
                                       .duration_us = lt_interval_duration_us(&p->interval),
                                       .base_us = lt_transit_base(&p->transit, at->media_us),
                                       .max_us = p->config.max_latency_us,
                                       .place = where};

    p->target_us =
        lt_playout_delay_target(&p->delay, &p->path, lt_interval_packet_rate(&p->interval));
    if (p->config.mode == LIVETCP_PLAYOUT_NONE)
        return at->in->arrival_us;
    input.target_us = p->target_us;
    input.stretches = p->config.mode == LIVETCP_PLAYOUT_POLICY_AWARE;
    input.young = at->in->arrival_us - p->epoch_us < YOUNG_US;
    result = lt_playout_schedule_next(&p->schedule, &input);
    if (result.changed)
        at->events |= LIVETCP_PLAYOUT_DELAY_CHANGED;
    result.play_us = in_sequence(p, result.play_us);
    if (result.resync) {
        at->events |= LIVETCP_PLAYOUT_RESYNC;
        retime(p, p->schedule.offset_us, at->in->arrival_us);
    }
    p->counts.delay_changes += result.changed;
    p->counts.resyncs += result.resync;
    return result.play_us;
}

static void count_delay(livetcp_playout *p, const placing *at, lt_playout_schedule_place where)
{
    livetcp_usec second = at->in->arrival_us / LIVETCP_USEC_SEC;

    if (p->config.media == LIVETCP_PLAYOUT_AUDIO ? where == LT_PLAYOUT_START
                                                 : second != p->outcome.delays_second) {
        lt_series_add(&p->outcome.delays, (double)p->delay_us);
        p->outcome.delays_second = second;
    }
}

/* Places the next packet in sequence. Returns its play time. */
static livetcp_usec place_newest(livetcp_playout *p, placing *at)
{
    lt_playout_schedule_place where = place_of(p, at);
    livetcp_usec play_us;

    measure_jitter(p, at);
    measure_transit(p, at);
    lt_interval_add(&p->interval, at->extended, at->timestamp);
    measure_delay(p, at);
    if (lt_timeline_advance(&p->timeline, at->timestamp, at->in->arrival_us))
        at->events |= LIVETCP_PLAYOUT_WRONG_CLOCK_RATE;
    play_us = place(p, at, where);
    p->delay_us = play_us - at->media_us - lt_transit_base(&p->transit, at->media_us);
    p->highest = at->extended;
    count_delay(p, at, where);
    return play_us;
}

/* Measures an overtaken packet, which may be the last one of a frame. */
static void measure_overtaken(livetcp_playout *p, const placing *at)
{
    livetcp_usec queueing_us =
        at->in->arrival_us - at->media_us - lt_transit_base(&p->transit, at->media_us);

    if (p->config.media == LIVETCP_PLAYOUT_AUDIO || at->media_us != p->frame_media_us)
        lt_playout_delay_add_overtaken(&p->delay, queueing_us);
    else if (queueing_us > p->frame_queueing_us)
        p->frame_queueing_us = queueing_us;
}

static livetcp_usec place_earlier(livetcp_playout *p, const placing *at)
{
    livetcp_usec latest_us = at->in->arrival_us + p->config.max_latency_us;

    measure_overtaken(p, at);
    if (p->config.mode == LIVETCP_PLAYOUT_NONE)
        return at->in->arrival_us;
    return lt_usec_min(lt_playout_schedule_earlier(&p->schedule, at->extended, at->media_us,
                                                   lt_interval_duration_us(&p->interval)),
                       latest_us);
}

/* ---- holding packets ---- */

static livetcp_playout_result classify(const livetcp_playout *p, const placing *at,
                                       livetcp_usec play_us)
{
    bool late = at->in->arrival_us > play_us;

    if (p->started && at->extended < p->next)
        return LIVETCP_PLAYOUT_LATE;
    if ((late || is_taken(p, play_us)) && p->config.media == LIVETCP_PLAYOUT_AUDIO)
        return LIVETCP_PLAYOUT_LATE;
    return late ? LIVETCP_PLAYOUT_PLAY_LATE : LIVETCP_PLAYOUT_PLAY;
}

static void make_room(livetcp_playout *p, size_t bytes)
{
    while (p->buffer.packets >= p->config.capacity_packets ||
           p->buffer.bytes + bytes > p->config.capacity_bytes) {
        lt_waiting *oldest = lt_buffer_take(&p->buffer);
        if (!oldest)
            return;
        if (!p->started || lt_playout_breaks(p->next, oldest->extended))
            p->begin = oldest->extended;
        else
            lt_playout_outcome_missed(&p->outcome, oldest->extended - p->next, false);
        lt_playout_outcome_overflowed(&p->outcome, 1);
        p->started = true;
        p->next = oldest->extended + 1;
        p->broken = true;
        lt_buffer_drop(&p->buffer, &oldest);
    }
}

/* Fills in the fields that the caller of lt_playout_place() left empty. */
static void fill(const placing *at, lt_waiting *waiting, livetcp_usec play_us)
{
    waiting->extended = at->extended;
    waiting->ssrc = at->in->header.ssrc;
    waiting->timestamp = at->in->header.timestamp;
    waiting->media_us = at->media_us;
    waiting->arrival_us = at->in->arrival_us;
    waiting->play_us = play_us;
    waiting->flags = at->in->flags;
    waiting->events = at->events;
}

/* Takes over the packet; of a late one, only its position. */
static void hold(livetcp_playout *p, const placing *at, lt_waiting *waiting,
                 livetcp_playout_result result)
{
    if (result == LIVETCP_PLAYOUT_LATE) {
        waiting->token = NULL;
        waiting->gone = true;
        if (p->started && at->extended < p->next) {
            lt_playout_outcome_came_late(&p->outcome, at->extended >= p->begin);
            lt_buffer_drop(&p->buffer, &waiting);
            return;
        }
    }
    waiting->late = result == LIVETCP_PLAYOUT_PLAY_LATE;
    make_room(p, waiting->size);
    lt_buffer_insert(&p->buffer, waiting);
}

void lt_playout_describe(const livetcp_playout *p, const lt_waiting *waiting,
                         livetcp_playout_slot *slot)
{
    livetcp_usec base_us = lt_transit_base(&p->transit, waiting->media_us);

    slot->extended_sequence = waiting->extended;
    slot->play_us = waiting->play_us;
    slot->delay_us = waiting->play_us - waiting->media_us - base_us;
    slot->queueing_us = waiting->arrival_us - waiting->media_us - base_us;
    slot->duration_us = lt_interval_duration_us(&p->interval);
}

void lt_playout_place(livetcp_playout *p, const lt_incoming *in, uint64_t extended, unsigned events,
                      lt_waiting *waiting, livetcp_playout_slot *slot)
{
    placing at = {.in = in, .extended = extended, .events = events};
    livetcp_playout_result result;
    livetcp_usec play_us;

    at.timestamp = lt_timeline_extend(&p->timeline, in->header.timestamp);
    at.media_us = lt_timeline_media(&p->timeline, at.timestamp);
    if (p->epoch == UINT64_MAX)
        p->epoch = extended;
    lt_playout_source_accept(&p->source, extended, in->header.timestamp, in->arrival_us);
    play_us = extended > p->highest ? place_newest(p, &at) : place_earlier(p, &at);
    result = classify(p, &at, play_us);
    if (p->config.media == LIVETCP_PLAYOUT_AUDIO)
        lt_talkspurt_on_played(&p->talkspurt, result == LIVETCP_PLAYOUT_LATE, in->arrival_us);
    slot->result = result;
    slot->events |= at.events;
    fill(&at, waiting, play_us);
    lt_playout_describe(p, waiting, slot);
    hold(p, &at, waiting, result);
}
