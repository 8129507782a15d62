/* SPDX-License-Identifier: MIT */
#include "voice.h"

#include "echo.h"
#include "hearing.h"
#include "speaking.h"

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <stdlib.h>
#include <string.h>

struct voice {
    voice_settings settings;
    uv_thread_t thread;
    speaking speaking; /* used by the thread */
    hearing hearing;
    echo *echo;

    uv_mutex_t lock; /* of the following members */
    uv_cond_t wake;
    bool ending, muted;
    uint32_t bitrate; /* from the session, */
    double loss;      /* and from the peer */
    voice_state state;
};

static livetcp_usec now_us(void)
{
    return (livetcp_usec)(uv_hrtime() / 1000); /* clock of an attached playout */
}

static livetcp_usec samples_us(long samples)
{
    return samples * 1000 / (SAMPLE_RATE / 1000);
}

static int peak_of(const int16_t *frame)
{
    int peak = 0;

    for (size_t i = 0; i < FRAME; i++)
        peak = abs(frame[i]) > peak ? abs(frame[i]) : peak;
    return peak;
}

/* ---- the thread ---- */

static void speak_frame(voice *v, int16_t *captured, bool muted)
{
    const livetcp_packet_info info = {.struct_size = sizeof info, .codec = LIVETCP_CODEC_AUDIO};
    uint8_t packet[LIVETCP_RTP_HEADER_SIZE + PACKET_MAX];
    int16_t played[FRAME];

    echo_cancel(v->echo, captured, played);
    if (muted)
        memset(captured, 0, FRAME * sizeof *captured);
    if (v->settings.recorder)
        recorder_add(v->settings.recorder, captured, played, FRAME);
    size_t size = speaking_encode(&v->speaking, captured, packet);
    if (size > 0) /* does not block; on_state() reports the end of the session */
        livetcp_session_send_with(v->settings.session, packet, size, &info);
}

static void speak(voice *v, livetcp_usec now, bool muted)
{
    sound *s = v->settings.sound;
    int16_t frame[FRAME];

    while (sound_captured(s, now) >= FRAME) {
        echo_align(v->echo, sound_queued(s, now) + sound_captured(s, now));
        if (!sound_read(s, now, frame))
            return;
        int peak = peak_of(frame);
        speak_frame(v, frame, muted);
        uv_mutex_lock(&v->lock);
        if (peak > v->state.spoken_peak)
            v->state.spoken_peak = peak;
        uv_mutex_unlock(&v->lock);
    }
}

/* Under the lock. */
static void publish(voice *v)
{
    voice_state *state = &v->state;

    state->spoken_delay_us =
        samples_us(FRAME + v->speaking.delay + sound_capture_block(v->settings.sound));
    state->heard_delay_us = hearing_delay(&v->hearing);
    state->heard_peak = v->hearing.peak > state->heard_peak ? v->hearing.peak : state->heard_peak;
    v->hearing.peak = 0;
    state->bitrate = v->speaking.bitrate;
    state->complexity = v->speaking.complexity;
    state->loss_percent = v->speaking.loss_percent;
    state->stretch_ppm = v->hearing.stretch.ppm;
    state->packets = v->speaking.packets;
    state->silent = v->speaking.silent;
    state->decoded = v->hearing.packets;
    state->corrected = v->hearing.corrected;
    state->concealed = v->hearing.concealed;
    state->undecodable = v->hearing.undecodable;
    state->payload_type = v->hearing.payload_type;
    state->gone = sound_gone(v->settings.sound);
}

/* Under the lock: waits for a frame to send or a time to play. */
static void wait_for_work(voice *v, livetcp_usec play_us)
{
    livetcp_usec now = now_us(), due = sound_next_frame(v->settings.sound, now);

    due = play_us < due ? play_us : due;
    if (due > now && !v->ending)
        uv_cond_timedwait(&v->wake, &v->lock, (uint64_t)(due - now) * 1000);
}

static void run(void *user)
{
    voice *v = user;

    SDL_SetThreadPriority(SDL_THREAD_PRIORITY_HIGH); /* if permitted */
    livetcp_usec start_us = now_us();
    sound_start(v->settings.sound, start_us);
    uv_mutex_lock(&v->lock);
    v->state.start_us = start_us;
    while (!v->ending) {
        bool muted = v->muted;
        uint32_t bitrate = v->bitrate;
        double loss = v->loss;
        uv_mutex_unlock(&v->lock);

        livetcp_usec now = now_us();
        hearing_play(&v->hearing, now);
        speaking_adapt(&v->speaking, bitrate, loss);
        speak(v, now, muted);
        livetcp_usec play_us = hearing_next(&v->hearing, now);

        uv_mutex_lock(&v->lock);
        publish(v);
        wait_for_work(v, play_us);
    }
    uv_mutex_unlock(&v->lock);
    sound_pause(v->settings.sound);
}

/* ---- from other threads ---- */

/* False for a file as microphone, or without a loudspeaker. */
static bool has_echo(const sound *s)
{
    return sound_capture_block(s) > 0 && sound_play_block(s) > 0;
}

static void free_voice(voice *v)
{
    hearing_end(&v->hearing);
    speaking_end(&v->speaking);
    echo_destroy(&v->echo);
    free(v);
}

voice *voice_start(const voice_settings *settings, char *message, size_t size)
{
    voice *v = calloc(1, sizeof *v);

    if (!v || !(v->echo = echo_create(settings->cancel_echo && has_echo(settings->sound)))) {
        snprintf(message, size, "no memory for the sound of a call");
        free(v);
        return NULL;
    }
    v->settings = *settings;
    v->hearing = (hearing){.playout = settings->playout,
                           .lock = settings->lock,
                           .out = settings->sound,
                           .echo = v->echo};
    if (!speaking_start(&v->speaking, settings->max_bitrate, settings->dtx, message, size) ||
        !hearing_start(&v->hearing, message, size)) {
        free_voice(v);
        return NULL;
    }
    uv_mutex_init(&v->lock);
    uv_cond_init(&v->wake);
    publish(v);
    if (uv_thread_create(&v->thread, run, v) == 0)
        return v;
    snprintf(message, size, "no thread for the sound of a call");
    uv_mutex_destroy(&v->lock);
    uv_cond_destroy(&v->wake);
    free_voice(v);
    return NULL;
}

void voice_stop(voice **vp)
{
    voice *v = *vp;

    *vp = NULL;
    if (!v)
        return;
    uv_mutex_lock(&v->lock);
    v->ending = true;
    uv_cond_signal(&v->wake);
    uv_mutex_unlock(&v->lock);
    uv_thread_join(&v->thread);
    uv_mutex_destroy(&v->lock);
    uv_cond_destroy(&v->wake);
    free_voice(v);
}

void voice_get_state(voice *v, voice_state *state)
{
    uv_mutex_lock(&v->lock);
    *state = v->state;
    v->state.spoken_peak = v->state.heard_peak = 0;
    uv_mutex_unlock(&v->lock);
}

void voice_mute(voice *v, bool muted)
{
    uv_mutex_lock(&v->lock);
    v->muted = muted;
    uv_mutex_unlock(&v->lock);
}

void voice_adapt(voice *v, uint32_t bitrate, double loss)
{
    uv_mutex_lock(&v->lock);
    if (bitrate > 0)
        v->bitrate = bitrate;
    v->loss = loss;
    uv_mutex_unlock(&v->lock);
}
