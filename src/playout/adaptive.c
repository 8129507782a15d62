/* SPDX-License-Identifier: MIT */
/*
 * R. Ramjee, J. Kurose, D. Towsley, H. Schulzrinne, "Adaptive Playout Mechanisms for Packetized
 * Audio Applications in Wide-Area Networks" (INFOCOM 1994), algorithm 4, with the averages of S.
 * Moon, J. Kurose, D. Towsley, "Packet audio playout delay adjustment" (Multimedia Systems 1998),
 * algorithm 2; Zhang et al. use it with alpha = 0.998002 and beta = 4 (section 4.1.1).
 *
 * Deviations: the first samples are averaged evenly, so that the start does not weigh on for
 * minutes. A spike is over when the delays are flat as seen against the length of a packet: over
 * TCP they fall by exactly that from packet to packet, when what a stall held back arrives at once,
 * and the paper's 8 ms would end the spike on the way down for packets of 10 ms.
 */
#include "playout/adaptive.h"

#include <math.h>
#include <string.h>

/* The paper's 800 and 63 samples at 8 kHz. */
#define STEEP_US 100e3
#define FLAT_US  7875.0

/* The packets that FLAT_US was made for. */
#define USUAL_DURATION_US 20e3

/* So many samples before anything is concluded. */
#define LEAST_SAMPLES 10

/* After so many the least transit time has most likely been seen. */
#define FOUND_SAMPLES 100

void lt_adaptive_init(lt_adaptive *a, double alpha, double beta)
{
    memset(a, 0, sizeof *a);
    a->alpha = alpha;
    a->beta = beta;
}

static void update_mode(lt_adaptive *a, double delay, livetcp_usec duration_us)
{
    double part = duration_us > 0 ? (double)duration_us / USUAL_DURATION_US : 1;

    if (!a->spike) {
        a->spike = fabs(delay - a->last) > 2 * a->v + STEEP_US;
        a->slope = 0;
        return;
    }
    a->slope = a->slope / 2 + fabs(2 * delay - a->last - a->previous) / 8;
    a->spike = a->slope > FLAT_US * fmin(part, 1);
}

void lt_adaptive_add(lt_adaptive *a, livetcp_usec delay_us, livetcp_usec duration_us)
{
    double delay = (double)delay_us, alpha = a->alpha;

    if (a->samples == 0)
        a->last = a->previous = a->u = delay;
    a->samples += a->samples < UINT32_MAX;
    alpha = fmin(alpha, 1 - 1.0 / a->samples);
    update_mode(a, delay, duration_us);
    if (a->spike)
        a->u += delay - a->last;
    else
        a->u = alpha * a->u + (1 - alpha) * delay;
    a->v = alpha * a->v + (1 - alpha) * fabs(a->u - delay);
    a->previous = a->last;
    a->last = delay;
    if (!a->spike)
        a->calm_us = (livetcp_usec)(a->u + a->beta * a->v);
}

void lt_adaptive_rebase(lt_adaptive *a, livetcp_usec higher_us)
{
    a->u = fmax(a->u - (double)higher_us, 0);
    a->last -= (double)higher_us;
    a->previous -= (double)higher_us;
    a->calm_us -= higher_us;
}

void lt_adaptive_doubt(lt_adaptive *a)
{
    if (a->samples < FOUND_SAMPLES)
        lt_adaptive_init(a, a->alpha, a->beta);
}

livetcp_usec lt_adaptive_delay(const lt_adaptive *a, bool calm)
{
    if (a->samples < LEAST_SAMPLES)
        return -1;
    return calm ? a->calm_us : (livetcp_usec)(a->u + a->beta * a->v);
}
