/* SPDX-License-Identifier: MIT */
/*
 * Review happens in rounds: one walk over all that is under way gathers what is due, and the policy
 * is asked about that, one by one, as the copies are written. So a backlog of thousands costs a
 * walk for every LT_REVIEW_MAX questions, and one that nothing can be done about costs a walk every
 * ROUND_US.
 */
#include "engine/repair/repair.h"

#include "engine/repair/probes.h"
#include "engine/repair/protector.h"
#include "engine/repair/unacked.h"

#include <stdlib.h>

/* An original that is acknowledged so much later than a copy would have been late without it. What
 * is acknowledged together is seen within one round of asking the platform. */
#define SAVED_US 5000

/* From one round to the next, when there is more than one can hold. */
#define ROUND_US 5000

struct lt_repair {
    const livetcp_policy *policy;
    bool plain;
    bool keeps_record; /* of packets under way: something tells what is acknowledged, and the peer
                          can tell copies apart */
    void (*on_acknowledged)(void *user, unsigned slot, const lt_packet *packet,
                            livetcp_usec written_us, livetcp_usec now);
    void *user;

    lt_unacked unacked[LIVETCP_MAX_CONNECTIONS];
    uint64_t copies_useful;

    /* The round of questions under way. */
    livetcp_usec review_us;        /* when the next one begins */
    lt_packet *due[LT_REVIEW_MAX]; /* what it is about, */
    unsigned due_count, due_asked; /*   and how far it is */
    bool due_left_out;             /* more was due than it has room for */
    unsigned next_to_review;       /* slot to look at first */

    lt_protector protector;
    lt_probes probes;
};

/* ---- made and freed ---- */

lt_repair *lt_repair_create(const lt_repair_setup *setup)
{
    lt_repair *repair = calloc(1, sizeof *repair);

    if (!repair)
        return NULL;
    repair->policy = setup->policy;
    repair->plain = setup->config->wire == LIVETCP_WIRE_PLAIN;
    repair->keeps_record = setup->uses_path_info && !repair->plain;
    repair->on_acknowledged = setup->on_acknowledged;
    repair->user = setup->user;
    repair->review_us = LIVETCP_NEVER;
    repair->protector = (lt_protector){.group = setup->config->parity_group,
                                       .max_packet = setup->config->max_packet,
                                       .random = setup->random,
                                       .random_user = setup->random_user,
                                       .writer = setup->writer};
    lt_probes_init(&repair->probes, setup->config, setup->policy->wants & LIVETCP_WANTS_CHASERS,
                   setup->uses_path_info, &setup->writer);
    return repair;
}

static void forget_round(lt_repair *repair)
{
    while (repair->due_asked < repair->due_count)
        lt_packet_unref(&repair->due[repair->due_asked++]);
}

void lt_repair_configure(lt_repair *repair, const livetcp_config *config,
                         const livetcp_policy *policy, bool uses_path_info)
{
    if (policy != repair->policy) {
        forget_round(repair); /* the answers would be the former one's */
        repair->review_us = policy->review ? INT64_MIN : LIVETCP_NEVER;
    }
    repair->policy = policy;
    repair->keeps_record = uses_path_info && !repair->plain;
    lt_probes_configure(&repair->probes, config, policy->wants & LIVETCP_WANTS_CHASERS,
                        uses_path_info);
}

void lt_repair_destroy(lt_repair **owner)
{
    lt_repair *repair = *owner;

    if (!repair)
        return;
    forget_round(repair);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_unacked_clear(&repair->unacked[i]);
    lt_protector_clear(&repair->protector);
    free(repair);
    *owner = NULL;
}

/* ---- under way ---- */

void lt_repair_not_idle(lt_repair *repair, const lt_links *links, livetcp_usec now)
{
    lt_probes_not_idle(&repair->probes, links, now);
}

static void update_oldest(const lt_repair *repair, livetcp_path *path)
{
    const lt_unacked_entry *oldest = lt_unacked_at(&repair->unacked[path->connection], 0);

    path->oldest_unacked_us = oldest ? oldest->written_us : LIVETCP_NEVER;
}

void lt_repair_written(lt_repair *repair, const lt_links *links, unsigned slot, lt_packet *packet,
                       livetcp_usec now)
{
    livetcp_path *path = &lt_links_paths(links)[slot];

    lt_probes_written(&repair->probes, path, now);
    if (!repair->keeps_record) {
        packet->carried &= ~(UINT32_C(1) << slot);
        lt_packet_unref(&packet);
        return;
    }
    if (packet->review_us < repair->review_us)
        repair->review_us = packet->review_us;
    lt_unacked_add(&repair->unacked[slot], packet, lt_links_stream_bytes(links, slot), now);
    update_oldest(repair, path);
}

static void count_arrival(lt_repair *repair, unsigned slot, lt_packet *packet, livetcp_usec now)
{
    if (!packet->delivered) {
        packet->delivered = true;
        packet->delivered_us = now;
    } else if (packet->first_connection == slot && !packet->parity &&
               now - packet->delivered_us >= SAVED_US) {
        repair->copies_useful++;
    }
}

void lt_repair_acknowledged(lt_repair *repair, const lt_links *links, unsigned slot,
                            livetcp_usec now)
{
    livetcp_path *path = &lt_links_paths(links)[slot];
    uint64_t written = lt_links_stream_bytes(links, slot);
    uint64_t acknowledged = written > path->queued_bytes ? written - path->queued_bytes : 0;
    livetcp_usec written_us = path->oldest_unacked_us;
    lt_packet *packet;

    if (!(path->known & LIVETCP_PATH_QUEUED))
        return;
    while ((packet = lt_unacked_take(&repair->unacked[slot], acknowledged))) {
        packet->carried &= ~(UINT32_C(1) << slot);
        if (!packet->delivered)
            repair->on_acknowledged(repair->user, slot, packet, written_us, now);
        count_arrival(repair, slot, packet, now);
        lt_packet_unref(&packet);
        update_oldest(repair, path);
        written_us = path->oldest_unacked_us;
    }
}

void lt_repair_alarm(lt_repair *repair, unsigned slot, livetcp_usec now)
{
    const lt_unacked_entry *entry;

    if (!repair->policy->review)
        return;
    for (size_t i = 0; (entry = lt_unacked_at(&repair->unacked[slot], i)); i++) {
        lt_packet *packet = entry->packet;
        if (packet->carried == UINT32_C(1) << slot && packet->review_us > now && !packet->rtcp &&
            !packet->parity)
            packet->review_us = repair->review_us = now;
    }
}

lt_packet *lt_repair_take_back(lt_repair *repair, const lt_links *links, unsigned slot, bool forget)
{
    lt_unacked *unacked = &repair->unacked[slot];
    lt_packet *packet;

    if (forget)
        lt_unacked_clear(unacked);
    packet = lt_unacked_take_last(unacked);
    if (!packet)
        update_oldest(repair, &lt_links_paths(links)[slot]);
    else if (packet->delivered && packet->first_connection == slot && !packet->parity)
        repair->copies_useful++;
    return packet;
}

void lt_repair_reset_slot(lt_repair *repair, unsigned slot)
{
    lt_unacked_clear(&repair->unacked[slot]);
    lt_protector_reset_slot(&repair->protector, slot);
    lt_probes_reset_slot(&repair->probes, slot);
}

/* ---- review ---- */

static bool is_due(const lt_packet *packet, livetcp_usec now)
{
    return !packet->delivered && packet->carried && packet->review_us <= now;
}

/* What was written behind a packet that is late waits for the same repair, and is due with it: its
 * copy need not wait for a round trip of its own. Packets with a copy elsewhere can wait. */
static bool waits_behind(const lt_packet *packet, unsigned slot)
{
    return packet->carried == UINT32_C(1) << slot && packet->review_us != LIVETCP_NEVER;
}

/* Takes in what is due on one connection, as far as there is room; false if there was not. *next is
 * when the rest is due, if that is sooner than it was. */
static bool gather_from(lt_repair *repair, unsigned slot, livetcp_usec now, livetcp_usec *next)
{
    const lt_unacked_entry *entry;
    bool late = false, room = true;

    for (size_t i = 0; (entry = lt_unacked_at(&repair->unacked[slot], i)); i++) {
        lt_packet *packet = entry->packet;
        if (late && packet->review_us > now && waits_behind(packet, slot))
            packet->review_us = now;
        if (!is_due(packet, now)) {
            if (!packet->delivered && packet->review_us > now && packet->review_us < *next)
                *next = packet->review_us;
            continue;
        }
        late = true;
        if (repair->due_count < LT_REVIEW_MAX)
            repair->due[repair->due_count++] = lt_packet_ref(packet);
        else
            room = false;
    }
    return room;
}

/* A round begins; after one that was too small for all, with another connection, so that none
 * starves. */
static void gather(lt_repair *repair, unsigned slots, livetcp_usec now)
{
    livetcp_usec next = LIVETCP_NEVER;

    if (repair->due_left_out)
        repair->next_to_review = (repair->next_to_review + 1) % slots;
    repair->due_count = repair->due_asked = 0;
    repair->due_left_out = false;
    for (unsigned i = 0; i < slots; i++)
        if (!gather_from(repair, (repair->next_to_review + i) % slots, now, &next))
            repair->due_left_out = true;
    repair->review_us = repair->due_left_out ? now + ROUND_US : next;
}

lt_packet *lt_repair_next_due(lt_repair *repair, unsigned slots, livetcp_usec now)
{
    if (!repair->policy->review)
        return NULL;
    for (;;) {
        while (repair->due_asked < repair->due_count) {
            lt_packet *packet = repair->due[repair->due_asked++];
            if (is_due(packet, now))
                return packet;
            lt_packet_unref(&packet);
        }
        if (now < repair->review_us)
            return NULL;
        gather(repair, slots, now);
    }
}

void lt_repair_reviewed(lt_repair *repair, lt_packet *packet, bool copied, livetcp_usec now)
{
    if (!repair->due_left_out && packet->review_us < repair->review_us)
        repair->review_us = packet->review_us;
    /* There is room: what this round had no place for comes at once. */
    if (copied && repair->due_left_out)
        repair->review_us = now;
    lt_packet_unref(&packet);
}

/* ---- parity ---- */

bool lt_repair_protect(lt_repair *repair, const lt_links *links, const lt_packet *packet,
                       livetcp_usec now)
{
    if (packet->rtcp || packet->parity || packet->written || repair->plain ||
        !(repair->policy->wants & LIVETCP_WANTS_PARITY))
        return false;
    return lt_protector_add(&repair->protector, lt_links_open(links), packet, now);
}

lt_packet *lt_repair_next_parity(lt_repair *repair, livetcp_usec now)
{
    return lt_protector_next(&repair->protector, now);
}

uint32_t lt_repair_parity_known(const lt_repair *repair, const lt_packet *parity)
{
    return lt_protector_known(&repair->protector, parity);
}

void lt_repair_parity_placed(lt_repair *repair, bool anywhere)
{
    lt_protector_placed(&repair->protector, anywhere);
}

/* ---- small packets, time, statistics ---- */

bool lt_repair_probe(lt_repair *repair, const lt_links *links, livetcp_usec now)
{
    return lt_probes_send(&repair->probes, links, now);
}

uint32_t lt_repair_wants_path_info(const lt_repair *repair, livetcp_usec now)
{
    if (repair->probes.uses_path_info &&
        (repair->protector.ready_count || now >= repair->review_us))
        return UINT32_MAX;
    return lt_probes_due(&repair->probes, now);
}

static livetcp_usec earlier(livetcp_usec a, livetcp_usec b)
{
    return a < b ? a : b;
}

livetcp_usec lt_repair_deadline(const lt_repair *repair)
{
    livetcp_usec due = earlier(repair->review_us, lt_protector_deadline(&repair->protector));

    return earlier(due, lt_probes_deadline(&repair->probes));
}

void lt_repair_expire(lt_repair *repair, livetcp_usec now)
{
    lt_protector_expire(&repair->protector, now);
}

void lt_repair_gather(const lt_repair *repair, livetcp_session_stats *stats)
{
    stats->sent.copies_useful = repair->copies_useful;
    stats->sent.parity = repair->protector.sent;
    stats->sent.parity_dropped = repair->protector.dropped;
    stats->sent.fillers = repair->probes.sent;
}
