/* SPDX-License-Identifier: MIT */
/* A channel: a thread takes pictures and sound and encodes them, in two qualities at once; the last
 * minutes stay in memory, where any viewer begins where it wants to.
 *
 * All functions are for one thread, the loop's, which channel_create() is told how to wake. */
#ifndef TV_CHANNEL_H
#define TV_CHANNEL_H

#include "unit.h"

#include <uv.h>

/* Tracks of a channel. Pictures of both qualities have the same numbers and key frames. */
enum { TRACK_HIGH = 0, TRACK_LOW, TRACK_SOUND, TRACKS };

typedef struct channel_settings {
    const char *name, *source, *sound; /* sound: a WAV file; NULL = the test tone */
    unsigned index;
    int width, height, fps;      /* of the test picture, and wanted of a camera */
    int kbits, low_kbits;        /* per second, at most */
    int key_ms, history_s;       /* between key frames; kept in memory */
    bool intra_refresh, numbers; /* numbers: drawn also into files' and cameras' pictures */
    const char *preset;
    uv_async_t *wake; /* when there is something to collect */
} channel_settings;

typedef struct channel_stats {
    uint64_t pictures, keys, skipped, bytes; /* skipped: the computer was too slow for them */
    int kbits[2];                            /* of both qualities, now */
    size_t history_bytes;
    int64_t history_us;
} channel_stats;

typedef struct channel channel;

/* NULL with a message for a person. */
channel *channel_create(const channel_settings *settings, char *message, size_t size);

/* No picture is begun any more. The one that is being encoded is what channel_destroy() waits for,
 * so several channels are stopped first. */
void channel_stop(channel *c);
void channel_destroy(channel **c);

const char *channel_name(const channel *c);
unsigned channel_index(const channel *c);

/* Takes what has been encoded since; true if there was anything. */
bool channel_collect(channel *c);

/* Units of a track: numbers first..end - 1; the older ones are forgotten. */
uint64_t channel_first(const channel *c, int kind);
uint64_t channel_end(const channel *c, int kind);
unit *channel_unit(const channel *c, int kind, uint64_t number);

/* The last key frame at or before this time; false if there is none in memory. */
bool channel_find_key(const channel *c, int64_t pts_us, uint64_t *number);

/* The first unit of a track at or after this time; the end if there is none. */
uint64_t channel_find(const channel *c, int kind, int64_t pts_us);

/* The next picture shall be a key frame, unless one is younger than `round_trip_us`. */
void channel_want_key(channel *c, int64_t now_us, int64_t round_trip_us);

/* From the next picture on; TRACK_HIGH or TRACK_LOW, kept within what the settings allow. */
void channel_set_rate(channel *c, int kind, int kbits);

/* Why there are no more pictures, or NULL. */
const char *channel_trouble(channel *c);

void channel_get_stats(channel *c, channel_stats *stats);

#endif
