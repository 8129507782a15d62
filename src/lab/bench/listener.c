/* SPDX-License-Identifier: MIT */
#include "lab/bench/listener.h"

#include "base/error.h"
#include "lab/bench/packet.h"
#include "lab/bench/plan.h"
#include "lab/bench/stats.h"

#include <livetcp/playout.h>

#include <math.h>
#include <stdlib.h>

/* Maximum time that a copy may be waited for beyond its original, as livetcp_playout has it for
 * `duplicate`. */
#define SPREAD_US (10 * (livetcp_usec)LIVETCP_USEC_MSEC)

enum { PACKET = LT_BENCH_MIN_SIZE - LT_BENCH_FRAMING };

/* Arrival of a primary or secondary. */
typedef struct coming {
    livetcp_usec at;
    uint32_t index;
    bool secondary;
} coming;

typedef struct listener {
    const lt_spoken *packets;
    livetcp_playout *playout;
    lt_played_part *parts; /* result for each packet */
    lt_playout *result;
    livetcp_usec now;
    bool measuring; /* true from the talkspurt of the first measured packet on */
} listener;

static int compare(const void *one, const void *other)
{
    const coming *a = one, *b = other;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (int)a->secondary - (int)b->secondary;
}

/* Arrivals of packets `from` to `to`, sorted by time. */
static size_t sort(const lt_spoken *packets, uint32_t from, uint32_t to, coming *all)
{
    size_t count = 0;
    for (uint32_t i = from; i < to; i++) {
        if (packets[i].arrival != LT_DELAY_NEVER)
            all[count++] = (coming){.at = packets[i].arrival, .index = i};
        if (packets[i].copy != LT_DELAY_NEVER)
            all[count++] = (coming){.at = packets[i].copy, .index = i, .secondary = true};
    }
    qsort(all, count, sizeof *all, compare);
    return count;
}

static void play(listener *l, livetcp_usec until)
{
    livetcp_playout_item item = {.struct_size = sizeof item};
    livetcp_usec due;
    while ((due = livetcp_playout_next_deadline(l->playout)) <= until) {
        lt_probe probe;
        l->now = due > l->now ? due : l->now;
        livetcp_playout_pull(l->playout, l->now, &item);
        if (item.kind == LIVETCP_PLAYOUT_PACKET && lt_packet_read(item.data, item.size, &probe))
            l->parts[probe.index] = probe.sent ? LT_PLAYED_SECONDARY : LT_PLAYED_PRIMARY;
    }
}

/* Zhang et al. take the delay of each talkspurt, since listeners notice pauses that change. */
static void note_delay(lt_playout *result, double delay)
{
    double off = delay - result->mean;
    result->talkspurts++;
    result->mean += off / (double)result->talkspurts;
    result->squares += off * (delay - result->mean);
}

static livetcp_result put(listener *l, const coming *c, bool first)
{
    uint8_t bytes[PACKET];
    const lt_probe probe = {.index = c->index, .sent = c->secondary};
    livetcp_playout_packet packet = {.struct_size = sizeof packet,
                                     .data = bytes,
                                     .size = sizeof bytes,
                                     .arrival_us = c->at,
                                     .flags = (c->secondary ? LIVETCP_PLAYOUT_REDUNDANT : 0) |
                                              (first ? LIVETCP_PLAYOUT_DISCONT : 0)};
    livetcp_playout_slot slot = {.struct_size = sizeof slot};
    lt_packet_prepare(bytes, sizeof bytes, LT_BENCH_SSRC, 0);
    lt_packet_timestamp(bytes, &probe, l->packets[c->index].due);
    livetcp_result result = livetcp_playout_put(l->playout, &packet, &slot);
    bool spurt = slot.events & LIVETCP_PLAYOUT_TALKSPURT || !l->measuring;
    if (result == LIVETCP_OK && spurt && l->packets[c->index].counts) {
        note_delay(l->result, (double)(slot.play_us - l->packets[c->index].due));
        l->measuring = true;
    }
    return result;
}

/* Plays a run of consecutive packets. */
static livetcp_result play_run(listener *l, uint32_t from, uint32_t to, coming *all)
{
    size_t count = sort(l->packets, from, to, all);
    livetcp_result result = LIVETCP_OK;
    for (size_t i = 0; result == LIVETCP_OK && i < count; i++) {
        play(l, all[i].at - 1);
        result = put(l, &all[i], i == 0);
    }
    play(l, LT_DELAY_NEVER - 1);
    for (uint32_t i = from; i < to; i++)
        if (l->packets[i].counts)
            lt_playout_take(l->result, l->parts[i]);
    lt_playout_interrupt(l->result);
    return result;
}

static livetcp_result play_all(listener *l, uint32_t count, coming *all)
{
    livetcp_result result = LIVETCP_OK;
    for (uint32_t from = 0, to; result == LIVETCP_OK && from < count; from = to + 1) {
        for (to = from; to < count && l->packets[to].plays; to++)
            ;
        if (to > from)
            result = play_run(l, from, to, all);
    }
    return result;
}

livetcp_usec lt_listener_min_delay(unsigned redundancy, livetcp_usec interval)
{
    return redundancy ? redundancy * interval + SPREAD_US : 0;
}

livetcp_result lt_listener_play(const lt_spoken *packets, uint32_t count, livetcp_usec min_delay_us,
                                lt_playout *playout, livetcp_error *error)
{
    livetcp_playout_config config;
    listener l = {.packets = packets, .result = playout, .now = INT64_MIN};
    coming *all = calloc(2 * (size_t)count + 1, sizeof *all);
    l.parts = calloc((size_t)count + 1, sizeof *l.parts);
    livetcp_playout_config_init(&config);
    config.clock_rate = LT_BENCH_CLOCK_RATE;
    config.min_latency_us = min_delay_us;
    if (config.max_latency_us < min_delay_us)
        config.max_latency_us = min_delay_us;
    livetcp_result result = all && l.parts
                                ? livetcp_playout_create(&config, &l.playout, error)
                                : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for playout");
    if (result == LIVETCP_OK)
        result = play_all(&l, count, all);
    livetcp_playout_destroy(&l.playout);
    free(l.parts);
    free(all);
    return result;
}

void lt_listener_finish(lt_playout *playout)
{
    playout->delay = (livetcp_usec)llround(playout->mean);
    if (playout->talkspurts)
        playout->stddev =
            (livetcp_usec)llround(sqrt(playout->squares / (double)playout->talkspurts));
}
