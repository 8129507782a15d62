/* SPDX-License-Identifier: MIT */
/* Connections in groups by what is measured of them, alone. */
#include "catch.h"

extern "C" {
#include "engine/links/path_groups.h"
}

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000 * ms;
constexpr unsigned connections = 8;

/* Packets take turns over the connections, one every 20 ms, and each is acknowledged after the
 * round trip of its connection; TCP's average moves as RFC 6298 has it. */
struct Routes {
    Routes()
    {
        lt_path_groups_init(&groups);
        for (unsigned i = 0; i < connections; i++) {
            paths[i] = {};
            paths[i].connection = i;
            paths[i].usable = true;
            paths[i].known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT |
                             LIVETCP_PATH_TCP_STATE | LIVETCP_PATH_RETRANSMITS;
            paths[i].tcp_state = LIVETCP_TCP_OPEN;
            rtt[i] = 60 * ms;
        }
    }

    void send(unsigned i, uint32_t size)
    {
        livetcp_usec took = rtt[i] + static_cast<livetcp_usec>(size * per_byte_us);
        livetcp_path &path = paths[i];
        written[i] += size;
        lt_path_groups_wrote(&groups, i, written[i], size, now);
        path.rtt_us = path.rtt_us ? path.rtt_us + (took - path.rtt_us) / 8 : took;
        path.min_rtt_us = path.min_rtt_us && path.min_rtt_us < took ? path.min_rtt_us : took;
        now += 20 * ms; /* it is told when the next is sent, however long it took */
        sample = lt_path_groups_on_path_info(&groups, i, &path, written[i], now);
        lt_path_groups_update(&groups, paths, connections, now);
    }

    void run(livetcp_usec length, uint32_t size = 1448)
    {
        for (livetcp_usec end = now + length; now < end;)
            send(next++ % connections, size);
    }

    lt_path_groups groups;
    livetcp_path paths[connections];
    livetcp_usec rtt[connections], now = 5 * second;
    uint64_t written[connections] = {};
    double per_byte_us = 0;
    unsigned next = 0;
    lt_path_sample sample = {};
};

} // namespace

TEST_CASE("connections of one route are one group, those of a longer one another", "[groups]")
{
    for (livetcp_usec longer : {5 * ms, 12 * ms, 40 * ms}) {
        Routes routes;
        for (unsigned i = 1; i < connections; i += 2)
            routes.rtt[i] += longer;
        routes.run(4 * second);
        for (unsigned i = 0; i < connections; i++) {
            INFO(longer << " us, connection " << i);
            CHECK(routes.paths[i].group == i % 2);
            CHECK(routes.paths[i].group_queue_us == 0);
            CHECK(std::abs(routes.paths[i].group_rtt_us - routes.rtt[i]) < 100);
        }
    }
    Routes same;
    same.run(4 * second);
    for (const livetcp_path &path : same.paths)
        CHECK(path.group == 0);
}

TEST_CASE("a new connection is grouped by its handshake, before it has carried a packet",
          "[groups]")
{
    for (livetcp_usec longer : {0 * ms, 12 * ms}) {
        Routes routes;
        routes.run(4 * second);
        livetcp_path &fresh = routes.paths[3];
        lt_path_groups_reset_slot(&routes.groups, 3);
        fresh.known &= ~static_cast<uint32_t>(LIVETCP_PATH_GROUP);
        fresh.rtt_us = fresh.min_rtt_us = 60 * ms + longer;
        routes.now += 20 * ms;
        lt_path_groups_on_path_info(&routes.groups, 3, &fresh, 0, routes.now);
        lt_path_groups_update(&routes.groups, routes.paths, connections, routes.now);
        INFO(longer << " us");
        CHECK(fresh.known & LIVETCP_PATH_GROUP);
        CHECK(fresh.group == (longer ? 3 : 0));
        CHECK(fresh.group_rtt_us == 60 * ms + longer);
    }
}

TEST_CASE("an average that falls steeply makes no round trip below TCP's minimum", "[groups]")
{
    Routes routes;
    routes.run(4 * second);
    for (int i = 0; i < 4; i++) { /* as if more had been acknowledged than was seen */
        routes.paths[0].rtt_us = 200 * ms;
        routes.send(0, 1448);
        routes.paths[0].rtt_us = 60 * ms;
        routes.send(0, 1448);
    }
    CHECK(routes.paths[0].group_rtt_us >= 60 * ms);
    CHECK(routes.paths[0].group == 0);
}

TEST_CASE("a queue on one route leaves the others alone", "[groups]")
{
    Routes routes;
    routes.run(4 * second);
    for (unsigned round = 0; round < 40; round++) { /* it varies, as queues do */
        for (unsigned i = 1; i < connections; i += 2)
            routes.rtt[i] = 90 * ms + static_cast<livetcp_usec>(round % 5) * 6 * ms;
        routes.run(100 * ms);
    }
    CHECK(routes.paths[0].group_queue_us == 0);
    CHECK(routes.paths[1].group_queue_us > 20 * ms);
    CHECK(routes.paths[0].group != routes.paths[1].group);
    for (livetcp_usec &rtt : routes.rtt)
        rtt = 60 * ms;
    routes.run(4 * second);
    CHECK(routes.paths[1].group_queue_us == 0);
    CHECK(routes.paths[1].group == 0);
}

TEST_CASE("a route that changes is forgotten, up and down, and a queue is not", "[groups]")
{
    Routes routes;
    routes.run(6 * second);
    for (livetcp_usec &rtt : routes.rtt)
        rtt = 90 * ms;
    routes.run(10 * second);
    CHECK(routes.paths[0].group_queue_us == 0);
    CHECK(std::abs(routes.paths[0].group_rtt_us - 90 * ms) < 100);
    for (livetcp_usec &rtt : routes.rtt)
        rtt = 50 * ms;
    routes.run(2 * second);
    CHECK(std::abs(routes.paths[0].group_rtt_us - 50 * ms) < 100);
    unsigned standing = 0;
    for (unsigned round = 0; round < 100; round++) { /* a saw, down to nothing every 5 s */
        for (livetcp_usec &rtt : routes.rtt)
            rtt = 50 * ms + static_cast<livetcp_usec>(round % 20) * 5 * ms;
        routes.run(250 * ms);
        standing += routes.paths[0].group_queue_us > 0;
    }
    CHECK(standing > 60);
    CHECK(routes.paths[0].group_rtt_us < 60 * ms);
}

TEST_CASE("the time that a large packet takes on a thin link is no queue", "[groups]")
{
    Routes routes;
    for (unsigned i = 0; i < connections; i++) { /* handshakes */
        routes.now += second;
        routes.send(i, 60);
        routes.now += second;
        routes.send(i, 60);
    }
    routes.per_byte_us = 8; /* 1 Mbit/s */
    routes.run(3 * second);
    CHECK(routes.paths[0].group_queue_us == 0);
    CHECK(routes.paths[0].group_rate > 110000);
    CHECK(routes.paths[0].group_rate < 140000);
    CHECK(std::abs(routes.paths[0].group_rtt_us - 60 * ms) < ms);
}

TEST_CASE("in a session of speech its packets and smaller ones show a thin link", "[groups]")
{
    for (double per_byte_us : {0.0, 64.0}) { /* 125 kbit/s */
        Routes routes;
        routes.per_byte_us = per_byte_us;
        for (unsigned i = 0; i < connections; i++) { /* handshakes */
            routes.send(i, 14);
            routes.send(i, 14);
        }
        routes.run(10 * second, 188);
        INFO(per_byte_us << ": " << routes.paths[0].group_rate);
        for (const livetcp_path &path : routes.paths) {
            CHECK(path.group == 0);
            CHECK(path.group_queue_us == 0);
        }
        if (per_byte_us == 0) {
            CHECK(routes.paths[0].group_rate == 0);
            continue;
        }
        CHECK(routes.paths[0].group_rate > 1e6 / per_byte_us * 0.9);
        CHECK(routes.paths[0].group_rate < 1e6 / per_byte_us * 1.2);
        CHECK(std::abs(routes.paths[0].group_rtt_us - 60 * ms) < 2 * ms);
    }
}

TEST_CASE("round trips that differ from packet to packet are no queue, slow ones are", "[groups]")
{
    for (unsigned steps : {1U, 40U}) { /* in which round trips go from 60 to 100 ms and back */
        Routes routes;
        unsigned stood = 0, looks = 0, at = 0;
        uint32_t random = 1;
        for (livetcp_usec end = routes.now + 20 * second; routes.now < end;) {
            random = random * 1664525 + 1013904223;
            unsigned phase = at++ / connections % (2 * steps);
            double slow = phase < steps ? phase : 2 * steps - phase;
            double part =
                steps == 1 ? ((random >> 8 & 255) + (random >> 20 & 255)) / 510.0 : slow / steps;
            routes.rtt[routes.next % connections] =
                60 * ms + static_cast<livetcp_usec>(part * 40e3);
            routes.send(routes.next++ % connections, 1448);
            if (routes.now < end - 15 * second)
                continue;
            looks++;
            stood += routes.paths[0].group_queue_us > 0;
        }
        INFO(steps << " steps: " << stood << " of " << looks);
        if (steps == 1)
            CHECK(stood * 10 < looks);
        else
            CHECK(stood * 2 > looks);
    }
}

TEST_CASE("a packet and the probe close behind it are one sample, of media", "[groups]")
{
    Routes routes;
    livetcp_path &path = routes.paths[0];
    routes.per_byte_us = 3;
    routes.run(4 * second);
    livetcp_usec sent = routes.now;
    for (uint32_t size : {1448U, 20U}) {
        auto took = routes.rtt[0] + static_cast<livetcp_usec>(size * routes.per_byte_us);
        routes.written[0] += size;
        lt_path_groups_wrote(&routes.groups, 0, routes.written[0], size, routes.now);
        if (size > 1000)
            lt_path_groups_wrote_media(&routes.groups, 0);
        path.rtt_us += (took - path.rtt_us) / 8;
        routes.now += ms;
    }
    routes.now += 70 * ms;
    lt_path_sample sample =
        lt_path_groups_on_path_info(&routes.groups, 0, &path, routes.written[0], routes.now);
    REQUIRE(sample.valid);
    CHECK(sample.media);
    CHECK(sample.sent_us == sent);
    CHECK(sample.excess_us < 300); /* 4.3 ms of one and none of the other are no queue */
}

TEST_CASE("handshakes that met each other make no link wider than it is", "[groups]")
{
    Routes routes;
    for (unsigned i = 0; i < connections; i++) { /* all but the first waited for others */
        routes.now += second;
        routes.rtt[i] = (i ? 66 : 60) * ms;
        routes.send(i, 60);
        routes.now += second;
        routes.send(i, 60);
        routes.rtt[i] = 60 * ms;
    }
    routes.per_byte_us = 8; /* 1 Mbit/s */
    routes.run(3 * second);
    CHECK(routes.paths[0].group_rate > 110000);
    CHECK(routes.paths[0].group_rate < 140000);
}

TEST_CASE("a longer route that carries nothing stays another route", "[groups]")
{
    Routes routes;
    for (unsigned i = 1; i < connections; i += 2)
        routes.rtt[i] += 6 * ms;
    routes.run(4 * second);
    for (livetcp_usec end = routes.now + 30 * second; routes.now < end; routes.next += 2) {
        routes.send(routes.next / 2 % 4 * 2, 1448);
        REQUIRE(routes.paths[0].group == 0);
        REQUIRE(routes.paths[1].group == 1);
    }
    /* What it carries then shows the route that it is on. */
    routes.rtt[1] = 60 * ms;
    for (unsigned i = 0; i < 20; i++)
        routes.send(1, 1448);
    CHECK(routes.paths[1].group == 0);
}

TEST_CASE("links have a rate each, and no group in common", "[groups]")
{
    Routes routes;
    for (unsigned i = 1; i < connections; i += 2)
        lt_path_groups_set_link(&routes.groups, i, 1);
    for (unsigned i = 0; i < connections; i++) {
        routes.now += second;
        routes.send(i, 60);
        routes.now += second;
        routes.send(i, 60);
    }
    for (livetcp_usec end = routes.now + 3 * second; routes.now < end; routes.next++) {
        routes.per_byte_us = routes.next % 2 ? 16 : 8;
        routes.send(routes.next % connections, 1448);
    }
    CHECK(routes.paths[0].group_rate == Approx(125000).epsilon(0.1));
    CHECK(routes.paths[1].group_rate == Approx(62500).epsilon(0.1));
    CHECK(routes.paths[0].group == 0);
    CHECK(routes.paths[1].group == 1);
}

TEST_CASE("a link is free when it has sent what all its connections were given", "[groups]")
{
    Routes routes;
    for (unsigned i = 0; i < connections; i++) {
        routes.now += second;
        routes.send(i, 60);
        routes.now += second;
        routes.send(i, 60);
    }
    routes.per_byte_us = 8;
    routes.run(3 * second);
    livetcp_usec packet = 1500 * 8;
    for (unsigned i = 0; i < 3; i++) {
        routes.paths[i].queued_bytes = 1448;
        lt_path_groups_wrote(&routes.groups, i, routes.written[i] + 1448, 1448, routes.now);
        lt_path_groups_update_free(&routes.groups, routes.paths, connections, i, routes.now);
    }
    for (const livetcp_path &path : routes.paths) {
        REQUIRE(path.known & LIVETCP_PATH_LINK_FREE);
        CHECK(path.link_free_us - routes.now == Approx(3 * packet).epsilon(0.1));
    }
    /* What is acknowledged takes no time any more. */
    routes.paths[0].queued_bytes = routes.paths[1].queued_bytes = 0;
    lt_path_groups_update_free(&routes.groups, routes.paths, connections, 0, routes.now);
    CHECK(routes.paths[7].link_free_us - routes.now == Approx(packet).epsilon(0.1));
    /* Bytes under way that a round trip does not hold are in the queue, whatever was counted. */
    routes.paths[0].queued_bytes = 20000;
    lt_path_groups_update_free(&routes.groups, routes.paths, connections, 0, routes.now);
    CHECK(routes.paths[7].link_free_us - routes.now > 100 * ms);
    CHECK(routes.paths[7].link_free_us - routes.now < 140 * ms);
}

TEST_CASE("a connection that is lost is forgotten, and losses are counted", "[groups]")
{
    Routes routes;
    routes.run(2 * second);
    routes.paths[3].retransmitted_segments += 2;
    routes.run(2 * second);
    CHECK(routes.paths[0].group_loss > 0);
    CHECK(routes.paths[0].group_loss < 0.2);
    lt_path_groups_reset_slot(&routes.groups, 0);
    CHECK_FALSE(routes.groups.members[0].known);
    routes.paths[0].usable = false;
    routes.run(2 * second);
    CHECK(routes.paths[1].known & LIVETCP_PATH_GROUP);
}
