/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <set>

extern "C" {
#include "base/rng.h"
#include "base/seq.h"
#include "rtp/window.h"
}

TEST_CASE("distances go the short way round", "[window]")
{
    CHECK(lt_seq_distance(5, 5) == 0);
    CHECK(lt_seq_distance(5, 6) == 1);
    CHECK(lt_seq_distance(65535, 0) == 1);
    CHECK(lt_seq_distance(0, 65535) == -1);
    CHECK(lt_seq_distance(0, 32767) == 32767);
    CHECK(lt_seq_distance(0, 32768) == -32768);
    CHECK(lt_seq_extend(0x1fffe, 3) == 0x20003);
    CHECK(lt_seq_extend(0x20003, 0xfffe) == 0x1fffe);
}

TEST_CASE("each number is new once", "[window]")
{
    lt_window window;
    uint64_t extended;
    CHECK(lt_window_start(&window, 65530) == 65536 + 65530);
    for (unsigned i = 0; i < 200000; i++) {
        uint16_t sequence = (uint16_t)(65530 + i);
        REQUIRE(lt_window_find(&window, sequence, &extended) == LT_WINDOW_NEW);
        REQUIRE(extended == 65536u + 65530u + i);
        lt_window_mark(&window, extended);
        REQUIRE(lt_window_find(&window, sequence, &extended) == LT_WINDOW_SEEN);
    }
}

TEST_CASE("the places of the number space", "[window]")
{
    lt_window window;
    uint64_t extended;
    lt_window_mark(&window, lt_window_start(&window, 1000));
    auto place = [&](int distance) {
        return lt_window_find(&window, (uint16_t)(1000 + distance), &extended);
    };
    CHECK(place(0) == LT_WINDOW_SEEN);
    CHECK(place(1) == LT_WINDOW_NEW);
    CHECK(place(LT_WINDOW_MAX_STEP) == LT_WINDOW_NEW);
    CHECK(place(LT_WINDOW_MAX_STEP + 1) == LT_WINDOW_JUMP);
    CHECK(place(32767) == LT_WINDOW_JUMP);
    CHECK(place(-1) == LT_WINDOW_NEW);
    CHECK(place(-LT_WINDOW_SIZE + 1) == LT_WINDOW_NEW);
    CHECK(place(-LT_WINDOW_SIZE) == LT_WINDOW_BEHIND);
    CHECK(place(-32768) == LT_WINDOW_BEHIND);
}

TEST_CASE("a step forgets exactly what falls out of the window", "[window]")
{
    for (unsigned step = 1; step <= 200; step++) {
        lt_window window;
        uint64_t extended, first = lt_window_start(&window, (uint16_t)(step * 36));
        size_t wrong = 0;
        for (uint64_t number = first; number < first + LT_WINDOW_SIZE; number++)
            lt_window_mark(&window, number);
        lt_window_mark(&window, window.highest + step);
        for (unsigned back = 0; back < LT_WINDOW_SIZE; back++) {
            bool seen = back == 0 || back >= step;
            wrong += lt_window_find(&window, (uint16_t)(window.highest - back), &extended) !=
                     (seen ? LT_WINDOW_SEEN : LT_WINDOW_NEW);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("moving forward keeps what is still covered, moving back forgets all", "[window]")
{
    lt_window window;
    uint64_t extended, first = lt_window_start(&window, 60000);
    lt_window_mark(&window, first);

    CHECK(lt_window_move(&window, (uint16_t)(60000 + 10000)) == first + 10000);
    CHECK(lt_window_find(&window, 60000, &extended) == LT_WINDOW_SEEN);
    CHECK(lt_window_find(&window, (uint16_t)(60000 + 10000), &extended) == LT_WINDOW_NEW);
    CHECK(lt_window_move(&window, (uint16_t)(60000 + 30000)) == first + 30000);
    CHECK(lt_window_find(&window, 60000, &extended) == LT_WINDOW_BEHIND);

    uint64_t before = window.highest;
    CHECK(lt_window_move(&window, 60000) > before);
    CHECK(lt_window_find(&window, 60000, &extended) == LT_WINDOW_NEW);
}

TEST_CASE("the window agrees with a set of all numbers", "[window]")
{
    lt_rng rng;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        lt_window window;
        std::set<uint64_t> marked;
        size_t wrong = 0;
        lt_rng_seed(&rng, seed);
        lt_window_start(&window, (uint16_t)lt_rng_next(&rng));
        for (int i = 0; i < 20000; i++) {
            uint64_t high = window.highest, extended;
            uint64_t number = lt_rng_next(&rng) % 8 ? high + lt_rng_next(&rng) % 140 - 128
                                                    : high + lt_rng_next(&rng) % 19000 - 16300;
            lt_window_place place = lt_window_find(&window, (uint16_t)number, &extended);
            lt_window_place expected = marked.count(number) ? LT_WINDOW_SEEN : LT_WINDOW_NEW;
            wrong += extended != number || place != expected;
            if (place == LT_WINDOW_NEW && lt_rng_next(&rng) % 4) {
                lt_window_mark(&window, number);
                marked.insert(number);
            }
        }
        CHECK(wrong == 0);
    }
}
