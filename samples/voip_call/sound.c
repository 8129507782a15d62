/* SPDX-License-Identifier: MIT */
#include "sound.h"

#include "lag.h"

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (FRAME / 2) /* samples per device block: 10 ms */

/* Each direction is a device, or driven by the clock. */
struct sound {
    bool has_sdl;
    SDL_AudioDeviceID microphone, loudspeaker; /* 0: driven by the clock */
    livetcp_usec start_us;

    int16_t *speech; /* from the file; NULL: silence */
    size_t speech_size;
    uint64_t read, written; /* samples since the start */
    lag lag;                /* of the microphone */
    long silence;           /* samples that stand for what it did not give */
};

/* ---- by the clock ---- */

static uint64_t passed(const sound *s, livetcp_usec now)
{
    return now > s->start_us ? (uint64_t)(now - s->start_us) * SAMPLE_RATE / LIVETCP_USEC_SEC : 0;
}

static void speak(sound *s, int16_t *frame)
{
    for (size_t i = 0; i < FRAME; i++)
        frame[i] = s->speech ? s->speech[(s->read + i) % s->speech_size] : 0;
}

/* ---- files ---- */

/* SDL reads all WAV formats and converts them. */
static bool convert(sound *s, const SDL_AudioSpec *spec, const Uint8 *bytes, Uint32 size)
{
    SDL_AudioStream *stream =
        SDL_NewAudioStream(spec->format, spec->channels, spec->freq, AUDIO_S16SYS, 1, SAMPLE_RATE);
    int available = 0;
    bool done = false;

    if (stream && SDL_AudioStreamPut(stream, bytes, (int)size) == 0 &&
        SDL_AudioStreamFlush(stream) == 0)
        available = SDL_AudioStreamAvailable(stream);
    if (available > 0 && (s->speech = malloc((size_t)available))) {
        done = SDL_AudioStreamGet(stream, s->speech, available) == available;
        s->speech_size = (size_t)available / sizeof *s->speech;
    }
    SDL_FreeAudioStream(stream);
    return done;
}

static bool load(sound *s, const char *path, char *message, size_t size)
{
    SDL_AudioSpec spec;
    Uint8 *bytes = NULL;
    Uint32 length = 0;

    if (!SDL_LoadWAV(path, &spec, &bytes, &length)) {
        snprintf(message, size, "%s cannot be spoken: %s; give a WAV file", path, SDL_GetError());
        return false;
    }
    bool done = length > 0 && convert(s, &spec, bytes, length);
    if (!done)
        snprintf(message, size, "%s cannot be spoken: there is no sound in it", path);
    SDL_FreeWAV(bytes);
    return done;
}

/* ---- devices ---- */

static bool start_sdl(sound *s, char *message, size_t size)
{
    if (s->has_sdl)
        return true;
    SDL_SetMainReady();
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* the program handles Ctrl-C */
    s->has_sdl = SDL_Init(SDL_INIT_AUDIO) == 0;
    if (!s->has_sdl)
        snprintf(message, size,
                 "there is no sound system: %s; --microphone none --loudspeaker none goes without",
                 SDL_GetError());
    return s->has_sdl;
}

static bool open_device(sound *s, const char *name, bool capture, SDL_AudioDeviceID *device,
                        char *message, size_t size)
{
    static const char *const kinds[] = {"loudspeaker", "microphone"};
    const SDL_AudioSpec want = {
        .freq = SAMPLE_RATE, .format = AUDIO_S16SYS, .channels = 1, .samples = BLOCK};

    if (name && strcmp(name, NOBODY) == 0)
        return true;
    if (!start_sdl(s, message, size))
        return false;
    *device = SDL_OpenAudioDevice(name, capture, &want, NULL, 0);
    if (!*device)
        snprintf(
            message, size,
            "the %s%s%s cannot be opened: %s; it may not be connected, or another program uses "
            "it; --devices lists those there are, and --%s none goes without",
            kinds[capture], name ? " " : "", name ? name : "", SDL_GetError(), kinds[capture]);
    return *device != 0;
}

sound *sound_open(const sound_choice *choice, char *message, size_t size)
{
    sound *s = calloc(1, sizeof *s);

    if (!s) {
        snprintf(message, size, "no memory for sound");
        return NULL;
    }
    if ((choice->play ? load(s, choice->play, message, size)
                      : open_device(s, choice->microphone, true, &s->microphone, message, size)) &&
        open_device(s, choice->loudspeaker, false, &s->loudspeaker, message, size))
        return s;
    sound_close(&s);
    return NULL;
}

void sound_close(sound **sp)
{
    sound *s = *sp;

    *sp = NULL;
    if (!s)
        return;
    if (s->microphone)
        SDL_CloseAudioDevice(s->microphone);
    if (s->loudspeaker)
        SDL_CloseAudioDevice(s->loudspeaker);
    if (s->has_sdl)
        SDL_Quit();
    free(s->speech);
    free(s);
}

static void list(bool capture)
{
    int count = SDL_GetNumAudioDevices(capture);

    printf("%s:%s\n", capture ? "microphones" : "loudspeakers", count > 0 ? "" : " none");
    for (int i = 0; i < count; i++)
        printf("  %s\n", SDL_GetAudioDeviceName(i, capture));
}

bool sound_list(char *message, size_t size)
{
    sound s = {0};

    if (!start_sdl(&s, message, size))
        return false;
    list(true);
    list(false);
    SDL_Quit();
    return true;
}

/* ---- in a call ---- */

void sound_start(sound *s, livetcp_usec now)
{
    s->start_us = now;
    s->read = s->written = 0;
    s->lag = (lag){0};
    s->silence = 0;
    if (s->microphone) {
        SDL_ClearQueuedAudio(s->microphone);
        SDL_PauseAudioDevice(s->microphone, 0);
    }
    if (s->loudspeaker) {
        SDL_ClearQueuedAudio(s->loudspeaker);
        SDL_PauseAudioDevice(s->loudspeaker, 0);
    }
}

void sound_pause(sound *s)
{
    if (s->microphone)
        SDL_PauseAudioDevice(s->microphone, 1);
    if (s->loudspeaker)
        SDL_PauseAudioDevice(s->loudspeaker, 1);
}

static long queued_speech(const sound *s)
{
    return (long)(SDL_GetQueuedAudioSize(s->microphone) / sizeof(int16_t));
}

static void follow_lag(sound *s, livetcp_usec now)
{
    int16_t dropped[FRAME];
    long change =
        lag_update(&s->lag, now, (long)(passed(s, now) - s->read) - s->silence - queued_speech(s));

    for (; change < 0 && s->silence > 0; change += FRAME) /* it has not been heard yet */
        s->silence -= FRAME;
    for (; change < 0; change += FRAME)
        SDL_DequeueAudio(s->microphone, dropped, sizeof dropped);
    s->silence += change;
}

long sound_captured(sound *s, livetcp_usec now)
{
    if (!s->microphone)
        return (long)(passed(s, now) - s->read);
    follow_lag(s, now);
    return s->silence + queued_speech(s);
}

bool sound_read(sound *s, livetcp_usec now, int16_t frame[FRAME])
{
    if (sound_captured(s, now) < FRAME)
        return false;
    if (s->silence >= FRAME) {
        memset(frame, 0, FRAME * sizeof *frame);
        s->silence -= FRAME;
    } else if (s->microphone) {
        SDL_DequeueAudio(s->microphone, frame, FRAME * sizeof *frame);
    } else {
        speak(s, frame);
    }
    s->read += FRAME;
    return true;
}

livetcp_usec sound_next_frame(sound *s, livetcp_usec now)
{
    long missing = FRAME - sound_captured(s, now);

    if (s->microphone) /* a device delivers blocks at its own times */
        missing = missing > BLOCK / 4 ? missing : BLOCK / 4;
    return now + missing * 1000 / (SAMPLE_RATE / 1000) + 1;
}

long sound_queued(sound *s, livetcp_usec now)
{
    uint64_t heard = passed(s, now);

    if (s->loudspeaker)
        return (long)(SDL_GetQueuedAudioSize(s->loudspeaker) / sizeof(int16_t));
    if (s->written < heard) /* it has run dry, as a device does */
        s->written = heard;
    return (long)(s->written - heard);
}

void sound_write(sound *s, const int16_t *samples, size_t count)
{
    if (s->loudspeaker)
        SDL_QueueAudio(s->loudspeaker, samples, (Uint32)(count * sizeof *samples));
    s->written += count;
}

int sound_capture_block(const sound *s)
{
    return s->microphone ? BLOCK : 0;
}

int sound_play_block(const sound *s)
{
    return s->loudspeaker ? BLOCK : 0;
}

const char *sound_gone(sound *s)
{
    if (s->microphone && SDL_GetAudioDeviceStatus(s->microphone) == SDL_AUDIO_STOPPED)
        return "microphone";
    if (s->loudspeaker && SDL_GetAudioDeviceStatus(s->loudspeaker) == SDL_AUDIO_STOPPED)
        return "loudspeaker";
    return NULL;
}
