/* SPDX-License-Identifier: MIT */
#include "lab/bench/source.h"

#include "base/error.h"
#include "lab/bench/packet.h"
#include "lab/clock.h"

#include <stdlib.h>
#include <string.h>

/* A greedy source looks by itself this often; usually the transport tells it when there is room. */
#define GREEDY_POLL_US (2 * (livetcp_usec)LIVETCP_USEC_MSEC)

static bool sends(const lt_source *source, unsigned stream)
{
    return lt_plan_stream_direction(source->plan, stream) == source->way;
}

livetcp_result lt_source_init(lt_source *source, const lt_plan *plan, lt_shared *shared, lt_end end,
                              uint64_t seed, livetcp_error *error)
{
    size_t size = plan->size - LT_BENCH_FRAMING;
    bool enough = true;
    memset(source, 0, sizeof *source);
    source->plan = plan;
    source->shared = shared;
    source->report = &shared->endpoint[end];
    source->way = end == LT_NEAR ? LT_MEDIA_FORWARD : LT_MEDIA_BACKWARD;
    pthread_mutex_init(&source->lock, NULL);
    source->packets = calloc(plan->streams, sizeof *source->packets);
    source->next = calloc(plan->streams, sizeof *source->next);
    enough = source->packets && source->next;
    for (unsigned s = 0; enough && s < plan->streams; s++) {
        if (!sends(source, s))
            continue;
        source->packets[s] = malloc(size);
        enough = source->packets[s] != NULL;
        if (enough)
            lt_packet_prepare(source->packets[s], size, LT_BENCH_SSRC + s, seed + s);
    }
    return enough ? LIVETCP_OK : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the packets");
}

void lt_source_clear(lt_source *source)
{
    if (!source->plan)
        return;
    for (unsigned s = 0; source->packets && s < source->plan->streams; s++)
        free(source->packets[s]);
    free(source->packets);
    free(source->next);
    pthread_mutex_destroy(&source->lock);
    source->plan = NULL;
}

static void send_packet(lt_source *source, unsigned stream, livetcp_usec media_us)
{
    const lt_plan *plan = source->plan;
    uint32_t index = source->next[stream]++;
    lt_record *record = lt_shared_record(source->shared, plan, stream, index);
    lt_probe probe = {.stream = stream, .index = index, .sent = lt_clock_now()};
    lt_packet_stamp(source->packets[stream], &probe, media_us);
    lt_shared_store(&record->sent, probe.sent);
    lt_shared_store(&source->report->sent, source->report->sent + 1);
    const void *sent;
    size_t size = plan->size - LT_BENCH_FRAMING;
    lt_red_encode(source->red, stream, source->packets[stream], &sent, &size);
    lt_transport_send(source->transport, stream % plan->flows, sent, size, source->red->depth);
}

/* All streams have one interval, so their order by phase holds in every round. */
static void send_round(lt_source *source, uint32_t index)
{
    const lt_plan *plan = source->plan;
    for (unsigned i = 0; i < plan->streams; i++) {
        unsigned stream = plan->order[i];
        if (!source->packets[stream])
            continue;
        livetcp_usec due = lt_plan_due(plan, stream, index);
        lt_clock_sleep_until(source->start + due);
        send_packet(source, stream, due);
    }
}

/* As many packets of a stream as the transport has room for. Caller holds the lock. */
static void fill(lt_source *source, unsigned stream)
{
    const lt_plan *plan = source->plan;
    while (source->next[stream] < plan->packets &&
           lt_transport_room(source->transport, stream % plan->flows))
        send_packet(source, stream, lt_clock_now() - source->start);
}

static void fill_all(lt_source *source)
{
    pthread_mutex_lock(&source->lock);
    for (unsigned s = 0; s < source->plan->streams; s++)
        if (source->packets[s])
            fill(source, s);
    pthread_mutex_unlock(&source->lock);
}

static void run_greedy(lt_source *source, livetcp_usec end)
{
    livetcp_usec now;
    while ((now = lt_clock_now()) < end) {
        fill_all(source);
        lt_clock_sleep_until(now + GREEDY_POLL_US < end ? now + GREEDY_POLL_US : end);
    }
}

void lt_source_start(lt_source *source, lt_transport *transport, lt_red *red, livetcp_usec start)
{
    source->transport = transport;
    source->red = red;
    source->start = start;
    lt_clock_sleep_until(start);
    pthread_mutex_lock(&source->lock);
    source->open = source->plan->greedy && (source->plan->direction & source->way);
    pthread_mutex_unlock(&source->lock);
}

void lt_source_run(lt_source *source, uint32_t index, livetcp_usec until)
{
    const lt_plan *plan = source->plan;
    bool active = (plan->direction & source->way) != 0;
    if (active && plan->greedy)
        run_greedy(source, source->start + until);
    for (; active && !plan->greedy && source->round < index; source->round++)
        send_round(source, source->round);
    lt_clock_sleep_until(source->start + until);
}

void lt_source_stop(lt_source *source)
{
    pthread_mutex_lock(&source->lock);
    source->open = false;
    pthread_mutex_unlock(&source->lock);
}

void lt_source_drained(lt_source *source, unsigned flow)
{
    const lt_plan *plan = source->plan;
    bool behind = plan->direction == LT_MEDIA_BOTH && source->way == LT_MEDIA_BACKWARD;
    pthread_mutex_lock(&source->lock);
    if (source->open)
        fill(source, behind ? plan->flows + flow : flow);
    pthread_mutex_unlock(&source->lock);
}
