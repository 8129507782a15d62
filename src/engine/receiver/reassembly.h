/* SPDX-License-Identifier: MIT */
/* Receiving end: packets from all connections, duplicates removed by SSRC and extended sequence
 * number, in order of arrival or of sequence. */
#ifndef LT_ENGINE_RECEIVER_REASSEMBLY_H
#define LT_ENGINE_RECEIVER_REASSEMBLY_H

#include "engine/arrival.h"

#include <livetcp/config.h>

/* Called for each packet that is due, from inside push and expire. It must not call back into the
 * reassembly. */
typedef void (*lt_deliver_fn)(void *user, const lt_arrival *arrival);

typedef struct lt_reassembly_stats {
    uint64_t delivered;
    uint64_t delivered_bytes;
    uint64_t duplicates;
    uint64_t late_discarded; /* came after its gap was abandoned, or so far behind that it may be a
                                duplicate, or jumped and no second packet followed */
    uint64_t gaps;           /* sequence numbers abandoned */
    uint64_t restarts;       /* a stream whose sequence numbers jumped and were accepted anew */
    uint64_t evicted;        /* SSRCs forgotten in favour of new ones */
} lt_reassembly_stats;

typedef struct lt_reassembly lt_reassembly;

/* `wait_us` bounds how long a gap holds later packets back in sequence order, from the moment it
 * was noticed. A stream's first packets are held for 50 ms, or wait_us if that is shorter, since
 * the first to come over several connections need not be the first sent. NULL if memory is out. */
lt_reassembly *lt_reassembly_create(livetcp_order order, livetcp_usec wait_us,
                                    lt_deliver_fn deliver, void *user);
void lt_reassembly_destroy(lt_reassembly **reassembly);

/* Takes an RTP packet with its header. In arrival order it is delivered within the call or
 * discarded, but for the first packet after a jump, which is copied until a second confirms it; in
 * sequence order it may be copied and held. Memory is bounded for any numbering by the peer: 64
 * SSRCs, 4 MiB and 2048 packets held (over that, the oldest gap is abandoned), and one unconfirmed
 * jump an SSRC. Errors: LIVETCP_ERR_NO_MEMORY, the packet is lost then. */
livetcp_result lt_reassembly_push(lt_reassembly *reassembly, const lt_arrival *arrival);

/* Another order, for the packets that follow. Packets held for sequence order go out, gaps or not,
 * with the next push() or expire(). In sequence order a known stream goes on behind the highest
 * number that came. */
void lt_reassembly_set_order(lt_reassembly *reassembly, livetcp_order order);

/* When expire() has something to do; LIVETCP_NEVER if nothing is held. */
livetcp_usec lt_reassembly_deadline(const lt_reassembly *reassembly);

/* Abandons gaps whose wait is over and delivers the packets held back by them. */
void lt_reassembly_expire(lt_reassembly *reassembly, livetcp_usec now);

const lt_reassembly_stats *lt_reassembly_get_stats(const lt_reassembly *reassembly);

#endif
