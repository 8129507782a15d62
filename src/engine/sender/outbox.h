/* SPDX-License-Identifier: MIT */
/* A connection's pending writes: control frames and one packet. Frames never interleave, even if
 * the kernel takes few bytes at a time. */
#ifndef LT_ENGINE_SENDER_OUTBOX_H
#define LT_ENGINE_SENDER_OUTBOX_H

#include "engine/packet.h"

/* Space for control frames that the kernel has not taken yet. */
#define LT_OUTBOX_CONTROL 1024

typedef struct lt_outbox {
    uint8_t *opening; /* a first frame that is too long for `control`; NULL = none */
    size_t opening_size, opening_done;
    uint8_t control[LT_OUTBOX_CONTROL];
    size_t control_size; /* bytes of whole frames in control */
    size_t control_done; /* of these, written */
    lt_packet *packet;   /* NULL, or the packet being written */
    size_t packet_done;
    size_t chunk; /* bytes per write of that packet (split) */
} lt_outbox;

/* True if nothing waits to be written. */
bool lt_outbox_idle(const lt_outbox *outbox);

/* True if the next byte written begins a frame. */
bool lt_outbox_at_boundary(const lt_outbox *outbox);

/* Appends a control frame; one of any size to an empty outbox. False if there is no space, or
 * memory. */
bool lt_outbox_add_control(lt_outbox *outbox, const uint8_t *frame, size_t size);

/* Takes over a reference to the packet to write next, in `split` writes of about equal size. Only
 * when the outbox has no packet. */
void lt_outbox_set_packet(lt_outbox *outbox, lt_packet *packet, unsigned split);

/* The next bytes to write in one go; false if there are none. */
bool lt_outbox_next(const lt_outbox *outbox, const uint8_t **data, size_t *size);

/* The packet of which these bytes are the last ones, or NULL. */
const lt_packet *lt_outbox_finishing(const lt_outbox *outbox);

/* `size` of these bytes were written. Returns the packet that is complete now, and with it the
 * reference, or NULL. */
lt_packet *lt_outbox_advance(lt_outbox *outbox, size_t size);

/* Empties it, and frees what it holds but the packet. Returns the packet that was not written
 * whole, and with it the reference, or NULL. */
lt_packet *lt_outbox_clear(lt_outbox *outbox);

#endif
