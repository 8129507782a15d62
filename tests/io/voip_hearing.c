/* SPDX-License-Identifier: MIT */
#include "voip_hearing.h"

#include "../../samples/voip_call/hearing.h"
#include "../../samples/voip_call/speaking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_US  (20 * LIVETCP_USEC_MSEC)
#define BEGIN_US  LIVETCP_USEC_SEC
#define COUNTS_US (BEGIN_US + LIVETCP_USEC_SEC / 2)
#define AWAKE_US  60 /* a thread wakes up so much later than it should */
#define MAX_SIZE  (LIVETCP_RTP_HEADER_SIZE + PACKET_MAX)
#define PI        3.14159265358979323846

typedef struct incoming {
    livetcp_usec arrival_us; /* LIVETCP_NEVER: never, or it was put */
    size_t size;
    uint8_t bytes[MAX_SIZE];
} incoming;

/* ---- a loudspeaker by the clock ---- */

struct sound {
    uint64_t written;
};

long sound_queued(sound *s, livetcp_usec now)
{
    return (long)s->written - (long)((now - BEGIN_US) * (SAMPLE_RATE / 1000) / 1000);
}

void sound_write(sound *s, const int16_t *samples, size_t count)
{
    (void)samples;
    s->written += count;
}

int sound_play_block(const sound *s)
{
    (void)s;
    return 0;
}

/* ---- the peer ---- */

/* Opus takes a tone that comes and goes for speech. */
static size_t encode(speaking *s, unsigned number, uint8_t *packet)
{
    int16_t frame[FRAME];

    for (unsigned i = 0; i < FRAME; i++) {
        unsigned at = number * FRAME + i;
        bool on = at % (SAMPLE_RATE / 4) < SAMPLE_RATE / 6;
        frame[i] = on ? (int16_t)(8000 * sin(2 * PI * 600 * at / SAMPLE_RATE)) : 0;
    }
    return speaking_encode(s, frame, packet);
}

static void say_all(incoming *packets, unsigned frames, livetcp_usec (*way)(unsigned frame))
{
    char message[200];
    speaking s;

    if (!speaking_start(&s, 32000, false, message, sizeof message))
        abort();
    speaking_adapt(&s, 0, 0.1);
    for (unsigned i = 0; i < frames; i++) {
        livetcp_usec took = way(i);
        packets[i].arrival_us = LIVETCP_NEVER;
        if (took == NOT_SENT) {
            s.header.timestamp += FRAME;
            s.paused = true;
            continue;
        }
        packets[i].size = encode(&s, i, packets[i].bytes);
        if (took != LOST)
            packets[i].arrival_us = BEGIN_US + i * FRAME_US + took;
    }
    speaking_end(&s);
}

/* ---- this end ---- */

static void lock_start(hearing *h, uv_mutex_t *lock)
{
    livetcp_playout_config config;
    char message[200];

    uv_mutex_init(lock);
    livetcp_playout_config_init(&config);
    config.mode = LIVETCP_PLAYOUT_FIXED;
    config.latency_us = LATENCY_US;
    config.clock_rate = SAMPLE_RATE;
    h->lock = lock;
    h->echo = echo_create(false);
    if (!h->echo || livetcp_playout_create(&config, &h->playout, NULL) != LIVETCP_OK ||
        !hearing_start(h, message, sizeof message))
        abort();
}

static incoming *first_of(incoming *packets, unsigned frames)
{
    incoming *first = &packets[0];

    for (unsigned i = 1; i < frames; i++)
        if (packets[i].arrival_us < first->arrival_us)
            first = &packets[i];
    return first;
}

static void put(hearing *h, incoming *packet)
{
    const livetcp_playout_packet put = {.struct_size = sizeof put,
                                        .data = packet->bytes,
                                        .size = packet->size,
                                        .arrival_us = packet->arrival_us};

    livetcp_playout_put(h->playout, &put, NULL);
    packet->arrival_us = LIVETCP_NEVER;
}

static void note(heard *result, long queued)
{
    result->emptiest = queued < result->emptiest ? queued : result->emptiest;
    result->fullest = queued > result->fullest ? queued : result->fullest;
}

heard hear_call(unsigned frames, livetcp_usec phase_us, livetcp_usec (*way)(unsigned frame))
{
    incoming *packets = calloc(frames, sizeof *packets);
    livetcp_usec end_us = BEGIN_US + frames * FRAME_US, frame_us = BEGIN_US + phase_us;
    heard result = {.emptiest = SAMPLE_RATE};
    sound out = {0};
    hearing h = {.out = &out};
    uv_mutex_t lock;

    if (!packets)
        abort();
    say_all(packets, frames, way);
    lock_start(&h, &lock);
    for (livetcp_usec now = BEGIN_US, wake_us = frame_us; now < end_us;) {
        incoming *next = first_of(packets, frames);
        if (next->arrival_us <= wake_us) { /* the session's thread: nobody wakes up */
            put(&h, next);
            continue;
        }
        now = wake_us + AWAKE_US;
        hearing_play(&h, now);
        while (frame_us <= now)
            frame_us += FRAME_US;
        wake_us = hearing_next(&h, now);
        wake_us = frame_us < wake_us ? frame_us : wake_us > now ? wake_us : now;
        if (now < COUNTS_US)
            continue;
        result.wakeups++;
        note(&result, sound_queued(&out, now));
    }
    for (unsigned i = 0; i < frames; i++)
        result.sent += way(i) >= 0;
    result.decoded = h.packets;
    result.corrected = h.corrected;
    result.concealed = h.concealed;
    result.delay_us = hearing_delay(&h);
    hearing_end(&h);
    livetcp_playout_destroy(&h.playout);
    echo_destroy(&h.echo);
    uv_mutex_destroy(&lock);
    free(packets);
    return result;
}
