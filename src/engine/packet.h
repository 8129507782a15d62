/* SPDX-License-Identifier: MIT */
/* One RTP or RTCP packet, stored as the frame that is written. */
#ifndef LT_ENGINE_PACKET_H
#define LT_ENGINE_PACKET_H

#include "rtp/rtp.h"
#include "wire/frame.h"

#include <livetcp/base.h>
#include <livetcp/rtp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reference-counted: a copy on a second connection is a second reference. The count is not atomic;
 * a holder of references holds the session's lock, or is the only holder. */
typedef struct lt_packet {
    unsigned references;
    uint32_t ssrc;
    uint32_t
        timestamp;     /* RTP: packets with the same SSRC and timestamp are one frame; 0 for RTCP */
    uint16_t sequence; /* 0 for RTCP */
    uint8_t payload_type;
    bool marker;
    size_t header_size; /* RTP: fixed header, CSRCs and extension */
    bool rtcp;
    livetcp_usec enqueued_us;

    /* Sender's state. */
    livetcp_importance importance;
    bool parity;              /* made by the parity encoder; never returned to the send queue */
    bool written;             /* completely, on some connection */
    bool delivered;           /* acknowledged on some connection */
    uint8_t copies;           /* placed so far, the first included */
    uint8_t first_connection; /* connection of the first copy */
    uint8_t arrived, lost;    /* copies known to have arrived, or to be lost */
    uint8_t kept;             /* connections on which the peer's receipt for it is awaited */
    bool received;            /* the peer's receipt has confirmed it */
    uint32_t carried;         /* bit i: unacknowledged on connection i */
    bool overtaken;           /* as in livetcp_packet_view, when it is reviewed */
    uint8_t
        repeats;    /* number of preceding packets of its SSRC whose frames it repeats (RFC 2198) */
    uint32_t avoid; /* parity: connections (bits) that carry packets of its group */
    livetcp_usec first_sent_us; /* valid if copies > 0 */
    livetcp_usec last_sent_us;
    livetcp_usec delivered_us; /* valid if `delivered` */
    livetcp_usec buffered_us;  /* estimated time of the first copy in the kernel's send buffer */
    livetcp_usec review_us;    /* time of the next review by the policy; LIVETCP_NEVER = none */

    /* State in the send queue; see engine/sender/shedding.c. */
    uint8_t shed;   /* step that marked it for dropping; 0 = it stays */
    int64_t excess; /* bytes to drop so that this packet and all behind it are in time */

    size_t frame_size; /* LT_FRAME_HEADER + packet */
    uint8_t frame[];   /* LENGTH, then the packet */
} lt_packet;

/* Copies `size` bytes (0..LT_FRAME_MAX) behind a LENGTH field; with `data` NULL the caller writes
 * them. Returns one reference, or NULL without memory; the other fields are zero. */
lt_packet *lt_packet_create(const uint8_t *data, size_t size);

/* Adds a reference, and returns the packet. */
lt_packet *lt_packet_ref(lt_packet *packet);

/* Drops a reference and clears the pointer. *packet may be NULL. */
void lt_packet_unref(lt_packet **packet);

/* Class by which packets are dropped, in ascending order from LIVETCP_IMPORTANCE_DROPPABLE to _KEY.
 * RTCP is small and controls the media, so it counts as audio. */
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

/* The header as parsed on entry; for RTCP everything but the SSRC is zero. */
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
