/* SPDX-License-Identifier: MIT */
/* One RTP or RTCP packet, kept as the frame that goes on the wire. */
#ifndef LT_ENGINE_PACKET_H
#define LT_ENGINE_PACKET_H

#include "rtp/rtp.h"
#include "wire/frame.h"

#include <livetcp/base.h>
#include <livetcp/rtp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by reference: a copy on a second connection is a second reference. The count is not
 * atomic: whoever holds references holds the session's lock, or is the only one. */
typedef struct lt_packet {
    unsigned references;
    uint32_t ssrc;
    uint32_t timestamp; /* RTP: packets of one SSRC that share it are one frame; 0 for RTCP */
    uint16_t sequence;  /* 0 for RTCP */
    uint8_t payload_type;
    bool marker;
    size_t header_size; /* of RTP: fixed part, CSRCs and extension */
    bool rtcp;
    livetcp_usec enqueued_us;

    /* Sender state while the packet is under way. */
    livetcp_importance importance;
    bool parity;                /* made by us; never given back to the send queue */
    bool written;               /* whole, on some connection */
    bool delivered;             /* acknowledged on some connection */
    uint8_t copies;             /* placed so far */
    uint8_t first_connection;   /* where the first of them went */
    uint8_t arrived, lost;      /* copies whose fate is known */
    uint8_t kept;               /* connections that wait for the peer's receipt of it */
    bool received;              /* the peer has said so */
    uint32_t carried;           /* bit i: on connection i, not acknowledged there */
    uint8_t repeats;            /* packets of its SSRC before it whose frames it carries, too */
    uint32_t avoid;             /* parity: the connections that carry the group */
    livetcp_usec first_sent_us; /* copies > 0 */
    livetcp_usec last_sent_us;
    livetcp_usec delivered_us; /* delivered */
    livetcp_usec buffered_us;  /* wait of the first copy in the kernel, inferred */
    livetcp_usec review_us;    /* when to ask the policy again; LIVETCP_NEVER = not */

    /* In the send queue; see engine/sender/shedding.c. */
    uint8_t shed;   /* to be dropped: which step chose it, 0 = stays */
    int64_t excess; /* bytes to be dropped before this packet or a later one is in time */

    size_t frame_size; /* LT_FRAME_HEADER + packet */
    uint8_t frame[];   /* LENGTH, then the packet */
} lt_packet;

/* Copies `size` bytes (0..LT_FRAME_MAX) behind a LENGTH field; with `data` NULL they are the
 * caller's to write. Returns one reference, or NULL if memory is out; the other fields are zero. */
lt_packet *lt_packet_create(const uint8_t *data, size_t size);

/* Adds a reference, and returns the packet. */
lt_packet *lt_packet_ref(lt_packet *packet);

/* Drops a reference and clears the pointer; NULL is fine. */
void lt_packet_unref(lt_packet **packet);

/* Class in the order of dropping: LIVETCP_IMPORTANCE_DROPPABLE to _KEY, ascending. RTCP is small,
 * and controls the media, so it is in the class of audio. */
static inline livetcp_importance lt_packet_class(const lt_packet *packet)
{
    if (packet->rtcp)
        return LIVETCP_IMPORTANCE_AUDIO;
    return packet->importance > LIVETCP_IMPORTANCE_UNKNOWN &&
                   packet->importance <= LIVETCP_IMPORTANCE_KEY
               ? packet->importance
               : LIVETCP_IMPORTANCE_DELTA;
}

static inline const uint8_t *lt_packet_data(const lt_packet *packet)
{
    return packet->frame + LT_FRAME_HEADER;
}

/* The header as it was read when the packet came in; zero but for the SSRC of RTCP. */
static inline lt_rtp_header lt_packet_header(const lt_packet *packet)
{
    return (lt_rtp_header){.ssrc = packet->ssrc,
                           .timestamp = packet->timestamp,
                           .sequence = packet->sequence,
                           .payload_type = packet->payload_type,
                           .marker = packet->marker,
                           .header_size = packet->header_size};
}

static inline size_t lt_packet_size(const lt_packet *packet)
{
    return packet->frame_size - LT_FRAME_HEADER;
}

#endif
