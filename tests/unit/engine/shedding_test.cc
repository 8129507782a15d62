/* SPDX-License-Identifier: MIT */
/* The inferred delay, and shedding because of it. */
#include "catch.h"

#include <map>
#include <vector>

extern "C" {
#include "base/rng.h"
#include "engine/sender/shedding.h"
}

namespace
{

constexpr livetcp_usec MS = LIVETCP_USEC_MSEC;

livetcp_path path_with(uint32_t cwnd_bytes, livetcp_usec rtt)
{
    livetcp_path path = {};
    path.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_CWND | LIVETCP_PATH_RTT |
                 LIVETCP_PATH_MIN_RTT | LIVETCP_PATH_TCP_STATE | LIVETCP_PATH_RTO;
    path.usable = true;
    path.cwnd_bytes = cwnd_bytes;
    path.rtt_us = path.min_rtt_us = rtt;
    path.rto_us = 3 * rtt;
    path.tcp_state = LIVETCP_TCP_OPEN;
    path.oldest_unacked_us = LIVETCP_NEVER;
    return path;
}

struct Queue {
    explicit Queue(size_t max_packets = 1000, size_t max_bytes = 1 << 20)
        : queue(lt_send_queue_create(max_packets, max_bytes))
    {
        REQUIRE(queue);
    }
    ~Queue()
    {
        lt_send_queue_destroy(&queue);
    }

    static lt_packet *make(livetcp_importance importance, size_t size, uint32_t timestamp,
                           livetcp_usec enqueued = 0, uint32_t ssrc = 1)
    {
        std::vector<uint8_t> bytes(size);
        lt_packet *packet = lt_packet_create(bytes.data(), size);
        REQUIRE(packet);
        packet->importance = importance;
        packet->timestamp = timestamp;
        packet->enqueued_us = enqueued;
        packet->ssrc = ssrc;
        return packet;
    }

    void add(livetcp_importance importance, size_t size, uint32_t timestamp,
             livetcp_usec enqueued = 0, uint32_t ssrc = 1)
    {
        REQUIRE(lt_send_queue_push(queue, make(importance, size, timestamp, enqueued, ssrc)) ==
                LIVETCP_OK);
    }

    /* One letter per packet: d (droppable), D (delta), A (audio), K (key); '-' is marked. */
    std::string letters() const
    {
        std::string text;
        const lt_packet *packet;
        for (size_t i = 0; (packet = lt_send_queue_at(queue, i)); i++)
            text += packet->shed ? '-' : "?dDAK"[lt_packet_class(packet)];
        return text;
    }

    lt_send_queue *queue;
};

constexpr auto DROPPABLE = LIVETCP_IMPORTANCE_DROPPABLE;
constexpr auto DELTA = LIVETCP_IMPORTANCE_DELTA;
constexpr auto AUDIO = LIVETCP_IMPORTANCE_AUDIO;
constexpr auto KEY = LIVETCP_IMPORTANCE_KEY;

/* 1000 bytes take 10 ms at this rate, plus 20 ms of path. */
const lt_send_delay SLOW = {true, false, 20 * MS, 20 * MS, 20 * MS, 100000, 100000};

lt_send_delay measure(const std::vector<livetcp_path> &paths, const lt_send_rates &rates = {})
{
    return lt_send_delay_measure(paths.data(), static_cast<unsigned>(paths.size()), &rates, 0);
}

} // namespace

TEST_CASE("the rate is what the connections can take together", "[send_delay]")
{
    std::vector<livetcp_path> paths(3, path_with(10000, 100 * MS));
    lt_send_delay delay = measure(paths);
    CHECK(delay.usable);
    CHECK(delay.idle);
    CHECK(delay.rate == 300000); /* one window per round trip on each */
    CHECK(delay.base_us == 50 * MS);
    CHECK(lt_send_delay_behind(&delay, 30000) == 150 * MS);

    paths[0].tcp_state = LIVETCP_TCP_TIMEOUT; /* sends nothing */
    paths[1].usable = false;
    CHECK(measure(paths).rate == 100000);

    paths[2].known |= LIVETCP_PATH_DELIVERY_RATE;
    paths[2].delivery_rate = 77000;
    CHECK(measure(paths).rate == 77000);
    paths[2].app_limited = true; /* limited by the application: not a measure of the path */
    CHECK(measure(paths).rate == 100000);
    CHECK(measure(paths, {0, 0, 1.0}).rate == 50000); /* two copies of each */

    /* The path's rate: below the sum of windows per round trip, above it, and as the only known
     * value. */
    CHECK(measure(paths, {60000, 0, 0}).rate == 60000);
    CHECK(measure(paths, {200000, 0, 0}).rate == 100000);
    paths[2].known = 0;
    CHECK(measure(paths, {60000, 0, 0}).rate == 60000);
}

TEST_CASE("audio to come is before all else", "[send_delay]")
{
    std::vector<livetcp_path> paths(1, path_with(10000, 100 * MS));
    lt_send_delay delay = measure(paths, {0, 20000, 0});
    CHECK(delay.rate == 100000);
    CHECK(delay.rest == 80000);
    CHECK(lt_send_delay_bytes(&delay, true, 100 * MS) == 10000);
    CHECK(lt_send_delay_bytes(&delay, false, 100 * MS) == 8000);
    CHECK(measure(paths, {0, 90000, 0}).rest == 50000); /* what is late of that is dropped, too */
}

TEST_CASE("a standing queue is one that stands in our way", "[send_delay]")
{
    livetcp_path path = path_with(100000, 100 * MS);
    path.rtt_us = 300 * MS;
    path.queued_bytes = 50000;
    lt_send_delay delay = measure({path});
    CHECK_FALSE(delay.idle);
    CHECK(delay.base_us == 250 * MS); /* 50 of the path and 200 of the queue */
    CHECK(delay.forecast_us == 150 * MS);
    CHECK(delay.floor_us == 50 * MS);
}

TEST_CASE("what is not known counts as nothing", "[send_delay]")
{
    livetcp_path path = {};
    lt_send_delay none = measure({path});
    CHECK_FALSE(none.usable);
    path.usable = true;
    lt_send_delay delay = measure({path});
    CHECK(delay.usable);
    CHECK(delay.rate == 0);
    CHECK(lt_send_delay_behind(&delay, 1 << 30) == 0);
    CHECK(lt_send_delay_bytes(&delay, false, 1000) == INT64_MAX);
    delay.rate = delay.rest = UINT64_C(10000000000);
    CHECK(lt_send_delay_bytes(&delay, false, 3600 * INT64_C(1000000)) == INT64_C(36000000000000));
}

TEST_CASE("nothing is given up while everything comes in time", "[shedding]")
{
    Queue q;
    for (uint32_t i = 0; i < 8; i++)
        q.add(DELTA, 1000, i);
    CHECK_FALSE(lt_shed_late(q.queue, &SLOW, 90 * MS, 0)); /* the last one: 70 + 20 */
    CHECK(lt_shed_late(q.queue, &SLOW, 89 * MS, 0));
    CHECK(q.letters() == "-DDDDDDD");
}

TEST_CASE("the least important class goes first, and of a class the oldest", "[shedding]")
{
    Queue q;
    uint32_t frame = 0;
    for (auto importance : {KEY, DELTA, AUDIO, DROPPABLE, DELTA, AUDIO, DROPPABLE, DELTA, AUDIO})
        q.add(importance, 1000, frame++);
    SECTION("one is enough")
    {
        CHECK(lt_shed_late(q.queue, &SLOW, 90 * MS, 0));
        CHECK(q.letters() == "AAAKD-DdD");
    }
    SECTION("then the next class")
    {
        CHECK(lt_shed_late(q.queue, &SLOW, 60 * MS, 0));
        CHECK(q.letters() == "AAAK----D");
    }
    SECTION("then sound")
    {
        CHECK(lt_shed_late(q.queue, &SLOW, 35 * MS, 0));
        CHECK(q.letters() == "--AK-----");
    }
    SECTION("key frames only when they are past their own deadline")
    {
        CHECK(lt_shed_late(q.queue, &SLOW, 60 * MS, 40 * MS));
        CHECK(q.letters() == "---K-----");
        CHECK(lt_shed_late(q.queue, &SLOW, 60 * MS, 41 * MS));
        CHECK(q.letters() == "---------");
    }
}

TEST_CASE("what nobody waits behind is not given up for others", "[shedding]")
{
    Queue q;
    q.add(AUDIO, 5000, 0);
    q.add(AUDIO, 1000, 1); /* late: 50 + 20 */
    q.add(DROPPABLE, 100, 2, 50 * MS);
    CHECK(lt_shed_late(q.queue, &SLOW, 65 * MS, 0));
    CHECK(q.letters() == "-Ad");
}

TEST_CASE("a frame is given up whole, without the parameter sets in it", "[shedding]")
{
    Queue q;
    for (uint32_t frame = 0; frame < 3; frame++) {
        q.add(KEY, 50, frame);
        for (int i = 0; i < 3; i++)
            q.add(DELTA, 1000, frame);
        q.add(DELTA, 300, frame, 0, 2); /* a frame of another stream with the same timestamp */
    }
    CHECK(lt_shed_late(q.queue, &SLOW, 110 * MS, 0));
    CHECK(q.letters() == "K---DKDDDDKDDDD");
}

TEST_CASE("a key frame past its deadline takes its parameter sets with it", "[shedding]")
{
    Queue q;
    q.add(KEY, 50, 7, 0);
    q.add(KEY, 1000, 7, 10 * MS);
    q.add(KEY, 1000, 8, 40 * MS);
    CHECK(lt_shed_late(q.queue, &SLOW, 100 * MS, 81 * MS));
    CHECK(q.letters() == "--K");
}

TEST_CASE("where nobody says that it is video, equal timestamps are no frame", "[shedding]")
{
    Queue q;
    for (int i = 0; i < 5; i++)
        q.add(LIVETCP_IMPORTANCE_UNKNOWN, 1000, 0);
    CHECK(lt_shed_late(q.queue, &SLOW, 50 * MS, 0));
    CHECK(q.letters() == "-DDDD");
}

TEST_CASE("packets of a source that does not count time are not one endless frame", "[shedding]")
{
    Queue q;
    for (int i = 0; i < 5; i++)
        q.add(DELTA, 1000, 0, i * 90 * MS);
    CHECK(lt_shed_late(q.queue, &SLOW, 400 * MS, 381 * MS));
    CHECK(q.letters() == "--DDD");
}

TEST_CASE("one packet always shows whether an idle path is still slow", "[shedding]")
{
    const lt_send_delay idle = {true, true, 500 * MS, 500 * MS, 20 * MS, 100000, 100000};
    const lt_send_delay busy = {true, false, 500 * MS, 500 * MS, 20 * MS, 100000, 100000};
    for (const lt_send_delay *delay : {&idle, &busy}) {
        Queue q;
        for (uint32_t i = 0; i < 3; i++)
            q.add(DELTA, 1000, i, 100 * MS);
        CHECK(lt_shed_late(q.queue, delay, 200 * MS, 120 * MS));
        CHECK(q.letters() == (delay->idle ? "D--" : "---"));
    }
}

TEST_CASE("in any queue: what stays is in time, and no more goes than has to", "[shedding]")
{
    lt_rng rng;
    size_t marked_in_all = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        lt_rng_seed(&rng, seed);
        Queue q;
        livetcp_usec now = 0;
        unsigned count = 1 + lt_rng_next(&rng) % 80;
        for (uint32_t i = 0; i < count; i++) {
            now += static_cast<livetcp_usec>(lt_rng_next(&rng) % 20) * MS;
            q.add(static_cast<livetcp_importance>(lt_rng_next(&rng) % 5),
                  12 + lt_rng_next(&rng) % 1400, 1000 + i, now, 1 + lt_rng_next(&rng) % 2);
        }
        lt_send_delay delay = {true, false, 0, 0, 10 * MS, 20000 + lt_rng_next(&rng) % 200000, 0};
        delay.rest = delay.rate;
        delay.forecast_us = static_cast<livetcp_usec>(10 + lt_rng_next(&rng) % 40) * MS;
        delay.base_us = delay.forecast_us + static_cast<livetcp_usec>(lt_rng_next(&rng) % 40) * MS;
        livetcp_usec limit = 100 * MS + static_cast<livetcp_usec>(lt_rng_next(&rng) % 400) * MS;
        bool was_late = false;
        uint64_t ahead = 0;
        const lt_packet *packet;
        for (size_t i = 0; (packet = lt_send_queue_at(q.queue, i)); i++) {
            livetcp_usec arrives = now - packet->enqueued_us + lt_send_delay_behind(&delay, ahead);
            was_late |= arrives > limit || now - packet->enqueued_us + delay.floor_us > limit;
            ahead += lt_packet_size(packet);
        }
        bool any = lt_shed_late(q.queue, &delay, limit, now);
        INFO("seed " << seed << " " << q.letters());
        REQUIRE(any == (q.letters().find('-') != std::string::npos));
        REQUIRE((!any || was_late));

        std::map<int, bool> stays_ahead; /* a class of which a packet has been kept so far */
        ahead = 0;
        for (size_t i = 0; (packet = lt_send_queue_at(q.queue, i)); i++) {
            livetcp_importance is = lt_packet_class(packet);
            livetcp_usec age = now - packet->enqueued_us;
            livetcp_usec least = is == DROPPABLE ? delay.base_us
                                 : is == DELTA   ? delay.forecast_us
                                                 : delay.floor_us;
            livetcp_usec arrives =
                age + least + lt_send_delay_behind(&delay, ahead) - delay.base_us;
            if (packet->shed) {
                marked_in_all++;
                bool hopeless = age + least > limit;
                if (is == KEY)
                    REQUIRE(hopeless);
                else if (!hopeless)
                    for (int lower = DROPPABLE; lower < is; lower++)
                        REQUIRE_FALSE(stays_ahead[lower]);
                continue;
            }
            /* One microsecond of rounding. */
            REQUIRE((is == KEY || arrives <= limit + 1));
            stays_ahead[is] = true;
            ahead += lt_packet_size(packet);
        }
    }
    CHECK(marked_in_all > 1000);
}

TEST_CASE("a full queue gives up what is less important, and the newcomer if nothing is",
          "[shedding]")
{
    Queue q(4);
    for (auto importance : {KEY, AUDIO, DROPPABLE, DELTA})
        q.add(importance, 100, static_cast<uint32_t>(importance));
    lt_packet *newcomer = nullptr;
    SECTION("droppable first")
    {
        newcomer = Queue::make(AUDIO, 100, 9);
        CHECK(lt_shed_for_space(q.queue, newcomer, true));
        CHECK(q.letters() == "AK-D");
    }
    SECTION("as many as it takes")
    {
        lt_send_queue_destroy(&q.queue);
        q.queue = lt_send_queue_create(100, 400);
        for (auto importance : {KEY, AUDIO, DROPPABLE, DELTA})
            q.add(importance, 100, static_cast<uint32_t>(importance));
        newcomer = Queue::make(KEY, 250, 9);
        CHECK(lt_shed_for_space(q.queue, newcomer, true));
        CHECK(q.letters() == "-K--");
    }
    SECTION("a key frame only for a key frame")
    {
        lt_send_queue_clear(q.queue);
        for (uint32_t i = 0; i < 4; i++)
            q.add(KEY, 100, i);
        newcomer = Queue::make(AUDIO, 100, 9);
        CHECK_FALSE(lt_shed_for_space(q.queue, newcomer, true));
        CHECK(q.letters() == "KKKK");
        newcomer->importance = KEY;
        CHECK(lt_shed_for_space(q.queue, newcomer, true));
        CHECK(q.letters() == "-KKK");
    }
    SECTION("what comes back is the oldest, so only less important ones go for it")
    {
        newcomer = Queue::make(DROPPABLE, 100, 9);
        CHECK_FALSE(lt_shed_for_space(q.queue, newcomer, false));
        newcomer->importance = DELTA;
        CHECK(lt_shed_for_space(q.queue, newcomer, false));
        CHECK(q.letters() == "AK-D");
    }
    lt_packet_unref(&newcomer);
}

TEST_CASE("sweeping removes what is marked and keeps the order of the rest", "[shedding]")
{
    Queue q(100);
    for (uint32_t i = 0; i < 90; i++) /* the ring wraps */
        q.add(DELTA, 10, i);
    for (int i = 0; i < 60; i++) {
        lt_packet *packet = lt_send_queue_pop(q.queue);
        lt_packet_unref(&packet);
    }
    for (uint32_t i = 90; i < 140; i++)
        q.add(DELTA, 10, i);
    lt_packet *packet;
    for (size_t i = 0; (packet = lt_send_queue_at(q.queue, i)); i++)
        packet->shed = packet->timestamp % 3 == 0;
    std::vector<uint32_t> removed, expected;
    lt_send_queue_sweep(
        q.queue,
        [](void *user, lt_packet *gone) {
            static_cast<std::vector<uint32_t> *>(user)->push_back(gone->timestamp);
            lt_packet_unref(&gone);
        },
        &removed);
    for (uint32_t i = 60; i < 140; i++)
        if (i % 3 == 0)
            expected.push_back(i);
    CHECK(removed == expected);
    CHECK(lt_send_queue_packets(q.queue) == 80 - expected.size());
    CHECK(lt_send_queue_bytes(q.queue) == 10 * (80 - expected.size()));
    CHECK(lt_send_queue_of_class(q.queue, DELTA).packets == 80 - expected.size());
    for (uint32_t i = 60; i < 140; i++)
        if (i % 3) {
            packet = lt_send_queue_pop(q.queue);
            REQUIRE(packet);
            CHECK(packet->timestamp == i);
            lt_packet_unref(&packet);
        }
}
