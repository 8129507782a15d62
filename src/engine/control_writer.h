/* SPDX-License-Identifier: MIT */
/* The means by which components other than the sender, which owns the outboxes, write control
 * frames. */
#ifndef LT_ENGINE_CONTROL_WRITER_H
#define LT_ENGINE_CONTROL_WRITER_H

#include "wire/control.h"

typedef struct lt_control_writer {
    /* Appends one frame, LENGTH included, to a slot's unwritten data. False without space: the peer
     * has not read a kilobyte of control frames, so this one is of no use, and the keepalive will
     * detect it. */
    bool (*write)(void *user, unsigned slot, const uint8_t *frame, size_t size);
    void *user;
} lt_control_writer;

static inline bool lt_control_write(const lt_control_writer *writer, unsigned slot,
                                    const lt_control *message)
{
    uint8_t frame[LT_CONTROL_MAX];

    return writer->write(writer->user, slot, frame, lt_control_encode(message, frame));
}

#endif
