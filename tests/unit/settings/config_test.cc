/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <livetcp/config.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "settings/settings.h"
}

namespace
{

struct Config {
    livetcp_config c;
    livetcp_error error = {};

    Config()
    {
        livetcp_config_init(&c);
    }
    livetcp_result set(const std::string &name, const std::string &value)
    {
        return livetcp_config_set(&c, name.c_str(), value.c_str(), &error);
    }
    std::string get(const std::string &name)
    {
        char text[LIVETCP_TOKEN_MAX + 1];
        if (livetcp_config_get(&c, name.c_str(), text, sizeof text, &error) != LIVETCP_OK)
            return "(failed)";
        return text;
    }
    std::string message() const
    {
        return error.message;
    }
    bool refuses(const std::string &name, const std::string &value)
    {
        livetcp_config before = c;
        error = {};
        return set(name, value) == LIVETCP_ERR_INVALID_ARGUMENT &&
               error.code == LIVETCP_ERR_INVALID_ARGUMENT &&
               message().find("'" + name + "'") != std::string::npos &&
               !memcmp(&before, &c, sizeof c);
    }
};

/* Values that a setting accepts, the ends of its range first. */
std::vector<std::string> values_of(const lt_setting &setting)
{
    std::vector<std::string> values;
    switch (setting.kind) {
    case LT_SETTING_CHOICE:
        for (size_t i = 0; setting.choices[i]; i++)
            values.push_back(setting.choices[i]);
        break;
    case LT_SETTING_TEXT:
    case LT_SETTING_HOST:
        values = {"", "x", std::string(setting.size - 1, 'y'), "a%&=?/:[]#+b"};
        break;
    case LT_SETTING_LINE:
        values = {"", "x", std::string(setting.size - 1, 'y'), "a b", "a%&=?/:[]#+b"};
        break;
    case LT_SETTING_NAME:
        values = {"", "x", std::string(setting.size - 1, 'y'), "caf\xc3\xa9 \xf0\x9f\x8e\xa5"};
        break;
    case LT_SETTING_SECRET: /* values that are read back unchanged */
        values = {"", "file:/etc/a b", "env:X", "file:" + std::string(setting.size - 6, 'y')};
        break;
    case LT_SETTING_URL: /* values that are read back unchanged */
        values = {"",
                  "env",
                  "http://[::1]:3128",
                  "file:/etc/a b",
                  "env:X",
                  "file:" + std::string(setting.size - 6, 'y')};
        break;
    case LT_SETTING_BOOL:
        values = {"true", "false"};
        break;
    case LT_SETTING_OPTIONAL:
        values = {"-1", "0", "1", std::to_string(setting.max)};
        break;
    case LT_SETTING_AUTO_MSEC:
        values = {"auto", std::to_string(setting.min), std::to_string(setting.max)};
        break;
    case LT_SETTING_RATIO:
        values = {"0", std::to_string(setting.max), "auto", "0.3", "0.25", "1.125", "0.001"};
        break;
    default:
        values = {std::to_string(setting.min), std::to_string(setting.max),
                  std::to_string((setting.min + setting.max) / 2)};
    }
    return values;
}

std::vector<std::string> bad_values_of(const lt_setting &setting)
{
    if (setting.kind == LT_SETTING_LINE || setting.kind == LT_SETTING_SECRET ||
        setting.kind == LT_SETTING_URL)
        return {std::string(setting.size, 'z'), std::string(5000, 'z'), "a\n", "\x7f"};
    if (setting.kind == LT_SETTING_NAME)
        return {std::string(setting.size, 'z'), "a\n", "\x7f", "\xff", "\xc2\x85", "caf\xc3"};
    if (setting.kind == LT_SETTING_CHOICE)
        return {"", "2", "Caller", "caller ", "nonsense"};
    if (setting.kind == LT_SETTING_BOOL)
        return {"", "2", "-1", "True", "true ", " 1", "y", "01", "nonsense"};
    if (setting.kind == LT_SETTING_TEXT || setting.kind == LT_SETTING_HOST)
        return {std::string(setting.size, 'z'), std::string(5000, 'z'), "a b", "a\n", "\x7f"};
    if (setting.kind == LT_SETTING_RATIO)
        return {"",    "-1",  "-0.5",  "+1",     " 1",
                "1 ",  ".5",  "1.",    "1,5",    "1e3",
                "nan", "inf", "Auto",  "0.1234", "7.001",
                "8",   "0x1", "1.2.3", "1.-",    "99999999999999999999999999"};

    std::vector<std::string> values = {"",
                                       " 5",
                                       "5 ",
                                       "+5",
                                       "-5",
                                       "5x",
                                       "0x10",
                                       "5.0",
                                       "1e3",
                                       "99999999999999999999999999",
                                       "18446744073709551616",
                                       "18446744073709551615",
                                       "9223372036854775808"};
    if (setting.min > 0)
        values.push_back(std::to_string(setting.min - 1));
    values.push_back(std::to_string(setting.max + 1));
    return values;
}

} // namespace

TEST_CASE("defaults are what config.h says")
{
    Config config;
    const livetcp_config &c = config.c;
    CHECK(c.struct_size == sizeof c);
    CHECK(c.mode == LIVETCP_MODE_CALLER);
    CHECK(std::string(c.host) == "");
    CHECK(c.port == 0);
    CHECK(std::string(c.local_address) == "");
    CHECK(c.wire == LIVETCP_WIRE_SESSION);
    CHECK(c.connections == 8);
    CHECK(std::string(c.policy) == "auto");
    CHECK(c.split == 1);
    CHECK(std::string(c.congestion_control) == "");
    CHECK(c.order == LIVETCP_ORDER_ARRIVAL);
    CHECK(c.order_wait_us == LIVETCP_USEC_SEC);
    CHECK(c.max_packet == 8190);
    CHECK(c.max_receive == 65535);
    CHECK(c.queue_packets == 1024);
    CHECK(c.queue_bytes == 2 * 1024 * 1024);
    CHECK(c.connect_timeout_us == 10 * LIVETCP_USEC_SEC);
    CHECK(c.handshake_timeout_us == 5 * LIVETCP_USEC_SEC);
    CHECK(c.keepalive_interval_us == LIVETCP_USEC_SEC);
    CHECK(c.peer_timeout_us == 10 * LIVETCP_USEC_SEC);
    CHECK(c.reconnect_min_us == 100 * LIVETCP_USEC_MSEC);
    CHECK(c.reconnect_max_us == 5 * LIVETCP_USEC_SEC);
    CHECK(c.linger_us == 15 * LIVETCP_USEC_SEC);
    CHECK(c.max_sessions == 256);
    CHECK(c.auto_reconnect);
    CHECK(c.qos_dscp == -1);
    CHECK(c.local_port == 0);
}

TEST_CASE("the table is complete and consistent")
{
    std::vector<std::string> names;
    std::vector<bool> covered(sizeof(livetcp_config), false);
    const lt_setting *setting;
    size_t i = 0;

    std::fill_n(covered.begin(), sizeof(size_t), true);
    for (; (setting = lt_setting_at(i)); i++) {
        const livetcp_setting *listed = livetcp_config_setting(i);
        REQUIRE(listed == &setting->listed);
        CAPTURE(listed->name);
        CHECK(strlen(listed->name) < 32);
        CHECK(strlen(listed->accepts) > 0);
        CHECK(strlen(listed->summary) > 0);
        CHECK(std::find(names.begin(), names.end(), listed->name) == names.end());
        names.push_back(listed->name);
        /* A bool occupies the space of the unsigned that it was in version 0.1. */
        size_t place = setting->size == sizeof(bool) ? sizeof(unsigned) : setting->size;
        std::fill_n(covered.begin() + (long)setting->offset, place, true);
        Config config;
        CHECK(config.set(listed->name, setting->initial) == LIVETCP_OK);
        CHECK(config.get(listed->name) == setting->initial);
    }
    CHECK(livetcp_config_setting(i) == nullptr);
    CHECK(livetcp_config_setting(SIZE_MAX) == nullptr);

    /* Every byte of the struct belongs to a setting, except padding (22 bytes on 64-bit targets): a
     * field without a setting fails here. */
    size_t missing = (size_t)std::count(covered.begin(), covered.end(), false);
    CHECK(missing < 24);
}

TEST_CASE("a setting is also found by the name it had before")
{
    const char *const renamed[][2] = {
        {"min-buf-a", "send-buffer-windows"},    {"min-buf-b", "send-buffer-segments"},
        {"min-buf-delay", "send-buffer-delay"},  {"chasers", "tail-probes"},
        {"reconnect", "auto-reconnect"},         {"estimated-bitrate-min", "min-bitrate"},
        {"estimated-bitrate-max", "max-bitrate"}};
    for (auto &[alias, name] : renamed) {
        CAPTURE(alias);
        Config config;
        std::string given = config.get(name);
        std::string other = given == "true" ? "false" : given == "1" ? "0" : "1";
        CHECK(config.set(alias, other) == LIVETCP_OK);
        CHECK(config.get(name) == other);
        CHECK(config.get(alias) == other);
        livetcp_error error;
        CHECK(livetcp_config_set(&config.c, alias, "many", &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(error.message).find(name) != std::string::npos);
    }
}

TEST_CASE("tls-psk is the passphrase, and as secret")
{
    Config config;
    CHECK(config.set("tls-psk", "correct-horse") == LIVETCP_OK);
    CHECK(std::string(config.c.passphrase) == "correct-horse");
    CHECK(config.get("tls-psk").empty());
}

TEST_CASE("every setting takes what it lists and gives it back")
{
    const lt_setting *setting;
    for (size_t i = 0; (setting = lt_setting_at(i)); i++) {
        for (const std::string &value : values_of(*setting)) {
            CAPTURE(setting->listed.name, value);
            Config config;
            CHECK(config.set(setting->listed.name, value) == LIVETCP_OK);
            CHECK(config.get(setting->listed.name) == value);
            CHECK(lt_settings_check(&config.c, nullptr) == LIVETCP_OK);
        }
    }
}

TEST_CASE("every setting refuses everything else, by name, and changes nothing")
{
    const lt_setting *setting;
    for (size_t i = 0; (setting = lt_setting_at(i)); i++) {
        for (const std::string &value : bad_values_of(*setting)) {
            CAPTURE(setting->listed.name, value);
            Config config;
            CHECK(config.refuses(setting->listed.name, value));
        }
    }
}

TEST_CASE("a boolean is written as true or false, and read as any of the usual words")
{
    const lt_setting *setting;
    unsigned found = 0;
    for (size_t i = 0; (setting = lt_setting_at(i)); i++) {
        if (setting->size != sizeof(bool))
            continue;
        CAPTURE(setting->listed.name);
        found++;
        CHECK(setting->kind == LT_SETTING_BOOL);
        CHECK(std::string(setting->listed.accepts) == "true or false");
        for (std::string word : {"1", "true", "yes", "on"}) {
            Config config;
            CHECK(config.set(setting->listed.name, word) == LIVETCP_OK);
            CHECK(config.get(setting->listed.name) == "true");
        }
        for (std::string word : {"0", "false", "no", "off"}) {
            Config config;
            CHECK(config.set(setting->listed.name, word) == LIVETCP_OK);
            CHECK(config.get(setting->listed.name) == "false");
        }
    }
    CHECK(found == 5);
}

TEST_CASE("a code point is a number, or -1 for the system's")
{
    Config config;
    CHECK(config.c.qos_dscp == -1);
    CHECK(config.set("qos-dscp", "46") == LIVETCP_OK);
    CHECK(config.c.qos_dscp == 46);
    CHECK(config.set("qos-dscp", "-1") == LIVETCP_OK);
    CHECK(config.c.qos_dscp == -1);
    for (std::string value : {"64", "-2", "-46", "--1", "-1 ", "4294967295"})
        CHECK(config.refuses("qos-dscp", value));
    config.c.qos_dscp = -2;
    CHECK(lt_settings_check(&config.c, &config.error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(config.message().find("'qos-dscp'") != std::string::npos);
}

TEST_CASE("milliseconds become microseconds")
{
    Config config;
    CHECK(config.set("order-wait", "250") == LIVETCP_OK);
    CHECK(config.c.order_wait_us == 250000);
    config.c.order_wait_us = 250001;
    CHECK(config.get("order-wait") == "(failed)");
    CHECK(config.message().find("order-wait") != std::string::npos);
    CHECK(lt_settings_check(&config.c, nullptr) == LIVETCP_OK);
}

TEST_CASE("unknown settings are named, and the likely one suggested")
{
    Config config;
    CHECK(config.set("conections", "5") == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(config.error.code == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(config.message().find("'conections'") != std::string::npos);
    CHECK(config.message().find("did you mean 'connections'") != std::string::npos);

    CHECK(config.set("local-address", "::1") == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(config.message().find("'localaddress'") != std::string::npos);

    CHECK(config.set("xyzzyplughxyzzy", "1") == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(config.message().find("did you mean") == std::string::npos);
    CHECK(config.message().find("livetcp/config.h") != std::string::npos);

    CHECK(config.set(std::string(10000, 'p'), "1") == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(config.set("", "1") == LIVETCP_ERR_UNKNOWN_SETTING);
    CHECK(config.get("Port") == "(failed)");
    CHECK(config.error.code == LIVETCP_ERR_UNKNOWN_SETTING);
}

TEST_CASE("a value that does not fit the text buffer is refused, not cut")
{
    Config config;
    char text[16];
    size_t needed = sizeof "auto";
    CHECK(livetcp_config_get(&config.c, "policy", text, needed, nullptr) == LIVETCP_OK);
    memset(text, '#', sizeof text);
    CHECK(livetcp_config_get(&config.c, "policy", text, needed - 1, &config.error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(text[0] == '#');
    CHECK(livetcp_config_get(&config.c, "port", text, 0, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("a config that was never initialised is refused")
{
    livetcp_config config;
    livetcp_error error = {};
    char text[1000];
    memset(&config, 0, sizeof config);

    CHECK(livetcp_config_set(&config, "port", "1", &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("livetcp_config_init()") != std::string::npos);
    CHECK(livetcp_config_get(&config, "port", text, sizeof text, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_config_apply_uri(&config, "livetcp://a:1", nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_config_to_uri(&config, text, sizeof text, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_config_set(nullptr, "port", "1", nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    livetcp_config_init(&config);
    CHECK(livetcp_config_set(&config, nullptr, "1", nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_config_set(&config, "port", nullptr, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_config_get(&config, "port", nullptr, 9, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("fields written directly are checked like text")
{
    Config config;
    auto refused = [&](const char *name) {
        config.error = {};
        bool result = lt_settings_check(&config.c, &config.error) == LIVETCP_ERR_INVALID_ARGUMENT &&
                      config.message().find(std::string("'") + name + "'") != std::string::npos;
        livetcp_config_init(&config.c);
        return result;
    };
    config.c.connections = 0;
    CHECK(refused("connections"));
    config.c.connections = 33;
    CHECK(refused("connections"));
    config.c.mode = (livetcp_mode)2;
    CHECK(refused("mode"));
    config.c.order = (livetcp_order)-1;
    CHECK(refused("order"));
    config.c.linger_us = -1;
    CHECK(refused("linger"));
    config.c.peer_timeout_us = 999999;
    CHECK(refused("peer-timeout"));
    config.c.queue_bytes = 65534;
    CHECK(refused("queue-bytes"));
    memset(config.c.host, 'a', sizeof config.c.host);
    CHECK(refused("host"));
    strcpy(config.c.policy, "a b");
    CHECK(refused("policy"));
    CHECK(lt_settings_check(&config.c, nullptr) == LIVETCP_OK);
}

TEST_CASE("where on and off are choices, other words mean them")
{
    Config config;
    for (const char *word : {"1", "true", "yes", "on"}) {
        REQUIRE(livetcp_config_set(&config.c, "tls", word, nullptr) == LIVETCP_OK);
        CHECK(config.c.tls == LIVETCP_TLS_ON);
    }
    for (const char *word : {"0", "false", "no", "off"}) {
        REQUIRE(livetcp_config_set(&config.c, "tls", word, nullptr) == LIVETCP_OK);
        CHECK(config.c.tls == LIVETCP_TLS_OFF);
    }
    CHECK(livetcp_config_set(&config.c, "mode", "0", nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("a passphrase comes back from no function, and is in no error")
{
    Config config;
    const std::string secret = "correct horse battery";
    char text[4096];
    livetcp_error error = {};

    REQUIRE(livetcp_config_set(&config.c, "passphrase", secret.c_str(), &error) == LIVETCP_OK);
    CHECK(std::string(config.c.passphrase) == secret);
    REQUIRE(livetcp_config_get(&config.c, "passphrase", text, sizeof text, &error) == LIVETCP_OK);
    CHECK(std::string(text).empty());
    REQUIRE(livetcp_config_to_uri(&config.c, text, sizeof text, &error) == LIVETCP_OK);
    CHECK(std::string(text).find("horse") == std::string::npos);
    for (const std::string &refused : {secret + "\n", secret + std::string(300, 'x')}) {
        CHECK(livetcp_config_set(&config.c, "passphrase", refused.c_str(), &error) ==
              LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(error.message).find("horse") == std::string::npos);
    }
    std::string uri = "livetcp://h:1?passphrase=" + std::string(400, 'q');
    CHECK(livetcp_config_apply_uri(&config.c, uri.c_str(), &error) != LIVETCP_OK);
    CHECK(std::string(error.message).find("qqq") == std::string::npos);
}

TEST_CASE("livetcps:// is TLS, at port 443 unless another is given")
{
    Config config;
    char text[4096];

    REQUIRE(livetcp_config_apply_uri(&config.c, "livetcps://media.example", nullptr) == LIVETCP_OK);
    CHECK(config.c.tls == LIVETCP_TLS_ON);
    CHECK(config.c.port == 443);
    REQUIRE(livetcp_config_apply_uri(&config.c, "LiveTCPS://media.example:5004", nullptr) ==
            LIVETCP_OK);
    CHECK(config.c.port == 5004);
    REQUIRE(livetcp_config_to_uri(&config.c, text, sizeof text, nullptr) == LIVETCP_OK);
    CHECK(std::string(text) == "livetcps://media.example:5004");
}

TEST_CASE("livetcp+ws:// and livetcp+wss:// are WebSockets, whose path is the URI's")
{
    const struct {
        const char *uri;
        unsigned port;
        bool tls;
        const char *path, *stream_id, *written;
    } cases[] = {
        {"livetcp+ws://h", 80, false, "", "", "livetcp+ws://h:80"},
        {"livetcp+ws://h/", 80, false, "", "", "livetcp+ws://h:80"},
        {"LiveTCP+WSS://h/live", 443, true, "/live", "", "livetcp+wss://h:443/live"},
        {"livetcp+ws://h:8080/a%20b/c?stream-id=d%20e", 8080, false, "/a%20b/c", "d e",
         "livetcp+ws://h:8080/a%20b/c?stream-id=d%20e"},
        {"livetcp+ws://[::1]:1?websocket-path=/x%3Fy=1", 1, false, "/x?y=1", "",
         "livetcp+ws://[::1]:1?websocket-path=/x%3Fy%3D1"},
        {"livetcp+ws://h:1?websocket-path=/", 1, false, "/", "",
         "livetcp+ws://h:1?websocket-path=/"},
    };
    for (const auto &c : cases) {
        Config config;
        livetcp_error error = {};
        char text[4096];
        INFO(c.uri);
        REQUIRE(livetcp_config_apply_uri(&config.c, c.uri, &error) == LIVETCP_OK);
        CHECK(config.c.websocket == LIVETCP_WEBSOCKET_ON);
        CHECK(config.c.port == c.port);
        CHECK((config.c.tls == LIVETCP_TLS_ON) == c.tls);
        CHECK(std::string(config.c.websocket_path) == c.path);
        CHECK(std::string(config.c.stream_id) == c.stream_id);
        REQUIRE(livetcp_config_to_uri(&config.c, text, sizeof text, &error) == LIVETCP_OK);
        CHECK(std::string(text) == c.written);
    }
    Config config;
    std::string longest = "livetcp+ws://h/" + std::string(254, 'x');
    CHECK(livetcp_config_apply_uri(&config.c, longest.c_str(), nullptr) == LIVETCP_OK);
    CHECK(livetcp_config_apply_uri(&config.c, (longest + "x").c_str(), nullptr) ==
          LIVETCP_ERR_BAD_URI);
}

TEST_CASE("an estimate has a least value that an encoder can be set to")
{
    livetcp_config config;
    livetcp_config_init(&config);
    CHECK(config.min_bitrate == 10000); /* x264enc's property is in kbit/s, and not 0 */
    CHECK(config.max_bitrate == 0);
}
