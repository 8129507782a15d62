/* SPDX-License-Identifier: MIT */
#include "engine/sender/sender.h"

#include "base/sized.h"
#include "engine/sender/budget.h"
#include "engine/sender/live_queue.h"
#include "engine/sender/outbox.h"
#include "engine/sender/repeats.h"
#include "rtp/importance/importance.h"
#include "rtp/rtp.h"

#include <stdlib.h>

/* How soon a policy that said "wait" is asked again, when nothing else happens before; sooner, a
 * part of the round trip but not below the minimum, when room in a send buffer is waited for. */
#define RETRY_US     5000
#define RETRY_MIN_US 1000

/* A segment over Ethernet and IPv4, where the platform does not tell. */
#define TYPICAL_MSS 1448

struct lt_sender {
    livetcp_config config;
    const livetcp_policy *policy;
    void *policy_state;
    double cost; /* bytes that the policy always sends beyond each byte of media */
    lt_events *events;

    lt_live_queue queue;
    lt_importance_state importance; /* of packets whose payload is looked at */
    lt_repeats repeats;
    lt_budget budget;      /* of copies and parity */
    livetcp_usec retry_us; /* when to ask the policy again; LIVETCP_NEVER = not */
    bool backlogged;       /* packets had to wait since the last drained() */
    bool ended;            /* nobody reads what comes back */

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

static void *create_state(const livetcp_policy *policy, const livetcp_config *config)
{
    void *state = calloc(1, policy->state_size ? policy->state_size : 1);

    if (state && policy->init)
        policy->init(state, config);
    return state;
}

lt_sender *lt_sender_create(const livetcp_config *config, const livetcp_policy *policy,
                            lt_events *events)
{
    lt_sender *sender = calloc(1, sizeof *sender);

    if (!sender)
        return NULL;
    sender->config = *config;
    sender->policy = policy;
    sender->cost = policy_cost(policy, config);
    sender->events = events;
    sender->retry_us = LIVETCP_NEVER;
    lt_budget_init(&sender->budget, 0); /* the ratio follows the stream's rate */
    sender->policy_state = create_state(policy, &sender->config);
    if (!lt_live_queue_init(&sender->queue, config, sender->cost, events) || !sender->policy_state)
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
    lt_live_queue_clear(&sender->queue);
    free(sender->policy_state);
    free(sender);
    *owner = NULL;
}

livetcp_result lt_sender_configure(lt_sender *sender, const livetcp_config *config,
                                   const livetcp_policy *policy)
{
    livetcp_config before = sender->config;

    sender->config = *config;
    if (policy != sender->policy) {
        void *state = create_state(policy, &sender->config);
        if (!state) {
            sender->config = before;
            return LIVETCP_ERR_NO_MEMORY;
        }
        free(sender->policy_state);
        sender->policy_state = state;
        sender->policy = policy;
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

livetcp_result lt_sender_accept(lt_sender *sender, const uint8_t *data, size_t size,
                                const livetcp_packet_info *info, livetcp_usec now, bool *rtcp)
{
    lt_rtp_header header = {.ssrc = 0};
    lt_rtp_kind kind;
    lt_packet *packet;
    livetcp_result result;

    if (info && !lt_sized_valid(info, 0))
        return refuse(sender, LIVETCP_ERR_INVALID_ARGUMENT);
    if (size > sender->config.max_packet)
        return refuse(sender, LIVETCP_ERR_PACKET_TOO_LARGE);
    kind = lt_rtp_read(data, size, &header);
    if (kind == LT_RTP_INVALID || (kind == LT_RTP_CONTROL && lt_control_is(data, size)))
        return refuse(sender, LIVETCP_ERR_NOT_RTP);
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
    *rtcp = kind == LT_RTP_CONTROL;
    return LIVETCP_OK;
}

void lt_sender_take_back(lt_sender *sender, lt_packet *packet, unsigned slot)
{
    if (!packet)
        return;
    packet->carried &= ~(UINT32_C(1) << slot);
    bool needed = !packet->delivered && !packet->carried && !packet->parity;
    if (needed && !sender->ended) {
        sender->resent += packet->written;
        if (lt_live_queue_put_back(&sender->queue, packet))
            return;
        lt_live_queue_lost(&sender->queue, packet);
    }
    sender->lost += needed;
    lt_packet_unref(&packet);
}

void lt_sender_clear(lt_sender *sender, bool ended)
{
    lt_send_queue_clear(sender->queue.packets);
    sender->ended = sender->ended || ended;
}

void lt_sender_begin_round(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    sender->retry_us = LIVETCP_NEVER;
    lt_live_queue_drop_late(&sender->queue, links, now);
}

/* ---- the view of a policy ---- */

/* MIN_BUF(A,B): Goel et al., section 2.2, in bytes, with the SACK correction. With a delay to keep
 * to (their section 6), the unsent part is what the window sends in that time. UINT32_MAX = no
 * limit, or too little is known. */
static uint32_t send_limit(const livetcp_config *config, const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_MSS | LIVETCP_PATH_QUEUED;
    uint64_t cwnd = path->cwnd_bytes, limit;
    uint64_t beyond = (uint64_t)config->min_buf_b * path->mss_bytes;

    if (!config->min_buf_a || (path->known & needed) != needed)
        return UINT32_MAX;
    limit = config->min_buf_a * cwnd + (beyond < cwnd ? beyond : cwnd);
    if (config->min_buf_delay_us && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0)
        limit = cwnd + cwnd * (uint64_t)config->min_buf_delay_us / (uint64_t)path->rtt_us;
    if (path->known & LIVETCP_PATH_SACKED)
        limit += path->sacked_bytes;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

static void refresh_paths(lt_sender *sender, const lt_links *links)
{
    unsigned count = lt_links_count(links);
    livetcp_path *paths = lt_links_paths(links);

    for (unsigned i = 0; i < count; i++) {
        livetcp_path *path = &paths[i];
        path->send_limit_bytes = send_limit(&sender->config, path);
        path->ready =
            path->usable && !path->blocked && !sender->outboxes[i].packet &&
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

static livetcp_policy_view make_view(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    uint64_t rate = lt_budget_media_rate(&sender->budget, now);

    refresh_paths(sender, links);
    sender->budget.ratio = lt_budget_ratio(sender->config.redundancy_budget, sender->cost, rate);
    return (livetcp_policy_view){.now_us = now,
                                 .paths = lt_links_paths(links),
                                 .path_size = sizeof(livetcp_path),
                                 .path_count = lt_links_count(links),
                                 .queue_packets = lt_send_queue_packets(sender->queue.packets),
                                 .queue_bytes = lt_send_queue_bytes(sender->queue.packets),
                                 .budget_bytes = lt_budget_left(&sender->budget, now),
                                 .budget_ratio = sender->budget.ratio,
                                 .media_rate = rate};
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

/* Puts copies into the outboxes of these slots, the first for nothing if `first` says so and the
 * others as far as the budget goes. Returns how many. */
static unsigned put_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                           uint32_t slots, bool first, livetcp_usec now)
{
    unsigned count = lt_links_count(links);
    size_t size = lt_packet_size(packet);
    unsigned done = 0;

    for (unsigned i = 0; i < count; i++) {
        if (!(slots & (UINT32_C(1) << i)))
            continue;
        bool free_of_charge = first && done == 0 && !packet->parity;
        if (!free_of_charge) {
            if (lt_budget_left(&sender->budget, now) < size)
                continue;
            lt_budget_extra(&sender->budget, size, now);
            sender->extra_bytes += size;
            if (!packet->parity)
                sender->copies++;
        }
        put(sender, links, packet, i, now);
        done++;
    }
    return done;
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

static void wait_for_room(lt_sender *sender, const lt_links *links, livetcp_usec asked,
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

    *decision = (livetcp_decision){.review_us = LIVETCP_NEVER};
    sender->policy->place(sender->policy_state, view, &about, decision);
    uint32_t chosen = validate(sender, links, decision->connections);
    /* Receivers cannot tell copies of RTCP, and copies of parity are not worth having. */
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
    livetcp_policy_view view = make_view(sender, links, now);
    bool hidden = hide_repeated(sender, links, packet);
    uint32_t chosen = ask_policy(sender, links, &view, packet, decision);

    if (hidden)
        refresh_paths(sender, links);
    if (hidden && !chosen) /* rather behind what it repeats than later */
        chosen = ask_policy(sender, links, &view, packet, decision);
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
        wait_for_room(sender, links, decision.review_us, now);
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
        wait_for_room(sender, links, decision.review_us, now);
        return false;
    }
    livetcp_usec waited = now - packet->enqueued_us;
    if (waited > sender->max_queue_delay_us)
        sender->max_queue_delay_us = waited;
    bool reviewed = sender->policy->review && !packet->rtcp;
    packet->review_us = reviewed ? decision.review_us : LIVETCP_NEVER;
    *placed = (lt_placed){.packet = packet,
                          .copies = put_copies(sender, links, packet, chosen, true, now),
                          .protect = decision.protect};
    lt_repeats_placed(&sender->repeats, packet, chosen);
    lt_send_queue_pop(sender->queue.packets);
    return true;
}

bool lt_sender_review(lt_sender *sender, const lt_links *links, lt_packet *packet, livetcp_usec now)
{
    livetcp_decision decision = {.review_us = LIVETCP_NEVER};
    livetcp_policy_view view = make_view(sender, links, now);
    livetcp_packet_view about = describe(packet);
    livetcp_usec soonest = now + RETRY_MIN_US;

    sender->policy->review(sender->policy_state, &view, &about, &decision);
    packet->review_us = decision.review_us > soonest ? decision.review_us : soonest;
    if (!decision.connections)
        return false;
    uint32_t chosen = validate(sender, links, decision.connections);
    return put_copies(sender, links, packet, chosen & ~packet->carried, false, now) > 0;
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

/* What the send limit leaves beyond a window in flight is the part that waits in the kernel.
 * Without path information there is no send limit, and B alone has to do. */
uint32_t lt_sender_unsent_limit(const lt_sender *sender, const livetcp_path *path)
{
    uint32_t most = send_limit(&sender->config, path);
    uint64_t in_flight = path->cwnd_bytes;
    uint64_t limit = (uint64_t)sender->config.min_buf_b * TYPICAL_MSS;

    if (!sender->config.min_buf_a)
        return UINT32_MAX;
    if (path->known & LIVETCP_PATH_SACKED)
        in_flight += path->sacked_bytes;
    if (most != UINT32_MAX)
        limit = most > in_flight ? most - in_flight : 0;
    if (limit < 1)
        return 1;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* Where less is unsent than that, the window itself is full, as in recovery: what the kernel sends
 * next makes no room, and the retry has to do. */
static bool waits_to_be_sent(const lt_sender *sender, const livetcp_path *path)
{
    return path->usable && !path->blocked && path->queued_bytes >= path->send_limit_bytes &&
           (path->known & LIVETCP_PATH_UNSENT) &&
           path->unsent_bytes >= lt_sender_unsent_limit(sender, path);
}

uint32_t lt_sender_wants_room(const lt_sender *sender, const lt_links *links)
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
    return sender->policy->wants & LIVETCP_WANTS_PATHS || sender->config.min_buf_a > 0 ||
           sender->config.max_send_delay_us > 0;
}

/* ---- time ---- */

livetcp_usec lt_sender_deadline(const lt_sender *sender)
{
    return sender->retry_us < sender->queue.check_us ? sender->retry_us : sender->queue.check_us;
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

livetcp_usec lt_sender_queue_delay(const lt_sender *sender, livetcp_usec now)
{
    const lt_packet *oldest = lt_send_queue_front(sender->queue.packets);

    return oldest ? now - oldest->enqueued_us : 0;
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
    lt_live_queue_gather(&sender->queue, links, now, stats);
}

void lt_sender_gather_slot(const lt_sender *sender, unsigned slot, livetcp_connection_stats *stats)
{
    stats->packets_sent = sender->slots[slot].packets;
    stats->bytes_sent = sender->slots[slot].bytes;
}
