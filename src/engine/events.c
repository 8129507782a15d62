/* SPDX-License-Identifier: MIT */
#include "engine/events.h"

void lt_events_add(lt_events *events, const livetcp_engine_event *event)
{
    if (events->count == LT_EVENTS_MAX) {
        if (event->type != LIVETCP_ENGINE_SESSION_STATE)
            return;
        events->first = (events->first + 1) % LT_EVENTS_MAX;
        events->count--;
    }
    events->ring[(events->first + events->count++) % LT_EVENTS_MAX] = *event;
}

bool lt_events_take(lt_events *events, livetcp_engine_event *event)
{
    if (!events->count)
        return false;
    *event = events->ring[events->first];
    events->first = (events->first + 1) % LT_EVENTS_MAX;
    events->count--;
    return true;
}
