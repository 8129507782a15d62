/* SPDX-License-Identifier: MIT */
/* A picture, or 20 ms of sound, as RTP packets. They are made once, whoever sees them: a viewer
 * gets the same bytes behind a header whose numbers are its own. */
#ifndef TV_UNIT_H
#define TV_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_HEADER  16   /* RTP with one CSRC */
#define UNIT_PAYLOAD 1180 /* so a packet with its framing stays in one segment */

typedef struct unit {
    int64_t pts_us; /* when it was captured, on the clock of uv_hrtime() */
    bool key;       /* begins a picture that refers to no other; sound: always */
    bool failed;    /* a packet is missing for lack of memory */
    size_t count, capacity;
    struct unit_packet {
        size_t offset, size;
    } * packets;
    uint8_t *bytes;
    size_t used, allocated;
} unit;

/* The numbers of a viewer. */
typedef struct unit_header {
    uint16_t sequence;
    uint32_t timestamp, ssrc;
    uint32_t play; /* CSRC: the request that began what is sent now */
} unit_header;

/* NULL without memory. */
unit *unit_create(int64_t pts_us, bool key);
void unit_destroy(unit *u);

/* Adds a packet: its payload is `prefix` (may be empty) and `payload`. */
void unit_add(unit *u, uint8_t payload_type, const uint8_t *prefix, size_t prefix_size,
              const uint8_t *payload, size_t size);
void unit_mark_last(unit *u); /* the marker bit: the picture ends */

/* The i-th packet with this header, in place until the next call for it. */
const uint8_t *unit_packet(unit *u, size_t i, const unit_header *header, size_t *size);

#endif
