/* SPDX-License-Identifier: MIT */
/* Properties, settings and URI keys are one thing; bad values are refused clearly. */
#include "catch.h"
#include "support.h"

#include <livetcp/config.h>
#include <livetcp/policy.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <regex>
#include <set>

using namespace lt;

static GParamSpec *property(gpointer element, const char *name)
{
    return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
}

/* Settings that are nobody's or the other side's. */
static bool is_used(const std::string &name, const std::string &factory)
{
    if (name == "role") /* follows from the element */
        return false;
    static const std::set<std::string> receiving = {"order", "order-wait", "max-receive"};
    static const std::set<std::string> sending = {"policy",
                                                  "split",
                                                  "congestion-control",
                                                  "max-packet",
                                                  "copies",
                                                  "hedge-delay",
                                                  "redundancy-budget",
                                                  "parity-group",
                                                  "copy-spacing",
                                                  "max-send-delay",
                                                  "idle-packets",
                                                  "send-buffer-windows",
                                                  "send-buffer-segments",
                                                  "send-buffer-delay",
                                                  "idle-time",
                                                  "tail-probes",
                                                  "min-bitrate",
                                                  "max-bitrate"};
    return (factory == "livetcpsink" ? receiving : sending).count(name) == 0;
}

static std::string property_name(const std::string &setting)
{
    return setting == "min-bitrate"   ? "estimated-bitrate-min"
           : setting == "max-bitrate" ? "estimated-bitrate-max"
                                      : setting;
}

static bool is_running(const std::string &setting)
{
    static const std::set<std::string> running = {"policy", "redundancy-budget", "min-bitrate",
                                                  "max-bitrate", "max-send-delay"};
    return running.count(setting) > 0;
}

static livetcp_result set(const char *name, const std::string &value)
{
    livetcp_config config;
    livetcp_config_init(&config);
    return livetcp_config_set(&config, name, value.c_str(), nullptr);
}

TEST_CASE("every setting is a property with the library's range and default")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Element element = make(factory);
    livetcp_config config;
    livetcp_config_init(&config);
    const livetcp_setting *setting;

    for (size_t i = 0; (setting = livetcp_config_setting(i)) != nullptr; i++) {
        INFO(factory << " " << setting->name);
        GParamSpec *pspec = property(element.get(), property_name(setting->name).c_str());
        if (!is_used(setting->name, factory)) {
            CHECK(pspec == nullptr);
            continue;
        }
        REQUIRE(pspec != nullptr);
        CHECK((pspec->flags & (is_running(setting->name) ? GST_PARAM_MUTABLE_PLAYING
                                                         : GST_PARAM_MUTABLE_READY)) != 0);
        CHECK(strlen(g_param_spec_get_blurb(pspec)) > 10);
        char text[256];
        REQUIRE(livetcp_config_get(&config, setting->name, text, sizeof(text), nullptr) ==
                LIVETCP_OK);
        if (G_IS_PARAM_SPEC_UINT(pspec)) {
            auto *number = G_PARAM_SPEC_UINT(pspec);
            CHECK(set(setting->name, std::to_string(number->minimum)) == LIVETCP_OK);
            CHECK(set(setting->name, std::to_string(number->maximum)) == LIVETCP_OK);
            CHECK(set(setting->name, std::to_string(guint64{number->maximum} + 1)) != LIVETCP_OK);
            CHECK((number->minimum == 0 ||
                   set(setting->name, std::to_string(number->minimum - 1)) != LIVETCP_OK));
            if (std::string(setting->name) == "max-send-delay" &&
                std::string(factory) == "livetcpsink") {
                CHECK(number->default_value == 2000); /* of live media */
            } else if (std::string(setting->name) != "max-sessions") {
                CHECK(std::to_string(number->default_value) == text);
            }
        }
    }
}

TEST_CASE("every choice of a setting is a nick of its enumeration")
{
    Element element = make("livetcpsrc");
    for (const char *name : {"mode", "wire", "order", "rtcp", "timestamps"}) {
        INFO(name);
        GParamSpec *pspec = property(element.get(), name);
        REQUIRE(G_IS_PARAM_SPEC_ENUM(pspec));
        GEnumClass *choices = G_PARAM_SPEC_ENUM(pspec)->enum_class;
        bool has_auto = g_enum_get_value_by_nick(choices, "auto") != nullptr; /* and two others */
        CHECK(choices->n_values == (has_auto ? 3 : 2));
        for (guint i = 0; i < choices->n_values; i++) {
            if (std::string(name) == "order" &&
                std::string(choices->values[i].value_nick) == "auto") {
                continue; /* the element's, which knows what is behind it */
            }
            CHECK(set(name, choices->values[i].value_nick) == LIVETCP_OK);
        }
    }
}

TEST_CASE("defaults are what a user who reads nothing should have")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Element element = make(factory);
    CHECK(get_uint(element.get(), "connections") == 8);
    CHECK(get_string(element.get(), "state") == "closed");
    CHECK(get_string(element.get(), "last-error") == "");
    CHECK(get_uint(element.get(), "bound-port") == 0);
    gboolean reconnect = FALSE;
    g_object_get(element.get(), "auto-reconnect", &reconnect, nullptr);
    CHECK(reconnect);
    if (std::string(factory) == "livetcpsink") {
        gboolean sync = TRUE;
        g_object_get(element.get(), "sync", &sync, nullptr);
        CHECK(!sync);
        CHECK(get_string(element.get(), "policy") == "auto");
    }
}

/* Not the default, and legal. */
static void set_unusual(GstElement *element, const char *name)
{
    GParamSpec *pspec = property(element, name);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, pspec->value_type);
    if (G_IS_PARAM_SPEC_UINT(pspec)) {
        auto *number = G_PARAM_SPEC_UINT(pspec);
        guint other = number->default_value == number->maximum ? number->minimum : number->maximum;
        g_value_set_uint(&value, other);
    } else if (G_IS_PARAM_SPEC_INT(pspec)) {
        g_value_set_int(&value, G_PARAM_SPEC_INT(pspec)->maximum);
    } else if (G_IS_PARAM_SPEC_BOOLEAN(pspec)) {
        g_value_set_boolean(&value, !G_PARAM_SPEC_BOOLEAN(pspec)->default_value);
    } else if (G_IS_PARAM_SPEC_ENUM(pspec)) {
        g_value_set_enum(&value, !G_PARAM_SPEC_ENUM(pspec)->default_value);
    } else if (G_IS_PARAM_SPEC_STRING(pspec)) {
        g_value_set_string(&value, strcmp(name, "policy") == 0 ? "round-robin" : "fe80::1%eth0");
        if (strcmp(name, "congestion-control") == 0) {
            g_value_set_string(&value, "cubic");
        } else if (strcmp(name, "redundancy-budget") == 0) {
            g_value_set_string(&value, "0.5");
        } else if (strcmp(name, "copy-spacing") == 0) {
            g_value_set_string(&value, "25");
        } else if (strcmp(name, "passphrase") == 0 || strcmp(name, "token") == 0 ||
                   strcmp(name, "websocket-headers") == 0) {
            g_value_set_string(&value, "env:LIVETCP_TEST_PASSPHRASE");
        }
    } else {
        g_value_take_boxed(&value, gst_caps_from_string("application/x-rtp,media=(string)video,"
                                                        "encoding-name=(string)\"A&B=C\""));
    }
    g_object_set_property(G_OBJECT(element), name, &value);
    g_value_unset(&value);
}

static std::vector<std::string> uri_keys(GstElement *element)
{
    std::vector<std::string> names;
    const livetcp_setting *setting;
    for (size_t i = 0; (setting = livetcp_config_setting(i)) != nullptr; i++) {
        std::string name = property_name(setting->name);
        if (property(element, name.c_str()) != nullptr) {
            names.push_back(name);
        }
    }
    for (const char *name : {"stats-update-interval", "wait-for-connection", "drain-timeout",
                             "keep-listening", "timeout", "caps", "playout-mode", "latency"}) {
        if (property(element, name) != nullptr) {
            names.push_back(name);
        }
    }
    return names;
}

static std::string text_of(GstElement *element, const std::string &name)
{
    GValue value = G_VALUE_INIT;
    g_value_init(&value, property(element, name.c_str())->value_type);
    g_object_get_property(G_OBJECT(element), name.c_str(), &value);
    gchar *text = gst_value_serialize(&value);
    std::string result = text != nullptr ? text : "NULL";
    g_free(text);
    g_value_unset(&value);
    return result;
}

TEST_CASE("properties survive being written as a URI and read again")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Element a = make(factory), b = make(factory), c = make(factory);
    auto names = uri_keys(a.get());
    REQUIRE(names.size() > 20);

    SECTION("each alone")
    {
        for (const auto &name : names) {
            Element one = make(factory), two = make(factory);
            set_unusual(one.get(), name.c_str());
            std::string uri = get_string(one.get(), "uri");
            INFO(name << " in " << uri);
            CHECK(text_of(one.get(), name) != text_of(c.get(), name));
            g_object_set(two.get(), "uri", uri.c_str(), nullptr);
            CHECK(text_of(two.get(), name) == text_of(one.get(), name));
            CHECK(get_string(two.get(), "uri") == uri);
        }
    }
    SECTION("all together")
    {
        for (const auto &name : names) {
            set_unusual(a.get(), name.c_str());
        }
        std::string uri = get_string(a.get(), "uri");
        INFO(uri);
        g_object_set(b.get(), "uri", uri.c_str(), nullptr);
        for (const auto &name : names) {
            INFO(name);
            CHECK(text_of(b.get(), name) == text_of(a.get(), name));
        }
    }
}

TEST_CASE("a URI sets what it names and leaves the rest alone")
{
    Element source = make("livetcpsrc");
    g_object_set(source.get(), "linger", 77, "connections", 2, nullptr);
    g_object_set(source.get(), "uri",
                 "livetcp://[::1]:5004?mode=listener&keep-listening=true&connections=7&timeout=250",
                 nullptr);
    CHECK(get_string(source.get(), "host") == "::1");
    CHECK(get_uint(source.get(), "port") == 5004);
    CHECK(get_uint(source.get(), "connections") == 7);
    CHECK(get_uint(source.get(), "timeout") == 250);
    CHECK(get_uint(source.get(), "linger") == 77);
    CHECK(text_of(source.get(), "mode") == "listener");
    CHECK(text_of(source.get(), "keep-listening") == "true");
    CHECK(get_uint(source.get(), "max-sessions") == 1);
}

TEST_CASE("bad URIs are refused with a reason and change nothing")
{
    struct Case {
        const char *uri, *says;
    };
    auto bad = GENERATE(values<Case>({{"livetcp://h:1?connections=0", "connections"},
                                      {"livetcp://h:1?connections=33", "33"},
                                      {"livetcp://h:99999", "99999"},
                                      {"livetcp://h:1?conections=3", "connections"},
                                      {"livetcp://h:1?mode=server", "caller or listener"},
                                      {"livetcp://h:1?drain-timeout=soon", "soon"},
                                      {"livetcp://h:1?drain-timeout=-1", "-1"},
                                      {"livetcp://h:1?wait-for-connection", "wait-for-connection"},
                                      {"livetcp://h:1?wait-for-connection=true&split=99", "split"},
                                      {"livetcp://h:1?split=2&drain-timeout=x", "drain-timeout"}}));
    INFO(bad.uri);
    Element sink = make("livetcpsink");
    std::string before = get_string(sink.get(), "uri");
    GError *error = nullptr;
    CHECK(!gst_uri_handler_set_uri(GST_URI_HANDLER(sink.get()), bad.uri, &error));
    REQUIRE(error != nullptr);
    INFO(error->message);
    CHECK(g_error_matches(error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI));
    CHECK(std::string(error->message).find(bad.says) != std::string::npos);
    CHECK(get_string(sink.get(), "uri") == before);
    g_error_free(error);
}

TEST_CASE("elements are made from URIs")
{
    init();
    GstElement *sink = gst_element_make_from_uri(GST_URI_SINK, "livetcp://h:5004", "a", nullptr);
    GstElement *source =
        gst_element_make_from_uri(GST_URI_SRC, "livetcp://:5004?mode=listener", "b", nullptr);
    REQUIRE(sink != nullptr);
    REQUIRE(source != nullptr);
    CHECK(std::string(G_OBJECT_TYPE_NAME(sink)) == "GstLiveTcpSink");
    CHECK(std::string(G_OBJECT_TYPE_NAME(source)) == "GstLiveTcpSrc");
    CHECK(get_uint(source, "port") == 5004);
    gst_object_unref(sink);
    gst_object_unref(source);
}

TEST_CASE("the URI cannot change while the element is open")
{
    Subject source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    REQUIRE(source.state(GST_STATE_PAUSED));
    GError *error = nullptr;
    auto *handler = GST_URI_HANDLER(source.get());
    CHECK(!gst_uri_handler_set_uri(handler, "livetcp://127.0.0.1:1?mode=listener", &error));
    CHECK(g_error_matches(error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE));
    g_clear_error(&error);
    REQUIRE(source.state(GST_STATE_READY));
    CHECK(gst_uri_handler_set_uri(handler, "livetcp://127.0.0.1:1?mode=listener", &error));
    CHECK(get_uint(source.get(), "port") == 1);
}

TEST_CASE("a bad property keeps the element from opening and is named")
{
    struct Case {
        const char *name, *value, *says;
    };
    auto bad = GENERATE(values<Case>({{"policy", "fastest", "fastest"},
                                      {"congestion-control", "no-such-algorithm", "no-such-alg"},
                                      {"localaddress", "not-an-address", "not-an-address"},
                                      {"uri", "livetcp://127.0.0.1:5004?split=0", "split"},
                                      {"uri", "http://127.0.0.1/", "livetcp://"},
                                      {"host", "", "host"}}));
    INFO(bad.name << "=" << bad.value);
    Subject sink("livetcpsink", "livetcp://127.0.0.1:9");
    g_object_set(sink.get(), bad.name, bad.value, nullptr);
    CHECK(!sink.state(GST_STATE_PAUSED));
    Message message = sink.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint error = complaint(message);
    INFO(error.text);
    CHECK(error.domain == GST_RESOURCE_ERROR);
    CHECK(error.code == GST_RESOURCE_ERROR_SETTINGS);
    CHECK(error.text.find(bad.says) != std::string::npos);

    SECTION("and putting it right helps")
    {
        const char *good = strcmp(bad.name, "policy") == 0               ? "single"
                           : strcmp(bad.name, "uri") == 0                ? "livetcp://127.0.0.1:9"
                           : strcmp(bad.name, "host") == 0               ? "127.0.0.1"
                           : strcmp(bad.name, "congestion-control") == 0 ? "auto"
                                                                         : "";
        g_object_set(sink.get(), bad.name, good, nullptr);
        CHECK(sink.state(GST_STATE_PAUSED));
    }
}

TEST_CASE("properties that contradict each other keep the element from opening")
{
    struct Case {
        const char *uri, *says;
    };
    auto bad =
        GENERATE(values<Case>({{"policy=duplicate&connections=1", "connections"},
                               {"policy=duplicate&connections=2&copies=3", "copies"},
                               {"policy=duplicate&redundancy-budget=0.5", "redundancy-budget"},
                               {"min-bitrate=2000&max-bitrate=1000", "min-bitrate"}}));
    INFO(bad.uri);
    Subject sink("livetcpsink", std::string("livetcp://127.0.0.1:9?") + bad.uri);
    CHECK(!sink.state(GST_STATE_PAUSED));
    Message message = sink.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint error = complaint(message);
    INFO(error.text);
    CHECK(error.code == GST_RESOURCE_ERROR_SETTINGS);
    CHECK(error.text.find(bad.says) != std::string::npos);
}

TEST_CASE("the policy may be one of the application's own")
{
    static livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.name = "own-of-the-test";
    policy.summary = "waits, always";
    policy.place = [](void *, const livetcp_policy_view *, const livetcp_packet_view *,
                      livetcp_decision *) {};
    Subject sink("livetcpsink", "livetcp://127.0.0.1:9");
    /* This program has a registry of its own; the plugin's is in the shared library. */
    void *library = dlopen(LIVETCP_SHARED_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    REQUIRE(library != nullptr);
    auto enroll = reinterpret_cast<decltype(&livetcp_policy_register)>(
        dlsym(library, "livetcp_policy_register"));
    REQUIRE(enroll != nullptr);
    REQUIRE(enroll(&policy, nullptr) == LIVETCP_OK);
    dlclose(library);
    g_object_set(sink.get(), "policy", policy.name, nullptr);
    CHECK(sink.state(GST_STATE_PAUSED));
}

TEST_CASE("pads take and give RTP, not anything")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Element element = make(factory);
    GstPad *pad = GST_PAD(element->pads->data);
    GstCaps *templ = gst_pad_get_pad_template_caps(pad);
    CHECK(!gst_caps_is_any(templ));
    for (const char *text : {"application/x-rtp", "application/x-rtcp", "application/x-srtp"}) {
        GstCaps *caps = gst_caps_from_string(text);
        CHECK(gst_caps_can_intersect(templ, caps));
        gst_caps_unref(caps);
    }
    GstCaps *raw = gst_caps_from_string("video/x-h264");
    CHECK(!gst_caps_can_intersect(templ, raw));
    gst_caps_unref(raw);
    gst_caps_unref(templ);
}

static std::vector<GParamSpec *> own_properties(gpointer element)
{
    std::vector<GParamSpec *> own;
    guint count = 0;
    GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
    for (guint i = 0; i < count; i++) {
        if (all[i]->owner_type == G_OBJECT_TYPE(element)) {
            own.push_back(all[i]);
        }
    }
    g_free(all);
    return own;
}

TEST_CASE("no property hides one of GStreamer's own")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc", "livetcpplayout");
    Element element = make(factory);
    auto *parent =
        static_cast<GObjectClass *>(g_type_class_peek(g_type_parent(G_OBJECT_TYPE(element.get()))));
    REQUIRE(own_properties(element.get()).size() > 10);
    for (GParamSpec *pspec : own_properties(element.get())) {
        INFO(factory << " " << pspec->name);
        /* Both have statistics, of one type. */
        GParamSpec *hidden = g_object_class_find_property(parent, pspec->name);
        CHECK((hidden == nullptr || hidden->value_type == pspec->value_type));
    }
    if (std::string(factory) == "livetcpsink") {
        guint64 rate = 1234567890123; /* all of it is written */
        g_object_get(element.get(), "max-bitrate", &rate, nullptr);
        CHECK(rate == 0);
    }
}

TEST_CASE("units are given in one way: in brackets, at the end")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc", "livetcpplayout");
    Element element = make(factory);
    const std::regex unit("[^(]* \\((ms|bytes|bit/s)\\)$");
    const std::regex written_otherwise("second|\\bms\\b|bit/s|\\bkbit|\\(bytes");
    const livetcp_setting *setting;

    for (GParamSpec *pspec : own_properties(element.get())) {
        std::string blurb = g_param_spec_get_blurb(pspec);
        INFO(factory << " " << pspec->name << ": " << blurb);
        CHECK((std::regex_match(blurb, unit) || !std::regex_search(blurb, written_otherwise)));
    }
    for (size_t i = 0; (setting = livetcp_config_setting(i)) != nullptr; i++) {
        GParamSpec *pspec = property(element.get(), property_name(setting->name).c_str());
        const char *of_setting = strchr(setting->accepts, ' ');
        if (pspec == nullptr || !g_ascii_isdigit(setting->accepts[0]) || of_setting == nullptr) {
            continue;
        }
        INFO(setting->name);
        CHECK(g_str_has_suffix(g_param_spec_get_blurb(pspec),
                               ("(" + std::string(of_setting + 1) + ")").c_str()));
    }
}

TEST_CASE("properties are still found by the names they had")
{
    Element sink = make("livetcpsink"), source = make("livetcpsrc"),
            playout = make("livetcpplayout");
    struct Case {
        GstElement *element;
        const char *former, *now, *value;
    };
    for (const Case &c : {Case{sink.get(), "reconnect", "auto-reconnect", "false"},
                          Case{source.get(), "reconnect", "auto-reconnect", "false"},
                          Case{source.get(), "playout", "playout-mode", "fixed"},
                          Case{playout.get(), "mode", "playout-mode", "static"}}) {
        INFO(c.former);
        REQUIRE(property(c.element, c.former) != nullptr);
        CHECK((property(c.element, c.former)->flags & G_PARAM_DEPRECATED) != 0);
        gst_util_set_object_arg(G_OBJECT(c.element), c.former, c.value);
        CHECK(text_of(c.element, c.now) == c.value);
        CHECK(text_of(c.element, c.former) == c.value);
    }
    std::string uri = get_string(source.get(), "uri");
    CHECK(uri.find("playout-mode=fixed") != std::string::npos);
    CHECK(uri.find("playout=") == std::string::npos);
    CHECK(uri.find("auto-reconnect=false") != std::string::npos);
    g_object_set(source.get(), "uri", "livetcp://h:1?reconnect=1&playout=static", nullptr);
    CHECK(text_of(source.get(), "auto-reconnect") == "true");
    CHECK(text_of(source.get(), "playout-mode") == "static");
}

TEST_CASE("bounds of the bit rate have two names in a URI")
{
    Element sink = make("livetcpsink");
    std::string query = GENERATE("max-bitrate=2000000&min-bitrate=1000000",
                                 "estimated-bitrate-max=2000000&estimated-bitrate-min=1000000");
    g_object_set(sink.get(), "uri", ("livetcp://h:1?" + query).c_str(), nullptr);
    CHECK(get_uint(sink.get(), "estimated-bitrate-max") == 2000000);
    CHECK(get_uint(sink.get(), "estimated-bitrate-min") == 1000000);
    CHECK(get_string(sink.get(), "uri") == "livetcp://h:1?min-bitrate=1000000&max-bitrate=2000000");
}

static unsigned notified;

TEST_CASE("the bound port notifies, and the URI shows it while the element listens")
{
    notified = 0;
    Subject source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    g_signal_connect(source.get(), "notify::bound-port",
                     G_CALLBACK(+[](GObject *, GParamSpec *, gpointer) { notified++; }), nullptr);
    REQUIRE(source.state(GST_STATE_PAUSED));
    CHECK(notified == 1);
    guint port = get_uint(source.get(), "bound-port");
    REQUIRE(port != 0);
    CHECK(get_string(source.get(), "uri") ==
          "livetcp://127.0.0.1:" + std::to_string(port) + "?mode=listener");
    REQUIRE(source.state(GST_STATE_READY));
    CHECK(notified == 2);
    CHECK(get_uint(source.get(), "bound-port") == 0);
    CHECK(get_string(source.get(), "uri") == "livetcp://127.0.0.1:0?mode=listener");
}

TEST_CASE("a latency that nothing will make is told of")
{
    const char *name = GENERATE("latency", "min-latency", "max-latency");
    bool playout = GENERATE(false, true);
    Subject source(playout ? "livetcpplayout" : "livetcpsrc",
                   playout ? "" : "livetcp://127.0.0.1:0?mode=listener");
    gst_util_set_object_arg(G_OBJECT(source.get()), "playout-mode", "none");
    REQUIRE(source.state(GST_STATE_PAUSED));
    CHECK(source.posted(GST_MESSAGE_WARNING).empty());
    REQUIRE(source.state(GST_STATE_READY));

    g_object_set(source.get(), name, 100, nullptr);
    REQUIRE(source.state(GST_STATE_PAUSED));
    Message message = source.wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    std::string text = complaint(message).text;
    INFO(text);
    CHECK(text.find("latency") != std::string::npos);
    CHECK(text.find("playout-mode=adaptive") != std::string::npos);
    CHECK((text.find("rtpjitterbuffer") != std::string::npos) == !playout);
    REQUIRE(source.state(GST_STATE_READY));

    gst_util_set_object_arg(G_OBJECT(source.get()), "playout-mode", "fixed");
    REQUIRE(source.state(GST_STATE_PAUSED));
    CHECK(source.posted(GST_MESSAGE_WARNING).empty());
}
