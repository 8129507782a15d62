/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "tool/probe/clock_sync.h"
}

/* A ping at `sent`, with these delays there and back, to a peer whose clock is ahead by `offset`
 * and which takes 30 us to answer. */
static void ping(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec there, livetcp_usec back,
                 livetcp_usec offset)
{
    livetcp_usec came = sent + there + offset;
    lt_clock_sync_take(sync, sent, sent + there + 30 + back, came, came + 30);
}

TEST_CASE("the offset comes from the pings that did not have to wait")
{
    lt_clock_sync sync = {};

    ping(&sync, 0, 70000, 50000, 5000000);
    ping(&sync, 100000, 50000, 50000, 5000000);
    ping(&sync, 200000, 90000, 50000, 5000000);
    CHECK(sync.least_rtt == 100000);
    CHECK(sync.offset == 5000000);
    CHECK(lt_clock_sync_ours(&sync, 5000000 + 300000) == 300000);
}

TEST_CASE("drift is followed once the run is long enough to tell")
{
    lt_clock_sync sync = {};
    const double drift = 50e-6;

    for (livetcp_usec at = 0; at <= 600 * LIVETCP_USEC_SEC; at += 20 * LIVETCP_USEC_SEC) {
        if (at == 20 * LIVETCP_USEC_SEC)
            CHECK(lt_clock_sync_drift(&sync) == 0);
        ping(&sync, at, 50000, 50000, livetcp_usec(drift * double(at)));
    }
    CHECK(lt_clock_sync_drift(&sync) == Approx(drift).epsilon(0.01));
    livetcp_usec later = 630 * LIVETCP_USEC_SEC,
                 theirs = later + livetcp_usec(drift * double(later));
    CHECK(lt_clock_sync_ours(&sync, theirs) - later < 20);
    CHECK(lt_clock_sync_ours(&sync, theirs) - later > -20);
}
