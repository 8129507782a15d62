/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <livetcp/playout.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

static livetcp_call call_with(const char *codec, double delay_ms = 0, double loss = 0)
{
    livetcp_call call;
    const livetcp_speech_codec *known = livetcp_speech_codec_find(codec);
    REQUIRE(known);
    livetcp_call_init(&call, known);
    call.delay_us = (livetcp_usec)std::llround(delay_ms * 1000);
    call.loss = loss;
    return call;
}

static livetcp_quality rate(const livetcp_call &call)
{
    livetcp_quality quality = {};
    livetcp_error error = {};
    quality.struct_size = sizeof quality;
    INFO(error.message);
    REQUIRE(livetcp_call_rate(&call, &quality, &error) == LIVETCP_OK);
    return quality;
}

static double rating(const char *codec, double delay_ms = 0, double loss = 0)
{
    return rate(call_with(codec, delay_ms, loss)).rating;
}

TEST_CASE("the defaults of G.107 give R 93.2 and MOS 4.41")
{
    livetcp_quality q = rate(call_with("g711"));
    CHECK(q.rating == Approx(93.2).margin(0.05));
    CHECK(q.mos == Approx(4.41).margin(0.005));
    CHECK(q.loss_impairment == 0);
}

TEST_CASE("MOS of R: G.107, Table B.1")
{
    const struct {
        double rating, mos;
    } published[] = {{90, 4.34}, {80, 4.03}, {70, 3.60}, {60, 3.10}, {50, 2.58}};
    for (const auto &p : published)
        /* The source prints 4.03 for 4.024. */
        CHECK(livetcp_mos(p.rating) == Approx(p.mos).margin(0.007));
}

TEST_CASE("MOS stays within its limits, and never falls while R rises")
{
    CHECK(livetcp_mos(-1) == 1);
    CHECK(livetcp_mos(0) == 1);
    CHECK(livetcp_mos(100) == 4.5);
    CHECK(livetcp_mos(1e9) == 4.5);
    CHECK(std::isnan(livetcp_mos(std::numeric_limits<double>::quiet_NaN())));
    CHECK(livetcp_mos(3) == 1); /* the formula alone gives 0.99 */
    CHECK(livetcp_mos(7) > 1);
    double before = 1;
    for (double r = -1; r <= 101; r += 0.01) {
        double mos = livetcp_mos(r);
        REQUIRE(mos >= before);
        before = mos;
    }
    CHECK(livetcp_mos(99.9999) == Approx(4.5).margin(1e-3));
}

TEST_CASE("delay costs what G.107 says")
{
    /* With perfect echo cancellation, only Idd remains (G.107, 7.4). By hand: log2(Ta / 100) is 1
     * at 200 ms and 2 at 400 ms. */
    const struct {
        double delay_ms, idd;
    } published[] = {{100, 0},
                     {200, 25 * (std::pow(2, 1 / 6.) - 3 * std::pow(1 + 1 / 729., 1 / 6.) + 2)},
                     {400, 25 * (std::pow(65, 1 / 6.) - 3 * std::pow(1 + 64 / 729., 1 / 6.) + 2)}};
    for (const auto &p : published) {
        livetcp_call near = call_with("g711", 0), far = call_with("g711", p.delay_ms);
        near.echo_loss_db = far.echo_loss_db = 200;
        CHECK(rate(near).delay_impairment == Approx(0.15).margin(0.05)); /* listener echo */
        CHECK(rate(far).delay_impairment - rate(near).delay_impairment ==
              Approx(p.idd).margin(0.5));
    }
    /* With the default TELR: the linear approximation of Cole and Rosenbluth (2001), 0.024 d + 0.11
     * (d - 177.3), accurate to about 2 between 50 and 350 ms. */
    for (double d = 50; d <= 350; d += 10) {
        double line = 0.024 * d + (d > 177.3 ? 0.11 * (d - 177.3) : 0);
        INFO(d);
        CHECK(rating("g711") - rating("g711", d) == Approx(line).margin(2));
    }
}

TEST_CASE("R falls with delay, and with talker echo")
{
    /* Below about 10 ms an echo is sidetone and does not impair. */
    double before = rating("g711", 10);
    CHECK(rating("g711", 0) == Approx(before).margin(0.5));
    for (double d = 11; d < 2000; d += 1) {
        double now = rating("g711", d);
        REQUIRE(now <= before + 1e-9);
        before = now;
    }
    livetcp_call quiet = call_with("g711", 150), loud = quiet;
    loud.echo_loss_db = 35;
    CHECK(rate(loud).rating < rate(quiet).rating - 20);
}

TEST_CASE("loss costs what G.107 says, by codec")
{
    /* Ie,eff = Ie + (95 - Ie) Ppl / (Ppl / BurstR + Bpl) */
    CHECK(rate(call_with("g711", 0, 0.02)).loss_impairment == Approx(95 * 2 / 6.3));
    CHECK(rate(call_with("g711-plc", 0, 0.02)).loss_impairment == Approx(95 * 2 / 27.1));
    CHECK(rate(call_with("g729a", 0, 0)).loss_impairment == 11);
    CHECK(rate(call_with("g729a", 0, 0.02)).loss_impairment == Approx(19));
    CHECK(rate(call_with("opus", 0, 0)).mos == Approx(4.36).margin(0.02));
    /* G.729A without loss: R 82.2, MOS 4.10. */
    CHECK(rate(call_with("g729a")).rating == Approx(82.2).margin(0.05));
    CHECK(rate(call_with("g729a")).mos == Approx(4.10).margin(0.01));
    /* Loss of all packets gives the minimum. */
    CHECK(rate(call_with("g711", 0, 1)).mos == 1);
}

TEST_CASE("loss in bursts is worse, and loss spread evenly counts as random")
{
    livetcp_call call = call_with("g711-plc", 0, 0.05);
    double random = rate(call).rating;
    call.burst_ratio = 2;
    CHECK(rate(call).loss_impairment == Approx(95 * 5 / 27.6));
    CHECK(rate(call).rating < random);
    call.burst_ratio = 0.5;
    CHECK(rate(call).rating == random);
    call.loss = 1;
    call.burst_ratio = 50;
    CHECK(rate(call).loss_impairment == 95); /* the maximum */
}

TEST_CASE("the burst ratio of a pattern")
{
    CHECK(livetcp_burst_ratio(1000, 0, 0) == 1);
    CHECK(livetcp_burst_ratio(1000, 1000, 1) == 1);
    CHECK(livetcp_burst_ratio(0, 0, 0) == 1);
    CHECK(livetcp_burst_ratio(10, 5, 6) == 1); /* more bursts than losses */
    CHECK(livetcp_burst_ratio(10, 20, 1) == 1);
    CHECK(livetcp_burst_ratio(1000, 100, 90) == Approx(1)); /* 1 / (1 - 0.1) is 1.11 at random */
    CHECK(livetcp_burst_ratio(1000, 100, 10) == Approx(9));
}

TEST_CASE("an advantage, and a codec by its numbers")
{
    livetcp_call call = call_with("g711");
    double plain = rate(call).rating;
    call.advantage = 10;
    CHECK(rate(call).rating == Approx(plain + 10));
    const livetcp_speech_codec own = {"own", 5, 10};
    livetcp_call_init(&call, &own);
    call.loss = 0.1;
    CHECK(rate(call).loss_impairment == Approx(5 + 90 * 10 / 20.));
    livetcp_call_init(&call, nullptr);
    CHECK(call.robustness == 25.1);
}

TEST_CASE("codecs are found by name, and each is fit to be used")
{
    std::set<std::string> names;
    const livetcp_speech_codec *codec;
    for (size_t i = 0; (codec = livetcp_speech_codec_at(i)); i++) {
        CHECK(names.insert(codec->name).second);
        CHECK(livetcp_speech_codec_find(codec->name) == codec);
        CHECK(rating(codec->name) > 80);
    }
    CHECK(names.size() == 4);
    CHECK_FALSE(livetcp_speech_codec_find("g71"));
    CHECK_FALSE(livetcp_speech_codec_find(nullptr));
}

static void check_refused(double livetcp_call::*field, const char *name, double value)
{
    livetcp_call call = call_with("g711");
    livetcp_quality quality = {sizeof quality, -7, -7, -7, -7};
    livetcp_error error = {};
    call.*field = value;
    INFO(name << " " << value);
    CHECK(livetcp_call_rate(&call, &quality, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find(name) != std::string::npos);
    CHECK(quality.rating == -7);
    CHECK(livetcp_call_rate(&call, &quality, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("what is out of range is refused by name")
{
    const double infinity = std::numeric_limits<double>::infinity();
    for (double bad : {std::nan(""), infinity, -infinity, -0.001, 1000.0}) {
        check_refused(&livetcp_call::impairment, "impairment", bad);
        check_refused(&livetcp_call::loss, "loss", bad);
        check_refused(&livetcp_call::echo_loss_db, "echo_loss_db", bad);
        check_refused(&livetcp_call::advantage, "advantage", bad);
    }
    for (double bad : {std::nan(""), infinity, -infinity, 0.0, -1.0}) {
        check_refused(&livetcp_call::robustness, "robustness", bad);
        check_refused(&livetcp_call::burst_ratio, "burst_ratio", bad);
    }
    check_refused(&livetcp_call::loss, "loss", 1.001);

    livetcp_call call = call_with("g711");
    livetcp_error error = {};
    livetcp_quality quality = {sizeof quality, 0, 0, 0, 0};
    call.delay_us = -1;
    CHECK(livetcp_call_rate(&call, &quality, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("delay_us") != std::string::npos);
    call.delay_us = std::numeric_limits<livetcp_usec>::max(); /* the result is still a number */
    CHECK(rate(call).mos == 1);
    call.struct_size = 8;
    CHECK(livetcp_call_rate(&call, &quality, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("livetcp_call_init") != std::string::npos);
}

TEST_CASE("a program built with a shorter result gets what it has room for")
{
    livetcp_call call = call_with("g711");
    livetcp_quality quality = {offsetof(livetcp_quality, delay_impairment), 0, 0, -7, -7};
    REQUIRE(livetcp_call_rate(&call, &quality, nullptr) == LIVETCP_OK);
    CHECK(quality.mos == Approx(4.41).margin(0.005));
    CHECK(quality.delay_impairment == -7);
}
