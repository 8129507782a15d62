/* SPDX-License-Identifier: MIT */
/* The received packets of a protected stream, and the recovery of a group's missing packet from the
 * others (RFC 8627, section 6.3).
 *
 * The work for each packet is bounded, whatever the peer sends: a parity packet looks up the
 * packets of its group once, and once more when it rebuilds the missing one; a media packet is
 * compared with the waiting groups. */
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

/* ---- memory ---- */

static bool may_hold(const lt_parity_stream *stream, size_t size)
{
    const lt_parity_memory *memory = stream->memory;
    const lt_memory *shared = memory->shared;

    return memory->held + size <= LT_PARITY_OWN || !shared || shared->used + size <= shared->limit;
}

static void take(lt_parity_stream *stream, size_t size)
{
    stream->memory->held += size;
    if (stream->memory->shared)
        stream->memory->shared->used += size;
}

static void give_back(lt_parity_stream *stream, size_t size)
{
    stream->memory->held -= size;
    if (stream->memory->shared)
        stream->memory->shared->used -= size;
}

lt_parity_stream *lt_parity_stream_create(uint32_t media_ssrc, lt_parity_memory *memory)
{
    lt_parity_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    stream->media_ssrc = media_ssrc;
    stream->memory = memory;
    return stream;
}

const lt_parity_source *lt_parity_stream_source(const lt_parity_stream *stream,
                                                uint32_t parity_ssrc)
{
    for (unsigned i = 0; i < stream->source_count; i++)
        if (stream->sources[i].ssrc == parity_ssrc)
            return &stream->sources[i];
    return NULL;
}

void lt_parity_stream_withdraw(lt_parity_stream *stream, uint32_t parity_ssrc)
{
    const lt_parity_source *source = lt_parity_stream_source(stream, parity_ssrc);
    unsigned at;

    if (!source)
        return;
    at = (unsigned)(source - stream->sources);
    stream->source_count--;
    memmove(&stream->sources[at], &stream->sources[at + 1],
            (stream->source_count - at) * sizeof *stream->sources);
}

void lt_parity_stream_announced(lt_parity_stream *stream, uint32_t parity_ssrc,
                                uint8_t payload_type)
{
    lt_parity_stream_withdraw(stream, parity_ssrc);
    if (stream->source_count == LT_PARITY_SOURCES)
        lt_parity_stream_withdraw(stream, stream->sources[0].ssrc);
    stream->sources[stream->source_count++] =
        (lt_parity_source){.ssrc = parity_ssrc, .payload_type = payload_type};
}

void lt_parity_stream_destroy(lt_parity_stream **stream)
{
    lt_parity_stream *s = *stream;

    *stream = NULL;
    if (!s)
        return;
    give_back(s, s->history_bytes + s->waiting_bytes);
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

    stream->memory->lookups++;
    return packet && packet->sequence == sequence && !is_stale(packet, now) ? packet : NULL;
}

static void stop_waiting(lt_parity_stream *stream, unsigned i)
{
    lt_parity_waiting *waiting = &stream->waiting[i];
    size_t size = lt_packet_size(waiting->packet);

    stream->waiting_bytes -= size;
    give_back(stream, size);
    lt_packet_unref(&waiting->packet);
    stream->waiting_count--;
    memmove(waiting, waiting + 1, (stream->waiting_count - i) * sizeof *waiting);
}

static bool is_member(const lt_parity_waiting *waiting, uint16_t sequence)
{
    return lt_parity_covers(&waiting->cover, (uint16_t)(sequence - waiting->cover.base));
}

/* Removes a packet. Groups that it belongs to cannot be completed any more, unless it was too old
 * for them already. */
static void forget(lt_parity_stream *stream, lt_packet **slot, livetcp_usec now)
{
    lt_packet *packet = *slot;

    if (!packet)
        return;
    for (unsigned i = 0; !is_stale(packet, now) && i < stream->waiting_count;) {
        if (is_member(&stream->waiting[i], packet->sequence))
            stop_waiting(stream, i);
        else
            i++;
    }
    stream->history_bytes -= lt_packet_size(packet);
    give_back(stream, lt_packet_size(packet));
    lt_packet_unref(slot);
}

/* Frees memory for `size` bytes; the ring holds the oldest packet after the newest. False if the
 * session's limit does not allow it. */
static bool free_space(lt_parity_stream *stream, size_t size, size_t history, livetcp_usec now)
{
    for (unsigned i = 1; i <= LT_PARITY_HISTORY && stream->history_bytes &&
                         (stream->history_bytes > history || !may_hold(stream, size));
         i++)
        forget(stream, slot_of(stream, (uint16_t)(stream->newest + i)), now);
    return may_hold(stream, size);
}

/* Advances the newest number. A number from far behind means that the stream restarted. */
static void advance(lt_parity_stream *stream, uint16_t sequence)
{
    int step = lt_seq_distance(stream->newest, sequence);

    if (step > 0 || step <= -LT_PARITY_HISTORY)
        stream->newest = sequence;
}

/* Decrements the missing count of the groups that wait for this packet. */
static void count_arrival(lt_parity_stream *stream, uint16_t sequence)
{
    for (unsigned i = 0; i < stream->waiting_count; i++) {
        lt_parity_waiting *waiting = &stream->waiting[i];
        if (!is_member(waiting, sequence))
            continue;
        waiting->missing--;
        stream->changed = stream->changed || waiting->missing < 2;
    }
}

void lt_parity_stream_add_media(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                uint16_t sequence, livetcp_usec now)
{
    lt_packet *packet;

    if (find(stream, sequence, now))
        return;
    advance(stream, sequence);
    forget(stream, slot_of(stream, sequence), now);
    if (!free_space(stream, size, LT_PARITY_HISTORY_BYTES - size, now))
        return;
    packet = copy(data, size, stream->media_ssrc, sequence, now);
    if (!packet)
        return;
    *slot_of(stream, sequence) = packet;
    stream->history_bytes += size;
    take(stream, size);
    count_arrival(stream, sequence);
}

/* ---- waiting parity packets ---- */

/* Counts the group's packets that are missing; sets *missing to the last one. */
static unsigned count_missing(lt_parity_stream *stream, const lt_parity_cover *cover,
                              livetcp_usec now, uint16_t *missing)
{
    unsigned count = 0;

    for (unsigned bit = 0; bit < LT_PARITY_SPAN; bit++) {
        uint16_t sequence = (uint16_t)(cover->base + bit);
        if (lt_parity_covers(cover, bit) && !find(stream, sequence, now)) {
            *missing = sequence;
            count++;
        }
    }
    return count;
}

static bool waits_already(const lt_parity_stream *stream, uint32_t ssrc, uint16_t sequence)
{
    for (unsigned i = 0; i < stream->waiting_count; i++)
        if (stream->waiting[i].packet->sequence == sequence &&
            stream->waiting[i].packet->ssrc == ssrc)
            return true;
    return false;
}

void lt_parity_stream_add_parity(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                 size_t header_size, const lt_parity_cover *cover, livetcp_usec now)
{
    lt_parity_waiting waiting = {.header_size = header_size, .cover = *cover};
    uint32_t ssrc = lt_read_be32(data + 8);
    uint16_t sequence = lt_read_be16(data + 2), missing;

    if (waits_already(stream, ssrc, sequence) || !count_missing(stream, cover, now, &missing))
        return;
    while (stream->waiting_count == LT_PARITY_WAITING ||
           stream->waiting_bytes + size > LT_PARITY_WAITING_BYTES)
        stop_waiting(stream, 0);
    if (!free_space(stream, size, LT_PARITY_HISTORY_BYTES, now))
        return;
    waiting.missing = count_missing(stream, cover, now, &missing);
    waiting.packet = copy(data, size, ssrc, sequence, now);
    if (!waiting.packet)
        return;
    stream->waiting[stream->waiting_count++] = waiting;
    stream->waiting_bytes += size;
    take(stream, size);
    stream->changed = stream->changed || waiting.missing < 2;
}

/* ---- rebuilding ---- */

/* XORs the group's received packets into `packet`, which begins as a copy of the repair payload
 * behind space for an RTP header. False if one is longer than the parity covers. */
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

/* Turns the recovery fields and the payload into a packet; false if they are invalid. */
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

/* Rebuilds the missing packet of `waiting`. *packet is NULL if parity and group contradict each
 * other. False without memory. */
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
        bool useless = is_stale(waiting->packet, now) || !waiting->missing;
        bool ready = !useless && waiting->missing == 1;
        uint16_t missing;
        /* A packet that is held may have become too old, which `missing` does not reflect. */
        if (ready && count_missing(stream, &waiting->cover, now, &missing) == 1)
            found = rebuild(stream, waiting, missing, max_packet, now, packet, header);
        if (useless || ready)
            stop_waiting(stream, i);
        else
            i++;
    }
    stream->changed = found;
    return found;
}
