/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "../tv_common/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_AND_ONE_CSRC = 0x81, MARKER = 0x80 };

unit *unit_create(int64_t pts_us, bool key)
{
    unit *u = calloc(1, sizeof *u);

    if (u) {
        u->pts_us = pts_us;
        u->key = key;
    }
    return u;
}

void unit_destroy(unit *u)
{
    if (!u)
        return;
    free(u->packets);
    free(u->bytes);
    free(u);
}

static bool reserve(unit *u, size_t size)
{
    if (u->count == u->capacity) {
        const size_t capacity = u->capacity ? 2 * u->capacity : 4;
        void *larger = realloc(u->packets, capacity * sizeof *u->packets);
        if (!larger)
            return false;
        u->packets = larger;
        u->capacity = capacity;
    }
    if (u->used + size > u->allocated) {
        const size_t allocated = 2 * u->allocated + size;
        void *larger = realloc(u->bytes, allocated);
        if (!larger)
            return false;
        u->bytes = larger;
        u->allocated = allocated;
    }
    return true;
}

void unit_add(unit *u, uint8_t payload_type, const uint8_t *prefix, size_t prefix_size,
              const uint8_t *payload, size_t size)
{
    const size_t whole = UNIT_HEADER + prefix_size + size;

    if (!reserve(u, whole)) {
        u->failed = true;
        return;
    }
    uint8_t *packet = u->bytes + u->used;
    u->packets[u->count++] = (struct unit_packet){.offset = u->used, .size = whole};
    u->used += whole;
    packet[0] = VERSION_AND_ONE_CSRC;
    packet[1] = payload_type;
    if (prefix_size > 0)
        memcpy(packet + UNIT_HEADER, prefix, prefix_size);
    memcpy(packet + UNIT_HEADER + prefix_size, payload, size);
}

void unit_mark_last(unit *u)
{
    if (u->count > 0)
        u->bytes[u->packets[u->count - 1].offset + 1] |= MARKER;
}

const uint8_t *unit_packet(unit *u, size_t i, const unit_header *header, size_t *size)
{
    uint8_t *packet = u->bytes + u->packets[i].offset;

    tv_put16(packet + 2, header->sequence);
    tv_put32(packet + 4, header->timestamp);
    tv_put32(packet + 8, header->ssrc);
    tv_put32(packet + 12, header->play);
    *size = u->packets[i].size;
    return packet;
}
