/* SPDX-License-Identifier: MIT */
#include "engine/reports/stamps.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN INT64_MIN

static void forget_all(lt_stamps *stamps)
{
    for (unsigned i = 0; i < stamps->count; i++)
        lt_packet_unref(&stamps->waiting[i].packet);
    stamps->count = 0;
}

static void forget(lt_stamps *stamps, unsigned position)
{
    lt_stamped *entry = &stamps->waiting[position];

    lt_packet_unref(&entry->packet);
    stamps->count--;
    memmove(entry, entry + 1, (stamps->count - position) * sizeof *entry);
}

bool lt_stamps_room(lt_stamps *stamps, unsigned capacity, livetcp_usec now)
{
    if (stamps->count < capacity)
        return true;
    if (now - stamps->waiting[0].written_us > LT_STAMP_AGE_MAX_US)
        forget_all(stamps);
    return stamps->count < capacity;
}

void lt_stamps_expect(lt_stamps *stamps, unsigned capacity, lt_packet *packet, uint64_t end,
                      livetcp_usec written_us)
{
    if (!stamps->waiting) {
        stamps->waiting = calloc(capacity, sizeof *stamps->waiting);
        stamps->capacity = stamps->waiting ? capacity : 0;
    }
    if (stamps->count == stamps->capacity)
        return;
    stamps->waiting[stamps->count++] = (lt_stamped){.packet = lt_packet_ref(packet),
                                                    .last_byte = (uint32_t)(end - 1),
                                                    .written_us = written_us,
                                                    .scheduled_us = UNKNOWN,
                                                    .sent_us = UNKNOWN,
                                                    .acknowledged_us = UNKNOWN};
}

/* What waits spans far less than 2^32 bytes, so that positions are told apart by their end. */
static lt_stamped *find(lt_stamps *stamps, uint32_t byte)
{
    for (unsigned i = stamps->count; i-- > 0;)
        if (stamps->waiting[i].last_byte == byte)
            return &stamps->waiting[i];
    return NULL;
}

/* A time that cannot be before `earliest`: what the clocks differ by is left out. False if it is
 * too early all the same. */
static bool not_before(livetcp_usec earliest, livetcp_usec *at)
{
    if (earliest == UNKNOWN)
        return true;
    if (*at < earliest - LT_STAMP_TOLERANCE_US)
        return false;
    if (*at < earliest)
        *at = earliest;
    return true;
}

/* The first time counts: later ones are retransmissions. */
static bool note(lt_stamped *entry, livetcp_tx_timestamp_kind kind, livetcp_usec at)
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

/* Some interfaces do not tell when they send. */
static void complete(lt_stamps *stamps, unsigned position)
{
    lt_stamped *last = &stamps->waiting[position];

    fill(&last->sent_us, last->scheduled_us);
    for (unsigned i = 0; i < position; i++) {
        lt_stamped *earlier = &stamps->waiting[i];
        if (earlier->sent_us == UNKNOWN) {
            fill(&earlier->scheduled_us, last->scheduled_us);
            fill(&earlier->sent_us, last->sent_us);
            earlier->sent_again = last->sent_again;
        }
        fill(&earlier->acknowledged_us, last->acknowledged_us);
    }
}

bool lt_stamps_take(lt_stamps *stamps, const livetcp_tx_timestamp *stamp, livetcp_usec now)
{
    lt_stamped *entry = stamp->kind == LIVETCP_TX_OTHER ? NULL : find(stamps, stamp->byte);

    if (!entry)
        return true;
    unsigned position = (unsigned)(entry - stamps->waiting);
    if (stamp->at_us > now + LT_STAMP_TOLERANCE_US || !note(entry, stamp->kind, stamp->at_us)) {
        forget(stamps, position);
        return false;
    }
    if (stamp->kind == LIVETCP_TX_ACKNOWLEDGED)
        complete(stamps, position);
    return true;
}

bool lt_stamps_next(lt_stamps *stamps, lt_stamped *whole)
{
    while (stamps->count && stamps->waiting[0].acknowledged_us != UNKNOWN) {
        *whole = stamps->waiting[0];
        bool known = whole->sent_us != UNKNOWN;
        if (known)
            stamps->waiting[0].packet = NULL;
        forget(stamps, 0);
        if (known)
            return true;
    }
    return false;
}

void lt_stamps_clear(lt_stamps *stamps)
{
    forget_all(stamps);
    free(stamps->waiting);
    *stamps = (lt_stamps){.waiting = NULL};
}
