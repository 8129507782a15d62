/* SPDX-License-Identifier: MIT */
/* Packets of one connection whose kernel timestamps are awaited. A timestamp names a byte: the last
 * one of a frame. */
#ifndef LT_ENGINE_REPORTS_TX_TIMESTAMPS_H
#define LT_ENGINE_REPORTS_TX_TIMESTAMPS_H

#include "engine/packet.h"

#include <livetcp/engine.h>

/* A packet that has waited longer gets none any more; see lt_tx_timestamps_has_room(). */
#define LT_TIMESTAMP_AGE_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Timestamps of one moment may differ by this much, since their clock is not ours. */
#define LT_TIMESTAMP_TOLERANCE_US 1000

/* When a packet passed; INT64_MIN = not known. */
typedef struct lt_timestamped {
    lt_packet *packet;
    uint32_t last_byte; /* modulo 2^32 */
    bool sent_again;
    livetcp_usec written_us; /* by our clock: before the write */
    livetcp_usec scheduled_us, sent_us, acknowledged_us;
} lt_timestamped;

/* Zero is empty. */
typedef struct lt_tx_timestamps {
    lt_timestamped *waiting; /* by position, oldest first; NULL until there is one */
    unsigned capacity, count;
} lt_tx_timestamps;

/* True if one more packet can wait. If `capacity` packets do, and the oldest has waited too long,
 * all of them are forgotten. */
bool lt_tx_timestamps_has_room(lt_tx_timestamps *timestamps, unsigned capacity, livetcp_usec now);

/* A packet was written that ends at that position of the stream. Takes a reference of its own;
 * without space or memory it does nothing. `capacity` must be the same in each call. */
void lt_tx_timestamps_expect(lt_tx_timestamps *timestamps, unsigned capacity, lt_packet *packet,
                             uint64_t end, livetcp_usec written_us);

/* Takes a timestamp, which need not belong to a waiting packet. Returns false if it is impossible:
 * its packet is forgotten. An acknowledgement is a packet's last timestamp, and completes all
 * packets before it: those without timestamps of their own went out in one segment with it, since
 * the kernel remembers one position a segment. */
bool lt_tx_timestamps_take(lt_tx_timestamps *timestamps, const livetcp_tx_timestamp *timestamp,
                           livetcp_usec now);

/* Hands out the oldest complete packet; the reference in *complete is the caller's. False if there
 * is none. Call it until then after each timestamp. */
bool lt_tx_timestamps_next(lt_tx_timestamps *timestamps, lt_timestamped *complete);

void lt_tx_timestamps_clear(lt_tx_timestamps *timestamps);

#endif
