/* SPDX-License-Identifier: MIT */
/* Interface through which parts of the engine that do not own the outboxes write control frames. */
#ifndef LT_ENGINE_CONTROL_WRITER_H
#define LT_ENGINE_CONTROL_WRITER_H

#include "wire/control.h"

typedef struct lt_control_writer {
    /* Puts one frame, LENGTH included, behind a slot's unwritten data. False without space: the
     * peer has not read a kilobyte of control, so the frame is moot, and the keepalive will detect
     * it. */
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
