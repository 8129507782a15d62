/* SPDX-License-Identifier: MIT */
/* A key that is planted wherever caps and URIs come in turns up in no message and in no line of the
 * elements' log, at the most talkative level. */
#include "catch.h"
#include "log.h"
#include "support.h"

#include <gio/gio.h>

#include <algorithm>
#include <cstring>

using namespace lt;

namespace
{

/* As caps print a buffer, and as a person would type it. */
const char *const key = "c0ffee5ec4e7c0ffee5ec4e7c0ffee5ec4e7c0ffee5ec4e7c0ffee5ec4e7";

std::string srtp_caps(const std::string &media)
{
    return "application/x-srtp,media=" + media +
           ",clock-rate=48000,encoding-name=OPUS,payload=96,ssrc=(uint)287454020,"
           "srtp-key=(buffer)" +
           key +
           ",srtp-cipher=(string)aes-128-icm,srtp-auth=(string)hmac-sha1-80,"
           "srtcp-cipher=(string)aes-128-icm,srtcp-auth=(string)hmac-sha1-80,mki=(buffer)" +
           key;
}

/* Everything that a message has, as text. */
std::string text_of(GstMessage *message)
{
    const GstStructure *structure = gst_message_get_structure(message);
    gchar *all = structure != nullptr ? gst_structure_to_string(structure) : nullptr;
    std::string text = all != nullptr ? all : "";
    g_free(all);
    GError *error = nullptr;
    gchar *debug = nullptr;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        gst_message_parse_error(message, &error, &debug);
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
        gst_message_parse_warning(message, &error, &debug);
    }
    text += error != nullptr ? std::string(error->message) + debug : "";
    g_clear_error(&error);
    g_free(debug);
    return text;
}

std::string all_posted(Subject &subject)
{
    std::string text;
    for (const Message &message : subject.posted(GST_MESSAGE_ANY)) {
        text += text_of(message.get()) + "\n";
    }
    return text;
}

bool has_key(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), ::tolower);
    return text.find(std::string(key).substr(0, 12)) != std::string::npos;
}

void check(Subject &subject, Log &log)
{
    std::string posted = all_posted(subject);
    INFO(posted);
    CHECK_FALSE(has_key(posted));
    std::string logged = log.text();
    INFO(logged);
    CHECK_FALSE(has_key(logged));
}

} // namespace

TEST_CASE("a key in the caps is neither posted nor logged by livetcpsink")
{
    Log log(GST_LEVEL_MEMDUMP);
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    Harness sink("livetcpsink", call_uri(source.get(), "redundancy=1"), false);
    gst_harness_set_src_caps_str(sink.harness(), srtp_caps("audio").c_str());
    sink.play();
    CHECK(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(source.pull() != nullptr);

    /* The warning is there, and says of the stream what helps. */
    std::string text;
    while (text.find("application/x-srtp") == std::string::npos) {
        Message warning = sink.wait(GST_MESSAGE_WARNING);
        REQUIRE(warning);
        text = text_of(warning.get());
    }
    INFO(text);
    CHECK(text.find("without redundancy") != std::string::npos);
    CHECK(text.find("OPUS") != std::string::npos);
    CHECK_FALSE(has_key(text));
    check(sink, log);
    CHECK_FALSE(log.text().empty());
}

TEST_CASE("a key in the caps is neither posted nor logged by livetcpsrc")
{
    Log log(GST_LEVEL_MEMDUMP);
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener", false);
    GstCaps *caps = gst_caps_from_string(srtp_caps("audio").c_str());
    REQUIRE(caps != nullptr);
    g_object_set(source.get(), "caps", caps, nullptr);
    gst_caps_unref(caps);
    source.play();
    Harness sink("livetcpsink", call_uri(source.get()));
    CHECK(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(source.pull() != nullptr);
    check(source, log);
}

TEST_CASE("a key is neither posted nor logged when a URI or its caps are refused")
{
    Log log(GST_LEVEL_MEMDUMP);
    std::string uri = GENERATE(
        std::string("livetcp://127.0.0.1:1?mode=listener&caps=application/x-srtp,,srtp-key=%28") +
            key,
        std::string("livetcp://127.0.0.1:1?caps=%2C") + key,
        std::string("livetcp://user:") + key + "@127.0.0.1:1",
        std::string("livetcp://") + key + "@127.0.0.1:1",
        std::string("srt://h:1?passphrase=") + key, std::string("http://user:") + key + "@h/",
        std::string("livetcp://h:1/path%zz?passphrase=") + key,
        std::string("livetcp://h:1/a#b?token=") + key,
        std::string("livetcp://h:1?x&passphrase=") + key,
        std::string("livetcp://h:1?passphrase=%zz") + key);
    INFO(uri);
    Subject source("livetcpsrc");
    GError *error = nullptr;
    CHECK(!gst_uri_handler_set_uri(GST_URI_HANDLER(source.get()), uri.c_str(), &error));
    REQUIRE(error != nullptr);
    INFO(error->message);
    CHECK_FALSE(has_key(error->message));
    g_error_free(error);

    g_object_set(source.get(), "uri", uri.c_str(), nullptr);
    CHECK(!source.state(GST_STATE_PAUSED));
    CHECK(source.wait(GST_MESSAGE_ERROR));
    check(source, log);
}

TEST_CASE("a key in the caps is neither posted nor logged by livetcpplayout")
{
    Log log(GST_LEVEL_MEMDUMP);
    std::string media = GENERATE("audio", "video");
    Pipeline pipeline("fakesrc num-buffers=3 sizetype=fixed sizemax=200 filltype=zero ! "
                      "capsfilter name=f ! livetcpplayout ! fakesink async=false");
    GstCaps *caps = gst_caps_from_string(
        ("application/x-rtp" + srtp_caps(media).substr(strlen("application/x-srtp"))).c_str());
    g_object_set(pipeline.child("f").get(), "caps", caps, nullptr);
    gst_caps_unref(caps);
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    /* Of the whole pipeline only what is ours counts: others may print caps. */
    Message end = pipeline.wait(static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    REQUIRE(end);
    CHECK_FALSE(has_key(text_of(end.get())));
    std::string logged = log.text();
    INFO(logged);
    CHECK_FALSE(has_key(logged));
}

TEST_CASE("a passphrase is neither posted nor logged, and no property has it")
{
    Log log(GST_LEVEL_MEMDUMP);
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener", false);
    g_object_set(source.get(), "passphrase", key, nullptr);
    source.play();
    Harness sink("livetcpsink", call_uri(source.get(), std::string("passphrase=") + key));
    CHECK(sink.push(rtp_packet(1)) == GST_FLOW_OK);
    REQUIRE(source.pull() != nullptr);
    for (Subject *subject : {(Subject *)&source, (Subject *)&sink}) {
        for (const char *property : {"passphrase", "uri"}) {
            gchar *text = nullptr;
            g_object_get(subject->get(), property, &text, nullptr);
            CHECK_FALSE(has_key(text != nullptr ? text : ""));
            g_free(text);
        }
        check(*subject, log);
    }
}

TEST_CASE("a proxy's password is neither posted nor logged, and no property has it")
{
    Log log(GST_LEVEL_MEMDUMP);
    std::string proxy = std::string("http://user:") + key + "@127.0.0.1:9";
    Subject sink("livetcpsink");
    g_object_set(sink.get(), "uri", ("livetcp://127.0.0.1:9?proxy=" + proxy).c_str(), "proxy",
                 proxy.c_str(), nullptr);
    for (const char *property : {"proxy", "uri"}) {
        gchar *text = nullptr;
        g_object_get(sink.get(), property, &text, nullptr);
        CHECK_FALSE(has_key(text != nullptr ? text : ""));
        g_free(text);
    }
    sink.state(GST_STATE_PAUSED);
    check(sink, log);
}

TEST_CASE("a token is neither posted nor logged, also where it is asked about")
{
    Log log(GST_LEVEL_MEMDUMP);
    bool welcome = GENERATE(true, false);
    const char *secret = "&passphrase=correct%20horse%20battery";
    Harness source("livetcpsrc", std::string("livetcp://127.0.0.1:0?mode=listener") + secret,
                   false);
    struct Handler {
        static gboolean connecting(GstElement *element, GSocketAddress *, gpointer welcome)
        {
            GstStructure *caller = nullptr;
            guint number = 0;
            gboolean done = FALSE;
            g_object_get(element, "connecting-caller", &caller, nullptr);
            CHECK(has_key(gst_structure_get_string(caller, "token")));
            gst_structure_free(caller);
            g_signal_emit_by_name(element, "admit-caller-later", &number);
            if (!welcome)
                g_signal_emit_by_name(element, "reject-waiting-caller", number, 401u, "no", &done);
            else
                g_signal_emit_by_name(element, "admit-waiting-caller", number, &done);
            CHECK(done);
            return welcome != nullptr;
        }
    };
    g_signal_connect(source.get(), "caller-connecting", G_CALLBACK(Handler::connecting),
                     welcome ? source.get() : nullptr);
    source.play();
    Harness sink("livetcpsink", call_uri(source.get(), std::string(secret + 1) + "&token=" + key));
    GstFlowReturn pushed = sink.push(rtp_packet(1)); /* the rejection may come before */
    if (welcome) {
        CHECK(pushed == GST_FLOW_OK);
        REQUIRE(source.pull() != nullptr);
    } else {
        Message error = sink.wait(GST_MESSAGE_ERROR);
        REQUIRE(error);
        CHECK_FALSE(has_key(text_of(error.get())));
    }
    check(source, log);
    check(sink, log);
}
