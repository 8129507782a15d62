/* SPDX-License-Identifier: MIT */
/* wire=plain against GStreamer's own RFC 4571 elements, and rtpbin with RTCP on the same pad. */
#include "catch.h"
#include "support.h"

#include <gst/rtp/gstrtcpbuffer.h>

#include <map>
#include <mutex>

using namespace lt;

namespace
{

/* Counts what passes a pad of an element, and remembers the bytes. */
class Tap
{
  public:
    Tap(Pipeline &pipeline, const char *element, const char *pad_name)
    {
        Element owner = pipeline.child(element);
        pad_ = gst_element_get_static_pad(owner.get(), pad_name);
        id_ = gst_pad_add_probe(
            pad_, (GstPadProbeType)(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
            on_data, this, nullptr);
    }
    ~Tap()
    {
        gst_pad_remove_probe(pad_, id_);
        gst_object_unref(pad_);
    }
    size_t count()
    {
        std::lock_guard<std::mutex> guard(lock_);
        return packets_.size();
    }
    std::vector<std::string> packets()
    {
        std::lock_guard<std::mutex> guard(lock_);
        return packets_;
    }

  private:
    void add(GstBuffer *buffer)
    {
        std::lock_guard<std::mutex> guard(lock_);
        std::string bytes(gst_buffer_get_size(buffer), '\0');
        gst_buffer_extract(buffer, 0, &bytes[0], bytes.size());
        packets_.push_back(bytes);
    }
    static GstPadProbeReturn on_data(GstPad *, GstPadProbeInfo *info, gpointer self)
    {
        auto *tap = static_cast<Tap *>(self);
        if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
            tap->add(GST_PAD_PROBE_INFO_BUFFER(info));
        } else {
            GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
            for (guint i = 0; i < gst_buffer_list_length(list); i++) {
                tap->add(gst_buffer_list_get(list, i));
            }
        }
        return GST_PAD_PROBE_OK;
    }

    GstPad *pad_;
    gulong id_;
    std::mutex lock_;
    std::vector<std::string> packets_;
};

const char voice[] = "audiotestsrc num-buffers=100 samplesperbuffer=160 ! "
                     "audio/x-raw,rate=8000,channels=1 ! mulawenc ! "
                     "rtppcmupay min-ptime=20000000 max-ptime=20000000 name=pay ! ";
const char rtp_caps[] = "application/x-rtp-stream,media=audio,clock-rate=8000,encoding-name=PCMU";

} // namespace

TEST_CASE("livetcpsink wire=plain is understood by tcpserversrc ! rtpstreamdepay")
{
    std::string port = std::to_string(free_port());
    Pipeline receiver("tcpserversrc host=127.0.0.1 port=" + port + " ! " + rtp_caps +
                      " ! rtpstreamdepay name=d ! rtppcmudepay ! fakesink sync=false");
    Tap received(receiver, "d", "src");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    Pipeline sender(std::string(voice) + "livetcpsink name=s wire=plain host=127.0.0.1 port=" +
                    port + " reconnect-min=10 reconnect-max=50");
    Tap sent(sender, "pay", "src");
    REQUIRE(sender.state(GST_STATE_PLAYING));
    REQUIRE(sender.wait(GST_MESSAGE_EOS));
    REQUIRE(eventually([&] { return received.count() == 100; }));
    CHECK(received.packets() == sent.packets());
    sender.state(GST_STATE_NULL);
    /* our goodbye is an orderly end of the TCP connection */
    CHECK(receiver.wait(GST_MESSAGE_EOS));
    CHECK(receiver.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("livetcpsrc wire=plain understands rtpstreampay ! tcpclientsink")
{
    Pipeline receiver("livetcpsrc name=s uri=livetcp://127.0.0.1:0?mode=listener&wire=plain ! "
                      "rtppcmudepay ! fakesink sync=false");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    Tap received(receiver, "s", "src");
    Element source = receiver.child("s");
    std::string port = std::to_string(get_uint(source.get(), "bound-port"));
    Pipeline sender(std::string(voice) +
                    "rtpstreampay ! tcpclientsink host=127.0.0.1 port=" + port);
    Tap sent(sender, "pay", "src");
    REQUIRE(sender.state(GST_STATE_PLAYING));
    REQUIRE(sender.wait(GST_MESSAGE_EOS));
    sender.state(GST_STATE_NULL);
    CHECK(receiver.wait(GST_MESSAGE_EOS));
    CHECK(received.packets() == sent.packets());
    CHECK(received.count() == 100);
}

TEST_CASE("livetcpsink wire=plain listens for tcpclientsrc")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener&wire=plain");
    Pipeline receiver(
        "tcpclientsrc host=127.0.0.1 port=" + std::to_string(get_uint(sink.get(), "bound-port")) +
        " ! " + rtp_caps + " ! rtpstreamdepay name=d ! fakesink sync=false");
    Tap received(receiver, "d", "src");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    for (guint16 i = 0; i < 20; i++) {
        REQUIRE(sink.push(rtp_packet(i, 12 + 400 * i)) == GST_FLOW_OK);
    }
    REQUIRE(eventually([&] { return received.count() == 20; }));
    CHECK(received.packets()[19].size() == 12 + 400 * 19);
}

/* Sender reports that a receiving rtpbin has understood. */
static guint64 reports_received(GstElement *bin)
{
    GObject *session = nullptr;
    g_signal_emit_by_name(bin, "get-internal-session", 0, &session);
    if (session == nullptr) {
        return 0;
    }
    GstStructure *structure = nullptr;
    g_object_get(session, "stats", &structure, nullptr);
    guint64 reports = 0;
    const GValue *sources = gst_structure_get_value(structure, "source-stats");
    auto *array = static_cast<GValueArray *>(g_value_get_boxed(sources));
    for (guint i = 0; array != nullptr && i < array->n_values; i++) {
        const auto *one = static_cast<const GstStructure *>(g_value_get_boxed(&array->values[i]));
        gboolean have = FALSE;
        gst_structure_get_boolean(one, "have-sr", &have);
        gboolean internal = TRUE;
        gst_structure_get_boolean(one, "internal", &internal);
        reports += have && !internal;
    }
    gst_structure_free(structure);
    g_object_unref(session);
    return reports;
}

/* Both ways in which rtpbin can be given RTCP. */
static std::string rtpbin_receiver(bool mux)
{
    return std::string("rtpbin name=bin livetcpsrc name=s ") + (mux ? "rtcp-mux=true " : "") +
           "uri=livetcp://127.0.0.1:0?mode=listener "
           "caps=\"application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0\" ! "
           "queue ! bin.recv_rtp_sink_0 bin. ! rtppcmudepay ! fakesink " +
           (mux ? "" : "s.rtcp_src ! bin.recv_rtcp_sink_0");
}

TEST_CASE("rtpbin takes RTP and RTCP from one livetcpsrc")
{
    bool mux = GENERATE(false, true);
    INFO((mux ? "on one pad" : "on two pads"));
    Pipeline receiver(rtpbin_receiver(mux));
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    Element source = receiver.child("s"), bin = receiver.child("bin");
    Pipeline sender("rtpbin name=bin audiotestsrc is-live=true samplesperbuffer=160 ! "
                    "audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay ! "
                    "bin.send_rtp_sink_0 bin.send_rtp_src_0 ! mux. bin.send_rtcp_src_0 ! mux. "
                    "funnel name=mux ! livetcpsink async=false uri=" +
                    call_uri(source.get()));
    REQUIRE(sender.state(GST_STATE_PLAYING));
    CHECK(eventually([&] { return reports_received(bin.get()) == 1; }));
}

TEST_CASE("rtpbin has sender reports from a sender that has none of its own")
{
    bool mux = GENERATE(false, true);
    INFO((mux ? "on one pad" : "on two pads"));
    Pipeline receiver(rtpbin_receiver(mux));
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    Element source = receiver.child("s"), bin = receiver.child("bin");
    Pipeline sender("audiotestsrc is-live=true samplesperbuffer=160 ! "
                    "audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay ! "
                    "livetcpsink name=k async=false uri=" +
                    call_uri(source.get()));
    REQUIRE(sender.state(GST_STATE_PLAYING));
    CHECK(eventually([&] { return reports_received(bin.get()) == 1; }));
    Element sink = sender.child("k");
    CHECK(eventually([&] { return counter(sink.get(), "reports-received") >= 1; }));
    CHECK(counter(sink.get(), "reports-invalid") == 0);
    CHECK(counter(source.get(), "reports-invalid") == 0);
}

TEST_CASE("a depayloader and a jitter buffer are not given RTCP, unless asked for")
{
    std::string first = GENERATE("rtppcmudepay", "queue ! rtpjitterbuffer ! rtppcmudepay");
    bool asked = GENERATE(false, true);
    INFO(first << (asked ? ", asked for" : ""));
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener");
    Pipeline receiver("livetcpsrc name=s caps=\"application/x-rtp,media=audio,clock-rate=8000,"
                      "encoding-name=PCMU,payload=0\" uri=" +
                      call_uri(sink.get(), asked ? "rtcp-mux=true" : "") + " ! " + first +
                      " ! fakesink sync=false");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    Element source = receiver.child("s");
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(sink.push(rtcp_packet()) == GST_FLOW_OK);
    if (asked) {
        CHECK(receiver.wait(GST_MESSAGE_WARNING));
        CHECK(counter(source.get(), "rtcp-dropped") == 0);
    } else {
        CHECK(eventually([&] { return counter(source.get(), "rtcp-dropped") >= 1; }));
        CHECK(receiver.posted(GST_MESSAGE_WARNING).empty());
    }
}

TEST_CASE("reports of LiveTCP are RTCP compounds as GStreamer reads them")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener");
    Harness source("livetcpsrc", call_uri(sink.get(), "rtcp-mux=true"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    GstBuffer *found = nullptr;
    REQUIRE(eventually([&] {
        Buffer buffer(gst_harness_try_pull(source.harness()));
        if (buffer && gst_rtcp_buffer_validate(buffer.get())) {
            found = buffer.release();
        }
        return found != nullptr;
    }));
    Buffer report(found);
    GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
    GstRTCPPacket packet;
    gst_rtcp_buffer_map(report.get(), GST_MAP_READ, &rtcp);
    CHECK(gst_rtcp_buffer_get_packet_count(&rtcp) == 3);
    REQUIRE(gst_rtcp_buffer_get_first_packet(&rtcp, &packet));
    REQUIRE(gst_rtcp_packet_get_type(&packet) == GST_RTCP_TYPE_SR);
    guint32 ssrc, timestamp, packets, octets;
    guint64 ntp;
    gst_rtcp_packet_sr_get_sender_info(&packet, &ssrc, &ntp, &timestamp, &packets, &octets);
    CHECK(ssrc == 0x11223344);
    CHECK(packets == 1);
    CHECK(octets == 188);
    gint64 unix_seconds = (gint64)(ntp >> 32) - G_GINT64_CONSTANT(2208988800);
    CHECK(std::abs(unix_seconds - g_get_real_time() / G_USEC_PER_SEC) < 300);
    REQUIRE(gst_rtcp_packet_move_to_next(&packet));
    REQUIRE(gst_rtcp_packet_get_type(&packet) == GST_RTCP_TYPE_SDES);
    gchar *name = nullptr;
    CHECK(gst_rtcp_packet_sdes_first_item(&packet));
    CHECK(gst_rtcp_packet_sdes_first_entry(&packet));
    GstRTCPSDESType type = GST_RTCP_SDES_END;
    CHECK(gst_rtcp_packet_sdes_copy_entry(&packet, &type, nullptr, (guint8 **)&name));
    CHECK(type == GST_RTCP_SDES_CNAME);
    CHECK((name != nullptr && strlen(name) == 16));
    g_free(name);
    gst_rtcp_buffer_unmap(&rtcp);
}

TEST_CASE("a depayloader drops RTCP and goes on")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener");
    Pipeline receiver(
        "livetcpsrc name=s uri=" + call_uri(sink.get(), "connections=1&rtcp-mux=true") +
        " ! rtppcmudepay name=d ! fakesink sync=false");
    Tap decoded(receiver, "d", "src");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(sink.push(rtcp_packet()) == GST_FLOW_OK);
    REQUIRE(sink.push(rtp_packet(2)) == GST_FLOW_OK);
    CHECK(eventually([&] { return decoded.count() == 2; }));
    CHECK(receiver.posted(GST_MESSAGE_ERROR).empty());
}

/* The first element of that kind in a bin, however deep. */
static Element find_inside(GstElement *bin, const char *factory)
{
    GstIterator *found = gst_bin_iterate_all_by_element_factory_name(GST_BIN(bin), factory);
    GValue item = G_VALUE_INIT;
    GstElement *element = nullptr;
    if (gst_iterator_next(found, &item) == GST_ITERATOR_OK) {
        element = GST_ELEMENT(g_value_dup_object(&item));
        g_value_unset(&item);
    }
    gst_iterator_free(found);
    return Element(element);
}

TEST_CASE("playbin3 plays, and its depayloader is given no RTCP")
{
    Pipeline sender("videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=30/1 ! "
                    "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! "
                    "rtph264pay config-interval=-1 ! livetcpsink name=k async=false "
                    "uri=livetcp://127.0.0.1:0?mode=listener");
    REQUIRE(sender.state(GST_STATE_PLAYING));
    gchar *caps = g_uri_escape_string("application/x-rtp,media=video,clock-rate=90000,"
                                      "encoding-name=H264,payload=96",
                                      nullptr, FALSE);
    Pipeline receiver(
        "playbin3 uri=" + call_uri(sender.child("k").get(), std::string("caps=") + caps) +
        " video-sink=\"fakesink name=f signal-handoffs=true\"");
    g_free(caps);
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    GstElement *sink = nullptr;
    g_object_get(receiver.get(), "video-sink", &sink, nullptr);
    gint pictures = 0;
    g_signal_connect(sink, "handoff", G_CALLBACK(+[](GstElement *, GstBuffer *, GstPad *, gint *n) {
                         g_atomic_int_inc(n);
                     }),
                     &pictures);
    CHECK(eventually([&] {
        Element source = find_inside(receiver.get(), "livetcpsrc");
        return g_atomic_int_get(&pictures) > 30 && counter(source.get(), "rtcp-dropped") > 0;
    }));
    for (const Message &message : receiver.posted(GST_MESSAGE_WARNING)) {
        CHECK(complaint(message).text == "");
    }
    CHECK(receiver.posted(GST_MESSAGE_ERROR).empty());
    receiver.state(GST_STATE_NULL);
    gst_object_unref(sink);
}
