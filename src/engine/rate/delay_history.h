/* SPDX-License-Identifier: MIT */
/*
 * The delays and deliveries of the last second or more. A standing queue is distinguished from a
 * burst by the minimum delay over a window, as CoDel does (RFC 8289, section 4.2).
 */
#ifndef LT_ENGINE_RATE_DELAY_HISTORY_H
#define LT_ENGINE_RATE_DELAY_HISTORY_H

#include <livetcp/policy.h>

#define LT_DELAY_TICKS 80

/* The session at one moment. */
typedef struct lt_congestion_sample {
    livetcp_usec now_us;
    uint64_t delivered;    /* bytes, on all connections so far */
    uint64_t undelivered;  /* bytes that the kernel has and the peer has not, */
    uint64_t in_flight;    /*   without connections in timeout */
    livetcp_usec queue_us; /* excess of a round trip that just ended over its base; NEVER = none */
    livetcp_usec busy_us;  /* the same, including the queue of its own burst */
    livetcp_usec exact_us; /* busy_us of a packet that did not wait for a window, */
    livetcp_usec exact_sent_us; /*   and when that was sent */
    livetcp_usec back_us;       /* mean time that acknowledgements wait for media of the other
                                   direction, which the three lack; 0 = unknown */
    livetcp_usec back_late_us;  /* time that they wait now beyond that of frames */
    bool one_way;               /* the three are of our direction alone, from the peer's reports; */
    double train;               /*   then: bytes per second of a packet train that has ended, as the
                                     peer has seen it; 0 = none */
    livetcp_usec wait_us;       /* age of the oldest packet in the send queue */
    livetcp_usec base_us;       /* round trip of the path without queues; 0 = not known */
    double offered;             /* bytes per second that the application has recently sent */
    bool follows;               /* the source sends about what it was told, as has been seen, */
    bool may_follow;            /*   or it sends about that at present */
    bool fixed;                 /* it sends at a fixed rate */
    bool exceeds;           /* it sends more than it was told, and is not known to ignore that */
    bool answered;          /* media of the other direction flows */
    double carried;         /* bytes per second: maximum that the path has recently carried */
    bool overloads;         /* it offers far more than that */
    bool fills;             /* the only connection gets all of it */
    bool lossless;          /* no segment was lost for a while */
    double link_rate;       /* bytes per second of the link, from its packets' or frames' time;
                               0 = unknown */
    livetcp_usec limit_us;  /* packets older than that are dropped; 0 = none are */
    bool own_extra;         /* its extra bytes may be why a queue stands, */
    bool own_losses;        /*   or why segments are lost */
    bool begins;            /* the source begins to send more than a little */
    unsigned connections;   /* that carry packets */
    uint64_t one_window;    /* median of their congestion windows; 0 = not known */
    uint64_t retransmitted; /* segments, on all connections so far */
    uint64_t marked;        /*   and those that were marked by a queue (ECN) */
} lt_congestion_sample;

/* A short period: counters at its start, and the minimum delays in it. */
typedef struct lt_delay_tick {
    livetcp_usec start_us;
    uint64_t delivered, in_flight;
    livetcp_usec queue_us; /* in the network; LIVETCP_NEVER = no sample */
    livetcp_usec total_us; /* the same, and in the send queue */
} lt_delay_tick;

typedef struct lt_delay_history {
    lt_delay_tick ticks[LT_DELAY_TICKS]; /* a ring */
    unsigned newest, used;
} lt_delay_history;

/* A window of the history. */
typedef struct lt_delay_window {
    bool known;                      /* the history covers it, with enough samples */
    livetcp_usec queue_us, total_us; /* minimum */
    livetcp_usec average_us;         /* queue in the network: average of the ticks' minima */
    uint64_t delivered, in_flight;   /* at its start */
    uint64_t least;                  /* in flight: minimum */
    livetcp_usec span_us;            /* since its start */
} lt_delay_window;

void lt_delay_history_add(lt_delay_history *history, const lt_congestion_sample *sample);

void lt_delay_history_forget(lt_delay_history *history);

lt_delay_window lt_delay_history_window(const lt_delay_history *history, livetcp_usec now,
                                        livetcp_usec length);

/* Bytes per second delivered in the window, which ends with the sample; 0 = not known. */
double lt_delay_window_rate(const lt_delay_window *window, const lt_congestion_sample *sample);

/* Bytes per second delivered over `span_us` at most; 0 = too little is known. */
double lt_delay_history_rate(const lt_delay_history *history, livetcp_usec now,
                             livetcp_usec span_us);

/* Bytes per second delivered since no sample was below `min_us`, over `span_us` at most; 0 =
 * that is too short a time. */
double lt_delay_history_busy_rate(const lt_delay_history *history,
                                  const lt_congestion_sample *sample, livetcp_usec min_us,
                                  livetcp_usec span_us);

#endif
