/* SPDX-License-Identifier: MIT */
/* The playout modes, each with its source. A mode that cannot compute its delay yet returns -1. */
#include "playout/delay.h"

#include <math.h>
#include <string.h>

/* ---- static ----
 *
 * E. Brosh, S. Baset, D. Rubenstein, H. Schulzrinne, "The Delay-Friendliness of TCP" (SIGMETRICS
 * 2008), sections 6.6 and 8.2: a playout delay of L + RTT + 3/f. The third duplicate
 * acknowledgement reveals a loss; three more packets (3/f) and a round trip cause it. L, the
 * one-way delay, is part of the minimum transit time already.
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
 * Deviations: the first samples are averaged evenly, since the start would otherwise dominate for
 * minutes. A spike is over when the delays are flat relative to the packet duration. Over TCP a
 * stall delivers its packets at once, and each delay is exactly one packet duration below the last.
 * The paper's 8 ms would end the spike on the way down for packets of 10 ms.
 */

/* The paper's 800 and 63 samples at 8 kHz. */
#define STEEP_US 100e3
#define FLAT_US  7875.0

/* Packet duration for which FLAT_US was chosen. */
#define FLAT_DURATION_US 20e3

/* Minimum number of samples before any conclusion. */
#define MIN_SAMPLES 10

/* After this many samples the minimum transit time has most likely been seen. */
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

/* A stall begins with a packet that no delay within the bounds would have saved, and ends with the
 * next one in time. Its packets are not counted: no delay would help in the next stall. */
static bool in_stall(lt_playout_delay *d, livetcp_usec queueing_us, livetcp_usec duration_us)
{
    livetcp_usec current = lt_delay_quantiles_delay(&d->lateness, d->config->target_late);

    if (queueing_us > d->config->max_latency_us)
        d->stalled = true;
    else if (queueing_us <= current + duration_us)
        d->stalled = false;
    return d->stalled;
}

void lt_playout_delay_add(lt_playout_delay *d, livetcp_usec queueing_us, livetcp_usec duration_us)
{
    double delay = (double)queueing_us, alpha = d->config->alpha;
    lt_playout_delay_adaptive *a = &d->adaptive;

    if (!in_stall(d, queueing_us, duration_us))
        lt_delay_quantiles_add(&d->lateness, queueing_us);
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

/* Counts the delay of a packet that waited behind a loss while later ones arrived on other
 * connections. The delay must cover it, but it is not a sample of the sequence of delays. */
void lt_playout_delay_add_overtaken(lt_playout_delay *d, livetcp_usec queueing_us)
{
    if (!d->stalled && queueing_us <= d->config->max_latency_us)
        lt_delay_quantiles_add(&d->lateness, queueing_us);
}

void lt_playout_delay_rebase(lt_playout_delay *d, livetcp_usec higher_us)
{
    lt_playout_delay_adaptive *a = &d->adaptive;

    a->u = fmax(a->u - (double)higher_us, 0);
    a->last -= (double)higher_us;
    a->previous -= (double)higher_us;
    a->calm_us -= higher_us;
    memset(&d->lateness, 0, sizeof d->lateness);
}

void lt_playout_delay_reset(lt_playout_delay *d)
{
    if (d->adaptive.samples >= FOUND_SAMPLES)
        return;
    memset(&d->adaptive, 0, sizeof d->adaptive);
    memset(&d->lateness, 0, sizeof d->lateness);
}

/* A talkspurt keeps its delay until it ends, so talkspurts follow a spike. Frames are placed one by
 * one; a spike would slow them down, and be over before the delay helps. */
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
 * The smallest delay that leaves at most `target_late` of the packets late. It is taken from the
 * distribution of the received packets' delays; before there are enough of them, from the sender's
 * announcement: the share of packets by protection, and the time that a repair takes beyond the
 * one-way delay of every packet:
 *
 * - hedge: the copy is sent when no acknowledgement has arrived for a round trip and hedge-delay.
 * - duplicate: none, or the spacing of the copies.
 * - parity: the rest of the group, and the parity packet after it.
 *
 * A few more milliseconds cover differences in scheduling and queueing between connections. Packets
 * are late if they are lost and their protection is slower than the delay. The loss rate is not
 * announced: LOSS is assumed.
 *
 * When the main protection of the stream becomes a slower one, earlier packets are no longer
 * representative, and the announcement applies again.
 */

#define SPREAD_US (10 * LIVETCP_USEC_MSEC)

/* Assumed loss rate. Paths with more are unfit for calls: Brosh et al., section 1, give 2 to 3 % as
 * the maximum. */
#define LOSS 0.05

/* Minimum number of packets in a distribution. */
#define MIN_COUNT 200

#define REPAIRS LIVETCP_PLAYOUT_REPAIRS

static livetcp_usec parity_delay(const livetcp_playout_path *path, double packet_rate)
{
    livetcp_usec apart = (livetcp_usec)(LIVETCP_USEC_SEC / packet_rate);

    if (apart < path->copy_spacing_us)
        apart = path->copy_spacing_us;
    return (livetcp_usec)path->parity_group * apart + path->copy_spacing_us + SPREAD_US;
}

static livetcp_usec repair_delay(const livetcp_playout_path *path, livetcp_playout_repair repair,
                                 double packet_rate)
{
    switch (repair) {
    case LIVETCP_PLAYOUT_REPAIR_HEDGE:
        return path->rtt_us > 0 ? path->rtt_us + path->hedge_delay_us : -1;
    case LIVETCP_PLAYOUT_REPAIR_DUPLICATE:
        if (path->copies >= 2)
            return path->copy_spacing_us + SPREAD_US;
        break;
    case LIVETCP_PLAYOUT_REPAIR_PARITY:
        if (path->parity_group >= 2 && packet_rate > 0)
            return parity_delay(path, packet_rate);
        break;
    case LIVETCP_PLAYOUT_REPAIR_TCP:
        break;
    }
    return static_delay(path->rtt_us, packet_rate);
}

/* Share of the packets that are lost and whose repair takes longer than `delay_us`. */
static double late(const livetcp_playout_path *path, double packet_rate, livetcp_usec delay_us)
{
    double share = 0;

    for (unsigned i = 0; i < REPAIRS; i++)
        if (repair_delay(path, (livetcp_playout_repair)i, packet_rate) > delay_us)
            share += path->shares[i];
    return share * LOSS;
}

static bool has_shares(const livetcp_playout_path *path)
{
    double sum = 0;

    for (unsigned i = 0; i < REPAIRS; i++)
        sum += path->shares[i];
    return sum > 0;
}

/* Delay by the sender's announcement; -1 = unknown. */
static livetcp_usec announced_delay(const livetcp_playout_path *path, double packet_rate,
                                    double target_late)
{
    livetcp_usec min_us = -1;

    if (!has_shares(path))
        return repair_delay(path, path->repair, packet_rate);
    for (unsigned i = 0; i < REPAIRS; i++) {
        livetcp_usec delay = repair_delay(path, (livetcp_playout_repair)i, packet_rate);
        if (delay >= 0 && (min_us < 0 || delay < min_us) &&
            late(path, packet_rate, delay) <= target_late)
            min_us = delay;
    }
    return min_us;
}

/* The protection of most packets. */
static livetcp_playout_repair main_repair(const livetcp_playout_path *path)
{
    unsigned largest = (unsigned)path->repair;

    for (unsigned i = 0; has_shares(path) && i < REPAIRS; i++)
        if (path->shares[i] > path->shares[largest])
            largest = i;
    return (livetcp_playout_repair)largest;
}

static void follow_protection(lt_playout_delay *d, const livetcp_playout_path *path,
                              double packet_rate)
{
    livetcp_playout_repair repair = main_repair(path);

    if (repair != d->repair && repair_delay(path, repair, packet_rate) >
                                   repair_delay(path, d->repair, packet_rate) + SPREAD_US)
        memset(&d->lateness, 0, sizeof d->lateness);
    d->repair = repair;
}

static livetcp_usec policy_aware_delay(lt_playout_delay *d, const livetcp_playout_path *path,
                                       double packet_rate)
{
    follow_protection(d, path, packet_rate);
    if (lt_delay_quantiles_count(&d->lateness) >= MIN_COUNT)
        return lt_delay_quantiles_delay(&d->lateness, d->config->target_late);
    return announced_delay(path, packet_rate, d->config->target_late);
}

/* ---- all modes ---- */

void lt_playout_delay_init(lt_playout_delay *d, const livetcp_playout_config *config)
{
    memset(d, 0, sizeof *d);
    d->config = config;
}

livetcp_usec lt_playout_delay_target(lt_playout_delay *d, const livetcp_playout_path *path,
                                     double packet_rate)
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
        delay = policy_aware_delay(d, path, packet_rate);
        break;
    }
    if (delay < 0)
        delay = config->latency_us;
    if (delay > config->max_latency_us)
        return config->max_latency_us;
    return delay < config->min_latency_us ? config->min_latency_us : delay;
}
