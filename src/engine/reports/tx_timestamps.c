/* SPDX-License-Identifier: MIT */
#include "engine/reports/tx_timestamps.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN INT64_MIN

static void forget_all(lt_tx_timestamps *timestamps)
{
    for (unsigned i = 0; i < timestamps->count; i++)
        lt_packet_unref(&timestamps->waiting[i].packet);
    timestamps->count = 0;
}

static void forget(lt_tx_timestamps *timestamps, unsigned position)
{
    lt_timestamped *entry = &timestamps->waiting[position];

    lt_packet_unref(&entry->packet);
    timestamps->count--;
    memmove(entry, entry + 1, (timestamps->count - position) * sizeof *entry);
}

bool lt_tx_timestamps_has_space(lt_tx_timestamps *timestamps, unsigned capacity, livetcp_usec now)
{
    if (timestamps->count < capacity)
        return true;
    if (now - timestamps->waiting[0].written_us > LT_TIMESTAMP_AGE_MAX_US)
        forget_all(timestamps);
    return timestamps->count < capacity;
}

void lt_tx_timestamps_expect(lt_tx_timestamps *timestamps, unsigned capacity, lt_packet *packet,
                             uint64_t end, livetcp_usec written_us)
{
    if (!timestamps->waiting) {
        timestamps->waiting = calloc(capacity, sizeof *timestamps->waiting);
        timestamps->capacity = timestamps->waiting ? capacity : 0;
    }
    if (timestamps->count == timestamps->capacity)
        return;
    timestamps->waiting[timestamps->count++] = (lt_timestamped){.packet = lt_packet_ref(packet),
                                                                .last_byte = (uint32_t)(end - 1),
                                                                .written_us = written_us,
                                                                .scheduled_us = UNKNOWN,
                                                                .sent_us = UNKNOWN,
                                                                .acknowledged_us = UNKNOWN};
}

/* Waiting packets span far less than 2^32 bytes, so the last byte identifies a position. */
static lt_timestamped *find(lt_tx_timestamps *timestamps, uint32_t byte)
{
    for (unsigned i = timestamps->count; i-- > 0;)
        if (timestamps->waiting[i].last_byte == byte)
            return &timestamps->waiting[i];
    return NULL;
}

/* Clamps a time to `earliest`, within the tolerance of the two clocks. False if it is earlier than
 * that. */
static bool not_before(livetcp_usec earliest, livetcp_usec *at)
{
    if (earliest == UNKNOWN)
        return true;
    if (*at < earliest - LT_TIMESTAMP_TOLERANCE_US)
        return false;
    if (*at < earliest)
        *at = earliest;
    return true;
}

/* The first timestamp counts; later ones are those of retransmissions. */
static bool record(lt_timestamped *entry, livetcp_tx_timestamp_kind kind, livetcp_usec at)
{
    bool valid = not_before(entry->written_us, &at);

    if (kind == LIVETCP_TX_SCHEDULED) {
        if (entry->scheduled_us == UNKNOWN)
            entry->scheduled_us = at;
    } else if (kind == LIVETCP_TX_SENT) {
        valid = valid && not_before(entry->scheduled_us, &at);
        entry->sent_again = entry->sent_us != UNKNOWN;
        if (!entry->sent_again)
            entry->sent_us = at;
    } else {
        valid = valid && not_before(entry->scheduled_us, &at) && not_before(entry->sent_us, &at);
        entry->acknowledged_us = at;
    }
    return valid;
}

static void fill(livetcp_usec *time, livetcp_usec with)
{
    if (*time == UNKNOWN)
        *time = with;
}

/* Some network interfaces report no transmission time: missing times are filled from the next
 * earlier stage. */
static void complete_up_to(lt_tx_timestamps *timestamps, unsigned position)
{
    lt_timestamped *last = &timestamps->waiting[position];

    fill(&last->sent_us, last->scheduled_us);
    for (unsigned i = 0; i < position; i++) {
        lt_timestamped *earlier = &timestamps->waiting[i];
        if (earlier->sent_us == UNKNOWN) {
            fill(&earlier->scheduled_us, last->scheduled_us);
            fill(&earlier->sent_us, last->sent_us);
            earlier->sent_again = last->sent_again;
        }
        fill(&earlier->acknowledged_us, last->acknowledged_us);
    }
}

bool lt_tx_timestamps_take(lt_tx_timestamps *timestamps, const livetcp_tx_timestamp *timestamp,
                           livetcp_usec now)
{
    lt_timestamped *entry =
        timestamp->kind == LIVETCP_TX_OTHER ? NULL : find(timestamps, timestamp->byte);

    if (!entry)
        return true;
    unsigned position = (unsigned)(entry - timestamps->waiting);
    if (timestamp->at_us > now + LT_TIMESTAMP_TOLERANCE_US ||
        !record(entry, timestamp->kind, timestamp->at_us)) {
        forget(timestamps, position);
        return false;
    }
    if (timestamp->kind == LIVETCP_TX_ACKNOWLEDGED)
        complete_up_to(timestamps, position);
    return true;
}

bool lt_tx_timestamps_next(lt_tx_timestamps *timestamps, lt_timestamped *complete)
{
    while (timestamps->count && timestamps->waiting[0].acknowledged_us != UNKNOWN) {
        *complete = timestamps->waiting[0];
        bool known = complete->sent_us != UNKNOWN;
        if (known)
            timestamps->waiting[0].packet = NULL;
        forget(timestamps, 0);
        if (known)
            return true;
    }
    return false;
}

void lt_tx_timestamps_clear(lt_tx_timestamps *timestamps)
{
    forget_all(timestamps);
    free(timestamps->waiting);
    *timestamps = (lt_tx_timestamps){.waiting = NULL};
}
