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
        Bad{"latency=5ms", "latency"}, Bad{"=5", "link parameter"}, Bad{"aqm=red", "aqm=red"},
        Bad{"aqm=codel:0", "codel:0"}, Bad{"aqm=codel:5ms:100ms:9", "100ms:9"},
        Bad{"aqm=fq-codel:5ms:100ms:0", "100ms:0"}, Bad{"aqm=fq-codel:5ms:100ms:2.5", "2.5"},
        Bad{"ecn=l4s:0", "l4s:0"}, Bad{"ecn=l4sx", "l4sx"}, Bad{"ecn=classic", "aqm=codel"},
        Bad{"policer=1mbit", "policer=1mbit"}, Bad{"policer=1mbit:10p", "10p"},
        Bad{"policer=off:10kB", "off:10kB"}, Bad{"routes=", "routes="}, Bad{"routes=5", "routes=5"},
        Bad{"routes=0+1ms/200%", "routes="}, Bad{"routes=0+0+0+0+0+0+0+0+0", "up to 8"},
        Bad{"outage=1s", "outage=1s"}, Bad{"outage=0@1s", "0@1s"}, Bad{"outage=2s@1s/2s", "/2s"},
        Bad{"delay=5ms@", "delay=5ms@"}, Bad{"delay=5@2s", "delay=5"}, Bad{"delay=5ms@x", "@x"},
        Bad{"loss=2%,burst=3,loss=90%@5s", "90%"}, Bad{"trace=", "trace="},
        Bad{"gilbert=10%:20%:30%:40%:50%@5s", "gilbert"});
    lt_link_params params;
    lt_link_params_init(&params);
    livetcp_error error = {};
    INFO(bad.spec);
    CHECK(lt_link_params_parse(&params, bad.spec, &error) != LIVETCP_OK);
    CHECK(error.code != LIVETCP_OK);
    CHECK(std::string(error.message).find(bad.names) != std::string::npos);
    CHECK(lt_link_params_parse(&params, std::string(LT_PARAMS_TEXT, 'x').c_str(), &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("params: the text form makes the same parameters")
{
    const std::string spec =
        GENERATE("", "delay=50ms,jitter=0.25ms,loss=1%,burst=3,rate=30mbit,queue=150kB,ecn=20p",
                 "gilbert=1.25%:30%:90%:0.5%,reorder=yes,queue=off",
                 "policer=1.5mbit:12kB,aqm=codel:2.5ms:30ms,ecn,queue=40kB,rate=1mbit",
                 "aqm=fq-codel:5ms:100ms:64,ecn=l4s:0.5ms,routes=0+12ms/1.5%+40ms",
                 "outage=1.5s@10s+10s@20.001s/30s,delay=65ms@8s,rate=400kbit@1234567us");
    const lt_link_params params = params_of(spec);
    char text[LT_PARAMS_TEXT], again[LT_PARAMS_TEXT], tiny[8];
    const lt_link_params copy = params_of(lt_link_params_format(&params, text, sizeof text));
    CHECK(std::string(lt_link_params_format(&copy, again, sizeof again)) == text);
    CHECK(copy.delay == params.delay);
    CHECK(copy.queue.value == params.queue.value);
    CHECK(copy.gilbert.p == Approx(params.gilbert.p));
    CHECK(copy.aqm_flows == params.aqm_flows);
    CHECK(copy.outages.count == params.outages.count);
    CHECK(std::string(lt_link_params_format(&params, tiny, sizeof tiny)).size() == 7);
    CHECK(std::string(lt_link_params_help()).find("gilbert") != std::string::npos);
}

TEST_CASE("params: the keys of queues, routes and plans")
{
    lt_link_params params = params_of("aqm=fq-codel:2ms,ecn=l4s,policer=1mbit:10kB,"
                                      "routes=0+12ms/1%,outage=1s@5s+2s@10s/20s,"
                                      "delay=9ms@7s,rate=2mbit@3s,loss=1%@7s");
    CHECK(params.aqm == LT_AQM_FQ_CODEL);
    CHECK(params.aqm_target == 2000);
    CHECK(params.aqm_interval == 100000);
    CHECK(params.aqm_flows == 1024);
    CHECK(params.ecn_classic);
    CHECK(params.ecn_l4s == 1000);
    CHECK(params.policer.burst == 10000);
    REQUIRE(params.routes.count == 2);
    CHECK(params.routes.route[1].delay == 12000);
    CHECK(params.routes.route[1].loss == Approx(0.01));
    REQUIRE(params.outages.count == 2);
    CHECK(params.outages.outage[1].every == 20000000);
    CHECK(params.delay == 0); /* planned, not yet */
    REQUIRE(params.change_count == 3);
    CHECK(params.changes[0].spec == std::string("rate=2mbit"));
    CHECK(params.changes[1].spec == std::string("delay=9ms"));
    CHECK(params.changes[2].spec == std::string("loss=1%"));
    CHECK(params_of("aqm=codel,ecn=classic").ecn_classic);
    CHECK_FALSE(params_of("aqm=codel,ecn,ecn=20p").ecn_classic);

    std::string many = "delay=1ms@1s";
    for (int i = 1; i < LT_MAX_CHANGES; i++)
        many += ",delay=1ms@1s";
    CHECK(params_of(many).change_count == LT_MAX_CHANGES);
    livetcp_error error = {};
    CHECK(lt_link_params_parse(&params, (many + ",delay=1ms@1s").c_str(), &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}
