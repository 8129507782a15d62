/* SPDX-License-Identifier: MIT */
/* The latest sequence numbers of a stream that were received. */
#ifndef LT_RTP_WINDOW_H
#define LT_RTP_WINDOW_H

#include <stdint.h>

/* Numbers covered, the highest included. Connections of a session may differ by seconds: this is 3
 * s at 60 Mbit/s of full-size packets, and a quarter of the number space. */
#define LT_WINDOW_SIZE 16384

/* A step forward of up to this size is loss, a longer one a jump (MAX_DROPOUT in RFC 3550, A.1). */
#define LT_WINDOW_MAX_STEP 3000

typedef struct lt_window {
    uint64_t highest; /* extended */
    uint64_t seen[LT_WINDOW_SIZE / 64];
} lt_window;

typedef enum lt_window_place {
    LT_WINDOW_NEW,    /* not received; in the window, or a step ahead of it */
    LT_WINDOW_SEEN,   /* received before */
    LT_WINDOW_BEHIND, /* too old to classify */
    LT_WINDOW_JUMP    /* too far ahead for a step */
} lt_window_place;

/* Starts an empty window whose highest number is `sequence`; returns its extended number. */
uint64_t lt_window_start(lt_window *window, uint16_t sequence);

/* Moves the window to `sequence`, which was BEHIND or a JUMP: forward if that is the shorter way,
 * keeping the numbers that remain covered, otherwise to an empty window. Extended numbers grow in
 * either case. */
uint64_t lt_window_move(lt_window *window, uint16_t sequence);

/* Classifies `sequence`; *extended is its extended number. */
lt_window_place lt_window_find(const lt_window *window, uint16_t sequence, uint64_t *extended);

/* Marks a NEW number as received. */
void lt_window_mark(lt_window *window, uint64_t extended);

#endif
