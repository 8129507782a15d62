/* SPDX-License-Identifier: MIT */
/* Records a call as WAV: the microphone in the left channel, the loudspeaker in the right one. A
 * thread of its own writes, so that a slow disk does not disturb the sound. */
#ifndef VOIP_CALL_RECORDER_H
#define VOIP_CALL_RECORDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct recorder recorder;

/* NULL, with a message for the user. */
recorder *recorder_open(const char *path, unsigned rate, char *message, size_t size);

/* Any thread; does not wait for the disk. Sound is left out when the disk is two seconds late. */
void recorder_add(recorder *r, const int16_t *captured, const int16_t *played, size_t count);

/* Writes the rest. Returns NULL, or the error: valid until the next call of strerror(). */
const char *recorder_close(recorder **r);

#endif
