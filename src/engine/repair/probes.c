/* SPDX-License-Identifier: MIT */
#include "engine/repair/probes.h"

#include "engine/links/path_info.h"
#include "policy/forecast.h"

/* Delay of a probe that follows at once. Its acknowledgement replaces that of the packet, which may
 * be lost, before a copy is due (LT_ACK_SEEN_US after the round trip, policy/hedging.c). */
#define PROBE_SOON_US 1000

/* Delay as a fraction of the round trip, if losses come in bursts, which would hit both packets.
 * RACK waits a quarter of a round trip for reordered segments anyway, so a probe within that time
 * costs none. */
#define PROBE_PART 5

/* A longer gap between packets is a pause. */
#define PAUSE_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

#define IDLE_MIN_US 5000

/* Bytes of a padding packet that probes the path's capacity. */
#define PADDING_SIZE 1002

void lt_probes_configure(lt_probes *probes, const livetcp_config *config, bool wanted,
                         bool uses_path_info)
{
    bool plain = config->wire == LIVETCP_WIRE_PLAIN;

    probes->tails = wanted && config->tail_probes && !plain;
    probes->uses_path_info = uses_path_info;
    probes->idle_packets = plain ? 0 : config->idle_packets;
    probes->idle_time_us = config->idle_time_us;
}

void lt_probes_init(lt_probes *probes, const livetcp_config *config, bool wanted,
                    bool uses_path_info, const lt_control_writer *writer)
{
    *probes =
        (lt_probes){.writer = *writer, .last_media_us = LIVETCP_NEVER, .padding_us = LIVETCP_NEVER};
    lt_probes_configure(probes, config, wanted, uses_path_info);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_probes_reset_slot(probes, i);
}

void lt_probes_reset_slot(lt_probes *probes, unsigned slot)
{
    probes->slots[slot] = (lt_tail){.written_us = LIVETCP_NEVER, .probe_us = LIVETCP_NEVER};
}

/* No unsent data waits in the kernel: it would serve as a probe as well. */
static bool can_write(const lt_links *links, unsigned slot)
{
    const livetcp_path *path = &lt_links_paths(links)[slot];

    return !path->blocked && !(path->known & LIVETCP_PATH_UNSENT && path->unsent_bytes > 0);
}

static void write(lt_probes *probes, unsigned slot)
{
    lt_control message = {.type = LT_CONTROL_PADDING};

    lt_control_write(&probes->writer, slot, &message);
    probes->sent++;
}

/* ---- tail probes ---- */

/* Updates the average gap between packets of a connection. A pause counts as a capped value, so
 * that one pause does not hide a steady stream. */
static void learn_gap(lt_tail *tail, livetcp_usec now)
{
    livetcp_usec gap = now - tail->written_us;
    livetcp_usec max = tail->gap_us ? 4 * tail->gap_us : PAUSE_US;

    if (tail->written_us != LIVETCP_NEVER) {
        gap = gap < max ? gap : max;
        tail->gap_us += (gap - tail->gap_us) / 4;
    }
    tail->written_us = now;
}

void lt_probes_written(lt_probes *probes, const livetcp_path *path, livetcp_usec now)
{
    lt_tail *tail = &probes->slots[path->connection];
    livetcp_usec rtt = path->rtt_us;
    livetcp_usec apart = rtt / PROBE_PART > PROBE_SOON_US ? rtt / PROBE_PART : PROBE_SOON_US;

    tail->probe_us = LIVETCP_NEVER;
    if (!probes->tails || !(path->known & LIVETCP_PATH_RTT))
        return;
    if (path->connection >= probes->count)
        probes->count = path->connection + 1;
    learn_gap(tail, now);
    tail->when_late = tail->gap_us <= 2 * rtt + apart;
    if (tail->when_late)
        tail->probe_us = now + lt_ack_due(path);
    else
        tail->probe_us = now + (probes->bursts ? apart : PROBE_SOON_US);
}

/* True if the packet has waited for longer than the round trip of a local network, and is not
 * acknowledged. Without path info on acknowledgements, that is unknown. */
static bool needs_probe(const lt_probes *probes, const livetcp_path *path, const lt_tail *tail)
{
    bool waits = path->oldest_unacked_us != LIVETCP_NEVER;
    bool unknown = !probes->uses_path_info && !tail->when_late;

    return waits || unknown;
}

/* ---- padding ---- */

static livetcp_usec idle_interval(const lt_probes *probes, const lt_links *links)
{
    livetcp_usec interval = lt_links_round_trip(links) / (livetcp_usec)probes->idle_packets;

    return interval > IDLE_MIN_US ? interval : IDLE_MIN_US;
}

void lt_probes_not_idle(lt_probes *probes, const lt_links *links, livetcp_usec now)
{
    probes->last_media_us = now;
    if (probes->idle_packets)
        probes->padding_us = now + idle_interval(probes, links);
}

static void pad(lt_probes *probes, const lt_links *links, livetcp_usec now)
{
    uint32_t open = lt_links_open(links);

    for (unsigned i = 0; i < lt_links_count(links); i++)
        if (open >> i & 1 && can_write(links, i))
            write(probes, i);
    bool enough = !probes->idle_packets || now >= probes->last_media_us + probes->idle_time_us;
    probes->padding_us = enough ? LIVETCP_NEVER : now + idle_interval(probes, links);
}

/* True if the window has space. Padding that waits in the kernel would measure the window, and
 * delay the media behind it. */
static bool has_window(const livetcp_path *path, size_t size)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_QUEUED;

    return (path->known & needed) == needed && lt_path_undelivered(path) + size <= path->cwnd_bytes;
}

static int emptiest(const lt_links *links, uint32_t slots)
{
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t open = lt_links_open(links) & slots;
    int best = -1;

    for (unsigned i = 0; i < lt_links_count(links); i++)
        if (open >> i & 1 && !paths[i].blocked && has_window(&paths[i], PADDING_SIZE) &&
            (best < 0 || lt_path_undelivered(&paths[i]) < lt_path_undelivered(&paths[best])))
            best = (int)i;
    return best;
}

size_t lt_probes_pad(lt_probes *probes, const lt_links *links, uint32_t slots, uint64_t size)
{
    uint8_t frame[PADDING_SIZE];
    int slot = emptiest(links, slots);
    size_t part = size > PADDING_SIZE ? PADDING_SIZE : (size_t)size;

    if (slot < 0)
        return 0;
    part = lt_control_encode_padding(frame, part > LT_PADDING_MIN ? part : LT_PADDING_MIN);
    if (!probes->writer.write(probes->writer.user, (unsigned)slot, frame, part))
        return 0;
    probes->sent++;
    return part;
}

/* ---- deadlines ---- */

uint32_t lt_probes_due(const lt_probes *probes, livetcp_usec now)
{
    uint32_t due = 0;

    if (now >= probes->padding_us)
        return UINT32_MAX;
    for (unsigned i = 0; i < probes->count; i++)
        if (now >= probes->slots[i].probe_us)
            due |= UINT32_C(1) << i;
    return due;
}

bool lt_probes_send(lt_probes *probes, const lt_links *links, livetcp_usec now)
{
    const livetcp_path *paths = lt_links_paths(links);
    uint64_t before = probes->sent;
    uint32_t open = lt_links_open(links);

    for (unsigned i = 0; i < probes->count; i++) {
        lt_tail *tail = &probes->slots[i];
        if (now < tail->probe_us)
            continue;
        tail->probe_us = LIVETCP_NEVER;
        if (open >> i & 1 && !(probes->full_links >> paths[i].link & 1) && can_write(links, i) &&
            needs_probe(probes, &paths[i], tail))
            write(probes, i);
    }
    if (now >= probes->padding_us)
        pad(probes, links, now);
    return probes->sent > before;
}

livetcp_usec lt_probes_deadline(const lt_probes *probes)
{
    livetcp_usec due = probes->padding_us;

    for (unsigned i = 0; i < probes->count; i++)
        if (probes->slots[i].probe_us < due)
            due = probes->slots[i].probe_us;
    return due;
}
