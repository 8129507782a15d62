/* SPDX-License-Identifier: MIT */
/* Pending writes of a connection: control frames and one packet. Frames never interleave, even if
 * the kernel takes a few bytes at a time. */
#ifndef LT_ENGINE_SENDER_OUTBOX_H
#define LT_ENGINE_SENDER_OUTBOX_H

#include "engine/packet.h"

/* Bytes of control frames that the kernel has not taken yet. */
#define LT_OUTBOX_CONTROL 1024

typedef struct lt_outbox {
    uint8_t *opening; /* first frame that is too long for `control`; NULL = none */
    size_t opening_size, opening_done;
    uint8_t control[LT_OUTBOX_CONTROL];
    size_t control_size; /* bytes of frames in `control` */
    size_t control_done; /* bytes of these that are written */
    lt_packet *packet;   /* packet being written, or NULL */
    size_t packet_done;
    size_t chunk; /* bytes per write of that packet, by setting `split` */
} lt_outbox;

/* True if nothing is to be written. */
bool lt_outbox_idle(const lt_outbox *outbox);

/* True if the next byte written begins a frame. */
bool lt_outbox_at_boundary(const lt_outbox *outbox);

/* Appends a control frame; to an empty outbox, one of any size. False without space or memory. */
bool lt_outbox_add_control(lt_outbox *outbox, const uint8_t *frame, size_t size);

/* Takes over a reference to the next packet, to be written in `split` writes of about equal size.
 * The outbox must have no packet. */
void lt_outbox_set_packet(lt_outbox *outbox, lt_packet *packet, unsigned split);

/* Bytes for the next write call; false if there are none. */
bool lt_outbox_next(const lt_outbox *outbox, const uint8_t **data, size_t *size);

/* The packet that ends with these bytes, or NULL. */
const lt_packet *lt_outbox_finishing(const lt_outbox *outbox);

/* `size` of these bytes were written. Returns the packet that is now complete, with its reference,
 * or NULL. */
lt_packet *lt_outbox_advance(lt_outbox *outbox, size_t size);

/* Empties the outbox. Returns the incomplete packet, with its reference, or NULL. */
lt_packet *lt_outbox_clear(lt_outbox *outbox);

#endif
