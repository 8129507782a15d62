/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <cmath>
#include <vector>

static lt_playout_list parse(const char *text, const char *codec = nullptr)
{
    lt_playout_list list = {};
    livetcp_error error = {};
    INFO(text);
    REQUIRE(lt_playout_parse(&list, text, codec, 100000, 20000, &error) == LIVETCP_OK);
    return list;
}

static lt_playout play(std::vector<livetcp_usec> delays)
{
    lt_playout playout = {};
    playout.delay = 100;
    for (livetcp_usec delay : delays) {
        if (delay < 0)
            lt_playout_interrupt(&playout);
        else
            lt_playout_take(&playout, lt_playout_part(&playout, delay, LT_DELAY_NEVER));
    }
    lt_playout_rate(&playout, livetcp_speech_codec_find("g711-plc"));
    return playout;
}

TEST_CASE("playout delays are over L, and static is RTT + 3/f")
{
    lt_playout_list list = parse("0,12.5,static,60000");
    REQUIRE(list.count == 4);
    CHECK(list.points[0].over == 0);
    CHECK(list.points[1].over == 12500);
    CHECK(std::string(list.points[1].name) == "12.5");
    CHECK(list.points[2].over == 160000);
    CHECK(list.points[3].over == 60000000);
    CHECK(std::string(list.codec->name) == "g711-plc");
    CHECK(std::string(parse("1", "opus").codec->name) == "opus");
    CHECK(parse(nullptr).count == 0);
}

TEST_CASE("what is no playout delay is named")
{
    for (const char *bad :
         {"", "10,", ",10", "fast", "10m", "-1", "60001", "61s", "nan", "inf", "statics", "10,,20",
          "12345678901234567890", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"}) {
        lt_playout_list list = {};
        livetcp_error error = {};
        INFO(bad);
        CHECK(lt_playout_parse(&list, bad, nullptr, 0, 1, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(error.message).find("--playout") == 0);
    }
    lt_playout_list list = {};
    livetcp_error error = {};
    CHECK(lt_playout_parse(&list, "1", "mp3", 0, 1, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("g729a") != std::string::npos);
}

TEST_CASE("a packet is late when it arrives after it is played, or never")
{
    lt_playout p = play({99, 100, 101, LT_DELAY_NEVER, 50});
    CHECK(p.packets == 5);
    CHECK(p.late == 2);
    CHECK(p.bursts == 1);
    CHECK(lt_playout_late_share(&p) == Approx(0.4));
    CHECK(p.burst_ratio == Approx(2 * 0.6));
    p = play({101, 50, 101, -1, 101, 50, 50, 50});
    CHECK(p.late == 3);
    CHECK(p.bursts == 3); /* the third does not follow the second */
}

TEST_CASE("MOS falls with late packets, and is unknown without any")
{
    std::vector<livetcp_usec> delays(100, 50);
    lt_playout clean = play(delays);
    CHECK(clean.mos == clean.max_mos);
    CHECK(clean.mos == Approx(4.41).margin(0.01));
    CHECK(clean.burst_ratio == 1);
    delays[10] = delays[11] = 101;
    lt_playout some = play(delays);
    CHECK(some.max_mos == clean.mos);
    livetcp_call call;
    livetcp_quality quality = {};
    quality.struct_size = sizeof quality;
    livetcp_call_init(&call, nullptr);
    call.delay_us = 100;
    call.loss = 0.02;
    call.burst_ratio = 2 * 0.98;
    REQUIRE(livetcp_call_rate(&call, &quality, nullptr) == LIVETCP_OK);
    CHECK(some.mos == Approx(quality.mos));
    CHECK(some.rating == Approx(quality.rating));
    lt_playout nothing = play({});
    CHECK(std::isnan(nothing.mos));
    CHECK(std::isnan(lt_playout_late_share(&nothing)));
}

TEST_CASE("late shares are those of the packets that were measured, call by call")
{
    FakeRun run;
    run.options->playout = parse("10,static");
    run.fill(0, 0, [](uint32_t i) { return i % 10 ? 51000 : 61000; });
    run.fill(1, 0, [](uint32_t i) { return i % 100 ? 50000 : LT_DELAY_NEVER; });
    run.make();
    const lt_playout *p = run.outcomes.outcomes[0].playout;
    CHECK(p[0].delay == 60000);
    CHECK(p[0].packets == 1000);
    CHECK(p[0].late == 100);
    CHECK(p[0].bursts == 100);
    CHECK(p[1].delay == 210000);
    CHECK(p[1].late == 0);
    CHECK(p[0].mos < p[1].mos);
    p = run.outcomes.outcomes[1].playout;
    CHECK(p[0].late == 10);
    CHECK(p[1].late == 10);
    CHECK(run.outcomes.outcomes[0].playout[2].packets == 0);
}

TEST_CASE("packets near a stall are left out of playout when they are to be discarded")
{
    FakeRun run;
    lt_stall_log &stalls = run.log->runs[0].shared->endpoint[LT_FAR].stalls;
    livetcp_usec start = run.log->runs[0].start;
    lt_stall_note(&stalls, start + 10000000, start + 10080000);
    run.options->playout = parse("10");
    run.fill(0, 0, [&](uint32_t i) {
        livetcp_usec due = lt_plan_due(&run.options->plan, 0, i);
        return due > 9950000 && due < 10080000 ? 130000 : 51000;
    });
    run.fill(1, 0, [](uint32_t) { return 51000; });
    run.make();
    CHECK(run.outcomes.outcomes[0].playout[0].late > 0);
    CHECK(run.outcomes.outcomes[0].playout[0].packets == 1000);
    run.options->discard_stalls = true;
    run.make();
    CHECK(run.outcomes.outcomes[0].playout[0].late == 0);
    CHECK(run.outcomes.outcomes[0].playout[0].packets == 986);
}
