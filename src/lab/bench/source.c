/* SPDX-License-Identifier: MIT */
#include "lab/bench/source.h"

#include "base/error.h"
#include "lab/bench/packet.h"
#include "lab/clock.h"

#include <stdlib.h>
#include <string.h>

/* A packet has space for the probe. */
enum { MIN_SIZE = LT_BENCH_RTP + LT_BENCH_PROBE };

/* Poll interval of a greedy source; usually the transport notifies it first. */
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
    source->packets = calloc(plan->all_streams, sizeof *source->packets);
    source->next = calloc(plan->all_streams, sizeof *source->next);
    source->encoders = calloc(plan->streams, sizeof *source->encoders);
    source->rates = calloc(plan->flows, sizeof *source->rates);
    source->keys = calloc(plan->flows, sizeof *source->keys);
    source->keys_sent = calloc(plan->streams, sizeof *source->keys_sent);
    source->join = calloc(plan->flows, sizeof *source->join);
    enough = source->packets && source->next && source->encoders && source->rates && source->keys &&
             source->keys_sent && source->join;
    for (unsigned s = 0; enough && s < plan->all_streams; s++) {
        size_t packet = lt_plan_is_speech(plan, s) ? LT_SPEECH_SIZE : size;
        if (!sends(source, s))
            continue;
        if (!lt_plan_is_speech(plan, s))
            lt_encoder_init(&source->encoders[s], &plan->encoder);
        source->packets[s] = malloc(packet);
        enough = source->packets[s] != NULL;
        if (enough)
            lt_packet_prepare(source->packets[s], packet, LT_BENCH_SSRC + s, seed + s);
    }
    return enough ? LIVETCP_OK : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the packets");
}

void lt_source_clear(lt_source *source)
{
    if (!source->plan)
        return;
    for (unsigned s = 0; source->packets && s < source->plan->all_streams; s++)
        free(source->packets[s]);
    free(source->packets);
    free(source->next);
    free(source->encoders);
    free(source->rates);
    free(source->keys);
    free(source->keys_sent);
    free(source->join);
    pthread_mutex_destroy(&source->lock);
    source->plan = NULL;
}

/* A packet and its record. */
typedef struct outgoing {
    unsigned stream;
    livetcp_usec media_us;
    size_t size;
    uint32_t frame, rate;
    bool marker;
    livetcp_importance importance;
} outgoing;

static void send_packet(lt_source *source, const outgoing *o)
{
    const lt_plan *plan = source->plan;
    unsigned stream = o->stream;
    uint32_t index = source->next[stream]++;
    lt_record *record = lt_shared_record(source->shared, plan, stream, index);
    lt_probe probe = {
        .stream = stream, .index = index, .sent = lt_clock_now(), .marker = o->marker};
    const livetcp_packet_info info = {
        .struct_size = sizeof info, .repeats = source->red->depth, .importance = o->importance};
    lt_packet_timestamp(source->packets[stream], &probe, o->media_us);
    record->size = (uint32_t)o->size;
    record->frame = o->frame;
    record->rate = o->rate;
    lt_shared_store(&record->sent, probe.sent);
    lt_shared_store(&source->report->sent, source->report->sent + 1);
    const void *sent;
    size_t size = o->size;
    lt_red_encode(source->red, stream, source->packets[stream], &sent, &size);
    if (lt_transport_send(source->transport, stream % plan->flows, sent, size, &info) == LIVETCP_OK)
        source->report->media_bytes += o->size;
}

static void send_full_packet(lt_source *source, unsigned stream, livetcp_usec media_us)
{
    const outgoing o = {
        .stream = stream, .media_us = media_us, .size = source->plan->size - LT_BENCH_FRAMING};
    send_packet(source, &o);
}

static void send_frame(lt_source *source, unsigned stream, livetcp_usec media_us)
{
    const lt_plan *plan = source->plan;
    lt_encoder *encoder = &source->encoders[stream];
    outgoing o = {.stream = stream, .media_us = media_us, .frame = encoder->frame};
    const int64_t keys = lt_shared_load(&source->keys[stream % plan->flows]);
    lt_encoder_set_rate(encoder, (double)lt_shared_load(&source->rates[stream % plan->flows]));
    if (keys != source->keys_sent[stream])
        lt_encoder_want_key(encoder);
    source->keys_sent[stream] = keys;
    lt_encoded_frame frame = lt_encoder_next(encoder);
    size_t bytes = frame.bytes < MIN_SIZE ? MIN_SIZE : frame.bytes;
    uint32_t count = lt_frame_packets(bytes, plan->size - LT_BENCH_FRAMING);
    o.importance = frame.key ? LIVETCP_IMPORTANCE_KEY : LIVETCP_IMPORTANCE_DELTA;
    o.rate = (uint32_t)encoder->rate;
    for (uint32_t i = 0; i < count; i++) {
        o.size = lt_frame_packet_size(bytes, count, i);
        o.marker = i + 1 == count;
        send_packet(source, &o);
    }
}

static bool is_connected(const lt_source *source, unsigned flow)
{
    return !lt_plan_joins_late(source->plan, flow) || source->join[flow] == LT_JOIN_READY;
}

/* ---- speech ---- */

/* A flow that joins late is silent until it has connected. */
static void speak(lt_source *source, unsigned stream, livetcp_usec due)
{
    const outgoing o = {.stream = stream,
                        .media_us = due,
                        .size = LT_SPEECH_SIZE,
                        .importance = LIVETCP_IMPORTANCE_AUDIO};
    unsigned flow = stream % source->plan->flows;
    if (lt_plan_takes_part(source->plan, flow, due) && is_connected(source, flow))
        send_packet(source, &o);
    else
        source->next[stream]++;
}

/* The stream whose packet of speech is due next, at *due; NEVER if none is. */
static unsigned next_speech(const lt_source *source, livetcp_usec *due)
{
    const lt_plan *plan = source->plan;
    unsigned next = 0;
    *due = LIVETCP_NEVER;
    for (unsigned s = plan->streams; s < plan->all_streams; s++) {
        livetcp_usec at = lt_plan_speech_due(plan, s, source->next[s]);
        if (!source->packets[s] || at >= plan->length || at >= *due)
            continue;
        next = s;
        *due = at;
    }
    return next;
}

/* Waits for a time from the start of the run, and speaks meanwhile. */
static void wait_until(lt_source *source, livetcp_usec until)
{
    livetcp_usec due;
    unsigned stream;
    while ((stream = next_speech(source, &due), due < until)) {
        lt_clock_sleep_until(source->start + due);
        speak(source, stream, due);
    }
    lt_clock_sleep_until(source->start + until);
}

/* ---- rounds ---- */

/* True if the flow takes part in this round. One that joins late connects first. */
static bool takes_part(lt_source *source, unsigned flow, livetcp_usec due)
{
    const lt_plan *plan = source->plan;
    lt_source_join *join = &source->join[flow];
    livetcp_error error = {.code = LIVETCP_OK};
    if (!lt_plan_takes_part(plan, flow, due))
        return false;
    if (is_connected(source, flow))
        return true;
    if (*join == LT_JOIN_NOT_YET) {
        *join = LT_JOIN_CONNECTING;
        lt_transport_connect(source->transport, flow, source->far_address,
                             source->shared->ports[flow], &error);
    } else if (lt_transport_ready(source->transport, flow, &error)) {
        *join = LT_JOIN_READY;
    }
    if (error.code && !source->failure.code)
        source->failure = error;
    return *join == LT_JOIN_READY;
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
        wait_until(source, due);
        if (!takes_part(source, stream % plan->flows, due))
            lt_encoder_skip(&source->encoders[stream]);
        else if (plan->adaptive)
            send_frame(source, stream, due);
        else
            send_full_packet(source, stream, due);
    }
}

/* As many packets of a stream as the transport has room for. Caller holds the lock. */
static void fill(lt_source *source, unsigned stream)
{
    const lt_plan *plan = source->plan;
    while (source->next[stream] < plan->packets &&
           lt_transport_writable(source->transport, stream % plan->flows))
        send_full_packet(source, stream, lt_clock_now() - source->start);
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

void lt_source_start(lt_source *source, lt_transport *transport, lt_red *red,
                     const char *far_address, livetcp_usec start)
{
    source->far_address = far_address;
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
    if (active)
        wait_until(source, until);
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

void lt_source_set_rate(lt_source *source, unsigned flow, uint32_t rate)
{
    lt_shared_store(&source->rates[flow], rate);
}

void lt_source_want_key(lt_source *source, unsigned flow)
{
    __atomic_fetch_add(&source->keys[flow], 1, __ATOMIC_RELAXED);
}
