/* SPDX-License-Identifier: MIT */
// Routes from words and from YAML.
#include "catch.h"

extern "C" {
#include "relay/plan/plan.h"
}

#include <cstring>
#include <string>

namespace
{

struct plan {
    lt_relay_plan routes;
    livetcp_error error = {};
    livetcp_result result;

    explicit plan(const std::string &text)
    {
        result = lt_relay_plan_yaml(&routes, "f.yaml", text.data(), text.size(), &error);
    }
    ~plan()
    {
        lt_relay_plan_clear(&routes);
    }
};

} // namespace

TEST_CASE("a command line is one route")
{
    const char *words[] = {"udp://:5000?encap=ts", "livetcp://:5004", "livetcp://h:1?order=arrival",
                           nullptr};
    lt_relay_plan p;
    livetcp_error error = {};
    REQUIRE(lt_relay_plan_words(&p, words, &error) == LIVETCP_OK);
    REQUIRE(p.count == 1);
    CHECK(p.routes[0].count == 3);
    // MPEG-TS has to be in order, unless the URI says something else.
    CHECK(p.routes[0].ends[1].session.order == LIVETCP_ORDER_SEQUENCE);
    CHECK(p.routes[0].ends[2].session.order == LIVETCP_ORDER_ARRIVAL);
    lt_relay_plan_clear(&p);

    words[1] = nullptr;
    CHECK(lt_relay_plan_words(&p, words, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::strstr(error.message, "OUT is missing"));
    words[1] = words[0];
    CHECK(lt_relay_plan_words(&p, words, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::strstr(error.message, "circle"));
    CHECK(lt_relay_plan_words(&p, nullptr, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::strstr(error.message, "IN is missing"));
}

TEST_CASE("more OUTs than a route may have are refused")
{
    const char *words[40];
    for (auto &word : words)
        word = "livetcp://:5004";
    words[39] = nullptr;
    lt_relay_plan p;
    livetcp_error error = {};
    CHECK(lt_relay_plan_words(&p, words, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::strstr(error.message, "32"));
}

#ifdef LT_RELAY_HAS_YAML

TEST_CASE("routes in YAML")
{
    plan p("# studio\nroutes:\n  camera-1:\n    in: udp://:5000\n    out:\n"
           "      - livetcp://h:1\n      - livetcp://:2\n  talk:\n    in: \"rtp://:6000\"\n"
           "    out: livetcp://h:3\n");
    INFO(p.error.message);
    REQUIRE(p.result == LIVETCP_OK);
    REQUIRE(p.routes.count == 2);
    CHECK(std::string(p.routes.routes[0].name) == "camera-1");
    CHECK(p.routes.routes[0].count == 3);
    plan q("{routes: {camera-1: {out: [livetcp://h:1, livetcp://:2], in: udp://:5000}}}");
    REQUIRE(q.result == LIVETCP_OK);
    CHECK(lt_relay_plan_route_equal(&p.routes.routes[0], &q.routes.routes[0]));
    CHECK_FALSE(lt_relay_plan_route_equal(&p.routes.routes[1], &q.routes.routes[0]));
}

TEST_CASE("a bad file is named with its line")
{
    const std::string good = "routes:\n  a:\n    in: udp://:5\n    out: livetcp://:6\n";
    const struct {
        std::string text;
        const char *says;
    } cases[] = {
        {"", "f.yaml:1: the file begins with routes:"},
        {"routes:", "f.yaml:1: routes: is a mapping"},
        {"routes: {}", "there is no route"},
        {"a: [", "no YAML"},
        {"\troutes: x", "no YAML"},
        {"rutes: {}", "f.yaml:1: the file has routes:"},
        {good + "  a:\n    in: udp://:7\n    out: livetcp://:8\n",
         "f.yaml:5: another route has this name"},
        {"routes:\n  a b:\n    in: udp://:5\n    out: livetcp://:6\n", "f.yaml:2: a route's name"},
        {"routes:\n  a: 7\n", "f.yaml:2: a route is a mapping"},
        {"routes:\n  a:\n    in: udp://:5\n", "has no out:"},
        {"routes:\n  a:\n    out: udp://:5\n", "has no in:"},
        {"routes:\n  a:\n    in: udp://:5\n    out: []\n", "OUT is missing"},
        {"routes:\n  a:\n    in: [udp://:5]\n    out: livetcp://:6\n", "f.yaml:3: a URI"},
        {"routes:\n  a:\n    in: udp://:5\n    in: udp://:5\n    out: livetcp://:6\n", "twice"},
        {"routes:\n  a:\n    in: udp://:5\n    out: livetcp://:6\n    ot: x\n",
         "f.yaml:5: a route has in:"},
        {"routes:\n  a:\n    in: udp://:5?x=1\n    out: livetcp://:6\n", "f.yaml:3: 'x' is no key"},
        {std::string("routes: \"a\0b\"", 13), "f.yaml:1: no YAML"},
    };
    for (const auto &c : cases) {
        plan p(c.text);
        INFO(c.text);
        INFO(p.error.message);
        CHECK(p.result == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(p.routes.count == 0);
        CHECK(std::strstr(p.error.message, c.says));
    }
}

#endif
