/* SPDX-License-Identifier: MIT */
/* In which order a source hands packets on: that of sequence numbers, unless whoever is behind it
 * puts them in order by himself. */
#include "catch.h"
#include "support.h"

#include <atomic>

using namespace lt;

namespace
{

constexpr char listening[] = "livetcp://127.0.0.1:0?mode=listener";
constexpr char h264[] = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,"
                        "payload=96";
constexpr guint frames = 900;

/* What is in the pipeline, and the order that follows. */
struct Case {
    const char *pipeline, *order;
};

std::string order_of(gpointer source)
{
    return gst_structure_get_string(stats(source).get(), "order");
}

/* Buffers that a fakesink has taken. */
guint64 rendered(GstElement *sink)
{
    GstStructure *stats = nullptr;
    guint64 count = 0;
    g_object_get(sink, "stats", &stats, nullptr);
    gst_structure_get_uint64(stats, "rendered", &count);
    gst_structure_free(stats);
    return count;
}

/* The RTP packets of a video of so many frames. */
std::vector<Buffer> video()
{
    Pipeline pipeline("videotestsrc num-buffers=" + std::to_string(frames) +
                      " pattern=ball ! video/x-raw,width=160,height=120,framerate=30/1 ! "
                      "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! "
                      "rtph264pay config-interval=-1 mtu=300 ! appsink name=a sync=false");
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    Element app = pipeline.child("a");
    std::vector<Buffer> packets;
    GstSample *sample = nullptr;
    while (g_signal_emit_by_name(app.get(), "pull-sample", &sample), sample != nullptr) {
        packets.emplace_back(gst_buffer_copy_deep(gst_sample_get_buffer(sample)));
        gst_sample_unref(sample);
    }
    return packets;
}

/* Buffers that come out of an element's source pad. */
struct Counter {
    Counter(Pipeline &pipeline, const char *name)
    {
        Element element = pipeline.child(name);
        GstPad *pad = gst_element_get_static_pad(element.get(), "src");
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            [](GstPad *, GstPadProbeInfo *, gpointer user) {
                static_cast<Counter *>(user)->count++;
                return GST_PAD_PROBE_OK;
            },
            this, nullptr);
        gst_object_unref(pad);
    }
    std::atomic<guint> count{0};
};

void link_after(Pipeline &pipeline, const char *description)
{
    GstElement *behind = gst_parse_bin_from_description(description, TRUE, nullptr);
    REQUIRE(behind != nullptr);
    Element before = pipeline.child("q");
    REQUIRE(gst_bin_add(GST_BIN(pipeline.get()), behind));
    REQUIRE(gst_element_link(before.get(), behind));
    REQUIRE(gst_element_sync_state_with_parent(behind));
}

} // namespace

TEST_CASE("a depayloader right behind the source gets every frame")
{
    std::vector<Buffer> packets = video();
    Harness sink("livetcpsink", std::string(listening) +
                                    "&policy=round-robin&queue-packets=100000&max-send-delay=0");
    Pipeline receiver("livetcpsrc name=s order-wait=60000 uri=" + call_uri(sink.get()) +
                      " queue-packets=100000 caps=\"" + h264 +
                      "\" ! rtph264depay name=d ! video/x-h264,alignment=au ! fakesink sync=false");
    Counter decoded(receiver, "d");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    Element source = receiver.child("s");
    REQUIRE(eventually([&] { return counter(sink.get(), "open-connections") == 8; }));
    CHECK(order_of(source.get()) == "sequence");

    /* A stream's first packets wait no more than 50 ms for earlier ones, which may be too short for
     * a busy machine: the first packet goes alone. */
    auto packet = packets.begin();
    REQUIRE(sink.push(std::move(*packet++)) == GST_FLOW_OK);
    REQUIRE(eventually([&] { return counter(source.get(), "packets-received") == 1; }));
    while (packet != packets.end()) {
        REQUIRE(sink.push(std::move(*packet++)) == GST_FLOW_OK);
    }
    REQUIRE(
        eventually([&] { return counter(source.get(), "packets-received") == packets.size(); }));
    gst_harness_push_event(sink.harness(), gst_event_new_eos());
    sink.stop();
    REQUIRE(receiver.wait(GST_MESSAGE_EOS));
    CHECK(decoded.count == frames);
    CHECK(counter(source.get(), "sequence-gaps") == 0);
}

TEST_CASE("the order is that of sequence unless somebody behind the source reorders")
{
    Case chain = GENERATE(values<Case>(
        {{"fakesink", "sequence"},
         {"queue ! rtph264depay ! fakesink", "sequence"},
         {"rtpjitterbuffer ! rtph264depay ! fakesink", "arrival"},
         {"queue ! identity ! rtpjitterbuffer ! fakesink", "arrival"},
         {"livetcpplayout ! rtph264depay ! fakesink", "arrival"},
         {"udpsink host=127.0.0.1 port=9", "arrival"},
         {"tee name=t ! queue ! udpsink host=127.0.0.1 port=9 t. ! queue ! rtpjitterbuffer ! "
          "fakesink",
          "arrival"},
         {"tee name=t ! queue ! udpsink host=127.0.0.1 port=9 t. ! queue ! rtph264depay ! fakesink",
          "sequence"},
         {"bin.recv_rtp_sink_0 rtpbin name=bin", "arrival"},
         {"rtpsession.recv_rtp_sink rtpsession name=rtpsession .recv_rtp_src ! rtpjitterbuffer ! "
          "fakesink",
          "arrival"}}));
    INFO(chain.pipeline);
    Pipeline receiver(std::string("livetcpsrc name=s caps=\"") + h264 + "\" uri=" + listening +
                      " ! " + chain.pipeline);
    REQUIRE(receiver.state(GST_STATE_PAUSED));
    CHECK(order_of(receiver.child("s").get()) == chain.order);
}

TEST_CASE("the order is found out through bins, in and out")
{
    std::string behind = GENERATE("rtpjitterbuffer ! rtph264depay", "rtph264depay");
    init();
    GstElement *inner = gst_parse_bin_from_description(
        (std::string("livetcpsrc name=s caps=\"") + h264 + "\" uri=" + listening + " ! queue")
            .c_str(),
        TRUE, nullptr);
    GstElement *outer =
        gst_parse_bin_from_description(("queue ! " + behind).c_str(), TRUE, nullptr);
    Pipeline receiver("fakesink name=f async=false fakesink async=false");
    gst_bin_add_many(GST_BIN(receiver.get()), inner, outer, nullptr);
    REQUIRE(gst_element_link_many(inner, outer, receiver.child("f").get(), nullptr));
    REQUIRE(receiver.state(GST_STATE_PAUSED));
    CHECK(order_of(receiver.child("s").get()) ==
          (behind == "rtph264depay" ? "sequence" : "arrival"));
}

TEST_CASE("the source's own playout reorders, and the user has the last word")
{
    Case chosen = GENERATE(values<Case>({{"playout=fixed", "arrival"},
                                         {"order=arrival", "arrival"},
                                         {"order=sequence playout=fixed", "sequence"}}));
    INFO(chosen.pipeline);
    Pipeline receiver(std::string("livetcpsrc name=s ") + chosen.pipeline + " caps=\"" + h264 +
                      "\" uri=" + listening + " ! rtph264depay ! fakesink");
    REQUIRE(receiver.state(GST_STATE_PAUSED));
    CHECK(order_of(receiver.child("s").get()) == chosen.order);
}

TEST_CASE("the order is chosen anew when another element is linked while packets flow")
{
    Harness sink("livetcpsink", listening);
    Pipeline receiver("livetcpsrc name=s order-wait=60000 caps=\"" + std::string(h264) + "\" uri=" +
                      call_uri(sink.get()) + " ! queue name=q ! fakesink name=f async=false");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    Element source = receiver.child("s");
    CHECK(order_of(source.get()) == "sequence");
    for (guint16 sequence : {10, 12, 14}) { /* two wait for 11 */
        REQUIRE(sink.push(rtp_packet(sequence)) == GST_FLOW_OK);
    }
    Element before = receiver.child("q"), sink_element = receiver.child("f");
    /* A packet that meets the queue unlinked ends the stream. */
    REQUIRE(eventually([&] { return rendered(sink_element.get()) == 1; }));

    gst_element_unlink(before.get(), sink_element.get());
    gst_bin_remove(GST_BIN(receiver.get()), sink_element.get());
    gst_element_set_state(sink_element.get(), GST_STATE_NULL);
    link_after(receiver, "rtpjitterbuffer ! fakesink async=false");
    CHECK(order_of(source.get()) == "arrival");
    CHECK(eventually([&] { return counter(source.get(), "packets-received") == 3; }));
}

TEST_CASE("the order is a setting of the URI, too")
{
    Subject source("livetcpsrc", std::string(listening) + "&order=arrival");
    CHECK(get_string(source.get(), "uri").find("order=arrival") != std::string::npos);
    g_object_set(source.get(), "uri", "livetcp://:0?mode=listener&order=auto", nullptr);
    CHECK(get_string(source.get(), "uri").find("order=") == std::string::npos);
}
