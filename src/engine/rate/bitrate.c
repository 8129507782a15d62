/* SPDX-License-Identifier: MIT */
#include "engine/rate/bitrate.h"

#include "base/usec.h"

#include <math.h>

#define BITS   8.0
#define SECOND ((double)LIVETCP_USEC_SEC)

#define INTERVAL_US 50000

/* Part of the path's rate. While a queue stands it is less, so that the queue drains in DRAIN_US.
 * For KEY_US after a key frame that takes KEY_DRAIN_US, but for what is longer than LONG_QUEUE_US:
 * the frames that follow are smaller than the mean, and it drains without less media, too. */
#define HEAD          0.98
#define DRAIN_US      300000.0
#define KEY_US        1000000
#define KEY_DRAIN_US  900000.0
#define LONG_QUEUE_US 80000.0
#define LONG_DRAIN_US 400000.0
#define WAITS_US      200000.0 /* the same for packets that wait beside others: that is seen at once */
#define ALLOWED_US    5000.0
#define LEAST_PART    0.2   /* what an encoder keeps meanwhile */
#define LEAST_SHARE   0.5   /* the same beside others, whose queue it may be */
#define SLOWER_US     60000 /* queue from which the present rate counts instead of the average */

/* Lower bound of the first estimate. A rate is measured over at least 100 ms, so that the first
 * frame alone gives less than the source sends. A key frame, which is several times as large as the
 * others, gives more: it is not told until a round trip and this time have shown no queue. */
#define START_MIN 150000.0
#define START_US  100000

/* Growth per interval: back to a known rate, beyond it, and before any queue has stood. */
#define GROW_BACK    0.2
#define GROW_SHOWN   0.5
#define TRAINS_MIN   2
#define GROW_FAST    0.03
#define GROW_START   0.05
#define GROW_WINDOW  0.01   /* while losses keep the windows small */
#define GROW_NEAR    2.2    /* times the root */
#define GROW_OWN     0.0011 /* at most, where the path is the session's own */
#define BACK_PART    0.05   /* a goal of so much more than what was told is jumped to */
#define KNOWN_PART   0.93   /* of the maximum rate carried of late: no less is the path's own */
#define LAG_US       160000
#define USED_LOOKS   8
#define GROW_AGE_US  2000000.0
#define START_AGE_US 1000000.0 /* while nothing has stood */
#define NEAR_USED    0.75      /* of the estimate, or growing shows nothing */
#define USED_MIN     0.5       /* of the estimate: less has no need of more */

/* A source follows if it was told FOLLOW_MORE times as much as FOLLOW_LOOKS updates before, and
 * sent FOLLOW_PART of that increase. It does not if it sends IGNORES times what it was told. */
#define FOLLOW_LOOKS 6
#define FOLLOW_MORE  1.25
#define FOLLOW_PART  0.7
#define IGNORES      1.5
#define USED_SHOWN   2.5 /* USED_MAX where packet trains have shown a higher rate */
#define USED_MAX     2.0 /* maximum estimate per bit that the source uses */
#define TRAIN_PART   0.95
#define EXCEEDS      1.3 /* media, which may get through for a moment */

/* A source adapts if what the application offers differs as much as what it was told at any two
 * times after so many updates: at the beginning what is offered is measured too low. */
#define ADAPTS_MORE  1.12
#define ADAPTS_LOOKS 40

/* A source that follows sends between these parts of the estimate. One that was never told much
 * more cannot be known to follow. */
#define HEEDED_MIN 0.8
#define HEEDED_MAX 1.25

/* A source at a fixed rate has sent the same since it was told something else for this time: more
 * than it sends, or less or more than before. */
#define SAME       0.1
#define CHANGED    0.2
#define IGNORED_US 1000000

/* After a loss, windows that limit the rate do not count as growing for this time. */
#define LOST_US 2000000

#define ARRIVED_US 500000 /* after a loss what arrives counts */

#define STALL_US      100000
#define STALL_SEEN_US 300000
#define STALL_PART    0.45

/* A change is told from a part of the last value on. At low rates, where a frame is a packet or
 * two, small changes make the queue longer. */
#define TELL_PART     0.02
#define TELL_LEAST    12000.0 /* bit/s, but no more than */
#define TELL_MOST     0.05
#define TELL_EVERY_US 300000
#define TELL_NOW      0.9  /* of the last value reported: at once, */
#define TELL_NOW_OWN  0.97 /*   and of the rate of a path that nobody shares */

void lt_bitrate_init(lt_bitrate *bitrate, uint32_t min, uint32_t max)
{
    *bitrate = (lt_bitrate){.min = min,
                            .max = max ? max : HUGE_VAL,
                            .estimate = max,
                            .ignored_us = LIVETCP_NEVER,
                            .told_us = INT64_MIN,
                            .updated_us = INT64_MIN,
                            .lowered_us = INT64_MIN,
                            .shown_us = INT64_MIN,
                            .key_us = INT64_MIN / 2};
    lt_overshoot_init(&bitrate->overshoot);
}

/* To be told. */
static double rate_of(const lt_bitrate *b)
{
    return b->estimate > 0 ? fmax(b->min, fmin(b->max, b->estimate - b->overshoot.bits)) : 0;
}

/* The source sends no more than the maximum when it is told so much less. */
static double within_bounds(const lt_bitrate *b, double estimate)
{
    return fmax(b->min, fmin(b->max + b->overshoot.bits, estimate));
}

bool lt_bitrate_set_bounds(lt_bitrate *bitrate, uint32_t min, uint32_t max)
{
    double told = bitrate->told;

    bitrate->min = min;
    bitrate->max = max ? max : HUGE_VAL;
    bitrate->estimate = bitrate->estimate == 0 ? max : within_bounds(bitrate, bitrate->estimate);
    if (told == 0 || told == rate_of(bitrate))
        return false;
    bitrate->told = rate_of(bitrate);
    return true;
}

double lt_bitrate_carried(const lt_bitrate *bitrate)
{
    return bitrate->estimate;
}

uint32_t lt_bitrate_get(const lt_bitrate *bitrate)
{
    double rate = rate_of(bitrate);

    return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

bool lt_bitrate_is_used(const lt_bitrate *b)
{
    return b->follows && rate_of(b) < b->max && b->used > USED_MIN * b->estimate;
}

static bool is_about_estimate(const lt_bitrate *b, double offered)
{
    return offered * BITS > HEEDED_MIN * b->estimate && offered * BITS < HEEDED_MAX * b->estimate;
}

static bool is_ignored(const lt_bitrate *b, livetcp_usec now)
{
    return b->ignored_us != LIVETCP_NEVER && now - b->ignored_us >= IGNORED_US;
}

bool lt_bitrate_may_be_heeded(const lt_bitrate *b, double offered)
{
    return b->follows || is_about_estimate(b, offered);
}

bool lt_bitrate_is_ignored(lt_bitrate *b, double offered, livetcp_usec now)
{
    bool same = fabs(offered - b->same) < SAME * b->same;

    if (!same || b->follows || b->told_then <= 0) {
        b->same = offered;
        b->told_then = b->told;
        b->ignored_us = LIVETCP_NEVER;
    }
    if (offered * BITS < HEEDED_MIN * b->estimate ||
        fabs(b->told - b->told_then) > CHANGED * b->told_then)
        b->ignored_us = lt_usec_min(b->ignored_us, now);
    else if (!is_ignored(b, now))
        b->ignored_us = LIVETCP_NEVER;
    return is_ignored(b, now);
}

bool lt_bitrate_is_exceeded(const lt_bitrate *b, double offered)
{
    return lt_overshoot_shows(&b->overshoot, offered * BITS);
}

static bool heeds(const lt_bitrate *b, const lt_congestion *c, livetcp_usec now)
{
    return lt_faster_path_heeds(&b->faster, lt_congestion_is_lossless(c, now), now);
}

static bool shows_faster_path(const lt_bitrate *b, const lt_congestion *c, double rate,
                              livetcp_usec now)
{
    return b->ceiling > 0 && !b->by_windows && rate > LT_FASTER * b->ceiling && heeds(b, c, now);
}

/* The path may be as fast as that: it is tried, at once or by a step. */
static void heed(lt_bitrate *b, const lt_congestion *c, double rate, livetcp_usec now)
{
    lt_faster_path_begin(&b->faster, b->ceiling, now);
    b->ceiling = lt_faster_path_step(&b->faster, rate, lt_congestion_is_lossless(c, now), now);
}

bool lt_bitrate_on_burst_rate(lt_bitrate *b, const lt_congestion *c, double rate, livetcp_usec now)
{
    if (!shows_faster_path(b, c, rate, now))
        return false;
    heed(b, c, rate, now);
    if (b->ceiling <= 0)
        b->shown_us = INT64_MIN;
    return true;
}

static bool has_lost(const lt_congestion *c, livetcp_usec now)
{
    return now - c->lost_us <= LOST_US;
}

bool lt_bitrate_exceeds_ceiling(const lt_bitrate *b, const lt_congestion *c, double media_share,
                                livetcp_usec now)
{
    bool limits = b->by_windows && has_lost(c, now);

    return lt_bitrate_is_used(b) && b->ceiling > 0 && !limits && heeds(b, c, now) &&
           b->used > EXCEEDS * b->ceiling * BITS * media_share;
}

void lt_bitrate_forget_ceiling(lt_bitrate *b, livetcp_usec now)
{
    if (b->ceiling > 0)
        lt_faster_path_begin(&b->faster, b->ceiling, now);
    b->ceiling = 0;
    b->shown_us = INT64_MIN;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void set(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s, double estimate)
{
    b->estimate = estimate;
    if (lt_congestion_progress(c) > s->now_us - STALL_US)
        b->moving = estimate;
    else /* a stall lowers it to a part of its last value, once */
        b->estimate = larger(estimate, STALL_PART * b->moving);
}

/* True if a queue stood at the rate of the path and no share of it: hardly more was carried of
 * late, and nothing was lost. */
static bool is_own_path(const lt_bitrate *b, const lt_congestion *c, livetcp_usec now)
{
    return b->ceiling > KNOWN_PART * lt_congestion_max_carried(c) &&
           lt_congestion_is_lossless(c, now);
}

/* Growth near the known rate: with the root of the rate, so that sessions which share a path come
 * to equal shares, and faster the longer no queue has stood. On a path of its own it is slow: until
 * a queue is seen and the encoder told, it goes on for most of a second. */
static double near(const lt_bitrate *b, const lt_congestion *c, livetcp_usec now)
{
    livetcp_usec since = b->lowered_us > b->shown_us ? b->lowered_us : b->shown_us;
    bool stood = b->lowered_us > INT64_MIN;
    double pace = stood && c->base_us > LT_LONG_TRIP_US ? LT_LONG_TRIP_US / (double)c->base_us : 1;
    double scale = (stood ? GROW_AGE_US : START_AGE_US) / pace;
    double age = since > INT64_MIN ? (double)(now - since) / scale : 0;
    double step = pace * GROW_NEAR * sqrt(b->estimate);

    if (is_own_path(b, c, now))
        step = smaller(step, GROW_OWN * b->estimate);
    return smaller(step * (age > 1 ? age * age : 1), GROW_FAST * b->estimate);
}

static void note_key_frame(lt_bitrate *b, const lt_bitrate_sample *s)
{
    unsigned last = (b->looks - 1) % LT_BITRATE_LOOKS; /* empty at the first update */

    if (s->key_media > b->past[last].written - b->past[last].deltas)
        b->key_us = s->now_us;
}

static double rate_of_bytes(uint64_t bytes, livetcp_usec time)
{
    return (double)bytes * BITS * SECOND / (double)time;
}

/* Bit rate of the media written in the last updates. */
static double update_used(lt_bitrate *b, const lt_bitrate_sample *s)
{
    unsigned back = b->looks < USED_LOOKS ? b->looks : USED_LOOKS;
    unsigned first = (b->looks - back) % LT_BITRATE_LOOKS, place = b->looks % LT_BITRATE_LOOKS;
    uint64_t bytes = s->media - b->past[first].written;
    livetcp_usec time = s->now_us - b->past[first].at_us;
    bool known = back > 0 && time > 0;

    b->past[place].at_us = s->now_us;
    b->past[place].written = s->media;
    b->past[place].deltas = s->media - s->key_media;
    b->past[place].offered = s->offered;
    b->past[place].estimate = b->estimate;
    b->looks++;
    return known ? rate_of_bytes(bytes, time) : (double)s->media_rate * BITS;
}

/* Over FOLLOW_LOOKS updates, which ended `ago` updates ago. A key frame is no answer to what the
 * source was told, and is left out. */
static lt_bitrate_answer answer_of(const lt_bitrate *b, unsigned ago)
{
    unsigned to = (b->looks - 1 - ago) % LT_BITRATE_LOOKS;
    unsigned from = (b->looks - 1 - ago - FOLLOW_LOOKS) % LT_BITRATE_LOOKS;
    livetcp_usec time = b->past[to].at_us - b->past[from].at_us;
    lt_bitrate_answer answer = {.told = 0};

    for (unsigned i = 1; i <= FOLLOW_LOOKS; i++)
        answer.told += b->past[(b->looks - 1 - ago - i) % LT_BITRATE_LOOKS].estimate / FOLLOW_LOOKS;
    if (time <= 0)
        return answer;
    answer.offered = rate_of_bytes(b->past[to].offered - b->past[from].offered, time);
    answer.written = rate_of_bytes(b->past[to].deltas - b->past[from].deltas, time);
    return answer;
}

/* True if the source was told `more` times as much as before, and offered as much more.
 */
static bool has_risen(const lt_bitrate_answer *before, const lt_bitrate_answer *after, double more)
{
    return after->told > more * before->told && before->offered > 0 &&
           after->offered / before->offered - 1 > FOLLOW_PART * (after->told / before->told - 1);
}

/* The application's rate is a mean over a second, as that of all looks' estimates is. */
static void update_adapts(lt_bitrate *b, double offered)
{
    lt_bitrate_answer answer = {.offered = offered};

    if (b->adapts || b->looks < ADAPTS_LOOKS)
        return;
    for (unsigned i = 0; i < LT_BITRATE_LOOKS; i++)
        answer.told += b->past[i].estimate / LT_BITRATE_LOOKS;
    if (answer.told < b->least.told || b->least.told <= 0)
        b->least = answer;
    if (answer.told > b->most.told)
        b->most = answer;
    b->adapts = b->follows || has_risen(&b->least, &b->most, ADAPTS_MORE);
}

/* Only an encoder that follows the estimate is probed for. It is known by its offer: after a stall
 * packets of any source that waited are written at once, as the estimate rises. */
static void update_follows(lt_bitrate *b)
{
    if (b->looks <= 2 * FOLLOW_LOOKS + 1)
        return;

    lt_bitrate_answer before = answer_of(b, FOLLOW_LOOKS), now = answer_of(b, 0);
    if (now.written > IGNORES * now.told && now.written > IGNORES * b->estimate) {
        b->follows = b->adapts = false;
        b->least = b->most = (lt_bitrate_answer){.told = 0};
    } else if (has_risen(&before, &now, FOLLOW_MORE)) {
        b->follows = true;
    }
}

/* Drain of the queue by the estimates of the last `lag_us`, which no sample shows yet (Smith's
 * predictor). */
static double unseen_us(const lt_bitrate *b, double carried, livetcp_usec now, livetcp_usec lag_us)
{
    double sum = 0;

    for (unsigned age = 1; age < LT_BITRATE_LOOKS && age < b->looks; age++) {
        unsigned at = (b->looks - age) % LT_BITRATE_LOOKS;
        unsigned before = (b->looks - age - 1) % LT_BITRATE_LOOKS;
        double time = (double)(b->past[at].at_us - b->past[before].at_us);
        if (b->past[at].at_us < now - lag_us || b->past[at].estimate <= 0)
            break;
        sum += time * smaller(b->past[at].estimate / carried - 1, 0);
    }
    return sum;
}

/* The present rate shows a link that has become slower long before the average does. */
static double getting_through(const lt_congestion *c)
{
    bool slower =
        c->path.standing_us > SLOWER_US && c->path.present > 0 && c->path.present < c->path.limit;

    return slower ? c->path.present : c->path.limit;
}

/* Part of the path's rate by which the media is less, for a queue of this length. */
static double drain(const lt_bitrate *b, double queue_us, livetcp_usec now)
{
    double more_us = larger(queue_us - ALLOWED_US, 0);

    if (b->key_us <= now - KEY_US)
        return more_us / DRAIN_US;
    return more_us / KEY_DRAIN_US + larger(more_us - LONG_QUEUE_US, 0) / LONG_DRAIN_US;
}

static void lower(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    double carried = getting_through(c) * BITS * s->media_share;
    double queue_us =
        (double)c->path.standing_us + unseen_us(b, carried, s->now_us, c->base_us + LAG_US);
    double part = HEAD - drain(b, queue_us, s->now_us);
    double least = carried * LEAST_PART, target = larger(carried * part, least);

    b->by_windows = !lt_congestion_is_path(c);
    lt_faster_path_on_queue(&b->faster, c->path.limit, s->now_us);
    bool grows = b->by_windows && !has_lost(c, s->now_us);
    b->ceiling = grows ? 0 : c->path.limit;
    b->lowered_us = s->now_us;
    /* One moment of a stall may have lowered it to less, for as long as the queue stands. */
    set(b, c, s, b->estimate > 0 ? larger(smaller(b->estimate, target), least) : target);
}

/* While the windows open. What waits for them drains, as they carry more in each round trip. */
static void keep_to_windows(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    double carried = HEAD * c->opening * BITS * s->media_share;

    b->by_windows = true;
    b->ceiling = 0;
    b->lowered_us = s->now_us;
    set(b, c, s, smaller(carried, USED_MAX * b->used));
}

/* More media would wait, and go out at once when the window is wide again. */
static void spare(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    double least = LEAST_PART * c->path.limit * BITS * s->media_share;

    b->by_windows = false;
    b->ceiling = c->path.limit;
    b->lowered_us = s->now_us;
    b->estimate = smaller(b->estimate, least);
}

/* Nothing is delivered, and after losses no round trip shows a queue. */
static bool is_stall(const lt_congestion *c, livetcp_usec now)
{
    return now - lt_congestion_progress(c) > STALL_SEEN_US + 2 * c->base_us;
}

static void fall(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    b->lowered_us = s->now_us;
    set(b, c, s, 0);
}

/* Beside others: the share, less the drain of the standing queue. */
static void follow(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    double carried = smaller(c->path.limit, s->admitted) * BITS * s->media_share;
    double queue_us =
        (double)c->path.standing_us + unseen_us(b, carried, s->now_us, c->base_us + LAG_US);
    double part = HEAD - larger(queue_us, 0) / WAITS_US;
    double drain = lt_competition_drain_rate(&c->competition);

    part = drain > 0 ? drain : larger(part, LEAST_SHARE);
    set(b, c, s, carried * part);
    b->ceiling = c->path.limit;
    b->by_windows = false;
    b->lowered_us = s->now_us;
}

/* True if the estimate can return to the rate of its own path at once. The encoder is told when the
 * change is large enough: on the way back it would be told too soon, and stay below the path's rate
 * by nearly as much as the next change takes. */
static bool is_back_at_once(const lt_bitrate *b, const lt_congestion *c, double goal,
                            livetcp_usec now)
{
    return is_own_path(b, c, now) && !b->by_windows &&
           goal > (1 + BACK_PART) * (b->told + b->overshoot.bits);
}

/* After a loss all that follows it waits for the repair: more that is written than arrives is no
 * proof then that the path carries it. */
static double proved(const lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    double arrived =
        lt_delay_history_rate(&c->history, s->now_us, ARRIVED_US) * BITS * s->media_share;

    return c->lost_us > s->now_us - ARRIVED_US && arrived > 0 ? smaller(b->used, arrived) : b->used;
}

static void raise(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s, double used)
{
    double bits = BITS * s->media_share;
    double train = lt_packet_trains_rate(&c->trains), step;

    lt_faster_path_on_no_queue(&b->faster, c->base_us, s->now_us);
    if (shows_faster_path(b, c, train, s->now_us))
        heed(b, c, train, s->now_us);
    double goal = b->ceiling > 0 ? HEAD * b->ceiling * bits : TRAIN_PART * train * bits;
    bool shown = b->ceiling <= 0 &&
                 (c->trains.count >= TRAINS_MIN || s->probed > 0 || b->shown_us > INT64_MIN);
    if (b->ceiling <= 0 && s->probed * bits > goal)
        goal = s->probed * bits;
    if (b->estimate < goal) {
        double part = shown ? GROW_SHOWN : is_back_at_once(b, c, goal, s->now_us) ? 1 : GROW_BACK;
        step = part * (goal - b->estimate);
        /* It is to reach the goal, where others' queues come again and again. */
        if (b->ceiling > 0 && !is_own_path(b, c, s->now_us))
            step = larger(step, near(b, c, s->now_us));
        if (shown)
            b->shown_us = s->now_us;
    } else if (b->ceiling > 0 && b->by_windows)
        step = GROW_WINDOW * b->estimate;
    else
        step = b->ceiling > 0 || shown ? near(b, c, s->now_us)
                                       : (c->path.limit > 0 ? GROW_FAST : GROW_START) * b->estimate;
    bool back = b->estimate < goal;
    if (!back && used < NEAR_USED * b->estimate)
        step = 0;
    double limit = back && !shown ? HUGE_VAL : (shown ? USED_SHOWN : USED_MAX) * used;
    limit = smaller(limit, smaller(s->admitted, lt_congestion_admitted(c, s->now_us)) * bits);
    b->estimate = b->moving = larger(b->estimate, smaller(b->estimate + step, limit));
}

static void begin(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    b->estimate = larger((double)s->media_rate * BITS, START_MIN);
    if (2 * s->key_media > s->media)
        b->silent_until_us = s->now_us + c->base_us + START_US;
}

static void update_overshoot(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    bool stands = c->path.standing_us > 0 && lt_congestion_is_path(c);

    if (b->told > 0 && c->regime != LT_REGIME_COMPETING)
        lt_overshoot_update(&b->overshoot, b->told, (double)s->media_rate * BITS,
                            is_ignored(b, s->now_us), stands, s->now_us);
}

static void update_estimate(lt_bitrate *b, const lt_congestion *c, const lt_bitrate_sample *s)
{
    livetcp_usec pause = c->base_us + 2 * INTERVAL_US;

    if (b->updated_us > s->now_us - INTERVAL_US || s->media_share <= 0)
        return;
    b->updated_us = s->now_us;
    if (c->route.changed_us > b->lowered_us) /* a longer route lowered it, and no queue */
        b->ceiling = c->path.limit;
    note_key_frame(b, s);
    b->used = update_used(b, s);
    update_follows(b);
    update_adapts(b, (double)s->media_rate * BITS);
    update_overshoot(b, c, s);
    if (c->regime == LT_REGIME_COMPETING)
        follow(b, c, s);
    else if (b->estimate > 0 && lt_congestion_is_narrow(c))
        spare(b, c, s);
    else if (c->opening > 0 && !has_lost(c, s->now_us))
        keep_to_windows(b, c, s);
    else if (c->path.standing_us > 0 && c->path.limit > 0)
        lower(b, c, s);
    else if (b->estimate > 0 && is_stall(c, s->now_us))
        fall(b, c, s);
    else if (b->estimate <= 0)
        begin(b, c, s);
    else if (b->lowered_us < s->now_us - pause)
        raise(b, c, s, proved(b, c, s));
}

static double least_change(const lt_bitrate *b)
{
    return larger(TELL_PART * b->told, smaller(TELL_LEAST, TELL_MOST * b->told));
}

bool lt_bitrate_update(lt_bitrate *b, const lt_congestion *congestion, const lt_bitrate_sample *s)
{
    update_estimate(b, congestion, s);
    if (b->estimate <= 0 || (b->lowered_us == INT64_MIN && s->now_us < b->silent_until_us))
        return false;
    b->estimate = within_bounds(b, b->estimate);
    double rate = rate_of(b), change = fabs(rate - b->told);
    bool bound = rate == b->min || rate == b->max;
    if (change < least_change(b) && !(bound && change > 0))
        return false;
    bool own = is_own_path(b, congestion, s->now_us);
    double least = (own ? TELL_NOW_OWN : TELL_NOW) * b->told;
    bool soon = b->told_us > s->now_us - TELL_EVERY_US && rate > least;
    if (b->told == rate || soon)
        return false;
    b->told = rate;
    b->told_us = s->now_us;
    return true;
}
