/* SPDX-License-Identifier: MIT */
/* A picture, or 20 ms of sound, as RTP packets. They are made once for all viewers: each viewer
 * gets the same payload after a header with its own numbers. */
#ifndef TV_UNIT_H
#define TV_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_HEADER  16   /* RTP with one CSRC */
#define UNIT_PAYLOAD 1180 /* so that a packet with framing fits one segment */

typedef struct unit {
    int64_t pts_us; /* capture time, on uv_hrtime()'s clock */
    bool key;       /* refers to no other picture; sound: always */
    bool failed;    /* a packet is missing for lack of memory */
    size_t count, capacity;
    struct unit_packet {
        size_t offset, size;
    } * packets;
    uint8_t *bytes;
    size_t used, allocated;
} unit;

/* Header fields of a viewer. */
typedef struct unit_header {
    uint16_t sequence;
    uint32_t timestamp, ssrc;
    uint32_t play; /* CSRC: number of the request that began this play */
} unit_header;

/* NULL without memory. */
unit *unit_create(int64_t pts_us, bool key);
void unit_destroy(unit *u);

/* Adds a packet with payload `prefix` (may be empty) and `payload`. */
void unit_add(unit *u, uint8_t payload_type, const uint8_t *prefix, size_t prefix_size,
              const uint8_t *payload, size_t size);
void unit_mark_last(unit *u); /* sets the marker bit: end of the picture */

/* The i-th packet with this header; valid until the next call for the same packet. */
const uint8_t *unit_packet(unit *u, size_t i, const unit_header *header, size_t *size);

#endif
