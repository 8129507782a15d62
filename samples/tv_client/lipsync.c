/* SPDX-License-Identifier: MIT */
#include "lipsync.h"

#define SECOND_US 1000000
#define JUMP_US   100000 /* a larger difference is corrected at once, */
#define STEP_US   500    /* a smaller one by this much per packet, which is not visible */
#define SILENT_US (2 * SECOND_US)
#define SANE_US   (3600 * (int64_t)SECOND_US)

void lipsync_init(lipsync *l, uint32_t picture_rate, uint32_t sound_rate)
{
    *l = (lipsync){0};
    l->streams[LIPSYNC_PICTURE].rate = picture_rate;
    l->streams[LIPSYNC_SOUND].rate = sound_rate;
}

void lipsync_report(lipsync *l, int stream, int64_t wall_us, uint32_t timestamp)
{
    l->streams[stream].reported = true;
    l->streams[stream].wall_us = wall_us;
    l->streams[stream].timestamp = timestamp;
}

bool lipsync_capture(const lipsync *l, int stream, uint32_t timestamp, int64_t *wall_us)
{
    const struct lipsync_stream *s = &l->streams[stream];

    if (s->reported)
        *wall_us = s->wall_us + (int64_t)(int32_t)(timestamp - s->timestamp) * SECOND_US / s->rate;
    return s->reported;
}

/* The larger delay of the streams that are active. */
static int64_t wanted(const lipsync *l, int stream)
{
    const struct lipsync_stream *mine = &l->streams[stream], *other = &l->streams[!stream];
    const int64_t apart = mine->capture_us - other->capture_us;

    if (!other->played || apart > SILENT_US || other->offset_us - mine->offset_us > SANE_US)
        return mine->offset_us;
    return other->offset_us > mine->offset_us ? other->offset_us : mine->offset_us;
}

int64_t lipsync_play(lipsync *l, int stream, uint32_t timestamp, int64_t play_us, int64_t device_us)
{
    struct lipsync_stream *s = &l->streams[stream];

    if (!lipsync_capture(l, stream, timestamp, &s->capture_us))
        return play_us;
    s->offset_us = play_us + device_us - s->capture_us;
    s->played = true;
    const int64_t target = wanted(l, stream), change = target - l->common_us;
    if (!l->begun || change > JUMP_US || change < -JUMP_US)
        l->common_us = target;
    else
        l->common_us += change > STEP_US ? STEP_US : change < -STEP_US ? -STEP_US : change;
    l->begun = true;
    const int64_t at = s->capture_us + l->common_us - device_us;
    return at > play_us ? at : play_us;
}
