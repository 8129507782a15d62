/* SPDX-License-Identifier: MIT */
/* What a listener with a fixed playout delay, or an adaptive one, would get. */
#include "lab/bench/report.h"

#include <math.h>

static void print_number(FILE *out, int width, int decimals, double value)
{
    if (isnan(value))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, decimals, value);
}

static void print_line(const lt_outcome *o, unsigned point, int width, FILE *out)
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
    print_number(out, 6, 2, p->most_mos);
    fputc('\n', out);
}

void lt_report_playout(const lt_outcomes *outcomes, bool backward, int width, FILE *out)
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
            print_line(o, point, width, out);
    }
}

void lt_report_playout_header(const lt_playout_list *list, FILE *out)
{
    for (unsigned i = 0; i < list->count; i++) {
        const char *name = list->points[i].name;
        fprintf(out,
                ",playout_%s_ms,playout_%s_late,playout_%s_burst_ratio,playout_%s_mos,"
                "playout_%s_stddev_ms,playout_%s_secondary,playout_%s_saved",
                name, name, name, name, name, name, name);
    }
}

void lt_report_playout_fields(const lt_outcome *outcome, FILE *out)
{
    for (unsigned i = 0; i < outcome->run->options->playout.count; i++) {
        const lt_playout *p = &outcome->playout[i];
        fprintf(out, ",%.3f", (double)p->delay / 1e3);
        if (p->packets)
            fprintf(out, ",%.6f,%.4f,%.4f,%.3f,%llu", lt_playout_late_share(p), p->burst_ratio,
                    p->mos, (double)p->stddev / 1e3, (unsigned long long)p->secondary);
        else /* what cannot be known stays empty */
            fputs(",,,,,", out);
        if (p->late + p->secondary)
            fprintf(out, ",%.6f", lt_playout_saved_share(p));
        else
            fputc(',', out);
    }
}
