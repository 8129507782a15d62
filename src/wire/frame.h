/* SPDX-License-Identifier: MIT */
/* RFC 4571 deframing: turns a byte stream, split at any position, into frames. */
#ifndef LT_WIRE_FRAME_H
#define LT_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of the RFC 4571 LENGTH field, and its maximum value. */
#define LT_FRAME_HEADER 2
#define LT_FRAME_MAX    65535

/* Holds at most one partial frame, in at most twice the memory of the bytes received. Up to 4 KiB
 * are kept for the next frame. */
typedef struct lt_deframer {
    size_t max_frame; /* maximum LENGTH accepted */
    uint8_t *partial; /* LENGTH and the received bytes of the frame; NULL until needed */
    size_t held;      /* bytes in `partial` */
    size_t capacity;
    bool partial_done; /* `partial` was passed on, and is discarded by the next call */
} lt_deframer;

typedef enum lt_deframe {
    LT_DEFRAME_MORE = 0,  /* all input is consumed; no complete frame is left */
    LT_DEFRAME_FRAME,     /* *frame, *frame_size are a frame; size 0 is a null packet */
    LT_DEFRAME_TOO_LARGE, /* LENGTH exceeds max_frame: the stream cannot be read further */
    LT_DEFRAME_NO_MEMORY  /* nothing was consumed beyond the bytes held */
} lt_deframe;

void lt_deframer_init(lt_deframer *deframer, size_t max_frame);

/* Frees the buffer; usable again after lt_deframer_init(). */
void lt_deframer_clear(lt_deframer *deframer);

/* Consumes input from *data, *size up to the end of one frame, and returns that frame. It points
 * into the input if it is complete there, otherwise into the deframer; either is valid until the
 * next call. Call it until it returns LT_DEFRAME_MORE. */
lt_deframe lt_deframer_next(lt_deframer *deframer, const uint8_t **data, size_t *size,
                            const uint8_t **frame, size_t *frame_size);

#endif
