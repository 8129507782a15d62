/* SPDX-License-Identifier: MIT */
#include "tool/test_signal.h"

#include "base/bytes.h"
#include "lab/options.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>

enum {
    HEADER = 12,
    PCMU = 0,     /* RFC 3551: 8000 Hz */
    DYNAMIC = 96, /* packets at a bit rate: 90 kHz clock */
    SAMPLES = 160,
};

#define TONE_HZ   440.0
#define AMPLITUDE 8000.0
#define TAU       6.283185307179586

livetcp_result lt_test_signal_init(lt_test_signal *s, const char *kind, unsigned size,
                                   livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    memset(s, 0, sizeof *s);
    s->size = size;
    if (!kind || !strcmp(kind, "tone"))
        s->size = HEADER + SAMPLES;
    else if ((result = lt_option_rate("--signal ", kind, size, &s->rate, error)) != LIVETCP_OK)
        return lt_option_refuse("--signal ", kind, error,
                                "it is tone, or a rate such as 500kbit or 2mbit");
    if (getrandom(&s->ssrc, sizeof s->ssrc, 0) < 0)
        s->ssrc = 1; /* without randomness: allowed, but not unique */
    return result;
}

/* G.711 mu-law: 14-bit sample to 8 bits. */
static uint8_t ulaw(double sample)
{
    int value = (int)lrint(sample) >> 2, sign = 0, segment = 7;

    if (value < 0) {
        value = -value;
        sign = 0x80;
    }
    value += 33;
    if (value > 0x1fff)
        value = 0x1fff;
    for (int bit = 0x1000; segment > 0 && !(value & bit); bit >>= 1)
        segment--;
    return (uint8_t) ~(sign | segment << 4 | (value >> (segment + 1) & 0x0f));
}

static void write_tone(lt_test_signal *s)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        double t = (double)(s->packets * SAMPLES + i) / 8000;
        s->packet[HEADER + i] = ulaw(AMPLITUDE * sin(TAU * TONE_HZ * t));
    }
}

size_t lt_test_signal_next(lt_test_signal *s, livetcp_usec *offset)
{
    const double seconds = s->rate > 0 ? (double)s->packets * 8 * (double)s->size / s->rate
                                       : 0.02 * (double)s->packets;

    s->packet[0] = 0x80;
    s->packet[1] = s->rate > 0 ? DYNAMIC : PCMU;
    lt_write_be16(s->packet + 2, (uint16_t)s->packets);
    lt_write_be32(s->packet + 4,
                  (uint32_t)(uint64_t)llround(seconds * (s->rate > 0 ? 90000 : 8000)));
    lt_write_be32(s->packet + 8, s->ssrc);
    if (!(s->rate > 0))
        write_tone(s);
    s->packets++;
    *offset = llround(seconds * 1e6);
    return s->size;
}
