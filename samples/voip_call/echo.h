/* SPDX-License-Identifier: MIT */
/* Takes the loudspeaker's sound out of the microphone's, so that the peer does not hear itself. */
#ifndef VOIP_CALL_ECHO_H
#define VOIP_CALL_ECHO_H

#include "sound.h"

typedef struct echo echo;

/* `cancel` false: only keeps the two in step. NULL without memory. */
echo *echo_create(bool cancel);
void echo_destroy(echo **e);

/* Samples that went to the loudspeaker. */
void echo_played(echo *e, const int16_t *samples, size_t count);

/* The frames that wait will be heard while so many samples of the microphone come in, those that it
 * has included: puts right what a device that stumbled has shifted. */
void echo_align(echo *e, long samples);

/* `heard` is what the loudspeaker played while the microphone took `said`, which then has no echo
 * of it any more. */
void echo_cancel(echo *e, int16_t said[FRAME], int16_t heard[FRAME]);

#endif
