/* SPDX-License-Identifier: MIT */
/* Copies of a packet on connections: paid from the budget, sent at once or spread in time. */
#include "engine/sender/sender_private.h"

#include "base/usec.h"
#include "policy/builtin.h"

/* A copy that no connection took this long after it was due is too late to help. The minimum
 * applies where the spacing of copies is shorter. */
#define DELAYED_MIN_US 5000

static void put(lt_sender *sender, const lt_links *links, lt_packet *packet, unsigned slot,
                livetcp_usec now)
{
    lt_sender_forget_views(sender);
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

/* Pays a copy from the `left` bytes of the budget; false if they do not suffice. */
static bool pay(lt_sender *sender, size_t left, const lt_packet *packet, livetcp_usec now)
{
    if (left < lt_packet_size(packet))
        return false;
    lt_sender_forget_views(sender);
    lt_budget_extra(&sender->budgets[lt_paid_kind_of(packet)], lt_packet_size(packet), now);
    return true;
}

static void count_extra(lt_sender *sender, const lt_packet *packet, const livetcp_path *path,
                        livetcp_usec now)
{
    lt_budget_extra(&sender->link_budgets[path->link], lt_packet_size(packet), now);
    sender->extra_bytes += lt_packet_size(packet);
    if (!packet->parity)
        sender->copies++;
}

unsigned lt_sender_put_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
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
            if (!pay(sender, lt_sender_extra_on(sender, path, lt_paid_kind_of(packet), now), packet,
                     now))
                continue;
            count_extra(sender, packet, path, now);
        }
        put(sender, links, packet, i, now);
        done++;
    }
    return done;
}

bool lt_sender_put_without_room(lt_sender *sender, const lt_links *links, lt_packet *packet,
                                unsigned slot, livetcp_usec now)
{
    size_t left = lt_budget_left(&sender->budgets[lt_paid_kind_of(packet)], now);

    if (!pay(sender, left, packet, now))
        return false;
    count_extra(sender, packet, &lt_links_paths(links)[slot], now);
    put(sender, links, packet, slot, now);
    return true;
}

/* ---- copies spread in time ---- */

static livetcp_usec forecast_at(const lt_links *links, unsigned slot, size_t size, livetcp_usec now)
{
    return livetcp_path_forecast(&lt_links_paths(links)[slot], size, now);
}

/* The slot with the earliest forecast, as a bit; among equal ones, the one that was written to
 * least recently. 0 if `slots` is empty. */
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

/* `slot` repairs no loss and has no more bytes in flight than `other`: a copy would not wait longer
 * behind a retransmission there. */
static bool is_as_free(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                       uint32_t slot, uint32_t other)
{
    const livetcp_path *path = livetcp_view_path(view, (unsigned)__builtin_ctz(slot));
    const livetcp_path *than = livetcp_view_path(view, (unsigned)__builtin_ctz(other));

    return path->tcp_state < LIVETCP_TCP_RECOVERY && path->queued_bytes <= than->queued_bytes &&
           lt_burst_wait(view, path, packet) <= lt_burst_wait(view, than, packet);
}

/* Schedules the further copies, one spacing after the other. They are paid now, so that a second's
 * copies are charged to the media of the same second. Returns the number scheduled. */
static unsigned schedule_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                                uint32_t slots, livetcp_usec now)
{
    livetcp_usec wait = lt_usec_max(sender->spacing_us, DELAYED_MIN_US);
    lt_delayed_copy copy = {.packet = packet, .slots = slots, .due_us = now};
    unsigned done = 0;

    for (uint32_t left = slots; left; left &= left - 1) {
        copy.due_us += sender->spacing_us;
        copy.expires_us = copy.due_us + wait;
        if (!pay(sender, lt_sender_extra_left(sender, links, lt_paid_kind_of(packet), now), packet,
                 now) ||
            !lt_delayed_copies_add(&sender->delayed, &copy))
            break;
        done++;
    }
    return done;
}

unsigned lt_sender_spread_copies(lt_sender *sender, const lt_links *links, lt_packet *packet,
                                 uint32_t slots, bool first, livetcp_usec now)
{
    bool several = slots & (slots - 1);
    uint32_t soonest;
    unsigned done;

    if (!sender->spacing_us || !several)
        return lt_sender_put_copies(sender, links, packet, slots, first, now);
    soonest = earliest_of(links, slots, lt_packet_size(packet), now);
    done = lt_sender_put_copies(sender, links, packet, soonest, first, now);
    return done ? done + schedule_copies(sender, links, packet, slots & ~soonest, now) : 0;
}

/* The slot for a copy that is due, as a bit; 0 = none takes it now. One of those that the policy
 * chose when it placed the packet, unless another has become better since. */
static uint32_t pick_slot(lt_sender *sender, const lt_links *links, const lt_delayed_copy *copy,
                          livetcp_usec now)
{
    const livetcp_policy_view *view =
        lt_sender_view(sender, links, lt_paid_kind_of(copy->packet), now);
    livetcp_packet_view about = lt_sender_describe(copy->packet);
    uint32_t chosen = copy->slots & lt_sender_ready_paths(links) & ~copy->packet->carried;
    uint32_t any = lt_pick_earliest(view, &about, 1);

    chosen = earliest_of(links, chosen, about.size, now);
    return chosen && any && is_as_free(view, &about, chosen, any) ? chosen : any;
}

bool lt_sender_place_delayed_copy(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    const lt_delayed_copy *due;

    while ((due = lt_delayed_copies_first(&sender->delayed, now))) {
        uint32_t slot = pick_slot(sender, links, due, now);
        lt_packet *packet = due->packet;
        if (!slot) {
            lt_delayed_copies_postpone(&sender->delayed, now + lt_sender_retry_after(links));
            return false;
        }
        const livetcp_path *path = &lt_links_paths(links)[__builtin_ctz(slot)];
        if (!lt_sender_takes_extra(sender, path)) {
            lt_delayed_copies_drop(&sender->delayed);
            continue;
        }
        put(sender, links, packet, path->connection, now);
        count_extra(sender, packet, path, now);
        lt_delayed_copies_pop(&sender->delayed);
        return true;
    }
    return false;
}
