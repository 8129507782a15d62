/* SPDX-License-Identifier: MIT */
/* Invalid arguments of the public functions, ownership of tokens, and structs of other versions. */
#include "fixture.h"

#include <climits>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

namespace
{

std::string refusal(const livetcp_playout_config &config)
{
    livetcp_playout *playout = nullptr;
    livetcp_error error = {};
    livetcp_result result = livetcp_playout_create(&config, &playout, &error);
    CHECK((result == LIVETCP_OK) == (playout != nullptr));
    livetcp_playout_destroy(&playout);
    if (result != LIVETCP_OK)
        CHECK(result == LIVETCP_ERR_INVALID_ARGUMENT);
    return error.message;
}

/* Tokens are integers; each must be released exactly once. */
struct Tokens {
    std::multiset<void *> dropped;
    static void drop(void *token, void *user)
    {
        static_cast<Tokens *>(user)->dropped.insert(token);
    }
};

void *token(uintptr_t number)
{
    return reinterpret_cast<void *>(number);
}

} // namespace

TEST_CASE("a config that makes no sense is refused by the name of its field")
{
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_ADAPTIVE);
    CHECK(refusal(config).empty());
    auto with = [&](auto change) {
        livetcp_playout_config changed = config;
        change(changed);
        return refusal(changed);
    };
    using C = livetcp_playout_config;
    CHECK(with([](C &c) { c.clock_rate = 0; }).find("clock_rate") == 0);
    CHECK(with([](C &c) { c.clock_rate = 2000000000; }).find("clock_rate") == 0);
    CHECK(with([](C &c) { c.max_latency_us = 0; }).find("max_latency_us") == 0);
    CHECK(with([](C &c) { c.min_latency_us = second; }).find("min_latency_us") == 0);
    CHECK(with([](C &c) { c.min_latency_us = -1; }).find("min_latency_us") == 0);
    CHECK(with([](C &c) { c.latency_us = second; }).find("latency_us") == 0);
    CHECK(with([](C &c) { c.packet_duration_us = -1; }).find("packet_duration_us") == 0);
    CHECK(with([](C &c) { c.alpha = 1; }).find("alpha") == 0);
    CHECK(with([](C &c) { c.alpha = NAN; }).find("alpha") == 0);
    CHECK(with([](C &c) { c.beta = -1; }).find("beta") == 0);
    CHECK(with([](C &c) { c.capacity_packets = 1; }).find("capacity_packets") == 0);
    CHECK(with([](C &c) { c.capacity_bytes = 1; }).find("capacity_bytes") == 0);
    CHECK(with([](C &c) { c.mode = (livetcp_playout_mode)17; }).find("17") == 0);
    CHECK(with([](C &c) { c.media = (livetcp_playout_media)17; }).find("17") == 0);
    CHECK(with([](C &c) { c.release = (livetcp_playout_release)17; }).find("17") == 0);
    CHECK(with([](C &c) { c.struct_size = 0; }).find("livetcp_playout_config_init") !=
          std::string::npos);
    livetcp_playout *playout = nullptr;
    CHECK(livetcp_playout_create(nullptr, &playout, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    livetcp_playout_destroy(&playout); /* NULL is allowed */
}

TEST_CASE("a config of an older program gets the defaults of what it does not know")
{
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED);
    config.struct_size = offsetof(livetcp_playout_config, alpha);
    config.alpha = -1;
    CHECK(refusal(config).empty());
}

TEST_CASE("packets that are none, and arguments that are not there, change nothing")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED));
    livetcp_playout_packet packet = {};
    const uint8_t rtcp[] = {0x80, 200, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0};
    CHECK(livetcp_playout_put(playout.handle, nullptr, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_put(playout.handle, &packet, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    packet.struct_size = sizeof packet;
    CHECK(livetcp_playout_put(playout.handle, &packet, nullptr) == LIVETCP_ERR_NOT_RTP);
    packet.size = sizeof rtcp;
    CHECK(livetcp_playout_put(playout.handle, &packet, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    packet.data = rtcp;
    CHECK(livetcp_playout_put(playout.handle, &packet, nullptr) == LIVETCP_ERR_NOT_RTP);
    playout.put(Rtp(), INT64_MAX);
    CHECK(playout.result == LIVETCP_ERR_INVALID_ARGUMENT);
    playout.put(Rtp(), INT64_MIN);
    CHECK(playout.result == LIVETCP_ERR_INVALID_ARGUMENT);
    playout.put(Rtp(), 0, token(1)); /* without a release function */
    CHECK(playout.result == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_pull(playout.handle, 0, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_get_stats(playout.handle, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_get_latency(playout.handle, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_set_path(playout.handle, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_put(nullptr, &packet, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_pull(nullptr, 0, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_peek(playout.handle, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_playout_peek(nullptr, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(playout.stats().received == 0);
    CHECK(playout.deadline() == LIVETCP_NEVER);
    CHECK(playout.pull(INT64_MAX).kind == LIVETCP_PLAYOUT_NOTHING);
}

TEST_CASE("a struct whose size was not set is named")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED));
    livetcp_playout_packet packet = {};
    livetcp_playout_slot slot = {};
    livetcp_playout_item item = {};
    livetcp_playout_path path = {};
    livetcp_playout_latency latency = {};
    livetcp_playout_stats stats = {};
    const auto is_named = [](livetcp_result result, const std::string &type) {
        return result == LIVETCP_ERR_INVALID_ARGUMENT &&
               livetcp_result_detail(result) == "the " + type + " has struct_size 0: set it to " +
                                                    "sizeof(" + type + ") before the call";
    };
    CHECK(
        is_named(livetcp_playout_put(playout.handle, &packet, nullptr), "livetcp_playout_packet"));
    CHECK(is_named(livetcp_playout_put(playout.handle, &packet, &slot), "livetcp_playout_slot"));
    CHECK(is_named(livetcp_playout_pull(playout.handle, 0, &item), "livetcp_playout_item"));
    CHECK(is_named(livetcp_playout_peek(playout.handle, &item), "livetcp_playout_item"));
    CHECK(is_named(livetcp_playout_set_path(playout.handle, &path), "livetcp_playout_path"));
    CHECK(
        is_named(livetcp_playout_get_latency(playout.handle, &latency), "livetcp_playout_latency"));
    CHECK(is_named(livetcp_playout_get_stats(playout.handle, &stats), "livetcp_playout_stats"));
}

TEST_CASE("the bytes of a packet come out as they went in")
{
    Playout playout(voice(LIVETCP_PLAYOUT_NONE));
    Rtp rtp;
    rtp.size = 700;
    playout.put(rtp, second);
    livetcp_playout_item item = playout.pull(second);
    REQUIRE(item.kind == LIVETCP_PLAYOUT_PACKET);
    REQUIRE(item.size == 700);
    CHECK(memcmp(item.data, Playout::bytes(rtp).data(), 700) == 0);
}

static livetcp_playout_item peek(const Playout &playout)
{
    livetcp_playout_item item = {};
    item.struct_size = sizeof item;
    REQUIRE(livetcp_playout_peek(playout.handle, &item) == LIVETCP_OK);
    return item;
}

TEST_CASE("peek shows the packet behind a gap, for its forward error correction")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 60 * ms));
    CHECK(peek(playout).kind == LIVETCP_PLAYOUT_NOTHING);
    for (uint16_t i : {0, 1, 2, 3, 5, 6}) {
        Rtp rtp;
        rtp.sequence = i;
        rtp.timestamp = 160u * i;
        rtp.name = 1000u + i;
        playout.put(rtp, second + i * 20 * ms);
    }
    const livetcp_usec due = second + 60 * ms;
    for (uint16_t i = 0; i < 4; i++) {
        CHECK(peek(playout).sequence == i); /* before it is due, twice */
        CHECK(peek(playout).play_us == due + i * 20 * ms);
        CHECK(playout.pull(due + i * 20 * ms).sequence == i);
    }
    livetcp_playout_item gap = playout.pull(due + 80 * ms);
    REQUIRE(gap.kind == LIVETCP_PLAYOUT_CONCEAL);
    REQUIRE(gap.sequence == 4);
    livetcp_playout_item next = peek(playout);
    REQUIRE(next.kind == LIVETCP_PLAYOUT_PACKET);
    CHECK(next.sequence == 5);
    CHECK(next.timestamp == 800);
    CHECK(next.discontinuity);
    REQUIRE(next.size == 20);
    CHECK(lt_read_be32(next.data + 12) == 1005);
    CHECK(playout.stats().held_packets == 2);
    CHECK(playout.pull(due + 100 * ms).sequence == 5);
    CHECK(playout.pull(due + 120 * ms).sequence == 6);
    CHECK(peek(playout).kind == LIVETCP_PLAYOUT_NOTHING);
}

TEST_CASE("every token comes back once: played, dropped, or never taken")
{
    Tokens tokens;
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
    config.drop_token = Tokens::drop;
    config.user = &tokens;
    std::multiset<void *> out, refused;
    {
        Playout playout(config);
        for (unsigned i = 0; i < 200; i++) {
            Rtp rtp;
            bool wild = i % 17 == 5; /* one packet of another SSRC: probation, then discarded */
            rtp.sequence = static_cast<uint16_t>(i % 13 == 3 ? i - 1 : i);
            rtp.timestamp = 160u * rtp.sequence;
            rtp.ssrc = wild ? 8 : 7;
            livetcp_usec now = second + i * 20 * ms + (i % 19 == 4 ? 90 * ms : 0);
            livetcp_playout_item item;
            while ((item = playout.pull(now)).kind != LIVETCP_PLAYOUT_NOTHING)
                if (item.token)
                    out.insert(item.token);
            livetcp_playout_result result = playout.put(rtp, now, token(i + 1)).result;
            if (result == LIVETCP_PLAYOUT_LATE || result == LIVETCP_PLAYOUT_DUPLICATE)
                refused.insert(token(i + 1));
            if (i == 150)
                livetcp_playout_flush(playout.handle);
        }
    }
    CHECK(out.size() > 100);
    CHECK(refused.size() > 10);
    CHECK(tokens.dropped.size() > 10);
    CHECK(out.size() + refused.size() + tokens.dropped.size() == 200);
    for (uintptr_t i = 1; i <= 200; i++)
        CHECK(out.count(token(i)) + refused.count(token(i)) + tokens.dropped.count(token(i)) == 1);
}

TEST_CASE("what is held is bounded, and the oldest goes")
{
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
    config.capacity_packets = 16;
    Playout playout(config);
    for (unsigned i = 0; i < 100; i++) {
        Rtp rtp;
        rtp.sequence = static_cast<uint16_t>(i);
        rtp.timestamp = 160 * i;
        playout.put(rtp, second + i * 20 * ms); /* without pulls */
        CHECK(playout.stats().held_packets <= 16);
    }
    CHECK(playout.stats().overflowed == 84);
    playout.play(10 * second);
    CHECK(playout.played().front() == 84);
    CHECK(playout.stats().played == 16);
    CHECK(playout.stats().lost == 0);
}

TEST_CASE("flush drops what is held and starts anew")
{
    Playout playout(voice(LIVETCP_PLAYOUT_FIXED, 60 * ms));
    Rtp rtp;
    for (unsigned i = 0; i < 10; i++) {
        rtp.sequence = static_cast<uint16_t>(i);
        rtp.timestamp = 160 * i;
        playout.put(rtp, second + i * 20 * ms);
    }
    livetcp_playout_flush(playout.handle);
    CHECK(playout.deadline() == LIVETCP_NEVER);
    CHECK(playout.stats().held_packets == 0);
    rtp.sequence = 5;
    rtp.timestamp = 123456789;
    CHECK(playout.put(rtp, 9 * second).play_us == 9 * second + 60 * ms);
    CHECK(playout.put(rtp, 9 * second).result == LIVETCP_PLAYOUT_DUPLICATE);
    rtp.sequence = 40000;
    rtp.flags = LIVETCP_PLAYOUT_DISCONT; /* the same by a flag of the packet */
    CHECK(playout.put(rtp, 10 * second).result == LIVETCP_PLAYOUT_PLAY);
    CHECK(playout.stats().held_packets == 1);
}
