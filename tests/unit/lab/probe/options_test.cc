/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/probe/options.h"
}

#include <cmath>
#include <string>
#include <vector>

static livetcp_error error;

static livetcp_result parse(std::vector<const char *> arguments, lt_probe_options &options)
{
    arguments.insert(arguments.begin(), "probe");
    arguments.push_back(nullptr);
    return lt_probe_options_parse(&options, int(arguments.size()) - 1, arguments.data(), &error);
}

static lt_probe_options parsed(const std::vector<const char *> &arguments)
{
    lt_probe_options options;
    INFO(error.message);
    REQUIRE(parse(arguments, options) == LIVETCP_OK);
    return options;
}

static void refused(const std::vector<const char *> &arguments, const std::string &word)
{
    lt_probe_options options;
    CHECK(parse(arguments, options) == LIVETCP_ERR_INVALID_ARGUMENT);
    INFO(error.message);
    CHECK(std::string(error.message).find(word) != std::string::npos);
}

TEST_CASE("a peer alone is enough")
{
    auto o = parsed({"example.org:5500"});

    CHECK(o.mode == LT_PROBE_PATH);
    CHECK(std::string(o.host) == "example.org");
    CHECK(std::string(o.port) == "5500");
    CHECK(o.step == 1e6);
    CHECK(std::isinf(o.max_rate));
    CHECK(o.samples == 200);
    CHECK(o.interval == 50000);
    CHECK(o.violation == Approx(0.05));
    CHECK_FALSE(o.json[0]);
}

TEST_CASE("addresses may have colons, and a listener needs none")
{
    CHECK(std::string(parsed({"[fd00::1]:7"}).host) == "fd00::1");
    auto o = parsed({"--listen=:0"});
    CHECK(o.mode == LT_PROBE_LISTEN);
    CHECK_FALSE(o.host[0]);
    refused({"example.org"}, "HOST:PORT");
    refused({"example.org:"}, "HOST:PORT");
    refused({"example.org:0"}, "HOST:PORT");
    refused({"example.org:66000"}, "HOST:PORT");
    refused({":5500"}, "HOST:PORT");
    refused({}, "which peer");
    refused({"a:1", "b:2"}, "one peer already");
    refused({"a:1", "--listen=:5"}, "exclude");
}

TEST_CASE("rates are bits or packets, JSON has a file or none")
{
    auto o = parsed({"a:1", "--rate-step=100pps", "--size=1000", "--max-rate=8mbit", "--json"});
    CHECK(o.step == 800000);
    CHECK(o.max_rate == 8e6);
    CHECK(std::string(o.json) == "-");
    CHECK(std::string(parsed({"a:1", "--json=out.json"}).json) == "out.json");
    refused({"a:1", "--rate-step=fast"}, "--rate-step=fast");
    refused({"a:1", "--rate-step=off"}, "step");
    refused({"a:1", "--rate-step=-5pps"}, "--rate-step");
    refused({"a:1", "--max-rate=500kbit"}, "below");
}

TEST_CASE("what the statistics cannot work with is refused before anything is sent")
{
    refused({"a:1", "--samples=19"}, "20 to");
    refused({"a:1", "--samples=1000000", "--extensions=3"}, "too many");
    refused({"a:1", "--quantile=0"}, "--quantile");
    refused({"a:1", "--quantile=1.5"}, "--quantile");
    refused({"a:1", "--size=40"}, "64 to");
    refused({"a:1", "--interval=2h"}, "--interval=2h");
    refused({"a:1", "--interval=0"}, "--interval=0");
    refused({"a:1", "--congestion-control=anamemuchtoolong"}, "--congestion-control");
    CHECK(parsed({"a:1", "--quantile=1"}).violation == 0);
}

TEST_CASE("a video is sent once, or as often as asked")
{
    CHECK(parsed({"a:1"}).plays == 0);
    CHECK(parsed({"a:1", "--envelope=x"}).plays == 0);
    CHECK(parsed({"a:1", "--video=x"}).plays == 1);
    CHECK(parsed({"a:1", "--video=x", "--plays=50"}).plays == 50);
    refused({"a:1", "--video=x", "--plays=0"}, "1 to");
    refused({"a:1", "--plays=5"}, "--video");
    refused({"a:1", "--envelope=x", "--plays=5"}, "--video");
}

TEST_CASE("patience is as many extensions unless it is more")
{
    CHECK(parsed({"a:1"}).patience == 0);
    CHECK(parsed({"a:1", "--patience=31"}).patience == 31);
    refused({"a:1", "--patience=-1"}, "--patience");
    refused({"a:1", "--samples=1000000", "--extensions=0", "--patience=1"}, "too many");
}

TEST_CASE("a simulation is checked, too")
{
    CHECK(parsed({"--simulate=adaptive,loss=0.1%,delay=5ms"}).mode == LT_PROBE_SIMULATION);
    refused({"--simulate=fast"}, "static,");
    refused({"--simulate=static,window=10p,delay=5ms,loss=1%"}, "has no loss");
    refused({"--simulate=adaptive,delay=5ms"}, "loss=");
    refused({"--simulate=static,window=10p,speed=3"}, "speed=3");
    refused({"--simulate=static,window=10p,delay=5ms", "--video=x"}, "--envelope");
}
