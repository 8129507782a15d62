/* SPDX-License-Identifier: MIT */
/* Stream ids, tokens and roles of the elements: the caller's side, and a handler that decides. */
#include "catch.h"
#include "support.h"

#include <gio/gio.h>

#include <mutex>

using namespace lt;

namespace
{

const char passphrase[] = "passphrase=correct%20horse%20battery";
const char token[] = "WELLKEPTSECRET";

/* A listener whose handler reads connecting-caller, and lets "studio" in. */
struct Door {
    explicit Door(GstElement *owner) : element(owner)
    {
        g_signal_connect(element, "caller-connecting", G_CALLBACK(on_connecting), this);
    }
    ~Door()
    {
        gst_element_set_state(element, GST_STATE_NULL);
        g_signal_handlers_disconnect_by_data(element, this);
        if (seen != nullptr)
            gst_structure_free(seen);
    }
    static gboolean on_connecting(GstElement *self, GSocketAddress *, Door *door)
    {
        std::lock_guard<std::mutex> guard(door->lock);
        if (door->seen != nullptr)
            gst_structure_free(door->seen);
        g_object_get(self, "connecting-caller", &door->seen, nullptr);
        if (door->field("stream-id") == "studio")
            return TRUE;
        g_signal_emit_by_name(self, "reject-caller", 404u, "there is no such stream");
        return FALSE;
    }
    std::string field(const char *name) const
    {
        const gchar *text = seen != nullptr ? gst_structure_get_string(seen, name) : nullptr;
        return text != nullptr ? text : "(none)";
    }
    std::string get(const char *name)
    {
        std::lock_guard<std::mutex> guard(lock);
        return field(name);
    }

    GstElement *element;
    std::mutex lock;
    GstStructure *seen = nullptr;
};

} // namespace

TEST_CASE("a handler learns who calls, and nobody else does")
{
    Harness source("livetcpsrc", std::string("livetcp://127.0.0.1:0?mode=listener&") + passphrase,
                   false);
    Door door(source.get());
    source.play();
    std::string call = call_uri(source.get(), std::string(passphrase) + "&token=" + token);
    call.insert(call.find('?'), "/studio");
    Harness sink("livetcpsink", call);
    CHECK(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(source.pull() != nullptr);
    CHECK(door.get("stream-id") == "studio");
    CHECK(door.get("token") == token);
    CHECK(door.get("role") == "publish");
    CHECK(door.get("tls-version") == "TLSv1.3");
    CHECK(door.get("address").find("127.0.0.1:") == 0);

    GstStructure *caller = nullptr;
    g_object_get(source.get(), "connecting-caller", &caller, nullptr);
    CHECK(caller == nullptr);
    gchar *uri = nullptr, *text = nullptr;
    g_object_get(sink.get(), "uri", &uri, "token", &text, nullptr);
    CHECK(std::string(uri).find("/studio") != std::string::npos);
    CHECK(std::string(uri).find(token) == std::string::npos);
    CHECK(std::string(text).empty());
    g_free(uri);
    g_free(text);
}

TEST_CASE("what a handler says is the caller's error")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener", false);
    Door door(sink.get());
    sink.play();
    std::string uri = call_uri(sink.get(), "connections=2");
    uri.insert(uri.find('?'), "/attic");
    Harness source("livetcpsrc", uri);
    REQUIRE(eventually([&] { return !source.posted(GST_MESSAGE_ERROR).empty(); }));
    gchar *told = nullptr;
    g_object_get(source.get(), "last-error", &told, nullptr);
    CHECK(std::string(told).find("there is no such stream (404)") != std::string::npos);
    g_free(told);
    CHECK(door.get("role") == "subscribe");
    CHECK(door.get("stream-id") == "attic");
}

TEST_CASE("a token without encryption is an error that says what to do")
{
    Subject sink("livetcpsink");
    g_object_set(sink.get(), "host", "127.0.0.1", "port", 9, "token", token, nullptr);
    CHECK_FALSE(sink.state(GST_STATE_PAUSED));
    Complaint error = complaint(sink.wait(GST_MESSAGE_ERROR));
    CHECK(error.text.find("passphrase") != std::string::npos);
    CHECK(error.text.find(token) == std::string::npos);
}
