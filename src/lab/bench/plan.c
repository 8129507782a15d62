/* SPDX-License-Identifier: MIT */
#include "lab/bench/plan.h"

#include "base/error.h"
#include "base/rng.h"

/* 40 bytes per record in use: 2.5 GiB. */
#define MAX_RECORDS (UINT64_C(1) << 26)
/* Minimum size, so that each packet of a frame has space for the probe. */
#define MIN_ADAPTIVE 100
#define LONGEST      (86400 * (livetcp_usec)LIVETCP_USEC_SEC)

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
    if (plan->duration < plan->interval || plan->warmup < 0 || plan->duration > LONGEST ||
        plan->warmup > LONGEST)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "duration %.3f s, warm-up %.3f s: the duration is one interval to a day, the "
            "warm-up 0 to a day",
            (double)plan->duration / 1e6, (double)plan->warmup / 1e6);
    if ((plan->talkspurt > 0) != (plan->silence > 0) || (plan->greedy && plan->silence))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "talkspurts and the silence between them go together, and not with a greedy "
                       "source");
    if (plan->adaptive && (plan->greedy || plan->silence))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "an adaptive source is neither greedy nor silent between talkspurts");
    if (plan->adaptive && plan->size < MIN_ADAPTIVE)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "packets of up to %zu bytes: those of an adaptive source may have %d or more",
            plan->size, MIN_ADAPTIVE);
    if (plan->speech && (plan->greedy || plan->silence))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "speech goes beside video: the source is neither greedy nor silent between "
                       "talkspurts");
    if (plan->talkspurt < 0 || plan->silence < 0 || plan->talkspurt > LONGEST ||
        plan->silence > LONGEST)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "talkspurts of %.3f s and silence of %.3f s: up to a day is possible",
                       (double)plan->talkspurt / 1e6, (double)plan->silence / 1e6);
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

/* Time from the start of the run to packet `index` of a stream with phase 0. */
static livetcp_usec offset(const lt_plan *plan, uint32_t index)
{
    livetcp_usec at = (livetcp_usec)index * plan->interval;
    return plan->spurt_packets ? at + index / plan->spurt_packets * plan->silence : at;
}

/* Number of packets of a stream with phase 0 that are due before `at`. */
static uint64_t packets_before(const lt_plan *plan, livetcp_usec at)
{
    livetcp_usec spurt = (livetcp_usec)plan->spurt_packets * plan->interval;
    if (!spurt)
        return (uint64_t)((at + plan->interval - 1) / plan->interval);
    livetcp_usec within = at % (spurt + plan->silence);
    within = within < spurt ? within : spurt;
    return (uint64_t)(at / (spurt + plan->silence)) * plan->spurt_packets +
           (uint64_t)((within + plan->interval - 1) / plan->interval);
}

livetcp_result lt_plan_make(lt_plan *plan, uint64_t seed, livetcp_error *error)
{
    lt_rng rng;
    livetcp_result result = check(plan, error);
    if (result != LIVETCP_OK)
        return result;
    plan->streams = plan->flows * (plan->direction == LT_MEDIA_BOTH ? 2 : 1);
    plan->all_streams = plan->speech ? 2 * plan->streams : plan->streams;
    plan->spurt_packets = (uint32_t)((plan->talkspurt + plan->interval - 1) / plan->interval);
    uint64_t warmup = packets_before(plan, plan->warmup);
    plan->measured_from = offset(plan, (uint32_t)warmup);
    plan->length = plan->measured_from + plan->duration - plan->duration % plan->interval;
    uint64_t rounds = packets_before(plan, plan->length), packets = rounds;
    plan->encoder.interval = plan->interval;
    if (plan->adaptive && rounds <= MAX_RECORDS)
        packets =
            lt_encoder_max_packets(&plan->encoder, (uint32_t)rounds, plan->size - LT_BENCH_FRAMING);
    if (plan->speech && packets < (uint64_t)plan->length / LT_SPEECH_US + 1)
        packets = (uint64_t)plan->length / LT_SPEECH_US + 1;
    if (packets > MAX_RECORDS / plan->all_streams)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "%.0f million packets are more than the bench keeps in memory; shorten the "
                       "duration or take fewer flows%s",
                       (double)packets * plan->all_streams / 1e6,
                       plan->adaptive ? ", or a lower --max-rate" : "");
    plan->packets = (uint32_t)packets;
    plan->rounds = (uint32_t)rounds;
    plan->warmup_rounds = (uint32_t)warmup;
    lt_rng_seed(&rng, seed);
    for (unsigned s = 0; s < plan->streams; s++)
        plan->phase[s] = (livetcp_usec)(lt_rng_uniform(&rng) * (double)plan->interval);
    sort_by_phase(plan);
    return LIVETCP_OK;
}

bool lt_plan_is_speech(const lt_plan *plan, unsigned stream)
{
    return stream >= plan->streams;
}

livetcp_usec lt_plan_speech_due(const lt_plan *plan, unsigned stream, uint32_t index)
{
    return plan->phase[stream % plan->streams] % LT_SPEECH_US + (livetcp_usec)index * LT_SPEECH_US;
}

lt_media_direction lt_plan_stream_direction(const lt_plan *plan, unsigned stream)
{
    if (plan->direction != LT_MEDIA_BOTH)
        return plan->direction;
    return stream % plan->streams < plan->flows ? LT_MEDIA_FORWARD : LT_MEDIA_BACKWARD;
}

livetcp_usec lt_plan_due(const lt_plan *plan, unsigned stream, uint32_t index)
{
    return plan->phase[stream] + offset(plan, index);
}

bool lt_plan_opens(const lt_plan *plan, uint32_t index)
{
    return plan->spurt_packets && index >= plan->spurt_packets &&
           index % plan->spurt_packets < plan->opening;
}

bool lt_plan_open_ended(const lt_plan *plan)
{
    return plan->greedy || plan->adaptive;
}

bool lt_plan_measured(const lt_plan *plan, uint32_t index, livetcp_usec sent)
{
    if (lt_plan_open_ended(plan))
        return sent >= plan->measured_from && sent < plan->length;
    return index >= plan->warmup_rounds;
}

bool lt_plan_joins_late(const lt_plan *plan, unsigned flow)
{
    return plan->times[flow].from > 0;
}

bool lt_plan_takes_part(const lt_plan *plan, unsigned flow, livetcp_usec at)
{
    const lt_window *times = &plan->times[flow];
    return !times->to || (at >= times->from && at < times->to);
}
