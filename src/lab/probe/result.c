/* SPDX-License-Identifier: MIT */
/*
 * The recommended bit rate is the highest whose delay quantile is within the target; the quantile
 * is a delay that all but a share xi of the packets meet, without the help of a policy. The policy
 * follows docs/guide/tuning.md: `auto` decides per packet and fits all paths; if TCP lost nothing,
 * copies have nothing to repair, and one connection is as good as several.
 */
#include "lab/probe/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Criterion of a standing queue (docs/guide/tuning.md): the median exceeds the minimum transit time
 * by 4 ms and a twentieth of the minimum round trip. */
#define QUEUE_MIN   4000.0
#define QUEUE_SHARE 0.05

livetcp_usec lt_probe_min_delay(const lt_probe_findings *findings)
{
    livetcp_usec min = INT64_MAX;

    for (size_t i = 0; i < findings->train_count; i++)
        for (size_t k = 0; k < findings->trains[i].count; k++)
            if (findings->trains[i].samples[k].total < min)
                min = findings->trains[i].samples[k].total;
    return min == INT64_MAX ? 0 : min;
}

static bool is_steady(const lt_train_result *t)
{
    return t->state == LT_TRAIN_STEADY || t->state == LT_TRAIN_DEPENDENT;
}

/* The train to recommend: the fastest within the target, else the one with the minimum delay; NULL
 * = none. */
static const lt_train_result *choose(const lt_probe_findings *f, size_t *position, bool *within)
{
    const lt_train_result *chosen = NULL, *t;

    *within = false;
    for (size_t i = 0; (t = lt_estimator_train(f->estimator, i)); i++) {
        bool keeps = is_steady(t) && t->quantile.value <= (double)f->options->delay_target;
        if (!is_steady(t) || (*within && !keeps))
            continue;
        if (keeps || !chosen || t->quantile.value < chosen->quantile.value) {
            chosen = t;
            *position = i;
        }
        *within |= keeps;
    }
    return chosen;
}

static double loss_of(const lt_probe_findings *f)
{
    uint64_t again = 0, segments = 0;
    const lt_train_result *t;

    for (size_t i = 0; i < f->train_count; i++)
        if ((t = lt_estimator_train(f->estimator, i)) && is_steady(t)) {
            again += f->trains[i].retransmitted;
            segments += f->trains[i].segments;
        }
    return segments ? (double)again / (double)segments : NAN;
}

static bool queue_stands(const lt_probe_findings *f, const lt_probe_train *train)
{
    size_t count;
    double *network = lt_findings_component(train, LT_COMPONENT_NETWORK, &count);
    bool stands = false;

    if (network) {
        double above = network[count / 2] - (double)lt_probe_min_delay(f);
        stands = above > QUEUE_MIN && above > QUEUE_SHARE * (double)f->path.min_rtt;
    }
    free(network);
    return stands;
}

static const char *reason(const lt_probe_result *v)
{
    if (v->queue)
        return "a queue stands on the path, into which it sends no copies";
    if (isnan(v->loss))
        return "it decides packet by packet";
    return v->loss > 0 ? "it repairs on other connections what one has lost"
                       : "TCP had nothing to repair here";
}

static void show_video(const lt_probe_findings *f, char *text, size_t size)
{
    if (!f->video.envelope)
        text[0] = '\0';
    else if (f->video.bound == INT64_MAX)
        snprintf(text, size, " The video's mean rate of %.2f Mbit/s is more than the path carries.",
                 livetcp_envelope_mean_rate(f->video.envelope) / 1e6);
    else
        snprintf(text, size,
                 " The video of %.2f Mbit/s needs a playout delay of %.0f ms over the minimum "
                 "transit.",
                 livetcp_envelope_mean_rate(f->video.envelope) / 1e6,
                 (double)(f->video.bound - lt_probe_min_delay(f)) / 1e3);
}

static void say(const lt_probe_findings *f, lt_probe_result *v)
{
    char video[200];

    show_video(f, video, sizeof video);
    snprintf(v->sentence, sizeof v->sentence,
             "%s %.2f Mbit/s with policy=%s (%s) and a playout delay of %.0f ms over the minimum "
             "transit%s.%s",
             v->within_target ? "This path supports" : "At its best this path supports",
             v->bitrate / 1e6, v->policy, reason(v), ceil((double)v->playout / 1e3),
             v->within_target ? "" : ", more than the delay target", video);
}

void lt_probe_result_make(const lt_probe_findings *findings, lt_probe_result *result)
{
    lt_probe_result *v = result;
    size_t position = 0;

    *v = (lt_probe_result){.loss = loss_of(findings), .policy = "auto"};
    const lt_train_result *train = choose(findings, &position, &v->within_target);
    if (!train) {
        snprintf(v->sentence, sizeof v->sentence,
                 findings->interrupted || findings->failure[0]
                     ? "No result for this path: no rate was probed to the end."
                     : "This path does not carry even %.3f Mbit/s: try a smaller --rate-step.",
                 findings->options->step / 1e6);
        return;
    }
    v->known = true;
    v->bitrate = train->rate;
    v->playout = (livetcp_usec)train->quantile.value - lt_probe_min_delay(findings);
    v->queue = queue_stands(findings, &findings->trains[position]);
    if (v->loss == 0 && !v->queue)
        v->policy = "single";
    say(findings, v);
}
