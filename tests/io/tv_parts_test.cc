/* SPDX-License-Identifier: MIT */
// Parts of samples/tv_*: controls, reports, numbers in pictures, pictures from packets, lip-sync.
#include "catch.h"

extern "C" {
#include "../../samples/tv_client/assembly.h"
#include "../../samples/tv_client/lipsync.h"
#include "../../samples/tv_client/pacing.h"
#include "../../samples/tv_client/remote.h"
#include "../../samples/tv_common/control.h"
#include "../../samples/tv_common/picture.h"
#include "../../samples/tv_common/rtcp.h"
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace
{

tv_control_kind read_control(const std::vector<uint8_t> &bytes, tv_request *request,
                             tv_answer *answer)
{
    return tv_read_control(bytes.data(), bytes.size(), request, answer);
}

std::vector<uint8_t> written(const tv_request &request)
{
    std::vector<uint8_t> bytes(TV_CONTROL_MAX);
    bytes.resize(tv_write_request(bytes.data(), 7, &request));
    return bytes;
}

tv_request request_of(uint32_t number, tv_command command, int32_t value, const char *text)
{
    tv_request request = {};
    request.number = number;
    request.command = command;
    request.value = value;
    snprintf(request.text, sizeof request.text, "%s", text);
    return request;
}

} // namespace

TEST_CASE("tv: controls are read as they were written")
{
    tv_request request = {};
    tv_answer answer = {};

    SECTION("a request")
    {
        for (const char *text : {"", "x", "three", "a name of four"}) {
            const auto bytes = written(request_of(70000, TV_CHANNEL, -1, text));
            CHECK(bytes.size() % 4 == 0);
            REQUIRE(read_control(bytes, &request, &answer) == TV_REQUEST);
            CHECK(request.number == 70000);
            CHECK(request.command == TV_CHANNEL);
            CHECK(request.value == -1);
            CHECK(std::string(request.text) == text);
        }
    }
    SECTION("an answer")
    {
        tv_answer given = {};
        given.number = 9;
        given.code = 404;
        given.mode = TV_IS_FORWARD;
        given.quality = TV_LOW;
        given.behind_ms = 123456;
        given.channel = 3;
        given.channels = 5;
        snprintf(given.text, sizeof given.text, "%s", "no such channel");
        std::vector<uint8_t> bytes(TV_CONTROL_MAX);
        bytes.resize(tv_write_answer(bytes.data(), 7, &given));
        REQUIRE(read_control(bytes, &request, &answer) == TV_ANSWER);
        CHECK(answer.number == 9);
        CHECK(answer.code == 404);
        CHECK(answer.mode == TV_IS_FORWARD);
        CHECK(answer.quality == TV_LOW);
        CHECK(answer.behind_ms == 123456);
        CHECK(answer.channel == 3);
        CHECK(answer.channels == 5);
        CHECK(std::string(answer.text) == "no such channel");
    }
    SECTION("a text that is too long is cut off")
    {
        tv_request longest = request_of(1, TV_CHANNEL, 0, "");
        memset(longest.text, 'a', TV_TEXT_MAX);
        longest.text[TV_TEXT_MAX] = '\0';
        REQUIRE(read_control(written(longest), &request, &answer) == TV_REQUEST);
        CHECK(std::string(request.text) == std::string(TV_TEXT_MAX, 'a'));
    }
}

TEST_CASE("tv: controls that are wrong are garbage, other RTCP is not")
{
    tv_request request = {};
    tv_answer answer = {};
    const auto good = written(request_of(1, TV_CHANNEL, 0, "one"));

    for (size_t size = 0; size < good.size(); size++) {
        const std::vector<uint8_t> cut(good.begin(), good.begin() + static_cast<long>(size));
        CHECK(read_control(cut, &request, &answer) == (size < 12 ? TV_NO_CONTROL : TV_GARBAGE));
    }
    const auto changed = [&](size_t at, uint8_t value) {
        auto bytes = good;
        bytes[at] = value;
        return read_control(bytes, &request, &answer);
    };
    CHECK(changed(8, 'X') == TV_NO_CONTROL); // another application's
    CHECK(changed(1, 201) == TV_NO_CONTROL);
    CHECK(changed(0, 0x40) == TV_GARBAGE); // RTP version 1
    CHECK(changed(0, 0x82) == TV_GARBAGE); // a subtype that is not known
    CHECK(changed(3, 99) == TV_GARBAGE);   // length
    CHECK(changed(15, 0) == TV_GARBAGE);   // request 0
    CHECK(changed(27, 100) == TV_GARBAGE); // text beyond the packet
    CHECK(changed(28, '\n') == TV_GARBAGE);
    CHECK(changed(28, 0x1b) == TV_GARBAGE); // what a terminal would obey
}

TEST_CASE("tv: sender reports")
{
    const tv_report given = {7, 1700000000123456, 90000, 11, 2222};
    uint8_t bytes[TV_REPORT_SIZE];
    tv_report report = {};

    REQUIRE(tv_write_report(bytes, &given) == sizeof bytes);
    REQUIRE(tv_read_report(bytes, sizeof bytes, &report));
    CHECK(report.ssrc == 7);
    CHECK(report.wall_us == 1700000000123456);
    CHECK(report.timestamp == 90000);
    CHECK(report.packets == 11);
    CHECK(report.bytes == 2222);
    for (size_t size = 0; size < 28; size++)
        CHECK_FALSE(tv_read_report(bytes, size, &report));

    uint8_t wanted[TV_KEYFRAME_WANTED_SIZE];
    CHECK(tv_is_keyframe_wanted(wanted, tv_write_keyframe_wanted(wanted, 1, 2)));
    CHECK_FALSE(tv_is_keyframe_wanted(bytes, sizeof bytes));
}

TEST_CASE("tv: numbers in pictures")
{
    tv_picture picture, half;
    uint32_t number = 1;

    REQUIRE(tv_picture_create(&picture, 322, 182));
    REQUIRE(tv_picture_create(&half, 160, 90));
    CHECK_FALSE(tv_picture_get_number(&picture, &number)); // black
    for (uint32_t wanted : {0u, 1u, 0x01000000u, 0xffffffffu, 0xdeadbeefu}) {
        tv_picture_put_number(&picture, wanted);
        REQUIRE(tv_picture_get_number(&picture, &number));
        CHECK(number == wanted);
        tv_picture_halve(&picture, &half);
        REQUIRE(tv_picture_get_number(&half, &number));
        CHECK(number == wanted);
    }
    for (int x = 0; x < 322; x += 9) // dots that an encoder got wrong
        picture.planes[0][(size_t)(picture.height - 5) * 322 + (size_t)x] ^= 0xff;
    CHECK(tv_picture_get_number(&picture, &number));
    tv_picture_write(&picture, -5, 176, 3, "BEYOND THE EDGES 0123456789 AND MORE");
    CHECK_FALSE(tv_picture_get_number(&picture, &number)); // written over
    tv_picture_destroy(&picture);
    tv_picture_destroy(&half);
}

namespace
{

struct packets {
    uint16_t sequence = 65530; // it wraps
    uint32_t timestamp = 1000, play = 0;
    assembly a = {};
    std::vector<std::vector<uint8_t>> sent;

    packets()
    {
        REQUIRE(assembly_init(&a));
    }
    ~packets()
    {
        assembly_free(&a);
    }

    // A picture of single NAL units with these first bytes.
    void picture(std::initializer_list<uint8_t> types)
    {
        for (auto type = types.begin(); type != types.end(); ++type)
            add({*type, 42}, type + 1 == types.end());
        timestamp += 3600;
    }

    void add(const std::vector<uint8_t> &payload, bool marker)
    {
        livetcp_rtp_header header = {};
        header.payload_type = TV_VIDEO_PAYLOAD;
        header.marker = marker;
        header.sequence = sequence++;
        header.timestamp = timestamp;
        header.ssrc = 1;
        header.csrc_count = 1;
        header.csrcs[0] = play;
        std::vector<uint8_t> bytes(LIVETCP_RTP_HEADER_SIZE + 4);
        REQUIRE(livetcp_rtp_header_write(&header, bytes.data(), bytes.size(), nullptr) ==
                LIVETCP_OK);
        bytes.insert(bytes.end(), payload.begin(), payload.end());
        sent.push_back(bytes);
    }

    bool put(size_t i)
    {
        livetcp_rtp_header header = {};
        REQUIRE(livetcp_rtp_header_read(&header, sent[i].data(), sent[i].size(), nullptr) ==
                LIVETCP_OK);
        return assembly_put(&a, &header, sent[i].data(), sent[i].size(), 5);
    }

    // The timestamp of the next picture, 0 = none.
    uint32_t get()
    {
        assembled picture = {};
        return assembly_get(&a, &picture) ? picture.timestamp : 0;
    }
};

} // namespace

TEST_CASE("tv: pictures from packets in any order")
{
    packets p;
    p.picture({7, 8, 5, 5}); // 0..3
    p.picture({1, 1});       // 4, 5
    p.picture({1});          // 6

    for (size_t i : {3u, 6u, 1u, 5u, 2u})
        CHECK(p.put(i));
    CHECK(p.get() == 0);
    CHECK(assembly_waits(&p.a));
    CHECK(p.put(0));
    CHECK(p.put(0)); // twice
    assembled first = {};
    REQUIRE(assembly_get(&p.a, &first));
    CHECK(first.timestamp == 1000);
    CHECK(first.key);
    CHECK(first.play_us == 5);
    const uint8_t expected[] = {0, 0, 0, 1, 7, 42, 0, 0, 0, 1, 8, 42,
                                0, 0, 0, 1, 5, 42, 0, 0, 0, 1, 5, 42};
    REQUIRE(first.size == sizeof expected);
    CHECK(memcmp(first.bytes, expected, sizeof expected) == 0);
    CHECK(p.get() == 0);
    CHECK(p.put(4));
    assembled second = {};
    REQUIRE(assembly_get(&p.a, &second));
    CHECK(second.timestamp == 4600);
    CHECK_FALSE(second.key);
    CHECK(p.get() == 8200);
    CHECK(p.get() == 0);
    CHECK_FALSE(assembly_waits(&p.a));
}

TEST_CASE("tv: a whole key frame ends the wait for what is missing")
{
    packets p;
    p.picture({7, 5});
    p.picture({1, 1}); // 2 is missing
    p.picture({1});
    p.picture({7, 5}); // 5, 6
    p.picture({1});

    for (size_t i : {0u, 1u, 3u, 4u, 5u})
        CHECK(p.put(i));
    CHECK(p.get() == 1000);
    CHECK(p.get() == 0);
    CHECK(p.put(7));
    CHECK(p.get() == 0); // the key frame is not whole
    CHECK(p.put(6));
    CHECK(p.get() == 1000 + 3 * 3600);
    CHECK(p.get() == 1000 + 4 * 3600);
    CHECK(p.a.skipped == 3);
    CHECK(p.put(2)); // too late
    CHECK(p.get() == 0);
}

TEST_CASE("tv: fragments of a NAL unit are joined")
{
    packets p;
    p.picture({7});
    p.add({0x7c, 0x85, 1, 2}, false); // FU-A of type 5: begins,
    p.add({0x7c, 0x05, 3}, false);
    p.add({0x7c, 0x45, 4}, true); // and ends
    for (size_t i : {0u, 1u, 2u, 3u})
        CHECK(p.put(i));
    CHECK(p.get() == 1000);
    assembled picture = {};
    REQUIRE(assembly_get(&p.a, &picture));
    const uint8_t expected[] = {0, 0, 0, 1, 0x65, 1, 2, 3, 4};
    REQUIRE(picture.size == sizeof expected);
    CHECK(memcmp(picture.bytes, expected, sizeof expected) == 0);
    p.add({}, true);
    p.add({0x1f, 0}, true);
    CHECK_FALSE(p.put(4)); // nothing
    CHECK_FALSE(p.put(5)); // type 31
}

TEST_CASE("tv: sound and pictures of one moment are shown together")
{
    lipsync l;
    lipsync_init(&l, 90000, 48000);

    CHECK(lipsync_play(&l, LIPSYNC_PICTURE, 90000, 1000000, 0) == 1000000); // no report yet
    lipsync_report(&l, LIPSYNC_PICTURE, 50000000, 90000);
    lipsync_report(&l, LIPSYNC_SOUND, 50000000, 48000);
    int64_t captured = 0;
    REQUIRE(lipsync_capture(&l, LIPSYNC_PICTURE, 90000 + 45000, &captured));
    CHECK(captured == 50500000);

    // Captured together: pictures could be shown after 60 ms, sound after 40 and 30 of the device.
    int64_t picture = 0, sound = 0;
    for (uint32_t i = 1; i < 200; i++) {
        const int64_t at = 2000000 + i * 40000;
        picture = lipsync_play(&l, LIPSYNC_PICTURE, 90000 + 3600 * i, at + 60000, 0) - at;
        sound = lipsync_play(&l, LIPSYNC_SOUND, 48000 + 1920 * i, at + 40000, 30000) - at;
    }
    CHECK(picture == 70000);
    CHECK(sound == 40000);
    // The path grows by 20 ms for pictures: the sound follows, a little at a time.
    for (uint32_t i = 200; i < 400; i++) {
        const int64_t at = 2000000 + i * 40000;
        picture = lipsync_play(&l, LIPSYNC_PICTURE, 90000 + 3600 * i, at + 90000, 0) - at;
        const int64_t before = sound;
        sound = lipsync_play(&l, LIPSYNC_SOUND, 48000 + 1920 * i, at + 40000, 30000) - at;
        CHECK(sound - before <= 1000);
    }
    CHECK(picture == 90000);
    CHECK(sound == 60000);
    // The sound has ended: nothing waits for it.
    for (uint32_t i = 400; i < 600; i++) {
        const int64_t at = 2000000 + i * 40000;
        picture = lipsync_play(&l, LIPSYNC_PICTURE, 90000 + 3600 * i, at + 30000, 0) - at;
    }
    CHECK(picture == 30000);
}

namespace
{

struct Heard {
    unsigned left_out = 0, silences = 0, empty = 0;
    double last_early_us = 0;
};

/* Sound of a server whose clock is off by `server_ppm`, in a loudspeaker whose clock is off by
 * `speaker_ppm` and that takes blocks of 10 ms, both against ours; `told`: the playout knows the
 * former. */
Heard listen(double server_ppm, double speaker_ppm, bool told, double minutes)
{
    const double packet_us = 20000, block_us = 10000, playout_us = 150000;
    const double every_us = packet_us * (1 + server_ppm * 1e-6);
    Heard heard;
    pacing p = {};
    double queued_us = 0;
    for (int i = 0; i * every_us < minutes * 60e6; i++) {
        const double seen_us = block_us * std::ceil(queued_us / block_us);
        const pacing_step step = pacing_next(&p, (int64_t)(playout_us - seen_us),
                                             (int64_t)packet_us, told ? server_ppm : 0);
        heard.left_out += step.left_out;
        heard.silences += i > 0 && step.silence_us > 0;
        if (!step.left_out)
            queued_us += (double)step.silence_us + packet_us * (1 + step.stretch_ppm * 1e-6);
        queued_us -= every_us * (1 + speaker_ppm * 1e-6);
        heard.empty += queued_us < 0;
        queued_us = std::max(queued_us, 0.0);
    }
    heard.last_early_us = playout_us - queued_us;
    return heard;
}

} // namespace

TEST_CASE("tv: sound keeps step with clocks that drift apart")
{
    for (double server : {-300.0, 0.0, 300.0})
        for (double speaker : {-300.0, 0.0, 300.0})
            for (bool told : {false, true}) {
                CAPTURE(server, speaker, told);
                const Heard heard = listen(server, speaker, told, 20);
                CHECK(heard.left_out == 0);
                CHECK(heard.silences == 0);
                CHECK(heard.empty == 0);
                CHECK(std::abs(heard.last_early_us) < 10000); /* a block */
            }
}

TEST_CASE("tv: sound that is far off waits, or is left out")
{
    pacing p = {};
    pacing_step step = pacing_next(&p, 150000, 20000, 0);
    CHECK(step.silence_us == 150000);
    CHECK(step.stretch_ppm == 0);
    step = pacing_next(&p, 300000, 20000, 0); /* a gap */
    CHECK(step.silence_us == 300000);
    step = pacing_next(&p, -50000, 20000, 0);
    CHECK(step.left_out);
    step = pacing_next(&p, 3600000000, 20000, 0); /* a clock that has jumped */
    CHECK_FALSE(step.left_out);
    CHECK(step.silence_us == 0);
    for (int i = 0; i < 1000; i++)
        step = pacing_next(&p, 19000, 20000, 20000);
    CHECK(step.silence_us == 0);
    CHECK(step.stretch_ppm == 5000);
}

TEST_CASE("tv: requests go one after another, and again until they are answered")
{
    remote r = {};
    uint8_t bytes[TV_CONTROL_MAX];
    tv_request request = {};
    tv_answer answer = {};
    int64_t asked = 0;

    const auto due = [&](int64_t now) {
        const size_t size = remote_due(&r, 1, now, 100000, bytes);
        return size && tv_read_control(bytes, size, &request, &answer) == TV_REQUEST
                   ? request.number
                   : 0;
    };
    CHECK(due(1000) == 0);
    CHECK(remote_ask(&r, TV_CHANNEL, 1, nullptr, 1000) == 1);
    CHECK(remote_ask(&r, TV_BACK, 10000, nullptr, 2000) == 2);
    CHECK(due(3000) == 1);
    CHECK(due(4000) == 0); // under way
    CHECK(due(3000 + 200000) == 1);
    CHECK(r.repeated == 1);
    answer.number = 2;
    CHECK_FALSE(remote_take(&r, &answer, &request, &asked));
    answer.number = 1;
    REQUIRE(remote_take(&r, &answer, &request, &asked));
    CHECK(request.command == TV_CHANNEL);
    CHECK(asked == 1000);
    CHECK_FALSE(remote_take(&r, &answer, &request, &asked)); // the repetition's
    CHECK(due(204000) == 2);
    for (int i = 1; i < REMOTE_REQUESTS; i++)
        CHECK(remote_ask(&r, TV_LIVE, 0, nullptr, 1) != 0);
    CHECK(remote_ask(&r, TV_LIVE, 0, nullptr, 1) == 0);
}
