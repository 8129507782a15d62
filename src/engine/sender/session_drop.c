/* SPDX-License-Identifier: MIT */
/* Into the send queue, and out of it again without being sent: what is too late, or too much. */
#include "engine/session_internal.h"

#include "engine/sender/shedding.h"

/* How often the whole queue may be looked at: a share of the limit, which is how inexact dropping
 * is then, but not more often than this. */
#define SCAN_SHARE  128
#define SCAN_MIN_US 1000

/* How soon a request for a key frame that had to be put off is thought about again. */
#define POSTPONE_US 20000

/* Dropped key frames are told of at most so often. */
#define WARN_EVERY_US 1000000

void lt_session_prepare_drops(livetcp_engine *session)
{
    session->late_check_us = LIVETCP_NEVER;
    session->late_scan_from_us = INT64_MIN;
    session->key_warning_from_us = INT64_MIN;
}

/* ---- what is counted, and who must know ---- */

static void count_late(livetcp_session_stats *stats, livetcp_importance dropped)
{
    stats->dropped.late++;
    stats->dropped.late_droppable += dropped == LIVETCP_IMPORTANCE_DROPPABLE;
    stats->dropped.late_delta += dropped == LIVETCP_IMPORTANCE_DELTA;
    stats->dropped.late_audio += dropped == LIVETCP_IMPORTANCE_AUDIO;
    stats->dropped.late_key += dropped == LIVETCP_IMPORTANCE_KEY;
}

static void count_full(livetcp_session_stats *stats, livetcp_importance dropped)
{
    stats->dropped.queue_full++;
    stats->dropped.full_droppable += dropped == LIVETCP_IMPORTANCE_DROPPABLE;
    stats->dropped.full_delta += dropped == LIVETCP_IMPORTANCE_DELTA;
    stats->dropped.full_audio += dropped == LIVETCP_IMPORTANCE_AUDIO;
    stats->dropped.full_key += dropped == LIVETCP_IMPORTANCE_KEY;
}

static void count_drop(livetcp_engine *session, const lt_packet *packet, lt_drop_reason reason)
{
    livetcp_importance dropped = lt_packet_class(packet);

    if (reason == LT_DROP_LATE)
        count_late(&session->stats, dropped);
    else
        count_full(&session->stats, dropped);
    if (dropped == LIVETCP_IMPORTANCE_KEY) {
        session->key_lost = true;
        session->key_lost_ssrc = packet->ssrc;
    }
}

/* Requests are made where the time is known; see ask_for_keyframes(). */
static void attend_keyframes(livetcp_engine *session)
{
    if (session->key_lost || lt_keyframes_due(&session->keyframes) < LIVETCP_NEVER)
        session->late_check_us = INT64_MIN;
}

void lt_session_note_loss(livetcp_engine *session, const lt_packet *packet)
{
    if (lt_packet_class(packet) == LIVETCP_IMPORTANCE_KEY) {
        session->key_lost = true;
        session->key_lost_ssrc = packet->ssrc;
    }
    lt_keyframes_want(&session->keyframes, packet);
    attend_keyframes(session);
}

/* ---- removing what is marked ---- */

/* From the newest packet to the oldest: a drop breaks references only as long as no key frame
 * behind it mends them. */
static void note_broken_references(livetcp_engine *session)
{
    lt_keyframe_stream *stream;

    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++)
        session->keyframes.streams[i].key_behind = false;
    for (size_t i = lt_send_queue_packets(session->queue); i--;) {
        const lt_packet *packet = lt_send_queue_at(session->queue, i);
        stream = lt_keyframes_find(&session->keyframes, packet->ssrc);
        if (!stream || packet->rtcp)
            continue;
        if (!packet->doomed && packet->importance == LIVETCP_IMPORTANCE_KEY)
            stream->key_behind = true;
        else if (packet->doomed && !stream->key_behind)
            lt_keyframes_want(&session->keyframes, packet);
    }
}

typedef struct removal {
    livetcp_engine *session;
    lt_drop_reason reason;
} removal;

static void drop(void *user, lt_packet *packet)
{
    const removal *r = user;

    count_drop(r->session, packet, r->reason);
    lt_packet_unref(&packet);
}

static void remove_doomed(livetcp_engine *session, lt_drop_reason reason)
{
    removal r = {session, reason};
    const lt_packet *packet;

    for (size_t i = 0; (packet = lt_send_queue_at(session->queue, i)); i++)
        if (packet->doomed)
            lt_keyframes_dropped(&session->keyframes, packet, reason);
    note_broken_references(session);
    lt_send_queue_sweep(session->queue, drop, &r);
    attend_keyframes(session);
}

/* ---- into the queue ---- */

/* A packet that does not get into the queue, and what is left of its frame there. */
static void turn_away(livetcp_engine *session, lt_packet *packet, size_t position,
                      lt_drop_reason reason)
{
    count_drop(session, packet, reason);
    lt_keyframes_dropped(&session->keyframes, packet, reason);
    lt_keyframes_want(&session->keyframes, packet);
    lt_shed_frame(session->queue, packet, position);
    remove_doomed(session, reason);
    lt_packet_unref(&packet);
}

static bool make_room(livetcp_engine *session, const lt_packet *packet, bool newest)
{
    if (lt_send_queue_fits(session->queue, lt_packet_size(packet)))
        return true;
    if (!lt_shed_for_room(session->queue, packet, newest))
        return false;
    remove_doomed(session, LT_DROP_QUEUE_FULL);
    return true;
}

livetcp_result lt_session_enqueue(livetcp_engine *session, lt_packet *packet)
{
    livetcp_result result = lt_send_queue_reserve(session->queue, lt_packet_size(packet));
    size_t end = lt_send_queue_packets(session->queue);
    lt_drop_reason reason = LT_DROP_QUEUE_FULL;

    if (result != LIVETCP_OK)
        return result;
    bool room = make_room(session, packet, true);
    if (!room || lt_keyframes_is_remnant(&session->keyframes, packet, &reason)) {
        turn_away(session, packet, room ? lt_send_queue_packets(session->queue) : end, reason);
        return LIVETCP_OK;
    }
    lt_keyframes_queued(&session->keyframes, packet);
    return lt_send_queue_push(session->queue, packet);
}

bool lt_session_put_back(livetcp_engine *session, lt_packet *packet)
{
    packet->doomed = 0;
    return lt_send_queue_reserve(session->queue, lt_packet_size(packet)) == LIVETCP_OK &&
           make_room(session, packet, false) &&
           lt_send_queue_push_front(session->queue, packet) == LIVETCP_OK;
}

/* ---- late ---- */

lt_send_delay lt_session_send_delay(const livetcp_engine *session, livetcp_usec now)
{
    double extra = session->policy->cost ? session->policy->cost(&session->config) : 0;

    return lt_send_delay_measure(session->paths, session->count, extra, now);
}

static livetcp_usec smallest_round_trip(const livetcp_engine *session)
{
    livetcp_usec smallest = LIVETCP_NEVER;

    for (unsigned i = 0; i < session->count; i++) {
        const livetcp_path *path = &session->paths[i];
        livetcp_usec rtt = path->known & LIVETCP_PATH_MIN_RTT ? path->min_rtt_us : path->rtt_us;
        if (path->usable && path->known & (LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_RTT) &&
            rtt < smallest)
            smallest = rtt;
    }
    return smallest < LIVETCP_NEVER ? smallest : 0;
}

livetcp_usec lt_session_send_delay_limit(const livetcp_engine *session)
{
    livetcp_usec asked = session->config.max_send_delay_us, least = smallest_round_trip(session);

    return asked && asked < least ? least : asked;
}

/* Everything would be dropped: the user meant something else, and should hear of it, once. */
static void tell_if_raised(livetcp_engine *session, livetcp_usec limit)
{
    if (limit == session->config.max_send_delay_us || session->limit_told)
        return;
    session->limit_told = true;
    lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                    .reason = LIVETCP_ERR_INVALID_ARGUMENT,
                                                    .asked_us = session->config.max_send_delay_us,
                                                    .used_us = limit});
}

/* When the oldest packet might be late if nothing moves, as a delay from now; 0 or less: some may
 * be late now. Never too late a guess, since no packet is older, and none has more ahead of it. */
static livetcp_usec time_left(const livetcp_engine *session, const lt_send_delay *delay,
                              livetcp_usec limit, livetcp_usec now)
{
    const lt_packet *oldest = lt_send_queue_front(session->queue);
    livetcp_usec worst = lt_send_delay_behind(delay, lt_send_queue_bytes(session->queue));

    return oldest ? limit - (now - oldest->enqueued_us) - worst : LIVETCP_NEVER;
}

static void shed_late(livetcp_engine *session, livetcp_usec limit, livetcp_usec now)
{
    livetcp_usec interval = limit / SCAN_SHARE > SCAN_MIN_US ? limit / SCAN_SHARE : SCAN_MIN_US;
    lt_send_delay delay = lt_session_send_delay(session, now);
    livetcp_usec left = time_left(session, &delay, limit, now);

    if (left < 0 && now >= session->late_scan_from_us) {
        session->late_scan_from_us = now + interval;
        if (lt_shed_late(session->queue, &delay, limit, now))
            remove_doomed(session, LT_DROP_LATE);
        left = time_left(session, &delay, limit, now);
    }
    session->late_check_us =
        left == LIVETCP_NEVER ? left : now + (left > interval ? left : interval);
}

/* ---- key frames ---- */

/* Asking for another key frame while one waits would only make the queue longer; and without a
 * connection none would get anywhere. */
static bool would_help(const livetcp_engine *session, uint32_t ssrc)
{
    const lt_packet *packet;

    if (!lt_session_open_connections(session))
        return false;
    for (size_t i = 0; (packet = lt_send_queue_at(session->queue, i)); i++)
        if (!packet->rtcp && packet->ssrc == ssrc && packet->importance == LIVETCP_IMPORTANCE_KEY)
            return false;
    return true;
}

static void ask_for_keyframes(livetcp_engine *session, livetcp_usec now)
{
    for (size_t i = 0; i < LT_KEYFRAME_STREAMS; i++) {
        lt_keyframe_stream *stream = &session->keyframes.streams[i];
        if (!stream->wanted || now < stream->not_before_us)
            continue;
        if (!would_help(session, stream->ssrc)) {
            stream->not_before_us = now + POSTPONE_US;
            continue;
        }
        lt_keyframes_asked(stream, lt_session_round_trip(session), now);
        session->stats.sent.keyframes_wanted++;
        lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_KEYFRAME_WANTED,
                                                        .ssrc = stream->ssrc});
    }
}

static void tell_lost_key(livetcp_engine *session, livetcp_usec now)
{
    if (!session->key_lost || now < session->key_warning_from_us)
        return;
    session->key_lost = false;
    session->key_warning_from_us = now + WARN_EVERY_US;
    lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                    .reason = LIVETCP_ERR_KEYFRAME_DROPPED,
                                                    .ssrc = session->key_lost_ssrc});
}

static livetcp_usec earlier(livetcp_usec a, livetcp_usec b)
{
    return a < b ? a : b;
}

void lt_session_drop_late(livetcp_engine *session, livetcp_usec now)
{
    livetcp_usec limit = lt_session_send_delay_limit(session);

    session->late_check_us = LIVETCP_NEVER;
    if (limit) {
        tell_if_raised(session, limit);
        shed_late(session, limit, now);
    }
    tell_lost_key(session, now);
    ask_for_keyframes(session, now);
    session->late_check_us = earlier(session->late_check_us, lt_keyframes_due(&session->keyframes));
    if (session->key_lost)
        session->late_check_us = earlier(session->late_check_us, session->key_warning_from_us);
    if (!lt_send_queue_packets(session->queue))
        lt_session_check_drained(session, now);
}
