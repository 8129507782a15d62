/* SPDX-License-Identifier: MIT */
#include "emulate_test.h"

TEST_CASE("params: every key")
{
    const lt_link_params params =
        params_of("delay=50ms, jitter=2ms,reorder=yes,loss=1%,burst=3,gilbert=1%:0.3:90%:0,"
                  "rate=30mbit,queue=150kB,ecn=20p");
    CHECK(params.delay == 50000);
    CHECK(params.jitter == 2000);
    CHECK(params.reorder);
    CHECK(params.loss == Approx(0.01));
    CHECK(params.burst == 3);
    CHECK(params.gilbert.p == Approx(0.01));
    CHECK(params.gilbert.r == Approx(0.3));
    CHECK(params.gilbert.loss_bad == Approx(0.9));
    CHECK(params.gilbert.loss_good == 0);
    CHECK(params.rate == 30000000);
    CHECK(params.queue.unit == LT_LIMIT_BYTES);
    CHECK(params.queue.value == 150000);
    CHECK(params.ecn.unit == LT_LIMIT_PACKETS);
    CHECK(params.ecn.value == 20);
}

TEST_CASE("params: units")
{
    CHECK(params_of("delay=250us").delay == 250);
    CHECK(params_of("delay=1.5s").delay == 1500000);
    CHECK(params_of("delay=0").delay == 0);
    CHECK(params_of("loss=0.025").loss == Approx(0.025));
    CHECK(params_of("rate=1gbit").rate == 1000000000);
    CHECK(params_of("rate=56.6kbit").rate == 56600);
    CHECK(params_of("rate=off").rate == 0);
    CHECK(params_of("queue=2MB").queue.value == 2000000);
    CHECK(params_of("queue=9B").queue.value == 9);
    CHECK(params_of("queue=off").queue.unit == LT_LIMIT_NONE);
    CHECK(params_of("").queue.value == 1000);
}

TEST_CASE("params: only what is named changes, and nothing does on failure")
{
    lt_link_params params = params_of("delay=50ms,loss=1%,burst=3");
    REQUIRE(lt_link_params_parse(&params, "loss=2%", nullptr) == LIVETCP_OK);
    CHECK(params.delay == 50000);
    CHECK(params.burst == 3);
    CHECK(params.loss == Approx(0.02));
    CHECK(lt_link_params_parse(&params, "delay=1ms,loss=x", nullptr) != LIVETCP_OK);
    CHECK(params.delay == 50000);
}

TEST_CASE("params: bad specs are refused with the key and the value")
{
    struct Bad {
        const char *spec, *names;
    };
    const Bad bad = GENERATE(
        Bad{"delay=50", "delay=50"}, Bad{"delay=-1ms", "delay=-1ms"}, Bad{"delay=", "delay="},
        Bad{"delay", "delay"}, Bad{"delay=nanms", "delay=nanms"}, Bad{"delay=0x5ms", "0x5ms"},
        Bad{"delay=2000000s", "2000000s"}, Bad{"jitter=5 ms", "jitter=5"}, Bad{"reorder=1", "1"},
        Bad{"loss=101%", "101%"}, Bad{"loss=1.5", "1.5"}, Bad{"loss=1e999", "1e999"},
        Bad{"burst=0.5", "0.5"}, Bad{"burst=x", "burst=x"}, Bad{"gilbert=1%", "gilbert=1%"},
        Bad{"gilbert=1%:0", "1%:0"}, Bad{"gilbert=1%:2%:3%", "1%:2%:3%"},
        Bad{"gilbert=1%:2%:3%:4%:5%", "5%"}, Bad{"rate=30", "rate=30"}, Bad{"rate=30mb", "30mb"},
        Bad{"queue=0p", "queue=0p"}, Bad{"queue=1.5p", "1.5p"}, Bad{"queue=100", "queue=100"},
        Bad{"queue=150kb", "150kb"}, Bad{"ecn=x", "ecn=x"}, Bad{"loss=80%,burst=2", "80%"},
        Bad{"latency=5ms", "latency"}, Bad{"=5", "link parameter"});
    lt_link_params params;
    lt_link_params_init(&params);
    livetcp_error error = {};
    INFO(bad.spec);
    CHECK(lt_link_params_parse(&params, bad.spec, &error) != LIVETCP_OK);
    CHECK(error.code != LIVETCP_OK);
    CHECK(std::string(error.message).find(bad.names) != std::string::npos);
    CHECK(lt_link_params_parse(&params, std::string(600, 'x').c_str(), &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("params: the text form makes the same parameters")
{
    const std::string spec =
        GENERATE("", "delay=50ms,jitter=0.25ms,loss=1%,burst=3,rate=30mbit,queue=150kB,ecn=20p",
                 "gilbert=1.25%:30%:90%:0.5%,reorder=yes,queue=off");
    const lt_link_params params = params_of(spec);
    char text[LT_PARAMS_TEXT], again[LT_PARAMS_TEXT], tiny[8];
    const lt_link_params copy = params_of(lt_link_params_format(&params, text, sizeof text));
    CHECK(std::string(lt_link_params_format(&copy, again, sizeof again)) == text);
    CHECK(copy.delay == params.delay);
    CHECK(copy.queue.value == params.queue.value);
    CHECK(copy.gilbert.p == Approx(params.gilbert.p));
    CHECK(std::string(lt_link_params_format(&params, tiny, sizeof tiny)).size() == 7);
    CHECK(std::string(lt_link_params_help()).find("gilbert") != std::string::npos);
}
