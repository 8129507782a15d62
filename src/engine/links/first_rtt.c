/* SPDX-License-Identifier: MIT */
#include "engine/links/first_rtt.h"

#include "engine/links/path_info.h"

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

/* TCP gives each sample an eighth. */
#define WEIGHT 8

/* TCP's average is taken again once it differs by no more than this part: whoever undoes averages
 * sees the step WEIGHT times. */
#define NEAR 128

static bool knows(const livetcp_path *info)
{
    const uint32_t needed = LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;

    return (info->known & needed) == needed && info->rtt_us > 0 && info->min_rtt_us > 0;
}

/* The sample that has moved TCP's average since it was last seen. Of several it is less than their
 * mean, and never less than the minimum. */
static livetcp_usec sample_of(const lt_first_rtt *first, const livetcp_path *info)
{
    livetcp_usec sample = first->tcp_us + WEIGHT * (info->rtt_us - first->tcp_us);

    return sample > info->min_rtt_us ? sample : info->min_rtt_us;
}

static void add(lt_first_rtt *first, livetcp_usec sample_us)
{
    livetcp_path ours = {.known = first->average_us ? LIVETCP_PATH_RTT : 0,
                         .rtt_us = first->average_us,
                         .rtt_variation_us = first->variation_us};

    lt_path_measured_rtt(&ours, sample_us);
    first->average_us = ours.rtt_us;
    first->variation_us = ours.rtt_variation_us;
}

void lt_first_rtt_wrote(lt_first_rtt *first, uint64_t before, livetcp_usec now)
{
    if (first->delivered >= before)
        first->quiet_us = now;
}

/* For how long nothing had been acknowledged before this; 0 = nothing is. */
static livetcp_usec take_quiet(lt_first_rtt *first, uint64_t delivered, livetcp_usec now)
{
    livetcp_usec quiet = now - first->quiet_us;

    if (delivered <= first->delivered)
        return 0;
    first->delivered = delivered;
    first->quiet_us = now;
    return quiet;
}

/* The acknowledgement that ended an outage was taken for one of a round trip as long, or as long as
 * what was written last had waited. */
static bool is_outage(lt_first_rtt *first, const livetcp_path *info, livetcp_usec quiet_us)
{
    bool own = first->suspect && !first->settled && first->average_us;
    livetcp_usec average = own ? first->average_us : first->tcp_us;
    livetcp_usec variation = own ? first->variation_us : first->tcp_variation_us;
    livetcp_usec limit = average + 4 * variation + QUIET_US;
    bool late = first->tcp_us && quiet_us > limit;
    bool outage = late && sample_of(first, info) > limit && first->outages < OUTAGES_MAX;

    if (late)
        first->ended_us = first->quiet_us;
    if (quiet_us)
        first->outages = outage ? first->outages + 1 : 0;
    if (!outage)
        return false;
    *first = (lt_first_rtt){.suspect = true,
                            .average_us = average,
                            .variation_us = variation,
                            .delivered = first->delivered,
                            .quiet_us = first->quiet_us,
                            .ended_us = first->ended_us,
                            .outages = first->outages};
    return true;
}

/* TCP's average, when last seen. */
static void remember(lt_first_rtt *first, const livetcp_path *info)
{
    first->tcp_us = info->rtt_us;
    first->tcp_variation_us = info->rtt_variation_us;
}

/* The average is ours from here on, until TCP's comes near it. */
static void tell_own(lt_first_rtt *first, livetcp_path *info)
{
    livetcp_usec apart = info->rtt_us - first->average_us;

    remember(first, info);
    first->settled = (apart < 0 ? -apart : apart) <= first->average_us / NEAR;
    info->rtt_us = first->average_us;
    info->rtt_variation_us = first->variation_us;
}

void lt_first_rtt_correct(lt_first_rtt *first, livetcp_path *info, uint64_t delivered,
                          livetcp_usec now)
{
    if (!knows(info))
        return;
    if (is_outage(first, info, take_quiet(first, delivered, now))) {
        tell_own(first, info);
        return;
    }
    if (first->settled) {
        remember(first, info);
        return;
    }
    if (!first->suspect) {
        first->suspect = info->rtt_us >= TIMEOUT_US || info->rtt_us - info->min_rtt_us >= REST_US;
        first->settled = !first->suspect;
    }
    /* Twice the minimum and no more: only the handshake has been measured, or the path is that
     * long.
     */
    if (!first->suspect || (!first->average_us && 2 * info->min_rtt_us > info->rtt_us)) {
        remember(first, info);
        return;
    }
    if (!first->average_us)
        add(first, info->min_rtt_us);
    else if (info->rtt_us != first->tcp_us || info->rtt_variation_us != first->tcp_variation_us)
        add(first, sample_of(first, info));
    tell_own(first, info);
}
