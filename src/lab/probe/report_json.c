/* SPDX-License-Identifier: MIT */
/* "livetcp/probe/1": docs/probe.md describes it; fields are added, never changed. */
#include "lab/probe/report.h"

#include "lab/clock.h"
#include "lab/output.h"
#include "lab/probe/verdict.h"

#include <livetcp/version.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define CCDF_MOST 400 /* points of a distribution */

static void append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value))
        *failed = true;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *milliseconds(double us)
{
    return number(us / 1e3);
}

static json_t *pair(double a, double b)
{
    return json_pack("[f,f]", a, b);
}

/* Points [delay, P[delay > it]], from the least to the largest; the tail is kept whole. */
static json_t *ccdf(const double *sorted, size_t n, bool *failed)
{
    json_t *array = json_array();
    double last = -1;

    for (size_t i = 0; i < n; i++) {
        double p = (double)(n - i - 1) / (double)n;
        bool tail = n - i <= CCDF_MOST / 2, spread = i * (CCDF_MOST / 2) / n != (size_t)last;
        if (i && !tail && !spread)
            continue;
        last = (double)(i * (CCDF_MOST / 2) / n);
        append(array, pair(sorted[i] / 1e3, p), failed);
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
    lt_json_put(o, "count", count(n), failed);
    lt_json_put(o, "mean_ms", milliseconds(sum / (double)n), failed);
    lt_json_put(o, "min_ms", milliseconds(sorted[0]), failed);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        lt_json_put(o, names[i], milliseconds(lt_quantile_of(sorted, n, shares[i]).value), failed);
    lt_json_put(o, "max_ms", milliseconds(sorted[n - 1]), failed);
    lt_json_put(o, "ccdf", ccdf(sorted, n, failed), failed);
    return o;
}

static json_t *legs(const lt_probe_train *train, bool *failed)
{
    const char *const names[] = {"total", "sender", "network", "receiver"};
    json_t *o = json_object();

    for (unsigned leg = LT_LEG_TOTAL; leg <= LT_LEG_RECEIVER; leg++) {
        size_t n;
        double *sorted = lt_findings_leg(train, leg, &n);
        lt_json_put(o, names[leg], distribution(sorted, n, failed), failed);
        free(sorted);
    }
    return o;
}

static json_t *quantile(const lt_train_result *t, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "value_ms", milliseconds(t->quantile.value), failed);
    lt_json_put(o, "low_ms", milliseconds(t->quantile.low), failed);
    lt_json_put(o, "high_ms", milliseconds(t->quantile.high), failed);
    return o;
}

static json_t *tests(const lt_train_result *t, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "stationary", json_boolean(t->unit_root.stationary), failed);
    lt_json_put(o, "df_gls", number(t->unit_root.statistic), failed);
    lt_json_put(o, "df_gls_critical_5", number(t->unit_root.critical), failed);
    lt_json_put(o, "df_gls_lags", count(t->unit_root.lags), failed);
    lt_json_put(o, "independent", json_boolean(t->runs.independent), failed);
    lt_json_put(o, "runs", count(t->runs.runs), failed);
    lt_json_put(o, "runs_z", number(t->runs.z), failed);
    lt_json_put(o, "runs_p", number(t->runs.p), failed);
    return o;
}

static json_t *rate(const lt_probe_findings *f, size_t position, bool *failed)
{
    const lt_train_result *t = lt_estimator_train(f->estimator, position);
    const lt_probe_train *train = &f->trains[position];
    bool steady = t->state == LT_TRAIN_STEADY || t->state == LT_TRAIN_DEPENDENT;
    json_t *o = json_object();

    lt_json_put(o, "rate_bit_s", number(t->rate), failed);
    lt_json_put(o, "rate_packets_s", number(t->rate / (8 * (double)f->options->size)), failed);
    lt_json_put(o, "state", json_string(lt_train_state_name(t->state)), failed);
    lt_json_put(o, "over_delay_limit", json_boolean(t->over_limit), failed);
    lt_json_put(o, "within_resolution", json_boolean(t->even), failed);
    lt_json_put(o, "samples", count(train->count), failed);
    lt_json_put(o, "judged", count(t->count), failed);
    lt_json_put(o, "extensions", count(t->extensions), failed);
    lt_json_put(o, "tests", t->runs.p > 0 || t->runs.runs ? tests(t, failed) : json_null(), failed);
    lt_json_put(o, "quantile", steady ? quantile(t, failed) : json_null(), failed);
    lt_json_put(o, "delays", legs(train, failed), failed);
    lt_json_put(o, "packets", count(train->packets), failed);
    lt_json_put(o, "segments", train->segments ? count(train->segments) : json_null(), failed);
    lt_json_put(o, "retransmitted", train->segments ? count(train->retransmitted) : json_null(),
                failed);
    lt_json_put(o, "source_late_ms", milliseconds((double)train->latest), failed);
    return o;
}

static json_t *method(const lt_probe_options *o, bool *failed)
{
    json_t *j = json_object();
    lt_json_put(j, "rate_step_bit_s", number(o->step), failed);
    lt_json_put(j, "max_rate_bit_s", number(o->max_rate), failed);
    lt_json_put(j, "packet_bytes", count(o->size), failed);
    lt_json_put(j, "samples", count(o->samples), failed);
    lt_json_put(j, "interval_ms", milliseconds((double)o->interval), failed);
    lt_json_put(j, "extensions", count(o->extensions), failed);
    lt_json_put(j, "patience", count(o->patience), failed);
    lt_json_put(j, "settle_ms", milliseconds((double)o->settle), failed);
    lt_json_put(j, "quantile", number(1 - o->violation), failed);
    lt_json_put(j, "resolution_ms", milliseconds((double)o->resolution), failed);
    lt_json_put(j, "delay_limit_ms",
                o->delay_limit ? milliseconds((double)o->delay_limit) : json_null(), failed);
    lt_json_put(j, "delay_target_ms", milliseconds((double)o->delay_target), failed);
    lt_json_put(j, "seed", count(o->seed), failed);
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
    lt_json_put(o, "mss_bytes", count(p->mss), failed);
    lt_json_put(o, "least_rtt_ms", milliseconds((double)p->least_rtt), failed);
    lt_json_put(o, "least_one_way_ms", milliseconds((double)lt_verdict_least(f)), failed);
    lt_json_put(o, "clock_offset_ms", milliseconds((double)p->clock_offset), failed);
    lt_json_put(o, "clock_drift_ppm", number(p->clock_drift * 1e6), failed);
    lt_json_put(o, "stamps", json_boolean(p->stamps), failed);
    return o;
}

static json_t *curve(const lt_probe_findings *f, bool *failed)
{
    json_t *o = json_object(), *points_json = json_array(), *samples = json_array();
    size_t n;
    const livetcp_service_point *points = lt_estimator_points(f->estimator, &n);

    for (size_t i = 0; i < n; i++)
        append(points_json,
               json_pack("{s:f,s:f}", "rate_bit_s", points[i].rate, "delay_ms",
                         (double)points[i].delay_us / 1e3),
               failed);
    for (unsigned i = 0; n; i++) {
        double t = LT_CURVE_LEAST * pow(10, (double)i / LT_CURVE_DECADE);
        livetcp_usec us = (livetcp_usec)llround(t * 1e6);
        if (t > LT_CURVE_MOST * 1.001)
            break;
        append(samples,
               json_pack("{s:f,s:f,s:f}", "t_s", t, "service_bit", livetcp_service(points, n, us),
                         "attainable_bit_s", livetcp_attainable_rate(points, n, us)),
               failed);
    }
    lt_json_put(o, "violation", number(lt_findings_violation(f)), failed);
    lt_json_put(o, "long_term_bit_s", n ? number(points[n - 1].rate) : json_null(), failed);
    lt_json_put(o, "points", points_json, failed);
    lt_json_put(o, "samples", samples, failed);
    return o;
}

static json_t *played(const lt_probe_findings *f, bool *failed)
{
    const lt_probe_video *v = &f->video;
    double *delays = lt_findings_played(f);
    const lt_plays_summary *c = &v->compared;
    bool judged = v->bound != INT64_MAX && c->complete;
    json_t *o = distribution(delays, v->plays.count, failed);

    if (!delays)
        return o;
    lt_json_put(
        o, "quantile_ms",
        milliseconds(lt_quantile_of(delays, v->plays.count, 1 - f->options->violation).value),
        failed);
    lt_json_put(o, "above_bound", judged ? count(c->later) : json_null(), failed);
    lt_json_put(o, "bound_over_delay", judged ? number(c->looseness) : json_null(), failed);
    lt_json_put(o, "plays", count(c->complete), failed);
    lt_json_put(o, "frame_quantile_ms", c->complete ? milliseconds(c->quantile) : json_null(),
                failed);
    lt_json_put(o, "frames_above_bound", judged ? count(c->above) : json_null(), failed);
    lt_json_put(o, "most_violated", judged ? number(c->most_violated) : json_null(), failed);
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
    lt_json_put(o, "frames", count(v->count), failed);
    lt_json_put(o, "mean_bit_s", number(livetcp_envelope_mean_rate(v->envelope)), failed);
    lt_json_put(o, "bound_ms", v->bound == INT64_MAX ? json_null() : milliseconds((double)v->bound),
                failed);
    lt_json_put(o, "sent", played(f, failed), failed);
    return o;
}

static json_t *verdict_json(const lt_probe_findings *f, bool *failed)
{
    json_t *o = json_object();
    lt_probe_verdict v;

    lt_verdict_make(f, &v);
    lt_json_put(o, "sentence", json_string(v.sentence), failed);
    lt_json_put(o, "bitrate_bit_s", v.known ? number(v.bitrate) : json_null(), failed);
    lt_json_put(o, "policy", v.known ? json_string(v.policy) : json_null(), failed);
    lt_json_put(o, "playout_ms", v.known ? milliseconds((double)v.playout) : json_null(), failed);
    lt_json_put(o, "within_target", json_boolean(v.within_target), failed);
    lt_json_put(o, "loss", number(v.loss), failed);
    lt_json_put(o, "standing_queue", json_boolean(v.queue), failed);
    return o;
}

static void put_origin(json_t *root, const lt_probe_findings *f, bool *failed)
{
    struct utsname name;
    char date[LT_CLOCK_DATE];

    lt_clock_date(date);
    lt_json_put(root, "schema", json_string("livetcp/probe/1"), failed);
    lt_json_put(root, "livetcp", json_string(LIVETCP_VERSION), failed);
    lt_json_put(root, "date", json_string(date), failed);
    lt_json_put(root, "kernel", uname(&name) ? json_null() : json_string(name.release), failed);
    lt_json_put(root, "simulation",
                f->options->simulation[0] ? json_string(f->options->simulation) : json_null(),
                failed);
    lt_json_put(root, "interrupted", json_boolean(f->interrupted), failed);
    lt_json_put(root, "failure", f->failure[0] ? json_string(f->failure) : json_null(), failed);
}

livetcp_result lt_probe_report_json(const lt_probe_findings *findings, FILE *out,
                                    livetcp_error *error)
{
    bool failed = false;
    json_t *root = json_object(), *rates = json_array();

    put_origin(root, findings, &failed);
    lt_json_put(root, "method", method(findings->options, &failed), &failed);
    lt_json_put(root, "path", path(findings, &failed), &failed);
    for (size_t i = 0; lt_estimator_train(findings->estimator, i); i++)
        append(rates, rate(findings, i, &failed), &failed);
    lt_json_put(root, "rates", rates, &failed);
    lt_json_put(root, "service_curve", curve(findings, &failed), &failed);
    lt_json_put(root, "video", video(findings, &failed), &failed);
    lt_json_put(root, "verdict", verdict_json(findings, &failed), &failed);
    return lt_json_write(root, failed, out, error);
}
