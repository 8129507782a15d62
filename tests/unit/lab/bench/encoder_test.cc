/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/bench/encoder.h"
}

#include <memory>
#include <string>
#include <vector>

static std::unique_ptr<lt_encoder_config> config_of(void (*sizes)(lt_frame_sizes *),
                                                    uint32_t key_interval = 0)
{
    std::unique_ptr<lt_encoder_config> config{new lt_encoder_config()};
    config->interval = 40000;
    config->key_interval = key_interval;
    config->start_rate = 1e6;
    config->max_rate = 8e6;
    config->overshoot = 1;
    sizes(&config->sizes);
    return config;
}

/* Mean rate of this many frames, in bit/s. */
static double rate_of(lt_encoder *encoder, uint32_t frames)
{
    double bytes = 0;
    for (uint32_t i = 0; i < frames; i++)
        bytes += double(lt_encoder_next(encoder).bytes);
    return bytes * 8 / frames * 25;
}

TEST_CASE("the ideal encoder has frames of one size, which follows the rate at once")
{
    auto config = config_of(lt_frame_sizes_ideal);
    lt_encoder encoder;
    lt_encoder_init(&encoder, config.get());
    for (int i = 0; i < 100; i++) {
        lt_encoded_frame frame = lt_encoder_next(&encoder);
        CHECK(frame.bytes == 5000);
        CHECK_FALSE(frame.key);
    }
    lt_encoder_set_rate(&encoder, 300e3);
    CHECK(lt_encoder_next(&encoder).bytes == 1500);
    lt_encoder_set_rate(&encoder, 0); /* not known */
    CHECK(lt_encoder_next(&encoder).bytes == 1500);
    lt_encoder_set_rate(&encoder, 20e6);
    CHECK(encoder.rate == 8e6);
    CHECK(lt_encoder_next(&encoder).bytes == 40000);
    config->overshoot = 1.25;
    lt_encoder_set_rate(&encoder, 400e3);
    CHECK(lt_encoder_next(&encoder).bytes == 2500);
}

TEST_CASE("x264 has key frames at their interval, and the rate on average whatever that is")
{
    for (uint32_t key_interval : {0, 2, 50, 250}) {
        auto config = config_of(lt_frame_sizes_x264, key_interval);
        lt_encoder encoder;
        lt_encoder_init(&encoder, config.get());
        /* Whole runs of the trace between whole intervals. */
        const uint32_t frames =
            key_interval ? config->sizes.count * key_interval : config->sizes.count;
        CHECK(rate_of(&encoder, frames) == Approx(1e6).epsilon(0.001));
        lt_encoder_set_rate(&encoder, 400e3);
        CHECK(rate_of(&encoder, frames) == Approx(400e3).epsilon(0.001));
    }
    auto config = config_of(lt_frame_sizes_x264, 50);
    lt_encoder encoder;
    lt_encoder_init(&encoder, config.get());
    size_t largest = 0, smallest = SIZE_MAX, key = 0;
    for (int i = 0; i < 500; i++) {
        lt_encoded_frame frame = lt_encoder_next(&encoder);
        CHECK(frame.key == (i % 50 == 0));
        key = frame.key ? frame.bytes : key;
        largest = frame.bytes > largest ? frame.bytes : largest;
        smallest = frame.bytes < smallest ? frame.bytes : smallest;
    }
    CHECK(key == largest);
    CHECK(key > 4 * 5000);
    CHECK(smallest < 5000 / 4); /* it is no constant bit rate */
}

TEST_CASE("a trace is a key frame and delta frames, and only their relation counts")
{
    auto config = config_of(lt_frame_sizes_ideal, 3);
    const std::vector<livetcp_trace_frame> frames = {{0, 600}, {40000, 100}, {80000, 300}};
    livetcp_error error = {};
    REQUIRE(lt_frame_sizes_take(&config->sizes, frames.data(), frames.size(), &error) ==
            LIVETCP_OK);
    lt_encoder encoder;
    lt_encoder_init(&encoder, config.get());
    std::vector<size_t> bytes;
    for (int i = 0; i < 6; i++)
        bytes.push_back(lt_encoder_next(&encoder).bytes);
    CHECK(bytes == std::vector<size_t>{9000, 1500, 4500, 9000, 1500, 4500});

    CHECK(lt_frame_sizes_take(&config->sizes, frames.data(), 1, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("1 frames") != std::string::npos);
    std::vector<livetcp_trace_frame> many(LT_ENCODER_MAX_FRAMES + 2, {0, 1});
    CHECK(lt_frame_sizes_take(&config->sizes, many.data(), many.size(), &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("a frame goes in as few packets as hold it, of about one size")
{
    CHECK(lt_frame_packets(0, 1446) == 1);
    CHECK(lt_frame_packets(1446, 1446) == 1);
    CHECK(lt_frame_packets(1447, 1446) == 2);
    for (size_t bytes : {1, 28, 1447, 5000, 99999}) {
        uint32_t count = lt_frame_packets(bytes, 1446);
        size_t total = 0;
        for (uint32_t i = 0; i < count; i++) {
            size_t size = lt_frame_packet_size(bytes, count, i);
            CHECK(size <= 1446);
            CHECK(size >= bytes / count);
            total += size;
        }
        CHECK(total == bytes);
    }
}

TEST_CASE("no rate and no requests make more packets than there is memory for")
{
    for (auto sizes : {lt_frame_sizes_x264, lt_frame_sizes_screen}) {
        for (uint32_t key_interval : {0, 2, 50}) {
            auto config = config_of(sizes, key_interval);
            for (double rate : {10e3, 1e6, 8e6}) {
                lt_encoder encoder;
                uint64_t packets = 0;
                lt_encoder_init(&encoder, config.get());
                lt_encoder_set_rate(&encoder, rate);
                for (uint32_t i = 1; i <= 300; i++) {
                    lt_encoder_want_key(&encoder);
                    packets += lt_frame_packets(lt_encoder_next(&encoder).bytes, 1446);
                    REQUIRE(packets <= lt_encoder_max_packets(config.get(), i, 1446));
                }
            }
        }
    }
}

TEST_CASE("a screen share has still pictures, and frames that are as large as a page")
{
    auto config = config_of(lt_frame_sizes_screen);
    lt_encoder encoder;
    lt_encoder_init(&encoder, config.get());
    size_t largest = 0, small = 0;
    for (unsigned i = 0; i < config->sizes.count; i++) {
        size_t bytes = lt_encoder_next(&encoder).bytes;
        largest = bytes > largest ? bytes : largest;
        small += bytes < 5000 / 10;
    }
    CHECK(largest > 10 * 5000);
    CHECK(small > config->sizes.count / 20);
    lt_encoder_init(&encoder, config.get());
    CHECK(rate_of(&encoder, config->sizes.count) == Approx(1e6).epsilon(0.001));
}

/* Numbers of the key frames among this many; the receiver asks before each frame of `wanted`. */
static std::vector<uint32_t> keys(uint32_t key_interval, uint32_t frames,
                                  const std::vector<uint32_t> &wanted)
{
    auto config = config_of(lt_frame_sizes_x264, key_interval);
    std::vector<uint32_t> found;
    lt_encoder encoder;
    lt_encoder_init(&encoder, config.get());
    for (uint32_t i = 0; i < frames; i++) {
        for (uint32_t w : wanted)
            if (w == i)
                lt_encoder_want_key(&encoder);
        if (lt_encoder_next(&encoder).key)
            found.push_back(i);
    }
    return found;
}

TEST_CASE("a key frame that is wanted comes with the next frame, and the interval begins anew")
{
    CHECK(keys(50, 160, {70}) == std::vector<uint32_t>{0, 50, 70, 120});
    /* 500 ms are 13 frames: a second request waits for that, and several are one. */
    CHECK(keys(50, 100, {55, 56}) == std::vector<uint32_t>{0, 50, 63});
    CHECK(keys(0, 100, {}) == std::vector<uint32_t>{});
    CHECK(keys(0, 100, {30, 31}) == std::vector<uint32_t>{30, 43});
}

TEST_CASE("frames that nobody wants have numbers, and no key frame is lost with them")
{
    auto config = config_of(lt_frame_sizes_x264, 50);
    lt_encoder encoder;
    lt_encoder_init(&encoder, config.get());
    for (int i = 0; i < 7; i++)
        lt_encoder_skip(&encoder);
    CHECK(encoder.frame == 7);
    CHECK(lt_encoder_next(&encoder).key);
    CHECK(encoder.frame == 8);
    CHECK_FALSE(lt_encoder_next(&encoder).key);
}
