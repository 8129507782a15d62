/* SPDX-License-Identifier: MIT */
#include "lab/bench/endpoint.h"

#include "base/error.h"
#include "lab/bench/control.h"
#include "lab/bench/packet.h"
#include "lab/bench/source.h"
#include "lab/clock.h"

#include <sys/prctl.h>

#define CONNECT_TIMEOUT_US (30 * (livetcp_usec)LIVETCP_USEC_SEC)
#define READY_POLL_US      (10 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef struct endpoint {
    const lt_endpoint_job *job;
    lt_endpoint_report *report;
    lt_transport *transport;
    lt_stall_watch *watch;
    lt_source source;
    lt_red red;
} endpoint;

static lt_media_direction outgoing(const lt_endpoint_job *job)
{
    return job->end == LT_NEAR ? LT_MEDIA_FORWARD : LT_MEDIA_BACKWARD;
}

static bool fits(const lt_plan *plan, unsigned stream, size_t size)
{
    size_t largest = plan->size - LT_BENCH_FRAMING;
    if (lt_plan_is_speech(plan, stream))
        return size == LT_SPEECH_SIZE;
    return plan->adaptive ? size <= largest : size == largest;
}

/* False if it is not a packet of the other end. */
static bool take_frame(endpoint *e, const livetcp_redundancy_frame *frame, livetcp_usec now)
{
    const lt_plan *plan = e->job->plan;
    lt_probe probe;
    lt_record *record;
    if (!lt_packet_read(frame->packet, frame->size, &probe) || probe.stream >= plan->all_streams ||
        probe.index >= plan->packets ||
        (!frame->redundant && !fits(plan, probe.stream, frame->size)) ||
        lt_plan_stream_direction(plan, probe.stream) == outgoing(e->job))
        return false;
    record = lt_shared_record(e->job->shared, plan, probe.stream, probe.index);
    if (frame->redundant) {
        if (!lt_shared_load(&record->copy))
            lt_shared_store(&record->copy, now);
    } else if (lt_shared_load(&record->arrival)) {
        e->report->repeated++;
    } else {
        lt_shared_store(&record->arrival, now);
        lt_shared_store(&e->report->arrived, e->report->arrived + 1);
    }
    return true;
}

static void on_packet(void *user, const uint8_t *packet, size_t size)
{
    livetcp_usec now = lt_clock_now();
    endpoint *e = user;
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    size_t count = lt_red_decode(&e->red, packet, size, frames);
    bool ours = count > 0;
    for (size_t i = 0; i < count; i++)
        ours = take_frame(e, &frames[i], now) && ours;
    e->report->foreign += !ours;
}

static void on_drained(void *user, unsigned flow)
{
    endpoint *e = user;
    lt_source_drained(&e->source, flow);
}

static void on_bitrate(void *user, unsigned flow, uint32_t bitrate)
{
    endpoint *e = user;
    if (lt_scheme_estimates(e->job->scheme))
        lt_source_set_rate(&e->source, flow, bitrate);
}

static void on_key_wanted(void *user, unsigned flow)
{
    endpoint *e = user;
    lt_source_want_key(&e->source, flow);
}

/* True if all flows but those that join late are connected. */
static bool all_ready(endpoint *e, livetcp_error *error)
{
    const lt_plan *plan = e->job->plan;
    for (unsigned flow = 0; flow < plan->flows; flow++)
        if (!lt_plan_joins_late(plan, flow) && !lt_transport_ready(e->transport, flow, error))
            return false;
    return true;
}

static livetcp_result connect_all(endpoint *e, livetcp_error *error)
{
    const lt_plan *plan = e->job->plan;
    livetcp_result result = LIVETCP_OK;
    for (unsigned flow = 0; result == LIVETCP_OK && flow < plan->flows; flow++)
        if (!lt_plan_joins_late(plan, flow))
            result = lt_transport_connect(e->transport, flow, e->job->far_address,
                                          e->job->shared->ports[flow], error);
    return result;
}

static livetcp_result wait_ready(endpoint *e, livetcp_error *error)
{
    livetcp_usec deadline = lt_clock_now() + CONNECT_TIMEOUT_US;
    while (!all_ready(e, error)) {
        if (error->code)
            return error->code;
        if (lt_control_pending(e->job->control))
            return lt_fail(error, LIVETCP_ERR_CANCELLED, "cancelled while connecting");
        if (lt_clock_now() > deadline)
            return lt_fail(error, LIVETCP_ERR_UNREACHABLE,
                           "not every connection was up after 30 seconds; is the path too lossy?");
        lt_clock_sleep_until(lt_clock_now() + READY_POLL_US);
    }
    return LIVETCP_OK;
}

static livetcp_result set_up(endpoint *e, livetcp_error *error)
{
    const lt_endpoint_job *job = e->job;
    const lt_transport_user user = {.receive = on_packet,
                                    .drained = on_drained,
                                    .bitrate = on_bitrate,
                                    .key_wanted = on_key_wanted,
                                    .user = e};
    livetcp_result result;
    if ((result = lt_source_init(&e->source, job->plan, job->shared, job->end, job->seed, error)) ||
        (result = lt_red_init(&e->red, job->scheme, job->plan, error)) ||
        (result = lt_stall_watch_start(&e->report->stalls, &e->watch, error)) ||
        (result = lt_transport_create(&e->transport, job->scheme, job->plan->flows, &user, error)))
        return result;
    for (unsigned flow = 0; flow < job->plan->flows; flow++)
        lt_source_set_rate(&e->source, flow, (uint32_t)job->scheme->start_rate);
    if (job->end == LT_NEAR && !lt_control_expect(job->control, LT_MESSAGE_CONNECT, NULL))
        return lt_fail(error, LIVETCP_ERR_CANCELLED, "cancelled before connecting");
    if (job->end == LT_NEAR)
        return connect_all(e, error);
    result = lt_transport_listen(e->transport, job->far_address, job->shared->ports, error);
    if (result == LIVETCP_OK)
        lt_control_send(job->control, LT_MESSAGE_LISTENING, 0);
    return result;
}

static livetcp_usec cpu_now(const endpoint *e)
{
    return lt_clock_cpu(RUSAGE_SELF) - lt_stall_watch_cpu(e->watch);
}

/* From the start of the run until the last packet was sent. */
static void send_media(endpoint *e, livetcp_usec start)
{
    const lt_plan *plan = e->job->plan;
    prctl(PR_SET_TIMERSLACK, 1); /* the default slack of 50 us would delay packets */
    lt_source_start(&e->source, e->transport, &e->red, e->job->far_address, start);
    lt_source_run(&e->source, plan->warmup_rounds, plan->measured_from);
    livetcp_usec cpu_begin = cpu_now(e);
    lt_source_run(&e->source, plan->rounds, plan->length);
    lt_source_stop(&e->source);
    e->report->cpu = cpu_now(e) - cpu_begin;
}

/* Repeated frames do not count as media. */
static void report_totals(endpoint *e)
{
    lt_transport_totals *totals = &e->report->totals;
    lt_transport_get_totals(e->transport, totals);
    totals->media_bytes = e->report->media_bytes;
}

static livetcp_result run(endpoint *e, livetcp_usec start, livetcp_error *error)
{
    const int control = e->job->control;
    send_media(e, start);
    if (e->source.failure.code) {
        *error = e->source.failure;
        return error->code;
    }
    lt_control_send(control, LT_MESSAGE_SENT, 0);
    lt_control_expect(control, LT_MESSAGE_REPORT, NULL);
    report_totals(e);
    lt_control_send(control, LT_MESSAGE_REPORTED, 0);
    lt_control_expect(control, LT_MESSAGE_END, NULL);
    return LIVETCP_OK;
}

static void tear_down(endpoint *e)
{
    lt_transport_destroy(&e->transport);
    lt_stall_watch_stop(&e->watch);
    lt_source_clear(&e->source);
    lt_red_clear(&e->red);
}

int lt_endpoint_main(const lt_endpoint_job *job)
{
    endpoint e = {.job = job, .report = &job->shared->endpoint[job->end]};
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_usec start;
    livetcp_result result = set_up(&e, &error);
    if (result == LIVETCP_OK)
        result = wait_ready(&e, &error);
    if (result == LIVETCP_OK) {
        lt_control_send(job->control, LT_MESSAGE_READY, 0);
        if (lt_control_expect(job->control, LT_MESSAGE_START, &start))
            result = run(&e, start, &error);
    }
    if (result != LIVETCP_OK) {
        e.report->error = error;
        lt_control_send(job->control, LT_MESSAGE_FAILED, 0);
    }
    tear_down(&e);
    return result == LIVETCP_OK ? 0 : 1;
}
