/* SPDX-License-Identifier: MIT */
#include "lab/probe/report.h"

#include "lab/probe/result.h"

#include <math.h>
#include <stdlib.h>

static void print_path(const lt_probe_findings *f, FILE *out)
{
    const lt_probe_path *p = &f->path;

    if (f->options->mode == LT_PROBE_SIMULATION) {
        fprintf(out, "Simulated flow control: %s\n", f->options->simulation);
        return;
    }
    if (!p->known)
        return;
    fprintf(out,
            "Path to %s: minimum round trip %.1f ms, congestion control %s, segments of %u "
            "bytes\n",
            p->peer, (double)p->min_rtt / 1e3, p->congestion_control, p->mss);
    if (!p->timestamps)
        fputs("The kernels do not say when packets leave and come: no decomposition of delays.\n",
              out);
}

static void print_ms(FILE *out, double us)
{
    if (isfinite(us))
        fprintf(out, " %8.1f", us / 1e3);
    else
        fprintf(out, " %8s", "-");
}

/* Quantile of a delay component over all samples of the train. */
static double component_quantile(const lt_probe_findings *f, size_t position,
                                 lt_probe_component component)
{
    size_t count;
    double *values = lt_findings_component(&f->trains[position], component, &count);
    double q = values ? lt_quantile_of(values, count, 1 - f->options->violation).value : NAN;

    free(values);
    return q;
}

static const char *remark(const lt_train_result *t)
{
    switch (t->state) {
    case LT_TRAIN_DEPENDENT:
        return "samples depend on each other";
    case LT_TRAIN_UNSTEADY:
        return t->over_limit ? "no steady state: over the delay limit" : "no steady state";
    case LT_TRAIN_INTERRUPTED:
        return "interrupted";
    default:
        return "";
    }
}

static void print_rates(const lt_probe_findings *f, FILE *out)
{
    double share = 1 - f->options->violation;
    const lt_train_result *t;

    fprintf(out,
            "\n   rate      packets  samples   p%-5.4g delay, ms: [95 %% confidence]      of "
            "which in   lost\n",
            100 * share);
    fprintf(out, "   Mbit/s      per s            one way                       sender  network "
                 "receiver\n");
    for (size_t i = 0; (t = lt_estimator_train(f->estimator, i)); i++) {
        const lt_probe_train *train = &f->trains[i];
        bool steady = t->state == LT_TRAIN_STEADY || t->state == LT_TRAIN_DEPENDENT;
        fprintf(out, "%9.3f %12.1f %8zu", t->rate / 1e6, t->rate / (8 * (double)f->options->size),
                t->count);
        print_ms(out, steady ? t->quantile.value : NAN);
        if (steady) {
            fputs(" [", out);
            print_ms(out, t->quantile.low);
            print_ms(out, t->quantile.high);
            fputs(" ]", out);
            print_ms(out, component_quantile(f, i, LT_COMPONENT_SENDER));
            print_ms(out, component_quantile(f, i, LT_COMPONENT_NETWORK));
            print_ms(out, component_quantile(f, i, LT_COMPONENT_RECEIVER));
            if (train->segments)
                fprintf(out, " %5.2f%%",
                        100 * (double)train->retransmitted / (double)train->segments);
        }
        fprintf(out, "  %s\n", remark(t));
    }
}

static void print_curve(const lt_probe_findings *f, FILE *out)
{
    const livetcp_usec times[] = {50000,   100000,  200000,   500000,   1000000,
                                  2000000, 5000000, 10000000, 60000000, 600000000};
    size_t count;
    const livetcp_service_point *points = lt_estimator_points(f->estimator, &count);

    if (!count)
        return;
    fprintf(out,
            "\nWhat may be counted on over any time t, but for a probability of %.3g:\n\n"
            "       t, s    S(t), kbit   S(t)/t, Mbit/s\n",
            lt_findings_violation(f));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        fprintf(out, "%11.2f %13.0f %16.3f\n", (double)times[i] / 1e6,
                livetcp_service(points, count, times[i]) / 1e3,
                livetcp_attainable_rate(points, count, times[i]) / 1e6);
}

static void print_few(const lt_probe_findings *f, FILE *out)
{
    double share = 1 - f->options->violation;

    if (f->options->violation > 0 && f->options->samples < lt_quantile_samples(share))
        fprintf(out,
                "\nToo few samples to be sure of the %.4g-quantile: no upper bound is known "
                "for it. --samples=%zu\nor more would have one, or a smaller --quantile.\n",
                share, lt_quantile_samples(share));
}

static void print_compared(const lt_probe_findings *f, FILE *out)
{
    const lt_plays_summary *c = &f->video.compared;

    fprintf(
        out,
        "Over %zu play%s, the largest %.4g-quantile of one frame's delay is %.1f ms: the bound is "
        "%.2f times it.\n%zu of %zu frames have a quantile above their own bounds; the worst was "
        "later in %.3g %% of the plays.\n",
        c->complete, c->complete == 1 ? "" : "s", 1 - lt_findings_violation(f), c->quantile / 1e3,
        (double)f->video.bound / c->quantile, c->above, f->video.count, 100 * c->max_violated);
}

static void print_played(const lt_probe_findings *f, FILE *out)
{
    const lt_probe_video *v = &f->video;
    double *delays = lt_findings_played(f), share = 1 - f->options->violation;

    if (!delays)
        return;
    fprintf(out,
            "Sent over the path: %zu frames arrived, %.4g-quantile of their delay %.1f ms, "
            "largest %.1f ms\n",
            v->plays.count, share, lt_quantile_of(delays, v->plays.count, share).value / 1e3,
            delays[v->plays.count - 1] / 1e3);
    if (v->bound != INT64_MAX && v->compared.complete)
        print_compared(f, out);
    free(delays);
}

static void print_video(const lt_probe_findings *f, FILE *out)
{
    const lt_probe_video *v = &f->video;

    if (!v->envelope)
        return;
    fprintf(out, "\nVideo %s: %zu frames, mean %.3f Mbit/s, ", f->options->trace, v->count,
            livetcp_envelope_mean_rate(v->envelope) / 1e6);
    if (v->bound == INT64_MAX)
        fputs("more than the path carries: its delay has no bound\n", out);
    else
        fprintf(out, "delay bound %.1f ms\n", (double)v->bound / 1e3);
    print_played(f, out);
}

static void print_lateness(const lt_probe_findings *f, FILE *out)
{
    livetcp_usec latest = 0;

    for (size_t i = 0; i < f->train_count; i++)
        if (f->trains[i].latest > latest)
            latest = f->trains[i].latest;
    if (latest > 10000)
        fprintf(out,
                "\nThis machine was up to %.0f ms late with its packets, which counts as delay "
                "of the sender:\nrun it with nothing beside it, or as chrt -r 10 livetcp "
                "probe.\n",
                (double)latest / 1e3);
}

void lt_probe_report_table(const lt_probe_findings *findings, FILE *out)
{
    lt_probe_result result;

    lt_probe_result_make(findings, &result);
    print_path(findings, out);
    print_rates(findings, out);
    print_few(findings, out);
    print_curve(findings, out);
    print_video(findings, out);
    print_lateness(findings, out);
    if (findings->interrupted)
        fputs("\nInterrupted: this is what was known by then.\n", out);
    fprintf(out, "\n%s\n", result.sentence);
}
