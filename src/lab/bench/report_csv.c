/* SPDX-License-Identifier: MIT */
#include "lab/bench/report.h"

#include <math.h>
#include <string.h>

/* Quotes as in RFC 4180. */
static void print_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_ms(FILE *out, livetcp_usec value)
{
    if (value == LT_DELAY_NEVER)
        fputs(",inf", out);
    else
        fprintf(out, ",%.3f", (double)value / 1e3);
}

static void print_number(FILE *out, const char *format, double value)
{
    fputc(',', out);
    if (!isnan(value)) /* unknown values are empty */
        fprintf(out, format, value);
}

static void print_summary(FILE *out, const lt_delay_summary *d)
{
    fprintf(out, ",%llu,%llu,%.3f", (unsigned long long)d->sent, (unsigned long long)d->lost,
            d->mean / 1e3);
    print_ms(out, d->p50);
    print_ms(out, d->p90);
    print_ms(out, d->p95);
    print_ms(out, d->p99);
    print_ms(out, d->p999);
    print_ms(out, d->max);
    fprintf(out, ",%.6f,%.6f", d->within_200ms, d->within_500ms);
}

static void print_setting(FILE *out, const lt_outcome *o)
{
    const lt_scheme *scheme = o->run->scheme;
    const lt_bench_options *options = o->run->options;
    const lt_plan *plan = &options->plan;
    bool policy = scheme->kind == LT_TRANSPORT_LIVETCP;
    print_text(out, scheme->label);
    fprintf(out, ",%s,%s,%u,%u,%s,%d,%s,%u,%zu,%g,", lt_scheme_transport(scheme),
            policy ? scheme->config.policy : "", scheme->config.connections, scheme->config.split,
            o->totals->congestion_control, scheme->nagle, o->backward ? "backward" : "forward",
            plan->flows, plan->size, (double)plan->interval / 1e3);
    print_text(out, options->link_text[0]);
    fputc(',', out);
    print_text(out, options->link_text[1]);
    fprintf(out, ",%g,%g,%llu,%u,%u,%s", (double)plan->warmup / 1e6, (double)plan->duration / 1e6,
            (unsigned long long)options->seed, options->load.ftp, options->load.web,
            options->load.congestion_control);
}

static void print_playout_header(const lt_playout_list *list, FILE *out)
{
    for (unsigned i = 0; i < list->count; i++) {
        const char *name = list->points[i].name;
        fprintf(out,
                ",playout_%s_ms,playout_%s_late,playout_%s_burst_ratio,playout_%s_mos,"
                "playout_%s_stddev_ms,playout_%s_secondary,playout_%s_saved",
                name, name, name, name, name, name, name);
    }
}

static void print_playout_fields(const lt_outcome *outcome, FILE *out)
{
    for (unsigned i = 0; i < outcome->run->options->playout.count; i++) {
        const lt_playout *p = &outcome->playout[i];
        fprintf(out, ",%.3f", (double)p->delay / 1e3);
        if (p->packets)
            fprintf(out, ",%.6f,%.4f,%.4f,%.3f,%llu", lt_playout_late_share(p), p->burst_ratio,
                    p->mos, (double)p->stddev / 1e3, (unsigned long long)p->secondary);
        else /* unknown values are empty */
            fputs(",,,,,", out);
        if (p->late + p->secondary)
            fprintf(out, ",%.6f", lt_playout_saved_share(p));
        else
            fputc(',', out);
    }
}

void lt_report_csv(const lt_outcomes *outcomes, FILE *out)
{
    fputs("scheme,transport,policy,connections,split,congestion_control,nagle,direction,flows,size,"
          "interval_ms,path_forward,path_backward,warmup_s,duration_s,seed,ftp,web,background_cc,"
          "sent,lost,mean_ms,p50_ms,p90_ms,p95_ms,p99_ms,p99_9_ms,max_ms,within_200ms,"
          "within_500ms,"
          "clean_sent,clean_lost,clean_mean_ms,clean_p50_ms,clean_p90_ms,clean_p95_ms,clean_p99_ms,"
          "clean_p99_9_ms,clean_max_ms,clean_within_200ms,clean_within_500ms,"
          "flagged,propagation_ms,full_queue_ms,excess_p50_ms,excess_p95_ms,excess_p99_ms,bytes_"
          "per_media_byte,wire_bytes_per_media_byte,"
          "cpu_send_us,cpu_receive_us,retransmitted,dropped,refused,lateness_p99_ms,"
          "lateness_max_ms,ftp_mbit_s,web_mbit_s,media_mbit_s,peer_mbit_s,mice_mbit_s,"
          "cbr_mbit_s,opening_sent,opening_p50_ms,opening_p95_ms,opening_max_ms,stalls,"
          "stalled_ms",
          out);
    print_playout_header(&outcomes->outcomes[0].run->options->playout, out);
    fputc('\n', out);
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        print_setting(out, o);
        print_summary(out, &o->all);
        print_summary(out, &o->clean);
        fprintf(out, ",%llu", (unsigned long long)o->flagged);
        print_ms(out, o->propagation);
        print_ms(out, o->full_queue);
        print_ms(out, lt_delay_excess(lt_outcome_headline(o)->p50, o->propagation));
        print_ms(out, lt_delay_excess(lt_outcome_headline(o)->p95, o->propagation));
        print_ms(out, lt_delay_excess(lt_outcome_headline(o)->p99, o->propagation));
        print_number(out, "%.5f", o->bytes_ratio);
        print_number(out, "%.5f", o->wire_ratio);
        print_number(out, "%.3f", o->cpu_send);
        print_number(out, "%.3f", o->cpu_receive);
        fprintf(out, ",%llu,%llu,%llu", (unsigned long long)o->totals->retransmitted,
                (unsigned long long)o->totals->dropped, (unsigned long long)o->totals->refused);
        print_ms(out, o->lateness.p99);
        print_ms(out, o->lateness.max);
        print_number(out, "%.4f", o->ftp_rate / 1e6);
        print_number(out, "%.4f", o->web_rate / 1e6);
        print_number(out, "%.4f", o->media_rate / 1e6);
        print_number(out, "%.4f", o->peer_rate / 1e6);
        print_number(out, "%.4f", o->mice_rate / 1e6);
        print_number(out, "%.4f", o->cbr_rate / 1e6);
        fprintf(out, ",%llu", (unsigned long long)o->opening.sent);
        print_ms(out, o->opening.p50);
        print_ms(out, o->opening.p95);
        print_ms(out, o->opening.max);
        fprintf(out, ",%zu", outcomes->stall_count);
        print_ms(out, outcomes->stalled);
        print_playout_fields(o, out);
        fputc('\n', out);
    }
}

static void print_records(const lt_outcomes *outcomes, const lt_outcome *o, unsigned stream,
                          FILE *out)
{
    const lt_plan *plan = &o->run->options->plan;
    livetcp_usec before, after;
    lt_outcome_guard(o->run->options, &before, &after);
    for (uint32_t i = 0; i < plan->packets; i++) {
        lt_record *record = lt_shared_record(o->run->shared, plan, stream, i);
        livetcp_usec sent = lt_shared_load(&record->sent);
        if (lt_plan_open_ended(plan) && !sent)
            break; /* the run was shorter */
        livetcp_usec at = sent - o->run->start;
        livetcp_usec due = lt_shared_due(record, plan, stream, i, o->run->start) - o->run->start;
        livetcp_usec arrival = lt_shared_load(&record->arrival);
        bool near = lt_stall_near(outcomes->stalls, outcomes->stall_count, o->run->start + due,
                                  before, after);
        print_text(out, o->run->scheme->label);
        fprintf(out, ",%s,%u,%u,%d,%d,%lld,", o->backward ? "backward" : "forward",
                stream % plan->flows, i, lt_plan_measured(plan, i, at), near, (long long)due);
        if (sent)
            fprintf(out, "%lld", (long long)at);
        fputc(',', out);
        if (arrival)
            fprintf(out, "%lld", (long long)(arrival - o->run->start));
        fputc(',', out);
        if (sent && arrival)
            fprintf(out, "%lld", (long long)(arrival - sent));
        if (plan->adaptive)
            fprintf(out, ",%u,%u,%u", record->frame, record->size, record->rate);
        fputc('\n', out);
    }
}

void lt_report_raw(const lt_outcomes *outcomes, FILE *out)
{
    fprintf(
        out,
        "scheme,direction,flow,index,measured,near_stall,due_us,sent_us,arrival_us,delay_us%s\n",
        outcomes->outcomes[0].run->options->plan.adaptive ? ",frame,bytes,rate_bit_s" : "");
    for (unsigned i = 0; i < outcomes->count; i++) {
        const lt_outcome *o = &outcomes->outcomes[i];
        const lt_plan *plan = &o->run->options->plan;
        for (unsigned s = 0; s < plan->streams; s++)
            if ((lt_plan_stream_direction(plan, s) == LT_MEDIA_BACKWARD) == o->backward)
                print_records(outcomes, o, s, out);
    }
}
