/* SPDX-License-Identifier: MIT */
/* Components of the delay, from path info. */
#include "catch.h"

extern "C" {
#include "engine/reports/delays.h"
}

namespace
{

const livetcp_usec ms = 1000;

livetcp_path path_of(livetcp_usec rtt, livetcp_usec least)
{
    livetcp_path path = {};
    path.usable = true;
    path.known = LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT;
    path.rtt_us = rtt;
    path.min_rtt_us = least;
    path.oldest_unacked_us = LIVETCP_NEVER;
    return path;
}

} // namespace

TEST_CASE("a mean begins with its first sample and follows the others", "[delays]")
{
    lt_ewma mean = {};
    CHECK(lt_ewma_us(&mean) == -1);
    lt_ewma_add(&mean, 50 * ms);
    CHECK(lt_ewma_us(&mean) == 50 * ms);
    for (unsigned i = 0; i < 100; i++)
        lt_ewma_add(&mean, 10 * ms);
    CHECK(lt_ewma_us(&mean) == Approx(10 * ms).margin(ms));
}

TEST_CASE("the network is half of the least round trip and all of what is above", "[delays]")
{
    livetcp_path path = path_of(100 * ms, 40 * ms);
    CHECK(lt_delay_of_network(&path) == 80 * ms);
    path.known = LIVETCP_PATH_RTT;
    CHECK(lt_delay_of_network(&path) == 50 * ms);
    path = path_of(30 * ms, 40 * ms); /* the platform's two estimates may disagree */
    CHECK(lt_delay_of_network(&path) == 15 * ms);
    path.known = 0;
    CHECK(lt_delay_of_network(&path) == -1);
}

TEST_CASE("what is unsent waits for its window", "[delays]")
{
    livetcp_path path = path_of(100 * ms, 100 * ms);
    CHECK(lt_delay_in_buffer(&path, 1000) == 0); /* unknown */
    path.known |= LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_CWND;
    path.cwnd_bytes = 10000;
    path.queued_bytes = 10000;
    path.unsent_bytes = 1000; /* this packet, which the window admits */
    CHECK(lt_delay_in_buffer(&path, 1000) == 0);
    path.queued_bytes = 15000;
    path.unsent_bytes = 5000;
    CHECK(lt_delay_in_buffer(&path, 1000) == 50 * ms);
    CHECK(lt_delay_in_buffer(&path, 20000) > 50 * ms); /* longer than all data in the buffer */
}

TEST_CASE("an acknowledgement that was seen missing after its time was waited for", "[delays]")
{
    livetcp_path path = path_of(100 * ms, 100 * ms);
    path.rtt_variation_us = 5 * ms;
    /* Expected at 100 ms and observed between 90 and 300 ms: it may have been on time. */
    CHECK(lt_delay_at_head_of_line(&path, 0, 0, false, 90 * ms, 300 * ms) == 0);
    CHECK(lt_delay_at_head_of_line(&path, 0, 0, false, INT64_MIN, 300 * ms) == 0);
    /* With a retransmission in progress it was not. */
    CHECK(lt_delay_at_head_of_line(&path, 0, 0, true, 90 * ms, 300 * ms) == 100 * ms);
    CHECK(lt_delay_at_head_of_line(&path, 0, 0, true, 60 * ms, 80 * ms) == 0);
    /* Absent at 290 ms, present at 300 ms. */
    CHECK(lt_delay_at_head_of_line(&path, 0, 0, false, 290 * ms, 300 * ms) == 195 * ms);
    CHECK(lt_delay_at_head_of_line(&path, 0, 95 * ms, false, 290 * ms, 300 * ms) == 100 * ms);
    path.known = 0;
    CHECK(lt_delay_at_head_of_line(&path, 0, 0, true, 290 * ms, 300 * ms) == 0);
}

TEST_CASE("round trips of the connections that are up", "[delays]")
{
    livetcp_path paths[4] = {path_of(100 * ms, 80 * ms), path_of(200 * ms, 90 * ms),
                             path_of(999 * ms, 1 * ms), path_of(0, 0)};
    paths[0].rtt_variation_us = 10 * ms;
    paths[2].usable = false;
    paths[3].known = 0;
    lt_round_trip all = lt_round_trip_over(paths, 4);
    CHECK(all.connections == 3);
    CHECK(all.rtt_us == 150 * ms);
    CHECK(all.variation_us == 5 * ms);
    CHECK(all.min_rtt_us == 80 * ms);
    all = lt_round_trip_over(paths, 0);
    CHECK(all.connections == 0);
    CHECK(all.rtt_us == -1);
    CHECK(all.min_rtt_us == -1);
}
