/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/probe/report.h"
#include "lab/probe/simulation.h"
}

#include <jansson.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static lt_probe_options options(const char *spec)
{
    lt_probe_options o = {};
    o.mode = LT_PROBE_SIMULATION;
    o.step = 1e6;
    o.max_rate = INFINITY;
    o.size = 1250;
    o.samples = 50;
    o.extensions = 1;
    o.interval = 10000;
    o.settle = LIVETCP_USEC_SEC;
    o.delay_target = 150000;
    o.seed = 1;
    o.quiet = true;
    snprintf(o.simulation, sizeof o.simulation, "%s", spec);
    return o;
}

struct findings {
    lt_probe_options with;
    lt_probe_findings of = {};
    explicit findings(const char *spec) : with(options(spec))
    {
        REQUIRE(lt_findings_create(&with, &of, nullptr) == LIVETCP_OK);
        REQUIRE(lt_simulation_run(&of, nullptr) == LIVETCP_OK);
        REQUIRE(lt_findings_bound(&of, nullptr) == LIVETCP_OK);
    }
    ~findings()
    {
        lt_findings_clear(&of);
    }
};

TEST_CASE("a specification is in packets of the given size")
{
    lt_flow_config config;

    REQUIRE(lt_simulation_parse("static,window=500kbit,rate=10mbit,delay=50ms", 1250, &config,
                                nullptr) == LIVETCP_OK);
    CHECK(config.window == 50);
    CHECK(config.rate == 1000);
    CHECK(config.delay == 0.05);
    CHECK(config.loss == 0);
    REQUIRE(lt_simulation_parse("adaptive,loss=0.1%,delay=5ms,window=41p", 1250, &config,
                                nullptr) == LIVETCP_OK);
    CHECK(config.window == 41);
    CHECK(std::isinf(config.rate));
    CHECK(config.loss == Approx(0.001));
}

TEST_CASE("a simulation is reported as JSON that says what it found")
{
    findings f("static,window=500kbit,rate=10mbit,delay=50ms");
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    REQUIRE(lt_probe_report_json(&f.of, out, nullptr) == LIVETCP_OK);
    fclose(out);
    json_t *root = json_loads(text, 0, nullptr);
    REQUIRE(root);
    CHECK(std::string(json_string_value(json_object_get(root, "schema"))) == "livetcp/probe/1");
    CHECK(json_array_size(json_object_get(root, "rates")) == 6);
    json_t *curve = json_object_get(root, "service_curve");
    CHECK(json_number_value(json_object_get(curve, "long_term_bit_s")) == 5e6);
    CHECK(json_array_size(json_object_get(curve, "points")) == 5);
    json_t *first = json_array_get(json_object_get(root, "rates"), 0);
    CHECK(std::string(json_string_value(json_object_get(first, "state"))) == "steady");
    CHECK(json_number_value(json_object_get(json_object_get(first, "quantile"), "value_ms")) == 50);
    json_t *delays = json_object_get(first, "delays");
    CHECK(json_is_null(json_object_get(delays, "network")));
    json_t *ccdf = json_object_get(json_object_get(delays, "total"), "ccdf");
    REQUIRE(json_array_size(ccdf) == 50);
    CHECK(json_number_value(json_array_get(json_array_get(ccdf, 49), 1)) == 0);
    CHECK(json_is_null(json_object_get(root, "path")));
    CHECK(json_is_null(json_object_get(root, "video")));
    json_decref(root);
    free(text);
}

TEST_CASE("the same seed gives the same findings, another one others")
{
    findings a("adaptive,loss=1%,delay=20ms"), b("adaptive,loss=1%,delay=20ms");
    size_t n, m;
    auto p = lt_estimator_points(a.of.estimator, &n), q = lt_estimator_points(b.of.estimator, &m);

    REQUIRE(n == m);
    REQUIRE(n > 0);
    for (size_t i = 0; i < n; i++)
        CHECK(p[i].delay_us == q[i].delay_us);
}
