/* SPDX-License-Identifier: MIT */
/* Events on their way to the owner: every part of the engine adds some, livetcp_engine_next_event()
 * takes them out in order. */
#ifndef LT_ENGINE_EVENTS_H
#define LT_ENGINE_EVENTS_H

#include <livetcp/engine.h>

/* Every call that adds some is followed by the owner's next_event(), so this is ample. Should it
 * overflow all the same, states of the session are kept and others are lost. */
#define LT_EVENTS_MAX 256

typedef struct lt_events {
    livetcp_engine_event ring[LT_EVENTS_MAX];
    unsigned first, count;
} lt_events;

void lt_events_add(lt_events *events, const livetcp_engine_event *event);

/* False if there is none. */
bool lt_events_take(lt_events *events, livetcp_engine_event *event);

#endif
