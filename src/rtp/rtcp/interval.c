/* SPDX-License-Identifier: MIT */
#include "rtp/rtcp/interval.h"

#define MEMBERS   2
#define RTCP_PART 0.05

livetcp_usec lt_rtcp_interval(uint64_t media_rate, size_t report_size)
{
    double rate = media_rate ? (double)media_rate : 1;
    double share = MEMBERS * (double)report_size / (rate * RTCP_PART);
    double reduced = 360 / (rate * 8 / 1000);
    double us = (share > reduced ? share : reduced) * LIVETCP_USEC_SEC;

    if (us > (double)LT_RTCP_INTERVAL_MAX_US)
        return LT_RTCP_INTERVAL_MAX_US;
    return us < (double)LT_RTCP_INTERVAL_MIN_US ? LT_RTCP_INTERVAL_MIN_US : (livetcp_usec)us;
}

livetcp_usec lt_rtcp_interval_spread(livetcp_usec interval, double uniform)
{
    return (livetcp_usec)((double)interval * (0.5 + uniform));
}
