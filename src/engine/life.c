/* SPDX-License-Identifier: MIT */
#include "engine/life.h"

void lt_life_init(lt_life *life, lt_events *events)
{
    *life = (lt_life){.events = events, .abandoned_at_us = LIVETCP_NEVER};
}

static void set_state(lt_life *life, livetcp_session_state state, livetcp_result reason)
{
    if (life->state == state)
        return;
    life->state = state;
    lt_events_add(life->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_SESSION_STATE,
                                                        .state.session = state,
                                                        .reason = reason});
}

bool lt_life_update(lt_life *life, const lt_life_view *view, livetcp_usec now)
{
    if (view->open) {
        life->abandoned_at_us = LIVETCP_NEVER;
        set_state(life, LIVETCP_SESSION_OPEN, LIVETCP_OK);
        return false;
    }
    if (life->state == LIVETCP_SESSION_OPEN && !view->caller) {
        life->abandoned_at_us = now + view->linger_us;
        if (view->linger_us == 0)
            return true;
    }
    if (view->caller && !view->future)
        return true;
    set_state(life, LIVETCP_SESSION_CONNECTING, view->last_loss);
    return false;
}

void lt_life_close(lt_life *life, livetcp_result reason, livetcp_usec until_us)
{
    life->reason = reason;
    life->closing = true;
    life->until_us = until_us;
}

bool lt_life_on_goodbye(lt_life *life, livetcp_usec until_us)
{
    if (life->peer_ended)
        return false;
    lt_life_close(life, LIVETCP_ERR_CLOSED, until_us);
    life->peer_ended = true;
    return true;
}

bool lt_life_is_over(const lt_life *life, bool written, bool open, livetcp_usec now)
{
    return (life->peer_ended ? !open : written) || now >= life->until_us;
}

void lt_life_end(lt_life *life)
{
    set_state(life, LIVETCP_SESSION_CLOSED, life->reason);
}

bool lt_life_is_abandoned(const lt_life *life, livetcp_usec now)
{
    return now >= life->abandoned_at_us;
}

livetcp_usec lt_life_deadline(const lt_life *life)
{
    return life->closing && life->until_us < life->abandoned_at_us ? life->until_us
                                                                   : life->abandoned_at_us;
}
