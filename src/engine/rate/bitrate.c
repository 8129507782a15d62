/* SPDX-License-Identifier: MIT */
/*
 * Sources. Standing queues are told from bursts by the least delay over a window, as CoDel does
 * (RFC 8289, section 4.2). A queue lowers the estimate below what is delivered, by more the longer
 * the queue is, so that it drains (SCReAM, RFC 8298, section 4.1.2; NADA, RFC 8698, section 4.3).
 * Without one it grows by a share, slowly near the rate at which a queue last stood and never far
 * beyond what the source has shown to use (Google congestion control, draft-ietf-rmcat-gcc-02,
 * section 5.5). A delay that does not go away when we send less is another's, and becomes part of
 * the base delay after a while (LEDBAT's base history, RFC 6817, section 3.4.2).
 *
 * Deviation. They are congestion controls and must be quick and careful; below us TCP is one, and
 * is fair to others and retransmits. Losses are no signal here: TCP answers them by its window, and
 * when that becomes too small for the stream, packets wait, which we see.
 */
#include "engine/rate/bitrate.h"

#include <math.h>
#include <string.h>

#define BITS 8.0

/* Least delay over a window that is a standing queue: a video frame and the jitter of a wireless
 * path stay below. A longer path may have a longer one. */
#define QUEUE_US       50000
#define QUEUE_RTT_PART 8

/* A queue is measured over a window, which is this many round trips and within these bounds. */
#define WINDOW_RTTS   2
#define WINDOW_MIN_US 300000
#define WINDOW_MAX_US 1500000
#define WINDOW_SLOTS  8

/* A timeout now and then is how TCP repairs a loss. One that lasts for two windows is a rate that
 * falls, and lowers the estimate once in STALL_US. */
#define STALL_US 1000000

/* At most one change in this time, or in a round trip. */
#define INTERVAL_US 100000

/* A queue is to be gone after so long; within these shares of what is delivered. */
#define DRAIN_US      1000000.0
#define LOWER_PART    0.1
#define LOWER_MAX     0.5
#define OVERLOAD      1.1  /* written for each byte delivered: it is our queue that grows */
#define NETWORK_FLOOR 0.7  /* of the estimate, for delays that may be another's */
#define NETWORK_PART  0.15 /* one step towards it */

/* Growth per interval: far from a rate that is known to be too much, and near it. */
#define GROW_BACK 0.08 /* below half of it */
#define GROW_FAST 0.03
#define GROW_NEAR 0.003
#define NEAR_FROM 0.9
#define NEAR_TO   1.1
#define NEAR_USED 0.8 /* of the estimate, or passing the ceiling shows nothing */
#define USED_MAX  2.0 /* estimate per bit that the source has shown to use */

#define BASE_US        5000000 /* half of how long the least round trip is remembered */
#define SHARE_GAIN     0.1
#define TELL_PART      0.05
#define CONTACT_RTT_US 500000 /* a connection not written to for so long says nothing */

void lt_bitrate_init(lt_bitrate *bitrate, uint32_t min, uint32_t max)
{
    memset(bitrate, 0, sizeof *bitrate);
    bitrate->min = min;
    bitrate->max = max ? max : HUGE_VAL;
    bitrate->estimate = max;
    bitrate->judged_us = bitrate->lowered_us = INT64_MIN;
    bitrate->base_us[0] = bitrate->base_us[1] = LIVETCP_NEVER;
    bitrate->base_since_us = INT64_MIN;
}

bool lt_bitrate_set_bounds(lt_bitrate *bitrate, uint32_t min, uint32_t max)
{
    double told = bitrate->told;

    bitrate->min = min;
    bitrate->max = max ? max : HUGE_VAL;
    if (bitrate->estimate == 0)
        bitrate->estimate = max;
    else if (bitrate->estimate > bitrate->max)
        bitrate->estimate = bitrate->max;
    else if (bitrate->estimate < bitrate->min)
        bitrate->estimate = bitrate->min;
    if (told == 0 || told == bitrate->estimate)
        return false;
    bitrate->told = bitrate->estimate;
    return true;
}

uint32_t lt_bitrate_get(const lt_bitrate *bitrate)
{
    return bitrate->estimate < UINT32_MAX ? (uint32_t)bitrate->estimate : UINT32_MAX;
}

/* ---- delays ---- */

static bool knows(const livetcp_path *path, uint32_t what)
{
    return path->usable && (path->known & what) == what;
}

/* The path's own round trip, without queues. */
static livetcp_usec base_of(const lt_bitrate *bitrate)
{
    livetcp_usec a = bitrate->base_us[0], b = bitrate->base_us[1];
    livetcp_usec least = a < b ? a : b;

    return least < bitrate->rtt_us ? least : bitrate->rtt_us;
}

static livetcp_usec window_of(const lt_bitrate *bitrate)
{
    livetcp_usec window = WINDOW_RTTS * base_of(bitrate);

    if (window < WINDOW_MIN_US)
        return WINDOW_MIN_US;
    return window < WINDOW_MAX_US ? window : WINDOW_MAX_US;
}

/* Connections of a session go to the same host: what the quickest that is in use sees is the
 * path's, and the others have repaired a loss or not been used since a queue was there. */
static void see_rtt(lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    livetcp_usec least = LIVETCP_NEVER, now = sample->now_us;

    for (unsigned i = 0; i < sample->path_count; i++) {
        const livetcp_path *path = &sample->paths[i];
        if (knows(path, LIVETCP_PATH_RTT) && path->last_write_us > now - CONTACT_RTT_US &&
            path->rtt_us < least)
            least = path->rtt_us;
    }
    if (least == LIVETCP_NEVER)
        return;
    bitrate->rtt_us = least;
    if (bitrate->base_since_us < now - BASE_US) {
        bitrate->base_us[1] = bitrate->base_us[0];
        bitrate->base_us[0] = LIVETCP_NEVER;
        bitrate->base_since_us = now;
    }
    if (least < bitrate->base_us[0])
        bitrate->base_us[0] = least;
}

static livetcp_usec waiting(const lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    uint64_t unsent = 0;
    livetcp_usec least = sample->queue_delay_us;

    for (unsigned i = 0; i < sample->path_count; i++)
        if (knows(&sample->paths[i], LIVETCP_PATH_UNSENT))
            unsent += sample->paths[i].unsent_bytes;
    if (bitrate->rate < 1 || !unsent)
        return least;
    double wait = (double)unsent / bitrate->rate * (double)LIVETCP_USEC_SEC;
    return least + (wait < WINDOW_MAX_US ? (livetcp_usec)wait : WINDOW_MAX_US);
}

/* ---- the record ---- */

static lt_bitrate_slot *slot_before(lt_bitrate *bitrate, unsigned age)
{
    return &bitrate->slots[(bitrate->newest + LT_BITRATE_SLOTS - age) % LT_BITRATE_SLOTS];
}

static void open_slot(lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    if (bitrate->used) {
        const lt_bitrate_slot *last = slot_before(bitrate, 0);
        double written = (double)(sample->written - last->written);
        double media = (double)(sample->media - last->media);
        if (written > 0 && bitrate->media_share > 0)
            bitrate->media_share += SHARE_GAIN * (media / written - bitrate->media_share);
        else if (written > 0)
            bitrate->media_share = media / written;
    }
    bitrate->newest = (bitrate->newest + 1) % LT_BITRATE_SLOTS;
    bitrate->used += bitrate->used < LT_BITRATE_SLOTS;
    *slot_before(bitrate, 0) = (lt_bitrate_slot){.start_us = sample->now_us,
                                                 .delivered = sample->delivered,
                                                 .written = sample->written,
                                                 .media = sample->media,
                                                 .waiting_us = LIVETCP_NEVER,
                                                 .delay_us = LIVETCP_NEVER};
}

static void record(lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    if (!bitrate->used ||
        sample->now_us - slot_before(bitrate, 0)->start_us >= window_of(bitrate) / WINDOW_SLOTS)
        open_slot(bitrate, sample);
    lt_bitrate_slot *slot = slot_before(bitrate, 0);
    livetcp_usec wait = waiting(bitrate, sample);
    livetcp_usec delay = wait + bitrate->rtt_us - base_of(bitrate);
    if (wait < slot->waiting_us)
        slot->waiting_us = wait;
    if (delay < slot->delay_us)
        slot->delay_us = delay;
}

/* What the window shows. */
typedef struct outlook {
    livetcp_usec waiting_us, delay_us; /* the least of the window */
    livetcp_usec latest_us;            /* delay at present */
    double delivered, written;         /* bit/s of media */
} outlook;

/* False if the window is not full yet, or the application has paused in it. */
static bool look_back(lt_bitrate *bitrate, const lt_bitrate_sample *sample, livetcp_usec window,
                      outlook *out)
{
    unsigned age = 0;
    livetcp_usec since = sample->now_us - window;

    *out = (outlook){.waiting_us = LIVETCP_NEVER, .delay_us = LIVETCP_NEVER};
    for (; age < bitrate->used; age++) {
        const lt_bitrate_slot *slot = slot_before(bitrate, age);
        if (slot->waiting_us < out->waiting_us)
            out->waiting_us = slot->waiting_us;
        if (slot->delay_us < out->delay_us)
            out->delay_us = slot->delay_us;
        if (slot->start_us <= since)
            break;
    }
    if (age == bitrate->used)
        return false;
    const lt_bitrate_slot *first = slot_before(bitrate, age);
    double seconds = (double)(sample->now_us - first->start_us) / (double)LIVETCP_USEC_SEC;
    if (sample->now_us - first->start_us > 3 * window)
        return false;
    bitrate->rate = (double)(sample->delivered - first->delivered) / seconds;
    out->delivered = bitrate->rate * BITS * bitrate->media_share;
    out->written =
        (double)(sample->written - first->written) / seconds * BITS * bitrate->media_share;
    out->latest_us = slot_before(bitrate, 0)->delay_us;
    return true;
}

/* Most connections repair what a timeout cost: what comes through says little about the path. */
static bool is_stalled(const lt_bitrate_sample *sample)
{
    unsigned usable = 0, stalled = 0;

    for (unsigned i = 0; i < sample->path_count; i++) {
        const livetcp_path *path = &sample->paths[i];
        usable += path->usable;
        stalled += path->usable && path->tcp_state == LIVETCP_TCP_TIMEOUT;
    }
    return 2 * stalled > usable;
}

/* ---- down ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void lower(lt_bitrate *bitrate, const lt_bitrate_sample *sample, const outlook *seen,
                  livetcp_usec limit)
{
    double used = (double)sample->media_rate * BITS;
    double part = larger(LOWER_PART, smaller(LOWER_MAX, (double)seen->delay_us / DRAIN_US));
    double target;

    if (!bitrate->congested)
        bitrate->floor = NETWORK_FLOOR * bitrate->estimate;
    if (seen->waiting_us > limit || seen->written > OVERLOAD * seen->delivered) {
        target = larger(seen->delivered * (1 - part), smaller(bitrate->estimate, used) / 2);
        if (!is_stalled(sample))
            bitrate->ceiling = bitrate->rate * BITS;
    } else { /* nothing of ours waits, so what is delivered is only what we send */
        target = larger(bitrate->estimate * (1 - NETWORK_PART), bitrate->floor);
        if (!bitrate->congested && bitrate->media_share > 0)
            bitrate->ceiling = bitrate->estimate / bitrate->media_share;
    }
    bitrate->congested = true;
    bitrate->lowered_us = sample->now_us;
    bitrate->estimate = smaller(bitrate->estimate, target);
}

/* ---- up ---- */

/* What the windows admit in a round trip, in bit/s of media; unlimited where that is not known. */
static double admitted(const lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    double sum = 0;

    for (unsigned i = 0; i < sample->path_count; i++) {
        const livetcp_path *path = &sample->paths[i];
        if (!path->usable)
            continue;
        if (!knows(path, LIVETCP_PATH_CWND | LIVETCP_PATH_RTT) || path->rtt_us <= 0)
            return HUGE_VAL;
        sum += (double)path->cwnd_bytes / (double)path->rtt_us;
    }
    return sum * (double)LIVETCP_USEC_SEC * BITS * bitrate->media_share;
}

static void raise(lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    double used = (double)sample->media_rate * BITS;
    double limit = smaller(USED_MAX * used, admitted(bitrate, sample));
    double ceiling = bitrate->ceiling * bitrate->media_share, step = GROW_FAST;

    bitrate->congested = false;
    if (bitrate->estimate > NEAR_TO * ceiling)
        ceiling = bitrate->ceiling = 0; /* the path has become faster */
    if (bitrate->estimate < ceiling / 2)
        step = GROW_BACK;
    if (ceiling > 0 && bitrate->estimate > NEAR_FROM * ceiling)
        step = used >= NEAR_USED * bitrate->estimate ? GROW_NEAR : 0;
    bitrate->estimate = larger(bitrate->estimate, smaller(bitrate->estimate * (1 + step), limit));
}

/* ---- both ---- */

static void begin(lt_bitrate *bitrate, const lt_bitrate_sample *sample, const outlook *seen,
                  livetcp_usec limit)
{
    double used = (double)sample->media_rate * BITS;

    bitrate->estimate = seen->delay_us > limit ? seen->delivered : larger(seen->delivered, used);
}

static void judge(lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    livetcp_usec now = sample->now_us, window = window_of(bitrate);
    livetcp_usec base = base_of(bitrate), limit = QUEUE_US + base / QUEUE_RTT_PART;
    livetcp_usec interval = base > INTERVAL_US ? base : INTERVAL_US;
    bool stalled = is_stalled(sample);
    bool settled = bitrate->lowered_us < now - (stalled ? STALL_US : window);
    outlook seen;

    if (bitrate->judged_us > now - interval)
        return;
    if (!look_back(bitrate, sample, stalled ? 2 * window : window, &seen))
        return;
    bitrate->judged_us = now;
    if (bitrate->estimate <= 0)
        begin(bitrate, sample, &seen, limit);
    else if (seen.delay_us > limit && settled)
        lower(bitrate, sample, &seen, limit);
    else if (seen.delay_us <= limit / 2 && seen.latest_us <= limit / 2 && settled)
        raise(bitrate, sample);
}

bool lt_bitrate_update(lt_bitrate *bitrate, const lt_bitrate_sample *sample)
{
    see_rtt(bitrate, sample);
    record(bitrate, sample);
    judge(bitrate, sample);
    if (bitrate->estimate <= 0)
        return false;
    bitrate->estimate = larger(bitrate->min, smaller(bitrate->max, bitrate->estimate));
    double change = fabs(bitrate->estimate - bitrate->told);
    bool bound = bitrate->estimate == bitrate->min || bitrate->estimate == bitrate->max;
    if (change < TELL_PART * bitrate->told && !(bound && change > 0))
        return false;
    if (bitrate->told == bitrate->estimate)
        return false;
    bitrate->told = bitrate->estimate;
    return true;
}
