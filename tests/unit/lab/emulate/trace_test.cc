/* SPDX-License-Identifier: MIT */
/* Traces in Mahimahi's format, and links that run by them. */
#include "emulate_test.h"

extern "C" {
#include "lab/emulate/trace.h"
}

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace
{

const livetcp_usec hour = livetcp_usec{3600} * LIVETCP_USEC_SEC;

/* A file for the length of a test. */
class File
{
  public:
    explicit File(const std::string &text)
    {
        char pattern[] = "trace-XXXXXX";
        const int fd = mkstemp(pattern);
        REQUIRE(fd >= 0);
        close(fd);
        name = pattern;
        std::ofstream(name) << text;
    }
    ~File()
    {
        std::remove(name.c_str());
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    std::string name;
};

std::string fault(const std::string &text)
{
    lt_rate_trace *trace = nullptr;
    livetcp_error error = {};
    CHECK(lt_rate_trace_parse(text.data(), text.size(), "lte.trace", &trace, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(trace == nullptr);
    return error.message;
}

} // namespace

TEST_CASE("trace: opportunities repeat, and are found by time")
{
    lt_rate_trace *trace;
    const std::string text = "0\n3\r\n3\n10"; /* the last line without an end */
    REQUIRE(!lt_rate_trace_parse(text.data(), text.size(), "", &trace, nullptr));
    const livetcp_usec at[] = {0, 3, 3, 10, 10, 13, 13, 20, 20, 23};
    for (std::uint64_t i = 0; i < 10; i++)
        CHECK(lt_rate_trace_time(trace, i) == at[i] * 1000);
    CHECK(lt_rate_trace_after(trace, -1) == 0);
    CHECK(lt_rate_trace_after(trace, 0) == 1);
    CHECK(lt_rate_trace_after(trace, 2999) == 1);
    CHECK(lt_rate_trace_after(trace, 3000) == 3);
    CHECK(lt_rate_trace_after(trace, 9999) == 3);
    CHECK(lt_rate_trace_after(trace, 10000) == 5);
    CHECK(lt_rate_trace_after(trace, 24000) == 11);
    lt_rate_trace_destroy(&trace);
    CHECK(trace == nullptr);
}

TEST_CASE("trace: a fault is named with its line and what was expected")
{
    using Catch::Matchers::Contains;
    CHECK_THAT(fault("1\n2\n3.5\n"),
               Contains("lte.trace, line 3: '3.5'") && Contains("whole number of milliseconds"));
    CHECK_THAT(fault("5\n4\n"), Contains("line 2: '4'") && Contains("not less than"));
    CHECK_THAT(fault("1\n\n3\n"), Contains("line 2"));
    CHECK_THAT(fault("1\n-3\n"), Contains("line 2: '-3'"));
    CHECK_THAT(fault("99999999999\n"), Contains("line 1"));
    CHECK_THAT(fault("<!DOCTYPE html>\n"), Contains("line 1: '<!DOCTYPE html>'"));
    CHECK_THAT(fault(""), Contains("line 1"));
    CHECK_THAT(fault("0\n0\n"), Contains("the last is above 0"));
}

TEST_CASE("trace: params read the file, and refuse what is none")
{
    const File good("10\n20\n"), bad("10\nfast\n");
    lt_link_params params = params_of("rate=5mbit,trace=" + good.name);
    CHECK(params.trace == good.name);
    CHECK(params.rate == 0);
    CHECK(params_of("trace=" + good.name + ",rate=5mbit").trace == std::string());
    livetcp_error error = {};
    const std::string spec = "trace=" + bad.name;
    CHECK(lt_link_params_parse(&params, spec.c_str(), &error) != LIVETCP_OK);
    CHECK(std::string(error.message).find(bad.name + ", line 2: 'fast'") == 0);
    CHECK(lt_link_params_parse(&params, "trace=/nonexistent/lte", &error) == LIVETCP_ERR_SYSTEM);
    CHECK(std::string(error.message).find("/nonexistent/lte") != std::string::npos);
    CHECK(params.trace == good.name);
}

TEST_CASE("link: a trace sends what its opportunities carry")
{
    const File file("10\n20\n20\n50\n");
    Link link("queue=off,trace=" + file.name);
    lt_link_begin(link.link, 1000000);
    /* 1504 bytes at 10 ms, 3008 at 20, 1504 at 50, and again from 60. */
    link.push(1000000, 0, 1504);
    link.push(1000000, 1, 500);
    link.push(1000000, 2, 500);
    link.push(1000000, 3, 2500); /* 504 and 1504 at 20 ms, 492 at 50 */
    link.push(1000000, 4, 100);
    auto out = link.run();
    REQUIRE(out.size() == 5);
    const livetcp_usec at[] = {10, 20, 20, 50, 50};
    for (std::size_t i = 0; i < out.size(); i++)
        CHECK(out[i].departure == 1000000 + at[i] * 1000);
    /* What is not used is lost: the next packet does not get the rest of the one at 50 ms. */
    link.push(1050000, 5, 100);
    out = link.run();
    REQUIRE(out.size() == 1);
    CHECK(out[0].departure == 1060000);
    /* An hour later, in the middle of the third opportunity's wait. */
    link.push(1000000 + hour + 21000, 6, 100);
    out = link.run();
    CHECK(out[0].departure == 1000000 + hour + 50000);
}

TEST_CASE("link: the throughput of a trace is its mean, whatever the packets")
{
    std::string text;
    for (int i = 1; i <= 1000; i++)
        for (int n = 0; n < i % 4; n++)
            text += std::to_string(i) + "\n";
    const File file(text + "1000\n");
    Link link("queue=off,trace=" + file.name);
    lt_link_begin(link.link, 0);
    std::uint64_t bytes = 0;
    for (std::uintptr_t i = 0; i < 20000; i++) {
        link.push(0, i, 40 + i * 37 % 1460);
        bytes += 40 + i * 37 % 1460;
    }
    const auto out = link.run();
    REQUIRE(out.size() == 20000);
    const double rate = 8.0 * 1501 * 1504;
    CHECK(static_cast<double>(out.back().departure) / 1e6 ==
          Approx(8.0 * static_cast<double>(bytes) / rate).epsilon(0.001));
}

TEST_CASE("link: a trace drives an AQM, and a planned rate ends it")
{
    const File file("10\n");
    Link link("queue=off,aqm=codel,trace=" + file.name + ",rate=12mbit@1s");
    lt_link_begin(link.link, 0);
    for (std::uintptr_t i = 0; i < 200; i++)
        link.push(0, i, 1504);
    link.run(999999);
    const auto before = link.counters();
    CHECK(before.out_packets == 99);
    CHECK(before.dropped_aqm > 3);
    const auto out = link.run();
    CHECK(link.counters().out_packets + link.counters().dropped_aqm == 200);
    CHECK(out.back().departure < 1110000);
}
