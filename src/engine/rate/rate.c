/* SPDX-License-Identifier: MIT */
#include "engine/rate/rate.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

#include <math.h>

/* Path info may come thousands of times a second; nothing here changes so often. */
#define INTERVAL_US 3000

/* While bytes are in flight: a queue of a few milliseconds is to be seen. */
#define POLL_MIN_US   5000
#define POLL_MAX_US   10000
#define POLL_PART     8
#define POLL_PROBE_US 3000 /* while a probe upwards is under way */
/* With one connection, for an encoder whose frames have several packets. Each look at a connection
 * shows one round trip: looks that are as rare as those of several show a queue where only a
 * frame's own packets wait. */
#define POLL_ONE_MIN_US 3500
#define POLL_ONE_MAX_US 5000
#define POLL_ONE_BYTES  (4 * 1448)
/* Less than a full packet is no queue of ours. A call has no more under way, and its next frame
 * asks before this. */
#define POLL_FEW_US 25000
#define FEW_BYTES   1448
#define CONTACT_US  500000 /* a connection not written to for so long does not count */
#define SHARE_US    50000
/* An overload makes packets wait so long; in a moment's excess they do not. */
#define OVERLOAD_WAIT_US 50000
#define EASY             2.0 /* times the media: such a link has time between frames */
#define SHARE_GAIN       0.3

void lt_rate_init(lt_rate *rate, const livetcp_config *config)
{
    *rate = (lt_rate){
        .update_from_us = INT64_MIN,
        .share_us = INT64_MIN,
        .samples = {.queue_us = LIVETCP_NEVER, .busy_us = LIVETCP_NEVER, .exact_us = LIVETCP_NEVER},
        .poll_us = LIVETCP_NEVER,
        .sizes_known = true};
    lt_congestion_init(&rate->congestion);
    lt_initial_window_init(&rate->initial);
    lt_frame_delays_init(&rate->frame_delays);
    lt_headroom_init(&rate->headroom);
    lt_upward_probe_init(&rate->probe);
    lt_frame_bursts_init(&rate->bursts);
    lt_media_queue_init(&rate->media_queue);
    lt_bitrate_init(&rate->bitrate, config->min_bitrate, config->max_bitrate);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_round_trips_init(&rate->slots[i]);
}

bool lt_rate_set_bounds(lt_rate *rate, uint32_t min, uint32_t max)
{
    return lt_bitrate_set_bounds(&rate->bitrate, min, max);
}

void lt_rate_reset_slot(lt_rate *rate, unsigned slot)
{
    lt_round_trips_init(&rate->slots[slot]);
}

void lt_rate_on_written(lt_rate *rate, unsigned slot, const livetcp_path *path, size_t size,
                        const lt_packet *packet, livetcp_usec now)
{
    lt_round_trips_wrote(&rate->slots[slot], path, size,
                         lt_frame_bursts_on_written(&rate->bursts, size, now), now);
    rate->written += size;
    if (packet) {
        rate->media += lt_packet_size(packet);
        rate->key_media +=
            packet->importance == LIVETCP_IMPORTANCE_KEY ? lt_packet_size(packet) : 0;
        rate->media_writes++;
        lt_upward_probe_on_media(&rate->probe, now);
        lt_media_queue_on_written(&rate->media_queue, lt_packet_size(packet), now);
        lt_frame_delays_on_written(&rate->frame_delays, packet, path, now);
    }
    rate->in_flight += size;
    if (!rate->poll_due)
        rate->poll_us = lt_usec_min(
            rate->poll_us, now + (rate->in_flight <= FEW_BYTES ? POLL_FEW_US : POLL_MAX_US));
}

/* The path carries what the encoder is told while it is probed, since nothing stands. Packets of a
 * thin path would look like a queue by their own time else. */
static double known_rate(const lt_rate *rate, livetcp_usec now)
{
    double known = lt_congestion_rate(&rate->congestion, now);

    return known > 0 || !lt_upward_probe_is_under_way(&rate->probe, now)
               ? known
               : lt_bitrate_carried(&rate->bitrate) / 8.0;
}

void lt_rate_on_arrival(lt_rate *rate, const lt_frame_arrival *arrival, livetcp_usec now)
{
    lt_frame_delays_on_arrival(&rate->frame_delays, arrival, now);
}

void lt_rate_on_path_info(lt_rate *rate, unsigned slot, const livetcp_path *path, livetcp_usec now)
{
    lt_round_trips *trips = &rate->slots[slot];
    lt_queue_samples samples;

    rate->path_info_came = true;
    rate->poll_due = false;
    if (rate->poll_us == LIVETCP_NEVER)
        rate->poll_us = now + POLL_MIN_US;
    rate->delivered += lt_round_trips_update(trips, path, known_rate(rate, now), now, &samples);
    rate->samples.queue_us = lt_usec_min(rate->samples.queue_us, samples.queue_us);
    rate->samples.busy_us = lt_usec_min(rate->samples.busy_us, samples.busy_us);
    if (samples.exact_us != LIVETCP_NEVER)
        lt_frame_bursts_on_delivered(&rate->bursts, &samples.place, samples.sent_us,
                                     lt_round_trips_base(trips), now);
    if (samples.exact_us < rate->samples.exact_us) {
        rate->samples.exact_us = samples.exact_us;
        rate->samples.sent_us = samples.sent_us;
    }
}

/* Extra bytes are no reason for what a packet waits behind its own frame. */
void lt_rate_on_path_sample(lt_rate *rate, const lt_path_sample *sample, livetcp_usec now)
{
    lt_path_sample without = *sample;

    if (sample->valid && sample->media) {
        livetcp_usec own_us = lt_media_queue_at(&rate->media_queue, sample->sent_us);
        without.media = own_us != LIVETCP_NEVER;
        without.excess_us = lt_usec_max(sample->excess_us - own_us, 0);
    }
    lt_headroom_on_sample(&rate->headroom, &without, now);
}

/* Rate that the windows admit; HUGE_VAL where that is not known. */
static double admitted(const lt_rate_view *view)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_RTT;
    double sum = 0;

    for (unsigned i = 0; i < view->count; i++) {
        const livetcp_path *path = &view->paths[i];
        if (!path->usable || view->others >> i & 1)
            continue;
        if ((path->known & needed) != needed || path->rtt_us <= 0)
            return HUGE_VAL;
        sum += (double)path->cwnd_bytes / (double)path->rtt_us;
    }
    return sum * (double)LIVETCP_USEC_SEC;
}

/* The congestion window of a connection: that in the middle, since one that repairs a loss has next
 * to none, and one that has carried nothing of late has what it began with. */
static uint64_t one_window(const lt_rate_view *view)
{
    uint32_t windows[LIVETCP_MAX_CONNECTIONS];
    unsigned count = 0;

    for (unsigned i = 0; i < view->count; i++) {
        const livetcp_path *path = &view->paths[i];
        unsigned at = count;
        if (!path->usable || view->others >> i & 1 || !(path->known & LIVETCP_PATH_CWND))
            continue;
        for (; at > 0 && windows[at - 1] > path->cwnd_bytes; at--)
            windows[at] = windows[at - 1];
        windows[at] = path->cwnd_bytes;
        count++;
    }
    return count ? windows[(count - 1) / 2] : 0;
}

/* Each connection gets the least minimum round trip of those on its route. */
static void share_bases(lt_rate *rate, const lt_rate_view *view)
{
    livetcp_usec
        least_us[LIVETCP_MAX_CONNECTIONS]; /* by group: of the spare slot, too, if it is gone */

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        least_us[i] = LIVETCP_NEVER;
    for (unsigned i = 0; i < view->count; i++) {
        const livetcp_path *path = &view->paths[i];
        if (path->usable && !(view->others >> i & 1) && path->known & LIVETCP_PATH_GROUP)
            least_us[path->group] =
                lt_usec_min(least_us[path->group], lt_round_trips_own_base(&rate->slots[i]));
    }
    for (unsigned i = 0; i < view->count; i++) {
        const livetcp_path *path = &view->paths[i];
        bool grouped = path->known & LIVETCP_PATH_GROUP;
        lt_round_trips_share_base(&rate->slots[i], grouped ? least_us[path->group] : LIVETCP_NEVER);
    }
}

/* Minimum round trips are shared where an encoder fills the path, or a source offers far more than
 * it carries: else jitter without a queue would read as one. The queue that always stands then
 * would replace the minimum of one connection after the other, and be taken for the path. They are
 * kept while another's queue, or a longer route that is not known yet, would replace them. */
static void update_bases(lt_rate *rate, const lt_rate_view *view, bool several, livetcp_usec now)
{
    bool overloads = rate->congestion.overloads && view->queue_delay_us > OVERLOAD_WAIT_US;
    bool fills = several && (rate->bitrate.follows || overloads);
    bool keeps = (several && rate->congestion.regime == LT_REGIME_COMPETING) ||
                 (fills && lt_route_change_is_judged(&rate->congestion.route, now));

    if (fills)
        share_bases(rate, view);
    for (unsigned i = 0; i < view->count; i++) {
        if (!fills)
            lt_round_trips_share_base(&rate->slots[i], LIVETCP_NEVER);
        if (keeps)
            lt_round_trips_keep_base(&rate->slots[i], now);
    }
}

static void update_share(lt_rate *rate, livetcp_usec now)
{
    double written = (double)(rate->written - rate->share_written);
    double media = (double)(rate->media - rate->share_media);

    if (rate->share_us > now - SHARE_US || written < 1)
        return;
    if (!rate->media) /* bytes of the handshake do not count */
        media = 0;
    else if (rate->media_share > 0)
        rate->media_share += SHARE_GAIN * (media / written - rate->media_share);
    else
        rate->media_share = media / written;
    rate->share_us = now;
    rate->share_written = rate->written;
    rate->share_media = rate->media;
}

/* The rate at which the media's own queue drains. On a link that hardly carries more than the
 * media, that is no excuse for late packets: extra bytes would make them later. */
static double drains_at(const lt_rate_view *view, double link_rate)
{
    return link_rate > EASY * (double)view->media_rate ? link_rate : HUGE_VAL;
}

static livetcp_usec wait_beyond_own(const lt_rate *rate, const lt_rate_view *view, livetcp_usec now)
{
    livetcp_usec own_us = lt_media_queue_of(&rate->media_queue, view->queue_bytes, now);

    return lt_usec_max(view->queue_delay_us - own_us, 0);
}

/* Bytes of a packet of media with headers, mean. */
static double packet_size(const lt_rate *rate)
{
    double media = (double)rate->media / (double)(rate->media_writes ? rate->media_writes : 1);

    return media + LT_TCP_HEADERS;
}

static bool is_clear(const lt_congestion *c)
{
    return c->regime != LT_REGIME_COMPETING && !c->path.standing_us;
}

/* Frames of a thin stream are no trains, so that a path which becomes faster shows in bursts only.
 */
static void notice_faster_path(lt_rate *rate, livetcp_usec now)
{
    if (is_clear(&rate->congestion) &&
        lt_bitrate_on_burst_rate(&rate->bitrate, &rate->congestion,
                                 lt_frame_bursts_rate(&rate->bursts), now))
        lt_packet_trains_forget(&rate->congestion.trains);
}

/* A share beside a flow that filled the path is no rate of the path. Where neither losses
 * nor five seconds without a queue tell of such a flow, sessions that share a path would only take
 * turns in jumping ahead. The window of the only connection lets more through for a moment though
 * nobody has left, and its path is asked only where growth would take 20 s. */
static void notice_freed_path(lt_rate *rate, bool several, livetcp_usec now)
{
    lt_congestion *c = &rate->congestion;
    bool told = c->regime == LT_REGIME_OPEN || !lt_congestion_is_lossless(c, now);
    bool more = several && is_clear(c) && told &&
                lt_bitrate_exceeds_ceiling(&rate->bitrate, c, rate->media_share, now);
    bool freed = (several || c->base_us > LT_LONG_TRIP_US) && lt_congestion_is_freed(c, now) &&
                 lt_bitrate_is_used(&rate->bitrate);

    if (!more && !freed)
        return;
    lt_bitrate_forget_ceiling(&rate->bitrate, now);
    lt_congestion_begin_again(c, now);
}

bool lt_rate_update(lt_rate *rate, const lt_rate_view *view, livetcp_usec now)
{
    const bool fixed = lt_bitrate_is_ignored(&rate->bitrate, (double)view->media_rate, now);
    lt_congestion_sample sample = {
        .now_us = now,
        .delivered = rate->delivered,
        .queue_us = rate->samples.queue_us,
        .busy_us = rate->samples.busy_us,
        .exact_us = rate->samples.exact_us,
        .exact_sent_us = rate->samples.sent_us,
        .wait_us = view->queue_delay_us,
        .limit_us = view->limit_us,
        .offered = (double)view->media_rate,
        .follows = lt_bitrate_is_used(&rate->bitrate),
        .may_follow = lt_bitrate_may_be_heeded(&rate->bitrate, (double)view->media_rate),
        .fixed = fixed,
        .exceeds = !fixed && lt_bitrate_is_exceeded(&rate->bitrate, (double)view->media_rate),
        .answered = view->answered,
        .own_extra = lt_headroom_tries(&rate->headroom),
        .begins = lt_initial_window_is_in_use(&rate->initial),
        .own_losses = lt_headroom_tries_losses(&rate->headroom),
        .one_window = one_window(view),
        .link_rate = lt_frame_bursts_best(&rate->bursts),
        .base_us = 0};
    livetcp_usec bases = 0;
    unsigned in_contact = 0;
    bool sizes_known = false;

    rate->path_info_came = false;
    rate->update_from_us = now + INTERVAL_US;
    rate->samples = (lt_queue_samples){
        .queue_us = LIVETCP_NEVER, .busy_us = LIVETCP_NEVER, .exact_us = LIVETCP_NEVER};
    for (unsigned i = 0; i < view->count; i++) {
        const livetcp_path *path = &view->paths[i];
        livetcp_usec base = lt_round_trips_base(&rate->slots[i]);
        if (!path->usable || view->others >> i & 1)
            continue;
        sample.connections++;
        sample.undelivered += lt_path_undelivered(path);
        sample.in_flight += lt_path_in_network(path);
        sizes_known = sizes_known || path->known & LIVETCP_PATH_QUEUED;
        sample.retransmitted += path->retransmitted_segments;
        if (path->known & LIVETCP_PATH_MARKS)
            sample.marked += path->marked_segments;
        if (path->known & LIVETCP_PATH_GROUP)
            sample.link_rate = fmax(sample.link_rate, (double)path->group_rate);
        if (base == LIVETCP_NEVER || path->last_write_us <= now - CONTACT_US)
            continue;
        bases += base;
        in_contact++;
    }
    rate->sizes_known = sizes_known;
    if (in_contact)
        sample.base_us = bases / in_contact;
    if (!rate->sizes_known) /* then the send queue alone shows an overload */
        sample.queue_us = 0;
    /* What waits while nothing is under way waits for the policy, which may join small packets, and
     * for no queue of the path. An encoder that is told less has smaller frames, and more waits. */
    if (sizes_known && !sample.undelivered)
        sample.wait_us = 0;
    if (!sample.undelivered && !sample.wait_us)
        sample.queue_us = sample.busy_us = 0;
    lt_frame_delays_apply(&rate->frame_delays, rate->media_share, &sample);
    lt_congestion_update(&rate->congestion, &sample);
    lt_initial_window_update(
        &rate->initial,
        &(lt_initial_window_sample){.now_us = now,
                                    .base_us = sample.base_us,
                                    .delivered = rate->delivered,
                                    .in_flight = rate->in_flight,
                                    .held = lt_congestion_held(&rate->congestion),
                                    .progress_us = lt_congestion_progress(&rate->congestion),
                                    .connections = sample.connections,
                                    .media = rate->media > 0,
                                    .shown = lt_congestion_has_shown(&rate->congestion, now)});
    for (unsigned i = 0; rate->congestion.route.longer_us && i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_round_trips_lengthen(&rate->slots[i], rate->congestion.route.longer_us, now);
    update_bases(rate, view, sample.connections > 1, now);
    update_share(rate, now);
    lt_media_queue_set_rate(&rate->media_queue, drains_at(view, sample.link_rate));
    double packet = packet_size(rate);
    lt_headroom_update(
        &rate->headroom,
        &(lt_headroom_view){.now_us = now,
                            .delivered = rate->delivered,
                            .written = rate->written - rate->padded,
                            .padded = rate->padded,
                            .media = rate->media,
                            .packet = packet,
                            .link_rate = sample.link_rate * (packet - LT_TCP_HEADERS) / packet,
                            .media_rate = view->media_rate,
                            .session_rate = view->session_rate,
                            .wait_us = wait_beyond_own(rate, view, now),
                            .rtt_us = sample.base_us,
                            .undelivered = sample.undelivered,
                            .frame = lt_frame_bursts_behind(&rate->bursts)});
    lt_upward_probe_update(
        &rate->probe,
        &(lt_upward_probe_view){.now_us = now,
                                .base_us = sample.base_us,
                                .queue_us = sample.queue_us,
                                .retransmitted = sample.retransmitted,
                                .estimate = lt_bitrate_carried(&rate->bitrate) / 8.0,
                                .stood = rate->congestion.path.limit > 0,
                                .wanted = lt_bitrate_is_used(&rate->bitrate) &&
                                          rate->congestion.regime == LT_REGIME_OPEN &&
                                          rate->congestion.path.standing_us == 0},
        &rate->congestion.trains);
    notice_faster_path(rate, now);
    notice_freed_path(rate, sample.connections > 1, now);
    bool one = sample.connections == 1 && sample.may_follow && sample.undelivered > POLL_ONE_BYTES;
    livetcp_usec poll =
        lt_usec_clamp(sample.base_us / POLL_PART, one ? POLL_ONE_MIN_US : POLL_MIN_US,
                      one ? POLL_ONE_MAX_US : POLL_MAX_US);
    if (lt_upward_probe_is_under_way(&rate->probe, now))
        poll = POLL_PROBE_US;
    else if (sample.undelivered <= FEW_BYTES && rate->congestion.regime == LT_REGIME_OPEN)
        poll = POLL_FEW_US;
    rate->in_flight = sample.undelivered;
    rate->poll_us = sample.undelivered ? now + poll : LIVETCP_NEVER;
    return lt_bitrate_update(&rate->bitrate, &rate->congestion,
                             &(lt_bitrate_sample){.now_us = now,
                                                  .media_share = rate->media_share,
                                                  .media_rate = view->media_rate,
                                                  .media = rate->media,
                                                  .key_media = rate->key_media,
                                                  .offered = view->offered,
                                                  .admitted = admitted(view),
                                                  .probed = lt_upward_probe_carried(&rate->probe)});
}

uint32_t lt_rate_wants_path_info(const lt_rate *rate)
{
    uint32_t slots = 0;

    for (unsigned i = 0; rate->poll_due && i < LIVETCP_MAX_CONNECTIONS; i++)
        slots |= rate->slots[i].written > rate->slots[i].delivered ? UINT32_C(1) << i : 0;
    return slots;
}

livetcp_usec lt_rate_deadline(const lt_rate *rate)
{
    return lt_usec_min(rate->poll_us, lt_upward_probe_deadline(&rate->probe));
}

uint64_t lt_rate_padding_due(lt_rate *rate, livetcp_usec now)
{
    return lt_upward_probe_due(&rate->probe, now);
}

/* Padding is no part of what the media costs. */
void lt_rate_on_padding(lt_rate *rate, size_t size, livetcp_usec now)
{
    lt_upward_probe_on_padding(&rate->probe, size, now);
    rate->share_written += size;
    rate->padded += size;
}

void lt_rate_expire(lt_rate *rate, livetcp_usec now)
{
    if (now < rate->poll_us)
        return;
    rate->poll_us = LIVETCP_NEVER;
    rate->poll_due = true;
}

bool lt_rate_is_filled(const lt_rate *rate, livetcp_usec now)
{
    return lt_bitrate_is_used(&rate->bitrate) && lt_congestion_is_lossless(&rate->congestion, now);
}

uint64_t lt_rate_carries(const lt_rate *rate)
{
    return rate->congestion.regime == LT_REGIME_OPEN ? 0 : (uint64_t)rate->congestion.path.limit;
}

double lt_rate_carries_media(const lt_rate *rate)
{
    return (double)lt_rate_carries(rate) * rate->media_share * 8;
}

void lt_rate_gather(const lt_rate *rate, livetcp_session_stats *stats)
{
    static const livetcp_congestion regimes[] = {
        [LT_REGIME_OPEN] = LIVETCP_CONGESTION_NONE,
        [LT_REGIME_ALONE] = LIVETCP_CONGESTION_ALONE,
        [LT_REGIME_COMPETING] = LIVETCP_CONGESTION_COMPETING,
    };
    uint64_t window = rate->congestion.window;

    stats->sent.estimated_bitrate = lt_rate_get(rate);
    stats->sent.congestion =
        rate->sizes_known ? regimes[rate->congestion.regime] : LIVETCP_CONGESTION_BACKLOG;
    stats->sent.window_bytes = window == UINT64_MAX ? 0 : window;
}

uint32_t lt_rate_get(const lt_rate *rate)
{
    return lt_bitrate_get(&rate->bitrate);
}
