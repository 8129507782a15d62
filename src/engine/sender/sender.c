/* SPDX-License-Identifier: MIT */
#include "engine/sender/sender_private.h"

#include "base/usec.h"

#include <math.h>
#include <stdlib.h>

/* ---- creation and settings ---- */

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
            (lt_link_limit){.window = UINT64_MAX, .extra_allowed = true, .headroom = HUGE_VAL};
    for (unsigned i = 0; i < LT_PAID_KINDS; i++)
        lt_budget_init(&sender->budgets[i], 0); /* the ratio follows the streams' rate */
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        lt_budget_init(&sender->link_budgets[i], 0);
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
    lt_delayed_copies_clear(&sender->delayed);
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
        sender->retry_us = LIVETCP_NEVER; /* ask the new policy in the next round */
    }
    sender->cost = policy_cost(policy, config);
    lt_live_queue_configure(&sender->queue, config, sender->cost);
    return LIVETCP_OK;
}

/* Bytes per second that all links carry together; 0 unless the rate of each is known. */
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
    sender->queue.rates.carries = sum_of_rates(sender);
}

void lt_sender_space_copies(lt_sender *sender, livetcp_usec spacing_us, livetcp_usec burst_us,
                            double joint_loss)
{
    sender->spacing_us = spacing_us;
    sender->burst_us = burst_us;
    sender->joint_loss = joint_loss;
}

void lt_sender_flush_copies(lt_sender *sender)
{
    lt_delayed_copies_make_due(&sender->delayed);
}

void lt_sender_clear(lt_sender *sender, bool ended)
{
    lt_delayed_copies_drop_all(&sender->delayed);
    lt_send_queue_clear(sender->queue.packets);
    sender->ended = sender->ended || ended;
}

/* Bytes per second of audio, where there is something behind it. */
static uint64_t audio_first(lt_sender *sender, livetcp_usec now)
{
    uint64_t audio = lt_budget_media_rate(&sender->budgets[LT_PAID_AUDIO], now);

    return lt_budget_media_rate(&sender->budgets[LT_PAID_REST], now) ? audio : 0;
}

void lt_sender_begin_round(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    sender->retry_us = LIVETCP_NEVER;
    lt_sender_forget_views(sender);
    sender->queue.rates.audio = audio_first(sender, now);
    lt_live_queue_drop_late(&sender->queue, links, now);
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

/* ---- time ---- */

livetcp_usec lt_sender_deadline(const lt_sender *sender)
{
    return lt_usec_min(lt_usec_min(sender->retry_us, sender->queue.check_us),
                       lt_delayed_copies_deadline(&sender->delayed));
}

void lt_sender_expire(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    if (now >= sender->retry_us)
        sender->retry_us = LIVETCP_NEVER; /* ask again in the next round */
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

size_t lt_sender_queued_bytes(const lt_sender *sender)
{
    return lt_send_queue_bytes(sender->queue.packets);
}

bool lt_sender_has_space(const lt_sender *sender, size_t packets, size_t bytes)
{
    const lt_send_queue *queue = sender->queue.packets;

    return lt_send_queue_packets(queue) + packets <= lt_send_queue_max_packets(queue) / 2 &&
           lt_send_queue_bytes(queue) + bytes <= lt_send_queue_max_bytes(queue) / 2;
}

size_t lt_sender_delayed_copies(const lt_sender *sender)
{
    return sender->delayed.count;
}

bool lt_sender_copy_due(const lt_sender *sender, livetcp_usec now)
{
    return lt_delayed_copies_deadline(&sender->delayed) <= now;
}

livetcp_usec lt_sender_queue_delay(const lt_sender *sender, livetcp_usec now)
{
    livetcp_usec since = lt_send_queue_oldest_us(sender->queue.packets);

    return since == LIVETCP_NEVER ? 0 : now - since;
}

uint64_t lt_sender_offered(const lt_sender *sender)
{
    return sender->offered;
}

uint64_t lt_sender_media_rate(lt_sender *sender, livetcp_usec now)
{
    return lt_budget_media_rate(&sender->budgets[LT_PAID_AUDIO], now) +
           lt_budget_media_rate(&sender->budgets[LT_PAID_REST], now);
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
    stats->losses.copies_dropped = sender->delayed.dropped;
    lt_live_queue_gather(&sender->queue, links, now, stats);
}

void lt_sender_gather_slot(const lt_sender *sender, unsigned slot, livetcp_connection_stats *stats)
{
    stats->packets_sent = sender->slots[slot].packets;
    stats->bytes_sent = sender->slots[slot].bytes;
}
