/* SPDX-License-Identifier: MIT */
/* A channel of samples/tv_server: key frames and bit rates on request. */
#include "catch.h"

#include <opus.h>
#include <uv.h>

#include <algorithm>
#include <string>
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

    explicit station(const char *source = "test", const char *sound = nullptr)
    {
        channel_settings s = {};
        char message[240] = "";

        uv_loop_init(&loop);
        uv_async_init(&loop, &wake, nullptr);
        s.name = "one";
        s.source = source;
        s.sound = sound;
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

/* A file that is deleted at the end. */
struct file {
    std::string name;

    file(const char *ending, const std::string &contents)
        : name("tv_channel_test." + std::to_string(uv_os_getpid()) + ending)
    {
        FILE *out = fopen(name.c_str(), "wb");
        REQUIRE(out);
        fwrite(contents.data(), 1, contents.size(), out);
        fclose(out);
    }

    ~file()
    {
        remove(name.c_str());
    }
};

std::string y4m(const std::string &rate, unsigned pictures)
{
    std::string all = "YUV4MPEG2 W160 H64 F" + rate + " C420jpeg\n";
    for (unsigned i = 0; i < pictures; i++)
        all += "FRAME\n" + std::string(160 * 64 * 3 / 2, static_cast<char>(100 + i));
    return all;
}

/* 48 kHz: 20 ms of a tone, and silence up to `size` samples. */
std::string wav(unsigned size)
{
    std::string all = "RIFF....WAVEfmt ";
    const auto put = [&](uint32_t value, int bytes) {
        for (int i = 0; i < bytes; i++)
            all += static_cast<char>(value >> 8 * i);
    };
    put(16, 4);
    put(1, 2);
    put(1, 2);
    put(48000, 4);
    put(96000, 4);
    put(2, 2);
    put(16, 2);
    all += "data";
    put(2 * size, 4);
    for (unsigned i = 0; i < size; i++)
        put(i < 960 ? static_cast<uint16_t>(i / 24 % 2 ? 8000 : -8000) : 0, 2);
    return all;
}

/* Of the channel's 20 ms of sound, those in which there is some. */
unsigned loud(channel *c)
{
    int code;
    OpusDecoder *decoder = opus_decoder_create(48000, 1, &code);
    unsigned count = 0;

    for (uint64_t i = channel_first(c, TRACK_SOUND); i < channel_end(c, TRACK_SOUND); i++) {
        const unit_header header = {};
        size_t size;
        int16_t samples[960];
        const uint8_t *packet = unit_packet(channel_unit(c, TRACK_SOUND, i), 0, &header, &size);
        const size_t head = 12 + 4; /* RTP with a CSRC */
        if (opus_decode(decoder, packet + head, static_cast<int>(size - head), samples, 960, 0) ==
            960)
            count += *std::max_element(samples, samples + 960) > 2000;
    }
    opus_decoder_destroy(decoder);
    return count;
}

} // namespace

TEST_CASE("tv: a file keeps its own rate, to the picture")
{
    const file film(".y4m", y4m("30000:1001", 7));
    station s(film.name.c_str());

    s.after(31);
    const uint64_t first = channel_first(s.one, TRACK_HIGH);
    const int64_t took = channel_unit(s.one, TRACK_HIGH, first + 30)->pts_us -
                         channel_unit(s.one, TRACK_HIGH, first)->pts_us;
    channel_stats stats;
    channel_get_stats(s.one, &stats);
    if (stats.skipped == 0) /* the computer was fast enough */
        CHECK(took == 1001000);
}

TEST_CASE("tv: when a film begins again, its sound does")
{
    const file film(".y4m", y4m("50:1", 10)), sound(".wav", wav(48000));
    station s(film.name.c_str(), sound.name.c_str());

    s.after(50); /* five times */
    CHECK(loud(s.one) >= 4);
}

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
