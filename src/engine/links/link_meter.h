/* SPDX-License-Identifier: MIT */
/* Rate, loss and share of each link over the last seconds, for statistics. */
#ifndef LT_ENGINE_LINKS_LINK_METER_H
#define LT_ENGINE_LINKS_LINK_METER_H

#include <livetcp/engine.h>

typedef struct lt_link_counts {
    uint64_t written;                      /* bytes */
    double segments, retransmitted, spent; /* exponentially decayed; `spent` in bytes */
    uint64_t seen;                         /* value of `written` at since_us */
    livetcp_usec since_us; /* start of the current rate measurement; INT64_MIN = none */
    double rate;           /* bytes per second */
} lt_link_counts;

typedef struct lt_link_meter {
    lt_link_counts links[LIVETCP_MAX_LINKS];
    uint64_t retransmitted[LIVETCP_MAX_CONNECTIONS]; /* retransmissions of the slot's connection, as
                                                        last reported */
} lt_link_meter;

void lt_link_meter_init(lt_link_meter *meter);
void lt_link_meter_wrote(lt_link_meter *meter, const livetcp_path *path, size_t size,
                         livetcp_usec now);
void lt_link_meter_on_path_info(lt_link_meter *meter, unsigned slot, const livetcp_path *path);
void lt_link_meter_reset_slot(lt_link_meter *meter, unsigned slot);

/* Fills in rate, loss and share. */
void lt_link_meter_gather(const lt_link_meter *meter, unsigned link, livetcp_usec now,
                          livetcp_link_stats *stats);

#endif
