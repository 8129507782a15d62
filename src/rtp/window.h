/* SPDX-License-Identifier: MIT */
/* Which of the latest sequence numbers of a stream have come. */
#ifndef LT_RTP_WINDOW_H
#define LT_RTP_WINDOW_H

#include <stdint.h>

/* Numbers remembered, the highest included. Connections of one session may be seconds apart: this
 * is 3 s at 60 Mb/s of full-size packets, and a quarter of the number space. */
#define LT_WINDOW_SIZE 16384

/* A step forward of up to this much is loss; a longer one is a jump (MAX_DROPOUT, RFC 3550 A.1). */
#define LT_WINDOW_MAX_STEP 3000

typedef struct lt_window {
    uint64_t highest; /* extended */
    uint64_t seen[LT_WINDOW_SIZE / 64];
} lt_window;

typedef enum lt_window_place {
    LT_WINDOW_NEW,    /* has not come yet; in the window, or a step ahead of it */
    LT_WINDOW_SEEN,   /* came before */
    LT_WINDOW_BEHIND, /* too old to classify */
    LT_WINDOW_JUMP    /* too far ahead for a step */
} lt_window_place;

/* An empty window whose highest number will be `sequence`; returns its extended number. */
uint64_t lt_window_start(lt_window *window, uint16_t sequence);

/* Moves the window to `sequence`, which was BEHIND or a JUMP: forward if that is the shorter way,
 * keeping the numbers it still covers, or else to an empty one. Extended numbers grow either way.
 */
uint64_t lt_window_move(lt_window *window, uint16_t sequence);

/* Where `sequence` lies; *extended is its extended number. */
lt_window_place lt_window_find(const lt_window *window, uint16_t sequence, uint64_t *extended);

/* Notes that a NEW number came. */
void lt_window_mark(lt_window *window, uint64_t extended);

#endif
