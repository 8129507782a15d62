/* SPDX-License-Identifier: MIT */
#include "lab/probe/source.h"

#include "lab/probe/wire.h"

#include <math.h>

static double draw(lt_probe_source *s)
{
    return -s->mean_interval * log(1 - lt_rng_uniform(&s->rng));
}

void lt_source_train(lt_probe_source *source, double rate, size_t size, livetcp_usec settle,
                     livetcp_usec mean_interval, uint64_t seed)
{
    *source = (lt_probe_source){.rate = rate,
                                .size = (uint32_t)size,
                                .mean_interval = (double)mean_interval,
                                .end = INFINITY};
    lt_rng_seed(&source->rng, seed);
    source->next_sample = (double)settle + draw(source);
}

void lt_source_filler(lt_probe_source *source, double rate, size_t size, livetcp_usec length)
{
    *source = (lt_probe_source){.rate = rate,
                                .size = (uint32_t)size,
                                .next_sample = INFINITY,
                                .mean_interval = INFINITY,
                                .end = (double)length};
}

void lt_source_trace(lt_probe_source *source, const livetcp_trace_frame *frames, size_t count)
{
    *source = (lt_probe_source){
        .is_trace = true, .frames = frames, .count = count, .left = frames[0].bytes};
}

/* Each piece must hold a head, so the one before the last may have to be shorter. */
static uint32_t piece(uint64_t left)
{
    if (left <= LT_WIRE_MAX)
        return left < LT_WIRE_HEAD ? LT_WIRE_HEAD : (uint32_t)left;
    return left - LT_WIRE_MAX < LT_WIRE_HEAD ? LT_WIRE_MAX - LT_WIRE_HEAD : LT_WIRE_MAX;
}

static double time_of(const lt_probe_source *s, uint64_t number)
{
    return (double)number * 8 * s->size * LIVETCP_USEC_SEC / s->rate;
}

bool lt_source_peek(const lt_probe_source *s, lt_due_packet *packet)
{
    if (!s->is_trace) {
        double time = time_of(s, s->number);
        *packet = (lt_due_packet){
            .time = (livetcp_usec)time, .bytes = s->size, .sample = time >= s->next_sample};
        return time < s->end;
    }
    if (s->frame == s->count)
        return false;
    *packet = (lt_due_packet){.time = s->frames[s->frame].time_us - s->frames[0].time_us,
                              .bytes = piece(s->left),
                              .sample = s->left <= LT_WIRE_MAX};
    return true;
}

void lt_source_advance(lt_probe_source *s)
{
    lt_due_packet packet;

    if (!lt_source_peek(s, &packet))
        return;
    s->number++;
    if (!s->is_trace) {
        if (packet.sample)
            s->next_sample = (double)packet.time + draw(s);
        return;
    }
    s->left -= packet.bytes < s->left ? packet.bytes : s->left;
    if (!s->left && ++s->frame < s->count)
        s->left = s->frames[s->frame].bytes;
}
