/* SPDX-License-Identifier: MIT */
#include "engine/sender/outbox.h"

#include "wire/authenticator.h"

#include <stdlib.h>
#include <string.h>

bool lt_outbox_idle(const lt_outbox *outbox)
{
    return !outbox->opening && outbox->control_done == outbox->control_size && !outbox->packet;
}

/* A partly written control area counts as inside a frame. Control frames are small, and nearly
 * always written whole. */
bool lt_outbox_at_boundary(const lt_outbox *outbox)
{
    return outbox->opening_done == 0 && outbox->control_done == 0 && outbox->packet_done == 0;
}

/* Stores a first frame that is too long for the control area: CREATE with a stream id or a token,
 * which is a secret. */
static bool add_opening(lt_outbox *outbox, const uint8_t *frame, size_t size)
{
    if (!lt_outbox_idle(outbox) || !(outbox->opening = malloc(size)))
        return false;
    memcpy(outbox->opening, frame, size);
    outbox->opening_size = size;
    outbox->opening_done = 0;
    return true;
}

static void end_opening(lt_outbox *outbox)
{
    if (outbox->opening)
        lt_wipe(outbox->opening, outbox->opening_size);
    free(outbox->opening);
    outbox->opening = NULL;
    outbox->opening_size = outbox->opening_done = 0;
}

bool lt_outbox_add_control(lt_outbox *outbox, const uint8_t *frame, size_t size)
{
    if (size > sizeof outbox->control)
        return add_opening(outbox, frame, size);
    if (size > sizeof outbox->control - outbox->control_size)
        return false;
    memcpy(outbox->control + outbox->control_size, frame, size);
    outbox->control_size += size;
    return true;
}

void lt_outbox_set_packet(lt_outbox *outbox, lt_packet *packet, unsigned split)
{
    outbox->packet = packet;
    outbox->packet_done = 0;
    outbox->chunk = (packet->frame_size + split - 1) / split;
}

bool lt_outbox_next(const lt_outbox *outbox, const uint8_t **data, size_t *size)
{
    const lt_packet *packet = outbox->packet;
    bool packet_begun = packet && outbox->packet_done > 0;

    if (outbox->opening) {
        *data = outbox->opening + outbox->opening_done;
        *size = outbox->opening_size - outbox->opening_done;
        return true;
    }
    if (outbox->control_done < outbox->control_size && !packet_begun) {
        *data = outbox->control + outbox->control_done;
        *size = outbox->control_size - outbox->control_done;
        return true;
    }
    if (!packet)
        return false;
    size_t to_chunk_end = outbox->chunk - outbox->packet_done % outbox->chunk;
    size_t to_frame_end = packet->frame_size - outbox->packet_done;
    *data = packet->frame + outbox->packet_done;
    *size = to_chunk_end < to_frame_end ? to_chunk_end : to_frame_end;
    return true;
}

const lt_packet *lt_outbox_finishing(const lt_outbox *outbox)
{
    const lt_packet *packet = outbox->packet;
    const uint8_t *data;
    size_t size;

    if (!packet || !lt_outbox_next(outbox, &data, &size))
        return NULL;
    return data + size == packet->frame + packet->frame_size ? packet : NULL;
}

lt_packet *lt_outbox_advance(lt_outbox *outbox, size_t size)
{
    lt_packet *packet = outbox->packet;
    bool packet_begun = packet && outbox->packet_done > 0;

    if (outbox->opening) {
        outbox->opening_done += size;
        if (outbox->opening_done == outbox->opening_size)
            end_opening(outbox);
        return NULL;
    }
    if (outbox->control_done < outbox->control_size && !packet_begun) {
        outbox->control_done += size;
        if (outbox->control_done == outbox->control_size)
            outbox->control_done = outbox->control_size = 0;
        return NULL;
    }
    outbox->packet_done += size;
    if (!packet || outbox->packet_done < packet->frame_size)
        return NULL;
    outbox->packet = NULL;
    outbox->packet_done = 0;
    return packet;
}

lt_packet *lt_outbox_clear(lt_outbox *outbox)
{
    lt_packet *packet = outbox->packet;
    end_opening(outbox);
    memset(outbox, 0, sizeof *outbox);
    return packet;
}
