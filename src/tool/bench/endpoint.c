/* SPDX-License-Identifier: MIT */
#include "tool/bench/endpoint.h"

#include "base/error.h"
#include "tool/bench/clock.h"
#include "tool/bench/control.h"
#include "tool/bench/packet.h"

#include <stdlib.h>
#include <sys/prctl.h>

#define CONNECT_TIMEOUT_US (30 * (livetcp_usec)LIVETCP_USEC_SEC)
#define READY_POLL_US      (10 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef struct endpoint {
    const lt_endpoint_job *job;
    lt_endpoint_report *report;
    lt_transport *transport;
    lt_stall_watch *watch;
    uint8_t **packets; /* one prepared packet per stream */
} endpoint;

static lt_media_direction outgoing(const lt_endpoint_job *job)
{
    return job->end == LT_NEAR ? LT_MEDIA_FORWARD : LT_MEDIA_BACKWARD;
}

static void on_packet(void *user, const uint8_t *packet, size_t size)
{
    livetcp_usec now = lt_clock_now();
    endpoint *e = user;
    const lt_plan *plan = e->job->plan;
    lt_probe probe;
    lt_record *record;
    if (!lt_packet_read(packet, size, &probe) || probe.stream >= plan->streams ||
        probe.index >= plan->packets || size != plan->size - LT_BENCH_FRAMING ||
        lt_plan_stream_direction(plan, probe.stream) == outgoing(e->job)) {
        e->report->foreign++;
        return;
    }
    record = lt_shared_record(e->job->shared, plan, probe.stream, probe.index);
    if (lt_shared_load(&record->arrival)) {
        e->report->repeated++;
        return;
    }
    lt_shared_store(&record->arrival, now);
    lt_shared_store(&e->report->arrived, e->report->arrived + 1);
}

static livetcp_result prepare_packets(endpoint *e, livetcp_error *error)
{
    const lt_plan *plan = e->job->plan;
    size_t size = plan->size - LT_BENCH_FRAMING;
    e->packets = calloc(plan->streams, sizeof *e->packets);
    for (unsigned s = 0; e->packets && s < plan->streams; s++) {
        if (lt_plan_stream_direction(plan, s) != outgoing(e->job))
            continue;
        e->packets[s] = malloc(size);
        if (!e->packets[s])
            return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the packets");
        lt_packet_prepare(e->packets[s], size, UINT32_C(0x4c540000) + s, e->job->seed + s);
    }
    return e->packets ? LIVETCP_OK
                      : lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the packets");
}

static livetcp_result wait_ready(endpoint *e, livetcp_error *error)
{
    livetcp_usec deadline = lt_clock_now() + CONNECT_TIMEOUT_US;
    while (!lt_transport_ready(e->transport, error)) {
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
    livetcp_result result;
    if ((result = prepare_packets(e, error)) ||
        (result = lt_stall_watch_start(&e->report->stalls, &e->watch, error)) ||
        (result = lt_transport_create(&e->transport, job->scheme, job->plan->flows, on_packet, e,
                                      error)))
        return result;
    if (job->end == LT_NEAR && !lt_control_expect(job->control, LT_MESSAGE_CONNECT, NULL))
        return lt_fail(error, LIVETCP_ERR_CANCELLED, "cancelled before connecting");
    if (job->end == LT_NEAR)
        return lt_transport_connect(e->transport, job->far_address, job->shared->ports, error);
    result = lt_transport_listen(e->transport, job->far_address, job->shared->ports, error);
    if (result == LIVETCP_OK)
        lt_control_send(job->control, LT_MESSAGE_LISTENING, 0);
    return result;
}

static livetcp_usec cpu_now(const endpoint *e)
{
    return lt_clock_cpu(RUSAGE_SELF) - lt_stall_watch_cpu(e->watch);
}

static void send_packet(endpoint *e, unsigned stream, uint32_t index, livetcp_usec media_us)
{
    const lt_plan *plan = e->job->plan;
    lt_record *record = lt_shared_record(e->job->shared, plan, stream, index);
    lt_probe probe = {.stream = stream, .index = index, .sent = lt_clock_now()};
    lt_packet_stamp(e->packets[stream], &probe, media_us);
    lt_shared_store(&record->sent, probe.sent);
    lt_shared_store(&e->report->sent, e->report->sent + 1);
    lt_transport_send(e->transport, stream % plan->flows, e->packets[stream],
                      plan->size - LT_BENCH_FRAMING);
}

/* All streams have one interval, so their order by phase holds in every round. */
static void send_round(endpoint *e, uint32_t index, livetcp_usec start)
{
    const lt_plan *plan = e->job->plan;
    for (unsigned i = 0; i < plan->streams; i++) {
        unsigned stream = plan->order[i];
        if (!e->packets[stream])
            continue;
        livetcp_usec due = lt_plan_due(plan, stream, index);
        lt_clock_sleep_until(start + due);
        send_packet(e, stream, index, due);
    }
}

/* From the start of the run until its last packet has been sent. */
static void run(endpoint *e, livetcp_usec start)
{
    const lt_plan *plan = e->job->plan;
    bool sends = (plan->direction & outgoing(e->job)) != 0;
    livetcp_usec cpu_begin = 0;
    prctl(PR_SET_TIMERSLACK, 1); /* the default of 50 µs would be lateness of our own */
    for (uint32_t i = 0; i < plan->packets; i++) {
        if (i == plan->warmup_packets) {
            lt_clock_sleep_until(start + (livetcp_usec)i * plan->interval);
            cpu_begin = cpu_now(e);
        }
        if (sends)
            send_round(e, i, start);
    }
    lt_clock_sleep_until(start + (livetcp_usec)plan->packets * plan->interval);
    e->report->cpu = cpu_now(e) - cpu_begin;
}

static void tear_down(endpoint *e)
{
    lt_transport_destroy(&e->transport);
    lt_stall_watch_stop(&e->watch);
    for (unsigned s = 0; e->packets && s < e->job->plan->streams; s++)
        free(e->packets[s]);
    free(e->packets);
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
        if (lt_control_expect(job->control, LT_MESSAGE_START, &start)) {
            run(&e, start);
            lt_control_send(job->control, LT_MESSAGE_SENT, 0);
            lt_control_expect(job->control, LT_MESSAGE_REPORT, NULL);
            lt_transport_get_totals(e.transport, &e.report->totals);
            lt_control_send(job->control, LT_MESSAGE_REPORTED, 0);
            lt_control_expect(job->control, LT_MESSAGE_END, NULL);
        }
    } else {
        e.report->error = error;
        lt_control_send(job->control, LT_MESSAGE_FAILED, 0);
    }
    tear_down(&e);
    return result == LIVETCP_OK ? 0 : 1;
}
