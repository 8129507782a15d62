/* SPDX-License-Identifier: MIT */
#include "engine/links/outage_probes.h"

/* Least timeout of TCP beyond a round trip (Linux), and some for its timers and ours. */
#define TIMEOUT_US (250 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* From one probe to the next: at least this, this part of a round trip, so that one has time to be
 * answered before its number comes again, and this part of the silence so far. */
#define INTERVAL_US     (50 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define INTERVAL_MAX_US LIVETCP_USEC_SEC
#define ROUND_TRIP_PART 4
#define SILENCE_PART    64

/* So many probes in a row are not answered, and the next one is: an outage that has ended. Paths
 * that lose a tenth lose them once in 10,000 times. */
#define LOST 4

/* Nor is the first one after so many round trips: an outage that goes on. */
#define OVERDUE 2

static livetcp_usec interval(const lt_outage_probes *probes, livetcp_usec now)
{
    livetcp_usec least = probes->rtt_us / ROUND_TRIP_PART;
    livetcp_usec fewer = (now - probes->since_us) / SILENCE_PART;

    if (least < INTERVAL_US)
        least = INTERVAL_US;
    if (fewer > INTERVAL_MAX_US)
        fewer = INTERVAL_MAX_US;
    return fewer > least ? fewer : least;
}

/* The next round begins then. */
static void end_round(lt_outage_probes *probes, livetcp_usec due_us)
{
    probes->due_us = due_us;
    probes->begun = 0;
    probes->under_way = 0;
}

/* A connection of the old ones was the first, with a window of one segment and all that waits
 * before new ones: probes under way are still of use, until the next round begins. */
static void end_silence(lt_outage_probes *probes)
{
    if (!probes->away)
        end_round(probes, LIVETCP_NEVER);
    probes->silent = probes->away = false;
}

void lt_outage_probes_update(lt_outage_probes *probes, livetcp_usec since_us, livetcp_usec rtt_us)
{
    if (probes->silent && since_us != probes->since_us)
        end_silence(probes);
    if (probes->silent || since_us == LIVETCP_NEVER)
        return;
    probes->silent = true;
    probes->since_us = since_us;
    probes->rtt_us = rtt_us;
    probes->begun = 0;
    probes->due_us = since_us + 2 * rtt_us + TIMEOUT_US;
}

void lt_outage_probes_stop(lt_outage_probes *probes)
{
    probes->silent = probes->away = false;
    end_round(probes, LIVETCP_NEVER);
}

static void count(lt_outage_probes *probes)
{
    probes->outages += !probes->away;
    probes->away = true;
}

bool lt_outage_probes_next(lt_outage_probes *probes, livetcp_usec now, unsigned *number)
{
    if (!probes->silent || now < probes->due_us)
        return false;
    *number = probes->begun % LIVETCP_MAX_OUTAGE_PROBES;
    if (!probes->begun) {
        probes->first_us = now;
        probes->under_way = 0;
    }
    probes->sequence[*number] = probes->begun++;
    probes->under_way |= UINT32_C(1) << *number;
    probes->due_us = now + interval(probes, now);
    probes->probes++;
    if (probes->begun > LOST && now - probes->first_us > OVERDUE * probes->rtt_us)
        count(probes);
    return true;
}

bool lt_outage_probes_would_end(const lt_outage_probes *probes, unsigned number)
{
    return probes->sequence[number] >= LOST;
}

void lt_outage_probes_lost(lt_outage_probes *probes, unsigned number)
{
    probes->under_way &= ~(UINT32_C(1) << number);
}

bool lt_outage_probes_answered(lt_outage_probes *probes, unsigned number, livetcp_usec now)
{
    bool back = lt_outage_probes_would_end(probes, number);

    if (!(probes->under_way >> number & 1))
        return false;
    if (back && probes->silent && probes->begun) /* not one that is left of the outage before */
        count(probes);
    probes->answered += back;
    end_round(probes, probes->silent ? now + INTERVAL_MAX_US : LIVETCP_NEVER);
    return back;
}

livetcp_usec lt_outage_probes_deadline(const lt_outage_probes *probes)
{
    return probes->silent ? probes->due_us : LIVETCP_NEVER;
}

void lt_outage_probes_gather(const lt_outage_probes *probes, livetcp_session_stats *stats)
{
    stats->control.outages = probes->outages;
    stats->control.outage_probes = probes->probes;
    stats->control.outages_ended = probes->answered;
}
