/* SPDX-License-Identifier: MIT */
/* Echo cancellation: removes the loudspeaker's sound from the microphone's. */
#ifndef VOIP_CALL_ECHO_H
#define VOIP_CALL_ECHO_H

#include "sound.h"

typedef struct echo echo;

/* `cancel` false: only keeps both aligned. NULL without memory. */
echo *echo_create(bool cancel);
void echo_destroy(echo **e);

/* Adds samples played by the loudspeaker. */
void echo_played(echo *e, const int16_t *samples, size_t count);

/* The waiting frames will be heard while `samples` samples of the microphone come in, including
 * these: realigns after an underrun of a device. */
void echo_align(echo *e, long samples);

/* `played` is the sound of the loudspeaker during `captured`, from which its echo is removed. */
void echo_cancel(echo *e, int16_t captured[FRAME], int16_t played[FRAME]);

#endif
