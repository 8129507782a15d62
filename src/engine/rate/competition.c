/* SPDX-License-Identifier: MIT */
#include "engine/rate/competition.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* A queue of others is QUEUES times as long as our target, within these bounds, for FOUND_US, a
 * round trip and the time in which it could have drained. */
#define QUEUES       3
#define QUEUE_MIN_US 30000
#define QUEUE_MAX_US 75000
#define QUEUE_BYTES  2000 /* at the rate that the path has carried: a thin stream's own queue */
#define FOUND_US     500000
#define LOSSES_US    6000000
#define STOOD_US     150000

/* Where few packets are under way, as beside a flow that has just overrun the queue, no queue is
 * known at times. So long it counts as before. */
#define UNKNOWN_US 500000

#define OWN_MIN_US 12000
#define FALLS      0.8 /* below this part of its first length it is draining */

/* Two losses are enough where the session has come to carry this part. They must be of different
 * events: a slower link or a longer route causes several at once. */
#define LITTLE           0.7
#define LITTLE_LOSSES_US 10000000
#define LITTLE_APART_US  700000

/* Within AGAIN_US of the last drain a shorter queue counts, and sooner: a flow that has lost much
 * leaves the queue empty for a moment. Not if nothing had been lost when the others were found:
 * many sessions that share a path would take each other for such a flow again and again. */
#define AGAIN_US       8000000
#define AGAIN_FOUND_US 125000
#define AGAIN_QUEUE_US 40000

/* A starved session takes a queue of less for another's, and sooner. */
#define STARVED_AFTER_US 3000000
#define STARVED_FOUND_US 250000
#define STARVED_QUEUE_US 20000.0
#define STARVED_QUEUES   1.5

/* In that time a queue that stands at MORE times the rate of the share, or less, is the other's
 * still, if the path has carried more (this session has LESS of it): its queue was only empty for
 * a moment. */
#define REMAINS_US       50000
#define REMAINS_QUEUE_US 8000
#define MORE             1.15
#define LESS             0.85

/* One flow: some of a segment more in each round trip, and by a third less after a loss (CUBIC's
 * TCP-friendly region, RFC 9438, section 4.3). Packets lost at once are not repaired at once: a
 * packet that nothing follows is found missing after 200 ms and more. */
#define SEGMENT   1448.0
#define GROW      0.53
#define SHRINK    0.7
#define EVENT_US  400000
#define USED      0.55 /* of the share, or growing shows nothing */
#define SHARE_MIN 4500.0
#define FAIR_MAX  0.5   /* of the path: at least one other flow is there */
#define SPREAD_US 20000 /* a frame is sent within this time: half of its interval */

/* The crest of the queue: it rises by this part of a sample's excess, and is forgotten in this
 * time. */
#define CREST_GAIN 0.2
#define CREST_US   2000000.0

/* The same flow on paths of more content (RFC 9438, section 4.2), in segments and seconds. */
#define CUBIC     0.4
#define CUBIC_MAX 0.25 /* of what was delivered */

/* A drain: now and then, and when the queue has become much shorter. */
#define DRAIN_EVERY_US 12000000
#define DRAIN_SOON_US  1500000
#define DRAIN_ALONE_US 2000000 /* the rate is that of a path without others */
#define NEARLY_EMPTY   0.2
#define DRAIN_AFTER_US 4000000
#define SHORTER        0.6
#define DRAIN_LOOK_US  60000
#define DRAIN_MIN      3000
#define DRAIN_LAG_US   50000 /* until the encoder has been told, and sends its next frame */
#define DRAIN_LONGER   0.4   /* of the queue: a part of the rate drains it less quickly */
#define DRAIN_RATE     0.5
#define DRAIN_RATE_ONE 0.25
#define DRAIN_TIMES    3       /* its time at most, while no round trip shows the queue */
#define DRAIN_ONE_US   25000   /* a shorter queue is drained by half of the rate, too */
#define GONE_PART      0.15    /* the queue then, of the longest */
#define GONE_US        6000    /* and a segment's own time */
#define QUIET_US       3000000 /* without a loss; else a second drain is to show the same */

/* The window of one connection has filled the queue, which may be empty now: it is no measure of
 * the rate beyond what was delivered, and this much more. */
#define ONE_MORE 2

/* The rate of a drain is part of the delivered one for so long after it, and a round trip. */
#define AFTER_DRAIN_US 600000

/* Of round trips without a queue, and one of these, while packets wait: others fill none. */
#define UNMET_US 100000

/* While packets wait longer than that, no more than the delivered rate can be expected. */
#define WAIT_US 40000

void lt_competition_init(lt_competition *competition)
{
    *competition = (lt_competition){.since_us = LIVETCP_NEVER,
                                    .little_us = LIVETCP_NEVER,
                                    .drained_us = INT64_MIN / 2,
                                    .stood_us = INT64_MIN / 2,
                                    .remains_us = LIVETCP_NEVER,
                                    .drain_until_us = LIVETCP_NEVER};
    lt_heavy_losses_init(&competition->heavy);
}

/* ---- found ---- */

static bool is_expected(const lt_competition *c, livetcp_usec now)
{
    return c->return_soon && now < c->drained_us + AGAIN_US;
}

static livetcp_usec queue_of_others(const lt_competition *c, const lt_congestion_sample *s,
                                    livetcp_usec own_us, bool starved)
{
    double max_us = is_expected(c, s->now_us) ? AGAIN_QUEUE_US : QUEUE_MAX_US;
    double us = (double)(QUEUES * own_us);

    if (us < QUEUE_MIN_US)
        us = s->carried > 0 ? fmax(QUEUE_MIN_US, QUEUE_BYTES / s->carried * SECOND) : QUEUE_MIN_US;
    if (starved)
        max_us = fmin(max_us, fmax(STARVED_QUEUE_US, STARVED_QUEUES * (double)own_us));
    return (livetcp_usec)fmin(us, max_us);
}

static bool has_little(const lt_congestion_sample *s, double part)
{
    return s->connections > 1 && part < LITTLE;
}

/* Repeated overflows of a queue that is not ours: the buffer is too small for a queue to stand.
 * With one connection losses alone are enough, as its own congestion control makes it one flow. */
static bool overflows(lt_competition *c, const lt_congestion_sample *s,
                      const lt_delay_window *window, livetcp_usec own_us, double part, bool ours)
{
    bool little = has_little(s, part);
    livetcp_usec within = little ? LITTLE_LOSSES_US : LOSSES_US;
    livetcp_usec apart = 2 * s->base_us + (little ? LITTLE_APART_US : 0);
    livetcp_usec queue_us = own_us > OWN_MIN_US ? own_us : OWN_MIN_US;
    unsigned needed = s->connections > 1 && is_expected(c, s->now_us) ? 1
                      : s->connections == 1 || little                 ? 2
                                                                      : LT_COMPETITION_LOSSES;
    livetcp_usec last =
        c->losses ? c->lost_us[(c->losses - 1) % LT_COMPETITION_LOSSES] : INT64_MIN / 2;
    bool lost = s->retransmitted > c->retransmitted;
    bool stood;

    if (window->known && window->queue_us >= queue_us)
        c->stood_us = s->now_us;
    stood = s->connections == 1 || s->now_us < c->stood_us + s->base_us + STOOD_US;
    c->retransmitted = s->retransmitted;
    if (!lost || s->fills || ours || !own_us || !stood || s->now_us <= last + apart)
        return false;
    c->lost_us[c->losses++ % LT_COMPETITION_LOSSES] = s->now_us;
    return c->losses >= needed &&
           c->lost_us[(c->losses - needed) % LT_COMPETITION_LOSSES] > s->now_us - within;
}

/* Less and less of a path that loses packets: a flow that halves its window at each loss fills a
 * short buffer for a moment only, and the session yields each time. Losses tell of it too rarely,
 * as most of them are the other's. Where a link has become slower little gets through, too, and a
 * queue of ours stands until the encoder has heard of it. */
static bool is_starved(const lt_competition *c, const lt_congestion_sample *s)
{
    return c->little_us != LIVETCP_NEVER && s->now_us - c->little_us >= STARVED_AFTER_US &&
           s->may_follow && !s->lossless;
}

static void note_little(lt_competition *c, const lt_congestion_sample *s, double part)
{
    if (!has_little(s, part))
        c->little_us = LIVETCP_NEVER;
    else if (c->little_us == LIVETCP_NEVER)
        c->little_us = s->now_us;
}

/* A path that the other has left carries more than the share. */
static bool remains(lt_competition *c, const lt_congestion_sample *s, const lt_delay_window *window,
                    double part, double rate)
{
    bool stands = c->left_rate > 0 && is_expected(c, s->now_us) && window->known &&
                  window->queue_us >= REMAINS_QUEUE_US;

    if (!stands || part >= LESS || rate <= 0 || rate > MORE * c->left_rate) {
        c->remains_us = LIVETCP_NEVER;
        return false;
    }
    if (c->remains_us == LIVETCP_NEVER)
        c->remains_us = s->now_us;
    return s->now_us - c->remains_us > REMAINS_US + s->base_us;
}

bool lt_competition_found(lt_competition *c, const lt_congestion_sample *s,
                          const lt_delay_window *window, livetcp_usec own_us, double part,
                          double rate, bool ours)
{
    bool much = lt_heavy_losses_found(&c->heavy, s, ours || !own_us);
    bool starved;
    livetcp_usec wait;

    note_little(c, s, part);
    if (remains(c, s, window, part, rate) || overflows(c, s, window, own_us, part, ours) || much)
        return true;
    if (!ours && !window->known && s->now_us - c->known_us < UNKNOWN_US)
        return false;
    c->known_us = s->now_us;
    starved = is_starved(c, s);
    if (ours || !window->known || window->queue_us < queue_of_others(c, s, own_us, starved)) {
        c->since_us = LIVETCP_NEVER;
        return false;
    }
    if (c->since_us == LIVETCP_NEVER || (double)window->queue_us < FALLS * (double)c->from_us) {
        c->since_us = s->now_us;
        c->from_us = window->queue_us;
    }
    wait = is_expected(c, s->now_us) ? AGAIN_FOUND_US
           : starved                 ? STARVED_FOUND_US
                                     : FOUND_US + window->queue_us;
    return s->now_us - c->since_us > wait + s->base_us;
}

static livetcp_usec queue_of(const lt_delay_window *window)
{
    return window->queue_us == LIVETCP_NEVER ? 0 : window->queue_us;
}

static double round_trip(const lt_congestion_sample *s, const lt_delay_window *window)
{
    return (double)(s->base_us + queue_of(window)) / SECOND;
}

/* The window of one connection is what its own congestion control thinks right for one flow here,
 * although it carries a part of the media only. Beside flows that take no losses into account, as
 * BBR's first version, the share that losses leave is next to nothing, and that of one connection
 * over BBR is not. But such a window is made for a rate that encoders do not use all the time, and
 * may fill the path alone: then another that has gone would be there for ever. */
static double min_share(const lt_competition *c, const lt_congestion_sample *s, double round)
{
    double window = s->connections > 1 ? (double)s->one_window : 0;

    if (s->follows && s->carried > 0)
        window = fmin(window, FAIR_MAX * s->carried * round);
    return fmax(fmax(window, lt_heavy_losses_window(&c->heavy, s->base_us)), SHARE_MIN);
}

void lt_competition_begin(lt_competition *c, const lt_congestion_sample *s,
                          const lt_delay_window *window, double rate)
{
    double share = rate * round_trip(s, window);

    if (is_expected(c, s->now_us) && c->share > share)
        share = c->share;
    if ((double)s->in_flight > share)
        share = (double)s->in_flight;
    lt_heavy_losses_begin(&c->heavy, s);
    c->share = fmax(share, min_share(c, s, round_trip(s, window)));
    c->plateau = c->share / SEGMENT;
    c->plateau_s = 0;
    c->epoch_us = c->updated_us = s->now_us;
    c->delivered = s->delivered;
    c->retransmitted = s->retransmitted;
    c->shrunk_us = c->drained_us = s->now_us;
    c->return_soon = s->connections == 1 || !s->lossless;
    c->queue_max_us = 0;
    c->unmet_us = LIVETCP_NEVER;
    c->crest_us = (double)window->average_us;
    c->drain_until_us = LIVETCP_NEVER;
    c->drain_rate = 0;
    c->empty_drains = 0;
    lt_constant_rate_begin(&c->constant, s->carried, s->now_us);
}

/* ---- the share ---- */

/* RFC 9438, section 4.2: present window of a flow without other limits, in segments. */
static double cubic_share(const lt_competition *c, livetcp_usec now)
{
    double t = (double)(now - c->epoch_us) / SECOND - c->plateau_s;

    return CUBIC * t * t * t + c->plateau;
}

static void shrink(lt_competition *c, livetcp_usec now)
{
    double segments = c->share / SEGMENT;

    c->plateau = segments < c->plateau ? segments * (1 + SHRINK) / 2 : segments;
    c->share *= SHRINK;
    c->plateau_s = cbrt(fmax(c->plateau - c->share / SEGMENT, 0) / CUBIC);
    c->shrunk_us = c->epoch_us = now;
}

/* One connection is a flow of its own below: the share only follows it. */
static double growth(const lt_competition *c, const lt_congestion_sample *s, double news)
{
    double more = GROW * SEGMENT * news / c->share;
    double cubic = cubic_share(c, s->now_us) * SEGMENT - c->share;

    if (s->connections == 1)
        return more;
    cubic = cubic < CUBIC_MAX * news ? cubic : CUBIC_MAX * news;
    return cubic > more ? cubic : more;
}

static void update_share(lt_competition *c, const lt_congestion_sample *s, double round)
{
    double news = (double)(s->delivered - c->delivered);

    if (s->retransmitted > c->retransmitted &&
        (double)(s->now_us - c->shrunk_us) > round * SECOND + EVENT_US) {
        shrink(c, s->now_us);
    } else if ((double)s->in_flight > USED * c->share) {
        c->share += growth(c, s, news);
    } else {
        c->epoch_us += s->now_us - c->updated_us;
    }
    c->updated_us = s->now_us;
    c->share = fmax(c->share, min_share(c, s, round));
    c->delivered = s->delivered;
    c->retransmitted = s->retransmitted;
}

static void update_crest(lt_competition *c, const lt_congestion_sample *s)
{
    double above = (double)s->queue_us - c->crest_us;

    if (s->queue_us == LIVETCP_NEVER)
        return;
    /* After an empty drain the crest is kept for the next one: told more, the encoder would fill
     * the queue for it. */
    if (above > 0)
        c->crest_us += CREST_GAIN * above;
    else if (!c->empty_drains)
        c->crest_us += above * fmin((double)(s->now_us - c->updated_us) / CREST_US, 1);
}

/* The share bounds the bytes in flight at any moment. The rate is by the round trip at the crest of
 * the others' sawtooth, else packets wait in the send queue for the window whenever their queue has
 * grown. It leaves space for a frame that is spread. */
static double long_round_trip(const lt_competition *c, const lt_congestion_sample *s,
                              const lt_delay_window *window)
{
    double queue_us = (double)window->average_us;

    if (s->connections > 1)
        queue_us = fmax(queue_us + SPREAD_US, c->crest_us);
    return ((double)s->base_us + queue_us) / SECOND;
}

/* ---- gone ---- */

/* The window of the only connection grows until the buffer overflows, whether or not the other is
 * there. */
static bool seems_alone(const lt_competition *c, const lt_congestion_sample *s)
{
    return s->connections == 1 && lt_constant_rate_is(&c->constant);
}

static void look_at_rate(lt_competition *c, const lt_congestion_sample *s, double rate)
{
    if (s->now_us > c->drained_us + AFTER_DRAIN_US + s->base_us)
        lt_constant_rate_update(&c->constant, rate, s->now_us);
}

static bool wants_drain(const lt_competition *c, const lt_congestion_sample *s,
                        livetcp_usec queue_us)
{
    livetcp_usec since = s->now_us - c->drained_us;
    double part = c->queue_max_us > 0 ? (double)queue_us / (double)c->queue_max_us : 1;

    if (c->empty_drains || part < NEARLY_EMPTY)
        return since >= DRAIN_SOON_US;
    if (seems_alone(c, s))
        return since >= DRAIN_ALONE_US;
    return since >= (part < SHORTER ? DRAIN_AFTER_US : DRAIN_EVERY_US);
}

/* An encoder that follows is told a part of the share for the time of a drain, so that no packet
 * waits for it. For others the window is made smaller. With one connection the queue may be its own
 * altogether: its congestion control fills the buffer like that of the other flow, which has gone.
 * `rate`: bytes per second delivered now. */
static void begin_drain(lt_competition *c, const lt_congestion_sample *s, livetcp_usec queue_us,
                        double rate)
{
    bool one = s->connections == 1 && queue_us > DRAIN_ONE_US;

    c->drained_us = s->now_us;
    if (!c->empty_drains)
        c->before_drain = rate;
    c->drain_min_us = LIVETCP_NEVER;
    c->drain_rate = !s->follows ? 0 : one ? DRAIN_RATE_ONE : DRAIN_RATE;
    c->drain_until_us = s->now_us + 2 * s->base_us + queue_us + DRAIN_LOOK_US;
    if (c->drain_rate > 0)
        c->drain_until_us += (livetcp_usec)(DRAIN_LONGER * (double)queue_us) + DRAIN_LAG_US;
}

/* A queue of less is none: a segment of the share takes its own time. */
static livetcp_usec empty_us(const lt_competition *c, double round)
{
    return GONE_US + (livetcp_usec)(SEGMENT * SECOND * round / c->share);
}

/* Packets of a source that does not follow, over several connections, wait for the share. */
static bool waits_for_share(const lt_congestion_sample *s)
{
    return !s->follows && s->connections > 1 && s->wait_us > WAIT_US;
}

/* Nobody fills a queue that no round trip meets any more. Losses were random, and packets wait for
 * a share that shrinks with each of them; or the link was slow for a moment, as that of a mobile
 * network is, and they wait for a share of what it carried then. */
static bool stands_no_more(lt_competition *c, const lt_congestion_sample *s, double round)
{
    bool known = s->queue_us != LIVETCP_NEVER;

    if (known && s->queue_us >= empty_us(c, round))
        c->unmet_us = LIVETCP_NEVER;
    else if (known && c->unmet_us == LIVETCP_NEVER)
        c->unmet_us = s->now_us;
    return known && waits_for_share(s) && c->unmet_us != LIVETCP_NEVER &&
           s->now_us - c->unmet_us > UNMET_US + s->base_us;
}

/* A connection that repairs has no round trips that show its queue. */
static bool shows_nothing(const lt_competition *c, const lt_congestion_sample *s)
{
    livetcp_usec time = c->drain_until_us - c->drained_us;

    return s->connections == 1 && c->drain_min_us == LIVETCP_NEVER &&
           s->now_us < c->drained_us + DRAIN_TIMES * time;
}

/* True when a drain ends now and has shown that no other flow fills the queue. */
static bool ends_empty(lt_competition *c, const lt_congestion_sample *s, double round)
{
    bool gone;

    if (s->queue_us < c->drain_min_us)
        c->drain_min_us = s->queue_us;
    if (s->now_us < c->drain_until_us || shows_nothing(c, s))
        return false;
    gone = c->drain_min_us < empty_us(c, round) ||
           (double)c->drain_min_us < GONE_PART * (double)c->queue_max_us;
    c->drain_until_us = LIVETCP_NEVER;
    c->drain_rate = 0;
    c->drained_us = s->now_us;
    c->queue_max_us = 0;
    c->empty_drains = gone ? c->empty_drains + 1 : 0;
    return c->empty_drains > 1 || (gone && s->now_us > c->shrunk_us + QUIET_US);
}

static void leave(lt_competition *c, const lt_congestion_sample *s, const lt_delay_window *window)
{
    c->since_us = c->remains_us = LIVETCP_NEVER;
    c->left_rate = c->share / long_round_trip(c, s, window);
    c->losses = 0;
}

bool lt_competition_update(lt_competition *c, const lt_congestion_sample *s,
                           const lt_delay_window *window)
{
    livetcp_usec queue_us = queue_of(window);
    bool drains = c->drain_until_us != LIVETCP_NEVER;
    double round = round_trip(s, window), rate = lt_delay_window_rate(window, s);

    if (queue_us > c->queue_max_us)
        c->queue_max_us = queue_us;
    lt_heavy_losses_update(&c->heavy, s, rate);
    update_crest(c, s);
    update_share(c, s, round);
    if (!drains)
        look_at_rate(c, s, rate);
    bool empty = stands_no_more(c, s, round);
    if (empty || (drains && ends_empty(c, s, round))) {
        leave(c, s, window);
        return false;
    }
    if (!drains && !lt_heavy_losses_last(&c->heavy) && wants_drain(c, s, queue_us))
        begin_drain(c, s, queue_us, rate);
    return true;
}

uint64_t lt_competition_window(const lt_competition *c, const lt_congestion_sample *s,
                               const lt_delay_window *window)
{
    double round = round_trip(s, window);

    if (c->drain_until_us == LIVETCP_NEVER || c->drain_rate > 0 || round <= 0)
        return s->connections > 1 ? (uint64_t)c->share : UINT64_MAX;
    return (uint64_t)(c->share * (double)s->base_us / SECOND / round / 2) + DRAIN_MIN;
}

double lt_competition_share_rate(const lt_competition *c, const lt_congestion_sample *s,
                                 const lt_delay_window *window)
{
    return s->base_us > 0 ? c->share / long_round_trip(c, s, window) : 0;
}

double lt_competition_rate(const lt_competition *c, const lt_congestion_sample *s,
                           const lt_delay_window *window)
{
    bool held = c->drain_until_us != LIVETCP_NEVER && c->drain_rate <= 0;
    double rate;

    if (held || s->base_us <= 0)
        return 0;
    rate = lt_competition_share_rate(c, s, window);
    if (s->connections == 1 && window->span_us > 0)
        rate = fmin(rate, (seems_alone(c, s) ? 1 : ONE_MORE) * lt_delay_window_rate(window, s));
    /* After an empty drain no more than before it: if the other has gone, more than the path
     * carries would make a queue of our own for the next drain. */
    if (s->connections > 1 && s->may_follow && c->empty_drains && c->before_drain > 0)
        rate = fmin(rate, c->before_drain);
    if (s->wait_us <= WAIT_US || window->span_us <= 0)
        return rate;
    return fmin(lt_delay_window_rate(window, s), rate);
}
