/* SPDX-License-Identifier: MIT */
/* A run that never ran: two schemes, one stream each, with whatever delays a test wants. */
#ifndef LT_TESTS_BENCH_FIXTURE_H
#define LT_TESTS_BENCH_FIXTURE_H

#include "catch.h"

extern "C" {
#include "lab/bench/report.h"
}

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

struct FakeRun {
    std::unique_ptr<lt_bench_options> options{new lt_bench_options()};
    std::unique_ptr<lt_bench_log> log{new lt_bench_log()};
    lt_outcomes outcomes = {};

    explicit FakeRun(lt_media_direction direction = LT_MEDIA_FORWARD)
    {
        lt_plan &plan = options->plan;
        plan.flows = 1;
        plan.direction = direction;
        plan.size = 1448;
        plan.interval = 20000;
        plan.warmup = 200000;
        plan.duration = 20000000;
        REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
        options->seed = 1;
        options->emulated = true;
        lt_link_params_init(&options->link[0]);
        lt_link_params_init(&options->link[1]);
        options->link[0].delay = options->link[1].delay = 50000;
        std::strcpy(options->link_text[0], "delay=50ms,loss=1%");
        std::strcpy(options->link_text[1], "delay=50ms");
        options->scheme_count = log->count = 2;
        std::strcpy(options->schemes[0].label, "single");
        std::strcpy(options->schemes[1].label, "a \"quoted\", label");
        for (unsigned i = 0; i < 2; i++) {
            std::strcpy(options->schemes[i].spec, "single");
            lt_run &run = log->runs[i];
            run.options = options.get();
            run.scheme = &options->schemes[i];
            run.start = 1000000;
            run.end = run.start + 25000000;
            REQUIRE(lt_shared_create(&run.shared, &plan, nullptr) == LIVETCP_OK);
            run.shared->endpoint[LT_NEAR].totals.media_bytes = 1000000;
            run.shared->endpoint[LT_NEAR].totals.bytes_sent = 1050000;
            run.shared->endpoint[LT_NEAR].cpu = 20000;
            run.counters[0].link.in_bytes = 1100000;
        }
    }

    ~FakeRun()
    {
        lt_outcomes_clear(&outcomes);
        for (unsigned i = 0; i < log->count; i++)
            lt_shared_destroy(&log->runs[i].shared);
    }

    FakeRun(const FakeRun &) = delete;
    FakeRun &operator=(const FakeRun &) = delete;

    /* Fills in the packets of a stream; a delay of LT_DELAY_NEVER is a loss. */
    void fill(unsigned scheme, unsigned stream, const std::function<livetcp_usec(uint32_t)> &delay)
    {
        const lt_run &run = log->runs[scheme];
        for (uint32_t i = 0; i < options->plan.packets; i++) {
            lt_record *record = lt_shared_record(run.shared, &options->plan, stream, i);
            livetcp_usec d = delay(i);
            record->sent = run.start + lt_plan_due(&options->plan, stream, i) + 10;
            record->arrival = d == LT_DELAY_NEVER ? 0 : record->sent + d;
        }
    }

    void make()
    {
        lt_outcomes_clear(&outcomes);
        REQUIRE(lt_outcomes_make(log.get(), &outcomes, nullptr) == LIVETCP_OK);
    }
};

/* What a report function writes. */
inline std::string written(const std::function<void(FILE *)> &write)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    write(out);
    std::fclose(out);
    std::string result(text, size);
    std::free(text);
    return result;
}

#endif
