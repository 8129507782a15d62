/* SPDX-License-Identifier: MIT */
/* The source at one end of a run: packets or frames on time, or as many as the transport takes. */
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
    uint32_t round;       /* on time: index of the next packet or frame of every stream */
    pthread_mutex_t lock; /* greedy: what follows, which the transport's thread uses, too */
    uint8_t **packets;    /* one prepared packet per stream of that way, else NULL */
    uint32_t *next;       /* index of the next packet, by stream */
    lt_encoder *encoders; /* adaptive: of each stream */
    int64_t *rates;       /* bit/s, told by the transport, of each flow; 0 = not yet */
    int64_t *keys;        /* key frames that each flow's receiver has asked for */
    int64_t *keys_sent;   /* of these, those that the encoders know of */
    lt_source_join *join; /* of each flow that joins late: what is under way */
    const char *far_address;
    livetcp_error failure; /* a late flow that could not connect; code 0 = none */
    bool open;             /* greedy: between the start and the end of the run */
} lt_source;

/* `plan` and `shared` must outlive the source. To be cleared whatever the result. */
livetcp_result lt_source_init(lt_source *source, const lt_plan *plan, lt_shared *shared, lt_end end,
                              uint64_t seed, livetcp_error *error);
void lt_source_clear(lt_source *source);

/* Starts to send by `transport`, with the redundancy of `red`, to `far_address`, where flows that
 * join late connect to; all must outlive what follows. */
void lt_source_start(lt_source *source, lt_transport *transport, lt_red *red,
                     const char *far_address, livetcp_usec start);

/* Sends what is due before packet or frame `index` is, and returns when the run is `until` old. */
void lt_source_run(lt_source *source, uint32_t index, livetcp_usec until);

/* Sends no more. */
void lt_source_stop(lt_source *source);

/* The transport has room for more packets of a flow. Any thread. */
void lt_source_drained(lt_source *source, unsigned flow);

/* What encoders of a flow have to keep to, in bit/s. Any thread. */
void lt_source_set_rate(lt_source *source, unsigned flow, uint32_t rate);

/* The receiver of a flow lacks a reference. Any thread. */
void lt_source_want_key(lt_source *source, unsigned flow);

#endif
