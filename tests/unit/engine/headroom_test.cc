/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <algorithm>

extern "C" {
#include "base/rng.h"
#include "engine/rate/headroom.h"
}

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000000;
constexpr size_t size = 1448;

/* A sender of 50 packets a second that sends as much extra as it may, up to `wants`, to a link that
 * queues, polices or loses. */
struct Bench {
    Bench()
    {
        lt_headroom_init(&headroom);
        lt_rng_seed(&rng, 1);
    }

    bool random(double share)
    {
        return static_cast<double>(lt_rng_next(&rng) % 100000) < share * 100000;
    }

    /* True if the bucket of a policer at `rate` has room for a packet. */
    bool passes()
    {
        tokens = std::min(tokens + rate * (static_cast<double>(now - filled) / second), bucket);
        filled = now;
        if (rate > 0 && tokens < size)
            return false;
        tokens -= rate > 0 ? size : 0;
        return true;
    }

    void packet(bool is_media)
    {
        bool lost = !passes() || random(loss);
        livetcp_usec queue =
            queue_rate > 0 ? static_cast<livetcp_usec>(backlog / queue_rate * second) : 0;
        unknown += lost;
        bool shows = now % repair == 0;
        lt_path_sample sample = {1, shows ? unknown : 0, !lost, is_media, now - 60 * ms, queue};
        unknown = shows ? 0 : unknown;
        backlog += size;
        view.written += size;
        view.media += is_media ? size : 0;
        view.delivered += lost ? 0 : size;
        /* It takes a round trip to repair, in which it stays under way. */
        away += lost;
        lt_headroom_on_sample(&headroom, &sample, now);
    }

    void run(livetcp_usec length)
    {
        for (livetcp_usec end = now + length; now < end; now += 20 * ms) {
            backlog = std::max(0.0, backlog - queue_rate / 50);
            packet(true);
            owed += std::min(lt_headroom_get(&headroom), wants);
            for (; owed >= 1; owed--)
                packet(false);
            away = std::max(0.0, away - repairs);
            for (livetcp_usec step = 0; step < 20 * ms; step += 5 * ms) {
                view.now_us = now + step;
                view.media_rate = view.session_rate = size * 50;
                view.packet = size;
                view.link_rate = queue_rate;
                view.rtt_us = 60 * ms;
                view.undelivered = static_cast<uint64_t>((6 + away) * size) + frame;
                view.frame = tells_frame ? frame : 0;
                lt_headroom_update(&headroom, &view);
            }
        }
    }

    lt_headroom headroom;
    lt_headroom_view view = {};
    lt_rng rng;
    livetcp_usec now = 100 * second, filled = now;
    double wants = 1, loss = 0, rate = 0, queue_rate = 0;
    unsigned unknown = 0;
    uint64_t frame = 0; /* bytes of the frame just written, of which the view tells */
    bool tells_frame = true;
    livetcp_usec repair = 20 * ms; /* losses show so often, all at once */
    double bucket = 10000, tokens = 10000, backlog = 0, away = 0, owed = 0, repairs = 0.2;
};

/* The link has nothing to spare, second after second. */
void check_full(Bench &bench)
{
    for (int i = 0; i < 20; i++) {
        bench.run(second);
        CHECK(lt_headroom_get(&bench.headroom) == 0);
    }
}

} // namespace

TEST_CASE("headroom grows to what is asked for within three seconds")
{
    Bench bench;
    CHECK(lt_headroom_get(&bench.headroom) <= 0.1);
    bench.run(3 * second);
    CHECK(lt_headroom_get(&bench.headroom) >= 1);
    bench.run(60 * second);
    CHECK(lt_headroom_get(&bench.headroom) >= 1);
    CHECK(lt_headroom_get(&bench.headroom) < 3);
}

TEST_CASE("a frame that has just been written is not more than the link delivers")
{
    for (bool tells : {true, false}) {
        Bench bench;
        bench.frame = 6 * size;
        bench.tells_frame = tells;
        bench.run(5 * second);
        CHECK((lt_headroom_get(&bench.headroom) >= 1) == tells);
    }
}

TEST_CASE("media that a probe for the path's rate makes late shows no full link")
{
    for (bool tells : {true, false}) {
        Bench bench;
        bench.run(2 * second);
        bench.queue_rate = 60 * size; /* what was padded is in the queue, too */
        bench.backlog = 60 * size;
        bench.view.padded += tells ? 60 * size : 0;
        bench.run(100 * ms);
        bench.queue_rate = bench.backlog = 0;
        bench.run(2 * second);
        CHECK((bench.headroom.full == 0) == tells);
    }
}

TEST_CASE("headroom that nobody uses does not grow")
{
    Bench bench;
    bench.wants = 0;
    bench.run(60 * second);
    CHECK(lt_headroom_get(&bench.headroom) <= 0.1);
}

TEST_CASE("a link that queues has no headroom beyond what it carries, and keeps that in mind")
{
    Bench bench;
    bench.queue_rate = size * 50 * 1.4;
    bench.run(5 * second);
    CHECK(lt_headroom_get(&bench.headroom) < 0.3);
    for (int i = 0; i < 20; i++) {
        bench.run(second);
        CHECK(lt_headroom_get(&bench.headroom) < 0.4);
        CHECK(bench.backlog < 10 * size);
    }
}

/* Copies and repairs before it make media late on each thin link. Only one that drains slowly, or
 * loses, has nothing to spare for tail probes. */
TEST_CASE("a thin link takes tail probes if it has something to spare")
{
    Bench bench;
    bench.queue_rate = size * 50 * 1.4;
    bench.wants = 0.06;
    bench.run(2 * second);
    while (!bench.headroom.full && bench.now < 120 * second) {
        bench.backlog += 4 * size;
        bench.run(second);
    }
    CHECK(bench.headroom.full == 1);
    CHECK(lt_headroom_get(&bench.headroom) == 0);
    CHECK(lt_headroom_takes_probes(&bench.headroom));
}

TEST_CASE("a policer has no headroom beyond its rate")
{
    Bench bench;
    bench.rate = size * 50 * 1.4;
    bench.run(8 * second);
    for (int i = 0; i < 20; i++) {
        bench.run(second);
        CHECK(lt_headroom_get(&bench.headroom) < 0.45);
    }
}

TEST_CASE("a policer of hardly more than the media is full soon, and takes no tail probes")
{
    Bench bench;
    bench.rate = size * 50 * 1.05;
    bench.repairs = 0.05;
    CHECK(lt_headroom_takes_probes(&bench.headroom));
    bench.run(3 * second);
    CHECK(lt_headroom_get(&bench.headroom) == 0);
    CHECK_FALSE(lt_headroom_takes_probes(&bench.headroom));
    for (int i = 0; i < 20; i++) {
        bench.run(second);
        CHECK(lt_headroom_get(&bench.headroom) == 0);
        CHECK_FALSE(lt_headroom_takes_probes(&bench.headroom));
    }
}

TEST_CASE("what a bucket lets through at once is no headroom")
{
    Bench bench;
    bench.rate = size * 50 * 1.05;
    bench.bucket = bench.tokens = 30000;
    bench.repairs = 0.05;
    bench.run(5 * second);
    check_full(bench);
}

/* TCP repairs several losses of a connection one after the other. The sum of losses may be zero
 * when the bytes under way are the suspicion. */
TEST_CASE("a policer is full where losses show late, and many at once")
{
    Bench bench;
    bench.rate = size * 50 * 1.05;
    bench.repairs = 0.05;
    bench.repair = 500 * ms;
    bench.run(8 * second);
    check_full(bench);
}

TEST_CASE("losses are the session's own while it is tried whether they are")
{
    Bench bench;
    CHECK_FALSE(lt_headroom_tries_losses(&bench.headroom));
    bench.rate = size * 50 * 1.05;
    bench.repairs = 0.05;
    livetcp_usec tried = 0;
    for (int i = 0; i < 400; i++) {
        bench.run(20 * ms);
        tried += lt_headroom_tries_losses(&bench.headroom) ? 20 * ms : 0;
    }
    CHECK(tried > 300 * ms);
    CHECK_FALSE(lt_headroom_tries_losses(&bench.headroom));

    Bench queue; /* no loss */
    queue.queue_rate = size * 50 * 1.2;
    for (int i = 0; i < 400; i++) {
        queue.run(20 * ms);
        CHECK_FALSE(lt_headroom_tries_losses(&queue.headroom));
    }
}

TEST_CASE("random loss does not stop extra bytes")
{
    for (double loss : {0.01, 0.03, 0.05}) {
        Bench bench;
        bench.loss = loss;
        bench.repairs = 1;
        unsigned paused = 0;
        bench.run(3 * second);
        for (int i = 0; i < 600; i++) {
            bench.run(100 * ms);
            paused += lt_headroom_get(&bench.headroom) < 0.9;
        }
        INFO("loss " << loss << ": " << paused << " of 600 looks");
        CHECK(paused <= 30);
    }
}

TEST_CASE("what a link had no room for is tried again, later")
{
    Bench bench;
    bench.queue_rate = size * 50 * 1.2;
    bench.run(10 * second);
    CHECK(lt_headroom_get(&bench.headroom) < 0.2);
    bench.queue_rate = size * 50 * 10;
    bench.run(300 * second);
    CHECK(lt_headroom_get(&bench.headroom) > 0.2);
}

/* Half a second of another's bytes: what waits behind them is no fault of the extra bytes. */
TEST_CASE("a link that had carried extra bytes for long takes them again once nothing waits")
{
    for (livetcp_usec before : {2 * second, 20 * second}) {
        Bench bench;
        bench.wants = 0.5;
        bench.queue_rate = 50.0 * size * 4;
        bench.run(before);
        bench.backlog += bench.queue_rate / 2;
        bench.run(3 * second);
        CHECK(lt_headroom_get(&bench.headroom) < 0.2);
        bench.run(12 * second);
        INFO("after " << before / second << " s: " << lt_headroom_get(&bench.headroom));
        CHECK((lt_headroom_get(&bench.headroom) > 0.3) == (before > 2 * second));
    }
}

TEST_CASE("a link that has carried them for long, and does not any more, is tried once and no more")
{
    Bench bench;
    bench.wants = 0.5;
    bench.queue_rate = 50.0 * size * 4;
    bench.run(20 * second);
    bench.queue_rate = 50.0 * size * 1.05;
    unsigned trials = 0;
    bool tried = false;
    for (int i = 0; i < 300; i++) {
        bench.run(100 * ms);
        trials += !tried && lt_headroom_tries(&bench.headroom);
        tried = lt_headroom_tries(&bench.headroom);
    }
    CHECK(trials == 2);
    CHECK(lt_headroom_get(&bench.headroom) == 0);
}
