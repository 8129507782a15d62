/* SPDX-License-Identifier: MIT */
#include "engine/links/rtt_average.h"

#include "engine/links/path_info.h"

#include <math.h>

/* The initial retransmission timeout of RFC 6298: a handshake that includes one is longer. */
#define TIMEOUT_US LIVETCP_USEC_SEC

/* And if the first samples of data have been seen already, so much more than the minimum is left.
 */
#define REST_US (TIMEOUT_US / 4)

/* So much beyond a round trip and its variation is no queue: TCP's timer has fired (Linux). */
#define QUIET_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Outages may follow each other with nothing in between. More of them are a path that has become
 * longer. */
#define OUTAGES_MAX 3

/* TCP gives each sample an eighth; more than so many leave nothing of the average before. */
#define WEIGHT       (1.0 / 8)
#define SAMPLES_MOST 8

/* A sample that is longer than possible by less than this part may be rounded. */
#define LONGER 16

/* TCP's average is taken again once it differs by no more than this part: whoever undoes averages
 * sees the step eight times. */
#define NEAR 128

static bool knows(const livetcp_path *info)
{
    const uint32_t needed = LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;

    return (info->known & needed) == needed && info->rtt_us > 0 && info->min_rtt_us > 0;
}

static unsigned samples_of(const lt_acknowledged *acknowledged)
{
    unsigned samples = acknowledged->segments ? acknowledged->segments : 1;

    return samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
}

/* The sample that has moved TCP's average so many times since it was last seen; never less than the
 * minimum. */
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

/* The first average is the handshake's. If it was so long that it may include a timeout, ours
 * begins with the first sample of data: until there is one, twice the minimum is more than it, and
 * so it is where the path is that long. */
static void begin(lt_rtt_average *average, const livetcp_path *info)
{
    if (!average->known)
        average->differs = info->rtt_us >= TIMEOUT_US || info->rtt_us - info->min_rtt_us >= REST_US;
    average->known = true;
    if (average->differs && 2 * info->min_rtt_us <= info->rtt_us)
        add(average, info->min_rtt_us, 1);
}

static void go_on(lt_rtt_average *average, const livetcp_path *info,
                  const lt_acknowledged *acknowledged, livetcp_usec now)
{
    unsigned times = samples_of(acknowledged);
    livetcp_usec sample = sample_of(average, info, times), most = LIVETCP_NEVER;

    if (acknowledged->written_us != LIVETCP_NEVER)
        most = now - acknowledged->written_us;
    if (!average->differs && most != LIVETCP_NEVER && sample - most > most / LONGER) {
        average->differs = true;
        average->average_us = average->tcp_us;
        average->variation_us = average->tcp_variation_us;
    }
    if (average->differs)
        add(average, sample < most ? sample : most, times);
}

/* ---- outages ---- */

void lt_rtt_average_wrote(lt_rtt_average *average, uint64_t before, livetcp_usec now)
{
    if (average->delivered >= before)
        average->quiet_us = now;
}

/* For how long nothing had been acknowledged before this; 0 = nothing is. */
static livetcp_usec take_quiet(lt_rtt_average *average, uint64_t delivered, livetcp_usec now)
{
    livetcp_usec quiet = now - average->quiet_us;

    if (delivered <= average->delivered)
        return 0;
    average->delivered = delivered;
    average->quiet_us = now;
    return quiet;
}

/* The acknowledgement that ended an outage was taken for one of a round trip as long, or as long as
 * what was written last had waited: the average stays as it was before, and is ours. */
static bool leaves_out_outage(lt_rtt_average *average, const livetcp_path *info,
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
    if (!knows(info))
        return;
    if (leaves_out_outage(average, info, take_quiet(average, acknowledged->delivered, now)))
        ;
    else if (!average->known || (average->differs && !average->average_us))
        begin(average, info);
    else if (info->rtt_us != average->tcp_us || info->rtt_variation_us != average->tcp_variation_us)
        go_on(average, info, acknowledged, now);
    average->tcp_us = info->rtt_us;
    average->tcp_variation_us = info->rtt_variation_us;
    if (!average->differs || !average->average_us)
        return;
    livetcp_usec apart = info->rtt_us - average->average_us;
    average->differs = (apart < 0 ? -apart : apart) > average->average_us / NEAR;
    info->rtt_us = average->average_us;
    info->rtt_variation_us = average->variation_us;
}
