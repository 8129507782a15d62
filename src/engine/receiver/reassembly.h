/* SPDX-License-Identifier: MIT */
/* Receiving end: packets of all connections, without duplicates (by SSRC and extended sequence
 * number), in order of arrival or of sequence. */
#ifndef LT_ENGINE_RECEIVER_REASSEMBLY_H
#define LT_ENGINE_RECEIVER_REASSEMBLY_H

#include "engine/arrival.h"

#include <livetcp/config.h>

/* Called for each packet that is due, within push() and expire(). It must not call the reassembly.
 */
typedef void (*lt_deliver_fn)(void *user, const lt_arrival *arrival);

typedef struct lt_reassembly_stats {
    uint64_t delivered;
    uint64_t delivered_bytes;
    uint64_t duplicates;
    uint64_t late_discarded; /* arrived after its gap was abandoned; or so far behind that it may be
                                a duplicate; or jumped, and no second packet confirmed the jump */
    uint64_t gaps;           /* sequence numbers given up in sequence order */
    uint64_t restarts;       /* confirmed jumps of sequence numbers */
    uint64_t evicted;        /* SSRCs replaced by new ones */
} lt_reassembly_stats;

typedef struct lt_reassembly lt_reassembly;

/* In sequence order, `wait_us` limits the time for which a gap holds back later packets, from its
 * detection. The first packets of a stream are held for 50 ms, or wait_us if that is shorter, since
 * over several connections the first packet to arrive may not be the first one sent. NULL without
 * memory. */
lt_reassembly *lt_reassembly_create(livetcp_order order, livetcp_usec wait_us,
                                    lt_deliver_fn deliver, void *user);
void lt_reassembly_destroy(lt_reassembly **reassembly);

/* Takes an RTP packet with its header. In arrival order it is delivered at once or discarded; only
 * the first packet after a jump is copied, until a second one confirms the jump. In sequence order
 * it may be copied and held. Memory is bounded for any numbering: 64 SSRCs, 4 MiB and 2048 held
 * packets (beyond them, the oldest gap is abandoned), and one unconfirmed jump per SSRC. Errors:
 * LIVETCP_ERR_NO_MEMORY; the packet is lost. */
livetcp_result lt_reassembly_push(lt_reassembly *reassembly, const lt_arrival *arrival);

/* Sets the order of the packets that follow. Packets held for sequence order are delivered, despite
 * gaps, with the next push() or expire(). In sequence order a known stream continues behind the
 * highest number received. */
void lt_reassembly_set_order(lt_reassembly *reassembly, livetcp_order order);

/* Time of the next lt_reassembly_expire(); LIVETCP_NEVER if nothing is held. */
livetcp_usec lt_reassembly_deadline(const lt_reassembly *reassembly);

/* Abandons gaps whose wait is over, and delivers the packets behind them. */
void lt_reassembly_expire(lt_reassembly *reassembly, livetcp_usec now);

const lt_reassembly_stats *lt_reassembly_get_stats(const lt_reassembly *reassembly);

#endif
