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
    lt_delay_summary all;      /* every measured packet */
    lt_delay_summary clean;    /* without those sent near a stall of the machine */
    uint64_t flagged;          /* how many those are */
    lt_delay_summary whole;    /* adaptive: every packet, warm-up included */
    lt_rates rates;            /* adaptive: of its encoders, in the measured time */
    lt_delay_summary lateness; /* of the sender against its schedule; lost = never sent; none if
                                  greedy */
    lt_delay_summary opening;  /* the first packets of each talkspurt after a silence */
    lt_playout playout[LT_BENCH_MAX_PLAYOUTS]; /* of the headline's packets, as asked for */
    uint64_t arrived_bytes;                    /* of media, in the measured time */
    livetcp_usec propagation;                  /* of the path */
    livetcp_usec full_queue; /* time that a full bottleneck queue takes to empty; 0 = no queue */
    double bytes_ratio;      /* bytes to the kernel per byte of media, whole run; NAN = no media */
    double
        wire_ratio; /* bytes of IP packets per byte of media, that way; NAN when others send, too */
    double cpu_send;    /* µs per packet: the sending process, and the receiving one; with media */
    double cpu_receive; /* both ways the work of both ways is in both */
    double link_share;  /* media_rate by the rate of the link; NAN when it has none */
    double media_rate;  /* bit/s that arrived in the measured time, all flows, without framing */
    double ftp_rate, web_rate, peer_rate, mice_rate, cbr_rate; /* and of the background */
    const lt_transport_totals *totals;                         /* of the sender */
} lt_outcome;

typedef struct lt_outcomes {
    lt_outcome *outcomes; /* the first is the reference of those that go the same way */
    unsigned count;
    lt_stall *stalls; /* merged, from every process */
    size_t stall_count;
    livetcp_usec stalled;      /* in all */
    livetcp_usec begin;        /* start of the first run, to count time from */
    livetcp_usec worst_wakeup; /* latest, of all watches */
} lt_outcomes;

livetcp_result lt_outcomes_make(const lt_bench_log *log, lt_outcomes *out, livetcp_error *error);
void lt_outcomes_clear(lt_outcomes *outcomes);

/* Summary for percentages and comparisons: `clean` if stalls are to be discarded. */
const lt_delay_summary *lt_outcome_headline(const lt_outcome *outcome);

/* The outcome to compare this one with, or NULL for the reference itself. */
const lt_outcome *lt_outcome_reference(const lt_outcomes *outcomes, const lt_outcome *outcome);

/* Packets from before a stall that may be on the way, and after it still behind others. */
void lt_outcome_guard(const lt_bench_options *options, livetcp_usec *before, livetcp_usec *after);

/* Time that a full queue of this link takes to empty; packets count as 1500 bytes. */
livetcp_usec lt_link_full_queue(const lt_link_params *link);

#endif
