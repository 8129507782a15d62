/* SPDX-License-Identifier: MIT */
/* A channel: a thread takes pictures and sound and encodes them in two qualities. The last minutes
 * stay in memory, where each viewer has a position.
 *
 * All functions are for the loop's thread, which channel_create() is told how to wake. */
#ifndef TV_CHANNEL_H
#define TV_CHANNEL_H

#include "unit.h"

#include <uv.h>

/* Tracks of a channel. Both qualities have the same picture numbers and key frames. */
enum { TRACK_HIGH = 0, TRACK_LOW, TRACK_SOUND, TRACKS };

typedef struct channel_settings {
    const char *name, *source, *sound; /* sound: a WAV file; NULL = test tone */
    unsigned index;
    int width, height, fps;      /* of the test picture; requested from a camera */
    int kbits, low_kbits;        /* maximum bit rates in kbit/s */
    int key_ms, history_s;       /* key frame interval; history in memory */
    bool intra_refresh, numbers; /* numbers: also drawn into pictures of files and cameras */
    const char *preset;
    uv_async_t *wake; /* signals new units */
} channel_settings;

typedef struct channel_stats {
    uint64_t pictures, keys, skipped, bytes; /* skipped: the computer was too slow to encode them */
    int kbits[2];                            /* current bit rate of each quality */
    size_t history_bytes;
    int64_t history_us;
} channel_stats;

typedef struct channel channel;

/* NULL, with a message for the user. */
channel *channel_create(const channel_settings *settings, char *message, size_t size);

/* No picture is begun any more. The one that is being encoded is what channel_destroy() waits for,
 * so several channels are stopped first. */
void channel_stop(channel *c);
void channel_destroy(channel **c);

const char *channel_name(const channel *c);
unsigned channel_index(const channel *c);

/* Takes newly encoded units; true if there were any. */
bool channel_collect(channel *c);

/* Units of a track: numbers first..end - 1; older ones are discarded. */
uint64_t channel_first(const channel *c, int kind);
uint64_t channel_end(const channel *c, int kind);
unit *channel_unit(const channel *c, int kind, uint64_t number);

/* The last key frame at or before this time; false if there is none in memory. */
bool channel_find_key(const channel *c, int64_t pts_us, uint64_t *number);

/* The first unit of a track at or after this time; the end if there is none. */
uint64_t channel_find(const channel *c, int kind, int64_t pts_us);

/* Makes the next picture a key frame, unless there is one younger than `round_trip_us`. */
void channel_want_key(channel *c, int64_t now_us, int64_t round_trip_us);

/* From the next picture on; `kind` is TRACK_HIGH or TRACK_LOW, the rate is limited by the
 * settings. */
void channel_set_rate(channel *c, int kind, int kbits);

/* Why there are no more pictures; NULL = there are. */
const char *channel_trouble(channel *c);

void channel_get_stats(channel *c, channel_stats *stats);

#endif
