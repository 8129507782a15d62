/* SPDX-License-Identifier: MIT */
/* Settings that contradict each other or their policy, by field and by URI: refused with a message
 * that names the setting. */
#include "catch.h"

#include <livetcp/config.h>

#include <cmath>
#include <string>

namespace
{

livetcp_config from_uri(const std::string &query)
{
    livetcp_config config;
    livetcp_error error = {};
    livetcp_config_init(&config);
    INFO(query);
    livetcp_result result =
        livetcp_config_apply_uri(&config, ("livetcp://peer:5004?" + query).c_str(), &error);
    INFO(error.message);
    REQUIRE(result == LIVETCP_OK);
    return config;
}

/* Each value is valid by itself. */
void refused(const std::string &query, const std::string &name)
{
    livetcp_config config = from_uri(query);
    livetcp_error error = {};
    INFO(query);
    CHECK(livetcp_config_check(&config, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    INFO(error.message);
    CHECK(std::string(error.message).find(name) != std::string::npos);
}

void accepted(const std::string &query)
{
    livetcp_config config = from_uri(query);
    livetcp_error error = {};
    INFO(query);
    CHECK(livetcp_config_check(&config, &error) == LIVETCP_OK);
}

/* A value that no config may have, as text and in the field. */
void impossible(const std::string &name, const std::string &value)
{
    livetcp_config config, untouched;
    livetcp_error error = {};
    livetcp_config_init(&config);
    untouched = config;
    INFO(name << "=" << value);
    CHECK(livetcp_config_set(&config, name.c_str(), value.c_str(), &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("'" + name + "'") != std::string::npos);
    std::string uri = "livetcp://peer:5004?" + name + "=" + value;
    CHECK(livetcp_config_apply_uri(&config, uri.c_str(), &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find(name) != std::string::npos);
    CHECK(config.redundancy_budget == untouched.redundancy_budget);
    CHECK(config.send_buffer_segments == untouched.send_buffer_segments);
    CHECK(config.copies == untouched.copies);
}

} // namespace

TEST_CASE("policies that copy need connections to copy to")
{
    refused("policy=duplicate&connections=1", "'connections'");
    refused("policy=hedge&connections=1", "'connections'");
    refused("policy=parity&connections=1", "'connections'");
    refused("policy=duplicate&wire=plain", "wire=plain");
    refused("policy=duplicate&wire=auto&mode=listener", "wire=auto");
    refused("policy=duplicate&connections=3&copies=4", "copies (4)");
    accepted("policy=duplicate&connections=3&copies=3");
    accepted("policy=single&connections=1");
    accepted("policy=shortest-queue&connections=3&copies=8"); /* unused by this policy */
}

TEST_CASE("a budget must pay for what the policy always sends")
{
    refused("policy=duplicate&redundancy-budget=0.99", "redundancy-budget");
    refused("policy=duplicate&copies=3&redundancy-budget=1", "redundancy-budget");
    refused("policy=parity&parity-group=4&redundancy-budget=0.1", "redundancy-budget");
    accepted("policy=duplicate&redundancy-budget=1");
    accepted("policy=duplicate&redundancy-budget=auto");
    accepted("policy=hedge&redundancy-budget=0");
    accepted("policy=parity&parity-group=4&redundancy-budget=0.25");
}

TEST_CASE("local ports are a caller's, one for each connection")
{
    accepted("localport=5000");
    accepted("localport=65528&connections=8");
    refused("localport=65529&connections=8", "65528");
    accepted("localport=65535&connections=8&wire=plain&policy=single");
    refused("mode=listener&localport=5000", "'port'");
}

TEST_CASE("values that make no sense anywhere are refused as text")
{
    for (const char *value : {"-1", "-0.1", "8", "nan", "inf", "1e999", "much", ""})
        impossible("redundancy-budget", value);
    for (const char *value : {"-1", "1001", "3.5"})
        impossible("send-buffer-segments", value);
    for (const char *value : {"0", "1", "9", "-2"})
        impossible("copies", value);
    impossible("send-buffer-windows", "-1");
    impossible("max-send-delay", "-5");
    impossible("parity-group", "1");
    impossible("hedge-delay", "-1");
}

TEST_CASE("fields that make no sense are refused, too")
{
    for (double value :
         {-0.5, -2.0, 7.5, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        livetcp_config config = from_uri("policy=hedge");
        livetcp_error error = {};
        config.redundancy_budget = value;
        INFO(value);
        CHECK(livetcp_config_check(&config, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(error.message).find("'redundancy-budget'") != std::string::npos);
    }
    livetcp_config config = from_uri("policy=hedge");
    livetcp_error error = {};
    config.send_buffer_segments = static_cast<unsigned>(-1);
    CHECK(livetcp_config_check(&config, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("'send-buffer-segments'") != std::string::npos);
}

TEST_CASE("bounds of the bit rate must leave something between them")
{
    refused("min-bitrate=2000000&max-bitrate=1000000", "min-bitrate (2000000)");
    accepted("min-bitrate=1000000&max-bitrate=1000000");
    accepted("min-bitrate=1000000"); /* no upper bound */
}

TEST_CASE("wire=auto is a listener's")
{
    refused("wire=auto", "wire=auto is for a listener");
    accepted("wire=auto&mode=listener");
    refused("wire=auto&mode=listener&keepalive=10000&peer-timeout=5000", "keepalive");
}

TEST_CASE("stream id, token and role are a caller's, and a token needs encryption")
{
    accepted("stream-id=studio&role=publish");
    accepted("token=abc&tls=on");
    accepted("token=abc&passphrase=0123456789");
    accepted("token=env:TOKEN&tls=on");
    refused("token=abc", "who reads it has it");
    refused("token=env:TOKEN", "passphrase");
    refused("stream-id=studio&wire=plain&policy=single", "wire=session");
    refused("token=abc&tls=on&wire=plain&policy=single", "wire=session");
    refused("token=%FF&tls=on", "UTF-8");
    for (const char *setting : {"stream-id=studio", "token=abc", "role=subscribe"})
        refused(std::string("mode=listener&") + setting, "a listener is told");
}
