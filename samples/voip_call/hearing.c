/* SPDX-License-Identifier: MIT */
#include "hearing.h"

#include <livetcp/rtp.h>

#include "speaking.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST (6 * FRAME) /* an Opus packet has up to 120 ms */
#define MARGIN  (FRAME / 4) /* 5 ms */
#define EXCESS  (5 * FRAME) /* samples in the queue above which it is cut */

/* Each wake-up of the thread is expensive, and the microphone causes one per frame. So the thread
 * also does the work due until the next one: one frame and its own delay ahead. */
#define AHEAD    (FRAME + FRAME / 8)
#define JOINT_US LIVETCP_USEC_MSEC /* maximum gap between consecutive packets */

#define MEASURE_US    (200 * LIVETCP_USEC_MSEC)
#define CORRECTION_US LIVETCP_USEC_SEC /* time constant of the queue's correction */

static livetcp_usec time_of(long samples)
{
    return samples * 1000 / (SAMPLE_RATE / 1000);
}

static long samples_of(livetcp_usec time)
{
    return (long)(time * (SAMPLE_RATE / 1000) / 1000);
}

/* Minimum queue length: a device takes a block at once, and this thread may be late. */
static long low(const hearing *h)
{
    return sound_play_block(h->out) + MARGIN;
}

bool hearing_start(hearing *h, char *message, size_t size)
{
    int error = OPUS_OK;

    h->payload_type = -1;
    h->min_queued = LONG_MAX;
    h->last_min_queued = low(h) + MARGIN;
    h->end_us = INT64_MIN;
    h->decoder = opus_decoder_create(SAMPLE_RATE, 1, &error);
    if (error != OPUS_OK) {
        snprintf(message, size, "Opus cannot decode here: %s", opus_strerror(error));
        return false;
    }
    return stretch_start(&h->stretch, message, size);
}

void hearing_end(hearing *h)
{
    if (h->decoder)
        opus_decoder_destroy(h->decoder);
    h->decoder = NULL;
    stretch_end(&h->stretch);
}

/* ---- to the loudspeaker ---- */

static void emit(hearing *h, const int16_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (abs(samples[i]) > h->peak)
            h->peak = abs(samples[i]);
    sound_write(h->out, samples, count);
    echo_played(h->echo, samples, count);
}

static void resample(hearing *h, const int16_t *samples, size_t count)
{
    int16_t out[STRETCH_ROOM(LONGEST)];

    emit(h, out, stretch_apply(&h->stretch, samples, count, out));
}

/* ---- clocks ---- */

/* Follows two clocks: the peer's, by the playout's skew estimate (positive: slower than ours, so
 * that its sound must be stretched), and the loudspeaker's, by the length of its queue, which
 * should be as short as is safe. */
static void follow_clocks(hearing *h)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};
    long excess = h->min_queued == LONG_MAX ? 0 : h->min_queued - low(h) - MARGIN;

    if (labs(excess) < MARGIN / 2)
        excess = 0;
    uv_mutex_lock(h->lock);
    livetcp_playout_get_stats(h->playout, &stats);
    uv_mutex_unlock(h->lock);
    stretch_set(&h->stretch, stats.skew_ppm - (double)excess * 1e6 / SAMPLE_RATE *
                                                  ((double)LIVETCP_USEC_SEC / CORRECTION_US));
}

/* ---- packets and gaps ---- */

/* True if this packet has a copy of the previous frame (FEC, RFC 6716 section 4.2.3 and 4.2.4):
 * never in CELT-only mode; in others the first bits have activity flags of the SILK frames, then
 * the flag of the copy. (libopus 1.5 has opus_packet_has_lbrr().) */
static bool has_copy(const uint8_t *payload, opus_int32 size)
{
    const unsigned char *frames[48];
    opus_int16 sizes[48];
    int silk_frames = opus_packet_get_samples_per_frame(payload, SAMPLE_RATE) / FRAME;

    if (payload[0] & 0x80 || opus_packet_parse(payload, size, NULL, frames, sizes, NULL) <= 0 ||
        sizes[0] == 0)
        return false;
    return frames[0][0] >> (7 - (silk_frames > 1 ? silk_frames : 1)) & 1;
}

/* Decodes a packet, or with `fec` its copy of the previous frame. Returns the samples; 0 = none. */
static int decode(hearing *h, const uint8_t *packet, size_t size, bool fec, int16_t *samples)
{
    livetcp_rtp_header header;
    int count = 0;

    if (livetcp_rtp_header_read(&header, packet, size, NULL) != LIVETCP_OK)
        return 0;
    const uint8_t *payload = packet + header.header_size;
    opus_int32 length = (opus_int32)(size - header.header_size);
    bool ours = header.payload_type == OPUS_PAYLOAD_TYPE && length > 0;
    if (fec && !(ours && has_copy(payload, length)))
        return 0;
    if (ours)
        count = opus_decode(h->decoder, payload, length, samples, fec ? FRAME : LONGEST, fec);
    if (count > 0)
        return count;
    h->undecodable++;
    h->payload_type = header.payload_type;
    return 0;
}

static int conceal(hearing *h, int count, int16_t *samples)
{
    if (opus_decode(h->decoder, NULL, 0, samples, count, 0) != count)
        memset(samples, 0, (size_t)count * sizeof *samples);
    return count;
}

/* The next item of the playout. Its packet, or the packet after a gap, is copied, so that the lock
 * is held briefly. */
typedef struct due {
    livetcp_playout_item item;
    bool has_packet;
    size_t size;
    uint8_t packet[LIVETCP_RTP_HEADER_SIZE + 4 * LIVETCP_RTP_MAX_CSRCS + PACKET_MAX];
} due;

/* A packet that directly follows the last one is decoded and queued early; it is heard at its time.
 * A gap is not concealed early: its packet may still arrive. */
static void pull_ahead(hearing *h, livetcp_usec now, livetcp_playout_item *item)
{
    livetcp_playout_item next = {.struct_size = sizeof next};

    livetcp_playout_peek(h->playout, &next);
    if (next.kind == LIVETCP_PLAYOUT_PACKET && next.sequence == h->next_sequence &&
        next.play_us <= h->end_us + JOINT_US && next.play_us <= now + time_of(AHEAD))
        livetcp_playout_pull(h->playout, next.play_us, item);
}

static bool next_due(hearing *h, livetcp_usec now, due *d)
{
    livetcp_playout_item behind = {.struct_size = sizeof behind};
    const livetcp_playout_item *packet = &d->item;

    d->item.struct_size = sizeof d->item;
    uv_mutex_lock(h->lock);
    livetcp_playout_pull(h->playout, now, &d->item);
    if (d->item.kind == LIVETCP_PLAYOUT_NOTHING)
        pull_ahead(h, now, &d->item);
    if (d->item.kind == LIVETCP_PLAYOUT_CONCEAL) {
        livetcp_playout_peek(h->playout, &behind);
        packet = &behind;
    }
    d->has_packet = packet->kind == LIVETCP_PLAYOUT_PACKET && packet->size <= sizeof d->packet &&
                    (packet == &d->item || packet->sequence == (uint16_t)(d->item.sequence + 1));
    d->size = d->has_packet ? packet->size : 0;
    if (d->has_packet)
        memcpy(d->packet, packet->data, d->size);
    uv_mutex_unlock(h->lock);
    return d->item.kind != LIVETCP_PLAYOUT_NOTHING;
}

/* Without a copy, Opus conceals. */
static int decode_item(hearing *h, const due *d, int16_t *samples)
{
    bool gap = d->item.kind == LIVETCP_PLAYOUT_CONCEAL;
    int count = d->has_packet ? decode(h, d->packet, d->size, gap, samples) : 0;

    h->packets += !gap && count;
    h->corrected += gap && count;
    if (count)
        return count;
    h->concealed++;
    return conceal(h, FRAME, samples);
}

static void play(hearing *h, const due *d, livetcp_usec now)
{
    int16_t samples[LONGEST];
    bool packet = d->item.kind == LIVETCP_PLAYOUT_PACKET;
    long early = d->item.play_us > now ? samples_of(d->item.play_us - now) : 0;
    long queued = sound_queued(h->out, now) - early; /* queue length when it is due */

    if (packet && queued < h->min_queued)
        h->min_queued = queued;
    int count = decode_item(h, d, samples);
    if (queued < low(h) + EXCESS)
        resample(h, samples, (size_t)count);
    h->end_us = d->item.play_us + time_of(count);
    h->next_sequence = (uint16_t)(d->item.sequence + 1);
}

static livetcp_usec next_packet(hearing *h)
{
    uv_mutex_lock(h->lock);
    livetcp_usec at = livetcp_playout_next_deadline(h->playout);
    uv_mutex_unlock(h->lock);
    return at;
}

/* Pauses and late packets: Opus continues the background noise, and fades, until the next packet is
 * due or the thread wakes up. */
static void fill(hearing *h, livetcp_usec now)
{
    int16_t samples[FRAME / 2];
    livetcp_usec next = next_packet(h);
    long ahead = next <= now ? 0 : next < now + time_of(AHEAD) ? samples_of(next - now) : AHEAD;

    while (sound_queued(h->out, now) < low(h) + ahead)
        emit(h, samples, (size_t)conceal(h, FRAME / 2, samples));
}

void hearing_play(hearing *h, livetcp_usec now)
{
    due d;

    while (next_due(h, now, &d))
        play(h, &d, now);
    if (now - h->measured_us >= MEASURE_US) {
        follow_clocks(h);
        h->last_min_queued = h->min_queued == LONG_MAX ? h->last_min_queued : h->min_queued;
        h->min_queued = LONG_MAX;
        h->measured_us = now;
    }
    fill(h, now);
}

livetcp_usec hearing_delay(const hearing *h)
{
    return time_of(h->last_min_queued + sound_play_block(h->out));
}

livetcp_usec hearing_next(hearing *h, livetcp_usec now)
{
    livetcp_usec empty = now + time_of(sound_queued(h->out, now) - low(h));
    livetcp_usec packet = next_packet(h);

    return packet < empty ? packet : empty + 1;
}
