/* SPDX-License-Identifier: MIT */
#include "engine/rate/delay_history.h"

#include "base/usec.h"

/* A tick lasts so long, and longer on long paths: windows are a round trip at least. */
#define TICK_US   20000
#define BASE_PART 16

#define SAMPLES_MIN 3
#define BUSY_MIN_US 80000
#define BYTES_MIN   3000

static const lt_delay_tick *tick_before(const lt_delay_history *history, unsigned age)
{
    return &history->ticks[(history->newest + LT_DELAY_TICKS - age) % LT_DELAY_TICKS];
}

void lt_delay_history_forget(lt_delay_history *history)
{
    history->used = 0;
}

void lt_delay_history_add(lt_delay_history *history, const lt_congestion_sample *sample)
{
    livetcp_usec length =
        sample->base_us / BASE_PART > TICK_US ? sample->base_us / BASE_PART : TICK_US;
    lt_delay_tick *tick;

    if (!history->used || sample->now_us - tick_before(history, 0)->start_us >= length) {
        history->newest = (history->newest + 1) % LT_DELAY_TICKS;
        history->used += history->used < LT_DELAY_TICKS;
        history->ticks[history->newest] = (lt_delay_tick){.start_us = sample->now_us,
                                                          .delivered = sample->delivered,
                                                          .in_flight = sample->in_flight,
                                                          .queue_us = LIVETCP_NEVER,
                                                          .total_us = LIVETCP_NEVER};
    }
    if (sample->queue_us == LIVETCP_NEVER)
        return;
    tick = &history->ticks[history->newest];
    tick->queue_us = lt_usec_min(tick->queue_us, sample->queue_us);
    tick->total_us = lt_usec_min(tick->total_us, sample->queue_us + sample->wait_us);
}

lt_delay_window lt_delay_history_window(const lt_delay_history *history, livetcp_usec now,
                                        livetcp_usec length)
{
    lt_delay_window window = {
        .queue_us = LIVETCP_NEVER, .total_us = LIVETCP_NEVER, .least = UINT64_MAX};
    livetcp_usec sum = 0;
    unsigned samples = 0;
    bool whole = false;

    for (unsigned age = 0; age < history->used && !whole; age++) {
        const lt_delay_tick *tick = tick_before(history, age);
        if (tick->queue_us != LIVETCP_NEVER) {
            sum += tick->queue_us;
            samples++;
        }
        window.queue_us = lt_usec_min(window.queue_us, tick->queue_us);
        window.total_us = lt_usec_min(window.total_us, tick->total_us);
        window.delivered = tick->delivered;
        window.in_flight = tick->in_flight;
        window.least = tick->in_flight < window.least ? tick->in_flight : window.least;
        window.span_us = now - tick->start_us;
        whole = tick->start_us <= now - length;
    }
    window.average_us = samples ? sum / samples : 0;
    window.known = whole && samples >= SAMPLES_MIN;
    return window;
}

double lt_delay_window_rate(const lt_delay_window *window, const lt_congestion_sample *s)
{
    double bytes = (double)(s->delivered - window->delivered);

    return window->span_us > 0 ? bytes * LIVETCP_USEC_SEC / (double)window->span_us : 0;
}

/* The age of the oldest tick that began at `since` or later; 0: none but perhaps the newest. */
static unsigned oldest_since(const lt_delay_history *history, livetcp_usec since)
{
    unsigned within = 0, beyond = history->used;

    while (within + 1 < beyond) {
        unsigned middle = (within + beyond) / 2;
        if (tick_before(history, middle)->start_us >= since)
            within = middle;
        else
            beyond = middle;
    }
    return within;
}

double lt_delay_history_rate(const lt_delay_history *history, livetcp_usec now,
                             livetcp_usec span_us)
{
    unsigned age = oldest_since(history, now - span_us);
    const lt_delay_tick *from = tick_before(history, age), *to = tick_before(history, 0);

    if (!age)
        return 0;
    return (double)(to->delivered - from->delivered) * (double)LIVETCP_USEC_SEC /
           (double)(to->start_us - from->start_us);
}

double lt_delay_history_busy_rate(const lt_delay_history *history,
                                  const lt_congestion_sample *sample, livetcp_usec min_us,
                                  livetcp_usec span_us)
{
    const lt_delay_tick *from = NULL;
    livetcp_usec time;

    for (unsigned age = 0; age < history->used; age++) {
        const lt_delay_tick *tick = tick_before(history, age);
        if (tick->total_us < min_us || tick->start_us < sample->now_us - span_us)
            break;
        if (tick->total_us != LIVETCP_NEVER)
            from = tick;
    }
    time = from ? sample->now_us - from->start_us : 0;
    if (time < BUSY_MIN_US || sample->delivered - from->delivered < BYTES_MIN)
        return 0;
    return (double)(sample->delivered - from->delivered) * (double)LIVETCP_USEC_SEC / (double)time;
}
