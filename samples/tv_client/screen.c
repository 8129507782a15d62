/* SPDX-License-Identifier: MIT */
#include "screen.h"

#include "pacing.h"

#include "../common/stretch.h"

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE    STRETCH_RATE
#define BLOCK   480  /* samples per device block */
#define LONGEST 5760 /* samples per call: an Opus packet has up to 120 ms */

struct screen {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    SDL_AudioDeviceID loudspeaker; /* 0 = none */
    pacing pacing;
    stretch stretch;
    tv_picture clean, picture; /* without and with what is written over it */
};

static bool open_window(screen *s, char *message, size_t size)
{
    SDL_SetMainReady();
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* the program handles Ctrl-C */
    if (SDL_Init(SDL_INIT_VIDEO) == 0)
        s->window = SDL_CreateWindow("LiveTCP", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                     960, 540, SDL_WINDOW_RESIZABLE);
    if (s->window)
        s->renderer = SDL_CreateRenderer(s->window, -1, 0);
    if (!s->renderer)
        snprintf(message, size, "there is no screen: %s; --headless goes without", SDL_GetError());
    return s->renderer;
}

static bool open_sound(screen *s, char *message, size_t size)
{
    const SDL_AudioSpec want = {
        .freq = RATE, .format = AUDIO_S16SYS, .channels = 1, .samples = BLOCK};

    if (!stretch_start(&s->stretch, message, size))
        return false;
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) == 0)
        s->loudspeaker = SDL_OpenAudioDevice(NULL, 0, &want, NULL, 0);
    if (s->loudspeaker)
        SDL_PauseAudioDevice(s->loudspeaker, 0);
    else
        snprintf(
            message, size,
            "the loudspeaker cannot be opened: %s; it may not be connected, or another program "
            "uses it; --silent goes without",
            SDL_GetError());
    return s->loudspeaker != 0;
}

screen *screen_open(bool sound, char *message, size_t size)
{
    screen *s = calloc(1, sizeof *s);

    if (!s)
        snprintf(message, size, "no memory for a window");
    else if (!open_window(s, message, size) || (sound && !open_sound(s, message, size)))
        screen_close(&s);
    return s;
}

void screen_close(screen **sp)
{
    screen *s = *sp;

    *sp = NULL;
    if (!s)
        return;
    if (s->loudspeaker)
        SDL_CloseAudioDevice(s->loudspeaker);
    if (s->texture)
        SDL_DestroyTexture(s->texture);
    if (s->renderer)
        SDL_DestroyRenderer(s->renderer);
    if (s->window)
        SDL_DestroyWindow(s->window);
    SDL_Quit();
    stretch_end(&s->stretch);
    tv_picture_destroy(&s->clean);
    tv_picture_destroy(&s->picture);
    free(s);
}

/* ---- pictures ---- */

static bool resize(screen *s, int width, int height)
{
    if (s->texture && s->picture.width == width && s->picture.height == height)
        return true;
    if (s->texture)
        SDL_DestroyTexture(s->texture);
    tv_picture_destroy(&s->clean);
    tv_picture_destroy(&s->picture);
    s->texture = SDL_CreateTexture(s->renderer, SDL_PIXELFORMAT_IYUV, SDL_TEXTUREACCESS_STREAMING,
                                   width, height);
    SDL_RenderSetLogicalSize(s->renderer, width, height);
    return s->texture && tv_picture_create(&s->clean, width, height) &&
           tv_picture_create(&s->picture, width, height);
}

static void copy(const tv_picture *from, tv_picture *to)
{
    for (int i = 0; i < 3; i++)
        for (int y = 0; y < (i ? to->height / 2 : to->height); y++)
            memcpy(to->planes[i] + (size_t)y * (size_t)to->strides[i],
                   from->planes[i] + (size_t)y * (size_t)from->strides[i],
                   (size_t)(i ? to->width / 2 : to->width));
}

/* Also when the window was covered, or has another size. */
static void present(screen *s)
{
    SDL_RenderClear(s->renderer);
    if (s->texture)
        SDL_RenderCopy(s->renderer, s->texture, NULL, NULL);
    SDL_RenderPresent(s->renderer);
}

void screen_show(screen *s, const tv_picture *picture, const char *const *lines)
{
    if (picture && !resize(s, picture->width, picture->height))
        return;
    if (picture)
        copy(picture, &s->clean);
    if (!s->clean.planes[0])
        return; /* there was none */
    const int scale = s->clean.width / 240 > 1 ? s->clean.width / 240 : 1;
    copy(&s->clean, &s->picture);
    for (int y = s->clean.height / 3; *lines; lines++, y += 7 * scale)
        tv_picture_write(&s->picture, 2 * scale, y, scale, *lines);
    SDL_UpdateYUVTexture(s->texture, NULL, s->picture.planes[0], s->picture.strides[0],
                         s->picture.planes[1], s->picture.strides[1], s->picture.planes[2],
                         s->picture.strides[2]);
    present(s);
}

void screen_title(screen *s, const char *title)
{
    SDL_SetWindowTitle(s->window, title);
}

/* ---- sound ---- */

static void be_silent(screen *s, int64_t us)
{
    static const int16_t silence[BLOCK];

    for (int64_t left = us * RATE / 1000000; left > 0; left -= BLOCK)
        SDL_QueueAudio(s->loudspeaker, silence,
                       (Uint32)((left < BLOCK ? left : BLOCK) * (int64_t)sizeof *silence));
}

/* The loudspeaker has a clock of its own: sound is heard when the queue before it has been
 * played. */
void screen_play(screen *s, const screen_sound *sound, int64_t now_us)
{
    int16_t out[STRETCH_ROOM(LONGEST)];

    if (!s->loudspeaker || sound->count > LONGEST)
        return;
    const int64_t queued =
        (int64_t)SDL_GetQueuedAudioSize(s->loudspeaker) / (int64_t)sizeof *sound->samples;
    const int64_t early = sound->play_us - (now_us + queued * 1000000 / RATE);
    const pacing_step step =
        pacing_next(&s->pacing, early, (int64_t)sound->count * 1000000 / RATE, sound->skew_ppm);
    if (step.left_out)
        return;
    be_silent(s, step.silence_us);
    stretch_set(&s->stretch, step.stretch_ppm);
    const size_t count = stretch_apply(&s->stretch, sound->samples, (size_t)sound->count, out);
    SDL_QueueAudio(s->loudspeaker, out, (Uint32)(count * sizeof *out));
}

void screen_hush(screen *s)
{
    if (!s->loudspeaker)
        return;
    SDL_ClearQueuedAudio(s->loudspeaker);
    pacing_reset(&s->pacing);
}

int64_t screen_sound_delay(const screen *s)
{
    return s->loudspeaker ? (int64_t)BLOCK * 1000000 / RATE : 0;
}

/* ---- keys ---- */

static char key_of(SDL_Keycode code)
{
    switch (code) {
    case SDLK_UP:
    case SDLK_PAGEUP:
        return 'u';
    case SDLK_DOWN:
    case SDLK_PAGEDOWN:
        return 'd';
    case SDLK_SPACE:
        return 'p';
    case SDLK_LEFT:
        return 'b';
    case SDLK_RIGHT:
        return 'f';
    case SDLK_HOME:
        return 'l';
    case SDLK_ESCAPE:
        return 'q';
    default:
        return code > 0 && code < 128 ? (char)code : 0;
    }
}

char screen_key(screen *s)
{
    SDL_Event event;

    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT)
            return 'q';
        if (event.type == SDL_WINDOWEVENT)
            present(s);
        if (event.type == SDL_KEYDOWN && !event.key.repeat && key_of(event.key.keysym.sym))
            return key_of(event.key.keysym.sym);
    }
    return 0;
}
