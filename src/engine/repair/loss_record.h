/* SPDX-License-Identifier: MIT */
/*
 * Fate of every packet and copy written: arrived, or lost and repaired by TCP. For each loss the
 * record counts the packets written shortly after it, on any connection, and how many of them were
 * lost, by the time between the two. Independent losses give the loss rate at every distance; a
 * burst gives more at short ones.
 */
#ifndef LT_ENGINE_REPAIR_LOSS_RECORD_H
#define LT_ENGINE_REPAIR_LOSS_RECORD_H

#include <livetcp/engine.h>

/* Number of packets whose fate is stored, and of losses whose followers are counted. */
#define LT_LOSS_RECORD_SENT 1024
#define LT_LOSS_RECORD_LOST 32

/* Number of bins of the time between two packets, and its maximum. */
#define LT_LOSS_BINS       18
#define LT_LOSS_LAG_MAX_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef enum lt_fate { LT_FATE_PENDING, LT_FATE_ARRIVED, LT_FATE_LOST, LT_FATE_UNKNOWN } lt_fate;

/* Packets that followed a loss at one distance. The counts decay, so they are not integers. */
typedef struct lt_loss_bin {
    double followers, lost;
    double lag_us; /* sum over the followers */
} lt_loss_bin;

typedef struct lt_loss_record {
    struct {
        livetcp_usec written_us;
        lt_fate fate;
    } sent[LT_LOSS_RECORD_SENT];
    uint64_t next; /* number of the next packet; its index is the remainder */
    struct {
        livetcp_usec written_us;
        uint64_t number;
    } losses[LT_LOSS_RECORD_LOST];
    unsigned next_loss, loss_count;

    lt_loss_bin bins[LT_LOSS_BINS];
    double recent, recent_lost; /* packets with known fate; decaying */
    uint64_t known, lost;       /* the same without decay */
} lt_loss_record;

/* A packet is written; returns its number. `now` must not decrease. */
uint64_t lt_loss_record_written(lt_loss_record *record, livetcp_usec now);

/* The fate of a packet is known now, or known to stay unknown. */
void lt_loss_record_resolved(lt_loss_record *record, uint64_t number, lt_fate fate);

/* Multiplies the decaying counts by `factor`. */
void lt_loss_record_age(lt_loss_record *record, double factor);

#endif
