/* SPDX-License-Identifier: MIT */
/* Lip-sync: when to show pictures and play sound. Sender reports map each stream's timestamps to
 * the time of capture; each playout has a time to play. The later of the two streams sets the delay
 * of both.
 *
 * No clock, no I/O. Times of play are on the caller's clock, times of capture on the sender's. */
#ifndef TV_LIPSYNC_H
#define TV_LIPSYNC_H

#include <stdbool.h>
#include <stdint.h>

enum { LIPSYNC_PICTURE = 0, LIPSYNC_SOUND, LIPSYNC_STREAMS };

typedef struct lipsync {
    struct lipsync_stream {
        uint32_t rate; /* timestamp clock rate in Hz */
        bool reported, played;
        int64_t wall_us; /* capture time in the last sender report */
        uint32_t timestamp;
        int64_t offset_us; /* from capture to play, by its playout */
        int64_t capture_us;
    } streams[LIPSYNC_STREAMS];
    bool begun;
    int64_t common_us; /* from capture to play, for both */
} lipsync;

void lipsync_init(lipsync *l, uint32_t picture_rate, uint32_t sound_rate);

/* Takes a sender report. */
void lipsync_report(lipsync *l, int stream, int64_t wall_us, uint32_t timestamp);

/* Capture time of a timestamp; false before the first report. */
bool lipsync_capture(const lipsync *l, int stream, uint32_t timestamp, int64_t *wall_us);

/* When to play a packet that its playout would play at `play_us`; never earlier. `device_us` is the
 * delay of the output device. Without sender reports: `play_us`. */
int64_t lipsync_play(lipsync *l, int stream, uint32_t timestamp, int64_t play_us,
                     int64_t device_us);

#endif
