/* SPDX-License-Identifier: MIT */
/* What caps and flags say about packets: by hand, and with the flags that payloaders really set. */
#include "catch.h"
#include "support.h"

#include <gst/rtp/rtp.h>

#include <map>
#include <set>

extern "C" {
#include "gstlivetcpimportance.h"
#include "rtp/importance/importance.h"
}

using namespace lt;

namespace
{

constexpr guint delta = GST_BUFFER_FLAG_DELTA_UNIT, header = GST_BUFFER_FLAG_HEADER,
                droppable = GST_BUFFER_FLAG_DROPPABLE;

const char unreadable[] = "application/x-rtp, media=(string)video, encoding-name=(string)THEORA";

class Mapping
{
  public:
    explicit Mapping(const std::string &caps)
    {
        init();
        set_caps(caps);
    }
    void set_caps(const std::string &text)
    {
        GstCaps *caps = gst_caps_from_string(text.c_str());
        REQUIRE(caps);
        gst_livetcp_importance_set_caps(&mapping_, caps);
        gst_caps_unref(caps);
    }
    livetcp_codec codec() const
    {
        return mapping_.codec;
    }
    livetcp_packet_info next(GstBuffer *buffer)
    {
        GstMapInfo map;
        REQUIRE(gst_buffer_map(buffer, &map, GST_MAP_READ));
        livetcp_packet_info info =
            gst_livetcp_importance_next(&mapping_, buffer, map.data, map.size);
        CHECK(info.struct_size == sizeof(info));
        gst_buffer_unmap(buffer, &map);
        return info;
    }
    /* The importance of a packet with these flags. */
    livetcp_importance flags(guint flags, guint32 timestamp, guint32 ssrc = 1)
    {
        GstBuffer *buffer = gst_rtp_buffer_new_allocate(4, 0, 0);
        GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
        REQUIRE(gst_rtp_buffer_map(buffer, GST_MAP_WRITE, &rtp));
        gst_rtp_buffer_set_timestamp(&rtp, timestamp);
        gst_rtp_buffer_set_ssrc(&rtp, ssrc);
        gst_rtp_buffer_unmap(&rtp);
        GST_BUFFER_FLAG_SET(buffer, flags);
        livetcp_importance importance = next(buffer).importance;
        gst_buffer_unref(buffer);
        return importance;
    }

  private:
    GstLiveTcpImportance mapping_ = {};
};

/* Everything that arrives at a sink, lists taken apart. */
std::vector<Buffer> arriving(const std::string &description)
{
    std::vector<Buffer> buffers;
    Pipeline pipeline(description + " ! fakesink name=s async=false");
    Element sink = pipeline.child("s");
    GstPad *pad = gst_element_get_static_pad(sink.get(), "sink");
    auto probe = [](GstPad *, GstPadProbeInfo *info, gpointer user) {
        auto *all = static_cast<std::vector<Buffer> *>(user);
        if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
            GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
            for (guint i = 0; i < gst_buffer_list_length(list); i++)
                all->emplace_back(gst_buffer_ref(gst_buffer_list_get(list, i)));
        } else {
            all->emplace_back(gst_buffer_ref(GST_PAD_PROBE_INFO_BUFFER(info)));
        }
        return GST_PAD_PROBE_OK;
    };
    gst_pad_add_probe(pad,
                      (GstPadProbeType)(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
                      probe, &buffers, nullptr);
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    Message end = pipeline.wait((GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    REQUIRE(end);
    REQUIRE(GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
    pipeline.state(GST_STATE_NULL);
    gst_object_unref(pad);
    return buffers;
}

guint32 timestamp_of(GstBuffer *buffer)
{
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    REQUIRE(gst_rtp_buffer_map(buffer, GST_MAP_READ, &rtp));
    guint32 timestamp = gst_rtp_buffer_get_timestamp(&rtp);
    gst_rtp_buffer_unmap(&rtp);
    return timestamp;
}

/* The classes the packets of each picture have, by timestamp. */
using Pictures = std::map<guint32, std::set<livetcp_importance>>;

Pictures pictures(const std::vector<Buffer> &buffers, const std::string &caps)
{
    Mapping mapping(caps);
    lt_importance_state state = {};
    Pictures result;
    for (const Buffer &buffer : buffers) {
        livetcp_packet_info info = mapping.next(buffer.get());
        GstMapInfo map;
        REQUIRE(gst_buffer_map(buffer.get(), &map, GST_MAP_READ));
        lt_rtp_header fields;
        REQUIRE(lt_rtp_parse(map.data, map.size, &fields));
        result[timestamp_of(buffer.get())].insert(
            lt_importance_next(&state, &info, &fields, map.data, map.size));
        gst_buffer_unmap(buffer.get(), &map);
    }
    return result;
}

/* Pictures all of whose packets are of that class, save those of which nothing is known. */
size_t count(const Pictures &pictures, livetcp_importance importance)
{
    size_t found = 0;
    for (auto [timestamp, classes] : pictures) {
        classes.erase(LIVETCP_IMPORTANCE_UNKNOWN);
        found += classes == std::set<livetcp_importance>{importance};
    }
    return found;
}

const char test_picture[] = "videotestsrc num-buffers=12 pattern=ball ! "
                            "video/x-raw,format=(string)I420,width=96,height=96,framerate=25/1 ! ";

std::string rtp_caps(const char *name, const char *type = "application/x-rtp")
{
    return std::string(type) + ", media=(string)video, encoding-name=(string)" + name;
}

} // namespace

TEST_CASE("the codec comes from the caps")
{
    const std::map<std::string, livetcp_codec> expected = {
        {rtp_caps("H264"), LIVETCP_CODEC_H264},
        {rtp_caps("VP8"), LIVETCP_CODEC_VP8},
        {rtp_caps("JPEG"), LIVETCP_CODEC_UNKNOWN},
        {"application/x-rtp", LIVETCP_CODEC_UNKNOWN},
        {"application/x-rtcp", LIVETCP_CODEC_UNKNOWN},
        {"application/x-rtp, media=(string)audio", LIVETCP_CODEC_AUDIO},
        {"application/x-rtp, media=(string)audio, encoding-name=(string)MPEG4-GENERIC",
         LIVETCP_CODEC_AUDIO},
        {"application/x-rtp, encoding-name=(string)OPUS", LIVETCP_CODEC_AUDIO},
        {rtp_caps("H264", "application/x-srtp"), LIVETCP_CODEC_UNKNOWN},
        {"application/x-srtp, encoding-name=(string)OPUS", LIVETCP_CODEC_AUDIO},
        {"application/x-srtp, media=(string)audio", LIVETCP_CODEC_AUDIO},
    };
    for (const auto &[caps, codec] : expected) {
        INFO(caps);
        CHECK(Mapping(caps).codec() == codec);
    }
}

TEST_CASE("droppable is believed whatever the codec")
{
    for (const std::string &caps : {rtp_caps("H264"), std::string(unreadable),
                                    std::string("application/x-rtp, media=(string)audio")}) {
        INFO(caps);
        Mapping mapping(caps);
        CHECK(mapping.flags(droppable, 0) == LIVETCP_IMPORTANCE_DROPPABLE);
        CHECK(mapping.flags(droppable | delta, 0) == LIVETCP_IMPORTANCE_DROPPABLE);
    }
}

TEST_CASE("a payload that can be read is read, other flags are not believed")
{
    Mapping mapping(rtp_caps("H264"));
    CHECK(mapping.flags(delta, 0) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(mapping.flags(0, 3000) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(mapping.flags(header, 3000) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("flags that are never set are missing")
{
    Mapping mapping(unreadable);
    for (guint32 i = 0; i < 10; i++) {
        CHECK(mapping.flags(GST_BUFFER_FLAG_MARKER, i * 3000) == LIVETCP_IMPORTANCE_UNKNOWN);
    }
    CHECK(mapping.flags(header, 30000) == LIVETCP_IMPORTANCE_KEY);
    CHECK(mapping.flags(0, 33000) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("a picture whose first packet has not the delta flag is a key frame")
{
    Mapping mapping(unreadable);
    CHECK(mapping.flags(0, 0) == LIVETCP_IMPORTANCE_UNKNOWN); /* who knows what follows */
    CHECK(mapping.flags(delta, 0) == LIVETCP_IMPORTANCE_KEY);
    CHECK(mapping.flags(delta, 3000) == LIVETCP_IMPORTANCE_DELTA);
    CHECK(mapping.flags(delta, 0) == LIVETCP_IMPORTANCE_DELTA);
    CHECK(mapping.flags(0, 6000) == LIVETCP_IMPORTANCE_KEY);
    CHECK(mapping.flags(delta, 6000) == LIVETCP_IMPORTANCE_KEY);
    CHECK(mapping.flags(delta, 9000) == LIVETCP_IMPORTANCE_DELTA);

    /* another stream says nothing until it does */
    CHECK(mapping.flags(0, 6000, 2) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(mapping.flags(0, 12000) == LIVETCP_IMPORTANCE_KEY);

    /* nor does a stream under new caps */
    mapping.set_caps(unreadable);
    CHECK(mapping.flags(0, 15000) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("more streams than are remembered begin anew")
{
    Mapping mapping(unreadable);
    for (guint32 ssrc = 1; ssrc <= GST_LIVETCP_IMPORTANCE_STREAMS; ssrc++) {
        CHECK(mapping.flags(delta, 0, ssrc) == LIVETCP_IMPORTANCE_DELTA);
    }
    CHECK(mapping.flags(0, 3000, 1) == LIVETCP_IMPORTANCE_KEY);
    CHECK(mapping.flags(delta, 0, 1000) == LIVETCP_IMPORTANCE_DELTA);
    CHECK(mapping.flags(0, 6000, 1) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(mapping.flags(0, 6000, 3) == LIVETCP_IMPORTANCE_KEY);
}

TEST_CASE("RTCP and what is too short have no importance")
{
    Mapping mapping(unreadable);
    Buffer rtcp = rtcp_packet();
    CHECK(mapping.next(rtcp.get()).importance == LIVETCP_IMPORTANCE_UNKNOWN);
    Buffer short_one(gst_buffer_new_allocate(nullptr, 3, nullptr));
    CHECK(mapping.next(short_one.get()).importance == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("pictures of x264enc ! rtph264pay are worth what they are, whole")
{
    std::string aggregate = GENERATE("none", "zero-latency");
    auto buffers = arriving(std::string(test_picture) +
                            "x264enc key-int-max=6 bframes=2 b-adapt=false b-pyramid=false "
                            "option-string=scenecut=0:open-gop=0 ! rtph264pay mtu=300 "
                            "aggregate-mode=" +
                            aggregate);
    REQUIRE(buffers.size() > 24);

    Pictures read = pictures(buffers, rtp_caps("H264"));
    REQUIRE(read.size() == 12);
    CHECK(count(read, LIVETCP_IMPORTANCE_KEY) == 2);
    /* I b b P b P, twice: what is before a key frame cannot refer to it */
    CHECK(count(read, LIVETCP_IMPORTANCE_DROPPABLE) == 6);
    CHECK(count(read, LIVETCP_IMPORTANCE_DELTA) == 4);

    /* encrypted: by the flags alone */
    Pictures flagged = pictures(buffers, rtp_caps("H264", "application/x-srtp"));
    CHECK(count(flagged, LIVETCP_IMPORTANCE_KEY) == 2);
    CHECK(count(flagged, LIVETCP_IMPORTANCE_DELTA) == 10);
}

TEST_CASE("pictures of vp8enc ! rtpvp8pay, which comes in lists without flags")
{
    auto buffers = arriving(std::string(test_picture) +
                            "vp8enc keyframe-max-dist=4 deadline=1 ! rtpvp8pay mtu=300");
    REQUIRE(buffers.size() > 12);
    Pictures read = pictures(buffers, rtp_caps("VP8"));
    REQUIRE(read.size() == 12);
    CHECK(count(read, LIVETCP_IMPORTANCE_KEY) == 3);
    CHECK(count(read, LIVETCP_IMPORTANCE_DELTA) == 9);
    Pictures flagged = pictures(buffers, rtp_caps("VP8", "application/x-srtp"));
    CHECK(count(flagged, LIVETCP_IMPORTANCE_KEY) == 0);
    CHECK(count(flagged, LIVETCP_IMPORTANCE_DELTA) == 0);
}
