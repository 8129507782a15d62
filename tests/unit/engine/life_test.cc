/* SPDX-License-Identifier: MIT */
/* The states of a session, and the end of a session that is closing. */
#include "catch.h"

extern "C" {
#include "engine/life.h"
}

namespace
{

struct Life {
    explicit Life(bool caller)
    {
        lt_life_init(&life, &events);
        view.caller = caller;
        view.last_loss = LIVETCP_ERR_CONNECTION_LOST;
    }

    bool update(bool open, livetcp_usec now)
    {
        view.open = open;
        return lt_life_update(&life, &view, now);
    }

    /* The state of the last event; CLOSED without one. */
    livetcp_session_state told()
    {
        livetcp_engine_event event = {};
        event.state.session = LIVETCP_SESSION_CLOSED;
        while (lt_events_take(&events, &event))
            reason = event.reason;
        return event.state.session;
    }

    lt_events events = {};
    lt_life life = {};
    lt_life_view view = {};
    livetcp_result reason = LIVETCP_OK;
};

} // namespace

TEST_CASE("a caller's session is open while a connection is", "[life]")
{
    Life l(true);
    l.view.future = true;
    CHECK_FALSE(l.update(true, 1));
    CHECK(l.told() == LIVETCP_SESSION_OPEN);
    CHECK_FALSE(l.update(false, 2));
    CHECK(l.told() == LIVETCP_SESSION_CONNECTING);
    CHECK(l.reason == LIVETCP_ERR_CONNECTION_LOST);
    CHECK(lt_life_deadline(&l.life) == LIVETCP_NEVER);

    l.view.future = false;
    CHECK(l.update(false, 3));
}

TEST_CASE("a listener's session waits for its caller to come back", "[life]")
{
    Life l(false);
    l.view.linger_us = 100;
    CHECK_FALSE(l.update(true, 1));
    CHECK_FALSE(l.update(false, 10));
    CHECK(lt_life_deadline(&l.life) == 110);
    CHECK_FALSE(lt_life_is_abandoned(&l.life, 109));
    CHECK(lt_life_is_abandoned(&l.life, 110));

    CHECK_FALSE(l.update(true, 50));
    CHECK(lt_life_deadline(&l.life) == LIVETCP_NEVER);

    l.view.linger_us = 0;
    CHECK(l.update(false, 60));
}

TEST_CASE("a session that closes is over when all is written, or its time is up", "[life]")
{
    Life l(true);
    l.update(true, 1);
    lt_life_close(&l.life, LIVETCP_ERR_CANCELLED, 500);
    CHECK(lt_life_is_closing(&l.life));
    CHECK(lt_life_deadline(&l.life) == 500);
    CHECK_FALSE(lt_life_is_over(&l.life, false, true, 499));
    CHECK(lt_life_is_over(&l.life, true, true, 499));
    CHECK(lt_life_is_over(&l.life, false, true, 500));

    l.told();
    lt_life_end(&l.life);
    CHECK(lt_life_is_closed(&l.life));
    CHECK(l.told() == LIVETCP_SESSION_CLOSED);
    CHECK(l.reason == LIVETCP_ERR_CANCELLED);
}

TEST_CASE("a session whose peer has ended is over with the last connection", "[life]")
{
    Life l(true);
    l.update(true, 1);
    CHECK(lt_life_on_goodbye(&l.life, 500));
    CHECK_FALSE(lt_life_on_goodbye(&l.life, 900));
    CHECK(lt_life_deadline(&l.life) == 500);
    CHECK(lt_life_reason(&l.life) == LIVETCP_ERR_CLOSED);
    CHECK_FALSE(lt_life_is_over(&l.life, true, true, 2));
    CHECK(lt_life_is_over(&l.life, false, false, 2));
}
