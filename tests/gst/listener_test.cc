/* SPDX-License-Identifier: MIT */
/* A sink that listens: several peers, signals, and one that does not read. */
#include "catch.h"
#include "support.h"

#include <gio/gio.h>

#include <mutex>

using namespace lt;

namespace
{

/* What a listener signalled. */
struct Callers {
    explicit Callers(GstElement *owner) : element(owner)
    {
        g_signal_connect(element, "caller-added", G_CALLBACK(on_added), this);
        g_signal_connect(element, "caller-removed", G_CALLBACK(on_removed), this);
        g_signal_connect(element, "caller-rejected", G_CALLBACK(on_rejected), this);
        g_signal_connect(element, "caller-connecting", G_CALLBACK(on_connecting), this);
    }
    /* nobody signals after this */
    ~Callers()
    {
        gst_element_set_state(element, GST_STATE_NULL);
        g_signal_handlers_disconnect_by_data(element, this);
    }
    static void on_added(GstElement *, guint id, GSocketAddress *address, Callers *self)
    {
        std::lock_guard<std::mutex> guard(self->lock);
        self->added.push_back(id);
        auto *host = g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address));
        self->loopback = self->loopback && g_inet_address_get_is_loopback(host);
    }
    static void on_removed(GstElement *, guint id, GSocketAddress *, Callers *self)
    {
        std::lock_guard<std::mutex> guard(self->lock);
        self->removed.push_back(id);
    }
    static void on_rejected(GstElement *, GSocketAddress *, const gchar *reason, Callers *self)
    {
        std::lock_guard<std::mutex> guard(self->lock);
        self->rejected.push_back(reason);
    }
    static gboolean on_connecting(GstElement *, GSocketAddress *, Callers *self)
    {
        std::lock_guard<std::mutex> guard(self->lock);
        self->connecting++;
        return self->welcome;
    }
    std::vector<guint> get(std::vector<guint> Callers::*list)
    {
        std::lock_guard<std::mutex> guard(lock);
        return this->*list;
    }

    GstElement *element;
    std::mutex lock;
    std::vector<guint> added, removed;
    std::vector<std::string> rejected;
    guint connecting = 0;
    bool welcome = true, loopback = true;
};

/* A TCP connection to a listener that nobody reads from or writes to. */
class Socket
{
  public:
    explicit Socket(guint port) : client_(g_socket_client_new())
    {
        connection_ =
            g_socket_client_connect_to_host(client_, "127.0.0.1", (guint16)port, nullptr, nullptr);
        REQUIRE(connection_ != nullptr);
    }
    ~Socket()
    {
        g_object_unref(connection_);
        g_object_unref(client_);
    }
    void write(const void *data, gsize size)
    {
        auto *stream = g_io_stream_get_output_stream(G_IO_STREAM(connection_));
        CHECK(g_output_stream_write_all(stream, data, size, nullptr, nullptr, nullptr));
    }

  private:
    GSocketClient *client_;
    GSocketConnection *connection_;
};

const char listening[] = "livetcp://127.0.0.1:0?mode=listener";

} // namespace

TEST_CASE("every caller is sent the stream, and comings and goings are signalled")
{
    Harness sink("livetcpsink", listening, false);
    Callers callers(sink.get());
    sink.play();
    Harness one("livetcpsrc", call_uri(sink.get(), "connections=1"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    Harness two("livetcpsrc", call_uri(sink.get(), "connections=1"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 2; }));
    CHECK(eventually([&] { return callers.get(&Callers::added) == std::vector<guint>{1, 2}; }));
    CHECK(callers.loopback);
    CHECK(callers.connecting == 2);

    for (guint16 i = 0; i < 50; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
    }
    for (guint16 i = 0; i < 50; i++) {
        Buffer a = one.pull(), b = two.pull();
        REQUIRE(a);
        REQUIRE(b);
        CHECK(sequence_of(a.get()) == i);
        CHECK(sequence_of(b.get()) == i);
    }
    one.stop();
    CHECK(eventually([&] { return callers.get(&Callers::removed) == std::vector<guint>{1}; }));
    REQUIRE(sink.push(rtp_packet(50)) == GST_FLOW_OK);
    CHECK(two.pull());
    CHECK(sink.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("a handler may turn a caller away")
{
    Harness sink("livetcpsink", listening, false);
    Callers callers(sink.get());
    callers.welcome = false;
    sink.play();
    Harness source("livetcpsrc", call_uri(sink.get()));
    CHECK(eventually([&] {
        std::lock_guard<std::mutex> guard(callers.lock);
        return !callers.rejected.empty();
    }));
    CHECK(counter(sink.get(), "sessions") == 0);
    CHECK(callers.get(&Callers::added).empty());
}

TEST_CASE("garbage is turned away and signalled, and harms nobody")
{
    Harness sink("livetcpsink", listening, false);
    Callers callers(sink.get());
    sink.play();
    Harness source("livetcpsrc", call_uri(sink.get()));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    Socket stranger(get_uint(sink.get(), "bound-port"));
    stranger.write("GET / HTTP/1.1\r\n\r\n", 18);
    CHECK(eventually([&] {
        std::lock_guard<std::mutex> guard(callers.lock);
        return !callers.rejected.empty();
    }));
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    CHECK(source.pull());
}

TEST_CASE("a peer that does not read stalls nobody")
{
    Harness sink("livetcpsink", std::string(listening) + "&wire=plain&queue-packets=100");
    Harness source("livetcpsrc", call_uri(sink.get(), "wire=plain"));
    Socket lazy(get_uint(sink.get(), "bound-port"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 2; }));

    guint64 pushed = 0;
    /* until the lazy one's buffers and queue are full and it has lost something */
    REQUIRE(eventually([&] {
        for (int i = 0; i < 20; i++, pushed++) {
            REQUIRE(sink.push(rtp_packet((guint16)pushed, 8000)) == GST_FLOW_OK);
            REQUIRE(source.pull());
        }
        return counter(sink.get(), "dropped-queue-full") >= 100;
    }));
    CHECK(counter(sink.get(), "queue-packets") <= 100);
    CHECK(counter(source.get(), "packets-received") == pushed);
}

TEST_CASE("a new peer is sent the streamheader first")
{
    Harness sink("livetcpsink", listening);
    GstCaps *caps = gst_caps_new_empty_simple("application/x-rtp");
    GValue header = G_VALUE_INIT;
    gst_value_array_init(&header, 2);
    for (guint16 i = 0; i < 2; i++) {
        GValue value = G_VALUE_INIT;
        g_value_init(&value, GST_TYPE_BUFFER);
        gst_value_take_buffer(&value, rtp_packet(i, 60).release());
        gst_value_array_append_and_take_value(&header, &value);
    }
    gst_structure_take_value(gst_caps_get_structure(caps, 0), "streamheader", &header);
    gst_harness_set_src_caps(sink.harness(), caps);
    REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);

    for (int round = 0; round < 2; round++) {
        Harness source("livetcpsrc", call_uri(sink.get(), "connections=1"));
        for (guint16 i = 0; i < 2; i++) {
            Buffer buffer = source.pull();
            REQUIRE(buffer);
            CHECK(sequence_of(buffer.get()) == i);
        }
        REQUIRE(sink.push(rtp_packet(2)) == GST_FLOW_OK);
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == 2);
    }
}

TEST_CASE("max-sessions turns the next caller away")
{
    Harness sink("livetcpsink", std::string(listening) + "&max-sessions=1");
    Harness one("livetcpsrc", call_uri(sink.get()));
    REQUIRE(eventually([&] { return get_string(one.get(), "state") == "open"; }));
    Harness two("livetcpsrc", call_uri(sink.get()));
    Message message = two.wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    CHECK(std::string(gst_structure_get_string(complaint(message).details.get(), "reason")) ==
          "too-many-sessions");
    CHECK(get_string(one.get(), "state") == "open");
    one.stop();
    CHECK(eventually([&] { return get_string(two.get(), "state") == "open"; }));
}

namespace
{

const char h264[] = "application/x-rtp, media=(string)video, clock-rate=(int)90000, "
                    "encoding-name=(string)H264, payload=(int)96";

/* A packet of a picture: 0x65 = of a key frame. */
Buffer picture(guint16 sequence, guint8 nal_header, gsize size = 200)
{
    Buffer buffer = rtp_packet(sequence, size);
    gst_buffer_memset(buffer.get(), 12, nal_header, 1);
    return buffer;
}

/* A sink with a viewer already, so that packets are sent, on a stream that is not at its beginning.
 */
struct Programme : Harness {
    explicit Programme(const std::string &query)
        : Harness("livetcpsink", std::string(listening) + "&" + query, false)
    {
        gst_harness_set_src_caps_str(harness(), h264);
        play();
        viewer = std::make_unique<Harness>("livetcpsrc", call_uri(get(), "connections=1"));
        REQUIRE(eventually([&] { return counter(get(), "sessions") == 1; }));
    }
    /* Packets first..last, of which each multiple of `every` begins with a key frame. */
    void show(guint16 first, guint16 last, guint16 every = 10)
    {
        for (guint16 i = first; i <= last; i++) {
            REQUIRE(push(picture(i, i % every == 0 ? 0x65 : 0x61)) == GST_FLOW_OK);
        }
    }
    /* A viewer that joins soon after another waits for the next second's request. */
    bool asks_for_key_frame_from(guint16 next, guint16 every = 10)
    {
        return eventually([&] {
            show(next, next, every);
            next++;
            return asked_for_key_frame();
        });
    }
    bool asked_for_key_frame()
    {
        bool asked = false;
        while (GstEvent *event = gst_harness_try_pull_upstream_event(harness())) {
            asked = asked || gst_event_has_name(event, "GstForceKeyUnit");
            gst_event_unref(event);
        }
        return asked;
    }
    std::unique_ptr<Harness> viewer;
};

} // namespace

TEST_CASE("a key frame is asked for when a viewer joins")
{
    Programme programme("burst-on-join=key-frame");
    programme.show(0, 15);
    programme.asked_for_key_frame(); /* for the first */
    programme.show(16, 17);
    CHECK_FALSE(programme.asked_for_key_frame());

    Harness late("livetcpsrc", call_uri(programme.get(), "connections=1"));
    REQUIRE(eventually([&] { return counter(programme.get(), "sessions") == 2; }));
    CHECK(programme.asks_for_key_frame_from(18));
    Buffer buffer = late.pull();
    REQUIRE(buffer);
    CHECK(sequence_of(buffer.get()) == 18);
}

TEST_CASE("with burst-on-join=gop a viewer that joins is sent the last group of pictures first")
{
    Programme programme("burst-on-join=gop");
    programme.show(0, 25);
    programme.asked_for_key_frame();
    for (guint16 next : {26, 31}) { /* within one group and in the next */
        Harness late("livetcpsrc", call_uri(programme.get(), "connections=1"));
        REQUIRE(eventually([&] { return counter(programme.get(), "sessions") == 2; }));
        programme.show(next, next + 3);
        CHECK_FALSE(programme.asked_for_key_frame());
        for (guint16 i = next / 10 * 10; i <= next + 3; i++) {
            Buffer buffer = late.pull();
            REQUIRE(buffer);
            CHECK(sequence_of(buffer.get()) == i);
        }
        late.stop();
        REQUIRE(eventually([&] { return counter(programme.get(), "sessions") == 1; }));
        programme.show(next + 4, next + 4);
    }
    for (guint16 i = 0; i < 36; i++) { /* nobody else is sent anything twice */
        Buffer buffer = programme.viewer->pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == i);
    }
}

TEST_CASE("a group of pictures that is too long is not sent first")
{
    Programme programme("burst-on-join=gop&queue-packets=20&leaky=no");
    programme.show(0, 15, 100); /* half of the queue is 10 */
    programme.asked_for_key_frame();
    Harness late("livetcpsrc", call_uri(programme.get(), "connections=1"));
    REQUIRE(eventually([&] { return counter(programme.get(), "sessions") == 2; }));
    CHECK(programme.asks_for_key_frame_from(16, 100));
    Buffer buffer = late.pull();
    REQUIRE(buffer);
    CHECK(sequence_of(buffer.get()) == 16);
}
