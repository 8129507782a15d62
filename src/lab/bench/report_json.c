/* SPDX-License-Identifier: MIT */
#include "lab/bench/report.h"

#include "lab/clock.h"
#include "lab/json.h"

#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static json_t *summary_json(const lt_delay_summary *d, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "sent", lt_json_count(d->sent), failed);
    lt_json_put(o, "lost", lt_json_count(d->lost), failed);
    lt_json_put(o, "mean_ms", lt_json_number(d->mean / 1e3), failed);
    lt_json_put(o, "min_ms", lt_json_usec(d->min), failed);
    lt_json_put(o, "p50_ms", lt_json_usec(d->p50), failed);
    lt_json_put(o, "p90_ms", lt_json_usec(d->p90), failed);
    lt_json_put(o, "p95_ms", lt_json_usec(d->p95), failed);
    lt_json_put(o, "p99_ms", lt_json_usec(d->p99), failed);
    lt_json_put(o, "p99_9_ms", lt_json_usec(d->p999), failed);
    lt_json_put(o, "max_ms", lt_json_usec(d->max), failed);
    lt_json_put(o, "within_200ms", lt_json_number(d->within_200ms), failed);
    lt_json_put(o, "within_500ms", lt_json_number(d->within_500ms), failed);
    return o;
}

static json_t *playout_json(const lt_outcome *outcome, bool *failed)
{
    const lt_playout_list *list = &outcome->run->options->playout;
    json_t *all = json_array();
    for (unsigned i = 0; i < list->count; i++) {
        const lt_playout *p = &outcome->playout[i];
        json_t *o = json_object();
        lt_json_put(o, "playout", json_string(list->points[i].name), failed);
        lt_json_put(o, "over_ms", lt_json_usec(list->points[i].over), failed);
        lt_json_put(o, "delay_ms", lt_json_usec(p->delay), failed);
        lt_json_put(o, "packets", lt_json_count(p->packets), failed);
        lt_json_put(o, "late", lt_json_count(p->late), failed);
        lt_json_put(o, "late_share", lt_json_number(lt_playout_late_share(p)), failed);
        lt_json_put(o, "primary", lt_json_count(p->packets - p->late - p->secondary), failed);
        lt_json_put(o, "secondary", lt_json_count(p->secondary), failed);
        lt_json_put(o, "saved_ratio", lt_json_number(lt_playout_saved_share(p)), failed);
        lt_json_put(o, "stddev_ms", lt_json_usec(p->stddev), failed);
        lt_json_put(o, "talkspurts", lt_json_count(p->talkspurts), failed);
        lt_json_put(o, "burst_ratio", lt_json_number(p->burst_ratio), failed);
        lt_json_put(o, "rating", lt_json_number(p->rating), failed);
        lt_json_put(o, "mos", lt_json_number(p->mos), failed);
        lt_json_put(o, "most_mos", lt_json_number(p->max_mos), failed);
        lt_json_append(all, o, failed);
    }
    return all;
}

static json_t *adaptive_json(const lt_outcome *outcome, bool *failed)
{
    const lt_rates *r = &outcome->rates;
    json_t *o = json_object();
    lt_json_put(o, "follows_estimate", json_boolean(lt_scheme_estimates(outcome->run->scheme)),
                failed);
    lt_json_put(o, "whole", summary_json(&outcome->whole, failed), failed);
    lt_json_put(o, "frames", lt_json_count(r->frames), failed);
    lt_json_put(o, "rate_min_bit_s", lt_json_number(r->min), failed);
    lt_json_put(o, "rate_mean_bit_s", lt_json_number(r->mean), failed);
    lt_json_put(o, "rate_max_bit_s", lt_json_number(r->max), failed);
    lt_json_put(o, "rate_last_bit_s", lt_json_number(r->last), failed);
    lt_json_put(o, "link_share", lt_json_number(outcome->link_share), failed);
    return o;
}

static json_t *link_json(const lt_path_counters *c, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "packets", lt_json_count(c->link.in_packets), failed);
    lt_json_put(o, "bytes", lt_json_count(c->link.in_bytes), failed);
    lt_json_put(o, "lost", lt_json_count(c->link.lost_random + c->link.lost_burst), failed);
    lt_json_put(o, "lost_outage", lt_json_count(c->link.lost_outage), failed);
    lt_json_put(o, "dropped_queue", lt_json_count(c->link.dropped_queue), failed);
    lt_json_put(o, "dropped_aqm", lt_json_count(c->link.dropped_aqm), failed);
    lt_json_put(o, "dropped_policer", lt_json_count(c->link.dropped_policer), failed);
    lt_json_put(o, "marked", lt_json_count(c->link.marked), failed);
    lt_json_put(o, "queue_max_ms", lt_json_usec(c->link.queue_max_delay), failed);
    lt_json_put(o, "emulator_dropped", lt_json_count(c->read_dropped + c->write_failed), failed);
    lt_json_put(o, "emulator_late_p99_ms", lt_json_usec(c->lateness_p99), failed);
    lt_json_put(o, "emulator_late_max_ms", lt_json_usec(c->lateness_max), failed);
    return o;
}

/* Counters of the first link, and of the others if there are several. */
static json_t *path_json(const lt_outcome *outcome, bool *failed)
{
    const lt_path_counters *counters = &outcome->run->counters[outcome->backward];
    const unsigned links = outcome->run->options->links;
    json_t *o = link_json(counters, failed);
    lt_json_put(o, "emulator_stalls", lt_json_count(outcome->run->health.stalls), failed);
    lt_json_put(o, "emulator_longest_stall_ms", lt_json_usec(outcome->run->health.longest_stall),
                failed);
    if (links > 1) {
        json_t *list = json_array();
        for (unsigned i = 0; i < links; i++)
            *failed |= json_array_append_new(list, link_json(&counters[2 * i], failed)) != 0;
        lt_json_put(o, "links", list, failed);
    }
    return o;
}

static json_t *outcome_json(const lt_outcome *outcome, bool *failed)
{
    const lt_scheme *scheme = outcome->run->scheme;
    const lt_transport_totals *t = outcome->totals;
    const lt_delay_summary *d = lt_outcome_headline(outcome);
    livetcp_usec base = outcome->propagation;
    json_t *o = json_object();
    lt_json_put(o, "scheme", json_string(scheme->label), failed);
    lt_json_put(o, "spec", json_string(scheme->spec), failed);
    lt_json_put(o, "transport", json_string(lt_scheme_transport(scheme)), failed);
    if (scheme->kind == LT_TRANSPORT_LIVETCP)
        lt_json_put(o, "policy", json_string(scheme->config.policy), failed);
    lt_json_put(o, "connections", lt_json_count(scheme->config.connections), failed);
    lt_json_put(o, "split", lt_json_count(scheme->config.split), failed);
    lt_json_put(o, "redundancy", lt_json_count(scheme->redundancy), failed);
    lt_json_put(o, "nagle", json_boolean(scheme->nagle), failed);
    lt_json_put(o, "congestion_control", json_string(t->congestion_control), failed);
    lt_json_put(o, "direction", json_string(outcome->backward ? "backward" : "forward"), failed);
    lt_json_put(o, "all", summary_json(&outcome->all, failed), failed);
    lt_json_put(o, "clean", summary_json(&outcome->clean, failed), failed);
    lt_json_put(o, "flagged", lt_json_count(outcome->flagged), failed);
    if (outcome->run->options->plan.silence)
        lt_json_put(o, "opening", summary_json(&outcome->opening, failed), failed);
    if (outcome->run->options->plan.adaptive)
        lt_json_put(o, "adaptive", adaptive_json(outcome, failed), failed);
    if (outcome->run->options->plan.speech)
        lt_json_put(o, "speech", summary_json(&outcome->speech, failed), failed);
    if (outcome->run->options->playout.count)
        lt_json_put(o, "playout", playout_json(outcome, failed), failed);
    lt_json_put(o, "source_lateness", summary_json(&outcome->lateness, failed), failed);
    lt_json_put(o, "propagation_ms", lt_json_usec(outcome->propagation), failed);
    lt_json_put(o, "full_queue_ms", lt_json_usec(outcome->full_queue), failed);
    lt_json_put(o, "excess_p50_ms", lt_json_usec(lt_delay_excess(d->p50, base)), failed);
    lt_json_put(o, "excess_p95_ms", lt_json_usec(lt_delay_excess(d->p95, base)), failed);
    lt_json_put(o, "excess_p99_ms", lt_json_usec(lt_delay_excess(d->p99, base)), failed);
    lt_json_put(o, "bytes_per_media_byte", lt_json_number(outcome->bytes_ratio), failed);
    lt_json_put(o, "wire_bytes_per_media_byte", lt_json_number(outcome->wire_ratio), failed);
    lt_json_put(o, "cpu_send_us", lt_json_number(outcome->cpu_send), failed);
    lt_json_put(o, "cpu_receive_us", lt_json_number(outcome->cpu_receive), failed);
    lt_json_put(o, "segments", t->segments ? lt_json_count(t->segments) : json_null(), failed);
    lt_json_put(o, "retransmitted", lt_json_count(t->retransmitted), failed);
    lt_json_put(o, "dropped", lt_json_count(t->dropped), failed);
    lt_json_put(o, "refused", lt_json_count(t->refused), failed);
    lt_json_put(o, "reconnects", lt_json_count(t->reconnects), failed);
    lt_json_put(o, "max_queue_ms", lt_json_usec(t->max_queue_us), failed);
    lt_json_put(o, "media_mbit_s", lt_json_number(outcome->media_rate / 1e6), failed);
    lt_json_put(o, "peer_mbit_s", lt_json_number(outcome->peer_rate / 1e6), failed);
    lt_json_put(o, "mice_mbit_s", lt_json_number(outcome->mice_rate / 1e6), failed);
    lt_json_put(o, "cbr_mbit_s", lt_json_number(outcome->cbr_rate / 1e6), failed);
    lt_json_put(o, "ftp_mbit_s", lt_json_number(outcome->ftp_rate / 1e6), failed);
    lt_json_put(o, "web_mbit_s", lt_json_number(outcome->web_rate / 1e6), failed);
    if (outcome->run->options->emulated)
        lt_json_put(o, "path", path_json(outcome, failed), failed);
    return o;
}

static json_t *sysctls_json(const lt_bench_options *options, bool *failed)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < options->sysctl_count; i++)
        lt_json_append(list, json_string(options->sysctls[i]), failed);
    return list;
}

static json_t *parameters_json(const lt_bench_options *options, bool *failed)
{
    const lt_plan *plan = &options->plan;
    json_t *o = json_object();
    lt_json_put(o, "command", json_string(options->command), failed);
    lt_json_put(o, "flows", lt_json_count(plan->flows), failed);
    lt_json_put(o, "size", lt_json_count(plan->size), failed);
    lt_json_put(o, "interval_ms", lt_json_usec(plan->interval), failed);
    lt_json_put(o, "warmup_s", lt_json_number((double)plan->warmup / 1e6), failed);
    lt_json_put(o, "duration_s", lt_json_number((double)plan->duration / 1e6), failed);
    lt_json_put(o, "drain_s", lt_json_number((double)options->drain / 1e6), failed);
    lt_json_put(o, "seed", lt_json_count(options->seed), failed);
    lt_json_put(o, "path_forward", json_string(options->link_text[0]), failed);
    lt_json_put(o, "path_backward", json_string(options->link_text[1]), failed);
    lt_json_put(o, "sysctls", sysctls_json(options, failed), failed);
    lt_json_put(o, "greedy", json_boolean(plan->greedy), failed);
    lt_json_put(o, "adaptive", json_boolean(plan->adaptive), failed);
    if (plan->adaptive) {
        lt_json_put(o, "start_rate_bit_s", lt_json_number(plan->encoder.start_rate), failed);
        lt_json_put(o, "max_rate_bit_s", lt_json_number(plan->encoder.max_rate), failed);
        lt_json_put(o, "overshoot", lt_json_number(plan->encoder.overshoot), failed);
        lt_json_put(o, "key_interval_frames", lt_json_count(plan->encoder.key_interval), failed);
        lt_json_put(o, "trace", json_string(options->trace), failed);
    }
    lt_json_put(o, "speech", json_boolean(plan->speech), failed);
    lt_json_put(o, "talkspurt_s", lt_json_number((double)plan->talkspurt / 1e6), failed);
    lt_json_put(o, "silence_s", lt_json_number((double)plan->silence / 1e6), failed);
    lt_json_put(o, "packets_per_talkspurt", lt_json_count(plan->spurt_packets), failed);
    lt_json_put(o, "opening_packets", lt_json_count(plan->opening), failed);
    lt_json_put(o, "ftp", lt_json_count(options->load.ftp), failed);
    lt_json_put(o, "web", lt_json_count(options->load.web), failed);
    lt_json_put(o, "mice", lt_json_count(options->load.mice), failed);
    lt_json_put(o, "cbr_mbit_s", lt_json_number((double)options->load.cbr / 1e6), failed);
    lt_json_put(o, "poisson_mbit_s", lt_json_number((double)options->load.poisson / 1e6), failed);
    lt_json_put(o, "peer", json_boolean(options->load.peer), failed);
    lt_json_put(o, "background_cc", json_string(options->load.congestion_control), failed);
    if (options->playout.count)
        lt_json_put(o, "codec", json_string(options->playout.codec->name), failed);
    lt_json_put(o, "consecutive", json_boolean(options->consecutive), failed);
    lt_json_put(o, "discard_stalls", json_boolean(options->discard_stalls), failed);
    return o;
}

static json_t *machine_json(bool *failed)
{
    struct utsname name;
    double load[1] = {NAN};
    char date[LT_CLOCK_DATE];
    json_t *o = json_object();
    lt_clock_date(date);
    lt_json_put(o, "date", json_string(date), failed);
    if (uname(&name) == 0)
        lt_json_put(o, "kernel", json_string(name.release), failed);
    lt_json_put(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)), failed);
    if (getloadavg(load, 1) == 1)
        lt_json_put(o, "load_1min", lt_json_number(load[0]), failed);
    return o;
}

static json_t *stalls_json(const lt_outcomes *outcomes, bool *failed)
{
    json_t *list = json_array();
    for (size_t i = 0; i < outcomes->stall_count; i++) {
        const lt_stall *s = &outcomes->stalls[i];
        json_t *o = json_object();
        lt_json_put(o, "at_s", lt_json_number((double)(s->begin - outcomes->begin) / 1e6), failed);
        lt_json_put(o, "length_ms", lt_json_usec(s->end - s->begin), failed);
        lt_json_append(list, o, failed);
    }
    return list;
}

livetcp_result lt_report_json(const lt_outcomes *outcomes, FILE *out, livetcp_error *error)
{
    bool failed = false;
    json_t *root = lt_json_document("livetcp/bench/1", &failed), *list = json_array();
    lt_json_put(root, "machine", machine_json(&failed), &failed);
    lt_json_put(root, "parameters", parameters_json(outcomes->outcomes[0].run->options, &failed),
                &failed);
    lt_json_put(root, "worst_wakeup_ms", lt_json_usec(outcomes->worst_wakeup), &failed);
    lt_json_put(root, "stalled_ms", lt_json_usec(outcomes->stalled), &failed);
    lt_json_put(root, "stalls", stalls_json(outcomes, &failed), &failed);
    for (unsigned i = 0; i < outcomes->count; i++)
        lt_json_append(list, outcome_json(&outcomes->outcomes[i], &failed), &failed);
    lt_json_put(root, "results", list, &failed);
    return lt_json_write(root, failed, out, error);
}
