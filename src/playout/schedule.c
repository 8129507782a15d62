/* SPDX-License-Identifier: MIT */
/*
 * Inside a talkspurt the offset follows the minimum transit time, that is the clocks' skew, by at
 * most 1 ms per second, which no ear notices. Speech changes its delay at the start of a talkspurt.
 * Sound without pauses has no such point, so after ten seconds it follows at that pace, too. Video
 * moves by up to a fifth: two seconds take back 400 ms.
 *
 * Nothing is placed before the end of its predecessor: a silence too short to take back all of the
 * delay takes back its own length.
 *
 * The wait of the first packets, behind a handshake for example, is unknown until the minimum
 * transit time is known. In the first seconds of a stream play times are corrected then.
 */
#include "playout/schedule.h"

#include "base/usec.h"

#define AUDIO_PACE 0.001

/* A fiftieth more or less is not heard, but for music: 0.4 ms of a packet of 20 ms. */
#define STRETCH_PACE 0.02
#define STRETCH_US   (2 * (livetcp_usec)LIVETCP_USEC_SEC)
#define VIDEO_PACE   0.2

/* Talkspurts of speech are shorter: Brady (1968) has a mean of 1.2 s. */
#define ENDLESS_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Maximum wait at the start of a stream that still allows playing. */
#define BACKLOG_US (200 * LIVETCP_USEC_MSEC)

/* Changes too small to matter. */
#define CHANGE_US LIVETCP_USEC_MSEC

static void start_talkspurt(lt_playout_schedule *s, const lt_playout_schedule_input *in)
{
    livetcp_usec offset = in->base_us + in->target_us, least = s->end_us - in->media_us;

    s->previous_us = s->started ? s->offset_us : offset;
    s->offset_us = s->end_us && offset < least ? least : offset;
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

/* The base turned out to be lower. A delay that thereby exceeds its maximum is reduced by the
 * excess; if that comes to a jump, it goes to its target. */
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
    /* The talkspurt's own first packets, which others overtook, follow on each other. */
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
