/* SPDX-License-Identifier: MIT */
/* Records a call as WAV: what was said here is the left channel, what was heard here the right one.
 * A thread of its own writes, so that a slow disk disturbs no sound. */
#ifndef VOIP_CALL_RECORDER_H
#define VOIP_CALL_RECORDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct recorder recorder;

/* NULL with a message for a person. */
recorder *recorder_open(const char *path, unsigned rate, char *message, size_t size);

/* Any thread; never blocks for the disk. Sound that the disk is two seconds late with is left out.
 */
void recorder_add(recorder *r, const int16_t *said, const int16_t *heard, size_t count);

/* Writes the rest. Returns NULL, or what went wrong: valid until the next call of strerror(). */
const char *recorder_close(recorder **r);

#endif
