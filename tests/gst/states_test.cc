/* SPDX-License-Identifier: MIT */
/* Starting, stopping, waiting, and failing to connect or to listen. */
#include "catch.h"
#include "support.h"

#include <thread>

using namespace lt;

/* TEST-NET-1 of RFC 5737: nobody answers, nobody refuses. */
static const char nobody[] = "livetcp://192.0.2.1:5004?connect-timeout=600000";

TEST_CASE("starting does not wait for the peer, and stopping does not either")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Subject element(factory, nobody);
    gint64 begin = g_get_monotonic_time();
    for (int i = 0; i < 3; i++) {
        REQUIRE(element.state(GST_STATE_PAUSED));
        CHECK(get_string(element.get(), "state") == "connecting");
        REQUIRE(element.state(GST_STATE_PLAYING));
        REQUIRE(element.state(GST_STATE_NULL));
        CHECK(get_string(element.get(), "state") == "closed");
    }
    /* the connect timeout is ten minutes */
    CHECK(g_get_monotonic_time() - begin < 60 * G_USEC_PER_SEC);
}

TEST_CASE("a listener tells its port and goes up and down")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Subject element(factory, "livetcp://127.0.0.1:0?mode=listener");
    for (int i = 0; i < 3; i++) {
        REQUIRE(element.state(GST_STATE_PAUSED));
        CHECK(get_uint(element.get(), "bound-port") != 0);
        CHECK(get_string(element.get(), "state") == "listening");
        REQUIRE(element.state(GST_STATE_READY));
        CHECK(get_uint(element.get(), "bound-port") == 0);
    }
    CHECK(get_uint(element.get(), "port") == 0);
}

TEST_CASE("a source waiting for packets stops at once")
{
    Pipeline pipeline("livetcpsrc name=s uri=livetcp://127.0.0.1:0?mode=listener ! fakesink");
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    for (int i = 0; i < 3; i++) {
        REQUIRE(pipeline.state(GST_STATE_PAUSED));
        REQUIRE(pipeline.state(GST_STATE_PLAYING));
    }
    REQUIRE(pipeline.state(GST_STATE_NULL));
}

/* Whether GstBaseSink has handed a buffer to the sink. */
static bool has_sample(GstElement *sink)
{
    GstSample *sample = nullptr;
    g_object_get(sink, "last-sample", &sample, nullptr);
    bool there = sample != nullptr;
    g_clear_pointer(&sample, gst_sample_unref);
    return there;
}

TEST_CASE("a sink that waits for a connection blocks, and stops at once")
{
    std::string uri =
        GENERATE(std::string("livetcp://127.0.0.1:0?mode=listener"), std::string(nobody));
    Harness sink("livetcpsink", uri);
    g_object_set(sink.get(), "wait-for-connection", TRUE, "enable-last-sample", TRUE, nullptr);
    GstFlowReturn result = GST_FLOW_OK;
    std::thread pusher([&] { result = sink.push(rtp_packet(1)); });
    /* The pad's lock is taken earlier: GstBaseSink refuses with EOS what was still on its way to
     * it. */
    CHECK(eventually([&] { return has_sample(sink.get()); }));
    sink.stop();
    pusher.join();
    CHECK(result == GST_FLOW_FLUSHING);
}

TEST_CASE("a sink that waits for a connection goes on when there is one")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener");
    g_object_set(sink.get(), "wait-for-connection", TRUE, nullptr);
    GstFlowReturn result = GST_FLOW_ERROR;
    std::thread pusher([&] { result = sink.push(rtp_packet(7)); });
    Harness source("livetcpsrc", call_uri(sink.get()));
    pusher.join();
    CHECK(result == GST_FLOW_OK);
    Buffer buffer = source.pull();
    REQUIRE(buffer);
    CHECK(sequence_of(buffer.get()) == 7);
}

TEST_CASE("a port in use is an ERROR that names it")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Subject first("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    REQUIRE(first.state(GST_STATE_PAUSED));
    std::string port = std::to_string(get_uint(first.get(), "bound-port"));
    Subject second(factory, "livetcp://127.0.0.1:" + port + "?mode=listener");
    CHECK(!second.state(GST_STATE_PAUSED));
    Message message = second.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint error = complaint(message);
    INFO(error.text);
    CHECK(error.code == GST_RESOURCE_ERROR_BUSY);
    CHECK(error.text.find(port) != std::string::npos);
    CHECK(get_string(second.get(), "last-error").find("address-in-use") == 0);
    CHECK(get_string(first.get(), "state") == "listening");
}

TEST_CASE("an address of somebody else cannot be listened on")
{
    Subject source("livetcpsrc", "livetcp://192.0.2.1:0?mode=listener");
    CHECK(!source.state(GST_STATE_PAUSED));
    Message message = source.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    CHECK(complaint(message).code == GST_RESOURCE_ERROR_SETTINGS);
}

TEST_CASE("without auto-reconnect, a refused call is an ERROR")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    std::string port = std::to_string(free_port());
    Harness element(factory, "livetcp://127.0.0.1:" + port + "?auto-reconnect=false");
    Message message = element.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint error = complaint(message);
    INFO(error.text);
    CHECK(error.domain == GST_RESOURCE_ERROR);
    CHECK(error.code == GST_RESOURCE_ERROR_NOT_FOUND);
    CHECK(error.text.find(port) != std::string::npos);
    CHECK(eventually([&] { return get_string(element.get(), "state") == "closed"; }));
    if (std::string(factory) == "livetcpsink") {
        CHECK(element.push(rtp_packet(1)) == GST_FLOW_ERROR);
    }
}

TEST_CASE("with auto-reconnect, a refused call is a WARNING with the details, and is repeated")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    bool sending = std::string(factory) == "livetcpsink";
    std::string port = std::to_string(free_port());
    Harness caller(factory, "livetcp://127.0.0.1:" + port + "?reconnect-max=100");

    Message message = caller.wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    Complaint warning = complaint(message);
    INFO(warning.text);
    CHECK(warning.code == GST_RESOURCE_ERROR_NOT_FOUND);
    REQUIRE(warning.details);
    CHECK(std::string(gst_structure_get_string(warning.details.get(), "reason")) == "refused");
    CHECK(std::string(gst_structure_get_string(warning.details.get(), "remote")) ==
          "127.0.0.1:" + port);
    Message told = caller.wait_element("livetcp-connection");
    REQUIRE(told);
    const GstStructure *structure = gst_message_get_structure(told.get());
    CHECK(std::string(gst_structure_get_string(structure, "reason")) == "refused");
    CHECK(get_string(caller.get(), "last-error").find("refused") == 0);
    CHECK(get_string(caller.get(), "state") == "connecting");

    Harness listener(sending ? "livetcpsrc" : "livetcpsink",
                     "livetcp://127.0.0.1:" + port + "?mode=listener");
    CHECK(eventually([&] { return get_string(caller.get(), "state") == "open"; }));
    Harness &sink = sending ? caller : listener;
    Harness &source = sending ? listener : caller;
    CHECK(eventually([&] {
        sink.push(rtp_packet(3));
        return source.try_pull() != nullptr;
    }));
    /* repeated failures of the same kind are one WARNING */
    CHECK(caller.posted(GST_MESSAGE_WARNING).empty());
    CHECK(caller.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("a host that does not resolve is named")
{
    Harness sink("livetcpsink", "livetcp://no-such-host.invalid:5004?auto-reconnect=false");
    Message message = sink.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint error = complaint(message);
    INFO(error.text);
    CHECK(error.text.find("no-such-host.invalid") != std::string::npos);
    CHECK(error.code == GST_RESOURCE_ERROR_NOT_FOUND);
}
