/* SPDX-License-Identifier: MIT */
#include "echo.h"

#include <speex/speex_echo.h>
#include <stdlib.h>
#include <string.h>

/* Maximum delay of an echo after the sound was due at the loudspeaker: device buffers and the
 * room. */
#define TAIL (6 * FRAME)

#define RING      (SAMPLE_RATE / 2)
#define TOLERANCE (SAMPLE_RATE / 20) /* 50 ms of drift: then both are realigned */
#define QUIET     32                 /* of 32767: below this there is no audible echo */

struct echo {
    SpeexEchoState *canceller; /* NULL: none */
    unsigned quiet_frames;     /* frames since the loudspeaker played anything */
    int16_t ring[RING];        /* played, not yet taken */
    size_t first, used;
};

echo *echo_create(bool cancel)
{
    echo *e = calloc(1, sizeof *e);
    int rate = SAMPLE_RATE;

    if (!e || !cancel)
        return e;
    e->canceller = speex_echo_state_init(FRAME, TAIL);
    if (!e->canceller)
        echo_destroy(&e);
    else
        speex_echo_ctl(e->canceller, SPEEX_ECHO_SET_SAMPLING_RATE, &rate);
    return e;
}

void echo_destroy(echo **e)
{
    if (*e && (*e)->canceller)
        speex_echo_state_destroy((*e)->canceller);
    free(*e);
    *e = NULL;
}

/* NULL adds silence. On overflow the oldest samples are lost. */
static void add(echo *e, const int16_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        e->ring[(e->first + e->used) % RING] = samples ? samples[i] : 0;
        if (e->used < RING)
            e->used++;
        else
            e->first = (e->first + 1) % RING;
    }
}

void echo_played(echo *e, const int16_t *samples, size_t count)
{
    add(e, samples, count);
}

static void drop(echo *e, size_t count)
{
    e->first = (e->first + count) % RING;
    e->used -= count;
}

void echo_align(echo *e, long samples)
{
    long ahead = (long)e->used - samples;

    if (ahead > TOLERANCE) {
        drop(e, (size_t)ahead);
    } else if (ahead < -TOLERANCE &&
               samples <= RING) { /* inserts silence before the ring's content */
        e->first = (e->first + RING - (size_t)-ahead) % RING;
        e->used += (size_t)-ahead;
        for (size_t i = 0; i < (size_t)-ahead; i++)
            e->ring[(e->first + i) % RING] = 0;
    }
}

static void take(echo *e, int16_t *played)
{
    e->quiet_frames++;
    for (size_t i = 0; i < FRAME; i++) {
        played[i] = i < e->used ? e->ring[(e->first + i) % RING] : 0;
        if (abs(played[i]) > QUIET)
            e->quiet_frames = 0;
    }
    drop(e, e->used < FRAME ? e->used : FRAME);
}

void echo_cancel(echo *e, int16_t captured[FRAME], int16_t played[FRAME])
{
    int16_t clean[FRAME];

    take(e, played);
    if (!e->canceller || e->quiet_frames > TAIL / FRAME) /* silence has no echo */
        return;
    speex_echo_cancellation(e->canceller, captured, played, clean);
    memcpy(captured, clean, sizeof clean);
}
