/* SPDX-License-Identifier: MIT */
/* Window and loudspeaker, by SDL. */
#ifndef TV_SCREEN_H
#define TV_SCREEN_H

#include "../tv_common/picture.h"

typedef struct screen screen;

typedef struct screen_sound {
    const int16_t *samples; /* 48 kHz, mono */
    int count;
    int64_t play_us;
    double skew_ppm; /* of the server's clock: positive = slower than ours */
} screen_sound;

/* `sound` false: no loudspeaker. NULL, with a message for the user. */
screen *screen_open(bool sound, char *message, size_t size);
void screen_close(screen **s);

/* The picture, or the one before if that is NULL, with lines of text over it; NULL ends the lines.
 */
void screen_show(screen *s, const tv_picture *picture, const char *const *lines);

/* The window's. */
void screen_title(screen *s, const char *title);

/* To be heard at its time. Sound that is too late is left out. */
void screen_play(screen *s, const screen_sound *sound, int64_t now_us);
void screen_hush(screen *s);

/* Delay from the end of its queue to the ear: the block that the device takes at once. */
int64_t screen_sound_delay(const screen *s);

/* The next key pressed, as on a terminal; 'q' if the window was closed; 0 = none. */
char screen_key(screen *s);

#endif
