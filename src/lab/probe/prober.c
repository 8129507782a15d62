/* SPDX-License-Identifier: MIT */
#include "lab/probe/prober.h"

#include "base/error.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/player.h"
#include "lab/probe/progress.h"
#include "lab/probe/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct prober {
    lt_probe_findings *findings;
    lt_probe_connection connection;
    lt_clock_sync sync;
    lt_probe_progress progress;
    lt_rng rng;
    livetcp_error failed; /* of a callback */
} prober;

/* ---- trains ---- */

static bool take_sample(void *user, const lt_probe_sample *sample)
{
    prober *p = user;
    lt_train_state state;

    return lt_findings_add(p->findings, sample, &state, &p->failed) == LIVETCP_OK &&
           state == LT_TRAIN_GOES_ON;
}

static void tick(void *user, livetcp_usec elapsed)
{
    prober *p = user;

    (void)elapsed;
    lt_probe_progress_tick(&p->progress, p->findings);
}

static void count_segments(prober *p, const lt_connection_counters *before, lt_probe_train *train)
{
    lt_connection_counters after;

    lt_connection_count(&p->connection, &after);
    train->segments = after.tcp.segments - before->tcp.segments;
    train->retransmitted = after.tcp.retransmitted - before->tcp.retransmitted;
}

static livetcp_result send_train(prober *p, livetcp_error *error)
{
    const lt_probe_options *o = p->findings->options;
    double rate = lt_estimator_rate(p->findings->estimator);
    lt_probe_train *train = lt_findings_begin_train(p->findings);
    lt_connection_counters before;
    lt_transfer_result sent;
    lt_probe_source source;

    if (!train)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a train");
    lt_source_train(&source, rate, o->size, o->settle, o->interval, lt_rng_next(&p->rng));
    lt_connection_count(&p->connection, &before);
    const lt_transfer_config config = {.connection = &p->connection,
                                       .sync = &p->sync,
                                       .source = &source,
                                       .delay_limit = o->delay_limit,
                                       .on_sample = take_sample,
                                       .on_tick = tick,
                                       .user = p};
    livetcp_result result = lt_transfer_run(&config, &sent, error);
    train->packets = sent.packets;
    train->latest = sent.latest;
    count_segments(p, &before, train);
    if (result == LIVETCP_OK && p->failed.code != LIVETCP_OK) {
        *error = p->failed;
        result = p->failed.code;
    }
    return result;
}

static livetcp_result search(prober *p, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    while (result == LIVETCP_OK && !lt_probe_interrupted() &&
           lt_estimator_rate(p->findings->estimator) > 0) {
        result = send_train(p, error);
        if (result == LIVETCP_OK && !lt_probe_interrupted())
            result = lt_transfer_pause(&p->connection, &p->sync, error);
    }
    return result;
}

/* A video of a higher rate has no steady state, and no bound that it could be compared with. */
static bool carries_video(const lt_probe_findings *f)
{
    size_t count;
    const livetcp_service_point *points = lt_estimator_points(f->estimator, &count);

    return count && livetcp_envelope_mean_rate(f->video.envelope) <= points[count - 1].rate;
}

static livetcp_result play(prober *p, livetcp_error *error)
{
    lt_player player = {.findings = p->findings,
                        .connection = &p->connection,
                        .sync = &p->sync,
                        .progress = &p->progress,
                        .rng = &p->rng};

    return lt_player_run(&player, error);
}

/* ---- all of it ---- */

static void describe_path(prober *p)
{
    lt_probe_path *path = &p->findings->path;
    lt_connection_counters counters;

    lt_connection_count(&p->connection, &counters);
    path->known = p->sync.known;
    path->min_rtt = p->sync.min_rtt;
    path->clock_offset = p->sync.offset;
    path->clock_drift = p->sync.drift;
    path->timestamps = p->connection.timestamps;
    path->mss = counters.tcp.mss;
    snprintf(path->peer, sizeof path->peer, "%s", p->connection.peer);
    snprintf(path->congestion_control, sizeof path->congestion_control, "%s",
             counters.congestion_control);
}

static livetcp_result run(prober *p, livetcp_error *error)
{
    livetcp_result result = lt_clock_sync_round(&p->sync, &p->connection, error);

    if (result == LIVETCP_OK)
        result = search(p, error);
    if (result == LIVETCP_OK && p->findings->options->plays && carries_video(p->findings) &&
        !lt_probe_interrupted())
        result = play(p, error);
    p->findings->interrupted = lt_probe_interrupted();
    if (p->findings->interrupted)
        lt_estimator_stop(p->findings->estimator);
    describe_path(p);
    return result;
}

livetcp_result lt_prober_run(lt_probe_findings *findings, livetcp_error *error)
{
    prober *p = calloc(1, sizeof *p);
    sigset_t waiting;

    if (!p)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a probe");
    p->findings = findings;
    lt_rng_seed(&p->rng, findings->options->seed);
    lt_probe_interrupt_watch(&waiting);
    lt_probe_progress_init(&p->progress, findings->options);
    livetcp_result result = lt_connection_open(&p->connection, findings->options, &waiting, error);
    if (result == LIVETCP_OK)
        result = run(p, error);
    lt_probe_progress_end(&p->progress);
    lt_connection_close(&p->connection);
    free(p);
    return result;
}
