/* SPDX-License-Identifier: MIT */
#include "sound.h"

#include "../tv_common/rtcp.h"

#include <errno.h>
#include <math.h>
#include <opus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE       48000
#define FRAME      (RATE / 1000 * SOUND_FRAME_US / 1000)
#define PACKET_MAX 1000
#define COMPLEXITY 3 /* of 0 to 10; the processor also encodes pictures */
#define FILE_MAX   (1 << 28)
#define TURN       6.28318530717958647692

enum { PCM = 1, EXTENSIBLE = 0xfffe };

struct sound {
    OpusEncoder *encoder;
    int16_t *samples; /* of the file, at 48 kHz; NULL: test tone */
    size_t count;
    uint64_t at; /* samples since the start */
    double hz;
};

/* ---- WAV ---- */

static uint32_t little(const uint8_t *at, int bytes)
{
    uint32_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

typedef struct wav {
    unsigned channels, rate;
    const uint8_t *data;
    size_t size;
} wav;

/* False if it is not a WAV file with 16-bit samples. */
static bool find_chunks(wav *w, const uint8_t *file, size_t size)
{
    if (size < 12 || memcmp(file, "RIFF", 4) != 0 || memcmp(file + 8, "WAVE", 4) != 0)
        return false;
    for (size_t at = 12; at + 8 <= size;) {
        const uint8_t *chunk = file + at + 8;
        size_t length = little(file + at + 4, 4);
        if (length > size - at - 8)
            length = size - at - 8;
        if (memcmp(file + at, "fmt ", 4) == 0 && length >= 16) {
            const uint32_t format = little(chunk, 2);
            if ((format != PCM && format != EXTENSIBLE) || little(chunk + 14, 2) != 16)
                return false;
            w->channels = little(chunk + 2, 2);
            w->rate = little(chunk + 4, 4);
        } else if (memcmp(file + at, "data", 4) == 0) {
            w->data = chunk;
            w->size = length;
        }
        at += 8 + length + length % 2;
    }
    return w->channels >= 1 && w->channels <= 8 && w->rate >= 8000 && w->rate <= 192000 &&
           w->size >= 2 * (size_t)w->channels;
}

/* Resamples to 48 kHz by linear interpolation, and mixes to mono. */
static bool convert(sound *s, const wav *w)
{
    const size_t frames = w->size / (2 * (size_t)w->channels);
    const size_t count = (size_t)((uint64_t)frames * RATE / w->rate);

    s->samples = count > 0 ? malloc(count * sizeof *s->samples) : NULL;
    if (!s->samples)
        return false;
    for (size_t i = 0; i < count; i++) {
        const double from = (double)i * w->rate / RATE;
        const size_t left = (size_t)from, right = left + 1 < frames ? left + 1 : left;
        double sum = 0;
        for (unsigned c = 0; c < w->channels; c++) {
            const double a = (int16_t)little(w->data + 2 * (left * w->channels + c), 2);
            const double b = (int16_t)little(w->data + 2 * (right * w->channels + c), 2);
            sum += a + (b - a) * (from - (double)left);
        }
        s->samples[i] = (int16_t)(sum / w->channels);
    }
    s->count = count;
    return true;
}

static bool load(sound *s, const char *name, char *message, size_t size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = NULL;
    wav w = {0};
    bool loaded = false;
    long length = -1;

    if (!file) {
        snprintf(message, size, "%s cannot be read: %s", name, strerror(errno));
        return false;
    }
    if (fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    rewind(file);
    if (length > 0 && length < FILE_MAX && (bytes = malloc((size_t)length)) &&
        fread(bytes, 1, (size_t)length, file) == (size_t)length)
        loaded = find_chunks(&w, bytes, (size_t)length) && convert(s, &w);
    fclose(file);
    free(bytes);
    if (!loaded)
        snprintf(message, size, "%s cannot be played: it must be a WAV file with 16 bits", name);
    return loaded;
}

/* ---- the sound ---- */

sound *sound_open(const char *file, unsigned channel, char *message, size_t size)
{
    sound *s = calloc(1, sizeof *s);
    int error = OPUS_OK;

    if (!s || (file && !load(s, file, message, size))) {
        if (!s)
            snprintf(message, size, "no memory for sound");
        free(s);
        return NULL;
    }
    s->hz = 220 * (1 + channel % 8);
    s->encoder = opus_encoder_create(RATE, 1, OPUS_APPLICATION_AUDIO, &error);
    if (!s->encoder) {
        snprintf(message, size, "Opus cannot encode here: %s", opus_strerror(error));
        sound_close(&s);
        return NULL;
    }
    opus_encoder_ctl(s->encoder, OPUS_SET_BITRATE(SOUND_KBITS * 1000));
    opus_encoder_ctl(s->encoder, OPUS_SET_COMPLEXITY(COMPLEXITY));
    return s;
}

void sound_close(sound **s)
{
    if (!*s)
        return;
    if ((*s)->encoder)
        opus_encoder_destroy((*s)->encoder);
    free((*s)->samples);
    free(*s);
    *s = NULL;
}

/* A soft tone per channel, and a 60 ms beep at each full second. */
static int16_t tone(const sound *s, uint64_t at)
{
    const double t = (double)(at % RATE) / RATE;
    const double beep = at % RATE < RATE * 6 / 100 ? 8000 * sin(TURN * 1000 * t) : 0;

    return (int16_t)(beep + 800 * sin(TURN * s->hz * t));
}

void sound_rewind(sound *s)
{
    if (s->samples)
        s->at = 0;
}

unit *sound_next(sound *s, int64_t pts_us)
{
    int16_t frame[FRAME];
    uint8_t packet[PACKET_MAX];

    for (size_t i = 0; i < FRAME; i++)
        frame[i] = s->samples ? s->samples[(s->at + i) % s->count] : tone(s, s->at + i);
    s->at += FRAME;
    const int size = opus_encode(s->encoder, frame, FRAME, packet, sizeof packet);
    unit *u = size > 0 ? unit_create(pts_us, true) : NULL;
    if (u)
        unit_add(u, TV_SOUND_PAYLOAD, NULL, 0, packet, (size_t)size);
    if (u && u->failed) {
        unit_destroy(u);
        return NULL;
    }
    return u;
}
