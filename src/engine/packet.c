/* SPDX-License-Identifier: MIT */
/* Packets: one allocation each, which holds the frame as it is written. */
#include "engine/packet.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

lt_packet *lt_packet_create(const uint8_t *data, size_t size)
{
    lt_packet *packet;

    if (size > LT_FRAME_MAX)
        return NULL;
    packet = malloc(sizeof *packet + LT_FRAME_HEADER + size);
    if (!packet)
        return NULL;
    memset(packet, 0, sizeof *packet);
    packet->references = 1;
    packet->frame_size = LT_FRAME_HEADER + size;
    lt_write_be16(packet->frame, (uint16_t)size);
    if (size && data)
        memcpy(packet->frame + LT_FRAME_HEADER, data, size);
    return packet;
}

lt_packet *lt_packet_ref(lt_packet *packet)
{
    packet->references++;
    return packet;
}

void lt_packet_unref(lt_packet **packet)
{
    lt_packet *released = *packet;

    *packet = NULL;
    if (released && --released->references == 0)
        free(released);
}
