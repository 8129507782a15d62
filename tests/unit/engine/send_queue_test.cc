/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <deque>
#include <vector>

extern "C" {
#include "base/rng.h"
#include "engine/sender/shedding.h"
}

namespace
{

lt_packet *numbered(uint16_t sequence, size_t size = 100)
{
    std::vector<uint8_t> bytes(size);
    lt_packet *packet = lt_packet_create(bytes.data(), size);
    REQUIRE(packet);
    packet->sequence = sequence;
    packet->timestamp = sequence; /* frames of one packet */
    return packet;
}

struct Queue {
    lt_send_queue *queue;

    Queue(size_t max_packets, size_t max_bytes)
        : queue(lt_send_queue_create(max_packets, max_bytes))
    {
        REQUIRE(queue);
    }
    ~Queue()
    {
        lt_send_queue_destroy(&queue);
        CHECK(queue == nullptr);
    }
    /* As a session does it: with room made first. Returns how many packets that took. */
    size_t push(lt_packet *packet)
    {
        size_t dropped = 0;
        auto take = [](void *user, lt_packet *gone) {
            ++*static_cast<size_t *>(user);
            lt_packet_unref(&gone);
        };
        if (!lt_send_queue_fits(queue, lt_packet_size(packet))) {
            REQUIRE(lt_send_queue_push(queue, packet) == LIVETCP_ERR_BAD_STATE);
            REQUIRE(lt_shed_for_space(queue, packet, true));
            lt_send_queue_sweep(queue, take, &dropped);
        }
        REQUIRE(lt_send_queue_push(queue, packet) == LIVETCP_OK);
        return dropped;
    }
    int pop()
    {
        lt_packet *packet = lt_send_queue_pop(queue);
        int sequence = packet ? packet->sequence : -1;
        lt_packet_unref(&packet);
        return sequence;
    }
};

} // namespace

TEST_CASE("packets leave the queue in order", "[send_queue]")
{
    Queue q(1000, 1 << 20);
    CHECK(lt_send_queue_front(q.queue) == nullptr);
    CHECK(q.pop() == -1);
    for (uint16_t i = 0; i < 500; i++)
        REQUIRE(q.push(numbered(i, i)) == 0);
    CHECK(lt_send_queue_packets(q.queue) == 500);
    CHECK(lt_send_queue_bytes(q.queue) == 499 * 500 / 2);
    CHECK(lt_send_queue_front(q.queue)->sequence == 0);
    for (int i = 0; i < 500; i++)
        REQUIRE(q.pop() == i);
    CHECK(lt_send_queue_packets(q.queue) == 0);
    CHECK(lt_send_queue_bytes(q.queue) == 0);
}

TEST_CASE("a full queue makes room by dropping the oldest packets whole", "[send_queue]")
{
    SECTION("by packets")
    {
        Queue q(3, 1 << 20);
        for (uint16_t i = 0; i < 3; i++)
            CHECK(q.push(numbered(i)) == 0);
        CHECK(q.push(numbered(3)) == 1);
        CHECK(lt_send_queue_packets(q.queue) == 3);
        CHECK(q.pop() == 1);
    }
    SECTION("by bytes")
    {
        Queue q(100, 1000);
        for (uint16_t i = 0; i < 10; i++)
            CHECK(q.push(numbered(i, 100)) == 0);
        CHECK(q.push(numbered(10, 250)) == 3);
        CHECK(lt_send_queue_bytes(q.queue) == 950);
        CHECK(q.push(numbered(11, 1000)) == 8);
        CHECK(q.pop() == 11);
        CHECK(q.pop() == -1);
    }
}

TEST_CASE("a packet larger than the whole queue is refused", "[send_queue]")
{
    Queue q(100, 1000);
    q.push(numbered(0));
    lt_packet *large = numbered(1, 1001);
    CHECK(lt_send_queue_push(q.queue, large) == LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(lt_send_queue_reserve(q.queue, 1001) == LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(lt_send_queue_packets(q.queue) == 1);
    lt_packet_unref(&large); /* still ours */
}

TEST_CASE("a packet goes back to the front while there is room", "[send_queue]")
{
    Queue q(3, 1000);
    CHECK(lt_send_queue_push_front(q.queue, numbered(2)) == LIVETCP_OK);
    CHECK(lt_send_queue_push_front(q.queue, numbered(1)) == LIVETCP_OK);
    q.push(numbered(3));
    lt_packet *kept = numbered(0), *large = numbered(0, 900);
    CHECK(lt_send_queue_push_front(q.queue, kept) == LIVETCP_ERR_BAD_STATE);
    CHECK(q.pop() == 1);
    CHECK(lt_send_queue_push_front(q.queue, large) == LIVETCP_ERR_BAD_STATE);
    lt_packet_unref(&kept); /* still ours */
    lt_packet_unref(&large);
    CHECK(lt_send_queue_bytes(q.queue) == 200);
    CHECK(q.pop() == 2);
    CHECK(q.pop() == 3);
}

TEST_CASE("clearing gives up all references", "[send_queue]")
{
    Queue q(100, 10000);
    lt_packet *kept = numbered(0);
    q.push(lt_packet_ref(kept));
    q.push(numbered(1));
    CHECK(kept->references == 2);
    lt_send_queue_clear(q.queue);
    CHECK(kept->references == 1);
    CHECK(lt_send_queue_packets(q.queue) == 0);
    CHECK(lt_send_queue_bytes(q.queue) == 0);
    CHECK(q.push(lt_packet_ref(kept)) == 0);
    lt_packet_unref(&kept);
}

TEST_CASE("any mix of calls behaves like a plain list", "[send_queue]")
{
    lt_rng rng;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        lt_rng_seed(&rng, seed);
        size_t max_packets = 1 + lt_rng_next(&rng) % 200;
        size_t max_bytes = 1000 + lt_rng_next(&rng) % 20000;
        Queue q(max_packets, max_bytes);
        std::deque<std::pair<int, size_t>> model;
        size_t bytes = 0;
        for (uint16_t i = 0; i < 2000; i++) {
            unsigned choice = lt_rng_next(&rng) % 8;
            size_t size = lt_rng_next(&rng) % 1000;
            if (choice < 4) {
                size_t dropped = 0;
                while (model.size() == max_packets || bytes + size > max_bytes) {
                    bytes -= model.front().second;
                    model.pop_front();
                    dropped++;
                }
                model.emplace_back(i, size);
                bytes += size;
                REQUIRE(q.push(numbered(i, size)) == dropped);
            } else if (choice == 4) {
                bool fits = model.size() < max_packets && bytes + size <= max_bytes;
                if (fits) {
                    model.emplace_front(i, size);
                    bytes += size;
                }
                lt_packet *packet = numbered(i, size);
                livetcp_result result = lt_send_queue_push_front(q.queue, packet);
                REQUIRE(result == (fits ? LIVETCP_OK : LIVETCP_ERR_BAD_STATE));
                if (!fits)
                    lt_packet_unref(&packet);
            } else {
                int expected = model.empty() ? -1 : model.front().first;
                if (!model.empty()) {
                    bytes -= model.front().second;
                    model.pop_front();
                }
                REQUIRE(q.pop() == expected);
            }
            REQUIRE(lt_send_queue_packets(q.queue) == model.size());
            REQUIRE(lt_send_queue_bytes(q.queue) == bytes);
        }
    }
}

TEST_CASE("audio waits for audio only, and each kind keeps its order", "[send_queue]")
{
    lt_rng rng;
    lt_rng_seed(&rng, 3);
    Queue q(64, 1 << 20);
    std::deque<lt_packet *> audio, others; /* what the queue must hold */
    livetcp_usec now = 0;
    uint16_t next = 0;
    for (int i = 0; i < 20000; i++) {
        now += 1000;
        auto &kind = lt_rng_next(&rng) % 3 ? others : audio;
        uint64_t what = lt_rng_next(&rng) % 16;
        if (what < 8 && lt_send_queue_packets(q.queue) < 60) {
            lt_packet *packet = numbered(next++, 100);
            packet->importance =
                &kind == &audio ? LIVETCP_IMPORTANCE_AUDIO : LIVETCP_IMPORTANCE_DELTA;
            packet->enqueued_us = now;
            if (what == 0) { /* comes back from a lost connection */
                packet->enqueued_us = now - 1000000;
                REQUIRE(lt_send_queue_push_front(q.queue, packet) == LIVETCP_OK);
                kind.push_front(packet);
            } else {
                REQUIRE(lt_send_queue_push(q.queue, packet) == LIVETCP_OK);
                kind.push_back(packet);
            }
        } else if (what < 15) {
            auto &from = audio.empty() ? others : audio;
            lt_packet *packet = lt_send_queue_pop(q.queue);
            REQUIRE(packet == (from.empty() ? nullptr : from.front()));
            if (packet)
                from.pop_front();
            lt_packet_unref(&packet);
        } else if (!kind.empty()) {
            kind.back()->shed = 1;
            kind.pop_back();
            lt_send_queue_sweep(
                q.queue, [](void *, lt_packet *gone) { lt_packet_unref(&gone); }, nullptr);
        }
        livetcp_usec oldest = LIVETCP_NEVER;
        for (auto *of : {&audio, &others})
            if (!of->empty())
                oldest = std::min(oldest, of->front()->enqueued_us);
        REQUIRE(lt_send_queue_oldest_us(q.queue) == oldest);
        REQUIRE(lt_send_queue_packets(q.queue) == audio.size() + others.size());
    }
}
