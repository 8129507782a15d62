/* SPDX-License-Identifier: MIT */
#include "lab/bench/outcome.h"

#include "base/error.h"
#include "lab/bench/listener.h"

#include <math.h>
#include <stdlib.h>

#define MIN_GUARD_US 100000

livetcp_usec lt_link_full_queue(const lt_link_params *link)
{
    double bytes = link->queue.unit == LT_LIMIT_PACKETS ? 1500.0 * (double)link->queue.value
                   : link->queue.unit == LT_LIMIT_BYTES ? (double)link->queue.value
                                                        : 0.0;
    return link->rate ? (livetcp_usec)llround(bytes * 8e6 / (double)link->rate) : 0;
}

void lt_outcome_guard(const lt_bench_options *options, livetcp_usec *before, livetcp_usec *after)
{
    livetcp_usec trip = 0;
    for (int i = 0; i < 2; i++)
        trip += options->link[i].delay + options->link[i].jitter +
                lt_link_full_queue(&options->link[i]);
    *before = *after = trip > MIN_GUARD_US ? trip : MIN_GUARD_US;
}

/* Copies the stalls between `begin` and `end`; stalls while processes start or end affect no
 * packet. */
static size_t copy_stalls(lt_stall *to, const lt_stall_log *log, livetcp_usec begin,
                          livetcp_usec end)
{
    size_t count = 0;
    for (uint32_t i = 0; i < log->count; i++)
        if (log->entries[i].end >= begin && log->entries[i].begin <= end)
            to[count++] = log->entries[i];
    return count;
}

static livetcp_result gather_stalls(const lt_bench_log *log, lt_outcomes *out, livetcp_error *error)
{
    size_t capacity = (size_t)LT_STALL_LOG_SIZE * (1 + 2 * log->count), count = 0;
    livetcp_usec begin = log->runs[0].start, end = log->runs[log->count - 1].end;
    out->stalls = calloc(capacity, sizeof *out->stalls);
    if (!out->stalls)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the report");
    count += copy_stalls(out->stalls, &log->stalls, begin, end);
    out->worst_wakeup = log->stalls.worst;
    for (unsigned i = 0; i < 2 * log->count; i++) {
        const lt_stall_log *stalls = &log->runs[i / 2].shared->endpoint[i % 2].stalls;
        count += copy_stalls(out->stalls + count, stalls, begin, end);
        if (stalls->worst > out->worst_wakeup)
            out->worst_wakeup = stalls->worst;
    }
    out->stall_count = lt_stall_merge(out->stalls, count);
    for (size_t i = 0; i < out->stall_count; i++)
        out->stalled += out->stalls[i].end - out->stalls[i].begin;
    return LIVETCP_OK;
}

/* Delays of one outcome: five lists in one allocation. */
typedef struct samples {
    livetcp_usec *all, *clean, *late, *opening, *whole;
    size_t count, clean_count, late_count, opening_count, whole_count;
    lt_spoken *spoken; /* packets of the current stream */
} samples;

static const lt_playout_list *playouts_of(const lt_outcome *outcome)
{
    return &outcome->run->options->playout;
}

/* Adds a packet to the results of fixed playout delays; one that does not count interrupts the
 * stream. */
static void take_playout(lt_outcome *outcome, bool counts, livetcp_usec delay, livetcp_usec copy)
{
    for (unsigned i = 0; i < playouts_of(outcome)->count; i++) {
        lt_playout *playout = &outcome->playout[i];
        if (playouts_of(outcome)->points[i].adaptive)
            continue;
        if (counts)
            lt_playout_take(playout, lt_playout_part(playout, delay, copy));
        else
            lt_playout_interrupt(playout);
    }
}

static livetcp_result play_stream(lt_outcome *outcome, const lt_spoken *spoken,
                                  livetcp_error *error)
{
    const lt_plan *plan = &outcome->run->options->plan;
    livetcp_usec min_delay_us =
        lt_listener_min_delay(outcome->run->scheme->redundancy, plan->interval);
    livetcp_result result = LIVETCP_OK;
    for (unsigned i = 0; result == LIVETCP_OK && i < playouts_of(outcome)->count; i++)
        if (playouts_of(outcome)->points[i].adaptive)
            result =
                lt_listener_play(spoken, plan->packets, min_delay_us, &outcome->playout[i], error);
    return result;
}

/* Adds the bit rate of a frame at its first packet; `last` is the previous packet of the stream. */
static void take_rate(lt_rates *rates, const lt_record *record, const lt_record *last)
{
    double rate = record->rate;
    if (last && last->frame == record->frame)
        return;
    rates->min = rates->frames && rates->min < rate ? rates->min : rate;
    rates->max = rates->frames && rates->max > rate ? rates->max : rate;
    rates->frames++;
    rates->mean += (rate - rates->mean) / (double)rates->frames;
    rates->last = rate;
}

static void take_packet(lt_outcome *outcome, const lt_outcomes *outcomes, unsigned stream,
                        uint32_t index, samples *s)
{
    const lt_run *run = outcome->run;
    const lt_plan *plan = &run->options->plan;
    lt_record *record = lt_shared_record(run->shared, plan, stream, index);
    livetcp_usec sent = lt_shared_load(&record->sent);
    livetcp_usec arrival = lt_shared_load(&record->arrival);
    livetcp_usec due = lt_shared_due(record, plan, stream, index, run->start);
    livetcp_usec copied = lt_shared_load(&record->copy);
    livetcp_usec delay = sent && arrival ? arrival - sent : LT_DELAY_NEVER;
    livetcp_usec before, after;
    s->spoken[index] = (lt_spoken){.due = due,
                                   .arrival = arrival ? arrival : LT_DELAY_NEVER,
                                   .copy = copied ? copied : LT_DELAY_NEVER,
                                   .plays = true};
    lt_outcome_guard(run->options, &before, &after);
    if (arrival >= run->start + plan->measured_from && arrival < run->start + plan->length)
        outcome->arrived_bytes += plan->adaptive ? record->size : plan->size - LT_BENCH_FRAMING;
    if (plan->adaptive && sent)
        s->whole[s->whole_count++] = delay;
    if (!lt_plan_measured(plan, index, sent - run->start))
        return;
    bool near = lt_stall_near(outcomes->stalls, outcomes->stall_count, due, before, after);
    if (plan->adaptive)
        take_rate(&outcome->rates, record, index ? record - 1 : NULL);
    if (!plan->greedy)
        s->late[s->late_count++] = sent ? sent - due : LT_DELAY_NEVER;
    s->all[s->count++] = delay;
    if (!near)
        s->clean[s->clean_count++] = delay;
    bool counts = !(near && run->options->discard_stalls);
    s->spoken[index].plays = s->spoken[index].counts = counts;
    take_playout(outcome, counts, delay, sent && copied ? copied - sent : LT_DELAY_NEVER);
    if (lt_plan_opens(plan, index) && counts)
        s->opening[s->opening_count++] = delay;
}

static livetcp_result measure_delays(lt_outcome *outcome, const lt_outcomes *outcomes,
                                     livetcp_error *error)
{
    const lt_plan *plan = &outcome->run->options->plan;
    size_t capacity = (size_t)plan->streams * plan->packets;
    livetcp_usec *memory = calloc(5 * capacity, sizeof *memory);
    lt_spoken *spoken = calloc(plan->packets, sizeof *spoken);
    livetcp_result result = LIVETCP_OK;
    if (!memory || !spoken)
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the report");
    samples s = {.all = memory,
                 .clean = memory + capacity,
                 .late = memory + 2 * capacity,
                 .opening = memory + 3 * capacity,
                 .whole = memory + 4 * capacity,
                 .spoken = spoken};
    for (unsigned i = 0; result == LIVETCP_OK && i < plan->streams; i++) {
        if ((lt_plan_stream_direction(plan, i) == LT_MEDIA_BACKWARD) != outcome->backward)
            continue;
        for (uint32_t packet = 0; packet < plan->packets; packet++)
            take_packet(outcome, outcomes, i, packet, &s);
        take_playout(outcome, false, 0, 0); /* the next stream is another call */
        result = play_stream(outcome, spoken, error);
    }
    lt_delay_summarize(s.all, s.count, &outcome->all);
    lt_delay_summarize(s.clean, s.clean_count, &outcome->clean);
    lt_delay_summarize(s.late, s.late_count, &outcome->lateness);
    lt_delay_summarize(s.opening, s.opening_count, &outcome->opening);
    lt_delay_summarize(s.whole, s.whole_count, &outcome->whole);
    outcome->flagged = s.count - s.clean_count;
    free(spoken);
    free(memory);
    return result;
}

/* Packets that a late flow did not speak are no losses. */
static livetcp_result measure_speech(lt_outcome *outcome, const lt_outcomes *outcomes,
                                     livetcp_error *error)
{
    const lt_run *run = outcome->run;
    const lt_plan *plan = &run->options->plan;
    size_t capacity = (size_t)(plan->all_streams - plan->streams) * plan->packets, count = 0;
    livetcp_usec *delays = calloc(capacity + 1, sizeof *delays), before, after;
    if (!delays)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the report");
    lt_outcome_guard(run->options, &before, &after);
    for (unsigned s = plan->streams; s < plan->all_streams; s++) {
        if ((lt_plan_stream_direction(plan, s) == LT_MEDIA_BACKWARD) != outcome->backward)
            continue;
        for (uint32_t i = 0; i < plan->packets; i++) {
            const lt_record *record = lt_shared_record(run->shared, plan, s, i);
            livetcp_usec sent = lt_shared_load(&record->sent);
            livetcp_usec arrival = lt_shared_load(&record->arrival);
            if (!sent || sent < run->start + plan->measured_from ||
                (run->options->discard_stalls &&
                 lt_stall_near(outcomes->stalls, outcomes->stall_count, sent, before, after)))
                continue;
            delays[count++] = arrival ? arrival - sent : LT_DELAY_NEVER;
        }
    }
    lt_delay_summarize(delays, count, &outcome->speech);
    free(delays);
    return LIVETCP_OK;
}

static void start_playout(lt_outcome *outcome)
{
    const lt_bench_options *options = outcome->run->options;
    for (unsigned i = 0; i < options->playout.count; i++)
        outcome->playout[i].delay =
            options->link[outcome->backward].delay + options->playout.points[i].over;
}

static void rate_playout(lt_outcome *outcome)
{
    const lt_playout_list *list = &outcome->run->options->playout;
    for (unsigned i = 0; i < list->count; i++) {
        if (list->points[i].adaptive)
            lt_listener_finish(&outcome->playout[i]);
        lt_playout_rate(&outcome->playout[i], list->codec);
    }
}

static void measure_costs(lt_outcome *outcome)
{
    const lt_run *run = outcome->run;
    const lt_bench_options *options = run->options;
    const lt_plan *plan = &options->plan;
    const lt_endpoint_report *sender = &run->shared->endpoint[outcome->backward ? LT_FAR : LT_NEAR];
    const lt_endpoint_report *receiver =
        &run->shared->endpoint[outcome->backward ? LT_NEAR : LT_FAR];
    const lt_link_params *link = &options->link[outcome->backward];
    double seconds = (double)(plan->length - plan->measured_from) / 1e6;
    double media = (double)sender->totals.media_bytes;
    bool alone =
        options->emulated && plan->direction != LT_MEDIA_BOTH && !lt_load_any(&options->load);

    outcome->totals = &sender->totals;
    outcome->propagation = link->delay;
    outcome->full_queue = lt_link_full_queue(link);
    outcome->bytes_ratio = media > 0 ? (double)sender->totals.bytes_sent / media : NAN;
    outcome->wire_ratio =
        alone && media > 0 ? (double)run->counters[outcome->backward].link.in_bytes / media : NAN;
    outcome->cpu_send = (double)sender->cpu / (double)outcome->all.sent;
    outcome->cpu_receive = (double)receiver->cpu / (double)outcome->all.sent;
    const lt_background_report *sink =
        &run->shared->background[outcome->backward ? LT_NEAR : LT_FAR];
    outcome->media_rate = 8.0 * (double)outcome->arrived_bytes / seconds;
    outcome->link_share =
        options->emulated && link->rate ? outcome->media_rate / (double)link->rate : NAN;
    outcome->ftp_rate = 8.0 * (double)sink->ftp_bytes / seconds;
    outcome->web_rate = 8.0 * (double)sink->web_bytes / seconds;
    outcome->peer_rate = 8.0 * (double)sink->peer_bytes / seconds;
    outcome->mice_rate = 8.0 * (double)sink->mice_bytes / seconds;
    outcome->cbr_rate = 8.0 * (double)sink->cbr_bytes / seconds;
}

livetcp_result lt_outcomes_make(const lt_bench_log *log, lt_outcomes *out, livetcp_error *error)
{
    lt_media_direction direction = log->runs[0].options->plan.direction;
    *out = (lt_outcomes){.begin = log->runs[0].start};
    out->outcomes = calloc(2 * (size_t)log->count, sizeof *out->outcomes);
    livetcp_result result = out->outcomes
                                ? gather_stalls(log, out, error)
                                : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the report");
    for (unsigned i = 0; result == LIVETCP_OK && i < 2 * log->count; i++) {
        lt_outcome *outcome = &out->outcomes[out->count];
        bool backward = i >= log->count; /* first all forward outcomes, then all backward ones */
        if (!(direction & (backward ? LT_MEDIA_BACKWARD : LT_MEDIA_FORWARD)))
            continue;
        outcome->run = &log->runs[i % log->count];
        outcome->backward = backward;
        start_playout(outcome);
        result = measure_delays(outcome, out, error);
        if (result == LIVETCP_OK)
            result = measure_speech(outcome, out, error);
        measure_costs(outcome);
        rate_playout(outcome);
        out->count++;
    }
    if (result != LIVETCP_OK)
        lt_outcomes_clear(out);
    return result;
}

void lt_outcomes_clear(lt_outcomes *outcomes)
{
    free(outcomes->outcomes);
    free(outcomes->stalls);
    *outcomes = (lt_outcomes){0};
}

const lt_delay_summary *lt_outcome_headline(const lt_outcome *outcome)
{
    return outcome->run->options->discard_stalls ? &outcome->clean : &outcome->all;
}

const lt_outcome *lt_outcome_reference(const lt_outcomes *outcomes, const lt_outcome *outcome)
{
    const lt_outcome *reference = outcomes->outcomes;
    while (reference->backward != outcome->backward)
        reference++;
    return reference == outcome ? NULL : reference;
}
