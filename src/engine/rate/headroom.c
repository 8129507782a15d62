/* SPDX-License-Identifier: MIT */
#include "engine/rate/headroom.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* Extra bytes grow from this share by so much in a tick; more slowly when the link was full. */
#define FIRST      0.1
#define BEGIN_US   500000
#define GROW       1.2
#define GROW_AGAIN 1.02
#define TICK_US    100000
#define USED       0.7 /* of the share, or it does not grow */
#define LATELY     3   /* ticks */
#define SHRINK     0.9
#define ENOUGH     8.0 /* maximum: no policy sends more copies */

/* Threshold of late media, and the sum of excesses that starts a trial. */
#define LATE_US         2500
#define LATE_DEVIATIONS 3
#define LATE_PART       40 /* of the round trip */
#define LATE_MAX        4  /* thresholds: maximum of one packet */
#define LATE_SUSPECT    6  /* thresholds */
#define LATE_SUM_MAX    12
#define WAIT_US         20000
#define GAIN            8

/* Losses above this share and 1.5 times the normal loss are summed; a burst counts once. */
#define LOSS          0.06
#define LOSS_FACTOR   1.5
#define LOSS_SUSPECT  12.0
#define LOSS_BURST_US 50000

/* Fewer once the link was found full, or has lost none of its first segments: that many losses of
 * so many. A policer that gets hardly more than its rate loses little of each, for as long as it
 * does. */
#define LOSS_LEAST         0.015
#define LOSS_SUSPECT_LEAST 6.0
#define LOSSES_EXPECTED    6.0

/* Segments in flight beyond a round trip's, summed over ticks, show that more is sent than
 * delivered. Repairs of random losses keep some in flight, and a burst many for a moment: for a
 * round trip, so that the limit grows with round trips longer than a tick. Of a thin stream it is
 * counted in this time of media instead: a second of speech is six segments. */
#define AWAY_UNIT_US 40000.0
#define AWAY_NORMAL  4.0
#define AWAY_MAX     6.0
#define AWAY_SUSPECT 30.0
#define SEGMENT      1448.0
#define FRAME        3000.0 /* less is a packet and its copies */

/* Fewer do while the share grows and more is lost than usual: each second that a full link goes
 * unnoticed costs several seconds of draining it at its spare rate. */
#define AWAY_SUSPECT_GROWING 12.0
#define LOST_GROWING         1.0
#define GROWING_US           2000000

/* Trials. */
#define SETTLE_US      50000
#define SETTLED_US     80000.0 /* no more beyond a round trip's than so much media, or AWAY_NORMAL */
#define DRAIN_MAX_US   8000000
#define DRAIN_SHOWS_US 1000000 /* the rate of a drain of this length is the link's */
#define TRIAL_MIN_US   1000000
#define TRIAL_MAX_US   4000000
#define TRIAL_SAMPLES  12
#define EXPECTED_FIRST 6.0 /* expected losses at the former frequency: none of these came, */
#define EXPECTED_MAX   8.0 /*   or one of these */
#define FEW_PART       3   /* of the expected losses: they may end */

/* After a trial. */
#define MARGIN      0.85 /* of what got through */
#define BELOW       0.5  /* of the share at which the link was full */
#define SHARE_MIN   0.05
#define PROBES      2.0  /* probes for each packet, for which the link needs spare bytes */
#define PROBE       60.0 /* bytes of one, with headers */
#define EXEMPT_US   5000000
#define PROBED_US   500000 /* and a round trip */
#define WIDE        1.5    /* times the media: a link with room, by the time of a packet */
#define RETRY_US    30000000
#define RETRY_AGAIN 10000000
#define RETRY_GROW  1.3
#define DOUBLE_MAX  5

void lt_headroom_init(lt_headroom *h)
{
    *h = (lt_headroom){.share = FIRST,
                       .max_share = HUGE_VAL,
                       .since_us = LIVETCP_NEVER,
                       .lost_us = INT64_MIN / 2,
                       .grown_us = INT64_MIN / 2,
                       .exempt_until_us = INT64_MIN,
                       .padded_us = INT64_MIN / 2,
                       .retry_us = LIVETCP_NEVER,
                       .tick_us = INT64_MIN / 2};
    lt_proved_share_init(&h->proved);
}

bool lt_headroom_tries(const lt_headroom *h)
{
    return h->phase >= LT_HEADROOM_SETTLE;
}

double lt_headroom_get(const lt_headroom *h)
{
    double share = h->share < h->max_share ? h->share : h->max_share;

    return lt_headroom_tries(h) ? 0 : share;
}

bool lt_headroom_tries_losses(const lt_headroom *h)
{
    return lt_headroom_tries(h) && h->trial.lost;
}

/* Tail probes are a twentieth of a video's bytes: a trial that goes on sending them shows less
 * than it could, and a link with less to spare never drains. */
bool lt_headroom_takes_probes(const lt_headroom *h)
{
    return !lt_headroom_tries(h) && (h->max_share > 0 || h->spares_probes);
}

static void enter(lt_headroom *h, lt_headroom_phase phase, livetcp_usec now)
{
    h->phase = phase;
    h->since_us = now;
    h->late = h->lost = h->away = 0;
    h->suspect = h->suspect_lost = 0;
}

/* ---- the last second ---- */

static unsigned tick_before(const lt_headroom *h, unsigned ticks)
{
    return (h->tick + LT_HEADROOM_TICKS - ticks) % LT_HEADROOM_TICKS;
}

static unsigned oldest_tick(const lt_headroom *h)
{
    return tick_before(h, LT_HEADROOM_TICKS - 1);
}

/* Extra bytes for a byte of media that were sent in the last ticks. */
static double used(const lt_headroom *h, const lt_headroom_view *view, unsigned ticks)
{
    unsigned since = tick_before(h, ticks);
    double media = (double)(view->media - h->ticks[since].media);
    double all = (double)(view->written - h->ticks[since].written);

    return media > 0 ? all / media - 1 : 0;
}

static double carried(const lt_headroom *h, const lt_headroom_view *view)
{
    livetcp_usec span = view->now_us - h->tick_us + (LT_HEADROOM_TICKS - 1) * TICK_US;

    return (double)(view->delivered - h->ticks[oldest_tick(h)].delivered) / (double)span * SECOND;
}

static double away_unit(const lt_headroom_view *view)
{
    return fmin(SEGMENT, (double)view->media_rate * AWAY_UNIT_US / SECOND);
}

/* Under way beyond what a round trip holds: on average, and a frame more when one has just been
 * written. */
static double segments_beyond(const lt_headroom *h, const lt_headroom_view *view)
{
    double written = (double)(view->written - h->ticks[oldest_tick(h)].written);
    double held = written / (LT_HEADROOM_TICKS * TICK_US) * (double)view->rtt_us;
    double frame = (double)view->frame > FRAME ? (double)view->frame : 0;

    return ((double)view->undelivered - held - frame) / away_unit(view);
}

static void add_away(lt_headroom *h, const lt_headroom_view *view)
{
    double beyond = segments_beyond(h, view) - AWAY_NORMAL;

    h->away += beyond < AWAY_MAX ? beyond : AWAY_MAX;
    if (h->away < 0)
        h->away = 0;
}

/* ---- samples ---- */

static livetcp_usec threshold(const lt_headroom *h, livetcp_usec rtt_us)
{
    livetcp_usec min_us = LATE_US + rtt_us / LATE_PART;
    livetcp_usec varies_us = LATE_DEVIATIONS * h->deviation_us;

    return varies_us > min_us ? varies_us : min_us;
}

static void learn_normal(lt_headroom *h, livetcp_usec late_us)
{
    livetcp_usec error = late_us - h->normal_us;

    h->normal_us += error / GAIN;
    h->deviation_us += ((error < 0 ? -error : error) - h->deviation_us) / GAIN;
}

static void add_late(lt_headroom *h, livetcp_usec late_us, livetcp_usec rtt_us)
{
    double unit = (double)threshold(h, rtt_us);
    double beyond = (double)(late_us - h->normal_us) - unit;

    h->late_us += ((double)late_us - h->late_us) / GAIN;
    h->late += beyond < LATE_MAX * unit ? beyond : LATE_MAX * unit;
    if (h->late < 0)
        h->late = 0;
    if (h->late > LATE_SUM_MAX * unit)
        h->late = LATE_SUM_MAX * unit;
}

/* Losses, a burst counted once. */
static double count_lost(lt_headroom *h, const lt_path_sample *sample, livetcp_usec now)
{
    if (!sample->lost || now - h->lost_us < LOSS_BURST_US)
        return 0;
    h->lost_us = now;
    return 1;
}

/* Lost part of the segments that random losses may be. */
static double random_loss(const lt_headroom *h)
{
    double likely = h->full ? 0 : LOSSES_EXPECTED / fmax(h->unlost_segments, 1);

    return fmin(LOSS, fmax(LOSS_LEAST, likely));
}

static bool loses_more(const lt_headroom *h)
{
    return h->lost > fmax(LOSS_SUSPECT_LEAST, LOSS_SUSPECT * random_loss(h) / LOSS);
}

static void add_lost(lt_headroom *h, double lost, double segments)
{
    h->suspect += segments;
    h->suspect_lost += lost;
    h->lost += lost - segments * (random_loss(h) + LOSS_FACTOR * h->normal_loss);
    if (h->lost <= 0)
        h->lost = h->suspect = h->suspect_lost = 0;
}

void lt_headroom_on_sample(lt_headroom *h, const lt_path_sample *sample, livetcp_usec now)
{
    double lost = count_lost(h, sample, now);
    bool timed = sample->valid && sample->media && sample->sent_us >= h->since_us;

    h->all_segments += sample->segments;
    h->all_lost += lost;
    if (h->all_lost <= 0)
        h->unlost_segments = h->all_segments;
    switch (h->phase) {
    case LT_HEADROOM_BEGIN:
        if (timed)
            learn_normal(h, sample->excess_us);
        break;
    case LT_HEADROOM_SPEND:
        if (timed && h->spends)
            add_late(h, sample->excess_us, 0);
        else if (timed)
            learn_normal(h, sample->excess_us);
        add_lost(h, lost, sample->segments);
        break;
    case LT_HEADROOM_SETTLE:
        break;
    case LT_HEADROOM_TRIAL:
        h->trial.segments += sample->segments;
        h->trial.lost_segments += lost;
        if (!timed)
            break;
        h->trial.samples++;
        h->trial.average_us += ((double)sample->excess_us - h->trial.average_us) /
                               (h->trial.samples < GAIN ? h->trial.samples : GAIN);
        break;
    }
}

/* ---- trials ---- */

static double away_limit(const lt_headroom *h, const lt_headroom_view *view)
{
    bool growing = view->now_us - h->grown_us < GROWING_US;
    double limit = growing && h->lost > LOST_GROWING ? AWAY_SUSPECT_GROWING : AWAY_SUSPECT;

    return view->rtt_us > TICK_US ? limit * (double)view->rtt_us / TICK_US : limit;
}

/* Lost part of the segments since there were so many. */
static double loss_since(const lt_headroom *h, double segments, double lost)
{
    double more = h->all_segments - segments;

    return more > 0 ? (h->all_lost - lost) / more : 0;
}

/* Lost part of the segments, with extra bytes: since the sum of losses left zero, or in the last
 * second. Where the bytes under way are the suspicion, the sum may be zero, since a loss counts
 * when it is repaired. A trial that expects no losses would find each link free. */
static double present_loss(const lt_headroom *h)
{
    unsigned oldest = oldest_tick(h);
    double of_late = loss_since(h, h->ticks[oldest].segments, h->ticks[oldest].lost);

    return fmax(h->suspect > 0 ? h->suspect_lost / h->suspect : 0, of_late);
}

static bool is_wide(const lt_headroom_view *view)
{
    return view->link_rate <= 0 || view->link_rate > WIDE * (double)view->media_rate;
}

static void begin_trial(lt_headroom *h, const lt_headroom_view *view, bool late, bool lost)
{
    h->trial.late = late;
    h->trial.lost = lost;
    h->trial.late_us = (livetcp_usec)h->late_us;
    h->trial.loss = present_loss(h);
    h->trial.all_segments = h->ticks[oldest_tick(h)].segments;
    h->trial.all_lost = h->ticks[oldest_tick(h)].lost;
    h->trial.carried = carried(h, view);
    h->trial.delivered = view->delivered;
    h->trial.share = lt_headroom_get(h);
    h->trial.proved = lt_proved_share_get(&h->proved, is_wide(view));
    h->trial.average_us = h->trial.lost_segments = h->trial.segments = h->trial.loss_before = 0;
    h->trial.samples = 0;
    enter(h, LT_HEADROOM_SETTLE, view->now_us);
}

/* Where the link was busy, what it carried is its rate. But on a thin link media is late for as
 * long as a copy before it takes, too. */
static bool spares_probes(const lt_headroom *h, const lt_headroom_view *view)
{
    bool busy = h->trial.lost || h->trial.drained;
    double rate = busy ? h->trial.carried : fmax(h->trial.carried, view->link_rate);

    return rate / (double)view->media_rate - 1 >= PROBES * PROBE / view->packet;
}

static void limit_share(lt_headroom *h, const lt_headroom_view *view, double max_share,
                        livetcp_usec retry_us)
{
    h->max_share = max_share;
    h->spares_probes = spares_probes(h, view);
    h->share = FIRST;
    h->retry_us = retry_us;
    h->cleared = 0;
    enter(h, LT_HEADROOM_SPEND, view->now_us);
}

/* The link is full, although it has carried as much before: it gets the media, until nothing waits
 * any more. */
static void doubt_link(lt_headroom *h, const lt_headroom_view *view)
{
    lt_proved_share_on_full(&h->proved, fmin(h->trial.proved, h->max_share));
    limit_share(h, view, 0, LIVETCP_NEVER);
}

/* The link is full: it gets the media and a part of the rest that it carried. */
static void find_full(lt_headroom *h, const lt_headroom_view *view)
{
    double rest = MARGIN * h->trial.carried - (double)view->media_rate;
    double share = view->session_rate ? rest / (double)view->session_rate : 0;
    livetcp_usec retry_us = RETRY_US << (h->full < DOUBLE_MAX ? h->full : DOUBLE_MAX);

    if (share > BELOW * h->trial.share)
        share = BELOW * h->trial.share;
    lt_proved_share_on_full(&h->proved, 0);
    limit_share(h, view, share > SHARE_MIN ? share : 0, view->now_us + retry_us);
    h->full++;
}

static void clear_link(lt_headroom *h, const lt_headroom_view *view)
{
    if (h->trial.samples)
        h->normal_us = (livetcp_usec)h->trial.average_us;
    if (h->trial.lost)
        h->normal_loss = h->trial.loss_before;
    h->exempt_until_us =
        view->now_us + (EXEMPT_US << (h->cleared < DOUBLE_MAX ? h->cleared : DOUBLE_MAX));
    h->cleared++;
    enter(h, LT_HEADROOM_SPEND, view->now_us);
}

static void settle(lt_headroom *h, const lt_headroom_view *view)
{
    livetcp_usec since = view->now_us - h->since_us;
    double beyond =
        fmin(AWAY_NORMAL, (double)view->media_rate * SETTLED_US / SECOND / away_unit(view));

    if (since < view->rtt_us + SETTLE_US ||
        ((view->wait_us > WAIT_US || segments_beyond(h, view) > beyond) && since < DRAIN_MAX_US))
        return;
    /* The last second of extra bytes may have had the bucket of a policer beside its rate. */
    h->trial.drained = since >= DRAIN_SHOWS_US;
    if (h->trial.drained)
        h->trial.carried = fmin(h->trial.carried, (double)(view->delivered - h->trial.delivered) /
                                                      (double)since * SECOND);
    /* Losses count when they are repaired: those of the second before have been by now. */
    h->trial.loss = fmax(h->trial.loss, loss_since(h, h->trial.all_segments, h->trial.all_lost));
    enter(h, LT_HEADROOM_TRIAL, view->now_us);
}

static bool is_less_late(const lt_headroom *h, const lt_headroom_view *view)
{
    return h->trial.samples >= TRIAL_SAMPLES / 3 &&
           h->trial.average_us < (double)(h->trial.late_us - threshold(h, view->rtt_us));
}

static bool is_less_lost(const lt_headroom *h)
{
    double expected = h->trial.segments * h->trial.loss;

    return (expected >= EXPECTED_FIRST && h->trial.lost_segments < 1) ||
           (expected >= EXPECTED_MAX && h->trial.lost_segments < 2);
}

/* Repairs of former losses may be lost, too: only later losses count. */
static void begin_again(lt_headroom *h)
{
    h->trial.loss_before = h->trial.lost_segments / h->trial.segments;
    h->trial.lost_segments = h->trial.segments = 0;
}

/* A trial in which hardly anything was lost of late goes on until enough was expected. */
static bool is_over(const lt_headroom *h, livetcp_usec now)
{
    double expected = h->trial.segments * h->trial.loss;
    bool few_lost = h->trial.lost && h->trial.lost_segments <= expected / FEW_PART;

    return now - h->since_us > (few_lost ? 2 : 1) * TRIAL_MAX_US;
}

static void end_trial(lt_headroom *h, const lt_headroom_view *view)
{
    bool over = is_over(h, view->now_us);
    bool full = (h->trial.late && is_less_late(h, view)) || (h->trial.lost && is_less_lost(h));

    if (full && h->trial.proved > 0)
        doubt_link(h, view);
    else if (full)
        find_full(h, view);
    else if (over || (!h->trial.lost && h->trial.samples >= TRIAL_SAMPLES &&
                      view->now_us - h->since_us > TRIAL_MIN_US))
        clear_link(h, view);
    else if (h->trial.segments * h->trial.loss >= EXPECTED_MAX)
        begin_again(h);
}

/* ---- spending ---- */

/* A probe for the path's rate makes media late, too. */
static bool is_probed(lt_headroom *h, const lt_headroom_view *view)
{
    if (view->padded != h->padded)
        h->padded_us = view->now_us;
    h->padded = view->padded;
    return view->now_us - h->padded_us < view->rtt_us + PROBED_US;
}

static void suspect(lt_headroom *h, const lt_headroom_view *view)
{
    if (view->now_us - h->begun_us < TICK_US * LT_HEADROOM_TICKS)
        return; /* a second is not known yet */
    if (is_probed(h, view) || view->now_us < h->exempt_until_us) {
        h->late = h->lost = h->away = 0;
        return;
    }
    bool late = h->late > LATE_SUSPECT * (double)threshold(h, view->rtt_us);
    bool lost = loses_more(h) || h->away > away_limit(h, view);

    if (late || lost)
        begin_trial(h, view, late, lost);
}

static void grow(lt_headroom *h, const lt_headroom_view *view)
{
    double of_late = used(h, view, LATELY), in_a_second = used(h, view, LT_HEADROOM_TICKS - 1);

    if (view->now_us >= h->retry_us) {
        h->max_share = (h->max_share > SHARE_MIN ? h->max_share : SHARE_MIN) * RETRY_GROW;
        h->retry_us = view->now_us + RETRY_AGAIN;
    }
    if (of_late >= USED * h->share && h->late <= 0 && h->away <= 0) {
        h->share *= h->full ? GROW_AGAIN : GROW;
        h->grown_us = view->now_us;
        if (h->share > ENOUGH)
            h->share = ENOUGH;
    } else if (in_a_second < USED * USED * h->share && h->share > FIRST) {
        h->share *= SHRINK;
    }
    h->spends = in_a_second > SHARE_MIN / 2;
    if (!h->spends) /* without extra bytes they are not the cause */
        h->late = h->lost = h->away = 0;
}

/* Extra bytes of the last tick. */
static double extra_bytes(const lt_headroom *h, const lt_headroom_view *view)
{
    unsigned last = tick_before(h, 1);

    return (double)(view->written - h->ticks[last].written) -
           (double)(view->media - h->ticks[last].media);
}

/* A link in doubt is asked again when nothing has waited for a while. */
static void ask_again(lt_headroom *h, const lt_headroom_view *view)
{
    bool waits = view->wait_us > WAIT_US || segments_beyond(h, view) > AWAY_NORMAL;
    double share = lt_proved_share_ask(&h->proved, waits);

    if (share <= 0)
        return;
    h->max_share = share;
    h->retry_us = view->now_us + RETRY_AGAIN;
}

static void tick(lt_headroom *h, const lt_headroom_view *view)
{
    h->tick = (h->tick + 1) % LT_HEADROOM_TICKS;
    h->ticks[h->tick].delivered = view->delivered;
    h->ticks[h->tick].written = view->written;
    h->ticks[h->tick].media = view->media;
    h->ticks[h->tick].segments = h->all_segments;
    h->ticks[h->tick].lost = h->all_lost;
    h->tick_us = view->now_us;
    if (h->phase != LT_HEADROOM_SPEND)
        return;
    h->flowed = h->flowed || view->wait_us < WAIT_US;
    if (view->wait_us > WAIT_US && h->flowed)
        add_late(h, view->wait_us, view->rtt_us);
    if (lt_proved_share_is_in_doubt(&h->proved))
        ask_again(h, view);
    else if (h->max_share > 0)
        lt_proved_share_on_tick(&h->proved, used(h, view, LT_HEADROOM_TICKS - 1),
                                extra_bytes(h, view));
    add_away(h, view);
    grow(h, view);
}

void lt_headroom_update(lt_headroom *h, const lt_headroom_view *view)
{
    if (!view->media_rate)
        return;
    if (h->since_us == LIVETCP_NEVER)
        h->since_us = h->begun_us = view->now_us;
    if (view->now_us - h->tick_us >= TICK_US)
        tick(h, view);
    if (h->phase == LT_HEADROOM_BEGIN && view->now_us - h->since_us >= BEGIN_US)
        enter(h, LT_HEADROOM_SPEND, view->now_us);
    else if (h->phase == LT_HEADROOM_SPEND)
        suspect(h, view);
    else if (h->phase == LT_HEADROOM_SETTLE)
        settle(h, view);
    else if (h->phase == LT_HEADROOM_TRIAL)
        end_trial(h, view);
}
