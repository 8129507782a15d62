/* SPDX-License-Identifier: MIT */
#include "engine/rate/frame_bursts.h"

#include <math.h>

/* The packets of a frame are written within this time of each other, and all within the second.
 * Longer bursts are packet trains. */
#define BURST_US     3000
#define BURST_MAX_US 60000

/* Less time is no more than the error of the base. */
#define TIME_MIN_US 5000

#define BYTES_MIN 500

void lt_frame_bursts_init(lt_frame_bursts *bursts)
{
    *bursts = (lt_frame_bursts){.from_us = INT64_MIN / 2, .last_us = INT64_MIN / 2};
}

lt_burst_place lt_frame_bursts_on_written(lt_frame_bursts *b, size_t size, livetcp_usec now)
{
    if (now - b->last_us > BURST_US || now - b->from_us > BURST_MAX_US) {
        b->number++;
        b->bytes = 0;
        b->first = size;
        b->from_us = now;
    }
    b->bytes += size;
    b->last_us = now;
    return (lt_burst_place){.behind = (uint32_t)(b->bytes - b->first),
                            .time_us = (uint16_t)(now - b->from_us),
                            .number = b->number};
}

/* The last write of a burst counts, which has most bytes before it: the bound of an earlier one is
 * replaced. */
void lt_frame_bursts_on_delivered(lt_frame_bursts *b, const lt_burst_place *place,
                                  livetcp_usec written_us, livetcp_usec base_us, livetcp_usec now)
{
    livetcp_usec time = now - (written_us - place->time_us) - base_us;

    if (place->behind < BYTES_MIN || (int16_t)(uint16_t)(place->number - b->looked) < 0)
        return;
    if (place->number != b->looked)
        b->count++;
    b->looked = place->number;
    time = time > TIME_MIN_US ? time : TIME_MIN_US;
    b->bounds[b->count % LT_FRAME_BURSTS] =
        (double)place->behind * (double)LIVETCP_USEC_SEC / (double)time;
    b->best = fmax(b->best, lt_frame_bursts_rate(b));
}

size_t lt_frame_bursts_behind(const lt_frame_bursts *b)
{
    return (size_t)(b->bytes - b->first);
}

double lt_frame_bursts_rate(const lt_frame_bursts *b)
{
    double lowest = b->bounds[0];

    if (b->count < LT_FRAME_BURSTS)
        return 0;
    for (unsigned i = 1; i < LT_FRAME_BURSTS; i++)
        lowest = b->bounds[i] < lowest ? b->bounds[i] : lowest;
    return lowest;
}

double lt_frame_bursts_best(const lt_frame_bursts *b)
{
    return b->best;
}
