/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <cstdlib>
#include <fstream>
#include <jansson.h>
#include <sstream>

template <typename Write> static std::string written(Write write)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    write(out);
    fclose(out);
    std::string result(text, size);
    std::free(text);
    return result;
}

static std::string printed(const Host &host, bool colour = false)
{
    lt_diagnosis diagnosis;
    lt_diagnose(&diagnosis, &host.facts);
    return written([&](FILE *out) { lt_doctor_print(&diagnosis, colour, out); });
}

static Host default_host()
{
    Host host;
    host.set(LT_SYSCTL_SLOW_START_AFTER_IDLE, "1");
    host.set(LT_SYSCTL_ECN, "2");
    host.set(LT_SYSCTL_SACK, "0");
    host.lose(LT_SYSCTL_RMEM_MAX);
    host.facts.route.initcwnd = 4;
    return host;
}

/* After a change that is meant: LIVETCP_UPDATE=1 build/dev/tests/unit/doctor/unit-doctor */
TEST_CASE("the report for people is as it was")
{
    std::string text = printed(default_host());
    if (std::getenv("LIVETCP_UPDATE"))
        std::ofstream(LIVETCP_DOCTOR_GOLDEN) << text;
    std::ifstream in(LIVETCP_DOCTOR_GOLDEN);
    std::stringstream golden;
    golden << in.rdbuf();
    CHECK(text == golden.str());
}

TEST_CASE("the report fits 80 columns, but for commands, and is plain text unless asked")
{
    Host worst;
    for (int i = 0; i < LT_SYSCTL_COUNT; i++)
        worst.set((lt_sysctl)i, "0");
    for (const Host &host : {default_host(), worst, Host()}) {
        std::istringstream lines(printed(host));
        for (std::string line; std::getline(lines, line);)
            if (line.find("    Change ") != 0 && line.size() > 80)
                FAIL_CHECK(line);
        CHECK(printed(host).find('\033') == std::string::npos);
        CHECK(printed(host, true).find('\033') != std::string::npos);
    }
}

TEST_CASE("a host where nothing costs delay gets no advice")
{
    std::string text = printed(Host());
    CHECK(text.find("0 of 34 checks") == 0);
    CHECK(text.find("Costs delay") == std::string::npos);
    CHECK(text.find("Nothing was changed") == std::string::npos);
}

TEST_CASE("the report for programs")
{
    Host host = default_host();
    host.facts.sysctl[LT_SYSCTL_CC].text[0] = '\xff'; /* not UTF-8 */
    lt_diagnosis diagnosis;
    lt_diagnose(&diagnosis, &host.facts);
    std::string text = written([&](FILE *out) {
        livetcp_error error;
        CHECK(lt_doctor_json(&diagnosis, out, &error) == LIVETCP_OK);
    });
    json_error_t error;
    json_t *root = json_loads(text.c_str(), 0, &error);
    REQUIRE(root);
    CHECK(json_string_value(json_object_get(root, "schema")) == std::string("livetcp/doctor/1"));
    json_t *machine = json_object_get(root, "machine");
    CHECK(json_string_value(json_object_get(machine, "kernel")) == std::string("6.18.0-test"));
    CHECK(json_string_value(json_object_get(machine, "interface")) == std::string("eth7"));
    json_t *sysctls = json_object_get(root, "sysctls");
    CHECK(json_object_size(sysctls) == LT_SYSCTL_COUNT);
    CHECK(json_is_null(json_object_get(sysctls, "net.core.rmem_max")));
    CHECK(json_string_value(json_object_get(sysctls, "net.ipv4.tcp_sack")) == std::string("0"));

    json_t *checks = json_object_get(root, "checks"), *check;
    REQUIRE(!lt_check_at(json_array_size(checks)));
    REQUIRE(lt_check_at(json_array_size(checks) - 1));
    size_t index;
    json_array_foreach(checks, index, check)
    {
        std::string state = json_string_value(json_object_get(check, "state"));
        std::string name = json_string_value(json_object_get(check, "name"));
        CHECK(name == lt_check_at(index)->name);
        CHECK((json_object_get(check, "cost") != nullptr) == (state == "costs"));
        if (name == "slow-start-after-idle") {
            json_t *cost = json_object_get(check, "cost");
            CHECK(json_string_value(json_object_get(cost, "when")) == std::string("silence"));
            CHECK(json_number_value(json_object_get(cost, "ms")) == 110);
            CHECK(json_number_value(json_object_get(cost, "round_trips")) == 1);
            CHECK(json_string_value(json_object_get(check, "command")) ==
                  std::string("sysctl -w net.ipv4.tcp_slow_start_after_idle=0"));
        }
    }
    json_decref(root);
}
