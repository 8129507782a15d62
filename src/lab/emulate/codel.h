/* SPDX-License-Identifier: MIT */
/* CoDel, controlled delay (RFC 8289): once packets have waited longer than `target` for at least
 * `interval`, drops or marks packets as they leave the queue, at intervals that shrink with the
 * square root of their number. Pure: time is an argument. */
#ifndef LT_LAB_EMULATE_CODEL_H
#define LT_LAB_EMULATE_CODEL_H

#include "lab/emulate/held.h"

typedef struct lt_codel_params {
    livetcp_usec target;   /* of the time in the queue; RFC 8289, section 4.2: 5 ms */
    livetcp_usec interval; /* a round trip of most flows; section 4.3: 100 ms */
    bool ecn;              /* mark ECT packets instead of dropping them */
} lt_codel_params;

/* State of one queue; zero-initialized. */
typedef struct lt_codel {
    bool dropping; /* section 4.4: in the dropping state */
    bool above;    /* first_above is valid */
    livetcp_usec
        first_above; /* when the dropping state begins, if packets still wait too long then */
    livetcp_usec drop_next;
    uint32_t count,
        last_count;      /* packets dropped in this dropping state, and `count` at its beginning */
    uint32_t max_packet; /* largest packet so far */
} lt_codel;

/* Takes the next packet out of the queue, after those to be dropped, which move to `dropped`.
 * `dropped` must have space for the whole queue (lt_fifo_reserve()). A packet that is marked
 * instead has out->marked. False if the queue is empty. */
bool lt_codel_pull(lt_codel *codel, const lt_codel_params *params, lt_fifo *queue, livetcp_usec now,
                   lt_held *out, lt_fifo *dropped);

#endif
