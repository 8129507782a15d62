/* SPDX-License-Identifier: MIT */
/*
 * Detects whether losses come in bursts, and estimates their length.
 *
 * The model is the chain of Gilbert ("Capacity of a burst-noise channel", Bell System Technical
 * Journal 39, 1960) in time instead of packets: a packet written t after a lost one is lost with
 * probability
 *
 *     c(t) = p + (c - p) exp(-t / T)
 *
 * where p is the loss rate, c the loss rate of packets written at the same moment as a lost one,
 * and T the mean length of a burst. c and T are the maximum-likelihood estimates. There are bursts
 * if their likelihood exceeds that of independent losses, c(t) = p, by far.
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

/* Evaluates the record again. A result is kept while it is still likely. */
void lt_loss_bursts_update(lt_loss_bursts *bursts, const lt_loss_record *record);

/* Spacing of copies at which the loss of one says little about the other; 0 without bursts. It is
 * limited to `most_us`: a later copy would arrive no sooner than one sent after the loss of the
 * first is detected. */
livetcp_usec lt_loss_bursts_spacing(const lt_loss_bursts *bursts, livetcp_usec most_us);

/* Loss rate of packets this long after a lost one; 0 without bursts. */
double lt_loss_bursts_joint(const lt_loss_bursts *bursts, livetcp_usec spacing_us);

#endif
