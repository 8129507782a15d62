/* SPDX-License-Identifier: MIT */
#include "engine/rate/route_step.h"

#include "base/usec.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* A shorter step costs little, and is learned when the minimum is forgotten. */
#define STEP_US 15000

/* Samples are taken when the platform is asked, every 5 to 10 ms, and each connection has a minimum
 * of its own. */
#define FLAT_US   20000
#define FLAT_PART 6

/* The same after an excess that came at once. An encoder is told less then, and the packets of its
 * frames, of which there are fewer, wait for less. */
#define JUMPED_FLAT_US   30000
#define JUMPED_FLAT_PART 5

/* Then one sample in so many may have less: a connection whose minimum had met a queue shows less.
 */
#define BESIDE 4

/* So long, and two round trips: a queue would have drained, and a flow beside us has been found. */
#define PERIOD_US   1000000
#define SAMPLES_MIN 5
#define LITTLE      0.5 /* of the rate before */

/* From so long on it may be a longer route, and until it is known. */
#define OPEN_US  300000
#define KNOWN_US (PERIOD_US + 2 * OPEN_US)

/* It comes at once: half of it from one sample to the next, since the packets of a frame have
 * waited for each other before. It is known no later than that whether a route is longer. */
#define JUMP_US     300000
#define JUMP_PART   0.5
#define KNOWN_BY_US 4000000

/* A route that becomes longer loses nothing, and hardly more than one segment is repeated too soon.
 * A transfer that fills the buffer within as little time overruns it: so many segments are lost
 * before it can be known which it is, and this part of all. */
#define LOST      4
#define LOST_PART 0.1
#define LOST_US   2000000

/* The excess of a route does not grow while little is sent, as the queue of a transfer does: minima
 * over PART_US, of PART_SAMPLES at least, are compared. */
#define PART_US      300000
#define PART_SAMPLES 3
#define GROWS_US     40000
#define GROWS_PART   5

void lt_route_step_init(lt_route_step *step)
{
    *step = (lt_route_step){
        .since_us = LIVETCP_NEVER, .calm_us = INT64_MIN / 2, .last_at_us = INT64_MIN / 2};
}

static void begin(lt_route_step *step, const lt_congestion_sample *s, livetcp_usec excess_us)
{
    step->since_us = s->now_us;
    step->min_us = step->max_us = excess_us;
    step->samples = 1;
    step->beside = 0;
    step->delivered = s->delivered;
}

/* Where both directions change at once, packets under way meet the change of one only: the excess
 * comes in two steps, a round trip apart. */
static bool goes_on(const lt_route_step *step, const lt_congestion_sample *s,
                    livetcp_usec excess_us)
{
    return step->jumped_us > 0 && excess_us > step->jumped_us &&
           s->now_us - step->jumped_at_us < s->base_us + excess_us / 2;
}

static void begin_part(lt_route_step *step, livetcp_usec now)
{
    step->part_us = now;
    step->part_min_us = LIVETCP_NEVER;
    step->part_samples = 0;
}

static void jump(lt_route_step *step, livetcp_usec now, livetcp_usec excess_us)
{
    step->jumped_us = excess_us;
    step->least_us = LIVETCP_NEVER;
    begin_part(step, now);
}

static void look_for_jump(lt_route_step *step, const lt_congestion_sample *s,
                          livetcp_usec excess_us)
{
    livetcp_usec jump_us = excess_us - step->last_us;

    if (excess_us < STEP_US) {
        step->jumped_us = 0;
    } else if (jump_us >= STEP_US && (double)jump_us > JUMP_PART * (double)excess_us &&
               s->now_us - step->last_at_us < JUMP_US + excess_us) {
        jump(step, s->now_us, excess_us);
        step->jumped_at_us = s->now_us;
    } else if (goes_on(step, s, excess_us)) {
        jump(step, s->now_us, excess_us);
    }
    step->last_us = excess_us;
    step->last_at_us = s->now_us;
}

static bool grows(lt_route_step *step, livetcp_usec now, livetcp_usec excess_us)
{
    step->part_min_us = lt_usec_min(step->part_min_us, excess_us);
    step->part_samples++;
    if (!step->jumped_us || now - step->part_us < PART_US || step->part_samples < PART_SAMPLES)
        return false;
    livetcp_usec min_us = step->part_min_us, least_us = step->least_us;
    step->least_us = lt_usec_min(least_us, min_us);
    begin_part(step, now);
    return least_us != LIVETCP_NEVER &&
           min_us > least_us + lt_usec_max(GROWS_US, least_us / GROWS_PART);
}

static bool has_jumped(const lt_route_step *step, livetcp_usec now)
{
    return step->jumped_us > 0 && step->min_us < 2 * step->jumped_us &&
           2 * step->min_us > step->jumped_us && now - step->jumped_at_us < KNOWN_BY_US;
}

static bool is_flat(lt_route_step *step, livetcp_usec now, livetcp_usec excess_us)
{
    bool jumped = has_jumped(step, now);
    livetcp_usec least = jumped ? JUMPED_FLAT_US : FLAT_US;
    livetcp_usec part = step->min_us / (jumped ? JUMPED_FLAT_PART : FLAT_PART);
    livetcp_usec min_us = lt_usec_min(step->min_us, excess_us);
    livetcp_usec max_us = lt_usec_max(step->max_us, excess_us);

    step->samples++;
    if (max_us - min_us > lt_usec_max(least, part))
        return jumped && excess_us == min_us && ++step->beside * BESIDE <= step->samples;
    step->min_us = min_us;
    step->max_us = max_us;
    return true;
}

/* True if the buffer has overflowed since there was no excess. */
static bool overflows(const lt_route_step *step, const lt_congestion_sample *s)
{
    double lost = lt_loss_count_lost(&step->calm, s);

    return s->now_us < step->calm_us + LOST_US && lost >= LOST &&
           lost > LOST_PART * lt_loss_count_delivered(&step->calm, s);
}

static void calm(lt_route_step *step, const lt_congestion_sample *s)
{
    step->since_us = LIVETCP_NEVER;
    step->calm_us = s->now_us;
    lt_loss_count_begin(&step->calm, s);
}

livetcp_usec lt_route_step_update(lt_route_step *step, const lt_congestion_sample *s, double rate)
{
    livetcp_usec own_us, excess_us, time;
    double sent;

    if (s->busy_us == LIVETCP_NEVER)
        return 0;
    if (step->since_us == LIVETCP_NEVER)
        step->before = rate;
    if (step->before <= 0)
        return 0;
    own_us = (livetcp_usec)(LT_LOSS_COUNT_SEGMENT * SECOND / step->before);
    excess_us = s->busy_us - own_us;
    look_for_jump(step, s, excess_us);
    if (excess_us < STEP_US) {
        calm(step, s);
        return 0;
    }
    if (step->calm_us == LIVETCP_NEVER || overflows(step, s) || grows(step, s->now_us, excess_us)) {
        step->since_us = step->calm_us = LIVETCP_NEVER;
        return 0;
    }
    if (step->since_us == LIVETCP_NEVER || !is_flat(step, s->now_us, excess_us))
        begin(step, s, excess_us);
    time = s->now_us - step->since_us;
    if (time < PERIOD_US + 2 * s->base_us + step->min_us)
        return 0;
    sent = (double)(s->delivered - step->delivered) * SECOND / (double)time;
    if (sent > LITTLE * step->before || step->samples < SAMPLES_MIN) {
        begin(step, s, excess_us);
        return 0;
    }
    step->since_us = LIVETCP_NEVER;
    return step->max_us + own_us; /* rather too much: the next shorter round trip corrects it */
}

bool lt_route_step_is_likely(const lt_route_step *step, livetcp_usec now)
{
    return step->since_us != LIVETCP_NEVER && has_jumped(step, now);
}

bool lt_route_step_is_open(const lt_route_step *step, livetcp_usec now)
{
    return step->since_us != LIVETCP_NEVER && now - step->since_us > OPEN_US &&
           now - step->since_us < KNOWN_US;
}
