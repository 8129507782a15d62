/* SPDX-License-Identifier: MIT */
#include "engine/sender/budget.h"

#define SLOT_US (LIVETCP_USEC_SEC / (LT_BUDGET_SLOTS - 1))

/* Minimum span for a rate measurement: the first packets may come in a burst. */
#define RATE_SPAN_MIN_US (100 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Bytes per second. Below it (speech, at most 160 kbit/s) doubling the rate costs little, and
 * losses are most audible. */
#define SMALL_RATE 20000

/* Ratio of "auto" for policies that decide packet by packet, below and above SMALL_RATE.
 * Measurements in docs/research/tuning.md: RATIO_LARGE suffices for one parity packet in four and
 * the copies needed at 3 % loss. */
#define RATIO_SMALL 1.0
#define RATIO_LARGE 0.3

/* A kind of media with so small a part of the session's bytes (speech beside video) has a third of
 * a copy more, so that repairs of late packets do not take the copies of others. */
#define SMALL_PART       4
#define RATIO_SMALL_PART 1.3

/* The same where an encoder that follows fills a path without losses: parity would take the place
 * of a fifth of its media, for nothing. */
#define RATIO_FILLED 0.1

/* A policy with a fixed cost gets this in addition, for packets whose copies are all late. Unspent
 * budget costs nothing. */
#define RESCUE_SHARE 0.05

/* A parity packet is as long as the longest packet of its group, plus a header. */
#define PARITY_SLACK 1.2

void lt_budget_init(lt_budget *budget, double ratio)
{
    *budget = (lt_budget){.ratio = ratio, .first_us = LIVETCP_NEVER, .slot = INT64_MIN};
}

/* `slot` may be negative: virtual time may begin below zero. */
static unsigned ring_index(int64_t slot)
{
    return (unsigned)((slot % LT_BUDGET_SLOTS + LT_BUDGET_SLOTS) % LT_BUDGET_SLOTS);
}

/* Clears the slots that are more than one second old. */
static void advance(lt_budget *budget, livetcp_usec now)
{
    int64_t slot = now / SLOT_US;

    if (slot <= budget->slot)
        return;
    if (budget->slot == INT64_MIN || slot - budget->slot >= LT_BUDGET_SLOTS)
        budget->slot = slot - LT_BUDGET_SLOTS;
    while (budget->slot < slot) {
        unsigned next = ring_index(++budget->slot);
        budget->media_sum -= budget->media[next];
        budget->extra_sum -= budget->extra[next];
        budget->media[next] = budget->extra[next] = 0;
    }
}

/* Saturates at UINT32_MAX. */
static void add_saturating(uint32_t *slot, uint64_t *sum, size_t size)
{
    uint32_t counted = size < UINT32_MAX - *slot ? (uint32_t)size : UINT32_MAX - *slot;

    *slot += counted;
    *sum += counted;
}

void lt_budget_media(lt_budget *budget, size_t size, livetcp_usec now)
{
    advance(budget, now);
    add_saturating(&budget->media[ring_index(budget->slot)], &budget->media_sum, size);
    budget->last_size = size;
    if (budget->first_us == LIVETCP_NEVER)
        budget->first_us = now;
}

void lt_budget_extra(lt_budget *budget, size_t size, livetcp_usec now)
{
    advance(budget, now);
    add_saturating(&budget->extra[ring_index(budget->slot)], &budget->extra_sum, size);
}

size_t lt_budget_left(lt_budget *budget, livetcp_usec now)
{
    advance(budget, now);
    double left = budget->ratio * (double)budget->media_sum - (double)budget->extra_sum;

    if (budget->ratio > 0)
        left += (double)budget->last_size;
    return left > 0 ? (size_t)left : 0;
}

uint64_t lt_budget_media_rate(lt_budget *budget, livetcp_usec now)
{
    advance(budget, now);
    livetcp_usec span = now % SLOT_US + (LT_BUDGET_SLOTS - 1) * SLOT_US;
    if (budget->first_us != LIVETCP_NEVER && now - budget->first_us < span)
        span = now - budget->first_us;
    if (span < RATE_SPAN_MIN_US)
        span = RATE_SPAN_MIN_US;
    return budget->media_sum * LIVETCP_USEC_SEC / (uint64_t)span;
}

double lt_budget_ratio(double configured, double cost, uint64_t rate, uint64_t session_rate,
                       bool filled)
{
    if (configured >= 0)
        return configured;
    if (cost > 0)
        return cost < 1 ? cost * PARITY_SLACK : cost + RESCUE_SHARE;
    if (filled)
        return RATIO_FILLED;
    if (rate < session_rate / SMALL_PART)
        return RATIO_SMALL_PART;
    return rate <= SMALL_RATE ? RATIO_SMALL : RATIO_LARGE;
}
