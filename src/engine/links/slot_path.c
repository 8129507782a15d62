/* SPDX-License-Identifier: MIT */
/* A slot's traffic, and its path information: from the platform, PONGs, and our own writes. */
#include "engine/links/links_private.h"

#include "engine/links/path_info.h"
#include "policy/forecast.h"

/* The first acknowledgement may come this fraction of the minimum round trip sooner: with jitter,
 * a round trip can be shorter than the minimum that TCP has measured so far. */
#define EARLY_ACK_PART 8

/* A PONG older than this is ignored. The peer chooses its timestamp, so that an unchecked
 * difference could overflow. */
#define MAX_PONG_AGE_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* ---- traffic ---- */

/* Handshakes are no traffic of the session yet. */
static void note_traffic(lt_links *links, unsigned slot, size_t size, livetcp_usec now)
{
    if (links->slots[slot].state == LIVETCP_CONNECTION_OPEN)
        lt_keepalive_passed(&links->keepalive, size, now);
}

void lt_links_received(lt_links *links, unsigned slot, size_t size, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];

    s->silent_from_us = links->heard_us = now;
    s->carried += (double)size;
    s->heard += size;
    note_traffic(links, slot, size, now);
    s->later_us =
        lt_keepalive_interval(&links->keepalive, links->count) - links->keepalive.setting_us;
}

static void update_oldest_write(lt_links *links, unsigned slot)
{
    livetcp_path *path = &links->paths[slot];
    livetcp_usec since = lt_path_groups_oldest_write(&links->groups, slot);

    if (since == INT64_MIN)
        path->known &= ~(uint32_t)LIVETCP_PATH_OLDEST_WRITE;
    else
        path->known |= LIVETCP_PATH_OLDEST_WRITE;
    path->oldest_write_us = since;
}

void lt_links_wrote(lt_links *links, unsigned slot, size_t size, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];

    lt_rtt_average_wrote(&s->rtt_average, s->stream_bytes, now);
    s->stream_bytes += size;
    s->carried += (double)size;
    s->heard = 0;
    note_traffic(links, slot, size, now);
    lt_path_wrote(&links->paths[slot], size, now);
    lt_path_groups_wrote(&links->groups, slot, s->stream_bytes, size, now);
    update_oldest_write(links, slot);
    lt_path_groups_update_free(&links->groups, links->paths, links->count, slot, now);
    if (s->state == LIVETCP_CONNECTION_OPEN && !links->plain)
        lt_slot_put_off_ping(links, slot, now);
}

void lt_links_wrote_packet(lt_links *links, unsigned slot, bool first)
{
    lt_slot *s = &links->slots[slot];

    if (first)
        lt_path_groups_wrote_media(&links->groups, slot);
    s->early_media = s->early_media || s->state == LIVETCP_CONNECTION_JOINING;
}

void lt_links_blocked(lt_links *links, unsigned slot)
{
    links->paths[slot].blocked = true;
}

void lt_links_writable(lt_links *links, unsigned slot)
{
    links->paths[slot].blocked = false;
    links->slots[slot].info_us = INT64_MIN;
}

void lt_slot_measure_pong(lt_links *links, unsigned slot, const lt_control *pong, livetcp_usec now)
{
    livetcp_usec sent = (livetcp_usec)pong->timestamp;
    bool valid = sent <= now && sent > now - MAX_PONG_AGE_US;

    if (valid && !lt_rtt_average_was_away(&links->slots[slot].rtt_average, sent))
        lt_path_measured_rtt(&links->paths[slot], now - sent);
}

/* ---- path information ---- */

uint32_t lt_links_stale(const lt_links *links, uint32_t slots, livetcp_usec now)
{
    uint32_t stale = 0;

    for (unsigned i = 0; i < links->count; i++)
        if (slots >> i & 1 &&
            (links->paths[i].usable || links->slots[i].leaving_since_us != LIVETCP_NEVER) &&
            links->slots[i].info_us <= now - lt_path_max_age(&links->paths[i]))
            stale |= UINT32_C(1) << i;
    return stale;
}

/* Bytes of the stream that are acknowledged: written, and not among the `queued_bytes` that the
 * kernel still holds. */
static uint64_t acknowledged_bytes(const lt_links *links, unsigned slot, uint32_t queued_bytes)
{
    uint64_t written = links->slots[slot].stream_bytes;

    return written > queued_bytes ? written - queued_bytes : 0;
}

/* Removes from TCP's round-trip average what is not the path's: see rtt_average.h. */
static void correct_rtt(lt_links *links, unsigned slot, livetcp_path *info, livetcp_usec now)
{
    lt_acknowledged acknowledged = {.written_us = LIVETCP_NEVER};

    if (info->known & LIVETCP_PATH_QUEUED)
        acknowledged = lt_path_groups_acknowledged(
            &links->groups, slot, acknowledged_bytes(links, slot, info->queued_bytes));
    acknowledged.delivered = acknowledged_bytes(links, slot, lt_path_undelivered(info));
    lt_rtt_average_correct(&links->slots[slot].rtt_average, info, &acknowledged, now);
}

/* The slot's path info is current as of `now`; `known` are the fields that the platform reported.
 */
static void take_path_info(lt_links *links, unsigned slot, uint32_t known, livetcp_usec now)
{
    const livetcp_path *path = &links->paths[slot];

    links->slots[slot].info_us = now;
    links->samples[slot] = (lt_path_sample){.valid = false};
    /* The sample pairs the last acknowledged write with the round trip reported with it. */
    if (known & LIVETCP_PATH_QUEUED && known & LIVETCP_PATH_RTT) {
        links->samples[slot] = lt_path_groups_on_path_info(
            &links->groups, slot, path, acknowledged_bytes(links, slot, path->queued_bytes), now);
        update_oldest_write(links, slot);
        lt_path_groups_update(&links->groups, links->paths, links->count, now);
        lt_path_groups_update_free(&links->groups, links->paths, links->count, slot, now);
    }
}

static void note_progress(lt_links *links, unsigned slot, livetcp_usec now)
{
    const livetcp_path *path = &links->paths[slot];
    lt_slot *s = &links->slots[slot];
    uint64_t bytes = acknowledged_bytes(links, slot, (uint32_t)lt_path_undelivered(path));

    if (!(path->known & LIVETCP_PATH_QUEUED) || bytes <= s->delivered)
        return;
    s->delivered = bytes;
    s->progress_us = now;
}

bool lt_links_path_info(lt_links *links, unsigned slot, const livetcp_path *info, livetcp_usec now)
{
    livetcp_path *path = &links->paths[slot];
    lt_slot *s = &links->slots[slot];
    livetcp_path corrected = *info;

    if (!lt_links_can_write(links, slot) && !path->usable)
        return false;
    correct_rtt(links, slot, &corrected, now);
    lt_path_update(path, &corrected, now);
    note_progress(links, slot, now);
    s->ponged = false;
    take_path_info(links, slot, info->known, now);
    return true;
}

/* No acknowledgement of the data in flight can arrive before its oldest write is about one minimum
 * round trip old. Until then, TCP's state cannot change on a connection that has sent everything
 * and repairs nothing. */
bool lt_links_is_unchanged(const lt_links *links, unsigned slot, livetcp_usec now)
{
    const uint32_t needed = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_TCP_STATE |
                            LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;
    const livetcp_path *path = &links->paths[slot];
    const lt_slot *s = &links->slots[slot];
    livetcp_usec since = lt_path_groups_oldest_write(&links->groups, slot);

    if (s->info_us == INT64_MIN || s->ponged || (path->known & needed) != needed ||
        path->tcp_state != LIVETCP_TCP_OPEN || path->unsent_bytes)
        return false;
    /* The queue must consist of our recorded writes alone: a proxy's or TLS handshake's bytes
     * before them have unknown times. */
    if (!path->queued_bytes || path->queued_bytes > s->stream_bytes || since == INT64_MIN ||
        since == LIVETCP_NEVER)
        return false;
    return now < since + path->min_rtt_us - path->min_rtt_us / EARLY_ACK_PART;
}

void lt_links_path_info_again(lt_links *links, unsigned slot, livetcp_usec now)
{
    take_path_info(links, slot, links->paths[slot].known, now);
}

const lt_path_sample *lt_links_path_sample(const lt_links *links, unsigned slot)
{
    return &links->samples[slot];
}

/* ---- questions ---- */

int lt_links_quickest(const lt_links *links, livetcp_usec now)
{
    livetcp_usec least = LIVETCP_NEVER;
    int best = -1;

    for (unsigned i = 0; i < links->count; i++) {
        const livetcp_path *path = &links->paths[i];
        if (!path->usable || path->blocked || path->link_stalled)
            continue;
        livetcp_usec forecast = livetcp_path_forecast(path, LT_CONTROL_MAX, now);
        if (forecast < least) {
            least = forecast;
            best = (int)i;
        }
    }
    return best;
}

bool lt_links_has_way(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        if (links->paths[i].usable && !links->paths[i].blocked)
            return true;
    return false;
}

livetcp_usec lt_links_round_trip(const lt_links *links)
{
    livetcp_usec longest = 0;

    for (unsigned i = 0; i < links->count; i++)
        if (links->paths[i].usable && links->paths[i].rtt_us > longest)
            longest = links->paths[i].rtt_us;
    return longest ? longest : LT_TYPICAL_RTT_US;
}

livetcp_usec lt_links_min_round_trip(const lt_links *links)
{
    livetcp_usec smallest = LIVETCP_NEVER;

    for (unsigned i = 0; i < links->count; i++) {
        const livetcp_path *path = &links->paths[i];
        livetcp_usec rtt = path->known & LIVETCP_PATH_MIN_RTT ? path->min_rtt_us : path->rtt_us;
        if (path->usable && path->known & (LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_RTT) &&
            rtt < smallest)
            smallest = rtt;
    }
    return smallest < LIVETCP_NEVER ? smallest : 0;
}
