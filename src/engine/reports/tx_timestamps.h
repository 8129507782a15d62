/* SPDX-License-Identifier: MIT */
/* Packets of one connection that await kernel timestamps. A timestamp refers to a byte, the last
 * one of a frame. */
#ifndef LT_ENGINE_REPORTS_TX_TIMESTAMPS_H
#define LT_ENGINE_REPORTS_TX_TIMESTAMPS_H

#include "engine/packet.h"

#include <livetcp/engine.h>

/* A packet that has waited longer gets no timestamp any more; see lt_tx_timestamps_has_space(). */
#define LT_TIMESTAMP_AGE_MAX_US (60 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Maximum difference of two timestamps of one moment: the kernel's clock differs from ours. */
#define LT_TIMESTAMP_TOLERANCE_US 1000

/* Timestamps of a packet; INT64_MIN = unknown. */
typedef struct lt_timestamped {
    lt_packet *packet;
    uint32_t last_byte; /* modulo 2^32 */
    bool sent_again;
    livetcp_usec written_us; /* by our clock, taken before the write */
    livetcp_usec scheduled_us, sent_us, acknowledged_us;
} lt_timestamped;

/* Empty when zeroed. */
typedef struct lt_tx_timestamps {
    lt_timestamped *waiting; /* by position, oldest first; NULL before the first */
    unsigned capacity, count;
} lt_tx_timestamps;

/* True if one more packet can wait. If `capacity` packets wait, and the oldest has exceeded
 * LT_TIMESTAMP_AGE_MAX_US, all are dropped. */
bool lt_tx_timestamps_has_space(lt_tx_timestamps *timestamps, unsigned capacity, livetcp_usec now);

/* A packet was written that ends at byte `end` of the stream. Takes a reference of its own; without
 * space or memory it does nothing. `capacity` must be the same in each call. */
void lt_tx_timestamps_expect(lt_tx_timestamps *timestamps, unsigned capacity, lt_packet *packet,
                             uint64_t end, livetcp_usec written_us);

/* Takes a timestamp, of a waiting packet or not. False if it is impossible; its packet is dropped.
 * An acknowledgement is a packet's last timestamp, and completes all packets before it: those
 * without timestamps were sent in the same segment, since the kernel records one position per
 * segment. */
bool lt_tx_timestamps_take(lt_tx_timestamps *timestamps, const livetcp_tx_timestamp *timestamp,
                           livetcp_usec now);

/* Removes the oldest complete packet; *complete holds a reference for the caller. False if there is
 * none. Call it until then after each timestamp. */
bool lt_tx_timestamps_next(lt_tx_timestamps *timestamps, lt_timestamped *complete);

void lt_tx_timestamps_clear(lt_tx_timestamps *timestamps);

#endif
