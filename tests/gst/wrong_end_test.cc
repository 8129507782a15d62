/* SPDX-License-Identifier: MIT */
/* Ends that do not belong together, settings that are wrong and peers that leave: what the bus
 * says, and how often. */
#include "catch.h"
#include "support.h"

#include <gio/gio.h>

#include <mutex>

using namespace lt;

namespace
{

/* Sends these bytes to the listener and reads until it closes. */
void visit(gpointer listener, const std::string &bytes)
{
    GSocketClient *client = g_socket_client_new();
    GSocketConnection *connection = g_socket_client_connect_to_host(
        client, "127.0.0.1", (guint16)get_uint(listener, "bound-port"), nullptr, nullptr);
    REQUIRE(connection != nullptr);
    auto *out = g_io_stream_get_output_stream(G_IO_STREAM(connection));
    auto *in = g_io_stream_get_input_stream(G_IO_STREAM(connection));
    CHECK(g_output_stream_write_all(out, bytes.data(), bytes.size(), nullptr, nullptr, nullptr));
    char block[1000];
    while (g_input_stream_read(in, block, sizeof(block), nullptr, nullptr) > 0) {
    }
    g_object_unref(connection);
    g_object_unref(client);
}

std::string framed_rtp()
{
    std::string frame("\0\254\200\140", 4);
    frame.resize(2 + 172);
    return frame;
}

/* How often the listener asked, and turned away. */
struct Refusals {
    explicit Refusals(GstElement *owner) : element(owner)
    {
        g_signal_connect(element, "caller-connecting", G_CALLBACK(on_connecting), this);
        g_signal_connect(element, "caller-rejected", G_CALLBACK(on_rejected), this);
    }
    ~Refusals()
    {
        gst_element_set_state(element, GST_STATE_NULL);
        g_signal_handlers_disconnect_by_data(element, this);
    }
    static gboolean on_connecting(GstElement *, GSocketAddress *, Refusals *self)
    {
        std::lock_guard<std::mutex> guard(self->lock);
        self->asked++;
        return FALSE;
    }
    static void on_rejected(GstElement *, GSocketAddress *, const gchar *reason, Refusals *self)
    {
        std::lock_guard<std::mutex> guard(self->lock);
        self->reasons.push_back(reason);
    }
    size_t count()
    {
        std::lock_guard<std::mutex> guard(lock);
        return reasons.size();
    }

    GstElement *element;
    std::mutex lock;
    size_t asked = 0;
    std::vector<std::string> reasons;
};

bool contains(const std::string &message, const std::string &part)
{
    INFO(message);
    return message.find(part) != std::string::npos;
}

const char listening[] = "livetcp://127.0.0.1:0?mode=listener";

} // namespace

/* ---- settings ---- */

TEST_CASE("a wrong URI or property is an error that begins with its reason")
{
    const std::pair<const char *, const char *> uris[] = {
        {"livetcp://127.0.0.1:99999", "setting 'port' does not accept '99999'"},
        {"livetcp://127.0.0.1:5004?polcy=x", "there is no setting 'polcy'"},
        {"livetcp://::1:5004", "'::1:5004' in the URI is not host:port"},
        {"livetcp://127.0.0.1:5004?wire=auto", "wire=auto is for a listener"},
        {"livetcp://127.0.0.1", "a caller needs a port"}};
    for (const auto &uri : uris) {
        const char *factory = GENERATE("livetcpsink", "livetcpsrc");
        Subject subject(factory);
        g_object_set(subject.get(), "uri", uri.first, nullptr);
        CHECK_FALSE(subject.state(GST_STATE_PAUSED));
        Complaint error = complaint(subject.wait(GST_MESSAGE_ERROR));
        INFO(error.text);
        CHECK(error.text.compare(0, strlen(uri.second), uri.second) == 0);
    }
}

TEST_CASE("host takes an IPv6 address in brackets")
{
    Subject subject("livetcpsink");
    g_object_set(subject.get(), "host", "[::1]", "port", 5004, nullptr);
    CHECK(get_string(subject.get(), "host") == "::1");
    CHECK(get_string(subject.get(), "uri") == "livetcp://[::1]:5004");
}

TEST_CASE("tls-insecure is a warning, before all others")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Harness subject(factory, "livetcps://127.0.0.1:9?tls-insecure=true", false);
    subject.play();
    Complaint warning = complaint(subject.wait(GST_MESSAGE_WARNING));
    CHECK(contains(warning.text, "the certificate of 127.0.0.1 is not checked"));
}

/* ---- a listener ---- */

TEST_CASE("a listener warns of a plain sender once, and says what to set")
{
    Harness source("livetcpsrc", listening);
    for (int i = 0; i < 3; i++) {
        visit(source.get(), framed_rtp());
    }
    visit(source.get(), "GET / HTTP/1.1\r\n\r\n");
    std::vector<std::string> texts;
    for (int i = 0; i < 2; i++) {
        texts.push_back(complaint(source.wait(GST_MESSAGE_WARNING)).text);
    }
    CHECK(contains(texts[0], "set wire=plain or wire=auto here"));
    CHECK(contains(texts[1], "it speaks HTTP"));
    CHECK(source.posted(GST_MESSAGE_WARNING).empty());
    CHECK(source.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("a plain listener outlives who never spoke RTP to it, and warns of it once")
{
    Harness source("livetcpsrc", std::string(listening) + "&wire=plain");
    for (int i = 0; i < 3; i++) {
        visit(source.get(), "GET / HTTP/1.1\r\n\r\n");
    }
    {
        Harness caller("livetcpsink", call_uri(source.get(), "connections=1"));
        CHECK(contains(complaint(caller.wait(GST_MESSAGE_WARNING)).text, "set wire=plain here"));
    }
    Harness plain("livetcpsink", call_uri(source.get(), "wire=plain"));
    REQUIRE(plain.push(rtp_packet(5)) == GST_FLOW_OK);
    Buffer buffer = source.pull();
    REQUIRE(buffer);
    CHECK(sequence_of(buffer.get()) == 5);
    CHECK(source.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("a plain listener names who never spoke RTP to it, once for each thing that is wrong")
{
    Harness sink("livetcpsink", std::string(listening) + "&wire=plain");
    for (int i = 0; i < 3; i++) {
        visit(sink.get(), "GET / HTTP/1.1\r\n\r\n");
    }
    Harness caller("livetcpsrc", call_uri(sink.get(), "connections=1"));
    Complaint http = complaint(sink.wait(GST_MESSAGE_WARNING));
    CHECK(contains(http.text, "it speaks HTTP"));
    Complaint session = complaint(sink.wait(GST_MESSAGE_WARNING));
    CHECK(contains(session.text, "it asks for a LiveTCP session"));
    CHECK(sink.posted(GST_MESSAGE_WARNING).empty());
}

TEST_CASE("a caller that a handler turns away is signalled once, with the handler's no")
{
    Harness sink("livetcpsink", listening, false);
    Refusals refusals(sink.get());
    sink.play();
    Harness source("livetcpsrc", call_uri(sink.get(), "reconnect-min=10"));
    REQUIRE(eventually([&] { return refusals.count() >= 3; }));
    std::lock_guard<std::mutex> guard(refusals.lock);
    CHECK(refusals.asked >= refusals.reasons.size());
    for (const std::string &reason : refusals.reasons) {
        CHECK(contains(reason, "a handler of caller-connecting refused the caller"));
    }
    std::vector<Message> warnings = source.posted(GST_MESSAGE_WARNING);
    REQUIRE(warnings.size() == 1);
    CHECK(contains(complaint(warnings[0]).text, "refused the session"));
}

TEST_CASE("a listener with wire=auto takes a session and a plain sender")
{
    Harness source("livetcpsrc", std::string(listening) + "&wire=auto&max-sessions=2");
    Harness session("livetcpsink", call_uri(source.get()));
    Harness plain("livetcpsink", call_uri(source.get(), "wire=plain"));
    REQUIRE(eventually([&] {
        return get_string(session.get(), "state") == "open" &&
               get_string(plain.get(), "state") == "open";
    }));
    REQUIRE(session.push(rtp_packet(1)) == GST_FLOW_OK);
    Buffer first = source.pull();
    REQUIRE(first);
    CHECK(sequence_of(first.get()) == 1);
    REQUIRE(plain.push(rtp_packet(2, 200, 0x55667788)) == GST_FLOW_OK);
    Buffer second = source.pull();
    REQUIRE(second);
    CHECK(sequence_of(second.get()) == 2);
    CHECK(counter(source.get(), "sessions") == 2);
    CHECK(source.posted(GST_MESSAGE_WARNING).empty());
}

/* ---- a caller ---- */

TEST_CASE("a session caller at a plain listener warns once, and says what to set")
{
    Harness sink("livetcpsink", std::string(listening) + "&wire=plain");
    Harness source("livetcpsrc", call_uri(sink.get(), "wire=session&reconnect-min=10"));
    Complaint warning = complaint(source.wait(GST_MESSAGE_WARNING));
    CHECK(contains(warning.text, "Cannot connect yet, trying again"));
    CHECK(contains(warning.text, "set wire=plain here, or wire=auto there"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions-total") >= 4; }));
    CHECK(source.posted(GST_MESSAGE_WARNING).empty());
}

TEST_CASE("a plain listener whose peer leaves says that it ended, without a warning")
{
    Harness source("livetcpsrc", std::string(listening) + "&wire=plain");
    {
        Harness sink("livetcpsink", call_uri(source.get(), "wire=plain"));
        REQUIRE(sink.push(rtp_packet(1)) == GST_FLOW_OK);
        REQUIRE(source.pull());
    }
    std::string text;
    for (;;) {
        Message message = source.wait_element("livetcp-session");
        REQUIRE(message);
        const GstStructure *structure = gst_message_get_structure(message.get());
        if (std::string(gst_structure_get_string(structure, "state")) == "closed") {
            text = gst_structure_get_string(structure, "message");
            break;
        }
    }
    CHECK(contains(text, "the peer ended the connection"));
    REQUIRE(eventually([&] { return get_string(source.get(), "state") == "closed"; }));
    CHECK(source.posted(GST_MESSAGE_WARNING).empty());
    CHECK(source.posted(GST_MESSAGE_ERROR).empty());
}
