/* SPDX-License-Identifier: MIT */
#include "engine/sender/sender.h"

#include "base/error.h"
#include "base/sized.h"
#include "engine/links/path_info.h"
#include "engine/sender/budget.h"
#include "engine/sender/later_copies.h"
#include "engine/sender/live_queue.h"
#include "engine/sender/outbox.h"
#include "engine/sender/policy_run.h"
#include "engine/sender/repeats.h"
#include "policy/builtin.h"
#include "rtp/importance/importance.h"
#include "rtp/rtp.h"

#include <math.h>
#include <stdlib.h>

/* Time after which a policy that answered "wait" is asked again, unless something else happens
 * before; while a send buffer is full, a part of the round trip, but not below the minimum. */
#define RETRY_US     5000
#define RETRY_MIN_US 1000

/* A copy that no connection took so long after it was due comes too late to help. */
#define LATER_MIN_US 5000

/* A segment over Ethernet and IPv4, where the platform does not report it. */
#define TYPICAL_MSS 1448

struct lt_sender {
    livetcp_config config;
    lt_policy_run policy;
    double cost; /* bytes that the policy always sends beyond each byte of media */
    lt_events *events;

    lt_live_queue queue;
    lt_importance_state importance; /* of packets with a parsed payload */
    lt_repeats repeats;
    lt_budget budget;                   /* of copies and parity, */
    lt_budget spent[LIVETCP_MAX_LINKS]; /*   and of these on each link */
    lt_later_copies later;
    livetcp_usec spacing_us; /* of copies, */
    double joint_loss;       /*   and how likely both of two are lost */
    livetcp_usec retry_us;   /* when to ask the policy again; LIVETCP_NEVER = not */
    bool backlogged;         /* packets had to wait since the last drained() */
    bool ended;              /* packets taken back are dropped */

    lt_link_limit limits[LIVETCP_MAX_LINKS];
    unsigned links; /* that were limited ever, from 0 */

    livetcp_policy_view view; /* what the policy was shown last in this round, */
    bool view_holds;          /*   and nothing has changed since */

    lt_outbox outboxes[LIVETCP_MAX_CONNECTIONS];
    unsigned next_to_write; /* slot to look at first, so that none starves */

    struct {
        uint64_t packets, bytes;
    } slots[LIVETCP_MAX_CONNECTIONS], sent;
    uint64_t accepted_packets, accepted_bytes, refused, resent, lost;
    uint64_t copies, extra_bytes, policy_errors;
    livetcp_usec max_queue_delay_us;
};

/* ---- made and freed ---- */

static double policy_cost(const livetcp_policy *policy, const livetcp_config *config)
{
    return policy->cost ? policy->cost(config) : 0;
}

lt_sender *lt_sender_create(const livetcp_config *config, const livetcp_policy *policy,
                            lt_events *events)
{
    lt_sender *sender = calloc(1, sizeof *sender);

    if (!sender)
        return NULL;
    sender->config = *config;
    sender->cost = policy_cost(policy, config);
    sender->events = events;
    sender->retry_us = LIVETCP_NEVER;
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        sender->limits[i] =
            (lt_link_limit){.window = UINT64_MAX, .room = true, .headroom = HUGE_VAL};
    lt_budget_init(&sender->budget, 0); /* the ratio follows the stream's rate */
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        lt_budget_init(&sender->spent[i], 0);
    bool has_policy = lt_policy_run_init(&sender->policy, policy, &sender->config);
    if (!lt_live_queue_init(&sender->queue, config, sender->cost, events) || !has_policy)
        lt_sender_destroy(&sender);
    return sender;
}

void lt_sender_destroy(lt_sender **owner)
{
    lt_sender *sender = *owner;

    if (!sender)
        return;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_packet *unsent = lt_outbox_clear(&sender->outboxes[i]);
        lt_packet_unref(&unsent);
    }
    lt_later_copies_clear(&sender->later);
    lt_live_queue_clear(&sender->queue);
    lt_policy_run_clear(&sender->policy);
    free(sender);
    *owner = NULL;
}

livetcp_result lt_sender_configure(lt_sender *sender, const livetcp_config *config,
                                   const livetcp_policy *policy)
{
    livetcp_config before = sender->config;

    sender->config = *config;
    if (policy != sender->policy.policy) {
        lt_policy_run run;
        if (!lt_policy_run_init(&run, policy, &sender->config)) {
            sender->config = before;
            return LIVETCP_ERR_NO_MEMORY;
        }
        lt_policy_run_clear(&sender->policy);
        sender->policy = run;
        sender->retry_us = LIVETCP_NEVER; /* the next round asks it */
    }
    sender->cost = policy_cost(policy, config);
    lt_live_queue_configure(&sender->queue, config, sender->cost);
    return LIVETCP_OK;
}

/* ---- into the send queue ---- */

static livetcp_result refuse(lt_sender *sender, livetcp_result reason)
{
    sender->refused++;
    return reason;
}

static uint8_t repeated(const livetcp_packet_info *info)
{
    if (!LT_INFO_HAS(info, repeats))
        return 0;
    return (uint8_t)(info->repeats < LT_REPEATS_MAX ? info->repeats : LT_REPEATS_MAX);
}

static lt_packet *make_packet(lt_sender *sender, const uint8_t *data, size_t size, lt_rtp_kind kind,
                              const lt_rtp_header *header, const livetcp_packet_info *info,
                              livetcp_usec now)
{
    lt_packet *packet = lt_packet_create(data, size);

    if (!packet)
        return NULL;
    packet->rtcp = kind == LT_RTP_CONTROL;
    packet->ssrc = header->ssrc;
    packet->timestamp = header->timestamp;
    packet->sequence = header->sequence;
    packet->payload_type = header->payload_type;
    packet->marker = header->marker;
    packet->header_size = header->header_size;
    packet->importance = lt_importance_next(&sender->importance, info, data, size);
    packet->repeats = packet->rtcp ? 0 : repeated(info);
    packet->enqueued_us = now;
    packet->review_us = LIVETCP_NEVER;
    return packet;
}

static livetcp_result check_packet(const lt_sender *sender, const uint8_t *data, size_t size,
                                   const livetcp_packet_info *info)
{
    if (!data)
        return lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT, "the packet of %zu bytes is NULL", size);
    if (size > sender->config.max_packet)
        return lt_fail(NULL, LIVETCP_ERR_PACKET_TOO_LARGE,
                       "the packet of %zu bytes is larger than max-packet=%zu", size,
                       sender->config.max_packet);
    return info ? LT_CHECK_SIZED(info, livetcp_packet_info, NULL) : LIVETCP_OK;
}

livetcp_result lt_sender_accept(lt_sender *sender, const uint8_t *data, size_t size,
                                const livetcp_packet_info *info, livetcp_usec now, bool *rtcp)
{
    lt_rtp_header header = {.ssrc = 0};
    lt_rtp_kind kind;
    lt_packet *packet;
    livetcp_result result;

    result = check_packet(sender, data, size, info);
    if (result != LIVETCP_OK)
        return refuse(sender, result);
    kind = lt_rtp_read(data, size, &header);
    if (kind == LT_RTP_INVALID)
        return refuse(sender, lt_fail(NULL, LIVETCP_ERR_NOT_RTP,
                                      "the %zu bytes are neither an RTP nor an RTCP packet", size));
    if (kind == LT_RTP_CONTROL && lt_control_is(data, size))
        return refuse(sender, lt_fail(NULL, LIVETCP_ERR_NOT_RTP,
                                      "RTCP APP packets with the name LTCP are LiveTCP's own: an "
                                      "application cannot send them"));
    packet = make_packet(sender, data, size, kind, &header, info, now);
    if (!packet)
        return LIVETCP_ERR_NO_MEMORY;
    result = lt_live_queue_push(&sender->queue, packet);
    if (result != LIVETCP_OK) {
        lt_packet_unref(&packet);
        return result;
    }
    sender->accepted_packets++;
    sender->accepted_bytes += size;
    lt_budget_media(&sender->budget, size, now);
    for (unsigned i = 0; i < sender->links; i++)
        lt_budget_media(&sender->spent[i], size, now);
    *rtcp = kind == LT_RTP_CONTROL;
    return LIVETCP_OK;
}

/* Takes over the reference; false: it is lost for good. */
static bool put_back(lt_sender *sender, lt_packet *packet)
{
    if (!sender->ended) {
        sender->resent += packet->written;
        lt_later_copies_forget(&sender->later, packet);
        if (lt_live_queue_put_back(&sender->queue, packet))
            return true;
        lt_live_queue_lost(&sender->queue, packet);
    }
    sender->lost++;
    lt_packet_unref(&packet);
    return false;
}

void lt_sender_take_back(lt_sender *sender, lt_packet *packet, unsigned slot)
{
    if (!packet)
        return;
    packet->carried &= ~(UINT32_C(1) << slot);
    if (!packet->delivered && !packet->carried && !packet->parity)
        put_back(sender, packet);
    else
        lt_packet_unref(&packet);
}

bool lt_sender_send_again(lt_sender *sender, lt_packet *packet)
{
    packet->delivered = false;
    return put_back(sender, packet);
}

/* All links together carry the sum, if each of them is known to be limited. */
static uint64_t sum_of_rates(const lt_sender *sender)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < sender->links; i++) {
        if (!sender->limits[i].rate)
            return 0;
        sum += sender->limits[i].rate;
    }
    return sum;
}

void lt_sender_limit(lt_sender *sender, unsigned link, const lt_link_limit *limit)
{
    sender->limits[link] = *limit;
    if (link >= sender->links)
        sender->links = link + 1;
    sender->queue.carries = sum_of_rates(sender);
}

void lt_sender_space_copies(lt_sender *sender, livetcp_usec spacing_us, double joint_loss)
{
    sender->spacing_us = spacing_us;
    sender->joint_loss = joint_loss;
}

void lt_sender_flush_copies(lt_sender *sender)
{
    lt_later_copies_hurry(&sender->later);
}

void lt_sender_clear(lt_sender *sender, bool ended)
{
    lt_later_copies_drop_all(&sender->later);
    lt_send_queue_clear(sender->queue.packets);
    sender->ended = sender->ended || ended;
}

void lt_sender_begin_round(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    sender->retry_us = LIVETCP_NEVER;
    sender->view_holds = false;
    lt_live_queue_drop_late(&sender->queue, links, now);
}

/* ---- the view of a policy ---- */

/* MIN_BUF(A,B): Goel et al., section 2.2, in bytes, with the SACK correction. With a delay to keep
 * to (their section 6), the unsent part is the bytes that the window sends in that time. UINT32_MAX
 * = no limit, or too little is known. */
static uint32_t send_limit(const livetcp_config *config, const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_MSS | LIVETCP_PATH_QUEUED;
    uint64_t cwnd = path->cwnd_bytes, limit;
    uint64_t beyond = (uint64_t)config->send_buffer_segments * path->mss_bytes;

    if (!config->send_buffer_windows || (path->known & needed) != needed)
        return UINT32_MAX;
    limit = config->send_buffer_windows * cwnd + (beyond < cwnd ? beyond : cwnd);
    if (config->send_buffer_delay_us && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0)
        limit = cwnd + cwnd * (uint64_t)config->send_buffer_delay_us / (uint64_t)path->rtt_us;
    if (path->known & LIVETCP_PATH_SACKED)
        limit += path->sacked_bytes;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* Bytes on each link that the peer does not have: the kernel's, and those in outboxes. */
static void count_in_flight(const lt_sender *sender, const lt_links *links,
                            uint64_t bytes[LIVETCP_MAX_LINKS])
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);

    for (unsigned i = 0; i < count; i++) {
        const livetcp_path *path = &paths[i];
        if (path->usable && path->tcp_state != LIVETCP_TCP_TIMEOUT)
            bytes[path->link] += lt_path_undelivered(path);
        if (sender->outboxes[i].packet)
            bytes[path->link] += lt_packet_size(sender->outboxes[i].packet);
    }
}

/* Bit i: the window of link i has space. */
static uint32_t open_links(const lt_sender *sender, const lt_links *links)
{
    uint64_t bytes[LIVETCP_MAX_LINKS] = {0};
    uint32_t open = 0;

    count_in_flight(sender, links, bytes);
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        uint64_t window = sender->limits[i].window;
        if (window == UINT64_MAX || bytes[i] < window)
            open |= UINT32_C(1) << i;
    }
    return open;
}

static void refresh_paths(lt_sender *sender, const lt_links *links)
{
    unsigned count = lt_links_count(links);
    livetcp_path *paths = lt_links_paths(links);
    uint32_t open = open_links(sender, links);

    for (unsigned i = 0; i < count; i++) {
        livetcp_path *path = &paths[i];
        path->send_limit_bytes = send_limit(&sender->config, path);
        path->link_room = sender->limits[path->link].room;
        path->ready =
            open >> path->link & 1 && !path->link_stalled && path->usable && !path->blocked &&
            !sender->outboxes[i].packet && !lt_links_is_early_full(links, i) &&
            (path->send_limit_bytes == UINT32_MAX || path->queued_bytes < path->send_limit_bytes);
    }
}

/* Bit i: slot i takes a packet, as far as the last refresh knows. */
static uint32_t ready_paths(const lt_links *links)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t ready = 0;

    for (unsigned i = 0; i < count; i++)
        ready |= paths[i].ready ? UINT32_C(1) << i : 0;
    return ready;
}

/* Bytes that copies and parity may still take on a path. */
static size_t extra_on(lt_sender *sender, const livetcp_path *path, livetcp_usec now)
{
    const lt_link_limit *limit = &sender->limits[path->link];
    lt_budget *spent = &sender->spent[path->link];
    size_t left = lt_budget_left(&sender->budget, now), carried;

    if (!limit->room)
        return 0;
    if (!(sender->policy.policy->wants & LIVETCP_WANTS_HEADROOM) || limit->headroom == HUGE_VAL)
        return left;
    spent->ratio = limit->headroom;
    carried = lt_budget_left(spent, now);
    return left < carried ? left : carried;
}

/* The same on the link that has most room for them. */
static size_t extra_left(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t seen = 0;
    size_t most = 0;

    for (unsigned i = 0; i < count; i++) {
        if (seen >> paths[i].link & 1 || !(paths[i].usable || count == 1))
            continue;
        seen |= UINT32_C(1) << paths[i].link;
        size_t left = extra_on(sender, &paths[i], now);
        most = left > most ? left : most;
    }
    return most;
}

static livetcp_policy_view make_view(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    uint64_t rate = lt_budget_media_rate(&sender->budget, now);

    refresh_paths(sender, links);
    sender->budget.ratio = lt_budget_ratio(sender->config.redundancy_budget, sender->cost, rate);
    return (livetcp_policy_view){.now_us = now,
                                 .paths = lt_links_paths(links),
                                 .path_size = sizeof(livetcp_path),
                                 .joint_loss = sender->joint_loss,
                                 .path_count = lt_links_count(links),
                                 .queue_packets = lt_send_queue_packets(sender->queue.packets),
                                 .queue_bytes = lt_send_queue_bytes(sender->queue.packets),
                                 .budget_bytes = extra_left(sender, links, now),
                                 .budget_ratio = sender->budget.ratio,
                                 .media_rate = rate};
}

/* Path information, time and the send queue change between rounds only, and within one what is
 * placed: most packets that are reviewed together need nothing, and see the same. */
static const livetcp_policy_view *view_of(lt_sender *sender, const lt_links *links,
                                          livetcp_usec now)
{
    if (!sender->view_holds)
        sender->view = make_view(sender, links, now);
    sender->view_holds = true;
    return &sender->view;
}

static livetcp_packet_view describe(const lt_packet *packet)
{
    return (livetcp_packet_view){.size = lt_packet_size(packet),
                                 .enqueued_us = packet->enqueued_us,
                                 .ssrc = packet->ssrc,
                                 .sequence = packet->sequence,
                                 .rtcp = packet->rtcp,
                                 .parity = packet->parity,
                                 .importance = packet->importance,
                                 .carried_by = packet->carried,
                                 .avoid = packet->avoid,
                                 .copies = packet->copies,
                                 .first_sent_us = packet->first_sent_us,
                                 .last_sent_us = packet->last_sent_us};
}

/* ---- placing ---- */

/* Of the slots that a policy chose, those that can take a packet. A policy of the application's
 * must not be able to break a connection: one that names a slot which is not there is counted and
 * reported, and the packet goes the way of `single`. */
static uint32_t validate(lt_sender *sender, const lt_links *links, uint32_t chosen)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t usable = 0, ready = ready_paths(links);

    for (unsigned i = 0; i < count; i++)
        usable |= paths[i].usable ? UINT32_C(1) << i : 0;
    if (!(chosen & ~usable))
        return chosen & ready;
    if (!sender->policy_errors++)
        lt_events_add(sender->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                              .reason = LIVETCP_ERR_BAD_DECISION});
    return usable & -usable & ready;
}

static void put(lt_sender *sender, const lt_links *links, lt_packet *packet, unsigned slot,
                livetcp_usec now)
{
    sender->view_holds = false;
    lt_outbox_set_packet(&sender->outboxes[slot], lt_packet_ref(packet), sender->config.split);
    lt_links_paths(links)[slot].ready = false;
    packet->carried |= UINT32_C(1) << slot;
    packet->last_sent_us = now;
    if (packet->copies == 0) {
        packet->first_sent_us = now;
        packet->first_connection = (uint8_t)slot;
    }
    if (packet->copies < UINT8_MAX)
        packet->copies++;
}

/* False if what is left does not go so far. */
static bool pay(lt_sender *sender, size_t left, const lt_packet *packet, livetcp_usec now)
{
    if (left < lt_packet_size(packet))
        return false;
    sender->view_holds = false;
    lt_budget_extra(&sender->budget, lt_packet_size(packet), now);
    return true;
}

static void count_extra(lt_sender *sender, const lt_packet *packet, const livetcp_path *path,
                        livetcp_usec now)
{
    lt_budget_extra(&sender->spent[path->link], lt_packet_size(packet), now);
    sender->extra_bytes += lt_packet_size(packet);
    if (!packet->parity)
        sender->copies++;
}

/* Puts copies into the outboxes of these slots, the first free of charge if `first` is set and the
 * others as far as the budget goes. Returns the number of copies. */
static unsigned put_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                           uint32_t slots, bool first, livetcp_usec now)
{
    unsigned count = lt_links_count(links);
    unsigned done = 0;

    for (unsigned i = 0; i < count; i++) {
        if (!(slots & (UINT32_C(1) << i)))
            continue;
        bool free_of_charge = first && done == 0 && !packet->parity;
        if (!free_of_charge) {
            const livetcp_path *path = &lt_links_paths(links)[i];
            if (!pay(sender, extra_on(sender, path, now), packet, now))
                continue;
            count_extra(sender, packet, path, now);
        }
        put(sender, links, packet, i, now);
        done++;
    }
    return done;
}

/* ---- copies spread in time ---- */

static livetcp_usec forecast_at(const lt_links *links, unsigned slot, size_t size, livetcp_usec now)
{
    return livetcp_path_forecast(&lt_links_paths(links)[slot], size, now);
}

/* Of these slots the one with the earliest forecast, as a bit; of equal ones the one that was not
 * written to for longest. 0 if there is none. */
static uint32_t earliest_of(const lt_links *links, uint32_t slots, size_t size, livetcp_usec now)
{
    const livetcp_path *paths = lt_links_paths(links);
    livetcp_usec best = LIVETCP_NEVER, idle = LIVETCP_NEVER;
    uint32_t earliest = 0;

    for (unsigned i = 0; slots >> i && i < lt_links_count(links); i++) {
        livetcp_usec forecast = forecast_at(links, i, size, now);
        if (!(slots >> i & 1) || forecast > best ||
            (forecast == best && paths[i].last_write_us >= idle))
            continue;
        best = forecast;
        idle = paths[i].last_write_us;
        earliest = UINT32_C(1) << i;
    }
    return earliest;
}

/* Nothing that may be lost, and that a packet would wait behind, is under way there, or no more
 * than on the other one, which is as good as any. */
static bool as_free(const lt_links *links, uint32_t slot, uint32_t other)
{
    const livetcp_path *path = &lt_links_paths(links)[__builtin_ctz(slot)];

    return path->tcp_state < LIVETCP_TCP_RECOVERY &&
           path->queued_bytes <= lt_links_paths(links)[__builtin_ctz(other)].queued_bytes;
}

/* Where a copy that is due goes: one of the connections that the policy chose when it placed the
 * packet, unless others have become better in the meantime. */
static uint32_t pick_for_later(lt_sender *sender, const lt_links *links, const lt_later_copy *later,
                               livetcp_usec now)
{
    const livetcp_policy_view *view = view_of(sender, links, now);
    livetcp_packet_view about = describe(later->packet);
    uint32_t chosen = later->slots & ready_paths(links) & ~later->packet->carried;
    uint32_t any = lt_pick_earliest(view, &about, 1);

    chosen = earliest_of(links, chosen, about.size, now);
    return chosen && any && as_free(links, chosen, any) ? chosen : any;
}

/* Further copies follow one by one. They are paid now, so that a second's media and its copies are
 * in balance. Returns how many will follow. */
static unsigned put_off_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                               uint32_t slots, livetcp_usec now)
{
    livetcp_usec wait = sender->spacing_us > LATER_MIN_US ? sender->spacing_us : LATER_MIN_US;
    lt_later_copy copy = {.packet = packet, .slots = slots, .due_us = now};
    unsigned done = 0;

    for (uint32_t left = slots; left; left &= left - 1) {
        copy.due_us += sender->spacing_us;
        copy.pointless_us = copy.due_us + wait;
        if (!pay(sender, extra_left(sender, links, now), packet, now) ||
            !lt_later_copies_add(&sender->later, &copy))
            break;
        done++;
    }
    return done;
}

/* Puts copies into the outboxes of these slots: all of them now, or one and the others later. */
static unsigned spread_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                              uint32_t slots, bool first, livetcp_usec now)
{
    bool several = slots & (slots - 1);
    uint32_t soonest;
    unsigned done;

    if (!sender->spacing_us || !several)
        return put_copies(sender, links, packet, slots, first, now);
    soonest = earliest_of(links, slots, lt_packet_size(packet), now);
    done = put_copies(sender, links, packet, soonest, first, now);
    return done ? done + put_off_copies(sender, links, packet, slots & ~soonest, now) : 0;
}

static livetcp_usec retry_after(const lt_links *links)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    livetcp_usec wait = RETRY_US;

    for (unsigned i = 0; i < count; i++) {
        const livetcp_path *path = &paths[i];
        bool full = path->usable && !path->blocked && !path->ready;
        if (full && path->known & LIVETCP_PATH_RTT && path->rtt_us / 32 < wait)
            wait = path->rtt_us / 32;
    }
    return wait > RETRY_MIN_US ? wait : RETRY_MIN_US;
}

static void wait_until_writable(lt_sender *sender, const lt_links *links, livetcp_usec asked,
                                livetcp_usec now)
{
    livetcp_usec retry = now + retry_after(links);

    sender->backlogged = true;
    if (asked > now && asked < retry)
        retry = asked < now + RETRY_MIN_US ? now + RETRY_MIN_US : asked;
    sender->retry_us = retry;
}

static uint32_t ask_policy(lt_sender *sender, const lt_links *links,
                           const livetcp_policy_view *view, const lt_packet *packet,
                           livetcp_decision *decision)
{
    livetcp_packet_view about = describe(packet);

    lt_policy_run_place(&sender->policy, view, &about, decision);
    uint32_t chosen = validate(sender, links, decision->connections);
    /* Receivers cannot detect copies of RTCP, and copies of parity are useless. */
    return packet->rtcp || packet->parity ? chosen & -chosen : chosen;
}

/* Makes the slots that carry frames which the packet repeats look full to the policy, if another
 * could take it. False if there was nothing to do. */
static bool hide_repeated(lt_sender *sender, const lt_links *links, const lt_packet *packet)
{
    unsigned count = lt_links_count(links);
    uint32_t ready = ready_paths(links), carriers;
    livetcp_path *paths = lt_links_paths(links);

    if (!packet->repeats)
        return false;
    carriers = lt_repeats_carriers(&sender->repeats, packet);
    if (!(ready & carriers) || !(ready & ~carriers))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (carriers & UINT32_C(1) << i)
            paths[i].ready = false;
    return true;
}

static uint32_t ask_where(lt_sender *sender, const lt_links *links, const lt_packet *packet,
                          livetcp_decision *decision, livetcp_usec now)
{
    const livetcp_policy_view *view = view_of(sender, links, now);
    bool hidden = hide_repeated(sender, links, packet);
    uint32_t chosen = ask_policy(sender, links, view, packet, decision);

    if (hidden)
        refresh_paths(sender, links);
    if (hidden && !chosen) /* rather behind the frames it repeats than later */
        chosen = ask_policy(sender, links, view, packet, decision);
    return chosen;
}

lt_parity_placed lt_sender_place_parity(lt_sender *sender, const lt_links *links, lt_packet *parity,
                                        uint32_t known, livetcp_usec now)
{
    livetcp_decision decision;
    uint32_t chosen = ask_where(sender, links, parity, &decision, now);

    if (chosen & ~known)
        return LT_PARITY_DROPPED;
    if (!chosen) {
        wait_until_writable(sender, links, decision.review_us, now);
        return LT_PARITY_WAITS;
    }
    return put_copies(sender, links, parity, chosen, false, now) > 0 ? LT_PARITY_PLACED
                                                                     : LT_PARITY_DROPPED;
}

bool lt_sender_place(lt_sender *sender, const lt_links *links, livetcp_usec now, lt_placed *placed)
{
    lt_packet *packet = lt_send_queue_front(sender->queue.packets);
    livetcp_decision decision;

    if (!packet)
        return false;
    uint32_t chosen = ask_where(sender, links, packet, &decision, now);
    if (!chosen) {
        wait_until_writable(sender, links, decision.review_us, now);
        return false;
    }
    livetcp_usec waited = now - packet->enqueued_us;
    if (waited > sender->max_queue_delay_us)
        sender->max_queue_delay_us = waited;
    bool reviewed = sender->policy.policy->review && !packet->rtcp;
    packet->review_us = reviewed ? decision.review_us : LIVETCP_NEVER;
    *placed = (lt_placed){.packet = packet,
                          .copies = spread_copies(sender, links, packet, chosen, true, now),
                          .protect = decision.protect};
    lt_repeats_placed(&sender->repeats, packet, chosen);
    lt_send_queue_pop(sender->queue.packets);
    return true;
}

/* A copy that can go nowhere now is tried again, as long as it makes sense. */
bool lt_sender_place_later_copy(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    const lt_later_copy *due;

    while ((due = lt_later_copies_first(&sender->later, now))) {
        uint32_t slot = pick_for_later(sender, links, due, now);
        lt_packet *packet = due->packet;
        if (!slot) {
            lt_later_copies_postpone(&sender->later, now + retry_after(links));
            return false;
        }
        const livetcp_path *path = &lt_links_paths(links)[__builtin_ctz(slot)];
        if (!sender->limits[path->link].room) {
            lt_later_copies_drop(&sender->later);
            continue;
        }
        put(sender, links, packet, path->connection, now);
        count_extra(sender, packet, path, now);
        lt_later_copies_pop(&sender->later);
        return true;
    }
    return false;
}

/* In the send queue it would be dropped by now: a copy comes too late, too. */
static bool is_past(const lt_sender *sender, const lt_links *links, const lt_packet *packet,
                    livetcp_usec now)
{
    livetcp_usec limit = lt_live_queue_limit(&sender->queue, links);

    return limit && now - packet->enqueued_us > limit;
}

bool lt_sender_review(lt_sender *sender, const lt_links *links, lt_packet *packet, livetcp_usec now)
{
    livetcp_decision decision;
    const livetcp_policy_view *view = view_of(sender, links, now);
    livetcp_packet_view about = describe(packet);
    livetcp_usec soonest = now + RETRY_MIN_US;

    lt_policy_run_review(&sender->policy, view, &about, &decision);
    packet->review_us = decision.review_us > soonest ? decision.review_us : soonest;
    if (!decision.connections || is_past(sender, links, packet, now))
        return false;
    uint32_t chosen = validate(sender, links, decision.connections);
    return spread_copies(sender, links, packet, chosen & ~packet->carried, false, now) > 0;
}

/* ---- outboxes ---- */

bool lt_sender_next_write(lt_sender *sender, const lt_links *links, livetcp_engine_write *write,
                          const lt_packet **finishing)
{
    unsigned count = lt_links_count(links);

    for (unsigned i = 0; i < count; i++) {
        unsigned slot = (sender->next_to_write + i) % count;
        const lt_outbox *outbox = &sender->outboxes[slot];
        if (!lt_outbox_next(outbox, &write->data, &write->size) || !lt_links_can_write(links, slot))
            continue;
        sender->next_to_write = slot;
        write->connection = slot;
        *finishing = lt_outbox_finishing(outbox);
        return true;
    }
    return false;
}

lt_packet *lt_sender_wrote(lt_sender *sender, unsigned slot, size_t size, bool *first)
{
    lt_packet *complete = lt_outbox_advance(&sender->outboxes[slot], size);

    sender->slots[slot].bytes += size;
    sender->sent.bytes += size;
    *first = false;
    if (!complete)
        return NULL;
    *first = !complete->written && !complete->parity;
    complete->written = true;
    sender->slots[slot].packets++;
    sender->sent.packets += *first;
    return complete;
}

bool lt_sender_add_control(lt_sender *sender, unsigned slot, const uint8_t *frame, size_t size)
{
    return lt_outbox_add_control(&sender->outboxes[slot], frame, size);
}

lt_packet *lt_sender_empty_outbox(lt_sender *sender, unsigned slot)
{
    return lt_outbox_clear(&sender->outboxes[slot]);
}

bool lt_sender_idle(const lt_sender *sender, unsigned slot)
{
    return lt_outbox_idle(&sender->outboxes[slot]);
}

bool lt_sender_at_boundary(const lt_sender *sender, unsigned slot)
{
    return lt_outbox_at_boundary(&sender->outboxes[slot]);
}

/* ---- the kernel's send buffers ---- */

/* The part of the send limit beyond a window in flight waits in the kernel. Without path
 * information there is no send limit, and B alone has to do. */
uint32_t lt_sender_unsent_limit(const lt_sender *sender, const livetcp_path *path)
{
    uint32_t most = send_limit(&sender->config, path);
    uint64_t in_flight = path->cwnd_bytes;
    uint64_t limit = (uint64_t)sender->config.send_buffer_segments * TYPICAL_MSS;

    if (!sender->config.send_buffer_windows)
        return UINT32_MAX;
    if (path->known & LIVETCP_PATH_SACKED)
        in_flight += path->sacked_bytes;
    if (most != UINT32_MAX)
        limit = most > in_flight ? most - in_flight : 0;
    if (limit < 1)
        return 1;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* Where less is unsent than that, the window itself is full, as in recovery: the kernel's next
 * sends free no space, and the retry has to do. */
static bool waits_to_be_sent(const lt_sender *sender, const livetcp_path *path)
{
    return path->usable && !path->blocked && path->queued_bytes >= path->send_limit_bytes &&
           (path->known & LIVETCP_PATH_UNSENT) &&
           path->unsent_bytes >= lt_sender_unsent_limit(sender, path);
}

uint32_t lt_sender_wants_writable(const lt_sender *sender, const lt_links *links)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t wanted = 0;

    if (sender->retry_us == LIVETCP_NEVER)
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (waits_to_be_sent(sender, &paths[i]))
            wanted |= UINT32_C(1) << i;
    return wanted;
}

bool lt_sender_uses_path_info(const lt_sender *sender)
{
    return sender->policy.policy->wants & LIVETCP_WANTS_PATHS ||
           sender->config.send_buffer_windows > 0 || sender->config.max_send_delay_us > 0;
}

/* ---- time ---- */

livetcp_usec lt_sender_deadline(const lt_sender *sender)
{
    livetcp_usec due = lt_later_copies_deadline(&sender->later);

    if (sender->retry_us < due)
        due = sender->retry_us;
    return sender->queue.check_us < due ? sender->queue.check_us : due;
}

void lt_sender_expire(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    if (now >= sender->retry_us)
        sender->retry_us = LIVETCP_NEVER; /* the next round asks again */
    if (now >= sender->queue.check_us)
        lt_live_queue_drop_late(&sender->queue, links, now);
}

/* ---- questions and statistics ---- */

bool lt_sender_drained(lt_sender *sender)
{
    bool drained = sender->backlogged && !lt_send_queue_packets(sender->queue.packets);

    if (drained)
        sender->backlogged = false;
    return drained;
}

size_t lt_sender_queued(const lt_sender *sender)
{
    return lt_send_queue_packets(sender->queue.packets);
}

size_t lt_sender_later_copies(const lt_sender *sender)
{
    return sender->later.count;
}

bool lt_sender_copy_due(const lt_sender *sender, livetcp_usec now)
{
    return lt_later_copies_deadline(&sender->later) <= now;
}

livetcp_usec lt_sender_queue_delay(const lt_sender *sender, livetcp_usec now)
{
    livetcp_usec since = lt_send_queue_oldest_us(sender->queue.packets);

    return since == LIVETCP_NEVER ? 0 : now - since;
}

uint64_t lt_sender_media_rate(lt_sender *sender, livetcp_usec now)
{
    return lt_budget_media_rate(&sender->budget, now);
}

void lt_sender_gather(const lt_sender *sender, const lt_links *links, livetcp_usec now,
                      livetcp_session_stats *stats)
{
    stats->sent.accepted = sender->accepted_packets;
    stats->sent.accepted_bytes = sender->accepted_bytes;
    stats->sent.refused = sender->refused;
    stats->sent.packets = sender->sent.packets;
    stats->sent.bytes = sender->sent.bytes;
    stats->dropped.connection = sender->lost;
    stats->sent.resent = sender->resent;
    stats->sent.copies = sender->copies;
    stats->sent.extra_bytes = sender->extra_bytes;
    stats->sent.policy_errors = sender->policy_errors;
    stats->sent.max_queue_delay_us = sender->max_queue_delay_us;
    stats->losses.copies_dropped = sender->later.dropped;
    lt_live_queue_gather(&sender->queue, links, now, stats);
}

void lt_sender_gather_slot(const lt_sender *sender, unsigned slot, livetcp_connection_stats *stats)
{
    stats->packets_sent = sender->slots[slot].packets;
    stats->bytes_sent = sender->slots[slot].bytes;
}
