/* SPDX-License-Identifier: MIT */
/* Events for the engine's owner: every component adds some, livetcp_engine_next_event() takes them
 * out in order. */
#ifndef LT_ENGINE_EVENTS_H
#define LT_ENGINE_EVENTS_H

#include <livetcp/engine.h>

/* The owner empties the ring after every call that may add events, so this is ample. On overflow,
 * session states are kept at the expense of the oldest event, and others are dropped. */
#define LT_EVENTS_MAX 256

typedef struct lt_events {
    livetcp_engine_event ring[LT_EVENTS_MAX];
    unsigned first, count;
} lt_events;

void lt_events_add(lt_events *events, const livetcp_engine_event *event);

/* False if there is none. */
bool lt_events_take(lt_events *events, livetcp_engine_event *event);

#endif
