/* SPDX-License-Identifier: MIT */
/* Packets of one connection that the kernel was asked to tell about, until it has: its timestamps
 * name a byte, which is the last one of a frame. */
#ifndef LT_ENGINE_REPORTS_STAMPS_H
#define LT_ENGINE_REPORTS_STAMPS_H

#include "engine/packet.h"
#include <livetcp/engine.h>

/* Whoever waited for longer waits for nothing; see lt_stamps_room(). */
#define LT_STAMP_AGE_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Stamps of one moment may differ by this much, since they are in another clock than ours. */
#define LT_STAMP_TOLERANCE_US 1000

/* When a packet passed; INT64_MIN = not told. */
typedef struct lt_stamped {
    lt_packet *packet;
    uint32_t last_byte; /* modulo 2^32 */
    bool sent_again;
    livetcp_usec written_us; /* ours: before it was handed over */
    livetcp_usec scheduled_us, sent_us, acknowledged_us;
} lt_stamped;

typedef struct lt_stamps {
    lt_stamped *waiting; /* by position, oldest first; NULL until there is one */
    unsigned capacity, count;
} lt_stamps;

/* Whether one more can wait. When `capacity` do, and the oldest has for longer than anything can
 * take, all of them are forgotten. */
bool lt_stamps_room(lt_stamps *stamps, unsigned capacity, livetcp_usec now);

/* A packet that ends at that position of the stream was written; takes a reference of its own.
 * Without room or memory nothing happens. `capacity`: the same for each call. */
void lt_stamps_expect(lt_stamps *stamps, unsigned capacity, lt_packet *packet, uint64_t end,
                      livetcp_usec written_us);

/* Takes a stamp; nobody may have waited for it. False if it cannot be: its packet is not waited for
 * any more. An acknowledgement is the last one of a packet, and of all packets before it: those
 * that were not told about went out in one segment with it, since a segment has room for one
 * position. */
bool lt_stamps_take(lt_stamps *stamps, const livetcp_tx_timestamp *stamp, livetcp_usec now);

/* Whether there is a packet of which all is told, the oldest first. The reference in *whole is the
 * caller's then. Call it until it returns false after each stamp. */
bool lt_stamps_next(lt_stamps *stamps, lt_stamped *whole);

void lt_stamps_clear(lt_stamps *stamps);

#endif
