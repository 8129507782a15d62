/* SPDX-License-Identifier: MIT */
/* "livetcp/probe/1": docs/guide/probe.md describes it; fields are added, never changed. */
#include "lab/probe/report.h"

#include "lab/clock.h"
#include "lab/json.h"
#include "lab/probe/result.h"

#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define CCDF_MAX 400 /* maximum number of points of a distribution */

static json_t *pair(double a, double b)
{
    return json_pack("[f,f]", a, b);
}

/* Points [delay, P[delay > it]] in ascending order; the tail has all of its points. */
static json_t *ccdf(const double *sorted, size_t n, bool *failed)
{
    json_t *array = json_array();
    double last = -1;

    for (size_t i = 0; i < n; i++) {
        double p = (double)(n - i - 1) / (double)n;
        bool tail = n - i <= CCDF_MAX / 2, spread = i * (CCDF_MAX / 2) / n != (size_t)last;
        if (i && !tail && !spread)
            continue;
        last = (double)(i * (CCDF_MAX / 2) / n);
        lt_json_append(array, pair(sorted[i] / 1e3, p), failed);
    }
    return array;
}

static json_t *distribution(const double *sorted, size_t n, bool *failed)
{
    const double shares[] = {0.5, 0.9, 0.95, 0.99};
    const char *const names[] = {"p50_ms", "p90_ms", "p95_ms", "p99_ms"};
    json_t *o;
    double sum = 0;

    if (!sorted)
        return json_null();
    o = json_object();
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    lt_json_put(o, "count", lt_json_count(n), failed);
    lt_json_put(o, "mean_ms", lt_json_ms(sum / (double)n), failed);
    lt_json_put(o, "min_ms", lt_json_ms(sorted[0]), failed);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        lt_json_put(o, names[i], lt_json_ms(lt_quantile_of(sorted, n, shares[i]).value), failed);
    lt_json_put(o, "max_ms", lt_json_ms(sorted[n - 1]), failed);
    lt_json_put(o, "ccdf", ccdf(sorted, n, failed), failed);
    return o;
}

static json_t *components(const lt_probe_train *train, bool *failed)
{
    const char *const names[] = {"total", "sender", "network", "receiver"};
    json_t *o = json_object();

    for (unsigned component = LT_COMPONENT_TOTAL; component <= LT_COMPONENT_RECEIVER; component++) {
        size_t n;
        double *sorted = lt_findings_component(train, component, &n);
        lt_json_put(o, names[component], distribution(sorted, n, failed), failed);
        free(sorted);
    }
    return o;
}

static json_t *quantile(const lt_train_result *t, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "value_ms", lt_json_ms(t->quantile.value), failed);
    lt_json_put(o, "low_ms", lt_json_ms(t->quantile.low), failed);
    lt_json_put(o, "high_ms", lt_json_ms(t->quantile.high), failed);
    return o;
}

static json_t *tests(const lt_train_result *t, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "stationary", json_boolean(t->unit_root.stationary), failed);
    lt_json_put(o, "df_gls", lt_json_number(t->unit_root.statistic), failed);
    lt_json_put(o, "df_gls_critical_5", lt_json_number(t->unit_root.critical), failed);
    lt_json_put(o, "df_gls_lags", lt_json_count(t->unit_root.lags), failed);
    lt_json_put(o, "independent", json_boolean(t->runs.independent), failed);
    lt_json_put(o, "runs", lt_json_count(t->runs.runs), failed);
    lt_json_put(o, "runs_z", lt_json_number(t->runs.z), failed);
    lt_json_put(o, "runs_p", lt_json_number(t->runs.p), failed);
    return o;
}

static json_t *rate(const lt_probe_findings *f, size_t position, bool *failed)
{
    const lt_train_result *t = lt_estimator_train(f->estimator, position);
    const lt_probe_train *train = &f->trains[position];
    bool steady = t->state == LT_TRAIN_STEADY || t->state == LT_TRAIN_DEPENDENT;
    json_t *o = json_object();

    lt_json_put(o, "rate_bit_s", lt_json_number(t->rate), failed);
    lt_json_put(o, "rate_packets_s", lt_json_number(t->rate / (8 * (double)f->options->size)),
                failed);
    lt_json_put(o, "state", json_string(lt_train_state_name(t->state)), failed);
    lt_json_put(o, "over_delay_limit", json_boolean(t->over_limit), failed);
    lt_json_put(o, "within_resolution", json_boolean(t->even), failed);
    lt_json_put(o, "samples", lt_json_count(train->count), failed);
    lt_json_put(o, "judged", lt_json_count(t->count), failed);
    lt_json_put(o, "extensions", lt_json_count(t->extensions), failed);
    lt_json_put(o, "tests", t->runs.p > 0 || t->runs.runs ? tests(t, failed) : json_null(), failed);
    lt_json_put(o, "quantile", steady ? quantile(t, failed) : json_null(), failed);
    lt_json_put(o, "delays", components(train, failed), failed);
    lt_json_put(o, "packets", lt_json_count(train->packets), failed);
    lt_json_put(o, "segments", train->segments ? lt_json_count(train->segments) : json_null(),
                failed);
    lt_json_put(o, "retransmitted",
                train->segments ? lt_json_count(train->retransmitted) : json_null(), failed);
    lt_json_put(o, "source_late_ms", lt_json_ms((double)train->latest), failed);
    return o;
}

static json_t *method(const lt_probe_options *o, bool *failed)
{
    json_t *j = json_object();
    lt_json_put(j, "rate_step_bit_s", lt_json_number(o->step), failed);
    lt_json_put(j, "max_rate_bit_s", lt_json_number(o->max_rate), failed);
    lt_json_put(j, "packet_bytes", lt_json_count(o->size), failed);
    lt_json_put(j, "samples", lt_json_count(o->samples), failed);
    lt_json_put(j, "interval_ms", lt_json_ms((double)o->interval), failed);
    lt_json_put(j, "extensions", lt_json_count(o->extensions), failed);
    lt_json_put(j, "patience", lt_json_count(o->patience), failed);
    lt_json_put(j, "settle_ms", lt_json_ms((double)o->settle), failed);
    lt_json_put(j, "quantile", lt_json_number(1 - o->violation), failed);
    lt_json_put(j, "resolution_ms", lt_json_ms((double)o->resolution), failed);
    lt_json_put(j, "delay_limit_ms",
                o->delay_limit ? lt_json_ms((double)o->delay_limit) : json_null(), failed);
    lt_json_put(j, "delay_target_ms", lt_json_ms((double)o->delay_target), failed);
    lt_json_put(j, "seed", lt_json_count(o->seed), failed);
    return j;
}

static json_t *path(const lt_probe_findings *f, bool *failed)
{
    const lt_probe_path *p = &f->path;
    json_t *o = json_object();

    if (!p->known) {
        json_decref(o);
        return json_null();
    }
    lt_json_put(o, "peer", json_string(p->peer), failed);
    lt_json_put(o, "congestion_control", json_string(p->congestion_control), failed);
    lt_json_put(o, "mss_bytes", lt_json_count(p->mss), failed);
    lt_json_put(o, "least_rtt_ms", lt_json_ms((double)p->min_rtt), failed);
    lt_json_put(o, "least_one_way_ms", lt_json_ms((double)lt_probe_min_delay(f)), failed);
    lt_json_put(o, "clock_offset_ms", lt_json_ms((double)p->clock_offset), failed);
    lt_json_put(o, "clock_drift_ppm", lt_json_number(p->clock_drift * 1e6), failed);
    lt_json_put(o, "stamps", json_boolean(p->timestamps), failed);
    return o;
}

static json_t *curve(const lt_probe_findings *f, bool *failed)
{
    json_t *o = json_object(), *points_json = json_array(), *samples = json_array();
    size_t n;
    const livetcp_service_point *points = lt_estimator_points(f->estimator, &n);

    for (size_t i = 0; i < n; i++)
        lt_json_append(points_json,
                       json_pack("{s:f,s:f}", "rate_bit_s", points[i].rate, "delay_ms",
                                 (double)points[i].delay_us / 1e3),
                       failed);
    for (unsigned i = 0; n; i++) {
        double t = LT_CURVE_MIN * pow(10, (double)i / LT_CURVE_DECADE);
        livetcp_usec us = (livetcp_usec)llround(t * 1e6);
        if (t > LT_CURVE_MAX * 1.001)
            break;
        lt_json_append(samples,
                       json_pack("{s:f,s:f,s:f}", "t_s", t, "service_bit",
                                 livetcp_service(points, n, us), "attainable_bit_s",
                                 livetcp_attainable_rate(points, n, us)),
                       failed);
    }
    lt_json_put(o, "violation", lt_json_number(lt_findings_violation(f)), failed);
    lt_json_put(o, "long_term_bit_s", n ? lt_json_number(points[n - 1].rate) : json_null(), failed);
    lt_json_put(o, "points", points_json, failed);
    lt_json_put(o, "samples", samples, failed);
    return o;
}

static json_t *played(const lt_probe_findings *f, bool *failed)
{
    const lt_probe_video *v = &f->video;
    double *delays = lt_findings_played(f);
    const lt_plays_summary *c = &v->compared;
    bool classified = v->bound != INT64_MAX && c->complete;
    json_t *o = distribution(delays, v->plays.count, failed);

    if (!delays)
        return o;
    lt_json_put(o, "quantile_ms",
                lt_json_ms(lt_quantile_of(delays, v->plays.count, 1 - f->options->violation).value),
                failed);
    lt_json_put(o, "above_bound", classified ? lt_json_count(c->later) : json_null(), failed);
    lt_json_put(o, "bound_over_delay", classified ? lt_json_number(c->looseness) : json_null(),
                failed);
    lt_json_put(o, "plays", lt_json_count(c->complete), failed);
    lt_json_put(o, "frame_quantile_ms", c->complete ? lt_json_ms(c->quantile) : json_null(),
                failed);
    lt_json_put(o, "frames_above_bound", classified ? lt_json_count(c->above) : json_null(),
                failed);
    lt_json_put(o, "most_violated", classified ? lt_json_number(c->max_violated) : json_null(),
                failed);
    free(delays);
    return o;
}

static json_t *video(const lt_probe_findings *f, bool *failed)
{
    const lt_probe_video *v = &f->video;
    json_t *o;

    if (!v->envelope)
        return json_null();
    o = json_object();
    lt_json_put(o, "file", json_string(f->options->trace), failed);
    lt_json_put(o, "frames", lt_json_count(v->count), failed);
    lt_json_put(o, "mean_bit_s", lt_json_number(livetcp_envelope_mean_rate(v->envelope)), failed);
    lt_json_put(o, "bound_ms", lt_json_usec(v->bound), failed);
    lt_json_put(o, "sent", played(f, failed), failed);
    return o;
}

static json_t *result_json(const lt_probe_findings *f, bool *failed)
{
    json_t *o = json_object();
    lt_probe_result v;

    lt_probe_result_make(f, &v);
    lt_json_put(o, "sentence", json_string(v.sentence), failed);
    lt_json_put(o, "bitrate_bit_s", v.known ? lt_json_number(v.bitrate) : json_null(), failed);
    lt_json_put(o, "policy", v.known ? json_string(v.policy) : json_null(), failed);
    lt_json_put(o, "playout_ms", v.known ? lt_json_ms((double)v.playout) : json_null(), failed);
    lt_json_put(o, "within_target", json_boolean(v.within_target), failed);
    lt_json_put(o, "loss", lt_json_number(v.loss), failed);
    lt_json_put(o, "standing_queue", json_boolean(v.queue), failed);
    return o;
}

static json_t *begin(const lt_probe_findings *f, bool *failed)
{
    json_t *root = lt_json_document("livetcp/probe/1", failed);
    struct utsname name;
    char date[LT_CLOCK_DATE];

    lt_clock_date(date);
    lt_json_put(root, "date", json_string(date), failed);
    lt_json_put(root, "kernel", uname(&name) ? json_null() : json_string(name.release), failed);
    lt_json_put(root, "simulation",
                f->options->simulation[0] ? json_string(f->options->simulation) : json_null(),
                failed);
    lt_json_put(root, "interrupted", json_boolean(f->interrupted), failed);
    lt_json_put(root, "failure", f->failure[0] ? json_string(f->failure) : json_null(), failed);
    return root;
}

livetcp_result lt_probe_report_json(const lt_probe_findings *findings, FILE *out,
                                    livetcp_error *error)
{
    bool failed = false;
    json_t *root = begin(findings, &failed), *rates = json_array();

    lt_json_put(root, "method", method(findings->options, &failed), &failed);
    lt_json_put(root, "path", path(findings, &failed), &failed);
    for (size_t i = 0; lt_estimator_train(findings->estimator, i); i++)
        lt_json_append(rates, rate(findings, i, &failed), &failed);
    lt_json_put(root, "rates", rates, &failed);
    lt_json_put(root, "service_curve", curve(findings, &failed), &failed);
    lt_json_put(root, "video", video(findings, &failed), &failed);
    lt_json_put(root, "verdict", result_json(findings, &failed), &failed);
    return lt_json_write(root, failed, out, error);
}
