/* SPDX-License-Identifier: MIT */
/* Shared memory of a run's processes: one mapping per scheme, created before they are forked. Each
 * field has one writer. */
#ifndef LT_LAB_BENCH_SHARED_H
#define LT_LAB_BENCH_SHARED_H

#include "lab/bench/plan.h"
#include "lab/bench/stall.h"
#include "lab/bench/transport.h"

/* A packet. Zero = never; times are CLOCK_MONOTONIC. Fields that one process writes while another
 * one reads are accessed by lt_shared_load() and lt_shared_store(). */
typedef struct lt_record {
    livetcp_usec sent;    /* by the sender, just before sending */
    livetcp_usec arrival; /* by the receiver, in the callback */
    livetcp_usec copy;    /* arrival of the first packet that repeats it */
    uint32_t size;        /* by the sender: bytes without framing */
    uint32_t frame;       /* adaptive: frame number */
    uint32_t rate;        /* bit/s, of the encoder at that frame */
} lt_record;

typedef struct lt_endpoint_report {
    livetcp_error error; /* reason of the failure, with code != 0 */
    lt_transport_totals totals;
    livetcp_usec cpu;     /* used in the measured time, without the stall watch */
    uint64_t media_bytes; /* of packets that the transport accepted, without framing */
    int64_t sent;         /* packets, warm-up included */
    int64_t arrived;      /* of the other end's packets */
    uint64_t repeated;    /* packets delivered to the application more than once */
    uint64_t foreign;     /* packets not from the bench */
    lt_stall_log stalls;
} lt_endpoint_report;

typedef struct lt_background_report {
    livetcp_error error;
    uint64_t ftp_bytes; /* received during the measured time */
    uint64_t web_bytes;
    uint64_t peer_bytes;
    uint64_t mice_bytes;
    uint64_t cbr_bytes; /* of UDP, without headers */
} lt_background_report;

typedef struct lt_shared {
    size_t mapped; /* bytes of the mapping */
    uint16_t ports[LT_BENCH_MAX_FLOWS];
    uint16_t background_port;
    uint16_t mice_port, cbr_port;
    lt_endpoint_report endpoint[2];     /* by lt_end */
    lt_background_report background[2]; /* by lt_end */
    lt_record records[];                /* of stream 0, stream 1, ... */
} lt_shared;

livetcp_result lt_shared_create(lt_shared **shared, const lt_plan *plan, livetcp_error *error);

/* Clears *shared, which may already be NULL. */
void lt_shared_destroy(lt_shared **shared);

static inline int64_t lt_shared_load(const int64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static inline void lt_shared_store(int64_t *value, int64_t to)
{
    __atomic_store_n(value, to, __ATOMIC_RELAXED);
}

static inline lt_record *lt_shared_record(lt_shared *shared, const lt_plan *plan, unsigned stream,
                                          uint32_t index)
{
    return &shared->records[(size_t)stream * plan->packets + index];
}

/* Scheduled time of a packet, on the clock of the run's `start`. */
livetcp_usec lt_shared_due(const lt_record *record, const lt_plan *plan, unsigned stream,
                           uint32_t index, livetcp_usec start);

#endif
