/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <livetcp/policy.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace
{

livetcp_config usable()
{
    livetcp_config config;
    livetcp_config_init(&config);
    strcpy(config.host, "localhost");
    config.port = 5004;
    return config;
}

std::string complaint(const livetcp_config &config, livetcp_result code)
{
    livetcp_error error = {};
    CHECK(livetcp_config_check(&config, &error) == code);
    CHECK(error.code == code);
    CHECK(livetcp_config_check(&config, nullptr) == code);
    return error.message;
}

} // namespace

TEST_CASE("host and port are all that a caller must set, and a listener nothing")
{
    livetcp_config config = usable();
    CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
    livetcp_config_init(&config);
    config.mode = LIVETCP_MODE_LISTENER;
    CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
}

TEST_CASE("a caller without a peer is told what is missing")
{
    livetcp_config config = usable();
    config.host[0] = 0;
    CHECK(complaint(config, LIVETCP_ERR_INVALID_ARGUMENT).find("'host'") != std::string::npos);
    config = usable();
    config.port = 0;
    CHECK(complaint(config, LIVETCP_ERR_INVALID_ARGUMENT).find("'port'") != std::string::npos);
}

TEST_CASE("an unknown policy is named along with those there are")
{
    livetcp_config config = usable();
    strcpy(config.policy, "fastest");
    std::string message = complaint(config, LIVETCP_ERR_UNKNOWN_POLICY);
    CHECK(message.find("'fastest'") != std::string::npos);
    CHECK(message.find("shortest-queue") != std::string::npos);

    const livetcp_policy *policy;
    for (size_t i = 0; (policy = livetcp_policy_at(i)); i++) {
        strcpy(config.policy, policy->name);
        CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
    }
}

TEST_CASE("times that contradict each other are refused")
{
    livetcp_config config = usable();
    config.reconnect_min_us = config.reconnect_max_us;
    CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
    config.reconnect_min_us++;
    CHECK(complaint(config, LIVETCP_ERR_INVALID_ARGUMENT).find("reconnect-min") !=
          std::string::npos);

    config = usable();
    config.keepalive_interval_us = config.peer_timeout_us;
    CHECK(complaint(config, LIVETCP_ERR_INVALID_ARGUMENT).find("keepalive") != std::string::npos);
    config.wire = LIVETCP_WIRE_PLAIN; /* it has no pings */
    CHECK(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
}

TEST_CASE("fields out of range and configs never initialised are refused")
{
    livetcp_config config = usable();
    config.connections = 0;
    CHECK(complaint(config, LIVETCP_ERR_INVALID_ARGUMENT).find("'connections'") !=
          std::string::npos);
    config = usable();
    config.struct_size = offsetof(livetcp_config, timestamps);
    CHECK(complaint(config, LIVETCP_ERR_INVALID_ARGUMENT).find("livetcp_config_init()") !=
          std::string::npos);
    CHECK(livetcp_config_check(nullptr, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}
