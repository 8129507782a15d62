/* SPDX-License-Identifier: MIT */
#include "engine/rate/drain_test.h"

/* A shorter step costs little, and is learned when the minimum is forgotten. So many packets are
 * what is in the queue anyway. */
#define STEP_US      15000
#define STEP_PACKETS 2.0
#define SEGMENT      1448.0

/* It comes at once: most of it from one sample to the next. */
#define JUMP_US   500000
#define JUMP_PART 0.6

/* An excess below this part of it is none; nor is one that grows beyond this, from one part of the
 * time to another. Samples are taken when the platform is asked, every 5 to 10 ms. */
#define GONE_PART   0.85
#define GROWN_PART  1.15
#define NOISE_US    10000
#define PART_US     250000
#define SAMPLES_MIN 5

/* It is suspected so long, and then watched, and two round trips. */
#define SUSPECT_US 150000
#define WATCH_US   400000

/* The pause is longer than a queue takes to drain. */
#define DRAIN_PART   1.4
#define DRAIN_US     15000
#define DRAIN_MAX_US 400000

/* Packets that were sent so soon after it show what there is without a queue, and are to be seen
 * within this time of when they are due. */
#define FIRST_US  25000
#define LOOK_US   40000
#define LOOKS_MAX 3

/* A phase that lasts so long, and as many round trips, has no samples: what waits in the kernel's
 * send buffer gives none, and the queue is ours. */
#define PHASE_MAX_US    1000000
#define PHASE_MAX_TRIPS 4

/* From one test to the next. */
#define AGAIN_US 5000000

void lt_drain_test_init(lt_drain_test *test)
{
    *test = (lt_drain_test){.last_at_us = INT64_MIN / 2, .not_before_us = INT64_MIN};
}

static void enter(lt_drain_test *test, lt_drain_phase phase, livetcp_usec now)
{
    test->phase = phase;
    test->since_us = test->part_us = now;
    test->part_min_us = LIVETCP_NEVER;
    test->samples = 0;
}

static void give_up(lt_drain_test *test, livetcp_usec now)
{
    if (test->phase >= LT_DRAIN_WATCH)
        test->not_before_us = now + AGAIN_US;
    enter(test, LT_DRAIN_CALM, now);
}

static bool jumps(lt_drain_test *test, livetcp_usec excess_us, livetcp_usec now)
{
    livetcp_usec jump_us = excess_us - test->last_us;
    bool at_once = (double)jump_us > JUMP_PART * (double)excess_us &&
                   now - test->last_at_us < JUMP_US + excess_us;

    test->last_us = excess_us;
    test->last_at_us = now;
    return excess_us >= STEP_US && at_once && now >= test->not_before_us;
}

static bool has_grown(lt_drain_test *test, livetcp_usec excess_us, livetcp_usec now)
{
    bool grown;

    if (excess_us < test->part_min_us)
        test->part_min_us = excess_us;
    if (now - test->part_us < PART_US)
        return false;
    if (test->part_min_us != LIVETCP_NEVER && test->part_min_us > test->level_us)
        test->level_us = test->part_min_us;
    grown = test->part_min_us != LIVETCP_NEVER &&
            (double)test->part_min_us > GROWN_PART * (double)test->jumped_us + NOISE_US;
    test->part_us = now;
    test->part_min_us = LIVETCP_NEVER;
    return grown;
}

/* The time of a packet on a bottleneck that carries what has been delivered since. */
static livetcp_usec packet_us(const lt_drain_test *test, const lt_congestion_sample *s)
{
    double delivered = (double)(s->delivered - test->delivered);
    double time = (double)(s->now_us - test->begun_us);

    return delivered > 0 ? (livetcp_usec)(SEGMENT * time / delivered) : DRAIN_MAX_US;
}

static livetcp_usec drain_us(const lt_drain_test *test)
{
    livetcp_usec length = (livetcp_usec)(DRAIN_PART * (double)test->level_us) + DRAIN_US;

    return length < DRAIN_MAX_US ? length : DRAIN_MAX_US;
}

/* The first packets after the pause are due a round trip after it, with the excess or without.
 * Later ones may have met a queue of their own again. Returns the excess, 0 = not known yet. */
static livetcp_usec look(lt_drain_test *test, const lt_congestion_sample *s, livetcp_usec excess_us)
{
    bool first =
        s->exact_sent_us >= test->since_us && s->exact_sent_us <= test->since_us + FIRST_US;

    if (first && excess_us < test->part_min_us)
        test->part_min_us = excess_us;
    if (s->now_us < test->since_us + s->base_us + test->level_us + LOOK_US)
        return 0;
    if (test->part_min_us != LIVETCP_NEVER)
        return test->part_min_us;
    if (++test->looks < LOOKS_MAX)
        enter(test, LT_DRAIN_WATCH, s->now_us);
    else
        give_up(test, s->now_us);
    return 0;
}

static livetcp_usec follow(lt_drain_test *test, const lt_congestion_sample *s,
                           livetcp_usec excess_us)
{
    livetcp_usec time = s->now_us - test->since_us, longer_us;

    switch (test->phase) {
    case LT_DRAIN_SUSPECT:
        if (time < s->base_us + excess_us) { /* for packets from before, a part of the way is */
            test->min_us = excess_us;
            test->samples = 0;
        } else if (time >= s->base_us + SUSPECT_US && test->samples >= SAMPLES_MIN) {
            test->jumped_us = test->level_us = test->min_us;
            enter(test, LT_DRAIN_WATCH, s->now_us);
        }
        break;
    case LT_DRAIN_WATCH:
        if (has_grown(test, excess_us, s->now_us))
            give_up(test, s->now_us);
        else if (time >= WATCH_US + 2 * (s->base_us + test->min_us) &&
                 test->samples >= SAMPLES_MIN) {
            if ((double)test->min_us < STEP_PACKETS * (double)packet_us(test, s))
                give_up(test, s->now_us);
            else
                enter(test, LT_DRAIN_PAUSE, s->now_us);
        }
        break;
    case LT_DRAIN_LOOK:
        longer_us = look(test, s, excess_us);
        if (!longer_us)
            break;
        enter(test, LT_DRAIN_CALM, s->now_us);
        test->last_us = 0;
        return longer_us;
    default:
        break;
    }
    return 0;
}

livetcp_usec lt_drain_test_update(lt_drain_test *test, const lt_congestion_sample *s,
                                  bool may_begin)
{
    livetcp_usec excess_us = s->exact_us, now = s->now_us;
    double needed;

    if (test->phase == LT_DRAIN_PAUSE && now - test->since_us >= drain_us(test))
        enter(test, LT_DRAIN_LOOK, now);
    if (test->phase != LT_DRAIN_CALM &&
        now - test->since_us > PHASE_MAX_US + PHASE_MAX_TRIPS * (s->base_us + test->level_us))
        give_up(test, now);
    if (excess_us == LIVETCP_NEVER || !s->base_us)
        return 0;
    bool jumped = jumps(test, excess_us, now);
    if (test->phase == LT_DRAIN_CALM) {
        if (!jumped || !may_begin)
            return 0;
        test->jumped_us = test->min_us = test->level_us = excess_us;
        test->begun_us = now;
        test->delivered = s->delivered;
        test->looks = 0;
        enter(test, LT_DRAIN_SUSPECT, now);
        return 0;
    }
    test->samples++;
    test->min_us = excess_us < test->min_us ? excess_us : test->min_us;
    /* Without a queue a packet still takes its own time. */
    needed = GONE_PART * (double)test->jumped_us - NOISE_US;
    if (test->phase == LT_DRAIN_LOOK && needed < packet_us(test, s) * 1.25)
        needed = packet_us(test, s) * 1.25;
    if ((double)excess_us < needed) {
        give_up(test, now);
        return 0;
    }
    return follow(test, s, excess_us);
}
