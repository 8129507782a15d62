/* SPDX-License-Identifier: MIT */
#include "tool/bench/plan.h"

#include "base/error.h"
#include "base/rng.h"

/* 16 bytes of record each: 1 GiB. */
#define MAX_RECORDS (UINT64_C(1) << 26)

static livetcp_result check(const lt_plan *plan, livetcp_error *error)
{
    if (plan->flows < 1 || plan->flows > LT_BENCH_MAX_FLOWS)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%u flows: 1 to %d are possible",
                       plan->flows, LT_BENCH_MAX_FLOWS);
    if (plan->size < LT_BENCH_MIN_SIZE || plan->size > LT_BENCH_MAX_SIZE)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "packets of %zu bytes: %d to %d are possible, 12 bytes RTP header and 2 "
                       "bytes framing included",
                       plan->size, LT_BENCH_MIN_SIZE, LT_BENCH_MAX_SIZE);
    if (plan->interval < 100 || plan->interval > 60 * LIVETCP_USEC_SEC)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "an interval of %.3f ms: 0.1 to 60000 ms are possible",
                       (double)plan->interval / 1000);
    if (plan->duration < plan->interval || plan->warmup < 0 ||
        plan->duration > 86400 * (livetcp_usec)LIVETCP_USEC_SEC ||
        plan->warmup > 86400 * (livetcp_usec)LIVETCP_USEC_SEC)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "duration %.3f s, warm-up %.3f s: the duration is one interval to a day, the "
            "warm-up 0 to a day",
            (double)plan->duration / 1e6, (double)plan->warmup / 1e6);
    return LIVETCP_OK;
}

/* Insertion sort: at most 400 streams, once. */
static void sort_by_phase(lt_plan *plan)
{
    for (unsigned i = 0; i < plan->streams; i++) {
        unsigned at = i;
        for (; at > 0 && plan->phase[plan->order[at - 1]] > plan->phase[i]; at--)
            plan->order[at] = plan->order[at - 1];
        plan->order[at] = i;
    }
}

livetcp_result lt_plan_make(lt_plan *plan, uint64_t seed, livetcp_error *error)
{
    lt_rng rng;
    livetcp_result result = check(plan, error);
    if (result != LIVETCP_OK)
        return result;
    plan->streams = plan->flows * (plan->direction == LT_MEDIA_BOTH ? 2 : 1);
    uint64_t warmup = (uint64_t)((plan->warmup + plan->interval - 1) / plan->interval);
    uint64_t packets = warmup + (uint64_t)(plan->duration / plan->interval);
    if (packets * plan->streams > MAX_RECORDS)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.0f million packets are more than the bench keeps in memory; shorten the "
                       "duration or take fewer flows",
                       (double)(packets * plan->streams) / 1e6);
    plan->packets = (uint32_t)packets;
    plan->warmup_packets = (uint32_t)warmup;
    lt_rng_seed(&rng, seed);
    for (unsigned s = 0; s < plan->streams; s++)
        plan->phase[s] = (livetcp_usec)(lt_rng_uniform(&rng) * (double)plan->interval);
    sort_by_phase(plan);
    return LIVETCP_OK;
}

lt_media_direction lt_plan_stream_direction(const lt_plan *plan, unsigned stream)
{
    if (plan->direction != LT_MEDIA_BOTH)
        return plan->direction;
    return stream < plan->flows ? LT_MEDIA_FORWARD : LT_MEDIA_BACKWARD;
}

livetcp_usec lt_plan_due(const lt_plan *plan, unsigned stream, uint32_t index)
{
    return plan->phase[stream] + (livetcp_usec)index * plan->interval;
}
