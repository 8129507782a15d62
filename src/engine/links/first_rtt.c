/* SPDX-License-Identifier: MIT */
#include "engine/links/first_rtt.h"

#include "engine/links/path_info.h"

/* The initial retransmission timeout of RFC 6298: a handshake that includes one is longer. */
#define TIMEOUT_US LIVETCP_USEC_SEC

/* And if the first samples of data have been seen already, so much more than the minimum is left.
 */
#define REST_US (TIMEOUT_US / 4)

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

void lt_first_rtt_correct(lt_first_rtt *first, livetcp_path *info)
{
    if (first->settled || !knows(info))
        return;
    if (!first->suspect) {
        first->suspect = info->rtt_us >= TIMEOUT_US || info->rtt_us - info->min_rtt_us >= REST_US;
        first->settled = !first->suspect;
    }
    /* Twice the minimum and no more: only the handshake has been measured, or the path is that
     * long.
     */
    if (!first->suspect || (!first->average_us && 2 * info->min_rtt_us > info->rtt_us))
        return;
    if (!first->average_us)
        add(first, info->min_rtt_us);
    else if (info->rtt_us != first->tcp_us || info->rtt_variation_us != first->tcp_variation_us)
        add(first, sample_of(first, info));
    first->tcp_us = info->rtt_us;
    first->tcp_variation_us = info->rtt_variation_us;
    livetcp_usec apart = info->rtt_us - first->average_us;
    first->settled = (apart < 0 ? -apart : apart) <= first->average_us / NEAR;
    info->rtt_us = first->average_us;
    info->rtt_variation_us = first->variation_us;
}
