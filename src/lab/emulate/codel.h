/* SPDX-License-Identifier: MIT */
/* CoDel, controlled delay (RFC 8289): drops, or marks, a packet as it leaves the queue when packets
 * have waited longer than `target` for at least `interval`, and then at intervals that shrink with
 * the square root of their number. Pure: time is an argument. */
#ifndef LT_LAB_EMULATE_CODEL_H
#define LT_LAB_EMULATE_CODEL_H

#include "lab/emulate/held.h"

typedef struct lt_codel_params {
    livetcp_usec target;   /* of the time in the queue; RFC 8289, section 4.2: 5 ms */
    livetcp_usec interval; /* a round trip of most flows; section 4.3: 100 ms */
    bool ecn;              /* mark ECT packets instead of dropping them */
} lt_codel_params;

/* State of one queue; all zero at the beginning. */
typedef struct lt_codel {
    bool dropping;            /* section 4.4: in the dropping state */
    bool above;               /* first_above is valid */
    livetcp_usec first_above; /* when it may drop, if packets wait too long until then */
    livetcp_usec drop_next;
    uint32_t count,
        last_count;      /* packets dropped in this dropping state, and when the last began */
    uint32_t max_packet; /* largest packet so far */
} lt_codel;

/* Takes the next packet out of the queue, after those that are to be dropped, which move to
 * `dropped`. That must have space for all of the queue (lt_fifo_reserve()). A packet that is marked
 * instead has out->marked. Returns false when nothing remains. */
bool lt_codel_pull(lt_codel *codel, const lt_codel_params *params, lt_fifo *queue, livetcp_usec now,
                   lt_held *out, lt_fifo *dropped);

#endif
