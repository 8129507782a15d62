/* SPDX-License-Identifier: MIT */
/* Queues and windows that round trips do not show: the queue of one connection that fills the path
 * and loses, a narrow window, a queue that only some connections meet, marks, and openings of a
 * window in vain. */
#include "catch.h"

extern "C" {
#include "engine/rate/narrow_window.h"
#include "engine/rate/own_overflow.h"
#include "engine/rate/queue_marks.h"
#include "engine/rate/unseen_queue.h"
#include "engine/rate/window_opening.h"
}

#include <tuple>

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000 * ms;
constexpr double path = 125000; /* bytes per second that it has carried */

/* A session that gets `part` of the path, and loses a segment every `every` from `from` on. */
struct Stream {
    explicit Stream(double part, unsigned connections = 1) : rate(part * path)
    {
        lt_own_overflow_init(&overflow);
        sample.connections = connections;
        sample.base_us = 60 * ms;
        sample.queue_us = LIVETCP_NEVER;
        sample.carried = path;
    }

    void run(livetcp_usec from, livetcp_usec until, livetcp_usec every)
    {
        for (livetcp_usec now = from; now < until; now += 10 * ms) {
            sample.now_us = now;
            sample.delivered = static_cast<uint64_t>(rate * static_cast<double>(now) / 1e6);
            if (every && now % every == 0)
                sample.retransmitted++;
            lt_delay_history_add(&history, &sample);
            lt_own_overflow_update(&overflow, &history, &sample);
        }
    }

    double stands() const
    {
        return lt_own_overflow_rate(&overflow, &sample);
    }

    double rate;
    lt_congestion_sample sample = {};
    lt_delay_history history = {};
    lt_own_overflow overflow;
};

} // namespace

TEST_CASE("who gets all of the path overflows it himself", "[own_overflow]")
{
    Stream all(0.95), half(0.5), several(0.95, 8);
    all.run(0, second, 0);
    half.run(0, second, 0);
    several.run(0, second, 0);
    CHECK(lt_own_overflow_is_likely(&all.overflow));
    CHECK_FALSE(lt_own_overflow_is_likely(&half.overflow));
    CHECK_FALSE(lt_own_overflow_is_likely(&several.overflow));
}

TEST_CASE("losses that follow each other show the path's rate", "[own_overflow]")
{
    Stream stream(0.95);
    stream.run(0, second, 0);
    CHECK(stream.stands() == 0);
    stream.run(second, second + 40 * ms, 20 * ms);
    CHECK(stream.stands() == 0); /* a few at once */
    stream.run(second + 40 * ms, second + 300 * ms, 20 * ms);
    CHECK(stream.stands() == Approx(stream.rate).epsilon(0.1));
    stream.run(second + 300 * ms, 2 * second, 0);
    CHECK(stream.stands() == 0);     /* long ago */
    stream.sample.retransmitted = 0; /* the connection was replaced */
    stream.run(2 * second, 2 * second + 10 * ms, 0);
    CHECK(stream.stands() == 0);
    stream.run(2 * second + 10 * ms, 2 * second + 300 * ms, 20 * ms);
    CHECK(stream.stands() > 0);
}

TEST_CASE("random losses show no queue", "[own_overflow]")
{
    Stream stream(0.95);
    for (livetcp_usec from = 0; from < 20 * second; from += second) {
        stream.run(from, from + second, 300 * ms); /* 3 of 82 segments in a second */
        CHECK(stream.stands() == 0);
    }
    Stream fast(0.95);
    fast.rate *= 20;
    fast.sample.carried *= 20;
    fast.run(0, 10 * second, 30 * ms); /* 2 of 100, which never end */
    CHECK(fast.stands() == 0);
}

TEST_CASE("a window is narrow if it is a few segments of many", "[narrow_window]")
{
    lt_narrow_window narrow;
    lt_narrow_window_init(&narrow);
    lt_congestion_sample sample = {};
    sample.connections = 1;
    sample.may_follow = true;
    sample.base_us = 100 * ms;
    sample.carried = 10 * path;
    sample.one_window = 100 * 1448;
    sample.now_us = second;
    lt_narrow_window_update(&narrow, &sample);
    sample.one_window = 4 * 1448;
    sample.now_us += 10 * ms;
    lt_narrow_window_update(&narrow, &sample);
    CHECK(narrow.is);
    sample.now_us += 10 * ms;
    sample.one_window = 100 * 1448;
    lt_narrow_window_update(&narrow, &sample);
    CHECK_FALSE(narrow.is);
    CHECK(lt_narrow_window_was(&narrow, &sample));
    sample.now_us += second;
    CHECK_FALSE(lt_narrow_window_was(&narrow, &sample));

    /* Losses keep it small for longer. */
    sample.one_window = 4 * 1448;
    for (int i = 0; i < 100; i++) {
        sample.now_us += 10 * ms;
        lt_narrow_window_update(&narrow, &sample);
    }
    CHECK_FALSE(narrow.is);

    /* An unknown window is not, nor one that suffices for the path, nor one of several. */
    for (auto [window, carried, connections] :
         {std::tuple{0, 10 * path, 1u}, {4 * 1448, path / 4, 1u}, {4 * 1448, 10 * path, 8u}}) {
        sample.one_window = static_cast<uint64_t>(window);
        sample.carried = carried;
        sample.connections = connections;
        lt_narrow_window_update(&narrow, &sample);
        CHECK_FALSE(narrow.is);
    }
}

namespace
{

/* Three connections that always have `held` bytes under way, and deliver the path's rate; their
 * round trips show a queue of `met_us` on average. */
livetcp_usec unseen(uint64_t held, livetcp_usec met_us, lt_unseen_queue &queue, double rate = path,
                    double limit = path)
{
    lt_congestion_sample sample = {};
    sample.now_us = second;
    sample.connections = 3;
    sample.base_us = 60 * ms;
    sample.carried = path;
    lt_delay_window window = {};
    window.span_us = 160 * ms;
    window.average_us = met_us;
    window.least = held;
    sample.delivered = static_cast<uint64_t>(rate * 0.16);
    return lt_unseen_queue_update(&queue, &sample, &window, limit);
}

} // namespace

TEST_CASE("bytes under way show a queue that some round trips never meet", "[unseen_queue]")
{
    lt_unseen_queue queue = {};
    CHECK(unseen(7500 + 3000, 20 * ms, queue) == 0); /* the path's content, and two packets */
    CHECK(unseen(7500 + 4200, 20 * ms, queue) == 0); /* 10 ms more */
    CHECK(unseen(7500 + 8000, 2 * ms, queue) == 0);  /* nobody meets it */
    CHECK(unseen(7500 + 8000, 20 * ms, queue, path / 2) == 0);
    CHECK(unseen(7500 + 8000, 20 * ms, queue, path, 0.9 * path) == 0); /* it becomes faster */
    CHECK(unseen(7500 + 8000, 20 * ms, queue) == Approx(40 * ms).epsilon(0.01));
    CHECK(unseen(7500 + 4200, 20 * ms, queue) > 0); /* a short one counts from then on */
}

TEST_CASE("marks show the queue of a session that gets much of the path", "[queue_marks]")
{
    Stream most(0.8, 8), half(0.5, 8);
    for (Stream *stream : {&most, &half}) {
        lt_queue_marks marks;
        lt_queue_marks_init(&marks);
        auto rate = [&] {
            lt_queue_marks_update(&marks, &stream->sample);
            return lt_queue_marks_rate(&marks, &stream->history, &stream->sample);
        };
        stream->run(0, second, 0);
        CHECK(rate() == 0);
        stream->sample.marked = 4;
        CHECK(rate() == Approx(stream == &most ? stream->rate : 0).epsilon(0.05));
        stream->run(second, second + 30 * ms, 0);
        CHECK((rate() > 0) == (stream == &most));
        stream->run(second + 30 * ms, second + 100 * ms, 0);
        CHECK(rate() == 0); /* that was long ago */
        stream->sample.marked = 1;
        CHECK(rate() == 0); /* the connection was replaced */
        stream->sample.marked = 2;
        stream->sample.link_rate = 2 * path;
        CHECK(rate() == 0); /* far less than the link */
    }
}

/* An overload whose window opens by 3 % every 10 ms, until the path's rate is delivered. */
static double opened(double carried, livetcp_usec until, bool overload = true)
{
    Stream stream(carried / path, 8);
    lt_window_opening opening = {};
    double capacity = carried / 2;
    for (livetcp_usec now = 0; now < until; now += 10 * ms) {
        stream.rate = fmin(carried, capacity);
        stream.sample.delivered += static_cast<uint64_t>(stream.rate / 100);
        stream.sample.now_us = now;
        lt_delay_history_add(&stream.history, &stream.sample);
        if (lt_window_opening_may(&opening, &stream.history, &stream.sample, overload, &capacity))
            capacity *= 1.03;
    }
    return capacity / carried;
}

TEST_CASE("a window that opens in vain goes back", "[window_opening]")
{
    CHECK(opened(path, 8 * second) > 0.97);
    CHECK(opened(path, 8 * second) < 1.35);
    CHECK(opened(path, 12 * second) < 1.35);
    CHECK(opened(path, 2 * second, false) > 2);
    CHECK(opened(path / 2, 2 * second) > 2); /* the path has carried more */
}
