/* SPDX-License-Identifier: MIT */
/* Properties, settings and URI keys are one thing; bad values are refused clearly. */
#include "catch.h"
#include "support.h"

#include <livetcp/config.h>
#include <livetcp/policy.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace lt;

static GParamSpec *property(gpointer element, const char *name)
{
    return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
}

static bool receiving_only(const std::string &name)
{
    return name == "order" || name == "order-wait" || name == "max-receive";
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
        GParamSpec *pspec = property(element.get(), setting->name);
        if (receiving_only(setting->name) && std::string(factory) == "livetcpsink") {
            CHECK(pspec == nullptr);
            continue;
        }
        REQUIRE(pspec != nullptr);
        CHECK((pspec->flags & GST_PARAM_MUTABLE_READY) != 0);
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
            if (std::string(setting->name) != "max-sessions") {
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
        bool has_auto = g_enum_get_value_by_nick(choices, "auto") != nullptr;
        CHECK(choices->n_values == (has_auto ? 3 : 2));
        for (guint i = 0; i < choices->n_values; i++) {
            CHECK(set(name, choices->values[i].value_nick) == LIVETCP_OK);
        }
    }
}

TEST_CASE("defaults are what a user who reads nothing should have")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Element element = make(factory);
    CHECK(get_uint(element.get(), "connections") == 8);
    CHECK(get_string(element.get(), "policy") == "auto");
    CHECK(get_string(element.get(), "state") == "closed");
    CHECK(get_string(element.get(), "last-error") == "");
    CHECK(get_uint(element.get(), "bound-port") == 0);
    gboolean reconnect = FALSE;
    g_object_get(element.get(), "reconnect", &reconnect, nullptr);
    CHECK(reconnect);
    if (std::string(factory) == "livetcpsink") {
        gboolean sync = TRUE;
        g_object_get(element.get(), "sync", &sync, nullptr);
        CHECK(!sync);
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
        if (property(element, setting->name) != nullptr) {
            names.push_back(setting->name);
        }
    }
    for (const char *name : {"stats-update-interval", "wait-for-connection", "drain-timeout",
                             "keep-listening", "timeout", "caps"}) {
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
