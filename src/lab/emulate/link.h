/* SPDX-License-Identifier: MIT */
/* One direction of an emulated path: a model that packets go into and come out of, later or never.
 *
 *   offer -> loss -> policer -> queue, drop-tail or with an AQM -> transmitter (rate or trace)
 *         -> route, of several by flow -> propagation (delay, jitter) -> pop
 *
 * The model has no clock, socket or thread: `now` is an argument, in microseconds of any one clock,
 * and must not go backwards. The same parameters, seed and calls give the same result on every
 * machine. Not thread-safe: one thread at a time per link.
 *
 * Order: packets of a route leave in the order they were transmitted, whatever the jitter and
 * whatever changes meanwhile, unless params.reorder is set. A packet therefore never leaves before
 * one that is ahead of it, also when the delay has become shorter since. */
#ifndef LT_LAB_EMULATE_LINK_H
#define LT_LAB_EMULATE_LINK_H

#include "lab/emulate/ecn.h"
#include "lab/emulate/params.h"

typedef struct lt_link lt_link;

/* A packet offered to the link, which does not read its content. */
typedef struct lt_link_packet {
    void *packet;  /* owned by the caller; may be NULL */
    size_t size;   /* IP packet size in bytes, at most 1 GiB */
    lt_ecn ecn;    /* decides whether it can be marked */
    uint32_t flow; /* for fair queueing and routes: lt_flow_hash(), or another uniform hash */
} lt_link_packet;

/* Result of an offer. */
typedef enum lt_link_result {
    LT_LINK_TAKEN,           /* held until popped, or returned by lt_link_drop() */
    LT_LINK_LOST_RANDOM,     /* by the independent process, or by its route */
    LT_LINK_LOST_BURST,      /* lost by a Gilbert process */
    LT_LINK_LOST_OUTAGE,     /* link outage */
    LT_LINK_DROPPED_POLICER, /* above the policer's rate */
    LT_LINK_DROPPED_QUEUE,   /* queue full */
    LT_LINK_DROPPED_HELD,    /* LT_LINK_MAX_HELD packets held, or out of memory */
} lt_link_result;

enum { LT_LINK_MAX_HELD = 1 << 17 };

/* A packet that has reached the far end. */
typedef struct lt_link_delivery {
    void *packet;
    size_t size;
    bool marked;            /* the link set CE: apply lt_ecn_mark() to the packet */
    livetcp_usec arrival;   /* when it was offered */
    livetcp_usec departure; /* when it was due: at most `now` of the pop */
} lt_link_delivery;

typedef struct lt_link_counters {
    uint64_t in_packets, in_bytes;   /* pushed */
    uint64_t out_packets, out_bytes; /* popped */
    uint64_t lost_random;
    uint64_t lost_burst;
    uint64_t lost_outage;
    uint64_t dropped_policer;
    uint64_t dropped_queue;
    uint64_t dropped_aqm;
    uint64_t dropped_held;
    uint64_t marked;
    uint64_t queue_packets, queue_bytes;         /* current content, at the last call */
    uint64_t queue_max_packets, queue_max_bytes; /* maximum so far */
    livetcp_usec queue_max_delay;                /* longest stay in queue and transmitter */
    uint64_t flight_packets;                     /* in propagation, at the last call */
} lt_link_counters;

/* NULL if memory is out, the trace cannot be read, or lt_link_params_check() fails. */
lt_link *lt_link_create(const lt_link_params *params, uint64_t seed);

/* Drops the packets that it holds; take them back with lt_link_discard() first if they own
 * memory. */
void lt_link_destroy(lt_link **link);

/* Sets the origin of planned changes, outages and the trace to `now`. Before that no change or
 * outage happens, and the trace starts at 0 of the caller's clock. */
void lt_link_begin(lt_link *link, livetcp_usec now);

/* Offers a packet. The link returns packet->packet by lt_link_pop(), lt_link_drop() or
 * lt_link_discard() if and only if the result is LT_LINK_TAKEN. */
lt_link_result lt_link_offer(lt_link *link, livetcp_usec now, const lt_link_packet *packet);

/* Returns a packet that was dropped after acceptance: by an AQM, by fair queueing with a full
 * queue, or because of an outage at its transmission. False if there is none. Call it regularly
 * with such settings: the packets count towards LT_LINK_MAX_HELD. */
bool lt_link_drop(lt_link *link, void **packet);

/* Earliest time at which lt_link_pop() may return a packet, LIVETCP_NEVER if the link is empty.
 * Exact while nothing is changed or offered; with params.reorder, routes and planned changes it may
 * be early, never late. */
livetcp_usec lt_link_next(const lt_link *link);

/* Returns the next packet that is due at `now`; false if there is none. Call until false. */
bool lt_link_pop(lt_link *link, livetcp_usec now, lt_link_delivery *out);

/* Returns any packet, due or not, without counting it; false if the link is empty. */
bool lt_link_discard(lt_link *link, void **packet);

/* Sets parameters from `now` on. Propagating packets keep their departure time; waiting packets are
 * not dropped, even if the new queue is shorter or of another discipline; the packet in
 * transmission continues at the new rate. Changes planned in `params` for a past time do not
 * happen. On failure (lt_link_params_check(), an unreadable trace) nothing changes. */
livetcp_result lt_link_set(lt_link *link, livetcp_usec now, const lt_link_params *params,
                           livetcp_error *error);

void lt_link_get_params(const lt_link *link, lt_link_params *out);
void lt_link_get_counters(const lt_link *link, lt_link_counters *out);

#endif
