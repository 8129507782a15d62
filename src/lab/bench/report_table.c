/* SPDX-License-Identifier: MIT */
#include "lab/bench/report.h"

#include <math.h>
#include <string.h>

static const char *const way_names[2] = {"forward", "backward"};

static void print_ms(FILE *out, int width, livetcp_usec value)
{
    double ms = (double)value / 1000;
    if (value == LT_DELAY_NEVER)
        fprintf(out, " %*s", width, "never");
    else
        fprintf(out, " %*.*f", width, fabs(ms) < 100 ? 2 : 1, ms);
}

static void print_number(FILE *out, int width, int decimals, double value)
{
    if (isnan(value))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, decimals, value);
}

static int label_width(const lt_outcomes *outcomes)
{
    size_t width = strlen("excess over propagation, ms");
    for (unsigned i = 0; i < outcomes->count; i++) {
        size_t length = strlen(outcomes->outcomes[i].run->scheme->label);
        if (length > width)
            width = length;
    }
    return (int)width;
}

static void print_load(const lt_load *load, FILE *out)
{
    if (!lt_load_any(load))
        return;
    fprintf(out, "background: %u FTP, %u web and %u mouse flows", load->ftp, load->web, load->mice);
    if (load->cbr)
        fprintf(out, ", %g Mbit/s of UDP", (double)load->cbr / 1e6);
    if (load->poisson)
        fprintf(out, ", %g Mbit/s of UDP at random", (double)load->poisson / 1e6);
    fprintf(out, "%s beside each scheme\n", load->peer ? ", and the peer," : "");
}

static void print_encoder(const lt_bench_options *options, FILE *out)
{
    const lt_encoder_config *encoder = &options->plan.encoder;
    fprintf(out, "for %g frames/s (%s", 1e6 / (double)encoder->interval, options->trace);
    if (encoder->key_interval)
        fprintf(out, ", a key frame every %g s",
                (double)encoder->key_interval * (double)encoder->interval / 1e6);
    fprintf(out, "), from %g kbit/s, at most %g kbit/s", encoder->start_rate / 1e3,
            encoder->max_rate / 1e3);
    if (encoder->overshoot != 1)
        fprintf(out, ", %g times what it is told", encoder->overshoot);
}

static void print_head(const lt_outcomes *outcomes, FILE *out)
{
    const lt_bench_options *options = outcomes->outcomes[0].run->options;
    const lt_plan *plan = &options->plan;
    fprintf(out, "%u flow%s, packets of %s%zu bytes ", plan->flows, plan->flows == 1 ? "" : "s",
            plan->adaptive ? "up to " : "", plan->size);
    if (plan->adaptive)
        print_encoder(options, out);
    else if (plan->greedy)
        fputs("as fast as they are taken", out);
    else
        fprintf(out, "every %g ms", (double)plan->interval / 1e3);
    if (plan->silence)
        fprintf(out, " in talkspurts of %g s with %g s of silence between them",
                (double)plan->talkspurt / 1e6, (double)plan->silence / 1e6);
    if (plan->speech)
        fputs(", and speech", out);
    fprintf(out, ", %g s after %g s of warm-up, seed %llu\n", (double)plan->duration / 1e6,
            (double)plan->warmup / 1e6, (unsigned long long)options->seed);
    if (options->emulated)
        fprintf(out, "path: forward %s; backward %s\n", options->link_text[0],
                options->link_text[1]);
    else
        fputs("path: loopback\n", out);
    for (unsigned i = 0; i < options->sysctl_count; i++)
        fprintf(out, "%s%s%s", i ? ", " : "both ends with ", options->sysctls[i],
                i + 1 == options->sysctl_count ? "\n" : "");
    print_load(&options->load, out);
}

static void print_delays(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    fprintf(out, "\n%-*s %7s %5s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", width,
            backward ? "delay backward, ms" : "delay forward, ms", "sent", "lost", "mean", "p50",
            "p90", "p95", "p99", "p99.9", "max", "<=200ms", "<=500ms");
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const lt_delay_summary *d = lt_outcome_headline(o);
        const livetcp_usec columns[] = {
            (livetcp_usec)llround(d->mean), d->p50, d->p90, d->p95, d->p99, d->p999, d->max};
        if (o->backward != backward)
            continue;
        fprintf(out, "%-*s %7llu %5llu", width, o->run->scheme->label, (unsigned long long)d->sent,
                (unsigned long long)d->lost);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            print_ms(out, 7, columns[c]);
        fprintf(out, " %6.2f%% %6.2f%%\n", 100 * d->within_200ms, 100 * d->within_500ms);
    }
}

static void print_reduction(FILE *out, double percent)
{
    if (isnan(percent) || isinf(percent))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %8.1f%%", percent);
}

static void print_excess(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    const lt_outcome *any = &outcomes->outcomes[0];
    livetcp_usec base = any->run->options->link[backward].delay;
    if (base == 0)
        return;
    fprintf(out, "\n%-*s %7s %7s %7s %7s  %s\n", width, "excess over propagation, ms", "p50", "p95",
            "p99", "p99.9", "below the first: p95      p99");
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const lt_delay_summary *d = lt_outcome_headline(o);
        const lt_outcome *reference = lt_outcome_reference(outcomes, o);
        if (o->backward != backward)
            continue;
        fprintf(out, "%-*s", width, o->run->scheme->label);
        print_ms(out, 7, lt_delay_excess(d->p50, base));
        print_ms(out, 7, lt_delay_excess(d->p95, base));
        print_ms(out, 7, lt_delay_excess(d->p99, base));
        print_ms(out, 7, lt_delay_excess(d->p999, base));
        if (reference) {
            const lt_delay_summary *r = lt_outcome_headline(reference);
            fputs("            ", out);
            print_reduction(out, lt_delay_reduction(lt_delay_excess(r->p95, base),
                                                    lt_delay_excess(d->p95, base)));
            print_reduction(out, lt_delay_reduction(lt_delay_excess(r->p99, base),
                                                    lt_delay_excess(d->p99, base)));
        }
        fputc('\n', out);
    }
}

static void print_costs(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    fprintf(out, "\n%-*s %8s %8s %9s %9s %8s %8s", width, "costs", "sent B", "wire B", "CPU send",
            "CPU recv", "retrans", "CC");
    fputc('\n', out);
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        if (o->backward != backward)
            continue;
        fprintf(out, "%-*s", width, o->run->scheme->label);
        print_number(out, 8, 4, o->bytes_ratio);
        print_number(out, 8, 4, o->wire_ratio);
        print_number(out, 6, 1, o->cpu_send);
        fputs(" us", out);
        print_number(out, 6, 1, o->cpu_receive);
        fprintf(out, " us %8llu %8s\n", (unsigned long long)o->totals->retransmitted,
                o->totals->congestion_control);
    }
}

/* Throughput, if there is other traffic or the source is greedy. */
static void print_rates(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    const lt_bench_options *options = outcomes->outcomes[0].run->options;
    const lt_load *load = &options->load;
    const struct {
        const char *name;
        bool there;
    } columns[] = {{"media", true},          {"peer", load->peer},
                   {"FTP", load->ftp > 0},   {"web", load->web > 0},
                   {"mice", load->mice > 0}, {"UDP", load->cbr || load->poisson}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    if (!lt_load_any(load) && !options->plan.greedy)
        return;
    fprintf(out, "\n%-*s", width, "throughput, Mbit/s");
    for (unsigned c = 0; c < COLUMNS; c++)
        if (columns[c].there)
            fprintf(out, " %8s", columns[c].name);
    fputc('\n', out);
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const double rates[COLUMNS] = {o->media_rate, o->peer_rate, o->ftp_rate,
                                       o->web_rate,   o->mice_rate, o->cbr_rate};
        if (o->backward != backward)
            continue;
        fprintf(out, "%-*s", width, o->run->scheme->label);
        for (unsigned c = 0; c < COLUMNS; c++)
            if (columns[c].there)
                print_number(out, 8, 3, rates[c] / 1e6);
        fputc('\n', out);
    }
}

static void print_short_head(const char *title, int width, FILE *out)
{
    fprintf(out, "\n%-*s %7s %5s %7s %7s %7s %7s %7s\n", width, title, "sent", "lost", "p50", "p95",
            "p99", "p99.9", "max");
}

static void print_short(const lt_outcome *o, const lt_delay_summary *d, int width, FILE *out)
{
    fprintf(out, "%-*s %7llu %5llu", width, o->run->scheme->label, (unsigned long long)d->sent,
            (unsigned long long)d->lost);
    print_ms(out, 7, d->p50);
    print_ms(out, 7, d->p95);
    print_ms(out, 7, d->p99);
    print_ms(out, 7, d->p999);
    print_ms(out, 7, d->max);
    fputc('\n', out);
}

/* Encoder rates and frame delays, and the whole run, warm-up included. */
static void print_adaptive(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    if (!outcomes->outcomes[0].run->options->plan.adaptive)
        return;
    fprintf(out, "\n%-*s %8s %8s %8s %8s %8s %7s\n", width, "encoder, kbit/s", "min", "mean", "max",
            "last", "arrived", "of link");
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const double rates[] = {o->rates.min, o->rates.mean, o->rates.max, o->rates.last,
                                o->media_rate};
        if (o->backward != backward)
            continue;
        fprintf(out, "%-*s", width, o->run->scheme->label);
        for (size_t c = 0; c < sizeof rates / sizeof *rates; c++)
            print_number(out, 8, 0, rates[c] / 1e3);
        print_number(out, 7, 3, o->link_share);
        fputs(lt_scheme_estimates(o->run->scheme) ? "\n" : "   fixed rate\n", out);
    }
    print_short_head("delay with warm-up, ms", width, out);
    for (unsigned i = 0; i < outcomes->count; i++)
        if (outcomes->outcomes[i].backward == backward)
            print_short(&outcomes->outcomes[i], &outcomes->outcomes[i].whole, width, out);
}

static void print_speech(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    if (!outcomes->outcomes[0].run->options->plan.speech)
        return;
    print_short_head("delay of speech, ms", width, out);
    for (unsigned i = 0; i < outcomes->count; i++)
        if (outcomes->outcomes[i].backward == backward)
            print_short(&outcomes->outcomes[i], &outcomes->outcomes[i].speech, width, out);
}

static void print_opening(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    const lt_plan *plan = &outcomes->outcomes[0].run->options->plan;
    if (!plan->silence)
        return;
    fprintf(out, "\n%-*s %7s %7s %7s %7s   first %u of a talkspurt after silence\n", width,
            "delay at the opening, ms", "sent", "p50", "p95", "max", plan->opening);
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        if (o->backward != backward)
            continue;
        fprintf(out, "%-*s %7llu", width, o->run->scheme->label,
                (unsigned long long)o->opening.sent);
        print_ms(out, 7, o->opening.p50);
        print_ms(out, 7, o->opening.p95);
        print_ms(out, 7, o->opening.max);
        fputc('\n', out);
    }
}

static void print_playout(const lt_outcome *o, unsigned point, int width, FILE *out)
{
    const lt_playout *p = &o->playout[point];
    fprintf(out, "%-*s %8s %8.2f", width, o->run->scheme->label,
            o->run->options->playout.points[point].name, (double)p->delay / 1e3);
    print_number(out, 6, 2,
                 o->run->options->playout.points[point].adaptive ? (double)p->stddev / 1e3 : NAN);
    print_number(out, 8, 3, 100 * lt_playout_late_share(p));
    print_number(out, 7, 2, 100 * lt_playout_saved_share(p));
    print_number(out, 7, 2, p->burst_ratio);
    print_number(out, 6, 1, p->rating);
    print_number(out, 6, 2, p->mos);
    print_number(out, 6, 2, p->max_mos);
    fputc('\n', out);
}

/* Results of fixed and adaptive playout delays. */
static void print_playouts(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
{
    const lt_playout_list *list = &outcomes->outcomes[0].run->options->playout;
    if (!list->count)
        return;
    fprintf(out, "\n%-*s %8s %8s %6s %8s %7s %7s %6s %6s %6s   %s\n", width, "playout delay, ms",
            "over L", "whole", "stddev", "late %", "saved %", "BurstR", "R", "MOS", "most",
            list->codec->name);
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        for (unsigned point = 0; o->backward == backward && point < list->count; point++)
            print_playout(o, point, width, out);
    }
}

static void print_link(const lt_outcome *o, unsigned link, FILE *out)
{
    const lt_path_counters *c = &o->run->counters[2 * link + o->backward];
    const unsigned long long lost = c->link.lost_random + c->link.lost_burst + c->link.lost_outage;
    const char *label = o->run->scheme->label;
    fprintf(out, "  %s, %s", label, way_names[o->backward]);
    if (o->run->options->links > 1)
        fprintf(out, ", link %u", link + 1);
    fprintf(out,
            ": %llu packets, %llu lost (%.2f%%), %llu dropped by the queue (longest stay %.1f ms)",
            (unsigned long long)c->link.in_packets, lost,
            c->link.in_packets ? 100.0 * (double)lost / (double)c->link.in_packets : 0.0,
            (unsigned long long)c->link.dropped_queue, (double)c->link.queue_max_delay / 1e3);
    if (o->run->options->link[2 * link + o->backward].policer.rate)
        fprintf(out, ", %llu by the policer", (unsigned long long)c->link.dropped_policer);
    if (o->run->options->link[2 * link + o->backward].aqm != LT_AQM_OFF || c->link.marked)
        fprintf(out, ", %llu by the AQM, %llu marked", (unsigned long long)c->link.dropped_aqm,
                (unsigned long long)c->link.marked);
    fprintf(out, ", emulator late p99 %.2f ms, max %.2f ms\n", (double)c->lateness_p99 / 1e3,
            (double)c->lateness_max / 1e3);
    if (c->read_dropped || c->write_failed)
        fprintf(out, "  %s: the emulator itself lost %llu packets: do not trust this run\n", label,
                (unsigned long long)(c->read_dropped + c->write_failed));
}

static void print_paths(const lt_outcomes *outcomes, FILE *out)
{
    if (!outcomes->outcomes[0].run->options->emulated)
        return;
    fputs("\npath of\n", out);
    for (unsigned i = 0; i < outcomes->count; i++)
        for (unsigned link = 0; link < outcomes->outcomes[i].run->options->links; link++)
            print_link(&outcomes->outcomes[i], link, out);
}

static void print_stalls(const lt_outcomes *outcomes, FILE *out)
{
    enum { MAX_COUNT = 5 };
    const lt_outcome *first = &outcomes->outcomes[0];
    bool discard = first->run->options->discard_stalls;
    if (outcomes->stall_count == 0) {
        fprintf(out, "\nno stall of the machine of 10 ms or more (longest %.1f ms)\n",
                (double)outcomes->worst_wakeup / 1e3);
        return;
    }
    fputc('\n', out);
    for (size_t i = 0; i < outcomes->stall_count && i < MAX_COUNT; i++) {
        const lt_stall *s = &outcomes->stalls[i];
        fprintf(out, "the machine stalled %.0f ms at %.1f s\n", (double)(s->end - s->begin) / 1e3,
                (double)(s->begin - outcomes->begin) / 1e6);
    }
    fprintf(out, "%zu stalls in all, %.0f ms; packets sent near one %s:\n", outcomes->stall_count,
            (double)outcomes->stalled / 1e3,
            discard ? "are left out above" : "count above, without them");
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const lt_delay_summary *other = discard ? &o->all : &o->clean;
        fprintf(out, "  %s, %s: %llu packets; %s them p50", o->run->scheme->label,
                way_names[o->backward], (unsigned long long)o->flagged,
                discard ? "with" : "without");
        print_ms(out, 0, other->p50);
        fputs(", p95", out);
        print_ms(out, 0, other->p95);
        fputs(", p99", out);
        print_ms(out, 0, other->p99);
        fputs(", p99.9", out);
        print_ms(out, 0, other->p999);
        fputc('\n', out);
    }
}

static void print_warnings(const lt_outcomes *outcomes, FILE *out)
{
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const lt_endpoint_report *e = o->run->shared->endpoint;
        if (o->lateness.sent && o->lateness.p99 > 2000)
            fprintf(out, "%s: the source was late, p99 %.2f ms: this machine is too busy\n",
                    o->run->scheme->label, (double)o->lateness.p99 / 1e3);
        if (o->totals->refused + o->totals->dropped)
            fprintf(out, "%s: %llu packets refused and %llu dropped by the sender\n",
                    o->run->scheme->label, (unsigned long long)o->totals->refused,
                    (unsigned long long)o->totals->dropped);
        if (e[0].foreign + e[1].foreign + e[0].repeated + e[1].repeated)
            fprintf(out, "%s: %llu broken and %llu repeated packets reached the application\n",
                    o->run->scheme->label, (unsigned long long)(e[0].foreign + e[1].foreign),
                    (unsigned long long)(e[0].repeated + e[1].repeated));
    }
}

void lt_report_table(const lt_outcomes *outcomes, FILE *out)
{
    int width = label_width(outcomes);
    print_head(outcomes, out);
    for (int way = 0; way < 2; way++) {
        if (way != outcomes->outcomes[0].backward &&
            way != outcomes->outcomes[outcomes->count - 1].backward)
            continue;
        print_delays(outcomes, way, width, out);
        print_excess(outcomes, way, width, out);
        print_adaptive(outcomes, way, width, out);
        print_speech(outcomes, way, width, out);
        print_opening(outcomes, way, width, out);
        print_playouts(outcomes, way, width, out);
        print_rates(outcomes, way, width, out);
        print_costs(outcomes, way, width, out);
    }
    fputs("\nLost packets are infinitely late in percentiles and shares; mean and max are of those "
          "that\narrived. sent B, wire B: bytes to the kernel, and of IP packets, per byte of "
          "media. CPU: per packet.\n",
          out);
    print_paths(outcomes, out);
    print_stalls(outcomes, out);
    print_warnings(outcomes, out);
}
