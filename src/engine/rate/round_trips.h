/* SPDX-License-Identifier: MIT */
/*
 * Round trips of one connection, each of its own packet: from the write of its last byte to the
 * platform's report of its delivery. TCP's average round trip follows a connection that sends ten
 * packets a second a second later; these show a queue while it grows.
 */
#ifndef LT_ENGINE_RATE_ROUND_TRIPS_H
#define LT_ENGINE_RATE_ROUND_TRIPS_H

#include "engine/links/recent_min.h"
#include "engine/rate/frame_bursts.h"

#include <livetcp/policy.h>

#define LT_ROUND_TRIP_MARKS 64

/* A write of `size` bytes at `at_us`, which ends at byte `end` of the connection. */
typedef struct lt_write_mark {
    uint64_t end;
    livetcp_usec at_us;
    uint32_t size;
    lt_burst_place place;
    bool waits; /* in the kernel, for a window: a part of its round trip is not the path's */
} lt_write_mark;

typedef struct lt_round_trips {
    uint64_t written, delivered;              /* bytes of the connection */
    lt_write_mark marks[LT_ROUND_TRIP_MARKS]; /* a ring of undelivered writes */
    unsigned first, count;
    livetcp_usec asked_us;    /* when the platform was last asked */
    livetcp_usec repaired_us; /* when a loss was last seen under repair */
    uint64_t retransmitted;   /* segments, then */
    lt_recent_min base;       /* minimum round trip */
    livetcp_usec shared_us;   /* of its route; LIVETCP_NEVER = not shared */
} lt_round_trips;

void lt_round_trips_init(lt_round_trips *trips);

/* `path` as it was before the write. */
void lt_round_trips_wrote(lt_round_trips *trips, const livetcp_path *path, size_t size,
                          lt_burst_place place, livetcp_usec now);

/* Excess of the newest round trip over the path's own. LIVETCP_NEVER = none ended. */
typedef struct lt_queue_samples {
    livetcp_usec queue_us; /* less the time that the packet itself takes */
    livetcp_usec busy_us;  /* with it */
    livetcp_usec exact_us; /* the same if it did not wait for a window: TCP smooths those */
    livetcp_usec sent_us;  /*   and when it was written */
    lt_burst_place place;  /*   in a burst */
} lt_queue_samples;

/* Takes path info. Returns the bytes delivered since the last call, and sets *samples to those of
 * the round trips that ended since. `rate`: of the path, for a packet's own time; bytes per second,
 * 0 = not known. */
uint64_t lt_round_trips_update(lt_round_trips *trips, const livetcp_path *path, double rate,
                               livetcp_usec now, lt_queue_samples *samples);

/* The route has become longer by `longer_us`, which is added to the minimum. */
void lt_round_trips_lengthen(lt_round_trips *trips, livetcp_usec longer_us, livetcp_usec now);

/* The least minimum of the connections on the same route counts; LIVETCP_NEVER = the own. Where an
 * encoder fills the path, few of a connection's packets meet an empty queue. Sessions that share
 * the path would take a part of its queue for the path's own round trip, those that came last most
 * of all. */
void lt_round_trips_share_base(lt_round_trips *trips, livetcp_usec least_us);

/* The recent minimum of this connection. */
livetcp_usec lt_round_trips_own_base(const lt_round_trips *trips);

/* Prolongs the memory of the minimum: a queue of others may stand for any time, and a longer route
 * is judged by what is above it. */
void lt_round_trips_keep_base(lt_round_trips *trips, livetcp_usec now);

/* The recent minimum: the path's own, without queues. LIVETCP_NEVER = not known. */
livetcp_usec lt_round_trips_base(const lt_round_trips *trips);

#endif
