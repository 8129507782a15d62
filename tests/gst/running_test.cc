/* SPDX-License-Identifier: MIT */
/* Properties that change while the element runs reach its sessions: those of now, and those that
 * come later. */
#include "catch.h"
#include "support.h"

using namespace lt;

namespace
{

/* A caller that sends and a listener that receives, or the other way round. */
struct Running {
    explicit Running(bool listening, const std::string &query = "")
    {
        std::string more = query.empty() ? "" : "&" + query;
        if (listening) {
            sink = std::make_unique<Harness>("livetcpsink",
                                             "livetcp://127.0.0.1:0?mode=listener" + more);
            call();
        } else {
            source = std::make_unique<Harness>("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
            sink = std::make_unique<Harness>("livetcpsink", call_uri(source->get(), query));
        }
        wait_connected();
    }
    /* Some policies need several connections. */
    void wait_connected() const
    {
        std::string mode = get_string(sink->get(), "uri");
        Harness &caller = mode.find("mode=listener") != std::string::npos ? *source : *sink;
        guint all = get_uint(caller.get(), "connections");
        REQUIRE(eventually([&] { return counter(sink->get(), "open-connections") == all; }));
    }
    void call()
    {
        source = std::make_unique<Harness>("livetcpsrc", call_uri(sink->get()));
    }
    void pass(guint16 first, guint16 count) const
    {
        for (guint16 i = 0; i < count; i++) {
            REQUIRE(sink->push(rtp_packet((guint16)(first + i))) == GST_FLOW_OK);
        }
        for (guint16 i = 0; i < count; i++) {
            REQUIRE(source->pull() != nullptr);
        }
    }
    guint64 copies() const
    {
        return counter(sink->get(), "copies-sent");
    }
    std::unique_ptr<Harness> source, sink;
};

} // namespace

TEST_CASE("the policy changes while packets flow, for callers and listeners")
{
    bool listening = GENERATE(false, true);
    Running running(listening, "policy=shortest-queue&redundancy-budget=7");
    running.pass(0, 20);
    CHECK(running.copies() == 0);
    g_object_set(running.sink->get(), "policy", "duplicate", nullptr);
    CHECK(get_string(running.sink->get(), "policy") == "duplicate");
    running.pass(20, 20);
    CHECK(running.copies() > 0);

    SECTION("and for a session that begins later")
    {
        if (listening) {
            guint64 before = running.copies();
            running.source.reset();
            REQUIRE(eventually([&] { return counter(running.sink->get(), "sessions") == 0; }));
            running.call();
            running.wait_connected();
            running.pass(100, 20);
            CHECK(running.copies() > before);
        }
    }
    CHECK(running.sink->posted(GST_MESSAGE_WARNING).empty());
}

TEST_CASE("the redundancy budget changes while packets flow")
{
    Running running(false, "policy=hedge&redundancy-budget=0");
    g_object_set(running.sink->get(), "policy", "duplicate", nullptr);
    Message refused = running.sink->wait(GST_MESSAGE_WARNING);
    REQUIRE(refused); /* which costs more than the budget */
    CHECK(complaint(refused).text.find("redundancy-budget") != std::string::npos);
    g_object_set(running.sink->get(), "redundancy-budget", "7", nullptr);
    g_object_set(running.sink->get(), "policy", "duplicate", nullptr);
    running.pass(0, 20);
    CHECK(running.copies() > 0);
    CHECK(running.sink->posted(GST_MESSAGE_WARNING).empty());
}

TEST_CASE("bounds of the bit rate move the estimate while packets flow")
{
    Running running(GENERATE(false, true), "min-bitrate=1000000&max-bitrate=1000000");
    auto estimate = [&](guint rate) {
        return eventually(
            [&] { return get_uint(running.sink->get(), "estimated-bitrate") == rate; });
    };
    running.pass(0, 5);
    CHECK(estimate(1000000));
    /* Above the former maximum for a moment, in one call. */
    g_object_set(running.sink->get(), "estimated-bitrate-max", 3000000, "estimated-bitrate-min",
                 3000000, nullptr);
    CHECK(estimate(3000000));
    CHECK(running.sink->posted(GST_MESSAGE_WARNING).empty());

    g_object_set(running.sink->get(), "estimated-bitrate-min", 4000000, nullptr);
    Message message = running.sink->wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    CHECK(complaint(message).text.find("min-bitrate (4000000)") != std::string::npos);
    CHECK(get_uint(running.sink->get(), "estimated-bitrate") == 3000000);
    g_object_set(running.sink->get(), "estimated-bitrate-max", 4000000, nullptr);
    CHECK(estimate(4000000));
}

TEST_CASE("the largest delay of the sender changes while packets flow")
{
    Running running(false);
    running.pass(0, 5);
    CHECK(counter(running.sink->get(), "packets-accepted") >= 5);
    auto limit = [&] {
        gint64 us = -1;
        gst_structure_get_int64(stats(running.sink->get()).get(), "send-delay-limit-us", &us);
        return us;
    };
    g_object_set(running.sink->get(), "max-send-delay", 0, nullptr);
    running.pass(5, 5);
    CHECK(limit() == 0);
    g_object_set(running.sink->get(), "max-send-delay", 5000, nullptr);
    running.pass(10, 5);
    CHECK(limit() == 5000000);
}

TEST_CASE("nonsense while packets flow is told of, and changes nothing")
{
    struct Case {
        const char *name, *value, *says;
    };
    auto bad = GENERATE(values<Case>({{"policy", "fastest", "'fastest'"},
                                      {"redundancy-budget", "much", "'much'"},
                                      {"redundancy-budget", "9", "0..7"}}));
    INFO(bad.name);
    Running running(false, "policy=duplicate&redundancy-budget=7");
    g_object_set(running.sink->get(), bad.name, bad.value, nullptr);
    Message message = running.sink->wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    Complaint warning = complaint(message);
    INFO(warning.text);
    CHECK(warning.domain == GST_RESOURCE_ERROR);
    CHECK(warning.code == GST_RESOURCE_ERROR_SETTINGS);
    CHECK(warning.text.find(bad.says) != std::string::npos);
    guint64 before = running.copies();
    running.pass(0, 10);
    CHECK(running.copies() > before);
}

TEST_CASE("a policy that needs more connections than there are is refused")
{
    Running running(false, "connections=1&policy=single");
    g_object_set(running.sink->get(), "policy", "duplicate", nullptr);
    Message message = running.sink->wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    CHECK(complaint(message).text.find("connections") != std::string::npos);
    running.pass(0, 5);
}
