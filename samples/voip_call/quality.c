/* SPDX-License-Identifier: MIT */
#include "quality.h"

#include <stdio.h>
#include <string.h>

#define GOOD_MOS 4.0

static livetcp_usec known(livetcp_usec us)
{
    return us > 0 ? us : 0;
}

/* ---- the way of a word ---- */

/* Assumes that the peer's sound system has our delays. A packet is played at a fixed delay after
 * the minimum transit time: the less it waits in the network, the more it waits in the playout. */
static void measure_delay(quality *q, const livetcp_session_stats *session,
                          const livetcp_playout_stats *playout, const voice_state *state)
{
    const livetcp_delays *delays = &session->received.delays;
    livetcp_usec queueing_us;

    if (session->min_rtt_us <= 0 || playout->received == 0)
        return; /* unknown, or unchanged since the session has ended */
    q->speaking_us = state->spoken_delay_us;
    q->path_us = session->min_rtt_us / 2;
    queueing_us = known(delays->network_us - q->path_us);
    q->waiting_us = known(delays->send_queue_us) + known(delays->send_buffer_us) + queueing_us +
                    known(delays->head_of_line_us);
    if (q->waiting_us > playout->delay_us)
        q->waiting_us = playout->delay_us;
    q->playout_us = playout->delay_us - q->waiting_us;
    q->hearing_us = state->heard_delay_us;
    q->mouth_to_ear_us = q->speaking_us + q->path_us + playout->delay_us + q->hearing_us;
    q->mouth_to_ear_sum += (double)q->mouth_to_ear_us;
    q->seconds++;
    if (q->mouth_to_ear_us > q->mouth_to_ear_max_us)
        q->mouth_to_ear_max_us = q->mouth_to_ear_us;
}

livetcp_usec quality_mouth_to_ear(const quality *q)
{
    return q->seconds ? (livetcp_usec)(q->mouth_to_ear_sum / q->seconds) : -1;
}

/* ---- what is missing ---- */

/* Late or lost, and not recovered: the E-model's loss is the loss after correction. */
static uint64_t concealed(const quality_counts *c)
{
    uint64_t missed = c->late + c->lost;

    return missed > c->corrected ? missed - c->corrected : 0;
}

static double loss_of(const quality_counts *before, const quality_counts *now)
{
    uint64_t due =
        now->played + now->late + now->lost - before->played - before->late - before->lost;
    uint64_t missed = concealed(now) - concealed(before);

    return due > 0 && missed <= due ? (double)missed / (double)due : 0;
}

/* ---- the mark ---- */

static double rate(livetcp_usec delay_us, double loss, double burst_ratio, livetcp_quality *result)
{
    livetcp_call call;

    livetcp_call_init(&call, livetcp_speech_codec_find("opus"));
    call.delay_us = delay_us;
    call.loss = loss;
    call.burst_ratio = burst_ratio;
    return livetcp_call_rate(&call, result, NULL) == LIVETCP_OK ? result->mos : 0;
}

const char *quality_word(double mos)
{
    return mos == 0    ? ""
           : mos < 1.5 ? "bad"
           : mos < 2.5 ? "poor"
           : mos < 3.6 ? "fair"
           : mos < 4.2 ? "good"
                       : "excellent";
}

/* The largest component of the delay that the user can influence. */
static const char *largest(const quality *q)
{
    livetcp_usec max = q->path_us;
    const char *name = "the path is long";

    if (q->waiting_us > max) {
        max = q->waiting_us;
        name = "packets wait in queues and for lost ones";
    }
    if (q->playout_us > max) {
        max = q->playout_us;
        name = "they come unevenly and have to be held";
    }
    return q->hearing_us > max ? "the loudspeaker is slow" : name;
}

static void explain(quality *q, const livetcp_quality *now, const quality_counts *before)
{
    const livetcp_speech_codec *codec = livetcp_speech_codec_find("opus");
    uint64_t late = q->counts.late - before->late, lost = q->counts.lost - before->lost;

    q->reason[0] = '\0';
    if (q->mos_now == 0 || q->mos_now >= GOOD_MOS)
        return;
    if (now->loss_impairment - codec->impairment > now->delay_impairment)
        snprintf(q->reason, sizeof q->reason, "%.1f %% of the packets %s", 100 * q->loss_now,
                 late >= lost ? "come too late" : "never come");
    else
        snprintf(q->reason, sizeof q->reason, "%lld ms of delay: %s",
                 (long long)(q->mouth_to_ear_us / LIVETCP_USEC_MSEC), largest(q));
}

void quality_update(quality *q, const livetcp_session_stats *session,
                    const livetcp_playout_stats *playout, const voice_state *state)
{
    static const quality_counts nothing;
    quality_counts *slot = &q->history[q->updates % QUALITY_WINDOW];
    const quality_counts before = q->updates < QUALITY_WINDOW ? nothing : *slot;
    livetcp_quality result = {.struct_size = sizeof result};

    q->counts = (quality_counts){playout->played, playout->late,
                                 playout->lost + playout->overflowed, state->corrected};
    *slot = q->counts;
    q->updates++;
    q->concealed = concealed(&q->counts);
    q->loss_now = loss_of(&before, &q->counts);
    q->loss = loss_of(&nothing, &q->counts);
    measure_delay(q, session, playout, state);
    if (q->seconds == 0)
        return;
    q->mos = rate(quality_mouth_to_ear(q), q->loss, playout->burst_ratio, &result);
    q->mos_now = rate(q->mouth_to_ear_us, q->loss_now, playout->burst_ratio, &result);
    explain(q, &result, &before);
}
