/* SPDX-License-Identifier: MIT */
/* A packet on its way from a connection to the application. Its header was read where it entered
 * and travels with it. */
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
    bool report;          /* RTCP that LiveTCP made at the other end */
    bool discontinuity;   /* sequence order: packets before it are missing */
    lt_rtp_header header; /* RTP; zero for RTCP */
    lt_packet *packet;    /* NULL: the bytes are the caller's input and die with it; otherwise they
                             are the packet's, and taking a reference keeps them */
} lt_arrival;

#endif
