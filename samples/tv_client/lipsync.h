/* SPDX-License-Identifier: MIT */
/* When to show and to play, so that lips and words belong together. Sender reports tell at what
 * time of day something was captured, of either stream; each playout tells when its packets can be
 * played. The later of the two streams decides for both.
 *
 * No clock, no I/O. Times of play are on the caller's clock, times of capture on the sender's. */
#ifndef TV_LIPSYNC_H
#define TV_LIPSYNC_H

#include <stdbool.h>
#include <stdint.h>

enum { LIPSYNC_PICTURE = 0, LIPSYNC_SOUND, LIPSYNC_STREAMS };

typedef struct lipsync {
    struct lipsync_stream {
        uint32_t rate; /* of its timestamps */
        bool reported, played;
        int64_t wall_us; /* of the last sender report */
        uint32_t timestamp;
        int64_t offset_us; /* from capture to play, by its playout */
        int64_t capture_us;
    } streams[LIPSYNC_STREAMS];
    bool begun;
    int64_t common_us; /* from capture to play, of both */
} lipsync;

void lipsync_init(lipsync *l, uint32_t picture_rate, uint32_t sound_rate);

/* A sender report. */
void lipsync_report(lipsync *l, int stream, int64_t wall_us, uint32_t timestamp);

/* When that was captured; false before the first report. */
bool lipsync_capture(const lipsync *l, int stream, uint32_t timestamp, int64_t *wall_us);

/* When to play what has this timestamp, and could be played at `play_us`, never earlier than that;
 * `device_us`: from there to the senses. Without reports that is at once. */
int64_t lipsync_play(lipsync *l, int stream, uint32_t timestamp, int64_t play_us,
                     int64_t device_us);

#endif
