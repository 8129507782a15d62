/* SPDX-License-Identifier: MIT */
/*
 * Sources. The window is the path's content without a queue and a little more, as FAST's and Copa's
 * are (Wei et al., 2006; Arun and Balakrishnan, 2018); the little more grows with the root of the
 * capacity, so that sessions which share a bottleneck, and see the same queue, come to equal
 * shares. The capacity is the rate delivered while a queue stood (BBR's bandwidth, but without
 * probing for it). The second regime is engine/rate/competition.h.
 *
 * Deviation. They are transports and answer for losses, too; below us each connection's TCP does.
 * Losses without a queue are no signal here, but for those of a buffer that is shorter than our own
 * queue (engine/rate/short_buffer.h).
 */
#include "engine/rate/congestion.h"

#include "base/usec.h"
#include "engine/rate/deadline.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* The window in which a queue stands is a round trip within these bounds. */
#define WINDOW_MIN_US       160000
#define WINDOW_MAX_US       600000
#define COMPETING_WINDOW_US 500000

/* Target for the queue in bytes. It holds at least a packet, and the bytes that leave between two
 * samples. */
#define QUEUE_ROOT 7.0
#define LOOK_US    6000
#define QUEUE_MIN  2000.0

/* In an overload that lasts the queue is never empty, and less suffices. */
#define OVERLOAD_QUEUE 0.5

/* Packets in a window beyond the path's content, and the time that they take at most. */
#define PACKETS    2
#define PACKETS_US 30000

/* TCP acknowledges a lone segment after this time at most (Linux: TCP_DELACK_MIN), and at once with
 * data of the other direction, which the minimum round trip may be of. */
#define ACK_DELAY_US 40000

/* A frame of the other direction takes nearly the time to its next one, where the path is full in
 * both: so long may acknowledgements wait. Where packets are lost a buffer that is shorter than
 * what is sent meanwhile would overflow, and less of the mean wait counts. */
#define ANSWER_US     30000
#define LOSSY_BACK_US 10000

/* A longer queue may be another flow's, which keeps it full. */
#define STEADY_QUEUE_US 80000

/* A window that is full and meets no queue is too small, and opens at each update: faster while
 * packets wait for OPEN_WAIT_US. A source that offers OVERLOAD times the delivered rate makes
 * packets wait with any window. The window then opens by OVERLOAD_GAIN in a round trip, since its
 * effect shows after one. A source that does not follow fits only below FITS times that rate. */
#define OPEN_GAIN         1.005
#define OPEN_FAST         1.03
#define OPEN_WAIT_US      50000
#define OVERLOAD          1.25
#define FITS              1.1
#define OVERLOAD_AFTER_US 2000000 /* the limit is measured too low at first */
#define OVERLOAD_GAIN     0.15
#define OVERLOAD_US       20000 /* between two looks, at most */

/* With less than this part of what the path has carried lately the link was slow for a moment, as
 * that of a mobile network is. While packets wait and meet no queue, the window of a source that
 * does not follow doubles in a round trip, as TCP's does. */
#define REGAINED 0.5

#define SEGMENT 1500

/* While packets wait for the window, the queue stands all the time and the minimum round trip would
 * be forgotten. It is drained regularly, until each connection has a sample. */
#define DRAIN_EVERY_US 3500000
#define DRAIN_PART     0.9
#define DRAIN_MIN_US   40000
#define DRAIN_MAX_US   400000

/* A queue is our own for this time after so many bytes more than needed were in flight. */
#define EXCESS       6000
#define EXCESS_TRIPS 3
#define EXCESS_US    300000

/* Windows that have grown by this factor in a round trip open. Slow start doubles them. */
#define OPENS 1.2

/* The end of the first train is seen late, so that its rate may be too low. */
#define TRAIN_ROOM 1.2

/* After a share: packet trains at SHOWN times the share, or more, show the path. Else it is free
 * once nothing has stood for FREED_US: others whose queue was only empty for a moment are back
 * before that. */
#define SHOWN    1.6
#define FREED_US 500000

/* The source offers no more than so many times what the path has carried lately. */
#define CARRIED 1.05

/* The same before much was carried: what TCP's first windows let through is less than the path's.
 */
#define MAY_CARRY 1.5

/* A path without a queue for this time had capacity for all that was sent. */
#define CALM_US 3000000

/* Packets that have waited for so long are a queue, where no round trip tells of one. */
#define WAITS_US 100000
#define UNMET_US 50000 /* beyond a round trip */

/* Of the rate that the path has carried: with less, extra bytes make no queue. */
#define MUCH 0.4

/* A path without losses for this time shows a longer route by a full window, and has no flow beside
 * us that fills its buffer. */
#define LOSSY_US 10000000

/* The wait of a frame for the pacer. */
#define PACED_US 20000

/* No capacity for copies after ROOM_US in a queue of this length. */
#define ROOM_QUEUE_US 8000
#define ROOM_US       40000

void lt_congestion_init(lt_congestion *congestion)
{
    *congestion = (lt_congestion){.window = UINT64_MAX,
                                  .base_us = 0,
                                  .full_since_us = LIVETCP_NEVER,
                                  .drain_until_us = INT64_MIN,
                                  .looked_us = INT64_MIN / 2,
                                  .fitted_us = INT64_MIN / 2,
                                  .excess_us = INT64_MIN / 2,
                                  .lost_us = INT64_MIN / 2,
                                  .begun_us = INT64_MIN,
                                  .heeded_us = INT64_MIN / 2,
                                  .share_us = LIVETCP_NEVER,
                                  .met_us = INT64_MIN / 2};
    lt_path_rate_init(&congestion->path);
    lt_max_rate_init(&congestion->max_rate);
    lt_vain_periods_init(&congestion->vain);
    lt_silence_init(&congestion->silence);
    lt_route_change_init(&congestion->route);
    lt_window_push_init(&congestion->push);
    lt_let_through_init(&congestion->let);
    lt_own_overflow_init(&congestion->overflow);
    lt_queue_marks_init(&congestion->marks);
    lt_short_buffer_init(&congestion->short_buffer);
    lt_narrow_window_init(&congestion->narrow);
    lt_competition_init(&congestion->competition);
}

/* ---- spare capacity ---- */

static void look_for_room(lt_congestion *c, const lt_congestion_sample *s)
{
    if (s->queue_us == LIVETCP_NEVER)
        return;
    c->met_us = s->now_us;
    if (s->queue_us < ROOM_QUEUE_US)
        c->full_since_us = LIVETCP_NEVER;
    else if (c->full_since_us == LIVETCP_NEVER)
        c->full_since_us = s->now_us;
}

bool lt_congestion_is_overrun(const lt_congestion *c)
{
    return c->regime == LT_REGIME_COMPETING && !c->path.standing_us &&
           lt_heavy_losses_last(lt_competition_heavy_losses(&c->competition));
}

bool lt_congestion_has_room(const lt_congestion *c)
{
    bool full = c->full_since_us != LIVETCP_NEVER && c->met_us >= c->full_since_us + ROOM_US;

    return !full && !c->lasts;
}

/* A window for packets that have waited is no limit of the path's. */
bool lt_congestion_has_shown(const lt_congestion *c, livetcp_usec now)
{
    return c->regime == LT_REGIME_COMPETING || lt_path_rate_is_congested(&c->path, now);
}

bool lt_congestion_is_path(const lt_congestion *c)
{
    return c->path.queue_us >= LT_BUSY_US;
}

double lt_congestion_rate(const lt_congestion *c, livetcp_usec now)
{
    double rate = lt_delay_history_rate(&c->history, now, LT_RATE_US);
    double train = lt_packet_trains_rate(&c->trains);

    if (c->path.limit <= 0) /* overload from the start is to show at once */
        return 0;

    rate = rate > c->path.limit ? rate : c->path.limit;
    return rate > train ? rate : train;
}

bool lt_congestion_is_narrow(const lt_congestion *c)
{
    return c->narrow.is && c->path.limit > 0;
}

bool lt_congestion_is_lossless(const lt_congestion *c, livetcp_usec now)
{
    return c->lost_us < now - LOSSY_US;
}

livetcp_usec lt_congestion_progress(const lt_congestion *c)
{
    return c->silence.progress_us;
}

/* ---- alone ---- */

static double wanted_queue(double capacity, bool lasts)
{
    double bytes = fmax(QUEUE_ROOT * sqrt(capacity), capacity * LOOK_US / SECOND);

    return lasts ? fmax(OVERLOAD_QUEUE * bytes, SEGMENT) : fmax(bytes, QUEUE_MIN);
}

/* Bytes in flight beyond what the path holds for small packets, whose round trip is that without
 * queues: our own queue, the packet that is being sent, and what leaves while an acknowledgement
 * waits for a packet of the other direction. */
static double own_bytes(const lt_congestion *c, double capacity)
{
    bool few = c->overloads || c->share_us != LIVETCP_NEVER;
    double packets = few ? 0 : fmin(PACKETS * SEGMENT, capacity * PACKETS_US / SECOND);

    return c->short_buffer.spare * packets + wanted_queue(capacity, c->lasts);
}

/* Bytes that the path holds at this rate without a queue. */
static double path_content(const lt_congestion *c, double rate)
{
    return rate * (double)c->base_us / SECOND;
}

/* The same and our own queue; or what leaves while acknowledgements wait for a frame of the other
 * direction, if that is more. */
static double needed_bytes(const lt_congestion *c, double rate)
{
    double answer = c->back_room ? rate * ANSWER_US / SECOND : 0;

    return path_content(c, rate) + fmax(own_bytes(c, rate), answer);
}

uint64_t lt_congestion_held(const lt_congestion *c)
{
    return (uint64_t)path_content(c, c->path.limit);
}

double lt_congestion_max_carried(const lt_congestion *c)
{
    return lt_max_rate_get(&c->max_rate);
}

static void remember_max_rate(lt_congestion *c, livetcp_usec now)
{
    double rate = lt_delay_history_rate(&c->history, now, LT_RATE_US);
    double train = lt_packet_trains_rate(&c->trains);

    lt_max_rate_add(&c->max_rate, rate > train ? rate : train, now);
}

/* The rates that acknowledgements have shown before the peer tells of trains may be far too high.
 */
static void look_at_trains(lt_congestion *c, const lt_congestion_sample *s)
{
    if (s->one_way && !c->told) {
        lt_packet_trains_forget(&c->trains);
        lt_max_rate_init(&c->max_rate);
    }
    c->told = s->one_way;
    if (s->one_way)
        lt_packet_trains_on_told(&c->trains, s->train);
    else
        lt_packet_trains_add(&c->trains, s, LT_BUSY_US);
}

/* Time that our own target for the queue takes; 0 = there is none. */
static livetcp_usec wanted_queue_us(const lt_congestion *c)
{
    double carried = lt_congestion_max_carried(c) > c->path.capacity ? lt_congestion_max_carried(c)
                                                                     : c->path.capacity;

    return c->path.capacity > 0 ? (livetcp_usec)(own_bytes(c, carried) / carried * SECOND) : 0;
}

static bool is_full(const lt_congestion *c, const lt_congestion_sample *s)
{
    return c->window != UINT64_MAX && s->in_flight + SEGMENT >= c->window;
}

static bool is_drained(const lt_congestion *c, livetcp_usec now)
{
    return now < c->drain_until_us;
}

/* True if the source has offered more than gets through for a while. A limit that has ended tells
 * nothing of that. */
static bool is_overload(lt_congestion *c, const lt_congestion_sample *s)
{
    bool limited = c->regime != LT_REGIME_OPEN && c->path.limit > 0;

    if (!limited || s->offered < (s->may_follow ? OVERLOAD : FITS) * c->path.limit)
        c->fitted_us = s->now_us;
    return s->now_us - c->fitted_us >= OVERLOAD_AFTER_US;
}

static bool regains(const lt_congestion *c, const lt_congestion_sample *s)
{
    return !s->may_follow && s->wait_us > OPEN_WAIT_US && c->path.limit < REGAINED * s->carried &&
           c->path.capacity < s->carried;
}

/* Growth of a full window in this time. */
static double opening_gain(const lt_congestion_sample *s, bool doubles, bool lasts,
                           livetcp_usec time)
{
    double trips = (double)lt_usec_min(time, OVERLOAD_US) / (double)s->base_us;

    if (doubles)
        return fmax(OPEN_FAST, 1 + trips);
    if (s->wait_us <= OPEN_WAIT_US)
        return OPEN_GAIN;
    return lasts ? 1 + OVERLOAD_GAIN * trips : OPEN_FAST;
}

static void open_window(lt_congestion *c, const lt_congestion_sample *s)
{
    livetcp_usec time = s->now_us - c->looked_us;
    bool lasts = is_overload(c, s), untold = s->connections > 1 && !s->may_follow;
    bool doubles = regains(c, s);

    c->looked_us = s->now_us;
    c->lasts = lasts && untold;
    if (!doubles && !lt_window_opening_may(&c->window_opening, &c->history, s,
                                           untold && (lasts || s->overloads), &c->path.capacity))
        lt_path_rate_keep(&c->path, s->now_us);
    else if (is_full(c, s) && s->queue_us < LT_BUSY_US && !is_drained(c, s->now_us) && s->base_us)
        c->path.capacity *= opening_gain(s, doubles, lasts, time);
}

/* A queue stands for a window before it is seen. At the beginning, when what a source sends may be
 * far too much, a train that passes shows the path's rate sooner, and what is under way the queue.
 * With one connection TCP's initial window bounds that, and the rate is often too low. */
static void measure_beginning(lt_congestion *c, const lt_congestion_sample *s)
{
    double rate = lt_packet_trains_early_rate(&c->trains);
    bool begins = s->begins && s->connections > 1 && !lt_congestion_has_shown(c, s->now_us);

    if (begins && rate > 0 && s->base_us && (double)s->in_flight >= needed_bytes(c, rate))
        lt_path_rate_measure_in_flight(&c->path, s, rate);
}

/* Bytes that come after a pause, or through a narrow window, show no rate of the path. */
static bool shows_no_rate(const lt_congestion *c, const lt_congestion_sample *s)
{
    return lt_silence_is_pause(&c->silence, s->now_us) || lt_narrow_window_was(&c->narrow, s);
}

/* Packets that wait while the window opens are no standing queue. */
static bool stands(const lt_congestion *c, const lt_congestion_sample *s,
                   const lt_delay_window *window)
{
    bool opens = is_full(c, s) && window->queue_us < LT_BUSY_US && window->total_us < OPEN_WAIT_US;

    return window->known && window->total_us >= LT_STANDING_US && !opens;
}

/* Packets that wait meet no queue, and more is in flight than a round trip ago: what gets through
 * is no limit of the path. In the next round trip it is more. */
static double opening_rate(const lt_congestion *c, const lt_congestion_sample *s,
                           const lt_delay_window *window)
{
    bool waits = !lt_congestion_is_path(c) && c->window == UINT64_MAX;

    if (!waits || !s->base_us || (double)s->in_flight <= OPENS * (double)window->in_flight)
        return 0;
    return (double)s->in_flight * SECOND / (double)s->base_us;
}

static void drain_now_and_then(lt_congestion *c, const lt_congestion_sample *s)
{
    bool waits = c->path.capacity > 0 && is_full(c, s) && s->wait_us >= LT_STANDING_US;
    double time;

    if (is_drained(c, s->now_us) || (waits && s->now_us - c->drained_us < DRAIN_EVERY_US))
        return;
    c->drained_us = s->now_us;
    if (!waits)
        return;
    time = s->connections * SEGMENT / c->path.capacity * SECOND;
    time = time < DRAIN_MIN_US ? DRAIN_MIN_US : time > DRAIN_MAX_US ? DRAIN_MAX_US : time;
    c->drain_until_us = s->now_us + wanted_queue_us(c) + (livetcp_usec)time;
}

double lt_congestion_admitted(const lt_congestion *c, livetcp_usec now)
{
    bool limits = c->window != UINT64_MAX && c->path.capacity > 0 && c->base_us > 0;

    if (!limits || lt_congestion_is_lossless(c, now))
        return HUGE_VAL;
    return needed_bytes(c, c->path.capacity) * SECOND / (double)c->base_us;
}

/* A source at a fixed rate, which the path has carried. */
static bool is_steady(const lt_congestion_sample *s)
{
    return s->fixed && s->offered <= CARRIED * s->carried;
}

static double let_through(lt_congestion *c, const lt_congestion_sample *s)
{
    return lt_let_through_update(&c->let, &c->history, s, is_steady(s), c->lost_us);
}

/* Where media flows in both directions, acknowledgements wait for the other's packets, and look
 * like a queue of our own from the first second, before it is known if the source follows. */
static bool may_be_steady(const lt_congestion_sample *s)
{
    return s->answered && !s->may_follow && !s->fixed && s->offered <= MAY_CARRY * s->carried;
}

/* Bytes under way of a steady source. With a smaller window less gets through than it sends, the
 * window is made smaller for that, and what waits never ends. */
static double steady_bytes(const lt_congestion *c, const lt_congestion_sample *s)
{
    if (!(is_steady(s) || may_be_steady(s)) || !lt_congestion_is_lossless(c, s->now_us) ||
        c->path.queue_us > STEADY_QUEUE_US)
        return 0;
    return needed_bytes(c, s->offered) + s->offered * ACK_DELAY_US / SECOND;
}

/* A path without a queue has no limit, except for packets that have waited: let go at once, they
 * would be a queue, with all later ones behind them. */
static uint64_t open_from(const lt_congestion *c, const lt_congestion_sample *s, livetcp_usec time)
{
    double least = s->offered * (double)s->base_us / SECOND + QUEUE_MIN;

    if (c->window == UINT64_MAX || s->wait_us <= OPEN_WAIT_US || !s->base_us)
        return UINT64_MAX;
    return (uint64_t)(fmax((double)c->window, least) * (1 + (double)time / (double)s->base_us));
}

static void set_window(lt_congestion *c, const lt_congestion_sample *s)
{
    livetcp_usec now = s->now_us, time = now - c->set_us;
    double let = let_through(c, s);
    bool congested = c->path.capacity > 0 && lt_path_rate_is_congested(&c->path, now);
    double bytes = needed_bytes(c, c->path.capacity);
    double drained = DRAIN_PART * path_content(c, c->path.capacity) + SEGMENT;

    if (!congested && c->path.limit <= 0) /* the first train was no queue's */
        c->path.capacity = 0;
    c->regime = congested && c->path.limit > 0 ? LT_REGIME_ALONE : LT_REGIME_OPEN;
    if (is_drained(c, now))
        bytes = drained > QUEUE_MIN ? drained : QUEUE_MIN;
    else
        bytes = fmax(lt_window_push_is_under_way(&c->push) ? LT_PUSH_GAIN * bytes : bytes,
                     fmax(let, steady_bytes(c, s)));
    c->window = congested ? (uint64_t)bytes : open_from(c, s, time);
    c->set_us = now;
}

static void forget_queue(lt_congestion *c)
{
    lt_path_rate_forget_queue(&c->path);
    c->opening = 0;
}

/* Measurements against the shorter route are discarded; the limit before them counts. */
static void begin_anew(lt_congestion *c, double limit)
{
    lt_path_rate_begin_anew(&c->path, limit);
    c->opening = 0;
    lt_vain_periods_stop(&c->vain);
    c->full_since_us = LIVETCP_NEVER;
}

static bool is_calm(const lt_congestion *c, livetcp_usec now)
{
    return c->begun_us < now - CALM_US && c->path.congested_us < now - CALM_US;
}

/* Random losses keep windows from being full, so that a full window cannot show a longer route. Nor
 * can a window that was made on it for a source at a fixed rate: what gets through is taken for the
 * path's rate, and the window shrinks. The rising rate of an encoder makes such an excess itself.
 */
static bool hides_routes(const lt_congestion *c, const lt_congestion_sample *s)
{
    return c->heeded_us < s->now_us - CALM_US || !s->lossless;
}

static bool is_longer_route(lt_congestion *c, const lt_congestion_sample *s)
{
    bool may_test = is_calm(c, s->now_us) && hides_routes(c, s);
    double before;

    if (!lt_route_change_update(&c->route, s, c->path.limit, may_test, &before))
        return false;
    begin_anew(c, before);
    lt_window_push_stop(&c->push);
    if (c->route.longer_us)
        lt_delay_history_forget(&c->history);
    set_window(c, s);
    if (lt_drain_test_pauses(&c->route.drain))
        c->window = 1; /* a packet is sent when none is under way */
    return true;
}

/* Where packets of a source at a fixed rate wait for the window, although the path has carried them
 * lately, it is asked whether the window is the limit. An encoder is told less instead, and
 * sessions that ask would take shares from each other. */
static void push(lt_congestion *c, const lt_congestion_sample *s, const lt_delay_window *window)
{
    bool may_begin = c->regime == LT_REGIME_ALONE && c->heeded_us < s->now_us - CALM_US &&
                     s->offered <= CARRIED * s->carried && is_full(c, s) &&
                     !is_drained(c, s->now_us);
    double rate = lt_delay_history_rate(&c->history, s->now_us, LT_RATE_US);

    if (!lt_window_push_update(&c->push, s, window, rate, may_begin))
        return;
    lt_delay_history_forget(&c->history);
    begin_anew(c, fmax(c->path.limit, s->offered));
}

/* True if the queue may be our own: the source may fill the path with extra bytes, unless it sends
 * far less than the path has carried. Losses by more bytes in flight than needed, as before the
 * path was known, are found and repaired for some more round trips; those by extra bytes for
 * seconds. */
static bool is_ours(lt_congestion *c, const lt_congestion_sample *s, const lt_delay_window *window)
{
    bool much = s->offered > MUCH * s->carried;
    bool open = c->regime == LT_REGIME_OPEN &&
                ((s->own_extra && much) ||
                 (window->known && lt_path_rate_is_our_doing(s, window, is_full(c, s))));

    if (c->path.capacity > 0 && (double)s->in_flight > needed_bytes(c, c->path.capacity) + EXCESS)
        c->excess_us = s->now_us;
    return open || s->exceeds || (s->own_losses && much) || lt_narrow_window_was(&c->narrow, s) ||
           s->now_us < c->excess_us + EXCESS_TRIPS * s->base_us + EXCESS_US;
}

/* The estimate of an encoder that follows grows until a queue stands, and its frames fill a short
 * buffer before that. Until then the first train limits the bytes in flight. Media that does not
 * follow has no such limit, since random losses lower the rate of trains. */
static void begin_with_train(lt_congestion *c, const lt_congestion_sample *s)
{
    double train = lt_packet_trains_rate(&c->trains);

    if (!s->follows || c->path.limit > 0 || c->path.congested_us != INT64_MIN || train <= 0)
        return;
    lt_path_rate_assume(&c->path, TRAIN_ROOM * train, s->now_us);
}

static void look_at_queue(lt_congestion *c, const lt_congestion_sample *s,
                          const lt_delay_window *window)
{
    forget_queue(c);
    if (stands(c, s, window)) {
        lt_path_rate_on_queue(&c->path, window);
        c->opening = opening_rate(c, s, window);
        if (!shows_no_rate(c, s))
            lt_path_rate_measure(&c->path, &c->history, s, window, is_full(c, s));
    }
    lt_path_rate_measure_unseen(&c->path, &c->history, s, window,
                                lt_own_overflow_rate(&c->overflow, s),
                                lt_queue_marks_rate(&c->marks, &c->history, s));
    measure_beginning(c, s);
}

/* True if less and less gets through for a queue that is not ours. */
static bool is_vain(lt_congestion *c, const lt_congestion_sample *s, const lt_delay_window *window,
                    livetcp_usec own_us)
{
    if (s->exceeds)
        lt_vain_periods_stop(&c->vain);
    return lt_vain_periods_update(&c->vain, s, window, c->path.limit,
                                  lt_usec_max(LT_STANDING_US, own_us)) ||
           lt_route_change_was_none(&c->route, s);
}

/* Half of what the path has carried is the limit at least, or what it was before all was in vain.
 */
static void begin_competing(lt_congestion *c, const lt_congestion_sample *s,
                            const lt_delay_window *window, bool vain)
{
    double least = lt_congestion_max_carried(c) / 2;

    lt_path_rate_raise(&c->path, vain ? fmax(least, c->vain.before) : least);
    c->regime = LT_REGIME_COMPETING;
    c->lasts = false; /* not all of the path is the session's */
    lt_route_change_stop(&c->route);
    lt_window_push_stop(&c->push);
    lt_vain_periods_stop(&c->vain);
    lt_competition_begin(&c->competition, s, window, c->path.limit);
    lt_queue_floor_begin(&c->others_floor, s->now_us);
    if (c->path.limit <= 0)
        lt_path_rate_raise(&c->path, lt_competition_rate(&c->competition, s, window));
}

static void be_alone(lt_congestion *c, const lt_congestion_sample *s)
{
    livetcp_usec length = c->base_us < WINDOW_MIN_US ? WINDOW_MIN_US : c->base_us;
    lt_delay_window window = lt_delay_history_window(
        &c->history, s->now_us, length < WINDOW_MAX_US ? length : WINDOW_MAX_US);
    double carried = lt_congestion_max_carried(c);

    if (is_longer_route(c, s))
        return;
    begin_with_train(c, s);
    open_window(c, s);
    look_at_queue(c, s, &window);
    push(c, s, &window);
    if (c->regime == LT_REGIME_ALONE && !lt_window_push_is_under_way(&c->push))
        drain_now_and_then(c, s);
    set_window(c, s);
    bool ours = is_ours(c, s, &window);
    if (lt_silence_is_stall(&c->silence, s) || lt_route_change_is_judged(&c->route, s->now_us))
        return;
    livetcp_usec own_us = wanted_queue_us(c);
    bool vain = is_vain(c, s, &window, own_us);
    double part = carried > 0 ? c->path.limit / carried : 1;
    if (lt_competition_found(&c->competition, s, &window, own_us, part, c->path.present, ours) ||
        vain)
        begin_competing(c, s, &window, vain);
}

/* ---- beside others ---- */

/* The limit falls with what is delivered while packets wait, as an encoder is told. A source that
 * is not told would wait for what it delivers: while it is let through, it may send its share. */
static void pace(lt_congestion *c, const lt_congestion_sample *s, const lt_delay_window *window)
{
    double carried = lt_heavy_losses_carried(lt_competition_heavy_losses(&c->competition));
    double share = fmax(c->path.limit, carried);

    if (let_through(c, s) > 0)
        share = fmax(share, lt_competition_share_rate(&c->competition, s, window));
    if (share <= 0 || s->connections == 1)
        return;
    uint64_t room = lt_pacer_update(&c->pacer, s, share);
    if (c->window > s->in_flight + room)
        c->window = s->in_flight + room;
    if (c->window < (uint64_t)QUEUE_MIN) /* a packet, when none is under way */
        c->window = (uint64_t)QUEUE_MIN;
}

/* There are no others: what looked like their queue is a longer route. */
static void take_longer_route(lt_congestion *c, const lt_congestion_sample *s,
                              livetcp_usec longer_us)
{
    lt_route_change_presume(&c->route, s, longer_us);
    lt_delay_history_forget(&c->history);
    begin_anew(c, c->path.limit);
    c->regime = LT_REGIME_OPEN;
    c->window = UINT64_MAX;
}

static void compete(lt_congestion *c, const lt_congestion_sample *s)
{
    if (lt_silence_is_stall(&c->silence, s))
        return; /* a stall shows no share */

    lt_delay_window window = lt_delay_history_window(&c->history, s->now_us, COMPETING_WINDOW_US);
    unsigned empty_drains = lt_competition_empty_drains(&c->competition);
    bool there = lt_competition_update(&c->competition, s, &window);
    double rate = lt_competition_rate(&c->competition, s, &window);

    if (rate > 0)
        lt_path_rate_average(&c->path, rate);
    c->window = lt_competition_window(&c->competition, s, &window);
    pace(c, s, &window);
    forget_queue(c);
    c->path.standing_us = s->wait_us > PACED_US ? s->wait_us - PACED_US : 0;
    /* Trains beside the others show no rate of the path without them. With one connection they are
     * kept, since nothing asks the path again. */
    if (s->connections > 1 && !empty_drains && lt_competition_empty_drains(&c->competition))
        lt_packet_trains_forget(&c->trains);
    if (there) {
        livetcp_usec longer_us = lt_queue_floor_update(&c->others_floor, s->busy_us, s->now_us);

        if (longer_us)
            take_longer_route(c, s, longer_us);
        return;
    }
    c->regime = LT_REGIME_ALONE;
    lt_path_rate_assume(&c->path, c->path.limit, s->now_us);
}

static void remember_share(lt_congestion *c, livetcp_usec now)
{
    if (c->regime == LT_REGIME_COMPETING)
        c->share_us = now;
    else if (c->regime == LT_REGIME_OPEN || c->path.standing_us ||
             lt_packet_trains_rate(&c->trains) > SHOWN * c->path.limit)
        c->share_us = LIVETCP_NEVER;
}

bool lt_congestion_is_freed(const lt_congestion *c, livetcp_usec now)
{
    return c->share_us != LIVETCP_NEVER && now - c->share_us > FREED_US;
}

void lt_congestion_begin_again(lt_congestion *c, livetcp_usec now)
{
    lt_packet_trains_forget(&c->trains);
    lt_path_rate_end(&c->path, now);
    c->share_us = LIVETCP_NEVER;
}

/* While all connections repair, no round trip tells of a queue. Where nothing limits the session
 * yet, what has waited for long is one, for a source that may heed what it is told. */
static bool only_waits(const lt_congestion *c, const lt_congestion_sample *s)
{
    return c->regime == LT_REGIME_OPEN && s->may_follow && s->undelivered &&
           s->now_us > c->met_us + UNMET_US + s->base_us && s->wait_us > WAITS_US;
}

/* Acknowledgements wait for media of the other direction, and what is under way grows meanwhile.
 * With one connection they wait for its repairs as well, which a larger window does not help. */
static livetcp_usec acknowledged_late(const lt_congestion *c, const lt_congestion_sample *s)
{
    livetcp_usec mean_us = lt_usec_min(s->back_us, c->back_room ? LIVETCP_NEVER : LOSSY_BACK_US);

    return mean_us + (s->connections > 1 ? s->back_late_us : 0);
}

static void keep_deadline(lt_congestion *c, const lt_congestion_sample *s)
{
    double bytes = lt_deadline_window(&c->history, s);

    if (bytes < (double)c->window)
        c->window = (uint64_t)bytes;
}

void lt_congestion_update(lt_congestion *c, const lt_congestion_sample *sample)
{
    lt_congestion_sample whole = lt_silence_update(&c->silence, &c->history, sample);
    const lt_congestion_sample *s = &whole;

    lt_window_push_take_slack(&c->push, &whole);
    whole.carried = lt_congestion_max_carried(c);
    whole.overloads = whole.carried > 0 && s->offered > OVERLOAD * whole.carried;
    c->overloads = s->overloads;
    if (c->begun_us == INT64_MIN)
        c->begun_us = s->now_us;
    if (s->retransmitted > c->retransmitted)
        c->lost_us = s->now_us;
    c->retransmitted = s->retransmitted;
    whole.lossless = lt_congestion_is_lossless(c, s->now_us);
    c->back_room = s->one_way && whole.lossless;
    c->base_us = s->base_us + acknowledged_late(c, s);
    if (s->may_follow)
        c->heeded_us = s->now_us;
    look_for_room(c, s);
    if (only_waits(c, s))
        whole.queue_us = 0;
    lt_delay_history_add(&c->history, s);
    look_at_trains(c, s);
    lt_own_overflow_update(&c->overflow, &c->history, s);
    lt_queue_marks_update(&c->marks, s);
    lt_short_buffer_update(&c->short_buffer, s, c->regime == LT_REGIME_ALONE);
    whole.fills = lt_own_overflow_is_likely(&c->overflow);
    lt_narrow_window_update(&c->narrow, s);
    if (c->regime != LT_REGIME_COMPETING)
        remember_max_rate(c, s->now_us);
    lt_route_change_begin(&c->route);
    if (c->regime == LT_REGIME_COMPETING)
        compete(c, s);
    else
        be_alone(c, s);
    keep_deadline(c, s);
    remember_share(c, s->now_us);
}
