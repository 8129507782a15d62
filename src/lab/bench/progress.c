/* SPDX-License-Identifier: MIT */
#include "lab/bench/progress.h"

#include "lab/clock.h"

#include <stdio.h>
#include <unistd.h>

void lt_progress_init(lt_progress *progress, bool quiet, unsigned part, unsigned parts)
{
    *progress = (lt_progress){
        .quiet = quiet, .terminal = isatty(STDERR_FILENO), .part = part, .parts = parts};
}

static void show(lt_progress *p, livetcp_usec now)
{
    livetcp_usec left = p->begin + p->length - now;
    fputs(p->terminal ? "\r\033[K" : "", stderr);
    if (p->parts > 1)
        fprintf(stderr, "[%u/%u] ", p->part, p->parts);
    fputs(p->phase, stderr);
    if (p->length)
        fprintf(stderr, ", %.0f s left", left > 0 ? (double)left / 1e6 : 0.0);
    fputs(p->terminal ? "" : "\n", stderr);
    fflush(stderr);
    p->shown = now;
}

void lt_progress_phase(lt_progress *progress, const char *name, livetcp_usec length)
{
    progress->phase = name;
    progress->begin = lt_clock_now();
    progress->length = length;
    if (!progress->quiet)
        show(progress, progress->begin);
}

void lt_progress_tick(void *user)
{
    lt_progress *progress = user;
    livetcp_usec now = lt_clock_now();
    if (!progress->quiet && progress->terminal && now - progress->shown >= LIVETCP_USEC_SEC)
        show(progress, now);
}

void lt_progress_end(lt_progress *progress)
{
    if (!progress->quiet && progress->terminal)
        fputs("\r\033[K", stderr);
}
