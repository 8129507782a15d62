/* SPDX-License-Identifier: MIT */
/* The end of the stream waits until a sink's peers have been sent everything: for that long, and
 * without looking at a clock in between. */
#include "catch.h"
#include "support.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <gmodule.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace lt;

namespace
{

/* On the thread that passes the end of the stream on: the earliest time at which a wait would have
 * ended by itself; G_MAXINT64 before the first. */
thread_local std::atomic<gint64> *earliest = nullptr;

} // namespace

/* The plugin calls this one instead of GLib's, which it goes on to. */
extern "C" G_MODULE_EXPORT gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end_time)
{
    using Function = gboolean (*)(GCond *, GMutex *, gint64);
    static const Function real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "g_cond_wait_until"));

    if (earliest != nullptr) {
        *earliest = std::min(earliest->load(), end_time);
    }
    return real(cond, mutex, end_time);
}

namespace
{

/* Longer than lt::patience: a wait that this ended has failed. */
constexpr gint64 limit_us = 600 * G_USEC_PER_SEC;

constexpr gsize packet_size = 8000;

/* A receiver of a plain stream, which reads when it is told to. */
class Reader
{
  public:
    explicit Reader(guint port) : client_(g_socket_client_new())
    {
        connection_ =
            g_socket_client_connect_to_host(client_, "127.0.0.1", (guint16)port, nullptr, nullptr);
        REQUIRE(connection_ != nullptr);
        g_socket_set_blocking(socket(), FALSE);
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;
    ~Reader()
    {
        g_object_unref(connection_);
        g_object_unref(client_);
    }
    void read_all()
    {
        static gchar buffer[65536];
        gssize size;
        while ((size = g_socket_receive(socket(), buffer, sizeof buffer, nullptr, nullptr)) > 0) {
            bytes_ += (guint64)size;
        }
    }
    guint64 bytes() const
    {
        return bytes_;
    }

  private:
    GSocket *socket()
    {
        return g_socket_connection_get_socket(connection_);
    }
    GSocketClient *client_;
    GSocketConnection *connection_;
    guint64 bytes_ = 0;
};

/* A sink that waits as long as it takes. */
struct Sink : Harness {
    Sink()
        : Harness("livetcpsink",
                  "livetcp://127.0.0.1:0?mode=listener&wire=plain&peer-timeout=600000")
    {
        g_object_set(get(), "drain-timeout", (guint)(limit_us / G_TIME_SPAN_MILLISECOND), nullptr);
    }
    guint port()
    {
        return get_uint(get(), "bound-port");
    }
    bool has_peers(guint64 count)
    {
        return eventually([&] { return counter(get(), "sessions") == count; });
    }
    /* Until the kernel takes no more, and packets wait. */
    void fill()
    {
        guint64 before;
        do {
            while (counter(get(), "queue-packets") < 20) {
                REQUIRE(push(rtp_packet(packets_++, packet_size)) == GST_FLOW_OK);
            }
            before = counter(get(), "packets-sent");
            g_usleep(20 * G_TIME_SPAN_MILLISECOND);
        } while (counter(get(), "packets-sent") != before);
    }

    /* Of all packets, with the two bytes of length before each. There may be reports among them. */
    guint64 bytes() const
    {
        return packets_ * (guint64)(2 + packet_size);
    }

  private:
    guint16 packets_ = 0;
};

/* The end of the stream, on a thread of its own. */
class End
{
  public:
    explicit End(Sink &sink) : sink_(sink), began_us_(g_get_monotonic_time())
    {
        thread_ = std::thread([this] {
            earliest = &earliest_us_;
            gst_harness_push_event(sink_.harness(), gst_event_new_eos());
            earliest = nullptr;
            done_ = true;
        });
    }
    ~End()
    {
        if (!done_) { /* a check has failed */
            sink_.state(GST_STATE_NULL);
        }
        thread_.join();
    }
    bool waits() const
    {
        return earliest_us_ != G_MAXINT64;
    }
    bool done() const
    {
        return done_;
    }
    /* It waited, and would not have woken up by itself before the time limit. */
    bool without_a_tick() const
    {
        return waits() && earliest_us_ >= began_us_ + limit_us;
    }

  private:
    Sink &sink_;
    gint64 began_us_;
    std::atomic<gint64> earliest_us_{G_MAXINT64};
    std::atomic<bool> done_{false};
    std::thread thread_;
};

} // namespace

TEST_CASE("the end of the stream waits for a peer that does not read, and for nothing else")
{
    Sink sink;
    Reader reader(sink.port());
    REQUIRE(sink.has_peers(1));
    sink.fill();

    End end(sink);
    REQUIRE(eventually([&] { return end.waits(); }));
    CHECK_FALSE(end.done());
    REQUIRE(eventually([&] {
        reader.read_all();
        return end.done();
    }));
    CHECK(counter(sink.get(), "queue-packets") == 0);
    CHECK(end.without_a_tick());
    CHECK(sink.posted(GST_MESSAGE_ERROR).empty());
    CHECK(eventually([&] {
        reader.read_all();
        return reader.bytes() >= sink.bytes();
    }));
}

TEST_CASE("the end of the stream waits until every peer has been sent everything or has gone")
{
    Sink sink;
    Reader reader(sink.port());
    REQUIRE(sink.has_peers(1));
    auto leaves = std::make_unique<Reader>(sink.port());
    REQUIRE(sink.has_peers(2));
    sink.fill();

    End end(sink);
    REQUIRE(eventually([&] { return end.waits(); }));
    REQUIRE(eventually([&] {
        reader.read_all();
        return reader.bytes() >= sink.bytes();
    }));
    CHECK_FALSE(end.done());
    leaves.reset();
    REQUIRE(eventually([&] { return end.done(); }));
    CHECK(end.without_a_tick());
}

TEST_CASE("a flush ends the wait for the end of the stream, and the next end waits again")
{
    Sink sink;
    Reader reader(sink.port());
    REQUIRE(sink.has_peers(1));
    sink.fill();
    {
        End flushed(sink);
        REQUIRE(eventually([&] { return flushed.waits(); }));
        gst_harness_push_event(sink.harness(), gst_event_new_flush_start());
        CHECK(eventually([&] { return flushed.done(); }));
    }
    gst_harness_push_event(sink.harness(), gst_event_new_flush_stop(TRUE));
    CHECK(counter(sink.get(), "queue-packets") > 0);

    End end(sink);
    REQUIRE(eventually([&] { return end.waits(); }));
    REQUIRE(eventually([&] {
        reader.read_all();
        return end.done();
    }));
    CHECK(counter(sink.get(), "queue-packets") == 0);
    CHECK(end.without_a_tick());
}
