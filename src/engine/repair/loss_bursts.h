/* SPDX-License-Identifier: MIT */
/*
 * Whether losses come in bursts, and how long these last.
 *
 * The model is the chain of Gilbert ("Capacity of a burst-noise channel", Bell System Technical
 * Journal 39, 1960) in time instead of packets: a packet that is written t after a lost one is lost
 * with the probability
 *
 *     c(t) = p + (c - p) exp(-t / T)
 *
 * where p is the share of all packets that are lost, c that of packets written at the same moment
 * as a lost one, and T the mean length of a burst. c and T are those of the greatest likelihood,
 * and there are bursts if it exceeds that of independent losses, c(t) = p, by far.
 */
#ifndef LT_ENGINE_REPAIR_LOSS_BURSTS_H
#define LT_ENGINE_REPAIR_LOSS_BURSTS_H

#include "engine/repair/loss_record.h"

typedef struct lt_loss_bursts {
    bool found;
    double loss;     /* p */
    double joint;    /* c; p without bursts */
    double burst_us; /* T; 0 without bursts */
} lt_loss_bursts;

/* Looks at the record again. What was found is kept as long as it is still likely. */
void lt_loss_bursts_update(lt_loss_bursts *bursts, const lt_loss_record *record);

/* How far apart copies have to be for the loss of one to tell little about the other; 0 without
 * bursts. A copy later than `most_us` comes no sooner than one that is sent when the first is known
 * to be lost, so that is the limit. */
livetcp_usec lt_loss_bursts_spacing(const lt_loss_bursts *bursts, livetcp_usec most_us);

/* The share of packets that are lost so long after a lost one; 0 without bursts. */
double lt_loss_bursts_joint(const lt_loss_bursts *bursts, livetcp_usec spacing_us);

#endif
