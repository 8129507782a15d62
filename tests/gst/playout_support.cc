/* SPDX-License-Identifier: MIT */
#include "playout_support.h"

#include <gst/check/gsttestclock.h>

namespace lt
{

const char voice_caps[] =
    "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0";
const char video_caps[] =
    "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96";

static std::string description(const std::string &properties, const std::string &chain)
{
    std::string text = chain.empty() ? "livetcpplayout name=p" : chain;
    return text.replace(text.find("name=p"), 6, "name=p " + properties);
}

Playout::Playout(const std::string &properties, const std::string &caps, const std::string &chain)
    : Subject(nullptr)
{
    init();
    harness_ = gst_harness_new_parse(description(properties, chain).c_str());
    element_.reset(GST_ELEMENT(gst_object_ref(harness_->element)));
    bus_ = gst_bus_new();
    gst_element_set_bus(get(), bus_);
    bool bin = GST_IS_BIN(get());
    playout_.reset(bin ? gst_bin_get_by_name(GST_BIN(get()), "p")
                       : GST_ELEMENT(gst_object_ref(get())));
    gst_harness_use_testclock(harness_);
    gst_harness_play(harness_);
    if (!caps.empty()) {
        gst_harness_set_src_caps_str(harness_, caps.c_str());
    }
}

Playout::~Playout()
{
    gst_harness_teardown(harness_);
}

void Playout::now(GstClockTime time)
{
    GstTestClock *clock = gst_harness_get_testclock(harness_);
    if (gst_clock_get_time(GST_CLOCK(clock)) < time) {
        gst_test_clock_set_time(clock, time);
    }
    gst_object_unref(clock);
}

GstFlowReturn Playout::packet(guint16 sequence, guint32 timestamp, guint8 payload_type,
                              guint32 ssrc, bool stamped)
{
    Buffer buffer = rtp_packet(sequence, 172, ssrc);
    GstMapInfo map;

    gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
    map.data[1] = payload_type;
    GST_WRITE_UINT32_BE(map.data + 4, timestamp);
    gst_buffer_unmap(buffer.get(), &map);
    if (stamped) {
        GST_BUFFER_DTS(buffer.get()) = GST_BUFFER_PTS(buffer.get()) = time();
    }
    return gst_harness_push(harness_, buffer.release());
}

GstFlowReturn Playout::packet(guint16 sequence, guint32 ssrc)
{
    return packet(sequence, sequence * 160u, 0, ssrc);
}

void Playout::packets(guint16 first, guint16 last, guint32 ssrc)
{
    GstClockTime begin = time();

    for (guint16 sequence = first; sequence <= last; sequence++) {
        now(begin + (GstClockTime)(sequence - first) * 20 * ms);
        packet(sequence, ssrc);
    }
}

GstClockTime Playout::time()
{
    GstClock *clock = gst_element_get_clock(get());
    GstClockTime now = gst_clock_get_time(clock);
    gst_object_unref(clock);
    return now;
}

void Playout::crank()
{
    gst_harness_crank_single_clock_wait(harness_);
}

/* A GstTestClock that is set past the time somebody waits for does not wake him by itself. */
static void wake_due(GstTestClock *clock)
{
    GstClockID id = nullptr;

    while (gst_test_clock_peek_next_pending_id(clock, &id)) {
        bool due = gst_clock_id_get_time(id) <= gst_clock_get_time(GST_CLOCK(clock));
        gst_clock_id_unref(id);
        GstClockID woken = due ? gst_test_clock_process_next_clock_id(clock) : nullptr;
        if (woken == nullptr) {
            return;
        }
        gst_clock_id_unref(woken);
    }
}

Buffer Playout::pull()
{
    GstTestClock *clock = gst_harness_get_testclock(harness_);
    Buffer buffer;

    eventually([&] {
        wake_due(clock);
        return (buffer = try_pull()) != nullptr;
    });
    gst_object_unref(clock);
    return buffer;
}

std::vector<Buffer> Playout::pull(size_t count)
{
    std::vector<Buffer> buffers;
    while (buffers.size() < count) {
        buffers.push_back(pull());
        if (buffers.back() == nullptr) {
            break;
        }
    }
    return buffers;
}

Event Playout::try_event(GstEventType type, const char *name)
{
    while (GstEvent *event = gst_harness_try_pull_event(harness_)) {
        Event owned(event);
        if (GST_EVENT_TYPE(event) == type && (name == nullptr || gst_event_has_name(event, name))) {
            return owned;
        }
    }
    return nullptr;
}

Event Playout::event(GstEventType type, const char *name)
{
    Event found;
    eventually([&] { return (found = try_event(type, name)) != nullptr; });
    return found;
}

GstClockTime Playout::latency()
{
    return gst_harness_query_latency(harness_);
}

Structure Playout::stats()
{
    return lt::stats(playout());
}

} // namespace lt
