/* SPDX-License-Identifier: MIT */
/* livetcpsrc with playout whose streaming thread is held up by what is behind it. The plugin is
 * linked in, so that the test is the network: it says which packet arrived when. */
#include "catch.h"
#include "playout_support.h"

#include <gst/check/gsttestclock.h>

extern "C" {
#include "gstlivetcpsrc.h"

gboolean gst_plugin_livetcp_register(void);
}

using namespace lt;

namespace
{

/* Stops the streaming thread in its first push, until it is let go. */
class Gate
{
  public:
    explicit Gate(GstElement *source) : pad_(gst_element_get_static_pad(source, "src"))
    {
        g_mutex_init(&lock_);
        g_cond_init(&cond_);
        gst_pad_add_probe(pad_, GST_PAD_PROBE_TYPE_BUFFER, pass, this, nullptr);
    }
    ~Gate()
    {
        open();
        gst_object_unref(pad_);
        g_cond_clear(&cond_);
        g_mutex_clear(&lock_);
    }
    bool reached()
    {
        g_mutex_lock(&lock_);
        bool reached = reached_;
        g_mutex_unlock(&lock_);
        return reached;
    }
    void open()
    {
        g_mutex_lock(&lock_);
        open_ = true;
        g_cond_broadcast(&cond_);
        g_mutex_unlock(&lock_);
    }

  private:
    static GstPadProbeReturn pass(GstPad *, GstPadProbeInfo *, gpointer user)
    {
        Gate *gate = static_cast<Gate *>(user);
        g_mutex_lock(&gate->lock_);
        gate->reached_ = true;
        while (!gate->open_) {
            g_cond_wait(&gate->cond_, &gate->lock_);
        }
        g_mutex_unlock(&gate->lock_);
        return GST_PAD_PROBE_OK;
    }

    GstPad *pad_;
    GMutex lock_;
    GCond cond_;
    bool reached_ = false, open_ = false;
};

/* A packet that arrived so long before the clock's time. */
void arrive(GstElement *source, guint16 sequence, GstClockTime ago)
{
    Buffer packet = rtp_packet(sequence, 172);
    GstMapInfo map;
    gst_buffer_map(packet.get(), &map, GST_MAP_WRITE);
    map.data[1] = 0;
    GST_WRITE_UINT32_BE(map.data + 4, sequence * 160u);
    gst_buffer_unmap(packet.get(), &map);
    gst_livetcp_queue_push(&GST_LIVETCP_SRC(source)->queue, packet.release(), FALSE,
                           g_get_monotonic_time() - (gint64)(ago / GST_USECOND));
}

} // namespace

TEST_CASE("a source that was held up takes what came meanwhile before it calls anything missing")
{
    init();
    REQUIRE(gst_plugin_livetcp_register());
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener&playout=fixed&latency=5000",
                   false);
    GstTestClock *clock = GST_TEST_CLOCK(gst_test_clock_new_with_start_time(100 * GST_SECOND));
    gst_util_set_object_arg(G_OBJECT(source.get()), "caps", voice_caps);
    gst_element_set_clock(source.get(), GST_CLOCK(clock));
    gst_element_set_base_time(source.get(), 0);
    Gate gate(source.get());
    source.play();

    /* 0 is played at 104 s, and 1, which is missing, should be at 104.02 s. */
    arrive(source.get(), 0, 1 * GST_SECOND);
    arrive(source.get(), 2, 1 * GST_SECOND);
    REQUIRE(eventually([&] { return gate.reached(); }));

    /* It comes at 103 s, when the thread is held up, and the thread goes on at 110 s. */
    gst_test_clock_set_time(clock, 110 * GST_SECOND);
    arrive(source.get(), 1, 7 * GST_SECOND);
    gate.open();
    for (guint16 i : {0, 1, 2}) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == i);
        CHECK(discont(buffer) == (i == 0));
    }
    while (GstEvent *event = gst_harness_try_pull_event(source.harness())) {
        CHECK_FALSE(gst_event_has_name(event, "GstRTPPacketLost"));
        gst_event_unref(event);
    }
    Structure all = stats(source.get());
    const GstStructure *playout =
        gst_value_get_structure(gst_structure_get_value(all.get(), "playout"));
    CHECK(counter(playout, "played") == 3);
    CHECK(counter(playout, "late") == 0);
    CHECK(counter(playout, "lost") == 0);
    source.stop();
    gst_object_unref(clock);
}
