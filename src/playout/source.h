/* SPDX-License-Identifier: MIT */
/* Identifies the source of packets, and the new ones among them, by SSRC and sequence number,
 * through wraps, restarts and changes. */
#ifndef LT_PLAYOUT_SOURCE_H
#define LT_PLAYOUT_SOURCE_H

#include "rtp/rtp.h"
#include "rtp/sequence_tracker.h"

/* Number of timestamps stored, to tell a duplicate from another packet with the same number. */
#define LT_PLAYOUT_SOURCE_TIMESTAMPS 1024

typedef struct lt_playout_source {
    bool started;
    uint32_t ssrc;
    lt_sequence_tracker tracker;
    /* added to the tracker's numbers, so that they increase across changes of SSRC */
    uint64_t offset;
    uint64_t first; /* lowest number received since the last start */
    uint32_t timestamps[LT_PLAYOUT_SOURCE_TIMESTAMPS];
} lt_playout_source;

typedef enum lt_playout_source_result {
    LT_PLAYOUT_SOURCE_NEW,
    LT_PLAYOUT_SOURCE_DUPLICATE, /* or too old to decide */
    LT_PLAYOUT_SOURCE_FOREIGN,   /* of another SSRC */
    LT_PLAYOUT_SOURCE_JUMP,      /* from elsewhere in the number space */
    LT_PLAYOUT_SOURCE_RESTART    /* confirms a jump: see lt_playout_source_restart() */
} lt_playout_source_result;

/* Starts with this packet; returns its number, which is above all previous ones. */
uint64_t lt_playout_source_start(lt_playout_source *source, const lt_rtp_header *header,
                                 livetcp_usec now);

/* Classifies a packet; *extended is its number if it is NEW. */
lt_playout_source_result lt_playout_source_classify(lt_playout_source *source,
                                                    const lt_rtp_header *header, livetcp_usec now,
                                                    uint64_t *extended);

/* A NEW packet is held, or too late: its copies are duplicates. */
void lt_playout_source_accept(lt_playout_source *source, uint64_t extended, uint32_t timestamp,
                              livetcp_usec now);

/* After RESTART: the numbers of the packet that jumped, and of the one that confirmed it. */
void lt_playout_source_restart(lt_playout_source *source, uint16_t confirming, uint64_t *jumped,
                               uint64_t *confirmed);

#endif
