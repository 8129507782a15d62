/* SPDX-License-Identifier: MIT */
/*
 * Review runs in rounds: one walk over all packets in flight collects those that are due, and the
 * policy is asked about them one by one, as the copies are written. A backlog of thousands of
 * packets costs one walk per LT_REVIEW_MAX questions; one for which no copies are possible costs a
 * walk every ROUND_US.
 */
#include "engine/repair/repair.h"

#include "base/usec.h"
#include "engine/repair/loss_bursts.h"
#include "engine/repair/loss_record.h"
#include "engine/repair/probes.h"
#include "engine/repair/protector.h"
#include "engine/repair/unacked.h"

#include <stdlib.h>

/* A copy was useful if the original is acknowledged at least this much later. Packets acknowledged
 * together are seen within one poll of the platform. */
#define SAVED_US 5000

/* Time between rounds, if more packets are due than fit. */
#define ROUND_US 5000

/* Interval for evaluating the record of losses, and the decay of its counts: half in 35 intervals.
 */
#define LOOK_US  LIVETCP_USEC_SEC
#define LOOK_AGE 0.98

/* Limits of automatic spacing: this fraction of the round trip, minus a margin. After a full round
 * trip and the margin the loss of a copy is detected, so a copy that replaces two lost ones is sent
 * within one and a half. On short paths the limit is SPACING_MIN_US. */
#define SPACING_PART      2
#define SPACING_MARGIN_US (2 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define SPACING_MIN_US    (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

struct lt_repair {
    const livetcp_policy *policy;
    bool plain;
    bool keeps_record; /* records packets in flight: acknowledgements are reported, and the peer can
                          detect copies */
    void (*on_acknowledged)(void *user, unsigned slot, const lt_packet *packet,
                            livetcp_usec written_us, livetcp_usec now);
    void *user;

    lt_unacked unacked[LIVETCP_MAX_CONNECTIONS];
    /* Acknowledged by the peer's TCP on a connection that the peer may still refuse, in which case
     * it reads none of them. */
    lt_unacked early[LIVETCP_MAX_CONNECTIONS];
    livetcp_usec newest_acked_us[LIVETCP_MAX_CONNECTIONS]; /* when that was written; 0 = none */
    lt_kept kept;
    uint64_t unconfirmed; /* packets in flight at the end of the session */
    uint64_t copies_useful;

    livetcp_usec copy_spacing_us; /* configured */
    livetcp_usec spacing_us;      /* in force */
    livetcp_usec look_us;         /* time of the next evaluation of the record */
    lt_loss_record losses;
    lt_loss_bursts bursts;
    uint64_t attributed[LIVETCP_MAX_CONNECTIONS]; /* retransmissions attributed to known packets */
    uint64_t arrived_twice, arrived_once, arrived_never;

    /* The current round of reviews. */
    livetcp_usec review_us;        /* time of the next round */
    lt_packet *due[LT_REVIEW_MAX]; /* packets of the round, */
    unsigned due_count, due_asked; /*   and its progress */
    bool due_left_out;             /* more packets were due than fit */
    unsigned next_to_review;       /* slot at which the next round begins */

    lt_protector protector;
    lt_probes probes;
};

/* ---- creation ---- */

static void set_copy_spacing(lt_repair *repair, const livetcp_config *config)
{
    repair->copy_spacing_us = config->copy_spacing_us;
    repair->spacing_us = repair->copy_spacing_us > 0 ? repair->copy_spacing_us : 0;
}

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
    repair->look_us = INT64_MIN;
    set_copy_spacing(repair, setup->config);
    repair->protector = (lt_protector){.group = setup->config->parity_group,
                                       .max_packet = setup->config->max_packet,
                                       .random = setup->random,
                                       .random_user = setup->random_user,
                                       .tried_us = INT64_MIN,
                                       .spacing_us = repair->spacing_us,
                                       .writer = setup->writer};
    lt_probes_init(&repair->probes, setup->config, setup->policy->wants & LIVETCP_WANTS_TAIL_PROBES,
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
        forget_round(repair); /* its answers would be those of the former policy */
        repair->review_us = policy->review ? INT64_MIN : LIVETCP_NEVER;
    }
    repair->policy = policy;
    repair->keeps_record = uses_path_info && !repair->plain;
    if (config->copy_spacing_us != repair->copy_spacing_us)
        set_copy_spacing(repair, config);
    if (repair->copy_spacing_us != LIVETCP_COPY_SPACING_AUTO)
        repair->protector.spacing_us = repair->spacing_us;
    lt_probes_configure(&repair->probes, config, policy->wants & LIVETCP_WANTS_TAIL_PROBES,
                        uses_path_info);
}

static void write_off(lt_repair *repair, unsigned slot)
{
    repair->unconfirmed += lt_unacked_write_off(&repair->unacked[slot]);
    repair->unconfirmed += lt_unacked_write_off(&repair->early[slot]);
}

static void clear_slot(lt_repair *repair, unsigned slot)
{
    lt_unacked_clear(&repair->unacked[slot]);
    lt_unacked_clear(&repair->early[slot]);
}

void lt_repair_destroy(lt_repair **owner)
{
    lt_repair *repair = *owner;

    if (!repair)
        return;
    forget_round(repair);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        clear_slot(repair, i);
    lt_kept_clear(&repair->kept);
    lt_protector_clear(&repair->protector);
    free(repair);
    *owner = NULL;
}

/* ---- packets in flight ---- */

void lt_repair_not_idle(lt_repair *repair, const lt_links *links, livetcp_usec now)
{
    lt_probes_not_idle(&repair->probes, links, now);
}

/* Limits the spacing of parity: a group whose parity arrives after TCP's own repair is useless, so
 * all of it should be sent within a round trip. */
static void space_parity(lt_repair *repair, livetcp_usec rtt)
{
    livetcp_usec most = rtt / (repair->protector.group + 1);

    repair->protector.spacing_us = repair->spacing_us;
    if (repair->copy_spacing_us == LIVETCP_COPY_SPACING_AUTO && most < repair->spacing_us)
        repair->protector.spacing_us = most;
}

static void look_for_bursts(lt_repair *repair, const lt_links *links, livetcp_usec now)
{
    livetcp_usec most = lt_links_min_round_trip(links) / SPACING_PART - SPACING_MARGIN_US;

    repair->look_us = now + LOOK_US;
    lt_loss_bursts_update(&repair->bursts, &repair->losses);
    lt_loss_record_age(&repair->losses, LOOK_AGE);
    repair->probes.bursts = repair->bursts.found;
    if (repair->copy_spacing_us == LIVETCP_COPY_SPACING_AUTO)
        repair->spacing_us =
            lt_loss_bursts_spacing(&repair->bursts, most > SPACING_MIN_US ? most : SPACING_MIN_US);
    space_parity(repair, lt_links_min_round_trip(links));
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
    uint64_t place = lt_kept_written(&repair->kept, slot);

    lt_probes_written(&repair->probes, path, now);
    if (!repair->keeps_record) {
        packet->carried &= ~(UINT32_C(1) << slot);
        lt_packet_unref(&packet);
        return;
    }
    if (packet->review_us < repair->review_us)
        repair->review_us = packet->review_us;
    lt_unacked_add(&repair->unacked[slot],
                   &(lt_unacked_entry){.end = lt_links_stream_bytes(links, slot),
                                       .written_us = now,
                                       .packet = packet,
                                       .number = lt_loss_record_written(&repair->losses, now),
                                       .retransmits = path->retransmitted_segments,
                                       .place = place});
    update_oldest(repair, path);
    if (now >= repair->look_us)
        look_for_bursts(repair, links, now);
}

/* ---- losses ---- */

/* TCP reports the number of retransmissions, but not the segments. The lost packet is the one at
 * the head of the connection that is acknowledged late, after a retransmission since it was
 * written. The fate of packets behind it is unknown, unless there was no other retransmission. */
static lt_fate fate_of(lt_repair *repair, const livetcp_path *path, const lt_unacked_entry *entry,
                       bool head, livetcp_usec now)
{
    uint64_t *attributed = &repair->attributed[path->connection];
    bool late = now - entry->written_us > path->rtt_us + path->rtt_us / 4;

    if (!(path->known & LIVETCP_PATH_RETRANSMITS))
        return late ? LT_FATE_UNKNOWN : LT_FATE_ARRIVED;
    if (path->retransmitted_segments == entry->retransmits)
        return LT_FATE_ARRIVED;
    if (head && late && path->retransmitted_segments > *attributed) {
        *attributed = path->retransmitted_segments;
        return LT_FATE_LOST;
    }
    return path->retransmitted_segments == entry->retransmits + 1 &&
                   *attributed == path->retransmitted_segments
               ? LT_FATE_ARRIVED
               : LT_FATE_UNKNOWN;
}

static void count_copies(lt_repair *repair, const lt_packet *packet)
{
    if (packet->copies < 2 || packet->carried || packet->arrived + packet->lost < packet->copies)
        return;
    repair->arrived_twice += packet->arrived >= 2;
    repair->arrived_once += packet->arrived == 1;
    repair->arrived_never += packet->arrived == 0;
}

static void record_fate(lt_repair *repair, const livetcp_path *path, const lt_unacked_entry *entry,
                        bool head, livetcp_usec now)
{
    lt_fate fate = fate_of(repair, path, entry, head, now);

    lt_loss_record_resolved(&repair->losses, entry->number, fate);
    entry->packet->arrived += fate == LT_FATE_ARRIVED;
    entry->packet->lost += fate == LT_FATE_LOST;
    count_copies(repair, entry->packet);
}

livetcp_usec lt_repair_copy_spacing(const lt_repair *repair)
{
    return repair->spacing_us;
}

livetcp_usec lt_repair_burst(const lt_repair *repair)
{
    return repair->bursts.found ? (livetcp_usec)repair->bursts.burst_us : 0;
}

double lt_repair_joint_loss(const lt_repair *repair)
{
    return lt_loss_bursts_joint(&repair->bursts, repair->spacing_us);
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

/* The peer has taken the connection into the session, and reads what its TCP has acknowledged. */
static void on_joined(lt_repair *repair, unsigned slot, livetcp_usec now)
{
    lt_unacked_entry entry;

    while (lt_unacked_take(&repair->early[slot], UINT64_MAX, &entry)) {
        count_arrival(repair, slot, entry.packet, now);
        lt_kept_add(&repair->kept, slot, &entry);
    }
    lt_unacked_clear(&repair->early[slot]);
}

void lt_repair_acknowledged(lt_repair *repair, const lt_links *links, unsigned slot,
                            livetcp_usec now)
{
    bool joined = lt_links_is_joined(links, slot);
    livetcp_path *path = &lt_links_paths(links)[slot];
    uint64_t written = lt_links_stream_bytes(links, slot);
    uint64_t acknowledged = written > path->queued_bytes ? written - path->queued_bytes : 0;
    lt_unacked_entry entry;
    bool head = true;

    if (!(path->known & LIVETCP_PATH_QUEUED))
        return;
    if (joined && repair->early[slot].count)
        on_joined(repair, slot, now);
    while (lt_unacked_take(&repair->unacked[slot], acknowledged, &entry)) {
        entry.packet->carried &= ~(UINT32_C(1) << slot);
        repair->newest_acked_us[slot] =
            lt_usec_max(repair->newest_acked_us[slot], entry.written_us);
        record_fate(repair, path, &entry, head, now);
        if (!entry.packet->delivered)
            repair->on_acknowledged(repair->user, slot, entry.packet, entry.written_us, now);
        if (joined) {
            count_arrival(repair, slot, entry.packet, now);
            lt_kept_add(&repair->kept, slot, &entry);
        } else {
            lt_unacked_add(&repair->early[slot], &entry);
        }
        update_oldest(repair, path);
        head = false;
    }
}

size_t lt_repair_under_way(const lt_repair *repair, unsigned slot)
{
    return repair->unacked[slot].count;
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

    if (forget) {
        write_off(repair, slot);
        clear_slot(repair, slot);
        lt_kept_forget(&repair->kept, slot);
    }
    packet = lt_unacked_take_last(unacked);
    if (!packet)
        packet = lt_unacked_take_last(&repair->early[slot]);
    if (!packet)
        update_oldest(repair, &lt_links_paths(links)[slot]);
    else if (packet->delivered && packet->first_connection == slot && !packet->parity)
        repair->copies_useful++;
    return packet;
}

void lt_repair_reset_slot(lt_repair *repair, unsigned slot)
{
    clear_slot(repair, slot);
    repair->newest_acked_us[slot] = 0;
    lt_kept_end(&repair->kept, slot);
    repair->attributed[slot] = 0;
    lt_protector_reset_slot(&repair->protector, slot);
    lt_probes_reset_slot(&repair->probes, slot);
}

void lt_repair_close(lt_repair *repair)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        write_off(repair, i);
    lt_kept_close(&repair->kept);
}

lt_kept *lt_repair_kept(lt_repair *repair)
{
    return &repair->kept;
}

/* ---- review ---- */

static bool is_due(const lt_packet *packet, livetcp_usec now)
{
    return !packet->delivered && packet->carried && packet->review_us <= now;
}

/* A packet behind a late one waits for the same repair, and is due with it; its copy need not wait
 * for a round trip of its own. A packet with a copy on another connection can wait. */
static bool waits_behind(const lt_packet *packet, unsigned slot)
{
    return packet->carried == UINT32_C(1) << slot && packet->review_us != LIVETCP_NEVER;
}

/* Collects the packets due on one connection; false if some did not fit. *next becomes the time
 * when the rest is due, if that is sooner. */
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

/* Starts a round. After one that was too small, it begins with another connection, so that none
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

/* Written later, on another connection of the route, and acknowledged. */
static bool is_overtaken(const lt_repair *repair, const lt_links *links, const lt_packet *packet)
{
    const livetcp_path *paths = lt_links_paths(links);
    const livetcp_path *own = packet->carried ? &paths[__builtin_ctz(packet->carried)] : NULL;

    for (unsigned i = 0; own && i < lt_links_count(links); i++)
        if (paths[i].usable && !(packet->carried >> i & 1) && paths[i].link == own->link &&
            paths[i].group == own->group && repair->newest_acked_us[i] > packet->last_sent_us)
            return true;
    return false;
}

lt_packet *lt_repair_next_due(lt_repair *repair, const lt_links *links, livetcp_usec now)
{
    if (!repair->policy->review)
        return NULL;
    for (;;) {
        while (repair->due_asked < repair->due_count) {
            lt_packet *packet = repair->due[repair->due_asked++];
            if (is_due(packet, now)) {
                packet->overtaken = is_overtaken(repair, links, packet);
                return packet;
            }
            lt_packet_unref(&packet);
        }
        if (now < repair->review_us)
            return NULL;
        gather(repair, lt_links_count(links), now);
    }
}

void lt_repair_reviewed(lt_repair *repair, lt_packet *packet, bool copied, livetcp_usec now)
{
    if (!repair->due_left_out && packet->review_us < repair->review_us)
        repair->review_us = packet->review_us;
    /* A copy was possible: start the next round at once for the packets that did not fit. */
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

/* ---- probes, deadlines, statistics ---- */

void lt_repair_set_full_links(lt_repair *repair, uint32_t links)
{
    repair->probes.full_links = repair->policy->wants & LIVETCP_WANTS_HEADROOM ? links : 0;
}

bool lt_repair_probe(lt_repair *repair, const lt_links *links, livetcp_usec now)
{
    return lt_probes_send(&repair->probes, links, now);
}

size_t lt_repair_pad(lt_repair *repair, const lt_links *links, uint32_t slots, uint64_t size)
{
    return lt_probes_pad(&repair->probes, links, slots, size);
}

uint32_t lt_repair_wants_path_info(const lt_repair *repair, livetcp_usec now)
{
    if (repair->probes.uses_path_info &&
        (repair->protector.ready_count || now >= repair->review_us))
        return UINT32_MAX;
    return lt_probes_due(&repair->probes, now);
}

livetcp_usec lt_repair_deadline(const lt_repair *repair)
{
    livetcp_usec due = lt_usec_min(repair->review_us, lt_protector_deadline(&repair->protector));

    return lt_usec_min(due, lt_probes_deadline(&repair->probes));
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
    stats->sent.padding = repair->probes.sent;
    stats->sent.acknowledged_lost = repair->kept.missing;
    stats->sent.acknowledged_resent = repair->kept.again;
    stats->sent.unconfirmed = repair->unconfirmed + repair->kept.unconfirmed;
    stats->losses.known = repair->losses.known;
    stats->losses.lost = repair->losses.lost;
    stats->losses.arrived_twice = repair->arrived_twice;
    stats->losses.arrived_once = repair->arrived_once;
    stats->losses.arrived_never = repair->arrived_never;
    stats->losses.ratio = repair->bursts.loss;
    stats->losses.joint_ratio = repair->bursts.joint;
    stats->losses.burst_us = (livetcp_usec)repair->bursts.burst_us;
    stats->losses.copy_spacing_us = repair->spacing_us;
}
