/* SPDX-License-Identifier: MIT */
/* Secondaries, which may be of lower quality, are for where the primary is not. */
#include "call.h"

#include <algorithm>

namespace
{

const uint32_t primary = 1, secondary = 2; /* in the payload */

Rtp packet(unsigned i, bool redundant = false)
{
    Rtp rtp;
    rtp.sequence = static_cast<uint16_t>(65000 + i);
    rtp.timestamp = 160 * i;
    rtp.flags = redundant ? LIVETCP_PLAYOUT_REDUNDANT : 0;
    rtp.name = redundant ? secondary : primary;
    return rtp;
}

livetcp_usec arrival(unsigned i)
{
    return second + i * 20 * ms;
}

/* Every packet comes with a secondary of the one before; packet 10 itself comes `late` after its
 * secondary, unless it is negative. */
void talk(Playout &playout, livetcp_usec late)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (i)
            playout.arrive(packet(i - 1, true), arrival(i));
        if (i != 10)
            playout.arrive(packet(i), arrival(i));
        if (i == 11 && late >= 0)
            playout.arrive(packet(10), arrival(11) + late);
    }
    playout.play(arrival(1001) + second);
}

std::vector<Output> given(const Playout &playout, unsigned i)
{
    std::vector<Output> found;
    std::copy_if(playout.outputs.begin(), playout.outputs.end(), std::back_inserter(found),
                 [&](const Output &output) { return output.sequence == (uint16_t)(65000 + i); });
    return found;
}

} // namespace

TEST_CASE("a primary that comes in time is played although its secondary came before")
{
    for (livetcp_playout_release release : {LIVETCP_PLAYOUT_WHEN_DUE, LIVETCP_PLAYOUT_IN_ORDER}) {
        INFO("release " << release);
        livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
        config.release = release;
        Playout playout(config);
        talk(playout, 19 * ms);
        std::vector<Output> outputs = given(playout, 10);
        REQUIRE(outputs.size() == 1);
        CHECK(outputs[0].kind == LIVETCP_PLAYOUT_PACKET);
        CHECK(outputs[0].name == primary);
        CHECK(outputs[0].play_us == arrival(10) + 60 * ms);
        CHECK_FALSE(outputs[0].discontinuity);
        livetcp_playout_stats stats = playout.stats();
        CHECK(stats.played == 1000);
        CHECK(stats.played_secondary == 0);
        CHECK(stats.saved_ratio == 0);
        CHECK(stats.duplicates == 999);
        CHECK(stats.received == stats.played + stats.duplicates);
        CHECK(stats.held_packets == 0);
        CHECK(stats.held_bytes == 0);
    }
}

TEST_CASE("a primary that comes too late, or never, leaves its place to the secondary")
{
    for (livetcp_playout_release release : {LIVETCP_PLAYOUT_WHEN_DUE, LIVETCP_PLAYOUT_IN_ORDER})
        for (livetcp_usec late : {livetcp_usec(-1), 41 * ms}) {
            INFO("release " << release << ", " << late << " us after its secondary");
            livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
            config.release = release;
            Playout playout(config);
            talk(playout, late);
            std::vector<Output> outputs = given(playout, 10);
            REQUIRE(outputs.size() == 1);
            CHECK(outputs[0].name == secondary);
            CHECK(outputs[0].now <= outputs[0].play_us);
            livetcp_playout_stats stats = playout.stats();
            CHECK(stats.played == 1000);
            CHECK(stats.played_secondary == 1);
            CHECK(stats.saved_ratio == 1);
            CHECK(stats.late == 0);
        }
}

TEST_CASE("the verdict on a primary after its secondary: to be played, in its place, once")
{
    for (livetcp_playout_release release : {LIVETCP_PLAYOUT_WHEN_DUE, LIVETCP_PLAYOUT_TIMES_ONLY}) {
        livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
        config.release = release;
        Playout playout(config);
        playout.put(packet(0), arrival(0));
        livetcp_playout_slot copy = playout.put(packet(1, true), arrival(2));
        CHECK(copy.result == LIVETCP_PLAYOUT_PLAY);
        livetcp_playout_slot again = playout.put(packet(1, true), arrival(2));
        CHECK(again.result == LIVETCP_PLAYOUT_DUPLICATE);
        livetcp_playout_slot original = playout.put(packet(1), arrival(2) + ms);
        CHECK(original.result == LIVETCP_PLAYOUT_PLAY);
        CHECK((original.events & LIVETCP_PLAYOUT_REPLACES));
        CHECK(original.play_us == copy.play_us);
        CHECK(original.extended_sequence == copy.extended_sequence);
        CHECK(original.delay_us == copy.delay_us);
        original = playout.put(packet(1), arrival(2) + 2 * ms);
        CHECK(original.result == LIVETCP_PLAYOUT_DUPLICATE);
        CHECK(original.events == 0);
        CHECK(playout.stats().duplicates == 3);
    }
}

TEST_CASE("the token of a secondary that is replaced is dropped, once")
{
    static std::vector<int *> dropped;
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_FIXED, 60 * ms);
    int first = 0, copy = 0, original = 0;
    dropped.clear();
    config.drop_token = [](void *token, void *) { dropped.push_back(static_cast<int *>(token)); };
    {
        Playout playout(config);
        playout.put(packet(0), arrival(0), &first);
        playout.put(packet(1, true), arrival(2), &copy);
        CHECK(dropped.empty());
        playout.put(packet(1), arrival(2) + ms, &original);
        CHECK(dropped == std::vector<int *>{&copy});
        REQUIRE(playout.pull(arrival(0) + 60 * ms).token == &first);
        livetcp_playout_item item = playout.pull(arrival(1) + 60 * ms);
        REQUIRE(item.token == &original);
        CHECK(item.size == 0);
    }
    CHECK(dropped == std::vector<int *>{&copy});
}

TEST_CASE("video shows what is there, and does not wait for a better copy")
{
    livetcp_playout_config config = video(LIVETCP_PLAYOUT_FIXED, 60 * ms);
    config.release = LIVETCP_PLAYOUT_IN_ORDER;
    Playout playout(config);
    for (unsigned i = 0; i < 20; i++) {
        Rtp rtp = packet(i, i == 10);
        rtp.timestamp = 3000 * i;
        playout.arrive(rtp, arrival(i));
    }
    playout.play(arrival(20));
    std::vector<Output> outputs = given(playout, 10);
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].now == arrival(10));
}
