/* SPDX-License-Identifier: MIT */
/*
 * When frames of the peer arrive, for ARRIVAL: when the newest began to, and how fast the one
 * before it came. It is sent where there is media of our own, whose packets acknowledgements wait
 * for: else round trips tell as much. It costs a thirtieth of that media at most, a hundredth where
 * it does not heed the estimate. Of thin media it would come too late, and is not sent.
 */
#ifndef LT_ENGINE_REPORTS_FRAME_ARRIVALS_H
#define LT_ENGINE_REPORTS_FRAME_ARRIVALS_H

#include "engine/arrival.h"
#include "wire/control.h"

#include <livetcp/engine.h>

#define LT_FRAME_STREAMS 4

typedef struct lt_frame_stream {
    bool used;
    uint32_t ssrc, timestamp;         /* of its newest frame */
    uint16_t sequence;                /* the newest */
    livetcp_usec begun_us, newest_us; /* first packet of that frame, and last one so far */
    uint32_t bytes;                   /* of that frame after the first packet */
} lt_frame_stream;

typedef struct lt_frame_arrivals {
    lt_frame_stream streams[LT_FRAME_STREAMS];
    unsigned next;            /* the stream that is replaced next */
    lt_frame_arrival arrival; /* of the newest frame, if it is not reported: */
    bool pending;
    uint64_t sent;          /* bytes of own media towards the next report */
    bool earned;            /* there were enough for one, and in time */
    livetcp_usec earned_us; /* when there last were enough */
} lt_frame_arrivals;

/* Begins, and begins again: the peer is another one, or nothing is reported any more. */
void lt_frame_arrivals_init(lt_frame_arrivals *arrivals);

/* A packet of our own, of `size` bytes, is accepted, of a source that has heeded the estimate or
 * has not; one of the peer is delivered. */
void lt_frame_arrivals_on_accepted(lt_frame_arrivals *arrivals, size_t size, bool adapts,
                                   livetcp_usec now);
void lt_frame_arrivals_on_delivered(lt_frame_arrivals *arrivals, const lt_arrival *arrival);

/* When a report is due: at once, or not. */
livetcp_usec lt_frame_arrivals_deadline(const lt_frame_arrivals *arrivals);

/* Returns the report that is written now. */
lt_frame_arrival lt_frame_arrivals_take(lt_frame_arrivals *arrivals);

#endif
