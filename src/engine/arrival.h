/* SPDX-License-Identifier: MIT */
/* A packet between a connection and the application. Its header is read once, where it enters, and
 * travels with it. */
#ifndef LT_ENGINE_ARRIVAL_H
#define LT_ENGINE_ARRIVAL_H

#include "engine/packet.h"
#include "rtp/rtp.h"

typedef struct lt_arrival {
    const uint8_t *data;
    size_t size;
    livetcp_usec arrival_us;
    unsigned connection;
    bool rtcp;
    bool report;          /* RTCP of the peer's LiveTCP, not of its application */
    bool discontinuity;   /* sequence order: packets before this one are missing */
    lt_rtp_header header; /* RTP; zero for RTCP */
    lt_packet *packet; /* NULL: `data` belongs to the caller's input; otherwise to this packet, and
                          a reference keeps it */
} lt_arrival;

#endif
