/* SPDX-License-Identifier: MIT */
/* livetcpplayout between pads of a harness, on a clock that the test moves. */
#ifndef LT_TESTS_GST_PLAYOUT_SUPPORT_H
#define LT_TESTS_GST_PLAYOUT_SUPPORT_H

#include "support.h"

#include <string>
#include <vector>

namespace lt
{

constexpr GstClockTime ms = GST_MSECOND;

/* G.711: 20 ms are 160 ticks. */
extern const char voice_caps[];
extern const char video_caps[]; /* H.264: 40 ms are 3600 ticks */

struct FreeEvent {
    void operator()(GstEvent *event) const
    {
        gst_event_unref(event);
    }
};
using Event = std::unique_ptr<GstEvent, FreeEvent>;

class Playout : public Subject
{
  public:
    /* `chain` is what is in the harness, and has a livetcpplayout called p; caps "" = none yet. */
    explicit Playout(const std::string &properties, const std::string &caps = voice_caps,
                     const std::string &chain = "");
    ~Playout();

    GstElement *playout() const
    {
        return playout_.get();
    }
    GstHarness *harness() const
    {
        return harness_;
    }
    /* Moves the clock forward, if it has not come so far. */
    void now(GstClockTime time);
    GstClockTime time();
    /* A packet that arrives now, with its time of arrival. Voice: `sequence` says when it was sent.
     */
    GstFlowReturn packet(guint16 sequence, guint32 ssrc = 0x11223344);
    GstFlowReturn packet(guint16 sequence, guint32 timestamp, guint8 payload_type, guint32 ssrc,
                         bool stamped = true);
    /* Packets first..last, sent and arriving every 20 ms from the clock's time on. */
    void packets(guint16 first, guint16 last, guint32 ssrc = 0x11223344);
    /* Lets the time come for which the element waits. */
    void crank();
    /* NULL after `patience`. */
    Buffer pull();
    /* All that is there after so many buffers. */
    std::vector<Buffer> pull(size_t count);
    Buffer try_pull()
    {
        return Buffer(gst_harness_try_pull(harness_));
    }
    /* The next event of the type, or of the name; NULL after `patience`. */
    Event event(GstEventType type, const char *name = nullptr);
    /* The same, if it is there. */
    Event try_event(GstEventType type, const char *name = nullptr);
    GstClockTime latency();
    Structure stats();

  private:
    GstHarness *harness_;
    Element playout_;
};

inline GstClockTime pts(const Buffer &buffer)
{
    return GST_BUFFER_PTS(buffer.get());
}
inline bool discont(const Buffer &buffer)
{
    return GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT);
}

} // namespace lt

#endif
