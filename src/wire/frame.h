/* SPDX-License-Identifier: MIT */
/* RFC 4571 deframing: a byte stream, cut anywhere, becomes frames again. */
#ifndef LT_WIRE_FRAME_H
#define LT_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the RFC 4571 LENGTH field before every packet, and the largest LENGTH. */
#define LT_FRAME_HEADER 2
#define LT_FRAME_MAX    65535

/* Holds at most one unfinished frame, in at most twice the memory of the bytes received; up to 4
 * KiB are kept for the next one. */
typedef struct lt_deframer {
    size_t max_frame; /* longest LENGTH accepted */
    uint8_t *partial; /* LENGTH and the bytes of the frame received so far; NULL until needed */
    size_t held;      /* bytes in partial */
    size_t capacity;
    bool partial_done; /* partial was handed out and is to be forgotten */
} lt_deframer;

typedef enum lt_deframe {
    LT_DEFRAME_MORE = 0,  /* all input is consumed; no whole frame left */
    LT_DEFRAME_FRAME,     /* *frame, *frame_size are one frame's content; size 0 is a null packet */
    LT_DEFRAME_TOO_LARGE, /* a LENGTH over max_frame: the stream cannot be read any further */
    LT_DEFRAME_NO_MEMORY  /* nothing was consumed beyond the bytes held */
} lt_deframe;

void lt_deframer_init(lt_deframer *deframer, size_t max_frame);

/* Frees what it holds; usable again after lt_deframer_init(). */
void lt_deframer_clear(lt_deframer *deframer);

/* Consumes input from *data, *size up to the end of one frame and hands that frame out. A frame
 * that is whole in the input is not copied: it points into the input; one that was cut points
 * into the deframer. Either is valid until the next call. Call it until it returns
 * LT_DEFRAME_MORE. */
lt_deframe lt_deframer_next(lt_deframer *deframer, const uint8_t **data, size_t *size,
                            const uint8_t **frame, size_t *frame_size);

#endif
