/* SPDX-License-Identifier: MIT */
/* What came of a protected stream, and the packet that is missing from a group made from the others
 * (RFC 8627 section 6.3). */
#include "engine/receiver/parity_stream.h"

#include "base/bytes.h"
#include "base/seq.h"

#include <stdlib.h>
#include <string.h>

#define RTP_VERSION 0x80

_Static_assert((LT_PARITY_HISTORY & (LT_PARITY_HISTORY - 1)) == 0, "the history is masked");
_Static_assert(LT_PARITY_HISTORY > LT_PARITY_SPAN, "a group must fit the history");
_Static_assert(LT_PARITY_HISTORY_BYTES >= LT_FRAME_MAX && LT_PARITY_WAITING_BYTES >= LT_FRAME_MAX,
               "any packet must fit when there is no other");

lt_parity_stream *lt_parity_stream_create(uint32_t parity_ssrc, uint32_t media_ssrc,
                                          uint8_t payload_type)
{
    lt_parity_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->parity_ssrc = parity_ssrc;
    stream->media_ssrc = media_ssrc;
    stream->payload_type = payload_type;
    return stream;
}

void lt_parity_stream_destroy(lt_parity_stream **stream)
{
    lt_parity_stream *s = *stream;

    *stream = NULL;
    if (!s)
        return;
    for (unsigned i = 0; i < LT_PARITY_HISTORY; i++)
        lt_packet_unref(&s->history[i]);
    for (unsigned i = 0; i < s->waiting_count; i++)
        lt_packet_unref(&s->waiting[i].packet);
    free(s);
}

static lt_packet *copy(const uint8_t *data, size_t size, uint32_t ssrc, uint16_t sequence,
                       livetcp_usec now)
{
    lt_packet *packet = lt_packet_create(data, size);

    if (!packet)
        return NULL;
    packet->ssrc = ssrc;
    packet->sequence = sequence;
    packet->enqueued_us = now;
    return packet;
}

static bool is_stale(const lt_packet *packet, livetcp_usec now)
{
    return now - packet->enqueued_us > LT_PARITY_AGE_US;
}

/* ---- history ---- */

static lt_packet **slot_of(lt_parity_stream *stream, uint16_t sequence)
{
    return &stream->history[sequence & (LT_PARITY_HISTORY - 1)];
}

static const lt_packet *find(lt_parity_stream *stream, uint16_t sequence, livetcp_usec now)
{
    const lt_packet *packet = *slot_of(stream, sequence);
    return packet && packet->sequence == sequence && !is_stale(packet, now) ? packet : NULL;
}

static void forget(lt_parity_stream *stream, lt_packet **slot)
{
    if (*slot)
        stream->history_bytes -= lt_packet_size(*slot);
    lt_packet_unref(slot);
}

/* Up from the newest, the ring has the oldest. */
static void make_room(lt_parity_stream *stream, size_t size)
{
    for (unsigned i = 1;
         i <= LT_PARITY_HISTORY && stream->history_bytes + size > LT_PARITY_HISTORY_BYTES; i++)
        forget(stream, slot_of(stream, (uint16_t)(stream->newest + i)));
}

/* A number from far behind is that of a stream that started over. */
static void follow(lt_parity_stream *stream, uint16_t sequence)
{
    int step = lt_seq_distance(stream->newest, sequence);

    if (step > 0 || step <= -LT_PARITY_HISTORY)
        stream->newest = sequence;
}

static bool is_waited_for(const lt_parity_stream *stream, uint16_t sequence)
{
    for (unsigned i = 0; i < stream->waiting_count; i++) {
        const lt_parity_cover *cover = &stream->waiting[i].cover;
        if (lt_parity_covers(cover, (uint16_t)(sequence - cover->base)))
            return true;
    }
    return false;
}

void lt_parity_stream_add_media(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                uint16_t sequence, livetcp_usec now)
{
    lt_packet *packet;

    if (find(stream, sequence, now))
        return;
    packet = copy(data, size, stream->media_ssrc, sequence, now);
    if (!packet)
        return;
    follow(stream, sequence);
    forget(stream, slot_of(stream, sequence));
    make_room(stream, size);
    *slot_of(stream, sequence) = packet;
    stream->history_bytes += size;
    stream->changed = stream->changed || is_waited_for(stream, sequence);
}

/* ---- parity that waits ---- */

static void stop_waiting(lt_parity_stream *stream, unsigned i)
{
    lt_parity_waiting *waiting = &stream->waiting[i];

    stream->waiting_bytes -= lt_packet_size(waiting->packet);
    lt_packet_unref(&waiting->packet);
    stream->waiting_count--;
    memmove(waiting, waiting + 1, (stream->waiting_count - i) * sizeof *waiting);
}

/* How many of a group are missing, counted up to two, and the last of these. */
static unsigned count_missing(lt_parity_stream *stream, const lt_parity_cover *cover,
                              livetcp_usec now, uint16_t *missing)
{
    unsigned count = 0;

    for (unsigned bit = 0; bit < LT_PARITY_SPAN && count < 2; bit++) {
        uint16_t sequence = (uint16_t)(cover->base + bit);
        if (lt_parity_covers(cover, bit) && !find(stream, sequence, now)) {
            *missing = sequence;
            count++;
        }
    }
    return count;
}

static bool waits_already(const lt_parity_stream *stream, uint16_t sequence)
{
    for (unsigned i = 0; i < stream->waiting_count; i++)
        if (stream->waiting[i].packet->sequence == sequence)
            return true;
    return false;
}

void lt_parity_stream_add_parity(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                 size_t header_size, const lt_parity_cover *cover, livetcp_usec now)
{
    lt_parity_waiting waiting = {.header_size = header_size, .cover = *cover};
    uint16_t sequence = lt_read_be16(data + 2), missing;

    if (!count_missing(stream, cover, now, &missing) || waits_already(stream, sequence))
        return;
    waiting.packet = copy(data, size, stream->parity_ssrc, sequence, now);
    if (!waiting.packet)
        return;
    while (stream->waiting_count == LT_PARITY_WAITING ||
           stream->waiting_bytes + size > LT_PARITY_WAITING_BYTES)
        stop_waiting(stream, 0);
    stream->waiting[stream->waiting_count++] = waiting;
    stream->waiting_bytes += size;
    stream->changed = true;
}

/* ---- rebuilding ---- */

/* XORs the members that came into `packet`, which starts as a copy of the repair payload behind
 * room for an RTP header. False if one is longer than the parity of all. */
static bool add_members(lt_parity_stream *stream, const lt_parity_cover *cover, uint16_t missing,
                        livetcp_usec now, uint8_t *recovery, lt_packet *packet)
{
    uint8_t *data = packet->frame + LT_FRAME_HEADER;

    for (unsigned bit = 0; bit < LT_PARITY_SPAN; bit++) {
        uint16_t sequence = (uint16_t)(cover->base + bit);
        const lt_packet *member;
        if (!lt_parity_covers(cover, bit) || sequence == missing)
            continue;
        member = find(stream, sequence, now);
        if (!member || lt_packet_size(member) > lt_packet_size(packet))
            return false;
        lt_parity_fold_header(recovery, lt_packet_data(member), lt_packet_size(member));
        lt_parity_fold(data + LT_RTP_MIN_SIZE, lt_packet_data(member) + LT_RTP_MIN_SIZE,
                       lt_packet_size(member) - LT_RTP_MIN_SIZE);
    }
    return true;
}

/* Turns recovery fields and payload into a packet; false if they make none. */
static bool finish_packet(const lt_parity_stream *stream, const uint8_t *recovery,
                          size_t max_packet, lt_packet *packet, lt_rtp_header *header)
{
    uint8_t *data = packet->frame + LT_FRAME_HEADER;
    size_t size = LT_RTP_MIN_SIZE + (size_t)lt_read_be16(recovery + 2);

    if (size > lt_packet_size(packet) || size > max_packet)
        return false;
    data[0] = RTP_VERSION | recovery[0];
    data[1] = recovery[1];
    lt_write_be16(data + 2, packet->sequence);
    memcpy(data + 4, recovery + 4, 4);
    lt_write_be32(data + 8, stream->media_ssrc);
    lt_write_be16(packet->frame, (uint16_t)size);
    packet->frame_size = LT_FRAME_HEADER + size;
    return lt_rtp_parse(data, size, header);
}

/* Makes the packet that `waiting` lacks. *packet is NULL if parity and group do not fit each other;
 * false if memory is out. */
static bool rebuild(lt_parity_stream *stream, const lt_parity_waiting *waiting, uint16_t missing,
                    size_t max_packet, livetcp_usec now, lt_packet **packet, lt_rtp_header *header)
{
    const uint8_t *parity = lt_packet_data(waiting->packet);
    size_t payload_size = lt_packet_size(waiting->packet) - waiting->header_size;
    uint8_t recovery[LT_PARITY_RECOVERY];

    *packet = copy(NULL, LT_RTP_MIN_SIZE + payload_size, stream->media_ssrc, missing, now);
    if (!*packet)
        return false;
    memcpy(recovery, parity + LT_PARITY_RECOVERY_AT, sizeof recovery);
    memcpy((*packet)->frame + LT_FRAME_HEADER + LT_RTP_MIN_SIZE, parity + waiting->header_size,
           payload_size);
    if (!add_members(stream, &waiting->cover, missing, now, recovery, *packet) ||
        !finish_packet(stream, recovery, max_packet, *packet, header))
        lt_packet_unref(packet);
    return true;
}

bool lt_parity_stream_next(lt_parity_stream *stream, size_t max_packet, livetcp_usec now,
                           lt_packet **packet, lt_rtp_header *header)
{
    bool found = false;

    for (unsigned i = 0; stream->changed && !found && i < stream->waiting_count;) {
        const lt_parity_waiting *waiting = &stream->waiting[i];
        bool stale = is_stale(waiting->packet, now);
        uint16_t missing;
        unsigned count = stale ? 0 : count_missing(stream, &waiting->cover, now, &missing);
        if (count == 1)
            found = rebuild(stream, waiting, missing, max_packet, now, packet, header);
        if (count < 2)
            stop_waiting(stream, i);
        else
            i++;
    }
    stream->changed = found;
    return found;
}
