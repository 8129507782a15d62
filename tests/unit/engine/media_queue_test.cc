/* SPDX-License-Identifier: MIT */
/* How long media waits behind media. */
#include "catch.h"

#include <cmath>

extern "C" {
#include "engine/rate/media_queue.h"
}

namespace
{

const livetcp_usec ms = 1000;

struct Queue {
    Queue()
    {
        lt_media_queue_init(&queue);
        lt_media_queue_set_rate(&queue, 125e3);
    }

    void frame(unsigned packets, livetcp_usec now)
    {
        for (unsigned i = 0; i < packets; i++)
            lt_media_queue_on_written(&queue, 1250, now);
    }

    lt_media_queue queue;
};

} // namespace

TEST_CASE("even packets never wait for each other, nor does a single frame's first",
          "[media_queue]")
{
    Queue q;
    for (livetcp_usec now = 0; now < 1000 * ms; now += 20 * ms) {
        q.frame(1, now);
        CHECK(lt_media_queue_at(&q.queue, now) == 0);
    }
}

TEST_CASE("the packets of a frame wait for those before them, and the next frame for the rest",
          "[media_queue]")
{
    Queue q;
    q.frame(11, 0); /* 110 ms; the last one waits for ten */
    CHECK(lt_media_queue_at(&q.queue, 0) == 130 * ms);
    q.frame(1, 40 * ms);
    CHECK(lt_media_queue_at(&q.queue, 40 * ms) == 91 * ms); /* of 70 ms */
    q.frame(1, 200 * ms);
    CHECK(lt_media_queue_at(&q.queue, 200 * ms) == 0);
    CHECK(lt_media_queue_at(&q.queue, 0) == 130 * ms); /* still known */
    CHECK(lt_media_queue_of(&q.queue, 2500, 205 * ms) == Approx(1.3 * 25 * ms));
}

TEST_CASE("what was written too long ago is not known, and a rate neither", "[media_queue]")
{
    Queue q;
    CHECK(lt_media_queue_at(&q.queue, 0) == LIVETCP_NEVER);
    for (unsigned i = 0; i <= LT_MEDIA_BURSTS; i++)
        q.frame(1, i * 40 * ms);
    CHECK(lt_media_queue_at(&q.queue, 0) == LIVETCP_NEVER);
    CHECK(lt_media_queue_at(&q.queue, 40 * ms) == 0);

    lt_media_queue_set_rate(&q.queue, HUGE_VAL);
    q.frame(50, 10000 * ms);
    CHECK(lt_media_queue_at(&q.queue, 10000 * ms) == 0);
}
