/* SPDX-License-Identifier: MIT */
/* The source at one end of a run: packets or frames on time, with speech beside them, or as many
 * packets as the transport takes. */
#ifndef LT_LAB_BENCH_SOURCE_H
#define LT_LAB_BENCH_SOURCE_H

#include "lab/bench/red.h"
#include "lab/bench/shared.h"
#include "lab/emulate/path.h"

#include <pthread.h>

typedef enum lt_source_join { LT_JOIN_NOT_YET, LT_JOIN_CONNECTING, LT_JOIN_READY } lt_source_join;

typedef struct lt_source {
    const lt_plan *plan;
    lt_shared *shared;
    lt_endpoint_report *report;
    lt_transport *transport;
    lt_red *red;
    lt_media_direction way; /* of the streams that this end sends */
    livetcp_usec start;
    uint32_t round; /* not greedy: index of the next packet or frame of each stream */
    pthread_mutex_t
        lock; /* greedy: of the following members, which the transport's thread also uses */
    uint8_t **packets;    /* one prepared packet per stream of this end, else NULL */
    uint32_t *next;       /* index of the next packet, by stream */
    lt_encoder *encoders; /* adaptive: of each stream */
    int64_t *rates;       /* bit/s per flow, from the transport; 0 = not yet */
    int64_t *keys;        /* key frames requested per flow */
    int64_t *keys_sent;   /* of these, passed to the encoders */
    lt_source_join *join; /* of each flow that joins late */
    const char *far_address;
    livetcp_error failure; /* a late flow that failed to connect; code 0 = none */
    bool open;             /* greedy: the run is in progress */
} lt_source;

/* `plan` and `shared` must outlive the source. Clear it whatever the result. */
livetcp_result lt_source_init(lt_source *source, const lt_plan *plan, lt_shared *shared, lt_end end,
                              uint64_t seed, livetcp_error *error);
void lt_source_clear(lt_source *source);

/* Sets where to send: `transport`, with the redundancy of `red`; `far_address` is for flows that
 * join late. All must outlive the source. */
void lt_source_start(lt_source *source, lt_transport *transport, lt_red *red,
                     const char *far_address, livetcp_usec start);

/* Sends everything due before packet or frame `index`, and returns when the run has lasted
 * `until`. */
void lt_source_run(lt_source *source, uint32_t index, livetcp_usec until);

/* Stops sending. */
void lt_source_stop(lt_source *source);

/* The transport accepts more packets of a flow. Any thread. */
void lt_source_drained(lt_source *source, unsigned flow);

/* Sets the bit rate for encoders of a flow. Any thread. */
void lt_source_set_rate(lt_source *source, unsigned flow, uint32_t rate);

/* The receiver of a flow requests a key frame. Any thread. */
void lt_source_want_key(lt_source *source, unsigned flow);

#endif
