/* SPDX-License-Identifier: MIT */
#include "engine/links/keepalive.h"

#include "base/usec.h"

/* Of the session's bytes. A question, its answer and the acknowledgement have this many in the more
 * expensive direction, with the headers of TCP and IP. */
#define PART     0.03
#define QUESTION 128

/* The interval is prolonged to so many settings, or this part of peer-timeout: three messages in a
 * row may be lost. */
#define LONGEST      3
#define TIMEOUT_PART 4

void lt_keepalive_init(lt_keepalive *keepalive, const livetcp_config *config)
{
    livetcp_usec setting = config->keepalive_interval_us;
    livetcp_usec most = lt_usec_min(LONGEST * setting, config->peer_timeout_us / TIMEOUT_PART);

    *keepalive = (lt_keepalive){.setting_us = setting, .longest_us = lt_usec_max(setting, most)};
}

void lt_keepalive_passed(lt_keepalive *keepalive, size_t size, livetcp_usec now)
{
    livetcp_usec time = now - keepalive->since_us;

    keepalive->bytes += size;
    if (time < keepalive->setting_us)
        return;
    keepalive->rate = (double)keepalive->bytes * LIVETCP_USEC_SEC / (double)time;
    keepalive->since_us = now;
    keepalive->bytes = 0;
}

livetcp_usec lt_keepalive_interval(const lt_keepalive *keepalive, unsigned connections)
{
    double questions = (double)connections * QUESTION;
    double bytes = keepalive->rate * (double)keepalive->setting_us / LIVETCP_USEC_SEC;

    if (bytes < questions) /* an idle session, which has nothing to be late */
        return keepalive->setting_us;
    double needed = questions / (PART * bytes) * (double)keepalive->setting_us;
    return needed > (double)keepalive->longest_us
               ? keepalive->longest_us
               : lt_usec_max(keepalive->setting_us, (livetcp_usec)needed);
}
