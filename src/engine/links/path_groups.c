/* SPDX-License-Identifier: MIT */
#include "engine/links/path_groups.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

#include <math.h>

/* Packet sizes, in bytes: large and small ones give the serialization time by their difference; in
 * a session of speech, its packets and smaller ones do. */
#define LARGE  1000
#define SMALL  300
#define SPEECH 120 /* and more, up to SMALL */
#define MSS    1448

#define MIN_LARGE_SAMPLES 3 /* large packets needed for an estimate */

/* From so many samples on the deviation of a connection tells how far a handshake may be from its
 * floor: these many times, since it is the minimum of one or two round trips. */
#define MIN_SAMPLES 16
#define DEVIATIONS  3

/* After this pause, no large packet of this session is in the bottleneck's queue. */
#define PAUSE_US 150000

#define GAIN 4 /* of the averages; small, since a connection has few samples a second */

/* Maximum difference of two floors on one route: each is the minimum of some dozens of samples. */
#define SAME_US   1500
#define SAME_PART 32

/* Maximum difference of the queueing delays on one route. */
#define SAME_QUEUE_US 10000

/* A standing queue: the average round trip exceeds the minimum by more than it varies. Vegas,
 * LEDBAT and NADA (RFC 8698) read a queue from the same difference. A queue changes slowly, while
 * jitter differs from packet to packet: then successive round trips differ by more than each of
 * them from the average (von Neumann, 1941), and the average is as far above the minimum. */
#define QUEUE_US   4000
#define QUEUE_PART 20 /* of the round trip */
#define VARIATIONS 2
#define JITTERS    3       /* the same where the variation is jitter */
#define FLOOR_US   4000000 /* period of the minima of round trips */
#define RECENT_US  1500000 /* connections without a sample for longer do not count */

/* A route change lifts all round trips at once, and they stay there. A queue builds up gradually
 * and varies. */
#define TICK_US    250000
#define STEP_TICKS 12
#define STEP_US    2000
#define STEP_PART  32
#define FLAT_PART  8 /* of the step */

#define DESCRIBE_US 3000
#define GROUP_US    200000
#define DECAY_US    1000000
#define DECAY       0.9

static lt_bottleneck *bottleneck_of(lt_path_groups *groups, unsigned slot)
{
    return &groups->bottleneck[groups->link_of[slot]];
}

/* Serialization time of `size` bytes at the bottleneck of the slot's link. */
static livetcp_usec serialization_time(const lt_path_groups *groups, unsigned slot, size_t size)
{
    return (livetcp_usec)(groups->bottleneck[groups->link_of[slot]].per_byte_us * (double)size);
}

/* Forgets the minima. per_byte_us keeps its value until a new one is known. */
static void forget_minima(lt_bottleneck *bottleneck)
{
    bottleneck->min_small_us = bottleneck->min_large_us = bottleneck->min_speech_us = LIVETCP_NEVER;
    bottleneck->speech_samples = 0;
}

static bool is_known_link(const lt_path_groups *groups, unsigned link)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (groups->members[i].known && groups->link_of[i] == link)
            return true;
    return false;
}

static unsigned slot_of(const lt_path_groups *groups, const lt_group_member *m)
{
    return (unsigned)(m - groups->members);
}

void lt_path_groups_init(lt_path_groups *groups)
{
    *groups = (lt_path_groups){.grouped_us = INT64_MIN / 2,
                               .decayed_us = INT64_MIN / 2,
                               .described_us = INT64_MIN / 2,
                               .large_us = INT64_MIN / 2};
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        forget_minima(&groups->bottleneck[i]);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_path_groups_reset_slot(groups, i);
}

void lt_path_groups_reset_slot(lt_path_groups *groups, unsigned slot)
{
    lt_group_member *m = &groups->members[slot];

    *m = (lt_group_member){.group = slot,
                           .floor_us = LIVETCP_NEVER,
                           .min_small_us = LIVETCP_NEVER,
                           .disordered_us = INT64_MIN / 2,
                           .sampled_us = INT64_MIN / 2,
                           .tick_us = INT64_MIN / 2};
    lt_recent_min_init(&m->small, FLOOR_US);
    lt_recent_min_init(&m->large, FLOOR_US);
    for (unsigned i = 0; i < LT_ROUTE_TICKS; i++)
        m->ticks[i] = LIVETCP_NEVER;
    if (!is_known_link(groups, groups->link_of[slot]))
        forget_minima(bottleneck_of(groups, slot));
}

void lt_path_groups_set_link(lt_path_groups *groups, unsigned slot, unsigned link)
{
    lt_path_groups_reset_slot(groups, slot);
    groups->link_of[slot] = (uint8_t)link;
}

/* ---- samples ---- */

void lt_path_groups_wrote(lt_path_groups *groups, unsigned slot, uint64_t end, size_t size,
                          livetcp_usec now)
{
    lt_group_member *m = &groups->members[slot];

    if (m->write_count == LT_GROUP_WRITES) { /* the oldest is overwritten */
        m->first_write = (m->first_write + 1) % LT_GROUP_WRITES;
        m->write_count--;
    }
    m->writes[(m->first_write + m->write_count++) % LT_GROUP_WRITES] =
        (lt_group_write){end, now, (uint32_t)size, now - groups->large_us > PAUSE_US, false};
    if (size >= SMALL)
        groups->large_us = now;
    bottleneck_of(groups, slot)->free_us = lt_usec_max(bottleneck_of(groups, slot)->free_us, now) +
                                           serialization_time(groups, slot, size + LT_TCP_HEADERS);
}

void lt_path_groups_wrote_media(lt_path_groups *groups, unsigned slot)
{
    lt_group_member *m = &groups->members[slot];

    if (m->write_count)
        m->writes[(m->first_write + m->write_count - 1) % LT_GROUP_WRITES].media = true;
}

livetcp_usec lt_path_groups_oldest_write(const lt_path_groups *groups, unsigned slot)
{
    const lt_group_member *m = &groups->members[slot];

    if (m->write_count == LT_GROUP_WRITES) /* older ones may have been overwritten */
        return INT64_MIN;
    return m->write_count ? m->writes[m->first_write].at_us : LIVETCP_NEVER;
}

static unsigned segments_of(const lt_group_write *write)
{
    return (write->size + MSS - 1) / MSS;
}

lt_acknowledged lt_path_groups_acknowledged(const lt_path_groups *groups, unsigned slot,
                                            uint64_t acknowledged)
{
    const lt_group_member *m = &groups->members[slot];
    lt_acknowledged found = {.written_us = LIVETCP_NEVER};

    for (unsigned i = 0; i < m->write_count; i++) {
        const lt_group_write *write = &m->writes[(m->first_write + i) % LT_GROUP_WRITES];
        if (write->end > acknowledged)
            break;
        found.segments += segments_of(write);
        found.written_us = write->at_us;
    }
    return found;
}

/* Writes that were acknowledged together. A tail probe closely follows its packet, so that the two
 * often are; such a round trip counts as media if one of the writes is. */
typedef struct acknowledged_writes {
    lt_group_write newest;
    lt_group_write media; /* the newest one with media */
    unsigned count, segments;
    unsigned min, max, mean; /* bytes per write; for the mean, at most one segment each */
} acknowledged_writes;

static acknowledged_writes take_acknowledged(lt_group_member *m, uint64_t acknowledged)
{
    acknowledged_writes taken = {.segments = 0, .min = UINT32_MAX};
    uint64_t sizes = 0;

    while (m->write_count && m->writes[m->first_write].end <= acknowledged) {
        taken.newest = m->writes[m->first_write];
        if (taken.newest.media)
            taken.media = taken.newest;
        taken.segments += segments_of(&taken.newest);
        sizes += taken.newest.size < MSS ? taken.newest.size : MSS;
        taken.count++;
        taken.min = taken.newest.size < taken.min ? taken.newest.size : taken.min;
        taken.max = taken.newest.size > taken.max ? taken.newest.size : taken.max;
        m->first_write = (m->first_write + 1) % LT_GROUP_WRITES;
        m->write_count--;
    }
    taken.mean = taken.count ? (unsigned)(sizes / taken.count) : 0;
    return taken;
}

/* Round trip without queues. A connection without samples keeps its last floor: a longer route gets
 * no traffic because it is longer, and must not look short again for that. */
static livetcp_usec floor_of(const lt_path_groups *groups, const lt_group_member *m,
                             livetcp_usec now)
{
    livetcp_usec small = lt_recent_min_get(&m->small, now),
                 large = lt_recent_min_get(&m->large, now);

    if (large != LIVETCP_NEVER)
        large = lt_usec_max(large - serialization_time(groups, slot_of(groups, m), MSS), 0);
    if (small == LIVETCP_NEVER && large == LIVETCP_NEVER)
        return m->floor_us;
    return lt_usec_min(small, large);
}

/* The round trip that moved TCP's average from `before`. Several acknowledgements since the last
 * path info move it further; they count as equal samples, none below TCP's minimum. */
static livetcp_usec last_round_trip(livetcp_usec before, const livetcp_path *path,
                                    unsigned segments)
{
    double weight = 1 - pow(7.0 / 8, segments < 8 ? (double)segments : 8.0);
    livetcp_usec min = path->known & LIVETCP_PATH_MIN_RTT ? path->min_rtt_us : 0;

    return lt_usec_max(before + (livetcp_usec)((double)(path->rtt_us - before) / weight), min);
}

/* True if the sample is free of loss repair, which delays acknowledgements. TCP takes no samples of
 * retransmitted segments (Karn's algorithm). */
static bool is_clean(lt_group_member *m, const livetcp_path *path, livetcp_usec now)
{
    bool disordered =
        path->known & LIVETCP_PATH_TCP_STATE && path->tcp_state >= LIVETCP_TCP_DISORDER;

    if (disordered || path->retransmitted_segments != m->retransmitted)
        m->disordered_us = now;
    return now - path->rtt_us > m->disordered_us;
}

static void add_tick(lt_group_member *m, livetcp_usec rtt_us, livetcp_usec now)
{
    if (now - m->tick_us >= TICK_US) {
        m->tick = (m->tick + 1) % LT_ROUTE_TICKS;
        m->ticks[m->tick] = LIVETCP_NEVER;
        m->tick_us = now;
    }
    m->ticks[m->tick] = lt_usec_min(m->ticks[m->tick], rtt_us);
}

/* Minimum of the ticks since a step to a higher level, or LIVETCP_NEVER if there was none. */
static livetcp_usec level_after_step(const lt_group_member *m, livetcp_usec floor_us)
{
    livetcp_usec min = LIVETCP_NEVER, max = 0, step;
    unsigned at_floor = 0;

    for (unsigned i = 0; i < LT_ROUTE_TICKS; i++) {
        unsigned age = LT_ROUTE_TICKS - 1 - i; /* oldest first */
        livetcp_usec tick = m->ticks[(m->tick + LT_ROUTE_TICKS - age) % LT_ROUTE_TICKS];
        if (tick == LIVETCP_NEVER)
            return LIVETCP_NEVER;
        if (age >= STEP_TICKS) {
            at_floor += tick < floor_us + lt_usec_max(STEP_US, floor_us / STEP_PART);
            continue;
        }
        min = lt_usec_min(min, tick);
        max = lt_usec_max(max, tick);
    }
    step = min - floor_us;
    return at_floor >= LT_ROUTE_TICKS - STEP_TICKS - 1 &&
                   step > lt_usec_max(STEP_US, floor_us / STEP_PART) &&
                   max - min < lt_usec_max(STEP_US / 2, step / FLAT_PART)
               ? min
               : LIVETCP_NEVER;
}

static void change_route(lt_path_groups *groups, lt_group_member *m, livetcp_usec rtt_us,
                         livetcp_usec now)
{
    lt_bottleneck *bottleneck = bottleneck_of(groups, slot_of(groups, m));

    lt_recent_min_set(&m->small, rtt_us, now);
    m->min_small_us = LIVETCP_NEVER;
    forget_minima(bottleneck);
    lt_recent_min_set(&m->large, rtt_us + serialization_time(groups, slot_of(groups, m), MSS), now);
    m->excess_us = 0;
}

static void average(lt_group_member *m, livetcp_usec excess_us, livetcp_usec now)
{
    livetcp_usec error = excess_us - m->excess_us, jump = excess_us - m->last_excess_us;

    m->excess_us += error / GAIN;
    m->deviation_us += ((error < 0 ? -error : error) - m->deviation_us) / GAIN;
    m->jump_us += ((jump < 0 ? -jump : jump) - m->jump_us) / GAIN;
    m->last_excess_us = excess_us;
    m->sampled_us = now;
}

/* A small packet with no large ones before it. */
static void add_small(lt_path_groups *groups, lt_group_member *m, livetcp_usec rtt_us,
                      unsigned size, livetcp_usec now)
{
    lt_bottleneck *bottleneck = bottleneck_of(groups, slot_of(groups, m));

    if (size < SPEECH) {
        lt_recent_min_add(&m->small, rtt_us, now);
        m->min_small_us = lt_usec_min(m->min_small_us, rtt_us);
        return;
    }
    lt_recent_min_add(&m->small, rtt_us - serialization_time(groups, slot_of(groups, m), size),
                      now);
    bottleneck->speech_samples++;
    if (rtt_us < bottleneck->min_speech_us) {
        bottleneck->min_speech_us = rtt_us;
        bottleneck->speech_bytes = size;
    }
}

static lt_path_sample add_sample(lt_path_groups *groups, lt_group_member *m, livetcp_usec rtt_us,
                                 const acknowledged_writes *writes, livetcp_usec now)
{
    livetcp_usec before = floor_of(groups, m, now), floor_us, min;
    const lt_group_write *about = writes->media.media ? &writes->media : &writes->newest;
    livetcp_usec own = serialization_time(groups, slot_of(groups, m), writes->mean);
    lt_path_sample sample = {.valid = true, .media = about->media, .sent_us = about->at_us};

    if (writes->max < SMALL && writes->segments == 1 && writes->newest.alone) {
        add_small(groups, m, rtt_us, writes->max, now);
    } else if (writes->min > LARGE && writes->max <= MSS) {
        lt_recent_min_add(&m->large, rtt_us, now);
        m->large_samples++;
    }
    add_tick(m, rtt_us - own, now);
    floor_us = floor_of(groups, m, now);
    if (floor_us == LIVETCP_NEVER)
        return (lt_path_sample){.valid = false};
    min = level_after_step(m, floor_us);
    if (min != LIVETCP_NEVER) {
        change_route(groups, m, min, now);
        floor_us = min;
    } else if (before != LIVETCP_NEVER && floor_us - before > m->excess_us / 2 &&
               floor_us - before > lt_usec_max(STEP_US, before / STEP_PART)) {
        m->excess_us = 0; /* the floor rose by what looked like a queue: the route has changed */
    }
    m->known = true;
    m->samples++;
    m->floor_us = floor_us;
    sample.excess_us = lt_usec_max(rtt_us - own - floor_us, 0);
    average(m, sample.excess_us, now);
    return sample;
}

static void count_losses(lt_group_member *m, const livetcp_path *path, uint64_t acknowledged)
{
    m->segments += (double)(acknowledged - m->acknowledged + MSS - 1) / MSS;
    if (path->retransmitted_segments > m->retransmitted)
        m->lost += (double)(path->retransmitted_segments - m->retransmitted);
}

lt_path_sample lt_path_groups_on_path_info(lt_path_groups *groups, unsigned slot,
                                           const livetcp_path *path, uint64_t acknowledged,
                                           livetcp_usec now)
{
    lt_group_member *m = &groups->members[slot];
    lt_path_sample sample = {.valid = false};
    uint64_t size = acknowledged > m->acknowledged ? acknowledged - m->acknowledged : 0;
    bool clean = is_clean(m, path, now);
    acknowledged_writes writes = take_acknowledged(m, acknowledged);

    /* TCP's minimum includes the handshake, which met no queue of ours. */
    if (!m->rtt_us && path->known & LIVETCP_PATH_MIN_RTT && path->min_rtt_us > 0) {
        lt_recent_min_add(&m->small, path->min_rtt_us, now);
        m->min_small_us = path->min_rtt_us;
        groups->grouped_us = groups->described_us = INT64_MIN / 2; /* before it carries media */
    }
    if (writes.segments && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0 && m->rtt_us && clean)
        sample =
            add_sample(groups, m, last_round_trip(m->rtt_us, path, writes.segments), &writes, now);
    sample.segments = writes.segments;
    if (size) {
        if (path->retransmitted_segments > m->retransmitted)
            sample.lost = (unsigned)(path->retransmitted_segments - m->retransmitted);
        count_losses(m, path, acknowledged);
    }
    if (size || !m->rtt_us) {
        m->rtt_us = path->known & LIVETCP_PATH_RTT ? path->rtt_us : 0;
        m->acknowledged = acknowledged;
        m->retransmitted = path->retransmitted_segments;
    }
    return sample;
}

/* ---- groups ---- */

static bool is_same_route(const lt_path_groups *groups, const lt_group_member *a,
                          const lt_group_member *b, livetcp_usec now)
{
    livetcp_usec floor_a = floor_of(groups, a, now), floor_b = floor_of(groups, b, now);
    livetcp_usec noise = (a->deviation_us + b->deviation_us) / 4;
    livetcp_usec queues =
        a->excess_us > b->excess_us ? a->excess_us - b->excess_us : b->excess_us - a->excess_us;

    if (floor_a == LIVETCP_NEVER || floor_b == LIVETCP_NEVER)
        return true; /* one of them has no recent samples */
    if ((floor_a > floor_b ? floor_a - floor_b : floor_b - floor_a) >
        SAME_US + floor_a / SAME_PART + noise)
        return false;
    return queues <
           lt_usec_max(SAME_QUEUE_US, lt_usec_max(a->excess_us, b->excess_us) / 2) + 4 * noise;
}

/* The handshake of a connection without samples took longer than it does on the route of this one.
 */
static bool is_on_longer_route(const lt_path_groups *groups, const lt_group_member *fresh,
                               const lt_group_member *m, livetcp_usec now)
{
    livetcp_usec handshake = lt_recent_min_get(&fresh->small, now),
                 floor = floor_of(groups, m, now);

    return handshake != LIVETCP_NEVER && floor != LIVETCP_NEVER &&
           handshake - floor > SAME_US + floor / SAME_PART + DEVIATIONS * m->deviation_us;
}

/* A connection without samples joins the first group of its link, unless it is on a longer route
 * than all connections that are known well: then it is in a group of its own from now on, and no
 * media is late there before that is known. */
static void join(lt_path_groups *groups, unsigned slot, unsigned first, unsigned count,
                 livetcp_usec now)
{
    lt_group_member *m = groups->members, *fresh = &m[slot];
    const lt_group_member *joined = NULL;
    bool longer = false;

    for (unsigned j = first; j < count; j++) {
        if (!m[j].known || groups->link_of[slot] != groups->link_of[j])
            continue;
        if (!joined)
            joined = &m[j];
        if (m[j].samples < MIN_SAMPLES)
            continue;
        longer = is_on_longer_route(groups, fresh, &m[j], now);
        if (longer)
            continue;
        joined = &m[j];
        break;
    }
    if (longer) {
        fresh->known = true;
        fresh->floor_us = lt_recent_min_get(&fresh->small, now);
    } else if (joined) {
        fresh->group = joined->group;
    }
}

/* Single-linkage clustering: a connection belongs to the group of any connection that it resembles.
 * The lowest slot names the group. */
static void cluster(lt_path_groups *groups, const livetcp_path *paths, unsigned count,
                    livetcp_usec now)
{
    lt_group_member *m = groups->members;
    unsigned first = 0;
    bool changed = true;

    for (unsigned i = 0; i < count; i++)
        m[i].group = i;
    while (first < count && !(m[first].known && paths[first].usable))
        first++;
    while (changed) {
        changed = false;
        for (unsigned i = first; i < count; i++)
            for (unsigned j = first; j < i; j++) {
                if (m[i].group == m[j].group || !m[i].known || !m[j].known ||
                    groups->link_of[i] != groups->link_of[j] ||
                    !is_same_route(groups, &m[i], &m[j], now))
                    continue;
                m[i].group = m[j].group = m[i].group < m[j].group ? m[i].group : m[j].group;
                changed = true;
            }
    }
    for (unsigned i = 0; i < count; i++)
        if (!m[i].known)
            join(groups, i, first, count, now);
}

/* Estimates the serialization time of a byte from the difference of the minimum round trips of
 * large and small packets on the link. One connection's own minima do not suffice, since its
 * handshake may have met another connection's data. A standing queue lifts the recent minima of
 * large packets, and small packets without large ones before become rare later. Therefore the
 * minima over all time count, until the route changes. */
static void estimate_serialization(lt_path_groups *groups, unsigned link, unsigned count,
                                   livetcp_usec now)
{
    lt_bottleneck *bottleneck = &groups->bottleneck[link];
    livetcp_usec deviation = LIVETCP_NEVER, larger_us, max;
    unsigned bytes;

    for (unsigned i = 0; i < count; i++) {
        const lt_group_member *m = &groups->members[i];
        if (groups->link_of[i] != link)
            continue;
        bottleneck->min_small_us = lt_usec_min(bottleneck->min_small_us, m->min_small_us);
        if (m->samples >= MIN_LARGE_SAMPLES)
            deviation = lt_usec_min(deviation, m->deviation_us);
        if (m->large_samples >= MIN_LARGE_SAMPLES)
            bottleneck->min_large_us =
                lt_usec_min(bottleneck->min_large_us, lt_recent_min_get(&m->large, now));
    }
    larger_us = bottleneck->min_large_us;
    bytes = MSS;
    if (larger_us == LIVETCP_NEVER && bottleneck->speech_samples >= MIN_LARGE_SAMPLES) {
        larger_us = bottleneck->min_speech_us;
        bytes = bottleneck->speech_bytes;
    }
    if (bottleneck->min_small_us == LIVETCP_NEVER || larger_us == LIVETCP_NEVER)
        return;
    max = lt_usec_max(larger_us - bottleneck->min_small_us, 0);
    /* a smaller difference may be jitter */
    if ((double)max <= bottleneck->per_byte_us * bytes || deviation == LIVETCP_NEVER ||
        max > VARIATIONS * deviation)
        bottleneck->per_byte_us = (double)max / bytes;
}

static void decay(lt_path_groups *groups, unsigned count, livetcp_usec now)
{
    if (now - groups->decayed_us < DECAY_US)
        return;
    groups->decayed_us = now;
    for (unsigned i = 0; i < count; i++) {
        groups->members[i].segments *= DECAY;
        groups->members[i].lost *= DECAY;
    }
}

static void describe(const lt_path_groups *groups, livetcp_path *paths, unsigned count,
                     unsigned group, livetcp_usec now)
{
    livetcp_usec rtt_us = LIVETCP_NEVER, excess = 0, deviation = 0, jump = 0;
    double segments = 0, lost = 0,
           per_byte_us = groups->bottleneck[groups->link_of[group]].per_byte_us;
    unsigned recent = 0;

    for (unsigned i = 0; i < count; i++) {
        const lt_group_member *m = &groups->members[i];
        if (m->group != group || !m->known)
            continue;
        rtt_us = lt_usec_min(rtt_us, floor_of(groups, m, now));
        segments += m->segments;
        lost += m->lost;
        if (now - m->sampled_us > RECENT_US + 4 * m->rtt_us)
            continue;
        excess += m->excess_us;
        deviation += m->deviation_us;
        jump += m->jump_us;
        recent++;
    }
    if (rtt_us == LIVETCP_NEVER)
        return;
    excess = recent ? excess / recent : 0;
    deviation = recent ? deviation / recent : 0;
    jump = recent ? jump / recent : 0;
    bool stands = excess > lt_usec_max(QUEUE_US, rtt_us / QUEUE_PART) &&
                  excess > (jump > deviation ? JITTERS : VARIATIONS) * deviation;
    for (unsigned i = 0; i < count; i++) {
        if (groups->members[i].group != group)
            continue;
        paths[i].known |= LIVETCP_PATH_GROUP;
        paths[i].group = group;
        paths[i].group_rtt_us = rtt_us;
        paths[i].group_queue_us = stands ? excess : 0;
        paths[i].group_rate = per_byte_us > 0 ? (uint64_t)(LIVETCP_USEC_SEC / per_byte_us) : 0;
        paths[i].group_loss = segments >= 1 ? fmin(lost / segments, 1) : 0;
    }
}

void lt_path_groups_update(lt_path_groups *groups, livetcp_path *paths, unsigned count,
                           livetcp_usec now)
{
    if (now - groups->described_us < DESCRIBE_US)
        return;
    groups->described_us = now;
    if (now - groups->grouped_us >= GROUP_US) {
        groups->grouped_us = now;
        decay(groups, count, now);
        for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
            estimate_serialization(groups, i, count, now);
        cluster(groups, paths, count, now);
    }
    for (unsigned i = 0; i < count; i++)
        if (groups->members[i].group == i)
            describe(groups, paths, count, i, now);
}

/* Estimates when the bottleneck is free. Bytes in flight spend the minimum round trip on the path;
 * the rest of their serialization time is queueing. They may also wait for the window instead of in
 * the network, so the queue is limited to their total serialization time. TCP's minimum round trip
 * covers minutes, while the group's floor of some seconds includes a queue of our own that stands
 * for longer. */
void lt_path_groups_update_free(lt_path_groups *groups, livetcp_path *paths, unsigned count,
                                unsigned slot, livetcp_usec now)
{
    uint8_t link = groups->link_of[slot];
    lt_bottleneck *bottleneck = &groups->bottleneck[link];
    livetcp_usec rtt_us = LIVETCP_NEVER, all;
    size_t in_flight = 0;

    for (unsigned i = 0; i < count; i++) {
        if (groups->link_of[i] != link || !(paths[i].known & LIVETCP_PATH_GROUP))
            continue;
        rtt_us = lt_usec_min(rtt_us, paths[i].group_rtt_us);
        if (paths[i].known & LIVETCP_PATH_MIN_RTT && paths[i].min_rtt_us > 0)
            rtt_us = lt_usec_min(rtt_us, paths[i].min_rtt_us);
        if (lt_path_in_network(&paths[i]))
            in_flight += (size_t)lt_path_in_network(&paths[i]) + LT_TCP_HEADERS;
    }
    if (rtt_us == LIVETCP_NEVER)
        return;
    all = serialization_time(groups, slot, in_flight);
    bottleneck->free_us =
        lt_usec_min(lt_usec_max(bottleneck->free_us, now + all - rtt_us), now + all);
    for (unsigned i = 0; i < count; i++) {
        if (groups->link_of[i] != link || !(paths[i].known & LIVETCP_PATH_GROUP))
            continue;
        paths[i].known |= LIVETCP_PATH_LINK_FREE;
        paths[i].link_free_us = bottleneck->free_us;
    }
}
