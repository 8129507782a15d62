/* SPDX-License-Identifier: MIT */
/*
 * The fate of every packet and copy that was written: arrived, or lost on its way and repaired by
 * TCP. Of each loss the record counts how many of the packets written shortly after it, on any
 * connection, were lost as well, by the time between the two. Losses that come one by one leave
 * the share of losses there at every distance; a burst leaves more at short ones.
 */
#ifndef LT_ENGINE_REPAIR_LOSS_RECORD_H
#define LT_ENGINE_REPAIR_LOSS_RECORD_H

#include <livetcp/engine.h>

/* Written packets whose fate is remembered, and losses whose followers are counted. */
#define LT_LOSS_RECORD_SENT 1024
#define LT_LOSS_RECORD_LOST 32

/* Distances in time that are told apart, and the longest one. */
#define LT_LOSS_BINS       18
#define LT_LOSS_LAG_MAX_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef enum lt_fate { LT_FATE_PENDING, LT_FATE_ARRIVED, LT_FATE_LOST, LT_FATE_UNKNOWN } lt_fate;

/* Packets that followed a loss at about one distance. Counts decay, so they are no integers. */
typedef struct lt_loss_bin {
    double followers, lost;
    double lag_us; /* sum over followers */
} lt_loss_bin;

typedef struct lt_loss_record {
    struct {
        livetcp_usec written_us;
        lt_fate fate;
    } sent[LT_LOSS_RECORD_SENT];
    uint64_t next; /* number of the next packet written; its place is the remainder */
    struct {
        livetcp_usec written_us;
        uint64_t number;
    } losses[LT_LOSS_RECORD_LOST];
    unsigned next_loss, loss_count;

    lt_loss_bin bins[LT_LOSS_BINS];
    double recent, recent_lost; /* packets of known fate */
    uint64_t known, lost;       /* the same, never forgotten */
} lt_loss_record;

/* A packet is written; returns its number. Time does not go back. */
uint64_t lt_loss_record_written(lt_loss_record *record, livetcp_usec now);

/* Its fate is known now, or known to stay unknown. */
void lt_loss_record_resolved(lt_loss_record *record, uint64_t number, lt_fate fate);

/* Multiplies the decaying counts, so that the old ones weigh less. */
void lt_loss_record_age(lt_loss_record *record, double factor);

#endif
