/* SPDX-License-Identifier: MIT */
/* Results of a run: one outcome per scheme and direction, in numbers ready to print. */
#ifndef LT_LAB_BENCH_OUTCOME_H
#define LT_LAB_BENCH_OUTCOME_H

#include "lab/bench/playout.h"
#include "lab/bench/runner.h"
#include "lab/bench/stats.h"

/* Bit rates that the frames of a run were encoded at, in bit/s. */
typedef struct lt_rates {
    uint64_t frames;
    double min, mean, max;
    double last; /* of the last frame of the last stream */
} lt_rates;

typedef struct lt_outcome {
    const lt_run *run;
    bool backward;
    lt_delay_summary all;   /* every measured packet */
    lt_delay_summary clean; /* without those sent near a stall of the machine */
    uint64_t flagged;       /* number of those packets */
    lt_delay_summary whole; /* adaptive: every packet, warm-up included */
    lt_rates rates;         /* adaptive: of its encoders, in the measured time */
    lt_delay_summary
        lateness; /* delay of the sender behind its schedule; lost = never sent; empty if greedy */
    lt_delay_summary opening; /* the first packets of each talkspurt after a silence */
    lt_delay_summary speech; /* its packets beside the media; stalls discarded as in the headline */
    lt_playout playout[LT_BENCH_MAX_PLAYOUTS]; /* for the packets of the headline, as configured */
    uint64_t arrived_bytes;                    /* media bytes in the measured time */
    livetcp_usec propagation;                  /* of the path */
    livetcp_usec full_queue; /* drain time of a full bottleneck queue; 0 = no queue */
    double
        bytes_ratio; /* bytes written to the kernel per byte of media, whole run; NAN = no media */
    double wire_ratio; /* bytes of IP packets per byte of media in this direction; NAN if there is
                          other traffic */
    double cpu_send; /* us per media packet, of the sending and the receiving process; with media in
                        both directions both include both */
    double cpu_receive; /* both ways the work of both ways is in both */
    double link_share;  /* media_rate relative to the link's rate; NAN without one */
    double media_rate;  /* received bit/s in the measured time, all flows, without framing */
    double ftp_rate, web_rate, peer_rate, mice_rate, cbr_rate; /* of the background traffic */
    const lt_transport_totals *totals;                         /* of the sender */
} lt_outcome;

typedef struct lt_outcomes {
    lt_outcome *outcomes; /* the first one is the reference of its direction */
    unsigned count;
    lt_stall *stalls; /* merged, from every process */
    size_t stall_count;
    livetcp_usec stalled;      /* in total */
    livetcp_usec begin;        /* start of the first run, origin of times */
    livetcp_usec worst_wakeup; /* latest wake-up of all watches */
} lt_outcomes;

livetcp_result lt_outcomes_make(const lt_bench_log *log, lt_outcomes *out, livetcp_error *error);
void lt_outcomes_clear(lt_outcomes *outcomes);

/* The summary for percentages and comparisons: `clean` if stalls are discarded, else `all`. */
const lt_delay_summary *lt_outcome_headline(const lt_outcome *outcome);

/* The outcome to compare this one with, or NULL for the reference itself. */
const lt_outcome *lt_outcome_reference(const lt_outcomes *outcomes, const lt_outcome *outcome);

/* Time before a stall in which packets may still be under way, and time after it in which packets
 * may still be queued. */
void lt_outcome_guard(const lt_bench_options *options, livetcp_usec *before, livetcp_usec *after);

/* Drain time of this link's queue when full; packets count as 1500 bytes. */
livetcp_usec lt_link_full_queue(const lt_link_params *link);

#endif
