/* SPDX-License-Identifier: MIT */
/* Stream ids, tokens and roles of the elements: the caller's side, and a handler that decides. */
#include "catch.h"
#include "support.h"

#include <gio/gio.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

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

namespace
{

/* A listener whose handler lets every caller wait, and what it signals. */
struct WaitingRoom {
    explicit WaitingRoom(GstElement *owner) : element(owner)
    {
        g_signal_connect(element, "caller-connecting", G_CALLBACK(on_connecting), this);
        g_signal_connect(element, "caller-added", G_CALLBACK(on_added), this);
        g_signal_connect(element, "caller-removed", G_CALLBACK(on_removed), this);
        g_signal_connect(element, "caller-rejected", G_CALLBACK(on_rejected), this);
    }
    ~WaitingRoom()
    {
        gst_element_set_state(element, GST_STATE_NULL);
        g_signal_handlers_disconnect_by_data(element, this);
    }
    static gboolean on_connecting(GstElement *self, GSocketAddress *, WaitingRoom *room)
    {
        guint number = room->later(), again = room->later();
        CHECK(again == 0); /* it waits already */
        if (room->at_once)
            room->at_once(number);
        std::lock_guard<std::mutex> guard(room->lock);
        room->waiting.push_back(number);
        (void)self;
        return room->answer;
    }
    static void on_added(GstElement *, guint id, GSocketAddress *, WaitingRoom *room)
    {
        std::lock_guard<std::mutex> guard(room->lock);
        room->added.push_back(id);
    }
    static void on_removed(GstElement *, guint id, GSocketAddress *, WaitingRoom *room)
    {
        std::lock_guard<std::mutex> guard(room->lock);
        room->removed.push_back(id);
    }
    static void on_rejected(GstElement *, GSocketAddress *, const gchar *why, WaitingRoom *room)
    {
        std::lock_guard<std::mutex> guard(room->lock);
        room->rejected.push_back(why);
    }
    guint later()
    {
        guint number = 0;
        g_signal_emit_by_name(element, "admit-caller-later", &number);
        return number;
    }
    bool admit(guint number)
    {
        gboolean done = FALSE;
        g_signal_emit_by_name(element, "admit-waiting-caller", number, &done);
        return done;
    }
    bool reject(guint number, guint code, const char *text)
    {
        gboolean done = FALSE;
        g_signal_emit_by_name(element, "reject-waiting-caller", number, code, text, &done);
        return done;
    }
    /* Number of the caller that waits, once there are so many of them. */
    guint wait_for(size_t count)
    {
        REQUIRE(eventually([&] { return size_of(&WaitingRoom::waiting) >= count; }));
        std::lock_guard<std::mutex> guard(lock);
        return waiting[count - 1];
    }
    template <typename T> size_t size_of(std::vector<T> WaitingRoom::*list)
    {
        std::lock_guard<std::mutex> guard(lock);
        return (this->*list).size();
    }
    bool was_rejected(const char *words)
    {
        std::lock_guard<std::mutex> guard(lock);
        return std::any_of(rejected.begin(), rejected.end(), [&](const std::string &why) {
            return why.find(words) != std::string::npos;
        });
    }

    GstElement *element;
    std::mutex lock;
    std::vector<guint> waiting, added, removed;
    std::vector<std::string> rejected;
    std::function<void(guint)> at_once;
    gboolean answer = TRUE;
};

} // namespace

TEST_CASE("a handler may let a caller wait, and answer it later")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener", false);
    WaitingRoom room(source.get());
    source.play();
    Harness sink("livetcpsink", call_uri(source.get()));
    CHECK(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    guint number = room.wait_for(1);
    CHECK(number != 0);
    for (GstElement *element : {source.get(), sink.get()})
        CHECK(eventually([&] { return get_string(element, "state") == "connecting"; }));
    CHECK(room.size_of(&WaitingRoom::added) == 0);
    CHECK(source.try_pull() == nullptr);

    CHECK_FALSE(room.admit(0));
    CHECK_FALSE(room.admit(number + 1));
    CHECK_FALSE(room.reject(number + 1, 403, "nobody"));
    CHECK(room.admit(number));
    REQUIRE(source.pull() != nullptr);
    CHECK(room.size_of(&WaitingRoom::added) == 1);
    /* Answered twice. */
    CHECK_FALSE(room.admit(number));
    CHECK_FALSE(room.reject(number, 403, "too late"));
    CHECK(get_string(source.get(), "state") == "open");
    sink.stop();
    REQUIRE(eventually([&] { return room.size_of(&WaitingRoom::removed) == 1; }));
    CHECK_FALSE(room.admit(number));
}

TEST_CASE("a caller that waits may be turned away")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener", false);
    WaitingRoom room(sink.get());
    sink.play();
    Harness source("livetcpsrc", call_uri(sink.get()));
    guint number = room.wait_for(1);
    const char *words = GENERATE("the token has expired", "\x1b[1m");
    CHECK(room.reject(number, 401, words));
    REQUIRE(eventually([&] { return !source.posted(GST_MESSAGE_ERROR).empty(); }));
    std::string told = get_string(source.get(), "last-error");
    CHECK(told.find("401") != std::string::npos);
    CHECK(told.find('\x1b') == std::string::npos);
    CHECK((words[0] == '\x1b' || told.find(words) != std::string::npos));
    REQUIRE(eventually([&] { return room.size_of(&WaitingRoom::rejected) == 1; }));
    CHECK_FALSE(room.reject(number, 401, words));
    CHECK_FALSE(room.admit(number));
    CHECK(room.size_of(&WaitingRoom::added) == 0);
    CHECK(room.size_of(&WaitingRoom::removed) == 0);
    CHECK(sink.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("who waits and leaves is gone, and so is who waits too long")
{
    bool leaves = GENERATE(true, false);
    Harness source("livetcpsrc",
                   std::string("livetcp://127.0.0.1:0?mode=listener&admission-timeout=") +
                       (leaves ? "60000" : "200"),
                   false);
    WaitingRoom room(source.get());
    source.play();
    Harness sink("livetcpsink", call_uri(source.get()));
    guint number = room.wait_for(1);
    if (leaves)
        sink.stop();
    REQUIRE(eventually([&] { return room.size_of(&WaitingRoom::rejected) >= 1; }));
    CHECK_FALSE(room.admit(number));
    CHECK_FALSE(room.reject(number, 403, nullptr));
    CHECK(room.size_of(&WaitingRoom::added) == 0);
    CHECK(room.size_of(&WaitingRoom::removed) == 0);
    Message message;
    do
        message = source.wait_element("livetcp-session");
    while (message && std::string(gst_structure_get_string(gst_message_get_structure(message.get()),
                                                           "state")) != "closed");
    REQUIRE(message);
    guint session = 0;
    gst_structure_get_uint(gst_message_get_structure(message.get()), "session", &session);
    CHECK(session == number);
    /* The stream goes on for the next one. */
    CHECK(source.posted(static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)).empty());
    if (leaves) {
        Harness next("livetcpsink", call_uri(source.get()));
        CHECK(next.push(rtp_packet(1)) == GST_FLOW_OK);
        CHECK(room.admit(room.wait_for(2)));
        REQUIRE(source.pull() != nullptr);
    }
}

TEST_CASE("another thread may answer before the handler has returned, and the handler itself")
{
    bool itself = GENERATE(true, false);
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener", false);
    WaitingRoom room(sink.get());
    std::thread other;
    std::atomic<int> answered{0};
    room.at_once = [&](guint number) {
        if (itself)
            answered = room.admit(number) ? 1 : -1;
        else
            other = std::thread([&, number] { answered = room.admit(number) ? 1 : -1; });
    };
    sink.play();
    Harness source("livetcpsrc", call_uri(sink.get(), "connections=3"));
    REQUIRE(eventually([&] { return get_string(source.get(), "state") == "open"; }));
    REQUIRE(eventually([&] { return answered != 0; }));
    CHECK(answered == 1);
    if (other.joinable())
        other.join();
    REQUIRE(eventually([&] { return room.size_of(&WaitingRoom::added) == 1; }));
}

TEST_CASE("a handler that lets a caller wait and says no has said no")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener", false);
    WaitingRoom room(sink.get());
    room.answer = FALSE;
    sink.play();
    Harness source("livetcpsrc", call_uri(sink.get(), "auto-reconnect=false"));
    REQUIRE(eventually([&] { return !source.posted(GST_MESSAGE_ERROR).empty(); }));
    CHECK_FALSE(room.admit(room.wait_for(1)));
    CHECK(room.later() == 0); /* outside of a handler */
}

TEST_CASE("an element ends while callers wait, and while they are answered")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener", false);
    WaitingRoom room(sink.get());
    sink.play();
    std::vector<std::unique_ptr<Harness>> callers;
    for (int i = 0; i < 4; i++)
        callers.push_back(std::make_unique<Harness>("livetcpsrc", call_uri(sink.get())));
    guint last = room.wait_for(4);
    std::thread other([&] {
        for (guint number = 1; number <= last; number++)
            room.admit(number);
    });
    gst_element_set_state(sink.get(), GST_STATE_NULL);
    other.join();
    CHECK_FALSE(room.admit(last));
}

TEST_CASE("a plain peer cannot wait")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener&wire=plain", false);
    std::atomic<guint> number{7};
    struct Handler {
        static gboolean connecting(GstElement *self, GSocketAddress *, std::atomic<guint> *number)
        {
            guint got = 7;
            g_signal_emit_by_name(self, "admit-caller-later", &got);
            *number = got;
            return TRUE;
        }
    };
    g_signal_connect(source.get(), "caller-connecting", G_CALLBACK(Handler::connecting), &number);
    source.play();
    Harness sink("livetcpsink", call_uri(source.get(), "wire=plain"));
    CHECK(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(source.pull() != nullptr);
    CHECK(number == 0u);
}
