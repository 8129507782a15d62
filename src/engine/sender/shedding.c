/* SPDX-License-Identifier: MIT */
/*
 * Selection of packets to drop.
 *
 * A packet is late when its age, the delay of the path, and the time for the bytes ahead of it
 * exceed the limit together. In bytes: `excess` bytes ahead of it must be removed. Removing the
 * oldest packets of a class helps everything behind them, so a class is walked from the front until
 * the packets behind are in time; the next class is touched only if that does not suffice. By then
 * the less important classes are exhausted wherever that matters.
 */
#include "engine/sender/shedding.h"

enum { STEP_HOPELESS = 1, STEP_SPACE, STEP_CLASS }; /* STEP_CLASS + class */

static livetcp_importance class_of(const lt_packet *packet)
{
    return lt_packet_class(packet);
}

/* Equal timestamps identify a frame only of packets known to be video. */
static bool has_frames(const lt_packet *packet)
{
    return packet->importance != LIVETCP_IMPORTANCE_UNKNOWN &&
           class_of(packet) != LIVETCP_IMPORTANCE_AUDIO;
}

bool lt_shed_same_frame(const lt_packet *packet, const lt_packet *lost)
{
    livetcp_usec apart = packet->enqueued_us - lost->enqueued_us;

    return packet->ssrc == lost->ssrc && packet->timestamp == lost->timestamp &&
           has_frames(packet) && has_frames(lost) && apart <= LT_FRAME_SPAN_US &&
           apart >= -LT_FRAME_SPAN_US &&
           (class_of(packet) != LIVETCP_IMPORTANCE_KEY || class_of(lost) == LIVETCP_IMPORTANCE_KEY);
}

typedef struct marked {
    size_t packets, bytes; /* marked now */
    size_t ahead_bytes;    /* bytes of these ahead of the current packet */
} marked;

static bool mark_same_frame(lt_packet *packet, const lt_packet *lost, uint8_t step, marked *sum)
{
    livetcp_usec apart = packet->enqueued_us - lost->enqueued_us;

    if (!packet->shed && packet != lost && lt_shed_same_frame(packet, lost)) {
        packet->shed = step;
        sum->packets++;
        sum->bytes += lt_packet_size(packet);
    }
    return apart <= LT_FRAME_SPAN_US &&
           apart >= -LT_FRAME_SPAN_US; /* false ends the walk: beyond the frame */
}

/* Marks the rest of the frame of `lost`, which is at `position`. */
static marked mark_frame(lt_send_queue *queue, const lt_packet *lost, size_t position, uint8_t step)
{
    marked sum = {0, 0, 0};
    lt_packet *packet;

    if (!has_frames(lost))
        return sum;
    for (size_t i = position; i-- && mark_same_frame(lt_send_queue_at(queue, i), lost, step, &sum);)
        ;
    sum.ahead_bytes = sum.bytes;
    for (size_t i = position;
         (packet = lt_send_queue_at(queue, i)) && mark_same_frame(packet, lost, step, &sum); i++)
        ;
    return sum;
}

void lt_shed_frame(lt_send_queue *queue, const lt_packet *packet, size_t position)
{
    mark_frame(queue, packet, position, STEP_SPACE);
}

/* ---- late packets ---- */

/* Lower bound of the delay of a packet with nothing ahead of it. For more important packets it is
 * more optimistic: the path's standing queue is mostly our own, and drains once less important
 * packets are dropped. For audio and key frames repairs do not count either, since they may end at
 * any time. */
static livetcp_usec min_wait(const lt_packet *packet, const lt_send_delay *delay)
{
    switch (class_of(packet)) {
    case LIVETCP_IMPORTANCE_DROPPABLE:
        return delay->base_us;
    case LIVETCP_IMPORTANCE_DELTA:
        return delay->forecast_us;
    default:
        return delay->floor_us;
    }
}

/* True if no drop of other packets would make it arrive in time. */
static bool is_hopeless(const lt_packet *packet, const lt_send_delay *delay, bool first,
                        livetcp_usec limit, livetcp_usec now)
{
    livetcp_usec min = first && delay->idle ? 0 : min_wait(packet, delay);

    return now - packet->enqueued_us + min > limit;
}

static bool mark_hopeless(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit,
                          livetcp_usec now)
{
    lt_packet *packet;
    bool first = true, any = false;

    for (size_t i = 0; (packet = lt_send_queue_at(queue, i)); i++) {
        if (!packet->shed && is_hopeless(packet, delay, first, limit, now)) {
            packet->shed = STEP_HOPELESS;
            mark_frame(queue, packet, i, STEP_HOPELESS);
        }
        any |= packet->shed != 0;
        first &= packet->shed != 0;
    }
    return any;
}

/* Sets the excess of every packet to the maximum of its own and those of all packets behind it. */
static void measure_excess(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit,
                           livetcp_usec now)
{
    int64_t ahead = 0, largest = INT64_MIN;
    lt_packet *packet;

    for (size_t i = 0; (packet = lt_send_queue_at(queue, i)); i++) {
        if (packet->shed)
            continue;
        livetcp_usec wait = limit - (now - packet->enqueued_us) - min_wait(packet, delay);
        packet->excess =
            ahead - lt_send_delay_bytes(delay, class_of(packet) == LIVETCP_IMPORTANCE_AUDIO,
                                        wait > 0 ? wait : 0);
        ahead += (int64_t)lt_packet_size(packet);
    }
    for (size_t i = lt_send_queue_packets(queue); i--;) {
        packet = lt_send_queue_at(queue, i);
        if (packet->shed)
            continue;
        if (packet->excess < largest)
            packet->excess = largest;
        largest = packet->excess;
    }
}

/* Marks packets of one class, oldest first, until those behind are in time. */
static bool shed_class(lt_send_queue *queue, livetcp_importance class_to_drop)
{
    uint8_t step = (uint8_t)(STEP_CLASS + class_to_drop);
    int64_t removed = 0;
    lt_packet *packet;

    for (size_t i = 0; (packet = lt_send_queue_at(queue, i)); i++) {
        if (packet->shed && packet->shed != step)
            continue;
        if (!packet->shed && packet->excess <= removed)
            return removed > 0;
        if (!packet->shed && class_of(packet) == class_to_drop) {
            packet->shed = step;
            removed += (int64_t)mark_frame(queue, packet, i, step).ahead_bytes;
        }
        if (packet->shed)
            removed += (int64_t)lt_packet_size(packet);
    }
    return removed > 0;
}

bool lt_shed_late(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit_us,
                  livetcp_usec now)
{
    bool any = mark_hopeless(queue, delay, limit_us, now);

    for (int i = LIVETCP_IMPORTANCE_DROPPABLE; i < LIVETCP_IMPORTANCE_KEY; i++) {
        livetcp_importance class_to_drop = (livetcp_importance)i;
        if (!lt_send_queue_of_class(queue, class_to_drop).packets)
            continue;
        measure_excess(queue, delay, limit_us, now);
        any |= shed_class(queue, class_to_drop);
    }
    return any;
}

/* ---- full queue ---- */

/* True if dropping all classes up to `max` frees enough space. */
static bool can_free_space(const lt_send_queue *queue, size_t size, livetcp_importance max)
{
    size_t packets = lt_send_queue_packets(queue), bytes = lt_send_queue_bytes(queue);

    for (int i = LIVETCP_IMPORTANCE_DROPPABLE; i <= (int)max; i++) {
        lt_send_queue_share share = lt_send_queue_of_class(queue, (livetcp_importance)i);
        packets -= share.packets;
        bytes -= share.bytes;
    }
    return packets < lt_send_queue_max_packets(queue) &&
           size <= lt_send_queue_max_bytes(queue) - bytes;
}

/* The packets that remain without the marked ones. */
typedef struct remainder {
    size_t packets, bytes;
} remainder;

static bool fits(const lt_send_queue *queue, remainder left, size_t size)
{
    return left.packets < lt_send_queue_max_packets(queue) &&
           size <= lt_send_queue_max_bytes(queue) - left.bytes;
}

static void free_class(lt_send_queue *queue, livetcp_importance class_to_drop, size_t size,
                       remainder *left)
{
    lt_packet *packet;

    for (size_t i = 0; (packet = lt_send_queue_at(queue, i)) && !fits(queue, *left, size); i++) {
        if (packet->shed || class_of(packet) != class_to_drop)
            continue;
        packet->shed = STEP_SPACE;
        marked rest = mark_frame(queue, packet, i, STEP_SPACE);
        left->packets -= 1 + rest.packets;
        left->bytes -= lt_packet_size(packet) + rest.bytes;
    }
}

bool lt_shed_for_space(lt_send_queue *queue, const lt_packet *packet, bool newest)
{
    livetcp_importance max = class_of(packet);
    size_t size = lt_packet_size(packet);
    remainder left = {lt_send_queue_packets(queue), lt_send_queue_bytes(queue)};

    if (!newest)
        max = (livetcp_importance)(max - 1);
    if (!can_free_space(queue, size, max))
        return false;
    for (int i = LIVETCP_IMPORTANCE_DROPPABLE; i <= (int)max && !fits(queue, left, size); i++)
        if (lt_send_queue_of_class(queue, (livetcp_importance)i).packets)
            free_class(queue, (livetcp_importance)i, size, &left);
    return true;
}
