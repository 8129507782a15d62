/* SPDX-License-Identifier: MIT */
/* Packets held by a link: a FIFO that waits for the transmitter, and a heap of packets in flight,
 * ordered by departure. Both grow by doubling and never shrink, so that a link in steady state does
 * not allocate. */
#ifndef LT_LAB_EMULATE_HELD_H
#define LT_LAB_EMULATE_HELD_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lt_held {
    void *packet;           /* the caller's */
    uint32_t size;          /* bytes */
    uint32_t flow;          /* see lt_flow_hash() */
    uint8_t ecn;            /* lt_ecn, on arrival */
    uint8_t route;          /* equal-cost route, by flow */
    bool marked;            /* CE was set by this link */
    double spread;          /* random value in [0, 1) for the jitter */
    livetcp_usec arrival;   /* when it was offered */
    livetcp_usec departure; /* set when it leaves the transmitter */
    uint64_t order;         /* breaks ties between equal departures */
} lt_held;

typedef struct lt_fifo {
    lt_held *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t head;
    size_t count;
    uint64_t bytes;
} lt_fifo;

bool lt_fifo_push(lt_fifo *fifo, const lt_held *held); /* false: out of memory */
bool lt_fifo_reserve(lt_fifo *fifo, size_t count); /* total capacity; pushes within it succeed */
bool lt_fifo_pop(lt_fifo *fifo, lt_held *out);
void lt_fifo_clear(lt_fifo *fifo);

typedef struct lt_flight {
    lt_held *slots;
    size_t capacity;
    size_t count;
} lt_flight;

/* Reserves space for `count` packets in total; lt_flight_push() requires space. */
bool lt_flight_reserve(lt_flight *flight, size_t count);
void lt_flight_push(lt_flight *flight, const lt_held *held);
const lt_held *lt_flight_first(const lt_flight *flight); /* NULL if empty */
bool lt_flight_pop(lt_flight *flight, lt_held *out);
void lt_flight_clear(lt_flight *flight);

#endif
