/* SPDX-License-Identifier: MIT */
/*
 * A service curve describes the steady state, so the first play follows a train at the stream's
 * mean rate. Between plays the train continues for a random time, so that plays are not in step
 * with periodic events such as BBR's min RTT probe. The clocks are compared from time to time; the
 * congestion window, which shrinks in that pause, is opened again before the next play.
 */
#include "lab/probe/player.h"

#include "lab/clock.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/transfer.h"

#define LONGEST_GAP (4 * LIVETCP_USEC_SEC)

static bool take_frame(void *user, const lt_probe_sample *sample)
{
    lt_plays_add(&((lt_player *)user)->findings->video.plays, sample->total);
    return true;
}

static void tick(void *user, livetcp_usec elapsed)
{
    lt_player *p = user;

    lt_probe_progress_show(p->progress, "sending the video",
                           p->left > elapsed ? p->left - elapsed : 0);
}

static livetcp_result transfer(lt_player *p, lt_probe_source *source, livetcp_error *error)
{
    lt_transfer_result sent;
    const lt_transfer_config config = {.connection = p->connection,
                                       .sync = p->sync,
                                       .source = source,
                                       .on_sample = take_frame,
                                       .on_tick = tick,
                                       .user = p};

    return lt_transfer_run(&config, &sent, error);
}

/* No gap is left between the last packet of the train and the first frame. */
static livetcp_result fill(lt_player *p, livetcp_usec length, livetcp_error *error)
{
    double rate = livetcp_envelope_mean_rate(p->findings->video.envelope);
    lt_probe_source source;

    if (!(rate > 0))
        return LIVETCP_OK;
    lt_source_filler(&source, rate, p->findings->options->size, length);
    return transfer(p, &source, error);
}

static livetcp_usec random_gap(lt_player *p)
{
    return (livetcp_usec)(LONGEST_GAP * lt_rng_uniform(p->rng));
}

static livetcp_result play(lt_player *p, livetcp_error *error)
{
    lt_probe_video *v = &p->findings->video;
    lt_probe_source source;
    livetcp_result result = lt_plays_begin(&v->plays, v->count, error);

    lt_source_trace(&source, v->frames, v->count);
    return result == LIVETCP_OK ? transfer(p, &source, error) : result;
}

/* Plays until the clocks have to be compared again. */
static livetcp_result play_some(lt_player *p, unsigned *left, livetcp_error *error)
{
    const livetcp_usec end = lt_clock_now() + LIVETCP_USEC_SEC * 60;
    livetcp_usec settle = p->findings->options->settle;
    livetcp_result result = LIVETCP_OK;

    while (result == LIVETCP_OK && *left && lt_clock_now() < end && !lt_probe_interrupted()) {
        p->left = (p->length + LONGEST_GAP / 2) * (*left)--;
        result = fill(p, settle + random_gap(p), error);
        settle = 0;
        if (result == LIVETCP_OK && !lt_probe_interrupted())
            result = play(p, error);
    }
    return result;
}

livetcp_result lt_player_run(lt_player *player, livetcp_error *error)
{
    lt_player *p = player;
    const lt_probe_video *v = &p->findings->video;
    unsigned left = p->findings->options->plays;
    livetcp_result result = LIVETCP_OK;

    p->length = v->frames[v->count - 1].time_us - v->frames[0].time_us;
    while (result == LIVETCP_OK && left && !lt_probe_interrupted()) {
        result = play_some(p, &left, error);
        if (result == LIVETCP_OK && left && !lt_probe_interrupted())
            result = lt_transfer_pause(p->connection, p->sync, error);
    }
    return result;
}
