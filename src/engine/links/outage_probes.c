/* SPDX-License-Identifier: MIT */
#include "engine/links/outage_probes.h"

/* TCP's minimum retransmission timeout beyond a round trip (Linux, 200 ms), and 50 ms for the
 * granularity of its timers and ours. */
#define TIMEOUT_US (250 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Interval between probes: at least INTERVAL_US and this fraction of the round trip, so that a
 * probe can be answered before its number is used again; more as the silence goes on, by this
 * fraction of it. */
#define INTERVAL_US     (50 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define INTERVAL_MAX_US LIVETCP_USEC_SEC
#define ROUND_TRIP_PART 4
#define SILENCE_PART    64

/* Unanswered probes in a row, followed by an answer, that mean the end of an outage. At 10 % loss,
 * four losses in a row occur once in 10,000 times. */
#define MIN_UNANSWERED 4

/* If the first probe is unanswered for this many round trips, too, the outage is counted while it
 * lasts. */
#define OVERDUE 2

static livetcp_usec interval(const lt_outage_probes *probes, livetcp_usec now)
{
    livetcp_usec min = probes->rtt_us / ROUND_TRIP_PART;
    livetcp_usec backoff = (now - probes->since_us) / SILENCE_PART;

    if (min < INTERVAL_US)
        min = INTERVAL_US;
    if (backoff > INTERVAL_MAX_US)
        backoff = INTERVAL_MAX_US;
    return backoff > min ? backoff : min;
}

/* Ends the round; the next one begins at `due_us`. */
static void end_round(lt_outage_probes *probes, livetcp_usec due_us)
{
    probes->due_us = due_us;
    probes->started = 0;
    probes->in_flight = 0;
}

/* An old connection has recovered first, with a window of one segment, and with everything that
 * waits ahead of new packets. Probes in flight remain useful until the next round begins. */
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
    probes->started = 0;
    probes->due_us = since_us + 2 * rtt_us + TIMEOUT_US;
}

void lt_outage_probes_stop(lt_outage_probes *probes)
{
    probes->silent = probes->away = false;
    end_round(probes, LIVETCP_NEVER);
}

static void count_outage(lt_outage_probes *probes)
{
    probes->outages += !probes->away;
    probes->away = true;
}

bool lt_outage_probes_next(lt_outage_probes *probes, livetcp_usec now, unsigned *number)
{
    if (!probes->silent || now < probes->due_us)
        return false;
    *number = probes->started % LIVETCP_MAX_OUTAGE_PROBES;
    if (!probes->started) {
        probes->round_start_us = now;
        probes->in_flight = 0;
    }
    probes->sequence[*number] = probes->started++;
    probes->in_flight |= UINT32_C(1) << *number;
    probes->due_us = now + interval(probes, now);
    probes->probes++;
    if (probes->started > MIN_UNANSWERED && now - probes->round_start_us > OVERDUE * probes->rtt_us)
        count_outage(probes);
    return true;
}

bool lt_outage_probes_would_end(const lt_outage_probes *probes, unsigned number)
{
    return probes->sequence[number] >= MIN_UNANSWERED;
}

void lt_outage_probes_lost(lt_outage_probes *probes, unsigned number)
{
    probes->in_flight &= ~(UINT32_C(1) << number);
}

bool lt_outage_probes_answered(lt_outage_probes *probes, unsigned number, livetcp_usec now)
{
    bool back = lt_outage_probes_would_end(probes, number);

    if (!(probes->in_flight >> number & 1))
        return false;
    if (back && probes->silent && probes->started) /* not a probe of the previous outage */
        count_outage(probes);
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
