/* SPDX-License-Identifier: MIT */
#include "tool/bench/report.h"

#include "base/error.h"

#include <livetcp/version.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Jansson's object and array functions take over the value and accept NULL, the sign of memory
 * that ran out; one check at the end sees it. */
static void put(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value))
        *failed = true;
}

static json_t *milliseconds(livetcp_usec value)
{
    return value == LT_DELAY_NEVER ? json_null() : json_real((double)value / 1e3);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *summary_json(const lt_delay_summary *d, bool *failed)
{
    json_t *o = json_object();
    put(o, "sent", count(d->sent), failed);
    put(o, "lost", count(d->lost), failed);
    put(o, "mean_ms", number(d->mean / 1e3), failed);
    put(o, "min_ms", milliseconds(d->min), failed);
    put(o, "p50_ms", milliseconds(d->p50), failed);
    put(o, "p90_ms", milliseconds(d->p90), failed);
    put(o, "p95_ms", milliseconds(d->p95), failed);
    put(o, "p99_ms", milliseconds(d->p99), failed);
    put(o, "p99_9_ms", milliseconds(d->p999), failed);
    put(o, "max_ms", milliseconds(d->max), failed);
    put(o, "within_200ms", number(d->within_200ms), failed);
    put(o, "within_500ms", number(d->within_500ms), failed);
    return o;
}

static json_t *playout_json(const lt_outcome *outcome, bool *failed)
{
    const lt_playout_list *list = &outcome->run->options->playout;
    json_t *all = json_array();
    for (unsigned i = 0; i < list->count; i++) {
        const lt_playout *p = &outcome->playout[i];
        json_t *o = json_object();
        put(o, "playout", json_string(list->points[i].name), failed);
        put(o, "over_ms", milliseconds(list->points[i].over), failed);
        put(o, "delay_ms", milliseconds(p->delay), failed);
        put(o, "packets", count(p->packets), failed);
        put(o, "late", count(p->late), failed);
        put(o, "late_share", number(lt_playout_late_share(p)), failed);
        put(o, "burst_ratio", number(p->burst_ratio), failed);
        put(o, "rating", number(p->rating), failed);
        put(o, "mos", number(p->mos), failed);
        put(o, "most_mos", number(p->most_mos), failed);
        if (json_array_append_new(all, o))
            *failed = true;
    }
    return all;
}

static json_t *path_json(const lt_outcome *outcome, bool *failed)
{
    const lt_path_counters *c = &outcome->run->counters[outcome->backward];
    json_t *o = json_object();
    put(o, "packets", count(c->link.in_packets), failed);
    put(o, "bytes", count(c->link.in_bytes), failed);
    put(o, "lost", count(c->link.lost_random + c->link.lost_burst), failed);
    put(o, "dropped_queue", count(c->link.dropped_queue), failed);
    put(o, "queue_max_ms", milliseconds(c->link.queue_max_delay), failed);
    put(o, "emulator_dropped", count(c->read_dropped + c->write_failed), failed);
    put(o, "emulator_late_p99_ms", milliseconds(c->lateness_p99), failed);
    put(o, "emulator_late_max_ms", milliseconds(c->lateness_max), failed);
    put(o, "emulator_stalls", count(outcome->run->health.stalls), failed);
    put(o, "emulator_longest_stall_ms", milliseconds(outcome->run->health.longest_stall), failed);
    return o;
}

static json_t *outcome_json(const lt_outcome *outcome, bool *failed)
{
    const lt_scheme *scheme = outcome->run->scheme;
    const lt_transport_totals *t = outcome->totals;
    const lt_delay_summary *d = lt_outcome_headline(outcome);
    livetcp_usec base = outcome->propagation;
    json_t *o = json_object();
    put(o, "scheme", json_string(scheme->label), failed);
    put(o, "spec", json_string(scheme->spec), failed);
    put(o, "transport", json_string(lt_report_transport(scheme)), failed);
    if (scheme->kind == LT_TRANSPORT_LIVETCP)
        put(o, "policy", json_string(scheme->config.policy), failed);
    put(o, "connections", count(scheme->config.connections), failed);
    put(o, "split", count(scheme->config.split), failed);
    put(o, "nagle", json_boolean(scheme->nagle), failed);
    put(o, "congestion_control", json_string(t->congestion_control), failed);
    put(o, "direction", json_string(outcome->backward ? "backward" : "forward"), failed);
    put(o, "all", summary_json(&outcome->all, failed), failed);
    put(o, "clean", summary_json(&outcome->clean, failed), failed);
    put(o, "flagged", count(outcome->flagged), failed);
    if (outcome->run->options->plan.silence)
        put(o, "opening", summary_json(&outcome->opening, failed), failed);
    if (outcome->run->options->playout.count)
        put(o, "playout", playout_json(outcome, failed), failed);
    put(o, "source_lateness", summary_json(&outcome->lateness, failed), failed);
    put(o, "propagation_ms", milliseconds(outcome->propagation), failed);
    put(o, "full_queue_ms", milliseconds(outcome->full_queue), failed);
    put(o, "excess_p50_ms", milliseconds(lt_delay_excess(d->p50, base)), failed);
    put(o, "excess_p95_ms", milliseconds(lt_delay_excess(d->p95, base)), failed);
    put(o, "excess_p99_ms", milliseconds(lt_delay_excess(d->p99, base)), failed);
    put(o, "bytes_per_media_byte", number(outcome->bytes_ratio), failed);
    put(o, "wire_bytes_per_media_byte", number(outcome->wire_ratio), failed);
    put(o, "cpu_send_us", number(outcome->cpu_send), failed);
    put(o, "cpu_receive_us", number(outcome->cpu_receive), failed);
    put(o, "retransmitted", count(t->retransmitted), failed);
    put(o, "dropped", count(t->dropped), failed);
    put(o, "refused", count(t->refused), failed);
    put(o, "reconnects", count(t->reconnects), failed);
    put(o, "max_queue_ms", milliseconds(t->max_queue_us), failed);
    put(o, "media_mbit_s", number(outcome->media_rate / 1e6), failed);
    put(o, "peer_mbit_s", number(outcome->peer_rate / 1e6), failed);
    put(o, "mice_mbit_s", number(outcome->mice_rate / 1e6), failed);
    put(o, "cbr_mbit_s", number(outcome->cbr_rate / 1e6), failed);
    put(o, "ftp_mbit_s", number(outcome->ftp_rate / 1e6), failed);
    put(o, "web_mbit_s", number(outcome->web_rate / 1e6), failed);
    if (outcome->run->options->emulated)
        put(o, "path", path_json(outcome, failed), failed);
    return o;
}

static json_t *parameters_json(const lt_bench_options *options, bool *failed)
{
    const lt_plan *plan = &options->plan;
    json_t *o = json_object();
    put(o, "flows", count(plan->flows), failed);
    put(o, "size", count(plan->size), failed);
    put(o, "interval_ms", milliseconds(plan->interval), failed);
    put(o, "warmup_s", number((double)plan->warmup / 1e6), failed);
    put(o, "duration_s", number((double)plan->duration / 1e6), failed);
    put(o, "drain_s", number((double)options->drain / 1e6), failed);
    put(o, "seed", count(options->seed), failed);
    put(o, "path_forward", json_string(options->link_text[0]), failed);
    put(o, "path_backward", json_string(options->link_text[1]), failed);
    put(o, "greedy", json_boolean(plan->greedy), failed);
    put(o, "talkspurt_s", number((double)plan->talkspurt / 1e6), failed);
    put(o, "silence_s", number((double)plan->silence / 1e6), failed);
    put(o, "packets_per_talkspurt", count(plan->spurt_packets), failed);
    put(o, "opening_packets", count(plan->opening), failed);
    put(o, "ftp", count(options->load.ftp), failed);
    put(o, "web", count(options->load.web), failed);
    put(o, "mice", count(options->load.mice), failed);
    put(o, "cbr_mbit_s", number((double)options->load.cbr / 1e6), failed);
    put(o, "peer", json_boolean(options->load.peer), failed);
    put(o, "background_cc", json_string(options->load.congestion_control), failed);
    if (options->playout.count)
        put(o, "codec", json_string(options->playout.codec->name), failed);
    put(o, "consecutive", json_boolean(options->consecutive), failed);
    put(o, "discard_stalls", json_boolean(options->discard_stalls), failed);
    return o;
}

static json_t *machine_json(bool *failed)
{
    struct utsname name;
    double load[1] = {NAN};
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    json_t *o = json_object();
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    put(o, "date", json_string(date), failed);
    if (uname(&name) == 0)
        put(o, "kernel", json_string(name.release), failed);
    put(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)), failed);
    if (getloadavg(load, 1) == 1)
        put(o, "load_1min", number(load[0]), failed);
    return o;
}

static json_t *stalls_json(const lt_outcomes *outcomes, bool *failed)
{
    json_t *list = json_array();
    for (size_t i = 0; i < outcomes->stall_count; i++) {
        const lt_stall *s = &outcomes->stalls[i];
        json_t *o = json_object();
        put(o, "at_s", number((double)(s->begin - outcomes->begin) / 1e6), failed);
        put(o, "length_ms", milliseconds(s->end - s->begin), failed);
        if (json_array_append_new(list, o))
            *failed = true;
    }
    return list;
}

livetcp_result lt_report_json(const lt_outcomes *outcomes, FILE *out, livetcp_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *list = json_array();
    put(root, "livetcp", json_string(LIVETCP_VERSION), &failed);
    put(root, "machine", machine_json(&failed), &failed);
    put(root, "parameters", parameters_json(outcomes->outcomes[0].run->options, &failed), &failed);
    put(root, "worst_wakeup_ms", milliseconds(outcomes->worst_wakeup), &failed);
    put(root, "stalled_ms", milliseconds(outcomes->stalled), &failed);
    put(root, "stalls", stalls_json(outcomes, &failed), &failed);
    for (unsigned i = 0; i < outcomes->count; i++)
        if (json_array_append_new(list, outcome_json(&outcomes->outcomes[i], &failed)))
            failed = true;
    put(root, "results", list, &failed);
    if (failed || json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) ||
        fputc('\n', out) == EOF)
        failed = true;
    json_decref(root);
    return failed ? lt_fail(error, LIVETCP_ERR_SYSTEM, "cannot write the JSON report") : LIVETCP_OK;
}
