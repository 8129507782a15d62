/* SPDX-License-Identifier: MIT */
/* Requests for key frames: who is asked, and how often. */
#include "catch.h"
#include "support.h"

#include <gst/video/video.h>

extern "C" {
#include "gstlivetcpkeyunits.h"
}

using namespace lt;

namespace
{

/* Asks upstream of an element that passes events on, as livetcpsink does. */
class Asking
{
  public:
    Asking()
    {
        init();
        harness_ = gst_harness_new_with_padnames("fakesink", "sink", nullptr);
        gst_harness_play(harness_);
        gst_livetcp_key_units_init(&units);
        pad_ = gst_element_get_static_pad(harness_->element, "sink");
        ask();
        drain();
    }
    ~Asking()
    {
        gst_object_unref(pad_);
        gst_harness_teardown(harness_);
        gst_livetcp_key_units_clear(&units);
    }
    /* The streams that are asked for a key frame, "all" for all of them. */
    std::vector<std::string> ask()
    {
        gst_livetcp_key_units_ask(&units, pad_);
        return drain();
    }

    GstLiveTcpKeyUnits units;
    std::vector<guint> numbers;

  private:
    std::vector<std::string> drain()
    {
        std::vector<std::string> asked;
        while (GstEvent *event = gst_harness_try_pull_upstream_event(harness_)) {
            if (gst_video_event_is_force_key_unit(event)) {
                guint ssrc = 0, number = 0;
                gboolean headers = FALSE;
                GstClockTime time = 0;
                CHECK(
                    gst_video_event_parse_upstream_force_key_unit(event, &time, &headers, &number));
                CHECK(headers);
                CHECK(time == GST_CLOCK_TIME_NONE);
                numbers.push_back(number);
                bool one = gst_structure_get_uint(gst_event_get_structure(event), "ssrc", &ssrc);
                asked.push_back(one ? std::to_string(ssrc) : "all");
            }
            gst_event_unref(event);
        }
        return asked;
    }

    GstHarness *harness_;
    GstPad *pad_;
};

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("nobody is asked for a key frame that nobody wants")
{
    Asking asking;
    CHECK(asking.ask().empty());
    gst_livetcp_key_units_want(&asking.units, 7);
    gst_livetcp_key_units_reset(&asking.units);
    CHECK(asking.ask().empty());
}

TEST_CASE("a stream is asked for a key frame by its SSRC, once")
{
    Asking asking;
    gst_livetcp_key_units_want(&asking.units, 0xfedcba98);
    gst_livetcp_key_units_want(&asking.units, 7);
    gst_livetcp_key_units_want(&asking.units, 0xfedcba98);
    CHECK(asking.ask() == Names{"4275878552", "7"});
    CHECK(asking.ask().empty());
    gst_livetcp_key_units_want(&asking.units, 7);
    CHECK(asking.ask() == Names{"7"});
    CHECK(asking.numbers == std::vector<guint>{0, 1, 2});
}

TEST_CASE("all are asked for a key frame at once, also when too many want one")
{
    Asking asking;
    gst_livetcp_key_units_want(&asking.units, 7);
    gst_livetcp_key_units_want_all(&asking.units);
    CHECK(asking.ask() == Names{"all"});
    for (guint32 i = 0; i < GST_LIVETCP_KEY_UNITS_STREAMS; i++) {
        gst_livetcp_key_units_want(&asking.units, i);
    }
    CHECK(asking.ask().size() == GST_LIVETCP_KEY_UNITS_STREAMS);
    for (guint32 i = 0; i <= GST_LIVETCP_KEY_UNITS_STREAMS; i++) {
        gst_livetcp_key_units_want(&asking.units, i);
    }
    CHECK(asking.ask() == Names{"all"});
    CHECK(asking.ask().empty());
}
