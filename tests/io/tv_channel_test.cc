/* SPDX-License-Identifier: MIT */
/* A channel of samples/tv_server: key frames and bit rates on request. */
#include "catch.h"

#include <uv.h>

#include <vector>

extern "C" {
#include "../../samples/tv_server/channel.h"
#include "../../samples/tv_server/median.h"
}

namespace
{

const int64_t SECOND = 1000000;

int64_t now_us()
{
    return static_cast<int64_t>(uv_hrtime() / 1000);
}

/* The test picture, whose own key frames are a minute apart. */
struct station {
    uv_loop_t loop;
    uv_async_t wake;
    channel *one = nullptr;

    station()
    {
        channel_settings s = {};
        char message[240] = "";

        uv_loop_init(&loop);
        uv_async_init(&loop, &wake, nullptr);
        s.name = "one";
        s.source = "test";
        s.width = 320;
        s.height = 180;
        s.fps = 100;
        s.kbits = 1000;
        s.low_kbits = 250;
        s.key_ms = 60000;
        s.history_s = 60;
        s.preset = "ultrafast";
        s.wake = &wake;
        one = channel_create(&s, message, sizeof message);
        INFO(message);
        REQUIRE(one);
    }

    ~station()
    {
        channel_destroy(&one);
        uv_close(reinterpret_cast<uv_handle_t *>(&wake), nullptr);
        uv_run(&loop, UV_RUN_DEFAULT);
        uv_loop_close(&loop);
    }

    channel_stats after(uint64_t pictures)
    {
        channel_stats stats;

        channel_get_stats(one, &stats);
        for (const uint64_t end = stats.pictures + pictures; stats.pictures < end;) {
            uv_run(&loop, UV_RUN_ONCE);
            channel_collect(one);
            channel_get_stats(one, &stats);
        }
        return stats;
    }
};

} // namespace

TEST_CASE("tv: viewers together cause at most one key frame in a round trip")
{
    station s;

    CHECK(s.after(5).keys == 1); /* the first picture */
    channel_want_key(s.one, now_us(), 100 * SECOND);
    CHECK(s.after(10).keys == 1); /* it is younger than the round trip */
    const int64_t asked = now_us();
    for (int i = 0; i < 20; i++)
        channel_want_key(s.one, asked + i, 1); /* before one could be there */
    const uint64_t keys = s.after(10).keys;
    CHECK(keys >= 2);
    CHECK(keys <= 3); /* one may have been made while the others were asked for */
    const int64_t again = now_us();
    for (int i = 0; i < 20; i++)
        channel_want_key(s.one, again + i, 100 * SECOND);
    CHECK(s.after(10).keys == keys);
}

TEST_CASE("tv: both qualities have key frames at the same pictures, and the wanted rates")
{
    station s;

    s.after(3);
    channel_set_rate(s.one, TRACK_HIGH, 400);
    channel_set_rate(s.one, TRACK_LOW, 1);
    channel_want_key(s.one, now_us(), 1);
    channel_stats stats = s.after(10);
    CHECK(stats.kbits[TRACK_HIGH] == 400);
    CHECK(stats.kbits[TRACK_LOW] == 250 / 8); /* not less */
    for (uint64_t i = channel_first(s.one, TRACK_HIGH); i < channel_end(s.one, TRACK_HIGH); i++)
        CHECK(channel_unit(s.one, TRACK_HIGH, i)->key == channel_unit(s.one, TRACK_LOW, i)->key);
    channel_set_rate(s.one, TRACK_HIGH, 5000);
    channel_set_rate(s.one, TRACK_LOW, 32);
    stats = s.after(3);
    CHECK(stats.kbits[TRACK_HIGH] == 1000); /* not more */
    CHECK(stats.kbits[TRACK_LOW] == 31);    /* nearly the same: the encoder is left alone */
}

TEST_CASE("tv: a quality follows what half of its viewers can take")
{
    std::vector<uint32_t> rates = {9000000, 500000, 0, 1000000, 600000};

    CHECK(median_kbits(rates.data(), rates.size()) == 768); /* 0.8 of 1000, less 32 of sound */
    CHECK(median_kbits(rates.data(), 0) == 0);
    rates = {0, 0};
    CHECK(median_kbits(rates.data(), rates.size()) == 1000000); /* as much as it may */
    rates = {10000};
    CHECK(median_kbits(rates.data(), rates.size()) == 1);
}
