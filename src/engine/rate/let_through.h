/* SPDX-License-Identifier: MIT */
/*
 * The queue that a source at a fixed rate meets is hardly its own if the path has carried the
 * source before, and the link far more. A window made for a queue of its own would make it late
 * beside another flow, and less and less get through. So such a source is let through, as long as
 * what is delivered keeps up with what it offers: a link that has become too slow does not, and
 * then it is tried again now and then.
 */
#ifndef LT_ENGINE_RATE_LET_THROUGH_H
#define LT_ENGINE_RATE_LET_THROUGH_H

#include "engine/rate/delay_history.h"

typedef struct lt_let_through {
    livetcp_usec from_us; /* it is let through from then on */
    bool is_tried;        /* since then it does not keep up */
    unsigned failed;      /* times in a row that it did not keep up */
} lt_let_through;

void lt_let_through_init(lt_let_through *let);

/* `fixed`: the source sends at a fixed rate that the path has carried. `lost_us`: when something
 * was last lost. Returns the bytes that may be under way; 0 = it is not let through. */
double lt_let_through_update(lt_let_through *let, const lt_delay_history *history,
                             const lt_congestion_sample *sample, bool fixed, livetcp_usec lost_us);

#endif
