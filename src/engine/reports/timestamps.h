/* SPDX-License-Identifier: MIT */
/* Delay components measured by kernel timestamps: which packets are sampled, and the averages. */
#ifndef LT_ENGINE_REPORTS_TIMESTAMPS_H
#define LT_ENGINE_REPORTS_TIMESTAMPS_H

#include "base/rng.h"
#include "engine/reports/delays.h"
#include "engine/reports/tx_timestamps.h"

/* One connection. Times are INT64_MIN where there is none. */
typedef struct lt_timestamp_slot {
    bool available;                 /* its socket reports timestamps */
    lt_tx_timestamps waiting;       /* written, unacknowledged packets */
    livetcp_usec write_us;          /* of the current write, if the kernel takes timestamps of it */
    lt_ewma round_trip;             /* of packets without repair */
    livetcp_usec min_round_trip_us; /* of all packets; INT64_MAX = none */
    livetcp_usec read_us;           /* arrival at the host of the newest packet read */
    lt_ewma read_gap;               /* from one packet's arrival to the next */
} lt_timestamp_slot;

typedef struct lt_timestamps {
    livetcp_timestamps mode;
    lt_rng *rng;
    lt_timestamp_slot slots[LIVETCP_MAX_CONNECTIONS];

    /* Sampling. */
    unsigned skip;           /* packets up to and including the next sample */
    unsigned passed;         /* packets since counted_us */
    livetcp_usec counted_us; /* INT64_MIN = none yet */
    double expected;         /* packets per sampling interval */

    /* Averages of sent packets (`buffer` includes `interface`) and received ones. */
    lt_ewma buffer, interface, network, repair;
    lt_ewma reading, arrived_repair;
    livetcp_usec sent_us, received_us; /* times of the last samples; INT64_MIN = none */
    uint64_t packets, reads, invalid;
} lt_timestamps;

/* `rng` must outlive *timestamps. */
void lt_timestamps_init(lt_timestamps *timestamps, livetcp_timestamps mode, lt_rng *rng);
void lt_timestamps_clear(lt_timestamps *timestamps);

/* As the functions of the same names in reports.h; on_written() for media only. `repairing`: TCP
 * was repairing a loss at the last path info. */
void lt_timestamps_reset_slot(lt_timestamps *timestamps, unsigned slot);
void lt_timestamps_available(lt_timestamps *timestamps, unsigned slot);
bool lt_timestamps_wanted(lt_timestamps *timestamps, unsigned slot, const lt_packet *finishing,
                          livetcp_usec now);
void lt_timestamps_on_written(lt_timestamps *timestamps, unsigned slot, lt_packet *packet,
                              uint64_t end, livetcp_usec now);
void lt_timestamps_on_tx(lt_timestamps *timestamps, const livetcp_path *path, bool repairing,
                         const livetcp_tx_timestamp *timestamp, livetcp_usec now);
void lt_timestamps_on_read(lt_timestamps *timestamps, unsigned slot,
                           const livetcp_rx_timestamp *timestamp, unsigned packets,
                           livetcp_usec now);

/* Replaces inferred components of sent packets by measured ones, where recent ones exist. */
void lt_timestamps_refine_sent(const lt_timestamps *timestamps, livetcp_delays *delays,
                               livetcp_usec now);

/* The measured time that received packets waited for repair, or else `inferred_us`. */
livetcp_usec lt_timestamps_received_repair(const lt_timestamps *timestamps,
                                           livetcp_usec inferred_us, livetcp_usec now);

void lt_timestamps_gather(const lt_timestamps *timestamps, livetcp_session_stats *stats,
                          livetcp_usec now);

#endif
