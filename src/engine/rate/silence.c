/* SPDX-License-Identifier: MIT */
#include "engine/rate/silence.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* A stall: nothing is delivered for this time and two round trips. */
#define STALL_US 200000

#define PAUSE_US 80000

/* No round trip is a sample of the network for this time. */
#define SILENCE_US   150000
#define QUEUE_MAX_US 2000000

void lt_silence_init(lt_silence *silence)
{
    *silence = (lt_silence){.sampled_us = INT64_MIN / 2, .idle = true};
}

bool lt_silence_is_stall(const lt_silence *silence, const lt_congestion_sample *s)
{
    return s->now_us - silence->progress_us > STALL_US + 2 * s->base_us;
}

bool lt_silence_is_pause(const lt_silence *silence, livetcp_usec now)
{
    return now - silence->progress_us > PAUSE_US;
}

static livetcp_usec derived_queue(const lt_silence *silence, const lt_delay_history *history,
                                  const lt_congestion_sample *s)
{
    livetcp_usec since = s->now_us - silence->progress_us - 2 * s->base_us;
    double rate = lt_delay_history_rate(history, s->now_us, SILENCE_US + 2 * s->base_us);
    livetcp_usec queue = rate > 0 && s->connections > 1
                             ? (livetcp_usec)((double)s->undelivered / rate * SECOND) - s->base_us
                             : 0;

    queue = queue < QUEUE_MAX_US ? queue : QUEUE_MAX_US;
    return queue < since && since > STALL_US ? since : queue;
}

lt_congestion_sample lt_silence_update(lt_silence *silence, const lt_delay_history *history,
                                       const lt_congestion_sample *s)
{
    lt_congestion_sample sample = *s;

    if (s->delivered != silence->delivered || !s->undelivered || silence->idle) {
        silence->delivered = s->delivered;
        silence->progress_us = s->now_us;
    }
    silence->idle = !s->undelivered;
    if (s->queue_us != LIVETCP_NEVER) {
        silence->sampled_us = s->now_us;
        return sample;
    }
    if (!s->base_us || !s->undelivered || s->now_us < silence->sampled_us + SILENCE_US + s->base_us)
        return sample;
    if (s->own_losses) /* repairs keep bytes under way: they show a queue as little as none */
        return sample;
    livetcp_usec queue = derived_queue(silence, history, s);
    if (queue > 0 || s->connections > 1)
        sample.queue_us = queue > 0 ? queue : 0;
    return sample;
}
