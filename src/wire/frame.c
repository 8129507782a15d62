/* SPDX-License-Identifier: MIT */
/* RFC 4571 deframing. A frame that is complete in the input is passed on in place; only one that is
 * split between two reads is copied, into a buffer that grows with the bytes received. */
#include "wire/frame.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

/* Initial size of the buffer: one allocation suffices for audio packets, and little memory is held
 * for a silent peer. */
#define PARTIAL_MIN 256

/* A larger buffer is freed after its frame, so that one large frame does not pin 64 KiB per
 * connection. Ordinary packets fit, so that a steady stream does not allocate. */
#define PARTIAL_KEEP 4096

void lt_deframer_init(lt_deframer *deframer, size_t max_frame)
{
    memset(deframer, 0, sizeof *deframer);
    deframer->max_frame = max_frame;
}

void lt_deframer_clear(lt_deframer *deframer)
{
    free(deframer->partial);
    deframer->partial = NULL;
    deframer->held = 0;
    deframer->capacity = 0;
    deframer->partial_done = false;
}

static void forget_partial(lt_deframer *deframer)
{
    if (deframer->capacity > PARTIAL_KEEP)
        lt_deframer_clear(deframer);
    deframer->held = 0;
    deframer->partial_done = false;
}

/* Allocates for `needed` bytes of a frame of `total`: at most twice as many, and never more than
 * `total`, whatever length the peer announced. */
static bool reserve(lt_deframer *deframer, size_t needed, size_t total)
{
    size_t capacity = needed > PARTIAL_MIN / 2 ? 2 * needed : PARTIAL_MIN;
    uint8_t *grown;

    if (needed <= deframer->capacity)
        return true;
    if (capacity > total)
        capacity = total;
    grown = realloc(deframer->partial, capacity);
    if (!grown)
        return false;
    deframer->partial = grown;
    deframer->capacity = capacity;
    return true;
}

/* Appends up to `wanted` bytes of input to the partial frame. */
static bool append(lt_deframer *deframer, const uint8_t **data, size_t *size, size_t wanted,
                   size_t total)
{
    size_t taken = wanted < *size ? wanted : *size;

    if (!taken)
        return true;
    if (!reserve(deframer, deframer->held + taken, total))
        return false;
    memcpy(deframer->partial + deframer->held, *data, taken);
    deframer->held += taken;
    *data += taken;
    *size -= taken;
    return true;
}

/* Continues a partial frame. */
static lt_deframe finish_partial(lt_deframer *deframer, const uint8_t **data, size_t *size,
                                 const uint8_t **frame, size_t *frame_size)
{
    size_t length, total;

    if (deframer->held < LT_FRAME_HEADER &&
        !append(deframer, data, size, LT_FRAME_HEADER - deframer->held, PARTIAL_MIN))
        return LT_DEFRAME_NO_MEMORY;
    if (deframer->held < LT_FRAME_HEADER)
        return LT_DEFRAME_MORE;

    length = lt_read_be16(deframer->partial);
    if (length > deframer->max_frame)
        return LT_DEFRAME_TOO_LARGE;
    total = LT_FRAME_HEADER + length;
    if (!append(deframer, data, size, total - deframer->held, total))
        return LT_DEFRAME_NO_MEMORY;
    if (deframer->held < total)
        return LT_DEFRAME_MORE;

    *frame = deframer->partial + LT_FRAME_HEADER;
    *frame_size = length;
    deframer->partial_done = true;
    return LT_DEFRAME_FRAME;
}

lt_deframe lt_deframer_next(lt_deframer *deframer, const uint8_t **data, size_t *size,
                            const uint8_t **frame, size_t *frame_size)
{
    if (deframer->partial_done)
        forget_partial(deframer);

    if (!deframer->held && *size >= LT_FRAME_HEADER) {
        size_t length = lt_read_be16(*data);
        if (length > deframer->max_frame)
            return LT_DEFRAME_TOO_LARGE;
        if (*size - LT_FRAME_HEADER >= length) {
            *frame = *data + LT_FRAME_HEADER;
            *frame_size = length;
            *data += LT_FRAME_HEADER + length;
            *size -= LT_FRAME_HEADER + length;
            return LT_DEFRAME_FRAME;
        }
    }
    return finish_partial(deframer, data, size, frame, frame_size);
}
