/* SPDX-License-Identifier: MIT */
/* When a packet would be delivered behind what is under way. */
#include "catch.h"

extern "C" {
#include "policy/forecast.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;

livetcp_path idle_path()
{
    livetcp_path path = {};
    path.known = LIVETCP_PATH_RTT | LIVETCP_PATH_TCP_STATE;
    path.usable = path.ready = true;
    path.rtt_us = 60 * ms;
    path.oldest_unacked_us = LIVETCP_NEVER;
    return path;
}

} // namespace

TEST_CASE("a packet waits behind a message of the engine's own that should have been acknowledged")
{
    livetcp_path path = idle_path();
    const livetcp_usec now = 1000 * ms;
    CHECK(lt_path_forecast(&path, 1400, now) == 30 * ms);

    path.known |= LIVETCP_PATH_OLDEST_WRITE;
    path.oldest_write_us = now - 50 * ms; /* it may yet be */
    CHECK(lt_path_forecast(&path, 1400, now) == 30 * ms);
    path.oldest_write_us = now - 70 * ms;
    CHECK(lt_path_forecast(&path, 1400, now) == (30 + 60 + 15) * ms);

    /* Policies that were compiled before have no such field. */
    CHECK(livetcp_path_forecast(&path, 1400, now) == 30 * ms);
    path.known &= ~static_cast<uint32_t>(LIVETCP_PATH_OLDEST_WRITE);
    CHECK(lt_path_forecast(&path, 1400, now) == 30 * ms);
}
