/* SPDX-License-Identifier: MIT */
/* GST_DEBUG: a category for each part, and each thing at the level where one looks for it. */
#include "catch.h"
#include "log.h"
#include "support.h"

using namespace lt;

TEST_CASE("where a listener listens is at INFO")
{
    Log log(GST_LEVEL_INFO);
    const char *factory = GENERATE("livetcpsrc", "livetcpsink");
    Harness element(factory, "livetcp://127.0.0.1:0?mode=listener");
    std::string port = std::to_string(get_uint(element.get(), "bound-port"));
    INFO(log.text());
    CHECK(log.has("livetcp-session", GST_LEVEL_INFO, "listening on 127.0.0.1:" + port));
    CHECK(log.has("livetcp-session", GST_LEVEL_INFO, GST_OBJECT_NAME(element.get())));
}

TEST_CASE("connections and changes of the policy are at DEBUG, packets at LOG")
{
    Log log(GST_LEVEL_LOG);
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    Harness sink("livetcpsink", call_uri(source.get(), "connections=2"));
    REQUIRE(sink.push(rtp_packet(4711)) == GST_FLOW_OK);
    REQUIRE(source.pull() != nullptr);
    REQUIRE(eventually([&] { return counter(sink.get(), "open-connections") == 2; }));
    g_object_set(sink.get(), "policy", "round-robin", nullptr);
    REQUIRE(eventually([&] { return log.has("livetcp-session", GST_LEVEL_DEBUG, "round-robin"); }));

    INFO(log.text());
    CHECK(log.has("livetcp-session", GST_LEVEL_DEBUG, "connection: connection 1"));
    CHECK(log.has("livetcp-session", GST_LEVEL_DEBUG, ": open"));
    CHECK(log.has("livetcpsink", GST_LEVEL_LOG, "sequence number 4711"));
    CHECK(log.has("livetcpsrc", GST_LEVEL_LOG, "sequence number 4711"));
}

TEST_CASE("a playout tells of packets in its own category")
{
    Log log(GST_LEVEL_LOG);
    Pipeline pipeline("fakesrc num-buffers=3 sizetype=fixed sizemax=200 filltype=pattern-span ! "
                      "application/x-rtp,media=audio,clock-rate=8000 ! livetcpplayout ! "
                      "fakesink async=false");
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    REQUIRE(pipeline.wait(static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    INFO(log.text());
    CHECK(log.has("livetcpplayout", GST_LEVEL_LOG, "taking"));
}

TEST_CASE("at WARNING a session that goes well says nothing")
{
    Log log(GST_LEVEL_WARNING);
    {
        Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
        Harness sink("livetcpsink", call_uri(source.get()));
        REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
        REQUIRE(source.pull() != nullptr);
        /* Those still to join when it ends may be too late. */
        REQUIRE(eventually([&] {
            return counter(sink.get(), "open-connections") == get_uint(sink.get(), "connections");
        }));
    }
    CHECK(log.text() == "");
}

TEST_CASE("thresholds may change while an element is open")
{
    Log log(GST_LEVEL_NONE);
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    gst_debug_set_threshold_for_name("livetcp*", GST_LEVEL_DEBUG);
    Harness sink("livetcpsink", call_uri(source.get()));
    CHECK(eventually([&] { return log.has("livetcp-session", GST_LEVEL_DEBUG, ": open"); }));
}

TEST_CASE("a setting of a URI that only the other end uses is told of")
{
    Log log(GST_LEVEL_WARNING);
    Element source = make("livetcpsrc");
    g_object_set(source.get(), "uri", "livetcp://h:1?policy=hedge&connections=2", nullptr);
    INFO(log.text());
    CHECK(log.has("livetcp-session", GST_LEVEL_WARNING, "policy=hedge"));
    CHECK_FALSE(log.has("livetcp-session", GST_LEVEL_WARNING, "connections"));
}
