/* SPDX-License-Identifier: MIT */
/*
 * Decides when to probe for the end of an outage. While nothing gets through on any connection of a
 * caller, TCP's retransmission timeouts double (RFC 6298, section 5.5), and after the path is back
 * it takes up to the last timeout until TCP notices. A SYN of a fresh connection has no backoff.
 * Therefore the owner opens new connections beside the old ones, and the first one that is
 * established shows that the path is back. This file decides when each probe begins, and which ones
 * are still useful.
 *
 * The first round of probes begins when the silence is longer than the repair of a single loss
 * takes: two round trips and a retransmission timeout. Probes are then INTERVAL_US apart, or a
 * quarter of a round trip if that is longer. The interval grows with the silence, so that a peer
 * which is gone for hours costs one SYN a second.
 *
 * Silence may also mean that a full queue has dropped everything in flight, or that the peer does
 * not read. In that case the first probes are answered, the connections are left to TCP, and the
 * next round begins later: another connection would only add to the overload.
 */
#ifndef LT_ENGINE_LINKS_OUTAGE_PROBES_H
#define LT_ENGINE_LINKS_OUTAGE_PROBES_H

#include <livetcp/engine.h>

/* Begins zeroed. */
typedef struct lt_outage_probes {
    bool silent;           /* nothing gets through, */
    livetcp_usec since_us; /* since this time */
    livetcp_usec due_us;   /* time of the next probe; LIVETCP_NEVER = none */
    livetcp_usec rtt_us;
    livetcp_usec round_start_us; /* start of this round */
    unsigned started; /* probes of this round; 0 = none yet, and those in flight belong to the
                         previous round */
    unsigned sequence[LIVETCP_MAX_OUTAGE_PROBES]; /* of the last probe with each number, within its
                                                     round */
    uint32_t in_flight;                           /* bit i: probe i is in flight */
    bool away;                                    /* the silence is an outage */
    uint64_t outages, probes, answered;
} lt_outage_probes;

/* Updates the state. `since_us`: start of the silence; LIVETCP_NEVER = something gets through, or
 * probes would be useless. `rtt_us`: round trip of the connections. */
void lt_outage_probes_update(lt_outage_probes *probes, livetcp_usec since_us, livetcp_usec rtt_us);

/* True if a probe is due. It is in flight from then on, and replaces an earlier probe with the same
 * number, which has had enough time for its answer. */
bool lt_outage_probes_next(lt_outage_probes *probes, livetcp_usec now, unsigned *number);

/* True if so many earlier probes of the round were not answered that an answer to this one means
 * the end of an outage. */
bool lt_outage_probes_would_end(const lt_outage_probes *probes, unsigned number);

/* The probe failed, or was aborted. */
void lt_outage_probes_lost(lt_outage_probes *probes, unsigned number);

/* The probe was answered; no other is needed. True if that is the end of an outage; false if there
 * was none, or its end is already known. */
bool lt_outage_probes_answered(lt_outage_probes *probes, unsigned number, livetcp_usec now);

/* The session ends: stops probing. */
void lt_outage_probes_stop(lt_outage_probes *probes);

/* True during an outage: anything written now waits for TCP's next retransmission timeout. */
static inline bool lt_outage_probes_is_away(const lt_outage_probes *probes)
{
    return probes->away;
}

livetcp_usec lt_outage_probes_deadline(const lt_outage_probes *probes);

void lt_outage_probes_gather(const lt_outage_probes *probes, livetcp_session_stats *stats);

#endif
