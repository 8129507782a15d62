/* SPDX-License-Identifier: MIT */
/* Feedback messages: their times, and validation of received ones. */
#include "catch.h"

#include <functional>

extern "C" {
#include "engine/reports/feedback.h"
}

namespace
{

const livetcp_usec ms = 1000, second = 1000000;
/* Ten hours, limited to 32 bits of microseconds: 71 minutes. */
const uint32_t ten_hours = 4294000000u;

lt_transmission good_transmission(uint32_t number = 1)
{
    lt_transmission message = {};
    message.number = number;
    message.copies = 1;
    message.connections = 5;
    message.rtt_us = 50000;
    message.min_rtt_us = 40000;
    message.rtt_variation_us = 3000;
    message.hedge_delay_us = LT_UNKNOWN_US;
    return message;
}

lt_reception good_reception(uint32_t number = 1)
{
    lt_reception message = {};
    message.number = number;
    message.packets = 100;
    return message;
}

struct State {
    State() : feedback()
    {
        livetcp_config config;
        livetcp_config_init(&config);
        lt_feedback_init(&feedback, &config);
    }
    lt_feedback feedback;
};

} // namespace

TEST_CASE("the first message is due at once, the others at intervals while media flows",
          "[feedback]")
{
    lt_feedback_clock clock;
    lt_feedback_clock_start(&clock);
    CHECK(clock.due_us == LIVETCP_NEVER);
    lt_feedback_clock_media(&clock, 200 * ms, second);
    CHECK(clock.due_us == second);
    CHECK(lt_feedback_clock_write(&clock, second) == 1);
    CHECK(clock.due_us == LIVETCP_NEVER); /* no media, no message */
    lt_feedback_clock_media(&clock, 200 * ms, second + 20 * ms);
    lt_feedback_clock_media(&clock, 200 * ms, second + 40 * ms);
    CHECK(clock.due_us == second + 200 * ms);
    CHECK(lt_feedback_clock_write(&clock, second + 200 * ms) == 2);
    lt_feedback_clock_media(&clock, 200 * ms, 10 * second); /* after a pause */
    CHECK(clock.due_us == 10 * second);
    clock.number = UINT32_MAX;
    CHECK(lt_feedback_clock_write(&clock, 11 * second) == 1); /* 0 means none */
    lt_feedback_clock_start(&clock);
    lt_feedback_clock_media(&clock, 0, second); /* off */
    CHECK(clock.due_us == LIVETCP_NEVER);
}

TEST_CASE("a transmission that says what cannot be is ignored and counted", "[feedback]")
{
    using Change = std::function<void(lt_transmission &)>;
    const Change lies[] = {
        [](lt_transmission &m) { m.rtt_us = 0; },
        [](lt_transmission &m) { m.min_rtt_us = 0; },
        [](lt_transmission &m) { m.rtt_us = ten_hours; },
        [](lt_transmission &m) { m.rtt_us = 60000001; },
        [](lt_transmission &m) { m.rtt_us = static_cast<uint32_t>(-50000); },
        [](lt_transmission &m) { m.rtt_variation_us = ten_hours; },
        [](lt_transmission &m) { m.send_queue_us = ten_hours; },
        [](lt_transmission &m) { m.send_buffer_us = ten_hours; },
        [](lt_transmission &m) { m.network_us = ten_hours; },
        [](lt_transmission &m) { m.head_of_line_us = ten_hours; },
        [](lt_transmission &m) { m.hedge_delay_us = ten_hours; },
        [](lt_transmission &m) { m.number = 0; },
        [](lt_transmission &m) { m.copies = 0; },
        [](lt_transmission &m) { m.copies = 33; },
        [](lt_transmission &m) { m.connections = 0; },
        [](lt_transmission &m) { m.connections = 33; },
        [](lt_transmission &m) { m.parity_group = 1; },
        [](lt_transmission &m) { m.protection = 8; },
    };
    State state;
    uint64_t invalid = 0;
    for (const Change &lie : lies) {
        INFO(invalid);
        lt_transmission message = good_transmission();
        lie(message);
        lt_feedback_take_transmission(&state.feedback, &message, second);
        CHECK(state.feedback.invalid == ++invalid);
        CHECK_FALSE(state.feedback.has_transmission);
    }
    lt_transmission message = good_transmission();
    message.rtt_us = LT_UNKNOWN_US; /* accepted */
    message.min_rtt_us = 60000000;
    lt_feedback_take_transmission(&state.feedback, &message, second);
    CHECK(state.feedback.has_transmission);
    CHECK(state.feedback.received == 1);
}

TEST_CASE("a reception that says what cannot be is ignored and counted", "[feedback]")
{
    using Change = std::function<void(lt_reception &)>;
    const Change lies[] = {
        [](lt_reception &m) { m.number = 0; },
        [](lt_reception &m) { m.newest_age_us = ten_hours; },
        [](lt_reception &m) { m.echo_age_us = ten_hours; },
        [](lt_reception &m) { m.hold_us = ten_hours; },
        [](lt_reception &m) { m.playout_us = ten_hours; },
        [](lt_reception &m) { m.playing = 1, m.margin_us = 60000001; },
        [](lt_reception &m) { m.playing = 1, m.margin_us = INT32_MIN + 1; },
        [](lt_reception &m) { m.echo_number = 2; }, /* only 1 was written */
        [](lt_reception &m) { m.echo_number = 1u << 31; },
        [](lt_reception &m) { m.echo_number = 1, m.echo_age_us = 51 * 1000; }, /* too early */
    };
    State state;
    CHECK(lt_feedback_write_transmission(&state.feedback, second) == 1);
    uint64_t invalid = 0;
    for (const Change &lie : lies) {
        INFO(invalid);
        lt_reception message = good_reception();
        lie(message);
        lt_feedback_take_reception(&state.feedback, &message, second + 50 * ms);
        CHECK(state.feedback.invalid == ++invalid);
        CHECK_FALSE(state.feedback.has_reception);
        CHECK(state.feedback.rtt_us == -1);
    }
    lt_reception message = good_reception();
    message.echo_number = 1;
    message.echo_age_us = 20000;
    message.playing = 1;
    message.margin_us = -60000000;
    lt_feedback_take_reception(&state.feedback, &message, second + 50 * ms);
    CHECK(state.feedback.has_reception);
    CHECK(state.feedback.rtt_us == 30 * ms);
    /* The same answer one hour later. */
    message.number = 2;
    lt_feedback_take_reception(&state.feedback, &message, 3600 * second);
    CHECK(state.feedback.invalid == ++invalid);
    CHECK(state.feedback.rtt_us == 30 * ms);
}

TEST_CASE("an answer to a message that is long gone measures nothing", "[feedback]")
{
    State state;
    for (unsigned i = 0; i < 40; i++)
        lt_feedback_write_transmission(&state.feedback, i * second);
    lt_reception message = good_reception();
    message.echo_number = 40 - LT_FEEDBACK_SENT;
    lt_feedback_take_reception(&state.feedback, &message, 40 * second);
    CHECK(state.feedback.rtt_us == -1);
    CHECK(state.feedback.invalid == 0);
    message.echo_number++;
    message.number++;
    lt_feedback_take_reception(&state.feedback, &message, 40 * second);
    CHECK(state.feedback.rtt_us == 16 * second);
}

TEST_CASE("the newest message counts, whatever overtakes it, also across the wrap", "[feedback]")
{
    State state;
    for (uint32_t number : {0xfffffffeu, 1u, 0xffffffffu}) {
        lt_transmission message = good_transmission(number);
        message.copies = number == 1 ? 2 : 1;
        lt_feedback_take_transmission(&state.feedback, &message, second);
    }
    CHECK(state.feedback.transmission.copies == 2);
    CHECK(state.feedback.received == 3);
    lt_feedback_forget_peer(&state.feedback); /* another peer starts at 1 again */
    lt_transmission message = good_transmission(1);
    lt_feedback_take_transmission(&state.feedback, &message, second);
    CHECK(state.feedback.transmission.copies == 1);
}

TEST_CASE("durations are cut off, and -1 is unknown", "[feedback]")
{
    CHECK(lt_feedback_duration(-1) == LT_UNKNOWN_US);
    CHECK(lt_feedback_duration(0) == 0);
    CHECK(lt_feedback_duration(INT64_MAX) == 60000000);
    CHECK(lt_feedback_us(LT_UNKNOWN_US) == -1);
    CHECK(lt_feedback_us(5) == 5);
}
