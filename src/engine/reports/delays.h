/* SPDX-License-Identifier: MIT */
/* The legs of the delay of what is sent, as far as its sender can tell; see livetcp_delays. */
#ifndef LT_ENGINE_REPORTS_DELAYS_H
#define LT_ENGINE_REPORTS_DELAYS_H

#include <livetcp/stats.h>

/* A mean of the last samples, 16 or so; the first one begins it. */
typedef struct lt_smoothed {
    bool known;
    livetcp_usec us;
} lt_smoothed;

void lt_smooth(lt_smoothed *mean, livetcp_usec sample_us);

/* -1 if there was none. */
livetcp_usec lt_smoothed_us(const lt_smoothed *mean);

/* How long a frame of that size, just written, will wait in the kernel until it is sent: the facts
 * count it as unsent already. */
livetcp_usec lt_delay_in_buffer(const livetcp_path *path, size_t size);

/* One way of the path: half of the least round trip, and all that the present one is above, since
 * acknowledgements are small and meet no queue of ours. -1 if no round trip is known. */
livetcp_usec lt_delay_of_network(const livetcp_path *path);

/* How long a packet waited at the other end for the repair of what was lost before it. TCP
 * acknowledges in order, so the acknowledgement is late by as much, beyond `buffered_us` and a
 * round trip. It came after `before_us` and by `now`, the last two times that we looked
 * (`before_us` may be before it was written). Without a `repair` going on then, one that may have
 * been in time was. */
livetcp_usec lt_delay_at_head_of_line(const livetcp_path *path, livetcp_usec written_us,
                                      livetcp_usec buffered_us, bool repair, livetcp_usec before_us,
                                      livetcp_usec now);

/* Of the connections that are up: the mean of what is known, and the least; -1 if nothing is. */
typedef struct lt_round_trip {
    unsigned connections;
    livetcp_usec rtt_us, variation_us, min_rtt_us;
} lt_round_trip;

lt_round_trip lt_round_trip_over(const livetcp_path *paths, unsigned count);

#endif
