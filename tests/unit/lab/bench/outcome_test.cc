/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <algorithm>
#include <cmath>

TEST_CASE("warm-up is not counted")
{
    FakeRun run;
    uint32_t warmup = run.options->plan.warmup_rounds;
    REQUIRE(warmup == 10);
    run.fill(0, 0, [&](uint32_t i) { return i < warmup ? 900000 : 51000; });
    run.fill(1, 0, [](uint32_t) { return 52000; });
    run.make();
    REQUIRE(run.outcomes.count == 2);
    CHECK(run.outcomes.outcomes[0].all.sent == 1000);
    CHECK(run.outcomes.outcomes[0].all.max == 51000);
    CHECK(run.outcomes.outcomes[1].all.p50 == 52000);
    CHECK(run.outcomes.outcomes[0].lateness.p50 == 10);
}

TEST_CASE("a packet that was never sent counts as lost")
{
    FakeRun run;
    run.fill(0, 0, [](uint32_t) { return 51000; });
    lt_shared_record(run.log->runs[0].shared, &run.options->plan, 0, 500)->sent = 0;
    run.make();
    CHECK(run.outcomes.outcomes[0].all.lost == 1);
    CHECK(run.outcomes.outcomes[1].all.lost == 1000);
    CHECK(run.outcomes.outcomes[1].all.p50 == LT_DELAY_NEVER);
}

TEST_CASE("costs are per byte of media and per packet")
{
    FakeRun run;
    run.make();
    CHECK(run.outcomes.outcomes[0].bytes_ratio == Approx(1.05));
    CHECK(run.outcomes.outcomes[0].wire_ratio == Approx(1.1));
    CHECK(run.outcomes.outcomes[0].cpu_send == Approx(20));
    run.options->load.ftp = 1; /* whose bytes on the wire are not the media's */
    run.log->runs[0].shared->background[LT_FAR].ftp_bytes = 20000000;
    run.make();
    CHECK(std::isnan(run.outcomes.outcomes[0].wire_ratio));
    CHECK(run.outcomes.outcomes[0].ftp_rate == Approx(8e6));
}

TEST_CASE("of a greedy source counts what it sent in time")
{
    FakeRun run;
    lt_plan &plan = run.options->plan;
    plan.greedy = true;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    for (uint32_t i = 0; i < 100; i++) { /* every 10 ms; the first 20 in the warm-up */
        lt_record *record = lt_shared_record(run.log->runs[0].shared, &plan, 0, i);
        record->sent = run.log->runs[0].start + i * 10000;
        record->arrival = i == 99 ? 0 : record->sent + 60000;
    }
    run.make();
    const lt_outcome &o = run.outcomes.outcomes[0];
    CHECK(o.all.sent == 80);
    CHECK(o.all.lost == 1);
    CHECK(o.all.p50 == 60000);
    CHECK(o.lateness.sent == 0); /* it has no schedule */
    /* 14 to 98 arrived in the measured 20 s. */
    CHECK(o.media_rate == Approx(85 * 8 * 1446 / 20.0));
    CHECK(run.outcomes.outcomes[1].all.sent == 0);
    std::string raw = written([&](FILE *out) { lt_report_raw(&run.outcomes, out); });
    CHECK(std::count(raw.begin(), raw.end(), '\n') == 1 + 100);
    std::string table = written([&](FILE *out) { lt_report_table(&run.outcomes, out); });
    CHECK(table.find("as fast as they are taken") != std::string::npos);
    CHECK(table.find("the source was late") == std::string::npos);
}

TEST_CASE("the first packets after a silence are told apart")
{
    FakeRun run;
    lt_plan &plan = run.options->plan;
    plan.talkspurt = 1000000;
    plan.silence = 1000000;
    plan.opening = 2;
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    run.fill(0, 0, [](uint32_t i) { return i % 50 == 0 ? 90000 : i % 50 == 1 ? 70000 : 51000; });
    run.make();
    const lt_outcome &o = run.outcomes.outcomes[0];
    CHECK(o.opening.sent == 20); /* of ten talkspurts */
    CHECK(o.opening.p50 == 70000);
    CHECK(o.opening.max == 90000);
    std::string table = written([&](FILE *out) { lt_report_table(&run.outcomes, out); });
    CHECK(table.find("first 2 of a talkspurt") != std::string::npos);
}

TEST_CASE("throughput of everything on the path is in the table")
{
    FakeRun run;
    run.options->load.mice = 8;
    run.options->load.cbr = 1000000;
    run.options->load.peer = true;
    lt_background_report &sink = run.log->runs[0].shared->background[LT_FAR];
    sink.peer_bytes = 5000000;
    sink.mice_bytes = 2500000;
    sink.cbr_bytes = 1250000;
    run.make();
    const lt_outcome &o = run.outcomes.outcomes[0];
    CHECK(o.peer_rate == Approx(2e6));
    CHECK(o.mice_rate == Approx(1e6));
    CHECK(o.cbr_rate == Approx(0.5e6));
    CHECK(std::isnan(o.wire_ratio));
    std::string table = written([&](FILE *out) { lt_report_table(&run.outcomes, out); });
    CHECK(table.find("8 mouse flows, 1 Mbit/s of UDP, and the peer") != std::string::npos);
    CHECK(table.find("2.000    1.000    0.500") != std::string::npos);
}

TEST_CASE("packets sent near a stall are flagged for every scheme")
{
    FakeRun run;
    lt_stall_log &stalls = run.log->runs[1].shared->endpoint[LT_FAR].stalls;
    livetcp_usec start = run.log->runs[0].start;
    lt_stall_note(&stalls, start - 100000, start - 80000); /* before anything was sent */
    lt_stall_note(&stalls, start + 10000000, start + 10080000);
    lt_stall_note(&stalls, start + 26000000, start + 26080000); /* after everything had come */
    auto delay = [&](uint32_t i) {
        livetcp_usec due = lt_plan_due(&run.options->plan, 0, i);
        return due > 9900000 && due < 10080000 ? 130000 : 51000;
    };
    run.fill(0, 0, delay);
    run.fill(1, 0, delay);
    run.make();
    REQUIRE(run.outcomes.stall_count == 1);
    CHECK(run.outcomes.stalled == 80000);
    for (unsigned i = 0; i < 2; i++) {
        const lt_outcome &o = run.outcomes.outcomes[i];
        /* 80 ms and 100 ms, the round trip, on either side: 14 packets. */
        CHECK(o.flagged == 14);
        CHECK(o.all.p999 == 130000);
        CHECK(o.clean.max == 51000);
        CHECK(o.clean.sent == 986);
        CHECK(lt_outcome_headline(&o) == &o.all);
        run.options->discard_stalls = true;
        CHECK(lt_outcome_headline(&o) == &o.clean);
        run.options->discard_stalls = false;
    }
}

TEST_CASE("each direction is compared with its own reference")
{
    FakeRun run(LT_MEDIA_BOTH);
    run.fill(0, 0, [](uint32_t) { return 60000; });
    run.fill(0, 1, [](uint32_t) { return 70000; });
    run.make();
    REQUIRE(run.outcomes.count == 4);
    const lt_outcome *o = run.outcomes.outcomes;
    CHECK_FALSE(o[0].backward);
    CHECK(o[2].backward);
    CHECK(o[0].all.p50 == 60000);
    CHECK(o[2].all.p50 == 70000);
    CHECK(lt_outcome_reference(&run.outcomes, &o[0]) == nullptr);
    CHECK(lt_outcome_reference(&run.outcomes, &o[1]) == &o[0]);
    CHECK(lt_outcome_reference(&run.outcomes, &o[2]) == nullptr);
    CHECK(lt_outcome_reference(&run.outcomes, &o[3]) == &o[2]);
}

TEST_CASE("the time of a full queue")
{
    lt_link_params link;
    lt_link_params_init(&link);
    CHECK(lt_link_full_queue(&link) == 0);
    REQUIRE(lt_link_params_parse(&link, "rate=30mbit,queue=100p", nullptr) == LIVETCP_OK);
    CHECK(lt_link_full_queue(&link) == 40000);
    REQUIRE(lt_link_params_parse(&link, "rate=3mbit,queue=50kB", nullptr) == LIVETCP_OK);
    CHECK(lt_link_full_queue(&link) == Approx(133333).margin(4000)); /* kB of 1000 or 1024 */
}

TEST_CASE("of an adaptive source counts what was sent in time, and each frame's rate once")
{
    FakeRun run;
    lt_plan &plan = run.options->plan;
    plan.adaptive = true;
    plan.encoder.start_rate = plan.encoder.max_rate = 8e6;
    lt_frame_sizes_ideal(&plan.encoder.sizes);
    REQUIRE(lt_plan_make(&plan, 1, nullptr) == LIVETCP_OK);
    run.options->link[0].rate = 1000000;
    lt_run &first = run.log->runs[0];
    REQUIRE(plan.packets >= 40);
    lt_shared_destroy(&first.shared);
    REQUIRE(lt_shared_create(&first.shared, &plan, nullptr) == LIVETCP_OK);
    for (uint32_t i = 0; i < 40; i++) { /* two packets a frame; ten frames in the warm-up */
        lt_record *record = lt_shared_record(first.shared, &plan, 0, i);
        record->frame = i / 2;
        record->size = 1000;
        record->rate = i < 30 ? 600000 : 900000;
        record->sent = first.start + lt_plan_due(&plan, 0, i / 2) + 5;
        record->arrival = record->sent + (i < 20 ? 90000 : 50000 + i);
    }
    run.log->count = 1;
    run.make();
    run.log->count = 2;
    const lt_outcome &o = run.outcomes.outcomes[0];
    CHECK(o.whole.sent == 40);
    CHECK(o.whole.max == 90000);
    CHECK(o.all.sent == 20);
    CHECK(o.all.max == 50039);
    CHECK(o.lateness.max == 5);
    CHECK(o.rates.frames == 10);
    CHECK(o.rates.min == 600000);
    CHECK(o.rates.mean == Approx(750000));
    CHECK(o.rates.last == 900000);
    /* Those of the last frames of the warm-up came after it. */
    CHECK(o.arrived_bytes >= 20000);
    CHECK(o.arrived_bytes <= 30000);
    CHECK(o.link_share == Approx(double(o.arrived_bytes) * 8 / 20 / 1e6));
    auto raw = written([&](FILE *out) { lt_report_raw(&run.outcomes, out); });
    CHECK(raw.find(",delay_us,frame,bytes,rate_bit_s\n") != std::string::npos);
    CHECK(raw.find(",19,1000,900000\n") != std::string::npos);
    CHECK(raw.find(",20,1000") == std::string::npos);
    auto table = written([&](FILE *out) { lt_report_table(&run.outcomes, out); });
    CHECK(table.find("encoder, kbit/s") != std::string::npos);
    CHECK(table.find("delay with warm-up, ms") != std::string::npos);
}
