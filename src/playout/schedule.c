/* SPDX-License-Identifier: MIT */
/*
 * Within a talkspurt the offset follows the minimum transit time, that is, the clock skew, by at
 * most 1 ms per second, which is inaudible. Speech changes its delay at the start of a talkspurt.
 * Audio without pauses has no such point, so after ten seconds it follows at that pace, too. Video
 * changes by up to one fifth: two seconds recover 400 ms.
 *
 * No item is placed before the end of its predecessor. A silence too short to recover all of the
 * delay recovers its own length.
 *
 * The first packets may have waited, for a handshake for example, by a time that is unknown until
 * the minimum transit time is known. Play times are corrected in the first seconds of a stream.
 */
#include "playout/schedule.h"

#include "base/usec.h"

#define AUDIO_PACE 0.001

/* Stretching by one fiftieth is inaudible except in music: 0.4 ms of a packet of 20 ms. */
#define STRETCH_PACE 0.02
#define STRETCH_US   (2 * (livetcp_usec)LIVETCP_USEC_SEC)
#define VIDEO_PACE   0.2

/* Longer talkspurts are not speech: Brady (1968) gives a mean of 1.2 s. */
#define ENDLESS_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Maximum wait of the first packets that is corrected without a jump. */
#define BACKLOG_US (200 * LIVETCP_USEC_MSEC)

/* Smaller changes are ignored. */
#define CHANGE_US LIVETCP_USEC_MSEC

static void start_talkspurt(lt_playout_schedule *s, const lt_playout_schedule_input *in)
{
    livetcp_usec offset = in->base_us + in->target_us, min_us = s->end_us - in->media_us;

    s->previous_us = s->started ? s->offset_us : offset;
    s->offset_us = s->end_us && offset < min_us ? min_us : offset;
    s->delay_us = in->target_us;
    s->first = in->extended;
    s->first_us = in->media_us;
    s->base_us = in->base_us;
    s->given_way_us = 0;
    s->started = true;
}

static void follow(lt_playout_schedule *s, const lt_playout_schedule_input *in)
{
    livetcp_usec passed = in->media_us > s->media_us ? in->media_us - s->media_us : 0;
    livetcp_usec since = in->media_us - s->first_us;
    bool stretched = in->stretches && since > STRETCH_US;
    double share = s->video ? VIDEO_PACE : stretched ? STRETCH_PACE : AUDIO_PACE;
    livetcp_usec pace = (livetcp_usec)((double)passed * share);

    if (s->video || stretched || since > ENDLESS_US)
        s->delay_us = in->target_us;
    s->offset_us += lt_usec_clamp(in->base_us + s->delay_us - s->offset_us, -pace, pace);
}

/* The minimum transit time is lower than assumed. A delay that now exceeds its maximum is reduced
 * by the excess; a reduction that is a jump goes to the target delay. */
static bool bound(lt_playout_schedule *s, const lt_playout_schedule_input *in)
{
    livetcp_usec excess = s->offset_us - in->base_us - in->max_us;
    bool fell = in->young && s->base_us - in->base_us > BACKLOG_US;

    if (excess > 0 && s->given_way_us + excess <= in->duration_us) {
        s->given_way_us += excess;
        s->offset_us -= excess;
        return false;
    }
    if (excess <= 0 && !fell)
        return false;
    s->offset_us = in->base_us + in->target_us;
    s->delay_us = in->target_us;
    s->base_us = in->base_us;
    s->given_way_us = 0;
    return true;
}

lt_playout_schedule_result lt_playout_schedule_next(lt_playout_schedule *s,
                                                    const lt_playout_schedule_input *in)
{
    lt_playout_schedule_result result = {0};
    livetcp_usec before = s->offset_us - in->base_us;
    bool started = s->started;

    if (!started || in->place == LT_PLAYOUT_START)
        start_talkspurt(s, in);
    else
        follow(s, in);
    result.resync = bound(s, in);
    result.changed = in->place == LT_PLAYOUT_START && started &&
                     (s->offset_us - in->base_us > before + CHANGE_US ||
                      s->offset_us - in->base_us < before - CHANGE_US);
    result.play_us = in->media_us + s->offset_us;
    s->media_us = in->media_us;
    s->end_us = result.play_us + (s->video ? 0 : in->duration_us);
    return result;
}

livetcp_usec lt_playout_schedule_earlier(lt_playout_schedule *s, uint64_t extended,
                                         livetcp_usec media_us, livetcp_usec duration_us)
{
    livetcp_usec ahead = s->first_us - media_us;

    if (extended >= s->first || s->video)
        return media_us + s->offset_us;
    /* First packets of the talkspurt, overtaken by others, follow each other. */
    if (ahead <= (livetcp_usec)(s->first - extended) * duration_us + duration_us / 2) {
        s->first = extended;
        s->first_us = media_us;
        return media_us + s->offset_us;
    }
    return media_us + s->previous_us;
}

void lt_playout_schedule_restart(lt_playout_schedule *s)
{
    s->started = false;
}
