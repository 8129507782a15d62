/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <algorithm>
#include <cstring>
#include <vector>

extern "C" {
#include "base/rng.h"
#include "wire/frame.h"
}

namespace
{

using Bytes = std::vector<uint8_t>;

/* A frame whose content encodes its length and position. */
void add_frame(Bytes &stream, size_t length, size_t seed)
{
    stream.push_back((uint8_t)(length >> 8));
    stream.push_back((uint8_t)length);
    for (size_t i = 0; i < length; i++)
        stream.push_back((uint8_t)(i * 31 + seed * 7 + length));
}

struct Deframer {
    lt_deframer state;

    explicit Deframer(size_t max_frame = LT_FRAME_MAX)
    {
        lt_deframer_init(&state, max_frame);
    }
    ~Deframer()
    {
        lt_deframer_clear(&state);
    }

    /* Feeds a copy of exactly this size, so that a sanitizer reports a read past the end. */
    lt_deframe feed(const uint8_t *data, size_t size, std::vector<Bytes> &frames)
    {
        Bytes input(data, data + size);
        const uint8_t *at = input.data(), *frame = nullptr;
        size_t left = input.size(), frame_size = 0;
        lt_deframe result;
        while ((result = lt_deframer_next(&state, &at, &left, &frame, &frame_size)) ==
               LT_DEFRAME_FRAME)
            frames.emplace_back(frame, frame + frame_size);
        if (result == LT_DEFRAME_MORE)
            REQUIRE(left == 0);
        return result;
    }
};

const size_t lengths[] = {0, 1, 2, 11, 12, 1500, 65535};

/* All boundary lengths, then ordinary packets up to at least 64 KiB more. */
Bytes mixed_stream(std::vector<Bytes> &frames)
{
    Bytes stream;
    size_t seed = 0;
    for (size_t length : lengths)
        add_frame(stream, length, seed++);
    while (stream.size() < 2 * 65536)
        add_frame(stream, lengths[seed % 6], seed), seed++;
    Deframer deframer;
    REQUIRE(deframer.feed(stream.data(), stream.size(), frames) == LT_DEFRAME_MORE);
    REQUIRE(frames.size() == seed);
    for (size_t i = 0; i < seed; i++)
        REQUIRE(frames[i].size() == (i < 7 ? lengths[i] : lengths[i % 6]));
    return stream;
}

} // namespace

TEST_CASE("a stream fed a byte at a time gives the same frames", "[frame]")
{
    std::vector<Bytes> expected, frames;
    Bytes stream = mixed_stream(expected);
    Deframer deframer;
    for (uint8_t byte : stream)
        REQUIRE(deframer.feed(&byte, 1, frames) == LT_DEFRAME_MORE);
    CHECK(frames == expected);
}

TEST_CASE("a 64 KiB stream may be cut at every byte", "[frame]")
{
    Bytes stream;
    std::vector<size_t> ends;
    for (size_t seed = 0; stream.size() + 1502 <= 65536; seed++) {
        add_frame(stream, lengths[seed % 6], seed);
        ends.push_back(stream.size());
    }
    add_frame(stream, 65536 - stream.size() - LT_FRAME_HEADER, 99);
    ends.push_back(stream.size());
    REQUIRE(stream.size() == 65536);

    size_t wrong = 0;
    for (size_t cut = 0; cut <= stream.size(); cut++) {
        lt_deframer deframer;
        const uint8_t *frame = nullptr;
        size_t frame_size = 0, count = 0;
        lt_deframer_init(&deframer, LT_FRAME_MAX);
        for (int part = 0; part < 2; part++) {
            const uint8_t *at = part ? stream.data() + cut : stream.data();
            size_t left = part ? stream.size() - cut : cut;
            lt_deframe result;
            while ((result = lt_deframer_next(&deframer, &at, &left, &frame, &frame_size)) ==
                   LT_DEFRAME_FRAME) {
                size_t end = count < ends.size() ? ends[count] : 0;
                if (end < frame_size || memcmp(frame, &stream[end] - frame_size, frame_size) != 0)
                    wrong++;
                count++;
            }
            if (result != LT_DEFRAME_MORE || left)
                wrong++;
        }
        if (count != ends.size())
            wrong++;
        lt_deframer_clear(&deframer);
    }
    CHECK(wrong == 0);
}

TEST_CASE("the largest frame may be cut at every byte", "[frame]")
{
    Bytes stream;
    add_frame(stream, 65535, 5);
    size_t wrong = 0;
    for (size_t cut = 0; cut <= stream.size(); cut++) {
        lt_deframer deframer;
        const uint8_t *at = stream.data(), *frame = nullptr;
        size_t left = cut, frame_size = 0;
        lt_deframer_init(&deframer, LT_FRAME_MAX);
        if (cut < stream.size()) {
            wrong +=
                lt_deframer_next(&deframer, &at, &left, &frame, &frame_size) != LT_DEFRAME_MORE;
            left = stream.size() - cut;
        }
        wrong += lt_deframer_next(&deframer, &at, &left, &frame, &frame_size) != LT_DEFRAME_FRAME;
        wrong += frame_size != 65535 || memcmp(frame, &stream[2], frame_size) != 0 || left != 0;
        lt_deframer_clear(&deframer);
    }
    CHECK(wrong == 0);
}

TEST_CASE("a stream cut at random gives the same frames", "[frame]")
{
    std::vector<Bytes> expected;
    Bytes stream = mixed_stream(expected);
    lt_rng rng;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        std::vector<Bytes> frames;
        Deframer deframer;
        lt_rng_seed(&rng, seed);
        for (size_t at = 0; at < stream.size();) {
            size_t size = 1 + lt_rng_next(&rng) % (seed % 2 ? 65536 : 3000);
            size = std::min(size, stream.size() - at);
            REQUIRE(deframer.feed(&stream[at], size, frames) == LT_DEFRAME_MORE);
            at += size;
        }
        REQUIRE(frames == expected);
    }
}

TEST_CASE("a frame that is whole in the input is not copied", "[frame]")
{
    Bytes stream;
    add_frame(stream, 1448, 0);
    Deframer deframer;
    const uint8_t *at = stream.data(), *frame = nullptr;
    size_t left = stream.size(), frame_size = 0;
    REQUIRE(lt_deframer_next(&deframer.state, &at, &left, &frame, &frame_size) == LT_DEFRAME_FRAME);
    CHECK(frame == &stream[2]);
    CHECK(frame_size == 1448);
    CHECK(deframer.state.partial == nullptr);
    CHECK(lt_deframer_next(&deframer.state, &at, &left, &frame, &frame_size) == LT_DEFRAME_MORE);
}

TEST_CASE("a null frame has size 0, whole or cut", "[frame]")
{
    const uint8_t null_frames[] = {0, 0, 0, 0};
    std::vector<Bytes> frames;
    Deframer deframer;
    REQUIRE(deframer.feed(null_frames, 4, frames) == LT_DEFRAME_MORE);
    REQUIRE(deframer.feed(null_frames, 1, frames) == LT_DEFRAME_MORE);
    REQUIRE(deframer.feed(null_frames, 3, frames) == LT_DEFRAME_MORE);
    CHECK(frames == std::vector<Bytes>(4));
}

TEST_CASE("a frame over the cap ends the stream, at the cap it is fine", "[frame]")
{
    Bytes stream;
    std::vector<Bytes> frames;
    add_frame(stream, 4094, 0);
    add_frame(stream, 4095, 1);

    SECTION("whole")
    {
        Deframer deframer(4094);
        CHECK(deframer.feed(stream.data(), stream.size(), frames) == LT_DEFRAME_TOO_LARGE);
        CHECK(frames.size() == 1);
    }
    SECTION("cut within the LENGTH, and for good")
    {
        Deframer deframer(4094);
        REQUIRE(deframer.feed(stream.data(), 4097, frames) == LT_DEFRAME_MORE);
        CHECK(deframer.feed(&stream[4097], 1, frames) == LT_DEFRAME_TOO_LARGE);
        CHECK(deframer.feed(&stream[4098], 500, frames) == LT_DEFRAME_TOO_LARGE);
        CHECK(frames.size() == 1);
    }
}

TEST_CASE("an announced length costs no memory before its bytes come", "[frame]")
{
    const uint8_t start[] = {0xff, 0xff, 0x80};
    std::vector<Bytes> frames;
    Deframer deframer;
    REQUIRE(deframer.feed(start, sizeof start, frames) == LT_DEFRAME_MORE);
    CHECK(deframer.state.capacity <= 256);

    Bytes more(1000, 1);
    for (size_t held = sizeof start; held + more.size() <= 65000; held += more.size()) {
        REQUIRE(deframer.feed(more.data(), more.size(), frames) == LT_DEFRAME_MORE);
        REQUIRE(deframer.state.capacity <= 2 * (held + more.size()));
        REQUIRE(deframer.state.capacity <= 65537);
    }
}

TEST_CASE("before the handshake a deframer holds at most 4 KiB", "[frame]")
{
    Bytes stream;
    std::vector<Bytes> frames;
    add_frame(stream, 4094, 0);
    Deframer deframer(4094);
    for (size_t i = 0; i + 1 < stream.size(); i++) {
        REQUIRE(deframer.feed(&stream[i], 1, frames) == LT_DEFRAME_MORE);
        REQUIRE(deframer.state.capacity <= 4096);
    }
}

TEST_CASE("a large frame does not stay in memory", "[frame]")
{
    Bytes stream;
    std::vector<Bytes> frames;
    add_frame(stream, 65535, 0);
    Deframer deframer;
    REQUIRE(deframer.feed(stream.data(), 60000, frames) == LT_DEFRAME_MORE);
    REQUIRE(deframer.feed(&stream[60000], stream.size() - 60000, frames) == LT_DEFRAME_MORE);
    CHECK(frames.size() == 1);
    CHECK(deframer.state.capacity == 0);
}
