/* SPDX-License-Identifier: MIT */
/*
 * The bottleneck, as the session's own queue shows it: how long the queue is that stands there, and
 * the rate at which bytes leave it meanwhile. That is BBR's bandwidth, but without probing for it:
 * a source that sends less than the path carries learns nothing, and needs nothing.
 */
#ifndef LT_ENGINE_RATE_PATH_RATE_H
#define LT_ENGINE_RATE_PATH_RATE_H

#include "engine/rate/delay_history.h"
#include "engine/rate/unseen_queue.h"

/* A queue stands if the minimum wait in a window is LT_STANDING_US. A round trip that is LT_BUSY_US
 * longer than without queues has met one. A rate is measured over LT_RATE_US. */
#define LT_STANDING_US 8000
#define LT_BUSY_US     3000
#define LT_RATE_US     500000

typedef struct lt_path_rate {
    /* Standing queue, the minimum delay of a window; 0 = none. */
    livetcp_usec standing_us; /* in the network and in the send queue */
    livetcp_usec queue_us;    /* of this in the network */

    double limit;              /* delivered bytes per second while a queue stands: average, */
    double present;            /*   and the last measurement; 0 = no queue stands */
    double floor;              /* lower bound of the limit in the second */
    livetcp_usec floor_us;     /*   that began at this time */
    double capacity;           /* the limit while the queue is in the network; 0 = not known */
    livetcp_usec congested_us; /* when a queue last stood in the network; INT64_MIN = never */
    lt_unseen_queue unseen;
} lt_path_rate;

void lt_path_rate_init(lt_path_rate *path);

/* Until the next measurement no queue stands. */
void lt_path_rate_forget_queue(lt_path_rate *path);

/* A queue stood all through the window. */
void lt_path_rate_on_queue(lt_path_rate *path, const lt_delay_window *window);

/* The rate meanwhile. `full`: the session's own window was the limit. */
void lt_path_rate_measure(lt_path_rate *path, const lt_delay_history *history,
                          const lt_congestion_sample *sample, const lt_delay_window *window,
                          bool full);

/* The same for a queue that no round trip shows, but the losses of the only connection, a router's
 * marks, or what several connections have under way. `overflow` and `marked`: bytes per second that
 * the path carries by the losses and the marks; 0 = they do not show it. */
void lt_path_rate_measure_unseen(lt_path_rate *path, const lt_delay_history *history,
                                 const lt_congestion_sample *sample, const lt_delay_window *window,
                                 double overflow, double marked);

/* The same for the bytes in flight, which are more than the path holds at the rate of a train. */
void lt_path_rate_measure_in_flight(lt_path_rate *path, const lt_congestion_sample *sample,
                                    double rate);

/* Measurements are discarded but for the limit. */
void lt_path_rate_begin_anew(lt_path_rate *path, double limit);

/* True if the session sends more than the path carries: packets wait, its window is full, or the
 * bytes in flight grow. Otherwise a standing queue may be another's, and the delivered rate is only
 * our sending rate. */
bool lt_path_rate_is_our_doing(const lt_congestion_sample *sample, const lt_delay_window *window,
                               bool full);

/* True if what the path has shown counts still. */
bool lt_path_rate_is_congested(const lt_path_rate *path, livetcp_usec now);

/* From now on it does not. */
void lt_path_rate_end(lt_path_rate *path, livetcp_usec now);

/* The capacity that is known counts from now on, as if a queue had stood. */
void lt_path_rate_keep(lt_path_rate *path, livetcp_usec now);

/* The same with another capacity. */
void lt_path_rate_assume(lt_path_rate *path, double capacity, livetcp_usec now);

/* The limit, an average, follows a rate. */
void lt_path_rate_average(lt_path_rate *path, double rate);

/* The limit is at least that. */
void lt_path_rate_raise(lt_path_rate *path, double least);

#endif
