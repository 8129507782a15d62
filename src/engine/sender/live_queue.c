/* SPDX-License-Identifier: MIT */
#include "engine/sender/live_queue.h"

#include "base/usec.h"
#include "engine/sender/shedding.h"

/* Interval between scans of the whole queue: this fraction of the limit, which is also the error of
 * the drop times, but not below the minimum. */
#define SCAN_SHARE  128
#define SCAN_MIN_US 1000

/* Time after which a postponed key-frame request is considered again. */
#define POSTPONE_US 20000

/* Minimum interval between warnings of dropped key frames. */
#define WARN_EVERY_US 1000000

/* ---- creation ---- */

bool lt_live_queue_init(lt_live_queue *queue, const livetcp_config *config, double extra,
                        lt_events *events)
{
    *queue =
        (lt_live_queue){.packets = lt_send_queue_create(config->queue_packets, config->queue_bytes),
                        .max_delay_us = config->max_send_delay_us,
                        .rates.extra = extra,
                        .events = events,
                        .check_us = LIVETCP_NEVER,
                        .scan_from_us = INT64_MIN,
                        .key_warn_from_us = INT64_MIN};
    return queue->packets != NULL;
}

void lt_live_queue_configure(lt_live_queue *queue, const livetcp_config *config, double extra)
{
    queue->rates.extra = extra;
    if (queue->max_delay_us == config->max_send_delay_us)
        return;
    queue->max_delay_us = config->max_send_delay_us;
    queue->limit_warned = false;
    queue->check_us = INT64_MIN; /* packets may be late by the new limit */
    queue->scan_from_us = INT64_MIN;
}

void lt_live_queue_clear(lt_live_queue *queue)
{
    lt_send_queue_destroy(&queue->packets);
}

/* ---- counters and notifications ---- */

static void count(lt_drop_count *counts, livetcp_importance dropped)
{
    counts->packets++;
    counts->droppable += dropped == LIVETCP_IMPORTANCE_DROPPABLE;
    counts->delta += dropped == LIVETCP_IMPORTANCE_DELTA;
    counts->audio += dropped == LIVETCP_IMPORTANCE_AUDIO;
    counts->key += dropped == LIVETCP_IMPORTANCE_KEY;
}

static void note_lost_key(lt_live_queue *queue, const lt_packet *packet)
{
    if (lt_packet_class(packet) != LIVETCP_IMPORTANCE_KEY)
        return;
    queue->key_lost = true;
    queue->key_lost_ssrc = packet->ssrc;
}

static void count_drop(lt_live_queue *queue, const lt_packet *packet, lt_drop_reason reason)
{
    count(reason == LT_DROP_LATE ? &queue->late : &queue->full, lt_packet_class(packet));
    note_lost_key(queue, packet);
}

/* Requests need the time: see request_keyframes(). */
static void schedule_keyframes(lt_live_queue *queue)
{
    if (queue->key_lost || lt_keyframes_due(&queue->keyframes) < LIVETCP_NEVER)
        queue->check_us = INT64_MIN;
}

void lt_live_queue_lost(lt_live_queue *queue, const lt_packet *packet)
{
    note_lost_key(queue, packet);
    lt_keyframes_want(&queue->keyframes, packet);
    schedule_keyframes(queue);
}

/* ---- removing marked packets ---- */

/* Walks from the newest packet to the oldest: a drop breaks references only if no key frame behind
 * it restores them. */
static void find_broken_references(lt_live_queue *queue)
{
    lt_keyframe_stream *stream;

    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++)
        queue->keyframes.streams[i].key_behind = false;
    for (size_t i = lt_send_queue_packets(queue->packets); i--;) {
        const lt_packet *packet = lt_send_queue_at(queue->packets, i);
        stream = lt_keyframes_find(&queue->keyframes, packet->ssrc);
        if (!stream || packet->rtcp)
            continue;
        if (!packet->shed && packet->importance == LIVETCP_IMPORTANCE_KEY)
            stream->key_behind = true;
        else if (packet->shed && !stream->key_behind)
            lt_keyframes_want(&queue->keyframes, packet);
    }
}

typedef struct removal {
    lt_live_queue *queue;
    lt_drop_reason reason;
} removal;

static void drop(void *user, lt_packet *packet)
{
    const removal *r = user;

    count_drop(r->queue, packet, r->reason);
    lt_packet_unref(&packet);
}

static void remove_shed(lt_live_queue *queue, lt_drop_reason reason)
{
    removal r = {queue, reason};
    const lt_packet *packet;

    for (size_t i = 0; (packet = lt_send_queue_at(queue->packets, i)); i++)
        if (packet->shed)
            lt_keyframes_dropped(&queue->keyframes, packet, reason);
    find_broken_references(queue);
    lt_send_queue_sweep(queue->packets, drop, &r);
    schedule_keyframes(queue);
}

/* ---- into the queue ---- */

/* Rejects a new packet, and drops the rest of its frame in the queue. */
static void reject(lt_live_queue *queue, lt_packet *packet, size_t position, lt_drop_reason reason)
{
    count_drop(queue, packet, reason);
    lt_keyframes_dropped(&queue->keyframes, packet, reason);
    lt_keyframes_want(&queue->keyframes, packet);
    lt_shed_frame(queue->packets, packet, position);
    remove_shed(queue, reason);
    lt_packet_unref(&packet);
}

static bool make_room(lt_live_queue *queue, const lt_packet *packet, bool newest)
{
    if (lt_send_queue_fits(queue->packets, lt_packet_size(packet)))
        return true;
    if (!lt_shed_for_space(queue->packets, packet, newest))
        return false;
    remove_shed(queue, LT_DROP_QUEUE_FULL);
    return true;
}

livetcp_result lt_live_queue_push(lt_live_queue *queue, lt_packet *packet)
{
    livetcp_result result = lt_send_queue_reserve(queue->packets, lt_packet_size(packet));
    size_t end = lt_send_queue_packets(queue->packets);
    lt_drop_reason reason = LT_DROP_QUEUE_FULL;

    if (result != LIVETCP_OK)
        return result;
    bool room = make_room(queue, packet, true);
    if (!room || lt_keyframes_is_remnant(&queue->keyframes, packet, &reason)) {
        reject(queue, packet, room ? lt_send_queue_packets(queue->packets) : end, reason);
        return LIVETCP_OK;
    }
    lt_keyframes_queued(&queue->keyframes, packet);
    return lt_send_queue_push(queue->packets, packet);
}

bool lt_live_queue_put_back(lt_live_queue *queue, lt_packet *packet)
{
    packet->shed = 0;
    return lt_send_queue_reserve(queue->packets, lt_packet_size(packet)) == LIVETCP_OK &&
           make_room(queue, packet, false) &&
           lt_send_queue_push_front(queue->packets, packet) == LIVETCP_OK;
}

/* ---- late packets ---- */

lt_send_delay lt_live_queue_delay(const lt_live_queue *queue, const lt_links *links,
                                  livetcp_usec now)
{
    return lt_send_delay_measure(lt_links_paths(links), lt_links_count(links), &queue->rates, now);
}

livetcp_usec lt_live_queue_limit(const lt_live_queue *queue, const lt_links *links)
{
    livetcp_usec asked = queue->max_delay_us, min = lt_links_min_round_trip(links);

    return asked && asked < min ? min : asked;
}

/* Warns once if max-send-delay is below what the path takes: the limit is then raised, since
 * everything would be dropped. */
static void warn_if_raised(lt_live_queue *queue, livetcp_usec limit)
{
    if (limit == queue->max_delay_us || queue->limit_warned)
        return;
    queue->limit_warned = true;
    lt_events_add(queue->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                         .reason = LIVETCP_ERR_INVALID_ARGUMENT,
                                                         .asked_us = queue->max_delay_us,
                                                         .used_us = limit});
}

/* Time until the oldest packet may be late if nothing is sent; 0 or less: some packets may be late
 * now. It is a lower bound, since no packet is older, and none has more bytes ahead. */
static livetcp_usec time_left(const lt_live_queue *queue, const lt_send_delay *delay,
                              livetcp_usec limit, livetcp_usec now)
{
    livetcp_usec since = lt_send_queue_oldest_us(queue->packets);
    livetcp_usec worst = lt_send_delay_behind(delay, lt_send_queue_bytes(queue->packets));

    return since == LIVETCP_NEVER ? since : limit - (now - since) - worst;
}

static void shed_late(lt_live_queue *queue, const lt_links *links, livetcp_usec limit,
                      livetcp_usec now)
{
    livetcp_usec interval = limit / SCAN_SHARE > SCAN_MIN_US ? limit / SCAN_SHARE : SCAN_MIN_US;
    livetcp_usec left;
    lt_send_delay delay;

    if (!lt_send_queue_packets(queue->packets))
        return;
    delay = lt_live_queue_delay(queue, links, now);
    left = time_left(queue, &delay, limit, now);
    if (left < 0 && now >= queue->scan_from_us) {
        queue->scan_from_us = now + interval;
        if (lt_shed_late(queue->packets, &delay, limit, now))
            remove_shed(queue, LT_DROP_LATE);
        left = time_left(queue, &delay, limit, now);
    }
    queue->check_us = left == LIVETCP_NEVER ? left : now + (left > interval ? left : interval);
}

/* ---- key frames ---- */

/* A request helps only if no key frame waits in the queue already, which would just become longer,
 * and if a connection is open. */
static bool is_useful_request(const lt_live_queue *queue, const lt_links *links, uint32_t ssrc)
{
    const lt_packet *packet;

    if (!lt_links_open_count(links))
        return false;
    for (size_t i = 0; (packet = lt_send_queue_at(queue->packets, i)); i++)
        if (!packet->rtcp && packet->ssrc == ssrc && packet->importance == LIVETCP_IMPORTANCE_KEY)
            return false;
    return true;
}

static void request_keyframes(lt_live_queue *queue, const lt_links *links, livetcp_usec now)
{
    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++) {
        lt_keyframe_stream *stream = &queue->keyframes.streams[i];
        if (!stream->wanted || now < stream->not_before_us)
            continue;
        if (!is_useful_request(queue, links, stream->ssrc)) {
            stream->not_before_us = now + POSTPONE_US;
            continue;
        }
        lt_keyframes_requested(stream, lt_links_round_trip(links), now);
        queue->keyframes_wanted++;
        lt_events_add(queue->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_KEYFRAME_WANTED,
                                                             .ssrc = stream->ssrc});
    }
}

static void warn_of_lost_key(lt_live_queue *queue, livetcp_usec now)
{
    if (!queue->key_lost || now < queue->key_warn_from_us)
        return;
    queue->key_lost = false;
    queue->key_warn_from_us = now + WARN_EVERY_US;
    lt_events_add(queue->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                         .reason = LIVETCP_ERR_KEYFRAME_DROPPED,
                                                         .ssrc = queue->key_lost_ssrc});
}

void lt_live_queue_drop_late(lt_live_queue *queue, const lt_links *links, livetcp_usec now)
{
    livetcp_usec limit = lt_live_queue_limit(queue, links);

    queue->check_us = LIVETCP_NEVER;
    if (limit) {
        warn_if_raised(queue, limit);
        shed_late(queue, links, limit, now);
    }
    warn_of_lost_key(queue, now);
    request_keyframes(queue, links, now);
    queue->check_us = lt_usec_min(queue->check_us, lt_keyframes_due(&queue->keyframes));
    if (queue->key_lost)
        queue->check_us = lt_usec_min(queue->check_us, queue->key_warn_from_us);
}

/* ---- statistics ---- */

void lt_live_queue_gather(const lt_live_queue *queue, const lt_links *links, livetcp_usec now,
                          livetcp_session_stats *stats)
{
    livetcp_usec since = lt_send_queue_oldest_us(queue->packets);
    lt_send_delay delay = lt_live_queue_delay(queue, links, now);

    stats->sent.queue_packets = lt_send_queue_packets(queue->packets);
    stats->sent.queue_bytes = lt_send_queue_bytes(queue->packets);
    stats->sent.queue_delay_us = since == LIVETCP_NEVER ? 0 : now - since;
    stats->sent.inferred_delay_us =
        delay.usable ? lt_send_delay_behind(&delay, stats->sent.queue_bytes) : -1;
    stats->sent.delay_limit_us = lt_live_queue_limit(queue, links);
    stats->dropped.late = queue->late.packets;
    stats->dropped.late_droppable = queue->late.droppable;
    stats->dropped.late_delta = queue->late.delta;
    stats->dropped.late_audio = queue->late.audio;
    stats->dropped.late_key = queue->late.key;
    stats->dropped.queue_full = queue->full.packets;
    stats->dropped.full_droppable = queue->full.droppable;
    stats->dropped.full_delta = queue->full.delta;
    stats->dropped.full_audio = queue->full.audio;
    stats->dropped.full_key = queue->full.key;
    stats->sent.keyframes_wanted = queue->keyframes_wanted;
}
