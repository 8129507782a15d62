/* SPDX-License-Identifier: MIT */
/* Media that cannot be sent in time: a source that is not live waits, another loses packets and is
 * told. */
#include "catch.h"
#include "support.h"

#include <gio/gio.h>

#include <atomic>
#include <thread>

using namespace lt;

namespace
{

constexpr char listening[] = "livetcp://127.0.0.1:0?mode=listener";

/* Somebody who can be called with wire=plain, and reads when told to. */
class Slow
{
  public:
    Slow() : listener_(g_socket_listener_new())
    {
        port_ = g_socket_listener_add_any_inet_port(listener_, nullptr, nullptr);
        REQUIRE(port_ != 0);
    }
    Slow(const Slow &) = delete;
    Slow &operator=(const Slow &) = delete;
    ~Slow()
    {
        g_clear_object(&connection_);
        g_object_unref(listener_);
    }
    std::string uri() const
    {
        return "livetcp://127.0.0.1:" + std::to_string(port_) + "?wire=plain&peer-timeout=600000";
    }
    void accept()
    {
        connection_ = g_socket_listener_accept(listener_, nullptr, nullptr, nullptr);
        REQUIRE(connection_ != nullptr);
        g_socket_set_blocking(g_socket_connection_get_socket(connection_), FALSE);
    }
    /* All bytes that have come. */
    guint64 read()
    {
        static gchar block[65536];
        gssize size;
        while ((size = g_socket_receive(g_socket_connection_get_socket(connection_), block,
                                        sizeof block, nullptr, nullptr)) > 0) {
            bytes_ += (guint64)size;
        }
        return bytes_;
    }

  private:
    GSocketListener *listener_;
    GSocketConnection *connection_ = nullptr;
    guint16 port_;
    guint64 bytes_ = 0;
};

constexpr gsize packet_size = 8000;

/* A sink whose upstream is live or not. */
struct Sink : Harness {
    Sink(const std::string &uri, bool live) : Harness("livetcpsink", uri, false)
    {
        gst_harness_set_live(harness(), live);
        play();
    }
};

/* Pushes packets on a thread of its own. */
class Pusher
{
  public:
    Pusher(Sink &sink, guint count) : sink_(sink)
    {
        thread_ = std::thread([this, count] {
            while (pushed_ < count && result_ == GST_FLOW_OK) {
                result_ = sink_.push(rtp_packet((guint16)pushed_, packet_size));
                pushed_ += result_ == GST_FLOW_OK;
            }
            done_ = true;
        });
    }
    ~Pusher()
    {
        if (!done_) {
            sink_.state(GST_STATE_NULL);
        }
        thread_.join();
    }
    /* Nothing has happened for a while. */
    bool waits() const
    {
        return eventually([&] {
            guint before = pushed_;
            g_usleep(100 * G_TIME_SPAN_MILLISECOND);
            return !done_ && before == pushed_ && before > 0;
        });
    }
    bool done() const
    {
        return done_;
    }
    guint pushed() const
    {
        return pushed_;
    }
    GstFlowReturn result() const
    {
        return result_;
    }

  private:
    Sink &sink_;
    std::atomic<guint> pushed_{0};
    std::atomic<GstFlowReturn> result_{GST_FLOW_OK};
    std::atomic<bool> done_{false};
    std::thread thread_;
};

guint64 detail(const Complaint &complaint, const char *field)
{
    REQUIRE(complaint.details);
    return counter(complaint.details.get(), field);
}

bool is_loss(const Complaint &complaint)
{
    return complaint.details && gst_structure_has_name(complaint.details.get(), "livetcp-losses");
}

/* The next message that is about packets that were dropped. */
Complaint next_loss(Subject &subject, GstMessageType type)
{
    for (;;) {
        Message message = subject.wait(type);
        REQUIRE(message);
        Complaint one = complaint(message);
        if (is_loss(one)) {
            return one;
        }
    }
}

struct Leaky {
    bool live;
    const char *setting;
    bool leaky;
};

gint64 delay_limit(gpointer sink)
{
    gint64 limit = -1;
    REQUIRE(gst_structure_get_int64(stats(sink).get(), "send-delay-limit-us", &limit));
    return limit;
}

bool leaky(gpointer sink)
{
    gboolean value = FALSE;
    REQUIRE(gst_structure_get_boolean(stats(sink).get(), "leaky", &value));
    return value;
}

} // namespace

TEST_CASE("a source that is not live waits for a slow peer, and loses nothing")
{
    Slow peer;
    Sink sink(peer.uri(), false);
    peer.accept();
    constexpr guint count = 3000; /* 24 MB: more than queue and kernel hold */
    Pusher pusher(sink, count);
    REQUIRE(pusher.waits());
    CHECK_FALSE(leaky(sink.get()));
    CHECK(counter(sink.get(), "queue-packets") > 0);
    CHECK(delay_limit(sink.get()) == 0);

    REQUIRE(eventually([&] {
        peer.read();
        return pusher.done();
    }));
    CHECK(pusher.result() == GST_FLOW_OK);
    REQUIRE(eventually([&] { return peer.read() >= count * (guint64)(packet_size + 2); }));
    Structure all = stats(sink.get());
    CHECK(counter(all.get(), "dropped-queue-full") == 0);
    CHECK(counter(all.get(), "dropped-late") == 0);
    CHECK(counter(all.get(), "packets-sent") == count);
    CHECK(sink.posted(GST_MESSAGE_WARNING).empty());
}

TEST_CASE("waiting for room ends with a flush and with the element")
{
    bool flush = GENERATE(true, false);
    Slow peer;
    Sink sink(peer.uri(), false);
    peer.accept();
    Pusher pusher(sink, 100000);
    REQUIRE(pusher.waits());
    counter(sink.get(), "queue-packets"); /* nobody else is held up */
    if (flush) {
        gst_harness_push_event(sink.harness(), gst_event_new_flush_start());
    } else {
        REQUIRE(sink.state(GST_STATE_READY));
    }
    CHECK(eventually([&] { return pusher.done(); }));
    CHECK(pusher.result() == GST_FLOW_FLUSHING);
}

TEST_CASE("a pause does not end the wait for room")
{
    Slow peer;
    Sink sink(peer.uri(), false);
    peer.accept();
    constexpr guint count = 3000;
    Pusher pusher(sink, count);
    REQUIRE(pusher.waits());
    REQUIRE(sink.state(GST_STATE_PAUSED));
    CHECK(pusher.waits());
    REQUIRE(sink.state(GST_STATE_PLAYING));
    CHECK(eventually([&] {
        peer.read();
        return pusher.done();
    }));
    CHECK(pusher.pushed() == count);
}

TEST_CASE("a listener's source that is not live waits for the first peer")
{
    Sink sink(listening, false);
    Pusher pusher(sink, 50);
    g_usleep(50 * G_TIME_SPAN_MILLISECOND);
    CHECK_FALSE(pusher.done());
    Harness source("livetcpsrc", call_uri(sink.get()));
    for (guint i = 0; i < 50; i++) {
        REQUIRE(source.pull());
    }
    REQUIRE(eventually([&] { return pusher.done(); }));
    CHECK(counter(sink.get(), "dropped-without-peer") == 0);
}

TEST_CASE("whether the source is live decides, unless the user does")
{
    Leaky chosen = GENERATE(values<Leaky>({{true, "auto", true},
                                           {false, "auto", false},
                                           {true, "no", false},
                                           {false, "upstream", true}}));
    Sink sink(std::string(listening) + "&leaky=" + chosen.setting, chosen.live);
    Harness source("livetcpsrc", call_uri(sink.get()));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    CHECK(leaky(sink.get()) == chosen.leaky);
    CHECK(delay_limit(sink.get()) == (chosen.leaky ? 2000000 : 0));
}

TEST_CASE("a limit of the delay that has no effect is a WARNING")
{
    bool live = GENERATE(false, true);
    Sink sink(std::string(listening) + "&max-send-delay=300", live);
    Harness source("livetcpsrc", call_uri(sink.get()));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    auto warnings = sink.posted(GST_MESSAGE_WARNING);
    REQUIRE(warnings.size() == (live ? 0 : 1));
    if (!live) {
        CHECK(complaint(warnings[0]).text.find("max-send-delay") != std::string::npos);
    }
}

TEST_CASE("packets that are dropped are a WARNING at once, which counts them and says why")
{
    Slow peer;
    Sink sink(peer.uri() + "&queue-packets=10&max-send-delay=0", true);
    peer.accept();
    guint16 sequence = 0;
    gint64 began = g_get_monotonic_time();
    std::vector<Complaint> warnings;
    REQUIRE(eventually([&] {
        for (int i = 0; i < 100; i++) {
            REQUIRE(sink.push(rtp_packet(sequence++, packet_size)) == GST_FLOW_OK);
        }
        g_usleep(20000);
        for (const Message &message : sink.posted(GST_MESSAGE_WARNING)) {
            warnings.push_back(complaint(message));
        }
        return warnings.size() >= 2;
    }));
    gint64 seconds = (g_get_monotonic_time() - began) / G_USEC_PER_SEC;
    CHECK((gint64)warnings.size() <= seconds + 1);
    guint64 told = 0;
    for (const Complaint &one : warnings) {
        INFO(one.text);
        CHECK(one.domain == GST_RESOURCE_ERROR);
        CHECK(one.text.find("queue-packets") != std::string::npos);
        CHECK(one.text.find(std::to_string(detail(one, "packets"))) == 0);
        CHECK(detail(one, "packets") == detail(one, "queue-full"));
        told += detail(one, "packets");
    }
    CHECK(told > 0);
    CHECK(told <= counter(sink.get(), "dropped-queue-full"));
}

TEST_CASE("with error-on-loss the first dropped packet is an ERROR")
{
    Slow peer;
    Sink sink(peer.uri() + "&queue-packets=10&max-send-delay=0&error-on-loss=true", true);
    peer.accept();
    guint16 sequence = 0;
    REQUIRE(eventually([&] {
        GstFlowReturn result = sink.push(rtp_packet(sequence++, packet_size));
        return result == GST_FLOW_ERROR;
    }));
    Complaint error = next_loss(sink, GST_MESSAGE_ERROR);
    CHECK(detail(error, "queue-full") > 0);
}

TEST_CASE("what nobody got is told at the end of the stream")
{
    std::string mode = GENERATE("caller", "listener");
    bool error = GENERATE(false, true);
    INFO(mode << (error ? ", error-on-loss" : ""));
    std::string uri = mode == "caller" ? "livetcp://127.0.0.1:" + std::to_string(free_port()) + "?"
                                       : std::string(listening) + "&";
    Sink sink(uri + "drain-timeout=10" + (error ? "&error-on-loss=true" : ""), true);
    for (guint16 i = 0; i < 100; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
    }
    gst_harness_push_event(sink.harness(), gst_event_new_eos());
    Complaint told = next_loss(sink, error ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING);
    INFO(told.text);
    CHECK(detail(told, "packets") == 100);
    CHECK(detail(told, mode == "caller" ? "not-sent" : "nobody") == 100);
    CHECK(told.text.find("100 packets were dropped") == 0);
    CHECK(sink.posted(GST_MESSAGE_EOS).size() == (error ? 0 : 1));
}

TEST_CASE("the end of a stream that is not live waits while packets leave")
{
    Slow peer;
    Sink sink(peer.uri() + "&drain-timeout=200", false);
    peer.accept();
    Pusher pusher(sink, 100);
    REQUIRE(eventually([&] { return pusher.done(); }));
    guint16 more = 100;
    while (counter(sink.get(), "queue-packets") < 50) { /* the kernel takes no more */
        REQUIRE(sink.push(rtp_packet(more++, packet_size)) == GST_FLOW_OK);
        g_usleep(1000);
    }
    std::atomic<bool> ended{false};
    std::thread end([&] {
        gst_harness_push_event(sink.harness(), gst_event_new_eos());
        ended = true;
    });
    CHECK(eventually([&] {
        peer.read();
        return ended.load();
    }));
    end.join();
    CHECK(sink.posted(GST_MESSAGE_WARNING).empty());
    CHECK(counter(sink.get(), "packets-sent") == more);
}

TEST_CASE("a session that ends before everything was sent is told of")
{
    auto peer = std::make_unique<Slow>();
    Sink sink(peer->uri() + "&auto-reconnect=0&max-send-delay=0", true);
    peer->accept();
    for (guint16 i = 0; counter(sink.get(), "queue-packets") < 20; i++) { /* the kernel is full */
        REQUIRE(sink.push(rtp_packet(i, packet_size)) == GST_FLOW_OK);
    }
    peer.reset();
    Message error = sink.wait(GST_MESSAGE_ERROR);
    REQUIRE(error);
    gst_harness_push_event(sink.harness(), gst_event_new_eos());
    Complaint told = next_loss(sink, GST_MESSAGE_WARNING);
    CHECK(detail(told, "session") + detail(told, "connection") > 0);
}

TEST_CASE("a receive queue that is full is a WARNING at once")
{
    Harness sink("livetcpsink", listening);
    Pipeline receiver("livetcpsrc name=s queue-packets=4 uri=" + call_uri(sink.get()) +
                      " ! appsink max-buffers=1 sync=false");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    Element source = receiver.child("s");
    for (guint16 i = 0; i < 100; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
    }
    Complaint told = next_loss(receiver, GST_MESSAGE_WARNING);
    INFO(told.text);
    CHECK(detail(told, "packets") > 0);
    CHECK(told.text.find("queue-packets") != std::string::npos);

    REQUIRE(eventually([&] { return counter(source.get(), "dropped-receive-queue-full") >= 90; }));
    sink.stop(); /* the rest is told at the end */
    guint64 sum = detail(told, "packets");
    CHECK(eventually([&] {
        for (const Message &message : receiver.posted(GST_MESSAGE_WARNING)) {
            Complaint one = complaint(message);
            sum += is_loss(one) ? detail(one, "packets") : 0;
        }
        return sum == counter(source.get(), "dropped-receive-queue-full");
    }));
    CHECK(sum >= 90);
}
