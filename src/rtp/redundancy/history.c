/* SPDX-License-Identifier: MIT */
/* RFC 2198 gives the age of a repeated frame, not its sequence number; this finds the number. */
#include "base/seq.h"
#include "rtp/redundancy/red.h"

#include <string.h>

/* Maximum distance, in packets, at which a repeated frame is searched. */
#define REACH (LT_RED_HISTORY / 2)

/* True if `a` is later than `b`, modulo 2^32. */
static bool later(uint32_t a, uint32_t b)
{
    return a != b && a - b < UINT32_C(0x80000000);
}

static void begin(lt_red_history *history, const lt_rtp_header *header)
{
    memset(history, 0, sizeof *history);
    history->started = true;
    history->ssrc = header->ssrc;
    history->newest = header->sequence;
}

void lt_red_history_add(lt_red_history *history, const lt_rtp_header *header)
{
    int ahead = lt_seq_distance(history->newest, header->sequence);

    if (!history->started || header->ssrc != history->ssrc || ahead >= LT_RED_HISTORY ||
        ahead <= -32 * LT_RED_HISTORY)
        begin(history, header);
    else if (ahead <= -LT_RED_HISTORY)
        return; /* reordered too far to be of use, or a restart */
    for (; history->newest != header->sequence && ahead > 0; ahead--)
        history->entries[++history->newest % LT_RED_HISTORY].known = false;
    history->entries[header->sequence % LT_RED_HISTORY].known = true;
    history->entries[header->sequence % LT_RED_HISTORY].timestamp = header->timestamp;
}

static bool look_up(const lt_red_history *history, uint16_t sequence, uint32_t *timestamp)
{
    int behind = lt_seq_distance(sequence, history->newest);

    if (behind < 0 || behind >= LT_RED_HISTORY ||
        !history->entries[sequence % LT_RED_HISTORY].known)
        return false;
    *timestamp = history->entries[sequence % LT_RED_HISTORY].timestamp;
    return true;
}

/* Number of frames before the neighbour above, if all frames between the two neighbours have the
 * same duration; otherwise 0. */
static unsigned by_length(uint32_t below, uint32_t at, uint32_t above, unsigned packets)
{
    uint32_t span = above - below, length = span / packets;

    if (span % packets || !length || (above - at) % length)
        return 0;
    return (above - at) / length;
}

bool lt_red_history_place(const lt_red_history *history, const lt_rtp_header *primary,
                          uint32_t timestamp, unsigned back, uint16_t *sequence, bool *seen)
{
    uint32_t above_time = primary->timestamp, found;
    unsigned above = 0; /* distances before the primary */

    *seen = false;
    if (!later(primary->timestamp, timestamp))
        return false;
    for (unsigned distance = 1; distance <= REACH; distance++) {
        if (!look_up(history, (uint16_t)(primary->sequence - distance), &found))
            continue;
        if (found == timestamp) {
            *sequence = (uint16_t)(primary->sequence - distance);
            *seen = true;
            return true;
        }
        if (later(found, timestamp)) {
            above = distance;
            above_time = found;
            continue;
        }
        /* The frame is between the two. */
        unsigned exact = by_length(found, timestamp, above_time, distance - above);
        unsigned place = exact ? above + exact : above + 1 > back ? above + 1 : back;
        *sequence = (uint16_t)(primary->sequence - place);
        return place < distance;
    }
    unsigned place = above + 1 > back ? above + 1 : back;
    *sequence = (uint16_t)(primary->sequence - place);
    return place <= REACH;
}
