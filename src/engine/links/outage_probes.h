/* SPDX-License-Identifier: MIT */
/*
 * When to look whether the path is back. While nothing gets through on any connection of a caller,
 * TCP's timeouts double (RFC 6298, section 5.5), and once the path is back it takes up to the last
 * of them until TCP notices. A SYN of a fresh connection has not waited before: so new connections
 * are begun beside the old ones, and the first that is answered shows that the path is back. Here
 * is decided when each begins, and which are still of use.
 *
 * A round of probes begins when the silence is longer than the repair of a single loss takes: a
 * round trip and its timeout, and a round trip. Then it is a SYN every INTERVAL_US, or four in a
 * round trip if that is longer, and ever fewer as the silence goes on, so that a peer that is gone
 * for hours costs a SYN a second.
 *
 * Silence may also mean that a full queue has dropped all that a connection had under way, or that
 * the peer does not read. Then the path answers the first probes, the connections are left to TCP,
 * and the next round waits: one more connection would only add to what is too much.
 */
#ifndef LT_ENGINE_LINKS_OUTAGE_PROBES_H
#define LT_ENGINE_LINKS_OUTAGE_PROBES_H

#include <livetcp/engine.h>

/* Begins zeroed. */
typedef struct lt_outage_probes {
    bool silent;           /* nothing gets through, */
    livetcp_usec since_us; /*   since then; */
    livetcp_usec due_us;   /*   the next probe; LIVETCP_NEVER = none */
    livetcp_usec rtt_us;
    livetcp_usec first_us;                        /* when this round began */
    unsigned begun;                               /* probes of this round; 0 = those under way
                                                     are of the one before */
    unsigned sequence[LIVETCP_MAX_OUTAGE_PROBES]; /* of each number, the last one's in its round */
    uint32_t under_way;                           /* bit i: probe i is */
    bool away;                                    /* the silence is that of an outage */
    uint64_t outages, probes, answered;
} lt_outage_probes;

/* Nothing has got through since then, LIVETCP_NEVER = something does, or probes would be of no use;
 * `rtt_us`: of the connections. */
void lt_outage_probes_update(lt_outage_probes *probes, livetcp_usec since_us, livetcp_usec rtt_us);

/* True if a probe is due: it is under way from here on, in place of an earlier one of that number,
 * which has waited for long enough. */
bool lt_outage_probes_next(lt_outage_probes *probes, livetcp_usec now, unsigned *number);

/* So many before it were not answered that its answer would be the end of an outage. */
bool lt_outage_probes_would_end(const lt_outage_probes *probes, unsigned number);

/* It was not answered: it failed, or was given up. */
void lt_outage_probes_lost(lt_outage_probes *probes, unsigned number);

/* It was answered: no probe is of use any more. True if the path is back, false if it had not been
 * away, or that was known. */
bool lt_outage_probes_answered(lt_outage_probes *probes, unsigned number, livetcp_usec now);

/* The session ends: nothing is looked for any more. */
void lt_outage_probes_stop(lt_outage_probes *probes);

/* The path is away: what is written now waits for TCP's next timeout. */
static inline bool lt_outage_probes_is_away(const lt_outage_probes *probes)
{
    return probes->away;
}

livetcp_usec lt_outage_probes_deadline(const lt_outage_probes *probes);

void lt_outage_probes_gather(const lt_outage_probes *probes, livetcp_session_stats *stats);

#endif
