/* SPDX-License-Identifier: MIT */
#include "engine/reports/feedback.h"

#include <livetcp/stats.h>

void lt_feedback_clock_start(lt_feedback_clock *clock)
{
    *clock = (lt_feedback_clock){.due_us = LIVETCP_NEVER, .last_us = INT64_MIN};
}

void lt_feedback_clock_media(lt_feedback_clock *clock, livetcp_usec interval_us, livetcp_usec now)
{
    if (clock->due_us != LIVETCP_NEVER || interval_us == 0)
        return;
    bool at_once = clock->last_us == INT64_MIN || now - clock->last_us >= interval_us;
    clock->due_us = at_once ? now : clock->last_us + interval_us;
}

uint32_t lt_feedback_clock_write(lt_feedback_clock *clock, livetcp_usec now)
{
    clock->due_us = LIVETCP_NEVER;
    clock->last_us = now;
    if (++clock->number == 0)
        clock->number = 1; /* 0 says that there is none */
    return clock->number;
}

void lt_feedback_start(lt_feedback *feedback)
{
    *feedback = (lt_feedback){.rtt_us = -1};
    lt_feedback_clock_start(&feedback->reception_clock);
    lt_feedback_clock_start(&feedback->transmission_clock);
}

void lt_feedback_forget_peer(lt_feedback *feedback)
{
    feedback->has_reception = feedback->has_transmission = false;
}

uint32_t lt_feedback_write_transmission(lt_feedback *feedback, livetcp_usec now)
{
    uint32_t number = lt_feedback_clock_write(&feedback->transmission_clock, now);

    feedback->written_us[number % LT_FEEDBACK_SENT] = now;
    return number;
}

/* ---- what is believed ---- */

static bool is_duration(uint32_t duration)
{
    return duration == LT_UNKNOWN_US || duration <= LT_FEEDBACK_MAX_US;
}

/* No path is that short. */
static bool is_round_trip(uint32_t duration)
{
    return duration > 0 && is_duration(duration);
}

static bool is_newer(uint32_t number, uint32_t last)
{
    return (int32_t)(number - last) > 0;
}

static bool reception_makes_sense(const lt_reception *message)
{
    const int32_t most = (int32_t)LT_FEEDBACK_MAX_US;
    bool margin = !message->playing || message->margin_us == INT32_MIN ||
                  (message->margin_us >= -most && message->margin_us <= most);

    return message->number && margin && is_duration(message->newest_age_us) &&
           is_duration(message->echo_age_us) && is_duration(message->hold_us) &&
           is_duration(message->playout_us);
}

static bool transmission_makes_sense(const lt_transmission *message)
{
    const unsigned protections =
        LIVETCP_PROTECTION_COPIES | LIVETCP_PROTECTION_HEDGE | LIVETCP_PROTECTION_PARITY;

    return message->number && !(message->protection & ~protections) && message->copies >= 1 &&
           message->copies <= LIVETCP_MAX_CONNECTIONS && message->connections >= 1 &&
           message->connections <= LIVETCP_MAX_CONNECTIONS && message->parity_group != 1 &&
           is_round_trip(message->rtt_us) && is_round_trip(message->min_rtt_us) &&
           is_duration(message->rtt_variation_us) && is_duration(message->send_queue_us) &&
           is_duration(message->send_buffer_us) && is_duration(message->network_us) &&
           is_duration(message->head_of_line_us) && is_duration(message->hedge_delay_us);
}

/* False if the answer cannot be one to what we wrote. */
static bool measure(lt_feedback *feedback, const lt_reception *message, livetcp_usec now)
{
    uint32_t last = feedback->transmission_clock.number, echo = message->echo_number;

    if (echo == 0 || message->echo_age_us == LT_UNKNOWN_US)
        return true;
    if (is_newer(echo, last) || last == 0)
        return false;
    if (last - echo >= LT_FEEDBACK_SENT)
        return true; /* too long ago to tell */
    livetcp_usec rtt =
        now - feedback->written_us[echo % LT_FEEDBACK_SENT] - (livetcp_usec)message->echo_age_us;
    if (rtt < 0 || rtt > LT_FEEDBACK_MAX_US)
        return false;
    feedback->rtt_us = rtt;
    return true;
}

void lt_feedback_take_reception(lt_feedback *feedback, const lt_reception *message,
                                livetcp_usec now)
{
    if (!reception_makes_sense(message) || !measure(feedback, message, now)) {
        feedback->invalid++;
        return;
    }
    feedback->received++;
    if (feedback->has_reception && !is_newer(message->number, feedback->reception.number))
        return; /* overtaken on another connection */
    feedback->has_reception = true;
    feedback->reception = *message;
}

void lt_feedback_take_transmission(lt_feedback *feedback, const lt_transmission *message,
                                   livetcp_usec now)
{
    if (!transmission_makes_sense(message)) {
        feedback->invalid++;
        return;
    }
    feedback->received++;
    if (feedback->has_transmission && !is_newer(message->number, feedback->transmission.number))
        return;
    feedback->has_transmission = true;
    feedback->transmission = *message;
    feedback->transmission_us = now;
}

/* ---- durations ---- */

uint32_t lt_feedback_duration(livetcp_usec us)
{
    if (us < 0)
        return LT_UNKNOWN_US;
    return (uint32_t)(us < LT_FEEDBACK_MAX_US ? us : LT_FEEDBACK_MAX_US);
}

livetcp_usec lt_feedback_us(uint32_t duration)
{
    return duration == LT_UNKNOWN_US ? -1 : (livetcp_usec)duration;
}
