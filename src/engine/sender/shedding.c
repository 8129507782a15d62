/* SPDX-License-Identifier: MIT */
/*
 * Selection of packets to drop.
 *
 * A packet is late when its age, the delay of the path and the time that the bytes ahead of it take
 * are more than the limit. Put in bytes: `excess` bytes must vanish from ahead of it. Removing the
 * oldest packets of a class helps everything behind them, so a class is walked from the front until
 * the packets behind are in time, and the next class is touched only if it is not. The classes
 * below are exhausted by then wherever it matters.
 */
#include "engine/sender/shedding.h"

enum { STEP_HOPELESS = 1, STEP_ROOM, STEP_CLASS }; /* STEP_CLASS + class */

static livetcp_importance class_of(const lt_packet *packet)
{
    return lt_packet_class(packet);
}

/* Equal timestamps mean nothing unless the packet is known to be video. */
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
    size_t ahead_bytes;    /* of these, ahead of the packet in question */
} marked;

static bool mark_mate(lt_packet *packet, const lt_packet *lost, uint8_t step, marked *sum)
{
    livetcp_usec apart = packet->enqueued_us - lost->enqueued_us;

    if (!packet->shed && packet != lost && lt_shed_same_frame(packet, lost)) {
        packet->shed = step;
        sum->packets++;
        sum->bytes += lt_packet_size(packet);
    }
    return apart <= LT_FRAME_SPAN_US && apart >= -LT_FRAME_SPAN_US; /* may there be more? */
}

/* Marks the rest of the frame of `lost`, which is at `position`. */
static marked mark_frame(lt_send_queue *queue, const lt_packet *lost, size_t position, uint8_t step)
{
    marked sum = {0, 0, 0};
    lt_packet *packet;

    if (!has_frames(lost))
        return sum;
    for (size_t i = position; i-- && mark_mate(lt_send_queue_at(queue, i), lost, step, &sum);)
        ;
    sum.ahead_bytes = sum.bytes;
    for (size_t i = position;
         (packet = lt_send_queue_at(queue, i)) && mark_mate(packet, lost, step, &sum); i++)
        ;
    return sum;
}

void lt_shed_frame(lt_send_queue *queue, const lt_packet *packet, size_t position)
{
    mark_frame(queue, packet, position, STEP_ROOM);
}

/* ---- late ---- */

/* Minimum time that a packet with nothing ahead takes from here. It is more optimistic for more
 * important packets: the path's standing queue is mostly our own, and drains once the others are
 * dropped. For audio and key frames it leaves out repairs too, which may end at any time. */
static livetcp_usec least_wait(const lt_packet *packet, const lt_send_delay *delay)
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

/* Nothing that could be dropped would bring it there in time. */
static bool is_hopeless(const lt_packet *packet, const lt_send_delay *delay, bool first,
                        livetcp_usec limit, livetcp_usec now)
{
    livetcp_usec least = first && delay->idle ? 0 : least_wait(packet, delay);

    return now - packet->enqueued_us + least > limit;
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

/* Sets every packet's excess to the largest of its own and those behind it. */
static void measure_excess(lt_send_queue *queue, const lt_send_delay *delay, livetcp_usec limit,
                           livetcp_usec now)
{
    int64_t ahead = 0, largest = INT64_MIN;
    lt_packet *packet;

    for (size_t i = 0; (packet = lt_send_queue_at(queue, i)); i++) {
        if (packet->shed)
            continue;
        livetcp_usec wait = limit - (now - packet->enqueued_us) - least_wait(packet, delay);
        packet->excess = ahead - lt_send_delay_bytes(delay, wait > 0 ? wait : 0);
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

/* Drops packets of one class, oldest first, until those behind are in time. */
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

/* ---- full ---- */

/* True if dropping all classes up to `most` frees enough space. */
static bool can_make_room(const lt_send_queue *queue, size_t size, livetcp_importance most)
{
    size_t packets = lt_send_queue_packets(queue), bytes = lt_send_queue_bytes(queue);

    for (int i = LIVETCP_IMPORTANCE_DROPPABLE; i <= (int)most; i++) {
        lt_send_queue_share share = lt_send_queue_of_class(queue, (livetcp_importance)i);
        packets -= share.packets;
        bytes -= share.bytes;
    }
    return packets < lt_send_queue_max_packets(queue) &&
           size <= lt_send_queue_max_bytes(queue) - bytes;
}

/* The packets left when the marked ones are gone. */
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
        packet->shed = STEP_ROOM;
        marked rest = mark_frame(queue, packet, i, STEP_ROOM);
        left->packets -= 1 + rest.packets;
        left->bytes -= lt_packet_size(packet) + rest.bytes;
    }
}

bool lt_shed_for_room(lt_send_queue *queue, const lt_packet *packet, bool newest)
{
    livetcp_importance most = class_of(packet);
    size_t size = lt_packet_size(packet);
    remainder left = {lt_send_queue_packets(queue), lt_send_queue_bytes(queue)};

    if (!newest)
        most = (livetcp_importance)(most - 1);
    if (!can_make_room(queue, size, most))
        return false;
    for (int i = LIVETCP_IMPORTANCE_DROPPABLE; i <= (int)most && !fits(queue, left, size); i++)
        if (lt_send_queue_of_class(queue, (livetcp_importance)i).packets)
            free_class(queue, (livetcp_importance)i, size, &left);
    return true;
}
