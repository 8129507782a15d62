/* SPDX-License-Identifier: MIT */
#include "engine/rate/faster_path.h"

#include <math.h>

/* A test has shown a faster path when no queue has stood for so long, and two round trips. */
#define TEST_US 1500000

/* From a wrong sign, or a step, to the next sign that is heeded; twice as long after each sign that
 * was wrong. */
#define PAUSE_US     1000000
#define PAUSE_MAX_US 8000000

#define STEP 0.1 /* of the rate that the sign shows */

static livetcp_usec pause(const lt_faster_path *path)
{
    livetcp_usec time = PAUSE_US;

    for (unsigned i = 0; i < path->vain && time < PAUSE_MAX_US; i++)
        time *= 2;
    return time;
}

void lt_faster_path_begin(lt_faster_path *path, double ceiling, livetcp_usec now)
{
    path->from = ceiling;
    path->since_us = now;
}

double lt_faster_path_step(lt_faster_path *path, double rate, bool lossless, livetcp_usec now)
{
    if (!path->vain || !lossless)
        return 0;
    path->next_us = now + pause(path);
    return fmin(rate, path->from + STEP * rate);
}

void lt_faster_path_on_queue(lt_faster_path *path, double limit, livetcp_usec now)
{
    if (path->from <= 0)
        return;
    if (limit < LT_FASTER * path->from) {
        path->next_us = now + pause(path);
        path->vain++;
    } else {
        path->vain = 0;
    }
    path->from = 0;
}

void lt_faster_path_on_no_queue(lt_faster_path *path, livetcp_usec base_us, livetcp_usec now)
{
    if (path->from <= 0 || now - path->since_us <= TEST_US + 2 * base_us)
        return;
    path->from = 0;
    path->vain /= 2;
}
