/* SPDX-License-Identifier: MIT */
#include "engine/rate/queue_floor.h"

#include "base/usec.h"

#include <stdbool.h>

#define PERIOD_US   2000000
#define SAMPLES_MIN 5

/* Less costs little. */
#define LEAST_US 8000

/* All minima but the largest differ by no more: what is met on top is the session's own. */
#define SAME_US   8000
#define SAME_PART 10

static void begin_period(lt_queue_floor *f, livetcp_usec now)
{
    f->since_us = now;
    f->min_us = LIVETCP_NEVER;
    f->samples = 0;
}

void lt_queue_floor_begin(lt_queue_floor *floor, livetcp_usec now)
{
    floor->count = 0;
    begin_period(floor, now);
}

livetcp_usec lt_queue_floor_update(lt_queue_floor *f, livetcp_usec excess_us, livetcp_usec now)
{
    livetcp_usec least = LIVETCP_NEVER, most = 0;
    unsigned largest = 0;

    if (excess_us != LIVETCP_NEVER) {
        f->min_us = lt_usec_min(f->min_us, excess_us);
        f->samples++;
    }
    if (now - f->since_us < PERIOD_US || f->samples < SAMPLES_MIN)
        return 0;
    f->floors[f->count++ % LT_QUEUE_FLOORS] = f->min_us;
    begin_period(f, now);
    if (f->count < LT_QUEUE_FLOORS)
        return 0;
    for (unsigned i = 0; i < LT_QUEUE_FLOORS; i++)
        largest = f->floors[i] > f->floors[largest] ? i : largest;
    for (unsigned i = 0; i < LT_QUEUE_FLOORS; i++) {
        least = lt_usec_min(least, f->floors[i]);
        most = i == largest ? most : lt_usec_max(most, f->floors[i]);
    }
    bool same = most - least <= lt_usec_max(SAME_US, least / SAME_PART);
    return same && least >= LEAST_US ? least : 0;
}
