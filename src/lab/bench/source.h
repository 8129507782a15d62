/* SPDX-License-Identifier: MIT */
/* What one end of a run sends: packets on time, or as many as the transport takes. */
#ifndef LT_LAB_BENCH_SOURCE_H
#define LT_LAB_BENCH_SOURCE_H

#include "lab/bench/red.h"
#include "lab/bench/shared.h"
#include "lab/emulate/path.h"

#include <pthread.h>

typedef struct lt_source {
    const lt_plan *plan;
    lt_shared *shared;
    lt_endpoint_report *report;
    lt_transport *transport;
    lt_red *red;
    lt_media_direction way; /* of the streams that this end sends */
    livetcp_usec start;
    uint32_t round;       /* at a constant bit rate: index of the next packet of every stream */
    pthread_mutex_t lock; /* greedy: what follows, which the transport's thread uses, too */
    uint8_t **packets;    /* one prepared packet per stream of that way, else NULL */
    uint32_t *next;       /* index of the next packet, by stream */
    bool open;            /* greedy: between the start and the end of the run */
} lt_source;

/* `plan` and `shared` must outlive the source. To be cleared whatever the result. */
livetcp_result lt_source_init(lt_source *source, const lt_plan *plan, lt_shared *shared, lt_end end,
                              uint64_t seed, livetcp_error *error);
void lt_source_clear(lt_source *source);

/* Starts to send by `transport`, with the redundancy of `red`; both must outlive what follows. */
void lt_source_start(lt_source *source, lt_transport *transport, lt_red *red, livetcp_usec start);

/* Sends what is due before the packet `index` is, and returns when the run is `until` old. */
void lt_source_run(lt_source *source, uint32_t index, livetcp_usec until);

/* Sends no more. */
void lt_source_stop(lt_source *source);

/* The transport has room for more packets of a flow. Any thread. */
void lt_source_drained(lt_source *source, unsigned flow);

#endif
