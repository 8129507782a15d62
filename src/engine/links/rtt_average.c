/* SPDX-License-Identifier: MIT */
#include "engine/links/rtt_average.h"

#include "engine/links/path_info.h"

#include <math.h>

/* The initial retransmission timeout of RFC 6298, section 2.1: a handshake that includes one is at
 * least this long. */
#define TIMEOUT_US LIVETCP_USEC_SEC

/* After the first data samples, the average exceeds the minimum by at least this much if the
 * handshake included a timeout. */
#define HANDSHAKE_REST_US (TIMEOUT_US / 4)

/* Time beyond the round trip and its variation that no queue explains: the retransmission timer has
 * fired (minimum RTO of Linux). */
#define QUIET_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Maximum number of consecutive outages that are left out. A path with more of them in a row has
 * become longer. */
#define OUTAGES_MAX 3

/* TCP's average gives each sample a weight of 1/8. After SAMPLES_MAX of them little is left of the
 * value before, and the inversion is no longer exact. */
#define WEIGHT      (1.0 / 8)
#define SAMPLES_MAX 8

/* A sample may exceed the upper bound by this fraction of it: rounding. */
#define ROUNDING_PART 16

/* Our own average ends once it differs from TCP's by no more than this fraction. The inversion in
 * sample_of() multiplies a step between the two by eight. */
#define AGREEMENT_PART 128

static bool is_complete(const livetcp_path *info)
{
    const uint32_t needed = LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;

    return (info->known & needed) == needed && info->rtt_us > 0 && info->min_rtt_us > 0;
}

static unsigned samples_of(const lt_acknowledged *acknowledged)
{
    unsigned samples = acknowledged->segments ? acknowledged->segments : 1;

    return samples < SAMPLES_MAX ? samples : SAMPLES_MAX;
}

/* The sample that, taken `times` times, explains the change of TCP's average since it was last
 * seen; at least the minimum round trip. */
static livetcp_usec sample_of(const lt_rtt_average *average, const livetcp_path *info,
                              unsigned times)
{
    double weight = 1 - pow(1 - WEIGHT, times);
    livetcp_usec sample =
        average->tcp_us + (livetcp_usec)((double)(info->rtt_us - average->tcp_us) / weight);

    return sample > info->min_rtt_us ? sample : info->min_rtt_us;
}

static void add(lt_rtt_average *average, livetcp_usec sample_us, unsigned times)
{
    livetcp_path ours = {.known = average->average_us ? LIVETCP_PATH_RTT : 0,
                         .rtt_us = average->average_us,
                         .rtt_variation_us = average->variation_us};

    for (unsigned i = 0; i < times; i++)
        lt_path_measured_rtt(&ours, sample_us);
    average->average_us = ours.rtt_us;
    average->variation_us = ours.rtt_variation_us;
}

/* The first average is the handshake's. If it is long enough to include a timeout, our own average
 * begins with the first data sample. The minimum is that sample once it is at most half of TCP's
 * average. */
static void begin(lt_rtt_average *average, const livetcp_path *info)
{
    if (!average->known)
        average->differs =
            info->rtt_us >= TIMEOUT_US || info->rtt_us - info->min_rtt_us >= HANDSHAKE_REST_US;
    average->known = true;
    if (average->differs && 2 * info->min_rtt_us <= info->rtt_us)
        add(average, info->min_rtt_us, 1);
}

static void update(lt_rtt_average *average, const livetcp_path *info,
                   const lt_acknowledged *acknowledged, livetcp_usec now)
{
    unsigned times = samples_of(acknowledged);
    livetcp_usec sample = sample_of(average, info, times), max_us = LIVETCP_NEVER;

    if (acknowledged->written_us != LIVETCP_NEVER)
        max_us = now - acknowledged->written_us;
    if (!average->differs && max_us != LIVETCP_NEVER && sample - max_us > max_us / ROUNDING_PART) {
        average->differs = true;
        average->average_us = average->tcp_us;
        average->variation_us = average->tcp_variation_us;
    }
    if (average->differs)
        add(average, sample < max_us ? sample : max_us, times);
}

/* ---- outages ---- */

void lt_rtt_average_wrote(lt_rtt_average *average, uint64_t before, livetcp_usec now)
{
    if (average->delivered >= before)
        average->quiet_us = now;
}

/* Time without acknowledgements that ended with this one; 0 = nothing new is acknowledged. */
static livetcp_usec take_quiet(lt_rtt_average *average, uint64_t delivered, livetcp_usec now)
{
    livetcp_usec quiet = now - average->quiet_us;

    if (delivered <= average->delivered)
        return 0;
    average->delivered = delivered;
    average->quiet_us = now;
    return quiet;
}

/* The acknowledgement that ended an outage counts in TCP as one long round trip. If this is the
 * case, our own average takes over, with the value from before the outage. */
static bool excludes_outage(lt_rtt_average *average, const livetcp_path *info,
                            livetcp_usec quiet_us)
{
    bool own = average->differs && average->average_us;
    livetcp_usec before = own ? average->average_us : average->tcp_us;
    livetcp_usec variation = own ? average->variation_us : average->tcp_variation_us;
    livetcp_usec limit = before + 4 * variation + QUIET_US;
    bool late = average->known && quiet_us > limit;
    bool outage = late && sample_of(average, info, 1) > limit && average->outages < OUTAGES_MAX;

    if (late)
        average->ended_us = average->quiet_us;
    if (quiet_us)
        average->outages = outage ? average->outages + 1 : 0;
    if (!outage)
        return false;
    average->differs = true;
    average->average_us = before;
    average->variation_us = variation;
    return true;
}

void lt_rtt_average_correct(lt_rtt_average *average, livetcp_path *info,
                            const lt_acknowledged *acknowledged, livetcp_usec now)
{
    if (!is_complete(info))
        return;
    if (excludes_outage(average, info, take_quiet(average, acknowledged->delivered, now)))
        ;
    else if (!average->known || (average->differs && !average->average_us))
        begin(average, info);
    else if (info->rtt_us != average->tcp_us || info->rtt_variation_us != average->tcp_variation_us)
        update(average, info, acknowledged, now);
    average->tcp_us = info->rtt_us;
    average->tcp_variation_us = info->rtt_variation_us;
    if (!average->differs || !average->average_us)
        return;
    livetcp_usec apart = info->rtt_us - average->average_us;
    average->differs = (apart < 0 ? -apart : apart) > average->average_us / AGREEMENT_PART;
    info->rtt_us = average->average_us;
    info->rtt_variation_us = average->variation_us;
}
