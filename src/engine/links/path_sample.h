/* SPDX-License-Identifier: MIT */
/* Sample of a connection's route, taken from one path info. */
#ifndef LT_ENGINE_LINKS_PATH_SAMPLE_H
#define LT_ENGINE_LINKS_PATH_SAMPLE_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_path_sample {
    unsigned segments, lost; /* acknowledged and retransmitted since the last sample */

    /* A complete round trip, without the serialization time of its packet. */
    bool valid;
    bool media;             /* its packet is media, neither a copy nor parity */
    livetcp_usec sent_us;   /* time of the write */
    livetcp_usec excess_us; /* queueing delay: above the route's minimum */
} lt_path_sample;

#endif
