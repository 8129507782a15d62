/* SPDX-License-Identifier: MIT */
/* The modes of playout, each with its source; one that cannot be computed yet returns -1. */
#include "playout/delay.h"

#include <math.h>
#include <string.h>

/* ---- static ----
 *
 * E. Brosh, S. Baset, D. Rubenstein, H. Schulzrinne, "The Delay-Friendliness of TCP" (SIGMETRICS
 * 2008), sections 6.6 and 8.2: a playout delay of L + RTT + 3/f. A loss is found by the third
 * duplicate acknowledgement, which three more packets (3/f) and a round trip cause. L, the one-way
 * delay, is in the least transit time already.
 */

static livetcp_usec static_delay(livetcp_usec rtt_us, double packet_rate)
{
    if (rtt_us <= 0 || !(packet_rate > 0))
        return -1;
    return rtt_us + (livetcp_usec)(3 * LIVETCP_USEC_SEC / packet_rate);
}

/* ---- adaptive ----
 *
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

/* The paper's 800 and 63 samples at 8 kHz. */
#define STEEP_US 100e3
#define FLAT_US  7875.0

/* The packets that FLAT_US was made for. */
#define FLAT_DURATION_US 20e3

/* So many samples before anything is concluded. */
#define MIN_SAMPLES 10

/* After so many the least transit time has most likely been seen. */
#define FOUND_SAMPLES 100

static void update_mode(lt_playout_delay_adaptive *a, double delay, livetcp_usec duration_us)
{
    double part = duration_us > 0 ? (double)duration_us / FLAT_DURATION_US : 1;

    if (!a->spike) {
        a->spike = fabs(delay - a->last) > 2 * a->v + STEEP_US;
        a->slope = 0;
        return;
    }
    a->slope = a->slope / 2 + fabs(2 * delay - a->last - a->previous) / 8;
    a->spike = a->slope > FLAT_US * fmin(part, 1);
}

void lt_playout_delay_add(lt_playout_delay *d, livetcp_usec queueing_us, livetcp_usec duration_us)
{
    double delay = (double)queueing_us, alpha = d->config->alpha;
    lt_playout_delay_adaptive *a = &d->adaptive;

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
        a->calm_us = (livetcp_usec)(a->u + d->config->beta * a->v);
}

void lt_playout_delay_rebase(lt_playout_delay *d, livetcp_usec higher_us)
{
    lt_playout_delay_adaptive *a = &d->adaptive;

    a->u = fmax(a->u - (double)higher_us, 0);
    a->last -= (double)higher_us;
    a->previous -= (double)higher_us;
    a->calm_us -= higher_us;
}

void lt_playout_delay_doubt(lt_playout_delay *d)
{
    if (d->adaptive.samples < FOUND_SAMPLES)
        memset(&d->adaptive, 0, sizeof d->adaptive);
}

/* Talkspurts are placed for as long as they last, so they follow a spike; frames are placed one by
 * one, and would be slowed down for a spike that is over before it helps. */
static livetcp_usec adaptive_delay(const lt_playout_delay *d)
{
    const lt_playout_delay_adaptive *a = &d->adaptive;

    if (a->samples < MIN_SAMPLES)
        return -1;
    return d->config->media == LIVETCP_PLAYOUT_VIDEO
               ? a->calm_us
               : (livetcp_usec)(a->u + d->config->beta * a->v);
}

/* ---- policy-aware ----
 *
 * A packet is lost on one connection and comes by way of another. The repair takes, beyond the one
 * way that every packet takes:
 *
 * - hedge: its copy is sent when no acknowledgement has come for a round trip and hedge-delay.
 * - duplicate: nothing; the copies left at the same time.
 * - parity: the rest of its group, and the parity packet that follows at once.
 *
 * A few milliseconds more cover what scheduling and queues between the connections differ by.
 *
 * "auto" and others decide packet by packet how to protect, and what they tell is of one of them:
 * once a second, that of the packet that waits longest for its repair. The delay holds for as long
 * as copies of such packets may still come, so that it does not come and go with each need.
 */

#define SPREAD_US (10 * LIVETCP_USEC_MSEC)

#define NEEDS_US (5 * (livetcp_usec)LIVETCP_USEC_SEC)
#define PART_US  (NEEDS_US / LT_PLAYOUT_DELAY_PARTS)

static livetcp_usec repair_delay(const livetcp_playout_path *path, double packet_rate)
{
    switch (path->repair) {
    case LIVETCP_PLAYOUT_REPAIR_HEDGE:
        return path->rtt_us > 0 ? path->rtt_us + path->hedge_delay_us : -1;
    case LIVETCP_PLAYOUT_REPAIR_DUPLICATE:
        if (path->copies >= 2)
            return SPREAD_US;
        break;
    case LIVETCP_PLAYOUT_REPAIR_PARITY:
        if (path->parity_group >= 2 && packet_rate > 0)
            return (livetcp_usec)(path->parity_group * LIVETCP_USEC_SEC / packet_rate) + SPREAD_US;
        break;
    case LIVETCP_PLAYOUT_REPAIR_TCP:
        break;
    }
    return static_delay(path->rtt_us, packet_rate);
}

/* Goes on to the part that `now` is in. */
static void advance(lt_playout_delay_needs *needs, livetcp_usec now)
{
    livetcp_usec parts = (now - needs->begin_us) / PART_US;

    needs->begin_us += parts * PART_US;
    for (livetcp_usec i = 0; i < parts && i < LT_PLAYOUT_DELAY_PARTS; i++) {
        needs->present = (needs->present + 1) % LT_PLAYOUT_DELAY_PARTS;
        needs->max[needs->present] = 0;
    }
}

/* Takes in what is needed now; returns the maximum of the last four to five seconds. */
static livetcp_usec hold_need(lt_playout_delay_needs *needs, livetcp_usec need_us, livetcp_usec now)
{
    livetcp_usec max = 0;

    if (!needs->started)
        *needs = (lt_playout_delay_needs){.started = true, .begin_us = now};
    advance(needs, now);
    if (need_us > needs->max[needs->present])
        needs->max[needs->present] = need_us;
    for (unsigned i = 0; i < LT_PLAYOUT_DELAY_PARTS; i++)
        if (needs->max[i] > max)
            max = needs->max[i];
    return max;
}

static livetcp_usec policy_aware_delay(lt_playout_delay *d, const livetcp_playout_path *path,
                                       double packet_rate, livetcp_usec now)
{
    livetcp_usec need = repair_delay(path, packet_rate);

    return need < 0 ? need : hold_need(&d->needs, need, now);
}

/* ---- all of them ---- */

void lt_playout_delay_init(lt_playout_delay *d, const livetcp_playout_config *config)
{
    memset(d, 0, sizeof *d);
    d->config = config;
}

livetcp_usec lt_playout_delay_target(lt_playout_delay *d, const livetcp_playout_path *path,
                                     double packet_rate, livetcp_usec now)
{
    const livetcp_playout_config *config = d->config;
    livetcp_usec delay = -1;

    switch (config->mode) {
    case LIVETCP_PLAYOUT_NONE:
        return 0;
    case LIVETCP_PLAYOUT_FIXED:
        break;
    case LIVETCP_PLAYOUT_STATIC:
        delay = static_delay(path->rtt_us, packet_rate);
        break;
    case LIVETCP_PLAYOUT_ADAPTIVE:
        delay = adaptive_delay(d);
        break;
    case LIVETCP_PLAYOUT_POLICY_AWARE:
        delay = policy_aware_delay(d, path, packet_rate, now);
        break;
    }
    if (delay < 0)
        delay = config->latency_us;
    if (delay > config->max_latency_us)
        return config->max_latency_us;
    return delay < config->min_latency_us ? config->min_latency_us : delay;
}
