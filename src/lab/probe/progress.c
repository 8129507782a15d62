/* SPDX-License-Identifier: MIT */
#include "lab/probe/progress.h"

#include "lab/clock.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

void lt_probe_progress_init(lt_probe_progress *progress, const lt_probe_options *options)
{
    *progress = (lt_probe_progress){.quiet = options->quiet,
                                    .terminal = isatty(STDERR_FILENO),
                                    .real_time = options->mode == LT_PROBE_PATH};
}

static void line(lt_probe_progress *p, const char *text)
{
    fprintf(stderr, p->terminal ? "\r\033[K%s" : "%s\n", text);
    fflush(stderr);
}

/* For this train as planned, and the maximum for the search: each further rate may use all
 * extensions. */
static void time_left(const lt_probe_findings *f, char *text, size_t size)
{
    const lt_probe_options *o = f->options;
    double interval = (double)o->interval / 1e6, settle = (double)o->settle / 1e6;
    double train = (double)lt_estimator_wanted(f->estimator) * interval;
    double rates = floor((o->max_rate - lt_estimator_rate(f->estimator)) / o->step + 1e-6);
    double min_length = settle + o->samples * interval;

    if (isfinite(rates) && rates < LT_ESTIMATOR_MAX_RATES)
        snprintf(text, size, ", this train %.0f s more, all at least %.0f s", train,
                 train + rates * min_length);
    else
        snprintf(text, size, ", this train %.0f s more, then the next rate", train);
}

void lt_probe_progress_tick(lt_probe_progress *progress, const lt_probe_findings *findings)
{
    char text[200], left[80] = "";
    double rate = lt_estimator_rate(findings->estimator);
    livetcp_usec now = lt_clock_now();
    bool due = progress->terminal ? now - progress->shown >= LIVETCP_USEC_SEC / 2
                                  : rate != progress->shown_rate;

    if (progress->quiet || !due || !(rate > 0))
        return;
    if (progress->real_time)
        time_left(findings, left, sizeof left);
    snprintf(text, sizeof text, "%.3f Mbit/s: %zu samples, %zu more wanted%s", rate / 1e6,
             findings->trains[findings->train_count - 1].count,
             lt_estimator_wanted(findings->estimator), left);
    line(progress, text);
    progress->shown = now;
    progress->shown_rate = rate;
}

void lt_probe_progress_show(lt_probe_progress *progress, const char *what, livetcp_usec left)
{
    char text[200];
    livetcp_usec now = lt_clock_now();

    bool due = progress->terminal ? now - progress->shown >= LIVETCP_USEC_SEC / 2
                                  : what != progress->shown_text;

    if (progress->quiet || !due)
        return;
    snprintf(text, sizeof text, "%s, %.0f s left", what, (double)left / 1e6);
    line(progress, text);
    progress->shown = now;
    progress->shown_text = what;
}

void lt_probe_progress_end(lt_probe_progress *progress)
{
    if (!progress->quiet && progress->terminal)
        fputs("\r\033[K", stderr);
}
