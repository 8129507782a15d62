/* SPDX-License-Identifier: MIT */
/* What an answer of the platform about a connection says about its route. */
#ifndef LT_ENGINE_LINKS_PATH_SAMPLE_H
#define LT_ENGINE_LINKS_PATH_SAMPLE_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lt_path_sample {
    unsigned segments, lost; /* acknowledged, and sent again, since the last sample */

    /* A round trip that ended, less the time that its packet takes on a thin link. */
    bool valid;
    bool media;             /* its packet is one of the application's, not a copy or parity */
    livetcp_usec sent_us;   /* when its packet was written */
    livetcp_usec excess_us; /* above the least of the connection's route */
} lt_path_sample;

#endif
