/* SPDX-License-Identifier: MIT */
/* Strangers at the listeners of the README's pipelines, who never prove themselves: the stream goes
 * on, nobody is asked for a key frame, nothing ends, and nobody loses his place. */
#include "catch.h"
#include "io/sockets.h"
#include "support.h"

#include <gst/video/video.h>

#include <atomic>

using namespace lt;
using world::Bytes;
using world::Impostor;
using world::Raw;

namespace
{

/* One that came, and stays if it does. */
using Stranger = std::unique_ptr<Raw>;

Bytes goodbye()
{
    lt_control message = {};
    uint8_t bytes[LT_CONTROL_MAX];
    message.type = LT_CONTROL_BYE;
    size_t size = lt_control_encode(&message, bytes);
    return Bytes(bytes, bytes + size);
}

void reset(const Raw &raw)
{
    linger at_once = {1, 0};
    setsockopt(raw.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

/* Each way in which somebody may come who cannot prove anything. */
std::vector<Stranger> strangers(GstElement *listener)
{
    guint16 port = (guint16)get_uint(listener, "bound-port");
    std::vector<Stranger> stay;
    auto come = [&] { return std::make_unique<Raw>(port); };
    auto create = [&](Raw &raw, bool answered) {
        Impostor impostor;
        raw.write(impostor.start(0));
        if (answered)
            CHECK(eventually([&] {
                raw.poll();
                return !raw.input.empty();
            }));
    };
    come(); /* a port scan */
    reset(*come());
    stay.push_back(come());
    for (bool answered : {false, true}) {
        Stranger closes = come(), resets = come(), ends = come();
        for (Raw *raw : {closes.get(), resets.get(), ends.get()})
            create(*raw, answered);
        reset(*resets);
        (void)::send(ends->fd, goodbye().data(), goodbye().size(), MSG_NOSIGNAL);
        stay.push_back(come());
        create(*stay.back(), answered);
        stay.push_back(std::move(ends));
    }
    for (const char *text : {"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02", "garbage garbage"}) {
        Stranger other = come();
        (void)::send(other->fd, text, strlen(text), MSG_NOSIGNAL);
        stay.push_back(std::move(other));
    }
    return stay;
}

unsigned key_frames_asked(Harness &sink)
{
    unsigned asked = 0;
    while (GstEvent *event = gst_harness_try_pull_upstream_event(sink.harness())) {
        asked += gst_video_event_is_force_key_unit(event) != FALSE;
        gst_event_unref(event);
    }
    return asked;
}

void on_signal(std::atomic<int> *count)
{
    (*count)++;
}

const auto bad_end = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

} // namespace

TEST_CASE("strangers take no place at a livetcpsrc, and end no stream")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener", false);
    std::atomic<int> added{0}, asked{0};
    g_signal_connect_swapped(source.get(), "caller-added", G_CALLBACK(on_signal), &added);
    g_signal_connect_swapped(source.get(), "caller-connecting",
                             G_CALLBACK(+[](std::atomic<int> *n) {
                                 (*n)++;
                                 return TRUE;
                             }),
                             &asked);
    source.play();
    std::vector<Stranger> first = strangers(source.get());
    CHECK(added == 0);
    Harness sink("livetcpsink", call_uri(source.get()));
    for (guint16 i = 0; i < 50; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == i);
        if (i == 25)
            for (Stranger &stranger : strangers(source.get()))
                first.push_back(std::move(stranger));
    }
    first.clear();
    REQUIRE(sink.push(rtp_packet(50)) == GST_FLOW_OK);
    CHECK(source.pull());
    CHECK(added == 1);
    CHECK(asked == 1);
    CHECK(source.posted(bad_end).empty());
    CHECK(sink.posted(bad_end).empty());
    CHECK(counter(source.get(), "sessions") == 1);
}

TEST_CASE("a port scan ends no plain stream")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener&wire=plain");
    for (int i = 0; i < 3; i++) {
        Raw closes((uint16_t)get_uint(source.get(), "bound-port"));
        Raw resets((uint16_t)get_uint(source.get(), "bound-port"));
        reset(resets);
    }
    Harness sink("livetcpsink", call_uri(source.get(), "wire=plain"));
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(source.pull());
    Raw late((uint16_t)get_uint(source.get(), "bound-port"));
    REQUIRE(sink.push(rtp_packet(2)) == GST_FLOW_OK);
    CHECK(source.pull());
    CHECK(source.posted(bad_end).empty());
}

TEST_CASE("strangers ask a livetcpsink for no key frame, and end no stream")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener");
    REQUIRE(sink.push(rtp_packet(0)) == GST_FLOW_OK);
    Harness viewer("livetcpsrc", call_uri(sink.get()));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    guint16 sequence = 1;
    auto pass = [&] {
        REQUIRE(sink.push(rtp_packet(sequence++)) == GST_FLOW_OK);
        REQUIRE(viewer.pull());
    };
    pass();
    REQUIRE(eventually([&] {
        pass();
        return key_frames_asked(sink) > 0; /* the viewer's own */
    }));
    {
        std::vector<Stranger> first = strangers(sink.get()), second = strangers(sink.get());
        for (int i = 0; i < 20; i++)
            pass();
    }
    for (int i = 0; i < 20; i++)
        pass();
    CHECK(key_frames_asked(sink) == 0);
    CHECK(counter(sink.get(), "sessions") == 1);
    CHECK(sink.posted(bad_end).empty());
    CHECK(viewer.posted(bad_end).empty());
}
